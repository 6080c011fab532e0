// expect g++: conversion from
// expect clang: no viable conversion
#include <quern/quern.hpp>

using namespace quern;
QUERN_NEWTYPE(particle_id, uint);
QUERN_NEWTYPE(cell_id, uint);

void body(val<particle_id> p) {
    val<cell_id> c = p;
}
