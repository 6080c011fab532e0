// expect g++: conversion from
// expect clang: no viable conversion
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val<float> v = n;
}
