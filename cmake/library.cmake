# The one library that users link: all folders' objects. Static unless BUILD_SHARED_LIBS says otherwise.
get_property(folders GLOBAL PROPERTY QUERN_FOLDERS)
add_library(quern)
add_library(quern::quern ALIAS quern)
foreach(folder IN LISTS folders)
  target_sources(quern PRIVATE $<TARGET_OBJECTS:${folder}>)
endforeach()
set_target_properties(quern PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                      BUILD_RPATH $ORIGIN/quern INSTALL_RPATH $ORIGIN/quern)  # where the code generator is
target_compile_features(quern PUBLIC cxx_std_20)
target_include_directories(quern PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(quern PRIVATE Threads::Threads ${CMAKE_DL_LIBS} ${QUERN_FMT})
if(QUERN_SCHEDULER STREQUAL "tbb")
  target_link_libraries(quern PRIVATE TBB::tbb)
endif()
if(QUERN_VULKAN)
  target_link_libraries(quern PRIVATE SPIRV-Tools-static)
endif()
if(QUERN_CPU_CODEGEN STREQUAL "linked")
  target_link_libraries(quern PRIVATE quern_llvm)
elseif(TARGET quern-cpu-codegen)
  add_dependencies(quern quern-cpu-codegen)
  # It is loaded by name: executables of this build find it here, those of an installed package through quernConfig.
  target_link_options(quern INTERFACE $<BUILD_INTERFACE:LINKER:-rpath,${PROJECT_BINARY_DIR}/lib/quern>)
endif()
