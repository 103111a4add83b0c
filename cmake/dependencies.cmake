# Each library is found here and nowhere else. Names as Debian installs them.
find_package(PkgConfig REQUIRED)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

function(tippe_find_library variable name)
    find_library(${variable} ${name} REQUIRED)
endfunction()
tippe_find_library(AMD_LIBRARY amd)
tippe_find_library(LDL_LIBRARY ldl)
tippe_find_library(KLU_LIBRARY klu)
tippe_find_library(SUITESPARSE_CONFIG_LIBRARY suitesparseconfig)
tippe_find_library(LAPACKE_LIBRARY lapacke)
tippe_find_library(OPENBLAS_LIBRARY openblas)

add_library(tippe_dependencies INTERFACE)
target_link_libraries(tippe_dependencies INTERFACE
    ${KLU_LIBRARY} ${LDL_LIBRARY} ${AMD_LIBRARY} ${SUITESPARSE_CONFIG_LIBRARY}
    ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY} PkgConfig::HDF5 PkgConfig::YAML PkgConfig::ZLIB m)
