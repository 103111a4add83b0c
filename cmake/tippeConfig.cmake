# find_package(tippe): target tippe::tippe, with the libraries that the static library needs.
if(NOT TARGET tippe::tippe)
    include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
    include(${CMAKE_CURRENT_LIST_DIR}/tippeTargets.cmake)
    target_link_libraries(tippe::tippe INTERFACE tippe_dependencies)
endif()
