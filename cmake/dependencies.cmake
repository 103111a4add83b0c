# Each library is found here and nowhere else; names as Debian installs them. Also installed beside
# tippeConfig.cmake, so that a program that links the static library finds the same ones.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# Not find_package(HDF5): its link line names libraries that a consumer need not have.
pkg_check_modules(TIPPE_HDF5 REQUIRED QUIET IMPORTED_TARGET hdf5-serial)
pkg_check_modules(TIPPE_YAML REQUIRED QUIET IMPORTED_TARGET yaml-0.1)
pkg_check_modules(TIPPE_ZLIB REQUIRED QUIET IMPORTED_TARGET zlib)
pkg_check_modules(TIPPE_CAIRO REQUIRED QUIET IMPORTED_TARGET cairo)

# SuiteSparse and LAPACKE come without CMake or pkg-config files. Order: users before what they use.
set(tippe_plain_libraries klu ldl amd colamd suitesparseconfig lapacke openblas)

add_library(tippe_dependencies INTERFACE IMPORTED)
foreach(name ${tippe_plain_libraries})
    find_library(TIPPE_${name}_LIBRARY ${name} REQUIRED)
    mark_as_advanced(TIPPE_${name}_LIBRARY)
    target_link_libraries(tippe_dependencies INTERFACE ${TIPPE_${name}_LIBRARY})
endforeach()
target_link_libraries(tippe_dependencies INTERFACE
    PkgConfig::TIPPE_HDF5 PkgConfig::TIPPE_YAML PkgConfig::TIPPE_ZLIB PkgConfig::TIPPE_CAIRO Threads::Threads m)
