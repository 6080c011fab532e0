// expect g++: conversion from
// expect clang: no viable conversion
#include <quern/quern.hpp>

using namespace quern;

void body() {
    val<int> v = 2.5f;
}
