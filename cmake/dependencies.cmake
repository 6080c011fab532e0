# What Quern is built on. Header-only packages (CLI11, nlohmann-json, stb, Boost.Hana) need no target: Debian puts them
# where the compiler looks.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
if(QUERN_PORTABLE)
  set(QUERN_FMT fmt::fmt-header-only)  # Debian has no static fmt
else()
  set(QUERN_FMT fmt::fmt)
endif()

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # used as a header, see settings.cmake

if(QUERN_SCHEDULER STREQUAL "tbb")
  find_package(TBB REQUIRED)
elseif(NOT QUERN_SCHEDULER STREQUAL "threads")
  message(FATAL_ERROR "QUERN_SCHEDULER is '${QUERN_SCHEDULER}'; it must be tbb or threads.")
endif()

# LLVM is optional: without it the library still runs kernels that were compiled before, and says what is missing.
if(NOT QUERN_CPU_CODEGEN MATCHES "^(module|linked)$")
  message(FATAL_ERROR "QUERN_CPU_CODEGEN is '${QUERN_CPU_CODEGEN}'; it must be module or linked.")
endif()
set(ZLIB_USE_STATIC_LIBS ON)
find_package(LLVM 19.1 CONFIG QUIET)
if(LLVM_FOUND)
  message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}: the CPU code generator is built (${QUERN_CPU_CODEGEN})")
  llvm_map_components_to_libnames(llvm_libraries core instcombine orcjit scalaropts x86codegen x86desc x86info)
  # LLVM's package links these two as shared libraries; their static ones spare every user the dependency.
  foreach(pair IN ITEMS "ZLIB::ZLIB=libz.a" "zstd::libzstd_shared=libzstd.a")
    string(REGEX MATCH "(.*)=(.*)" pair "${pair}")
    set(target ${CMAKE_MATCH_1})
    find_library(QUERN_STATIC_${CMAKE_MATCH_2} ${CMAKE_MATCH_2})
    if(TARGET ${target} AND QUERN_STATIC_${CMAKE_MATCH_2})
      set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION ${QUERN_STATIC_${CMAKE_MATCH_2}})
      foreach(configuration IN ITEMS RELEASE DEBUG NONE)
        set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION_${configuration}
                     ${QUERN_STATIC_${CMAKE_MATCH_2}})
      endforeach()
    endif()
  endforeach()
  add_library(quern_llvm INTERFACE)
  separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(quern_llvm INTERFACE ${llvm_definitions})
  target_include_directories(quern_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  target_compile_options(quern_llvm INTERFACE
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false reports in LLVM's SmallVector
  target_link_libraries(quern_llvm INTERFACE ${llvm_libraries})
elseif(QUERN_CPU_CODEGEN STREQUAL "linked")
  message(FATAL_ERROR "QUERN_CPU_CODEGEN=linked needs LLVM 19.1; scripts/setup installs llvm-19-dev.")
else()
  message(WARNING "LLVM 19.1 was not found (scripts/setup installs llvm-19-dev): the CPU device will not be able to "
                  "compile kernels and will say so.")
endif()

# Vulkan is optional too: its headers, SPIR-V's headers and SPIRV-Tools. Its loader is opened at run time.
find_path(VULKAN_INCLUDE_DIR vulkan/vulkan_core.h)
find_path(SPIRV_HEADERS_INCLUDE_DIR spirv/unified1/spirv.hpp)
find_package(SPIRV-Tools CONFIG QUIET)
set(QUERN_VULKAN OFF)
if(VULKAN_INCLUDE_DIR AND SPIRV_HEADERS_INCLUDE_DIR AND SPIRV-Tools_FOUND)
  set(QUERN_VULKAN ON)
else()
  message(WARNING "Vulkan's or SPIR-V's development packages were not found (scripts/setup installs libvulkan-dev, "
                  "spirv-headers and spirv-tools): the Vulkan backend is left out and will say so.")
endif()
