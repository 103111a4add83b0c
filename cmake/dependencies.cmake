# Each library is found here and nowhere else, whatever the system calls its folders. Also installed beside
# tippeConfig.cmake, so that a program that links the static libraries finds the same ones. tippe_parts says what is
# wanted: core, io.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# SuiteSparse and LAPACKE come without CMake or pkg-config files on most systems. Order: users before what they use.
# OpenBLAS holds LAPACKE where there is no library of that name.
set(tippe_plain_libraries klu ldl amd colamd suitesparseconfig)
find_library(TIPPE_lapacke_LIBRARY lapacke)
mark_as_advanced(TIPPE_lapacke_LIBRARY)
if(TIPPE_lapacke_LIBRARY)
    list(APPEND tippe_plain_libraries lapacke)
endif()
list(APPEND tippe_plain_libraries openblas)

if(NOT TARGET tippe_core_dependencies)
    add_library(tippe_core_dependencies INTERFACE IMPORTED)
    foreach(name ${tippe_plain_libraries})
        find_library(TIPPE_${name}_LIBRARY ${name} REQUIRED)
        mark_as_advanced(TIPPE_${name}_LIBRARY)
        target_link_libraries(tippe_core_dependencies INTERFACE ${TIPPE_${name}_LIBRARY})
    endforeach()
    find_path(TIPPE_SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
    find_path(TIPPE_LAPACKE_INCLUDE lapacke.h PATH_SUFFIXES lapacke openblas REQUIRED)
    mark_as_advanced(TIPPE_SUITESPARSE_INCLUDE TIPPE_LAPACKE_INCLUDE)
    target_include_directories(tippe_core_dependencies SYSTEM INTERFACE ${TIPPE_SUITESPARSE_INCLUDE} ${TIPPE_LAPACKE_INCLUDE})
    target_link_libraries(tippe_core_dependencies INTERFACE Threads::Threads m)
endif()

# Files: scenes (yaml), trajectories (HDF5), problems (zlib), figures (cairo).
# Not find_package(HDF5): its link line names libraries that a consumer need not have. Debian calls the build without MPI
# hdf5-serial, others hdf5; builds by autotools (Fedora, Homebrew) may have no file for pkg-config. 1.10 to 1.14 do.
set(tippe_io_packages yaml-0.1 zlib cairo)
set(tippe_io_plain_libraries)
if(NOT TIPPE_HDF5_LIBRARY) # named by hand, or found so before
    pkg_check_modules(TIPPE_HDF5_SERIAL QUIET hdf5-serial)
    pkg_check_modules(TIPPE_HDF5_PLAIN QUIET hdf5)
endif()
if(TIPPE_HDF5_SERIAL_FOUND)
    list(PREPEND tippe_io_packages hdf5-serial)
elseif(TIPPE_HDF5_PLAIN_FOUND)
    list(PREPEND tippe_io_packages hdf5)
else()
    find_path(TIPPE_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
    find_library(TIPPE_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial REQUIRED)
    mark_as_advanced(TIPPE_HDF5_INCLUDE TIPPE_HDF5_LIBRARY)
    cmake_path(GET TIPPE_HDF5_LIBRARY STEM tippe_hdf5_name)
    string(REGEX REPLACE "^lib" "" tippe_hdf5_name ${tippe_hdf5_name})
    set(tippe_io_plain_libraries ${tippe_hdf5_name})
endif()
if("io" IN_LIST tippe_parts AND NOT TARGET tippe_io_dependencies)
    pkg_check_modules(TIPPE_IO REQUIRED QUIET IMPORTED_TARGET ${tippe_io_packages})
    add_library(tippe_io_dependencies INTERFACE IMPORTED)
    target_link_libraries(tippe_io_dependencies INTERFACE PkgConfig::TIPPE_IO Threads::Threads m)
    if(tippe_io_plain_libraries)
        target_include_directories(tippe_io_dependencies SYSTEM INTERFACE ${TIPPE_HDF5_INCLUDE})
        target_link_libraries(tippe_io_dependencies INTERFACE ${TIPPE_HDF5_LIBRARY})
    endif()
endif()
