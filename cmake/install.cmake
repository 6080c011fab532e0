# What `cmake --install` puts where, and the exported package. With LLVM linked into the library there is no package:
# its users would need our LLVM.
include(CMakePackageConfigHelpers)

if(TARGET quern-tool)
  set_target_properties(quern-tool PROPERTIES INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
  install(TARGETS quern-tool RUNTIME)
endif()
if(TARGET quern-cpu-codegen)
  install(TARGETS quern-cpu-codegen LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quern)
endif()
if(QUERN_CPU_CODEGEN STREQUAL "linked")
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quern)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/quern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
install(TARGETS quern EXPORT quern_targets)
install(EXPORT quern_targets NAMESPACE quern:: FILE quernTargets.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/quernConfig.cmake.in ${PROJECT_BINARY_DIR}/quernConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/quernConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/quernConfig.cmake ${PROJECT_BINARY_DIR}/quernConfigVersion.cmake
        DESTINATION ${package_dir})
