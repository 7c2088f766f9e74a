# make install: the command, the headers, the rooms as static libraries, and find_package(pawl).
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY PAWL_ROOMS)
list(REMOVE_ITEM rooms pawl_problems)
install(TARGETS pawl pawl_klu pawl_sundials pawl_asmjit pawl_hdf5 pawl_matio ${rooms} EXPORT pawl-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
add_custom_target(pawl_installed DEPENDS pawl_command ${rooms})  # all that has to be built for it
install(TARGETS pawl_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET pawl_mpi)
  add_dependencies(pawl_installed pawl_mpi)
  install(TARGETS pawl_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES ${CMAKE_BINARY_DIR}/generated/pawl/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl)
install(FILES src/cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pawl)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)
install(EXPORT pawl-targets NAMESPACE pawl:: DESTINATION ${package_dir})
configure_package_config_file(cmake/pawl-config.cmake.in ${CMAKE_BINARY_DIR}/pawl-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/pawl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/pawl-config.cmake ${CMAKE_BINARY_DIR}/pawl-config-version.cmake DESTINATION ${package_dir})
