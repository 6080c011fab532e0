// The public headers in a program that has neither exceptions nor type information: it must compile without a warning.
#include <quern/quern.hpp>

quern::kernel doubled{"doubled", [](quern::inout<float> y) {
    quern::val i = quern::global_id();
    y[i] = y[i] + y[i];
}};
