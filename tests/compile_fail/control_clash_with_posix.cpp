// compiles
#include <quern/quern.hpp>
#include <cstdlib>
#include <error.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

using namespace quern;

int host_index(const char* text) { return index(text, 'x') != nullptr; }
int host_select() { return select(0, nullptr, nullptr, nullptr, nullptr); }
void host_error() { ::error(0, 0, "text"); }
ulong host_ulong(uint u) { return u; }
double host_math(double x) { return y0(x) + j1(x) + remainder(x, 2.0); }

kernel k{"k", [](inout<float> y, val<float> a, val<uint> n) {
    val i = global_id();
    y[i] = select(a > 1.f, a, 2.f) + sqrt(a) + remainder(a, 2.f) + select(isnan(a), 1.f, 0.f);
    for_(range(0u, n), [&](val<uint> index) { y[index] = 0.f; });
    barrier();
}};
