# The program holds HDF5 itself where its static library is installed: Debian's shared one loads forty libraries more, for
# files over networks (TLS, Kerberos, LDAP), which take 6 MB of memory in every run, with or without an output.
# tippe_hdf5_archive is what to link; TIPPE_HDF5_ARCHIVE_LINKS says whether that works. With sanitizers it stays apart:
# tools/lsan.txt knows its leaks by the name of the shared library.
include(CheckCSourceCompiles)
set(build PLAIN)
if(TIPPE_HDF5_SERIAL_FOUND)
    set(build SERIAL)
endif()
find_library(TIPPE_HDF5_ARCHIVE NAMES libhdf5_serial.a libhdf5.a NO_DEFAULT_PATH # beside the shared one
    HINTS ${TIPPE_HDF5_${build}_LIBRARY_DIRS} ${TIPPE_HDF5_${build}_LIBDIR})
find_library(TIPPE_SZ_LIBRARY sz) # its compression, where it was built with it
mark_as_advanced(TIPPE_HDF5_ARCHIVE TIPPE_SZ_LIBRARY)
if(TIPPE_HDF5_ARCHIVE AND NOT APPLE AND NOT TIPPE_SANITIZE)
    set(tippe_hdf5_archive ${TIPPE_HDF5_ARCHIVE} $<$<BOOL:${TIPPE_SZ_LIBRARY}>:${TIPPE_SZ_LIBRARY}> z ${CMAKE_DL_LIBS} m)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_INCLUDES ${TIPPE_IO_INCLUDE_DIRS})
    set(CMAKE_REQUIRED_LIBRARIES ${tippe_hdf5_archive})
    check_c_source_compiles("#include <hdf5.h>
        int main(void) { return (int)H5Fopen(\"\", 0, H5P_DEFAULT) < H5T_NATIVE_DOUBLE; }" TIPPE_HDF5_ARCHIVE_LINKS)
    cmake_pop_check_state()
endif()
