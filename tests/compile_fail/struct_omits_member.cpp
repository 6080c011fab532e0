// expect g++: only 1 name provided for structured binding
// expect clang: decomposes into 2 elements, but only 1 name was provided
#include <quern/quern.hpp>

struct particle {
    float mass;
    float charge;
};
QUERN_STRUCT(particle, mass);
