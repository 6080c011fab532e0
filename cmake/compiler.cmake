# Before project(): finds a compiler that can build Quern when the user named none. After it: settings.cmake checks it.
if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(CMAKE_CXX_COMPILER
               NAMES g++-12 g++-13 g++-14 g++-15 clang++-19 clang++-18 clang++-17 clang++-16 g++ clang++ c++
               DOC "C++ compiler: g++ 12 or newer, or clang++ 16 or newer")
endif()
