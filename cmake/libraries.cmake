# Two libraries, each static and shared: `tippe` the mechanics and the solvers, `tippe-io` files (scenes, trajectories,
# figures). A controller links the first alone, and gets neither cairo nor HDF5. What they are linked with is no part of
# the exported targets; tippeConfig.cmake finds it again for the static ones.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c)
file(GLOB_RECURSE io_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/io/*.c)
list(REMOVE_ITEM core_sources ${io_sources})

# The shared libraries export what the public headers declare, and of the core what files need of src/base.
file(GLOB exporting_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/tippe/*.h ${CMAKE_SOURCE_DIR}/src/base/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exporting_headers})
set(exports)
foreach(header ${exporting_headers})
    file(READ ${header} text)
    string(REGEX MATCHALL "tp_[a-z0-9_]+\\(" names "${text}")
    list(APPEND exports ${names})
endforeach()
list(TRANSFORM exports REPLACE "\\(" "")
list(REMOVE_DUPLICATES exports)
list(SORT exports)
if(APPLE) # its linker takes a list of names, with an underscore before each, and leaves no name open as it is
    list(TRANSFORM exports PREPEND _)
    list(JOIN exports "\n" exports)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/exports.map @ONLY CONTENT "@exports@\n")
    set(export_options LINKER:-exported_symbols_list,${CMAKE_BINARY_DIR}/exports.map)
else()
    list(JOIN exports ";\n    " exports)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/exports.map @ONLY CONTENT "{\nglobal:\n    @exports@;\nlocal:\n    *;\n};\n")
    set(export_options LINKER:--version-script=${CMAKE_BINARY_DIR}/exports.map LINKER:-Bsymbolic-functions)
    if(NOT TIPPE_SANITIZE) # clang leaves the names of its run time open
        list(APPEND export_options LINKER:--no-undefined)
    endif()
endif()

# tippe_add_library(PART OUTPUT_NAME dependencies sources...): targets tippe_PART and tippe_PART_shared.
function(tippe_add_library part output dependencies)
    add_library(tippe_${part}_objects OBJECT ${ARGN})
    target_include_directories(tippe_${part}_objects PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(tippe_${part}_objects PRIVATE tippe_warnings ${dependencies})
    set(kinds STATIC)
    if(TIPPE_SHARED)
        list(APPEND kinds SHARED)
    endif()
    foreach(kind ${kinds})
        set(target tippe_${part})
        set(export ${part}-static)
        if(kind STREQUAL "SHARED")
            set(target tippe_${part}_shared)
            set(export ${part})
        endif()
        add_library(${target} ${kind} $<TARGET_OBJECTS:tippe_${part}_objects>)
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} EXPORT_NAME ${export})
        target_include_directories(${target} PUBLIC
            $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        target_link_libraries(${target} PUBLIC m PRIVATE $<BUILD_INTERFACE:${dependencies}>) # headers have inline functions
    endforeach()
    if(TIPPE_SHARED) # calls its own functions directly
        set_target_properties(tippe_${part}_shared PROPERTIES
            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
            LINK_DEPENDS ${CMAKE_BINARY_DIR}/exports.map)
        target_link_options(tippe_${part}_shared PRIVATE ${export_options})
    endif()
endfunction()

tippe_add_library(core tippe tippe_core_dependencies ${core_sources})
include(cmake/viewer.cmake)
tippe_add_library(io tippe-io tippe_io_dependencies ${io_sources} ${viewer_assets})
target_link_libraries(tippe_io PUBLIC tippe_core)
if(TIPPE_SHARED)
    target_link_libraries(tippe_io_shared PUBLIC tippe_core_shared)
endif()

# Both, for the program and the tests.
add_library(tippe_library INTERFACE)
target_link_libraries(tippe_library INTERFACE tippe_io tippe_core)
