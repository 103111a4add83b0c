# make install: the program, the libraries, their headers, and what find_package(tippe) and pkg-config need.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tippe)

install(DIRECTORY include/tippe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET tippe)
    install(TARGETS tippe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # The manual page and the completions of shells, printed by the program itself.
    set(pages ${CMAKE_BINARY_DIR}/pages)
    file(MAKE_DIRECTORY ${pages})
    add_custom_command(OUTPUT ${pages}/tippe.1 ${pages}/tippe ${pages}/_tippe DEPENDS tippe VERBATIM
        COMMAND tippe man > ${pages}/tippe.1
        COMMAND tippe completion bash > ${pages}/tippe
        COMMAND tippe completion zsh > ${pages}/_tippe)
    add_custom_target(tippe_pages ALL DEPENDS ${pages}/tippe.1 ${pages}/tippe ${pages}/_tippe)
    install(FILES ${pages}/tippe.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${pages}/tippe DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${pages}/_tippe DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
install(DIRECTORY examples data/reproduce DESTINATION ${CMAKE_INSTALL_DATADIR}/tippe)
install(FILES LICENSE NOTICE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tippe)

# CMake: targets tippe::core, tippe::io, and the same with -static.
set(shared_targets)
if(TIPPE_SHARED)
    set(shared_targets tippe_core_shared tippe_io_shared)
endif()
install(TARGETS tippe_core tippe_io ${shared_targets} EXPORT tippeTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tippeTargets NAMESPACE tippe:: DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tippeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/tippeConfig.cmake cmake/dependencies.cmake ${CMAKE_BINARY_DIR}/tippeConfigVersion.cmake
    DESTINATION ${package_folder})

# pkg-config: `pkg-config --libs tippe` for the shared library, `--static` adds what the static one needs. Without
# shared libraries the plain call must link, too.
list(TRANSFORM tippe_plain_libraries PREPEND -l OUTPUT_VARIABLE pc_core_libraries)
list(JOIN pc_core_libraries " " pc_core_libraries)
list(JOIN tippe_io_packages " " pc_io_packages)
list(TRANSFORM tippe_io_plain_libraries PREPEND -l OUTPUT_VARIABLE pc_io_libraries)
list(JOIN pc_io_libraries " " pc_io_libraries)
if(NOT TIPPE_SHARED)
    set(pc_plain_libraries " ${pc_core_libraries} -pthread")
    set(pc_plain_packages " ${pc_io_packages}")
    set(pc_plain_io_libraries " ${pc_io_libraries}")
endif()
set(pc_up ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pc_up} OUTPUT_VARIABLE pc_up)
foreach(name tippe tippe-io)
    configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
