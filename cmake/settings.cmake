# How everything of ours is compiled and linked: language, warnings, sanitizers, compiler cache, linker.
include(CheckLinkerFlag)
include(GNUInstallDirs)

set(minimum_GNU 12)
set(minimum_Clang 16)
if(NOT DEFINED minimum_${CMAKE_CXX_COMPILER_ID} OR
   CMAKE_CXX_COMPILER_VERSION VERSION_LESS minimum_${CMAKE_CXX_COMPILER_ID})
  message(FATAL_ERROR
          "Quern needs g++ ${minimum_GNU} or clang++ ${minimum_Clang}, or newer; found ${CMAKE_CXX_COMPILER_ID} "
          "${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}).\n"
          "Name another with -DCMAKE_CXX_COMPILER=g++-12 in a fresh build folder; scripts/setup installs it.")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # cmake/portable links what other folders found
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
  endif()
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # The sloppiness is what ccache asks for before it caches users of a precompiled header; paths below the checkout
    # count as relative, so that a second checkout compiles nothing again.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  endif()

  foreach(linker IN ITEMS mold lld)
    check_linker_flag(CXX -fuse-ld=${linker} HAVE_${linker})
    if(HAVE_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()

# Flags of all of our own code. -ffp-contract=off: folding and the reference define results bit by bit.
add_library(quern_settings INTERFACE)
target_compile_options(quern_settings INTERFACE
                       -Wall -Wextra -Wconversion -Werror=switch -ffp-contract=off -ffunction-sections -fdata-sections)
target_compile_definitions(quern_settings INTERFACE XXH_INLINE_ALL=)  # xxHash without its library
if(QUERN_SANITIZE)
  add_compile_options(-fsanitize=${QUERN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false reports in instrumented code
  # clang looks for a type in front of every function that is called through a pointer; compiled kernels have none.
  add_compile_options($<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  add_link_options(-fsanitize=${QUERN_SANITIZE})
endif()
if(QUERN_PORTABLE)
  # Source files by their path in a checkout, in whose root the suite runs on another machine.
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  # All symbols are local, so that a driver that brings its own libstdc++ or LLVM never binds to ours. libgcc stays
  # shared: an exception that crosses TBB's frames needs one unwinder, and TBB brings libgcc_s.
  add_link_options(-static-libstdc++ -s -no-pie LINKER:--gc-sections LINKER:--as-needed
                   LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/portable/exports.map)
endif()
