# Each library is found here and nowhere else; names as Debian installs them. Also installed beside
# tippeConfig.cmake, so that a program that links the static libraries finds the same ones. tippe_parts says what is
# wanted: core, io.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# SuiteSparse and LAPACKE come without CMake or pkg-config files. Order: users before what they use.
set(tippe_plain_libraries klu ldl amd colamd suitesparseconfig lapacke openblas)

if(NOT TARGET tippe_core_dependencies)
    add_library(tippe_core_dependencies INTERFACE IMPORTED)
    foreach(name ${tippe_plain_libraries})
        find_library(TIPPE_${name}_LIBRARY ${name} REQUIRED)
        mark_as_advanced(TIPPE_${name}_LIBRARY)
        target_link_libraries(tippe_core_dependencies INTERFACE ${TIPPE_${name}_LIBRARY})
    endforeach()
    target_link_libraries(tippe_core_dependencies INTERFACE Threads::Threads m)
endif()

# Files: scenes (yaml), trajectories (HDF5), problems (zlib), figures (cairo).
# Not find_package(HDF5): its link line names libraries that a consumer need not have.
set(tippe_io_packages hdf5-serial yaml-0.1 zlib cairo)
if("io" IN_LIST tippe_parts AND NOT TARGET tippe_io_dependencies)
    pkg_check_modules(TIPPE_IO REQUIRED QUIET IMPORTED_TARGET ${tippe_io_packages})
    add_library(tippe_io_dependencies INTERFACE IMPORTED)
    target_link_libraries(tippe_io_dependencies INTERFACE PkgConfig::TIPPE_IO Threads::Threads m)
endif()
