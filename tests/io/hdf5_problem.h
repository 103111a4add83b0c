/* A small local problem as other programs may write it with the HDF5 library: in chunks, packed. */
#ifndef TESTS_IO_HDF5_PROBLEM_H
#define TESTS_IO_HDF5_PROBLEM_H

#include <hdf5.h>
#include <stdbool.h>

/* How the library writes the file. */
enum { GROWING = 1, PACKED = 2, NEW_FORMAT = 4, PAGED = 8, STYLE_COUNT = 16 };

static const double half_filled = 1.5;

static inline void put_values(hid_t file, const char *path, hid_t type, hsize_t count, const void *values,
                              int style)
{
    hsize_t chunk = count > 2 ? 2 : 1, unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &count, style & GROWING ? &unlimited : NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool is_real = H5Tget_class(type) == H5T_FLOAT;
    H5Pset_chunk(creation, 1, &chunk);
    if (is_real) H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &half_filled);
    if (style & PACKED) H5Pset_shuffle(creation);
    if (style & PACKED) H5Pset_deflate(creation, 5);
    if (style & PACKED) H5Pset_fletcher32(creation);
    hid_t data = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
    H5Pclose(creation);
    H5Sclose(space);
}

static inline void put_problem(hid_t file, int style)
{
    static const char *const groups[] = {"/fclib_local", "/fclib_local/W", "/fclib_local/vectors"};
    const int three = 3, places[] = {0, 1, 2};
    const double mu = 0.5, ones[] = {1, 1, 1}, q[] = {-1, 0.25, 0};
    for (int k = 0; k < 3; k++) H5Gclose(H5Gcreate2(file, groups[k], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put_values(file, "/fclib_local/spacedim", H5T_NATIVE_INT, 1, &three, style);
    put_values(file, "/fclib_local/W/m", H5T_NATIVE_INT, 1, &three, style);
    put_values(file, "/fclib_local/W/n", H5T_NATIVE_INT, 1, &three, style);
    put_values(file, "/fclib_local/W/nz", H5T_NATIVE_INT, 1, &three, style);
    put_values(file, "/fclib_local/W/p", H5T_NATIVE_INT, 3, places, style);
    put_values(file, "/fclib_local/W/i", H5T_NATIVE_INT, 3, places, style);
    put_values(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, 3, ones, style);
    put_values(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, &mu, style);
    put_values(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 3, q, style);
}

/* PAGED: space in pages and free space kept, as h5py does with fs_strategy="page", fs_persist=True. */
static inline bool put_problem_file(const char *path, int style)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (style & NEW_FORMAT) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    if (style & PAGED) H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, true, 1);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    put_problem(file, style);
    H5Pclose(creation);
    H5Pclose(access);
    return H5Fclose(file) >= 0;
}

#endif
