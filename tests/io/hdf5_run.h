/* A small trajectory of format version 2 (docs/output.md), written with the HDF5 library alone: independent
   of our writer, and in the ways that other programs write files. */
#ifndef TESTS_IO_HDF5_RUN_H
#define TESTS_IO_HDF5_RUN_H

#include <hdf5.h>
#include <stdbool.h>
#include <string.h>

/* How the library writes the file; may be combined. */
enum {
    RUN_LATEST = 1,     /* format of the newest library              */
    RUN_PACKED = 2,     /* chunks with shuffle and deflate           */
    RUN_PAGED = 4,      /* space in pages, kept free space           */
    RUN_FIXED_TEXT = 8, /* texts of a fixed length                   */
    RUN_BIG_ENDIAN = 16,
    RUN_STYLES = 32
};

enum { RUN_ROWS = 5, RUN_STORED = 8 }; /* complete, and in the file */

typedef struct run_file {
    hid_t file;
    int style;
    int version;
} run_file;

static inline void run_texts(const run_file *run, hid_t object, const char *name, int count,
                             const char *const *texts)
{
    enum { WIDTH = 24 };
    char fixed[8][WIDTH] = {{0}};
    hsize_t size = (hsize_t)(count < 0 ? 1 : count);
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL),
          type = H5Tcopy(H5T_C_S1);
    bool is_fixed = (run->style & RUN_FIXED_TEXT) != 0 && strcmp(name, "scene") != 0;
    H5Tset_size(type, is_fixed ? WIDTH : H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    for (hsize_t i = 0; is_fixed && i < size; i++) strncpy(fixed[i], texts[i], WIDTH - 1);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, is_fixed ? (const void *)fixed : (const void *)texts);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
}

static inline void run_text(const run_file *run, hid_t object, const char *name, const char *text)
{
    run_texts(run, object, name, -1, &text);
}

static inline void run_number(hid_t object, const char *name, double number)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number);
    H5Aclose(attribute);
    H5Sclose(space);
}

/* A data set that can grow; value(row, column) = base + row + column / 10. */
static inline hid_t run_data(const run_file *run, const char *path, int width, double base)
{
    hsize_t size[] = {RUN_STORED, (hsize_t)width}, most[] = {H5S_UNLIMITED, (hsize_t)width},
            chunk[] = {3, (hsize_t)width};
    int rank = width > 0 ? 2 : 1, columns = width > 0 ? width : 1;
    double values[RUN_STORED * 8];
    for (int i = 0; i < RUN_STORED * columns; i++)
        values[i] = base + (double)(i / columns) + 0.1 * (double)(i % columns);
    hid_t space = H5Screate_simple(rank, size, most), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, rank, chunk);
    if (run->style & RUN_PACKED) H5Pset_shuffle(creation);
    if (run->style & RUN_PACKED) H5Pset_deflate(creation, 5);
    hid_t data = H5Dcreate2(run->file, path, run->style & RUN_BIG_ENDIAN ? H5T_IEEE_F64BE : H5T_IEEE_F64LE,
                            space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Pclose(creation);
    H5Sclose(space);
    return data;
}

static inline void run_line(const run_file *run, const char *path, double base, int column, const char *unit)
{
    hid_t data = run_data(run, path, 0, base);
    run_number(data, "first_column", column);
    run_text(run, data, "unit", unit);
    run_text(run, data, "description", "text");
    H5Dclose(data);
}

static inline void run_group(const run_file *run, const char *path, double base, int column, int width,
                             const char *const *names)
{
    static const char *const units[] = {"m", "m", "m", "m"}, *const texts[] = {"a", "b", "c", "d"};
    hid_t data = run_data(run, path, width, base);
    run_number(data, "first_column", column);
    run_texts(run, data, "names", width, names);
    run_texts(run, data, "units", width, units);
    run_texts(run, data, "descriptions", width, texts);
    H5Dclose(data);
}

/* Two columns, the first of which has words: 0 1 2 -1 ... */
static inline void run_table(const run_file *run)
{
    static const char *const names[] = {"shape", "depth"}, *const units[] = {"", "m"},
                             *const sets[] = {"shapes", ""};
    const char *words[] = {"ball", "", "floor \xc3\xa4"};
    const double values[RUN_STORED][2] = {{0, 0.5}, {1, 0.25}, {2, 0.125}, {-1, 0}};
    H5Gclose(H5Gcreate2(run->file, "/tables", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(run->file, "/labels", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t data = run_data(run, "/tables/contacts", 2, 0.0);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    run_number(data, "table", 0);
    run_texts(run, data, "names", 2, names);
    run_texts(run, data, "units", 2, units);
    run_texts(run, data, "descriptions", 2, units);
    run_texts(run, data, "label_sets", 2, sets);
    H5Dclose(data);
    hsize_t size = 3;
    hid_t space = H5Screate_simple(1, &size, NULL), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    data = H5Dcreate2(run->file, "/labels/shapes", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words);
    H5Dclose(data);
    H5Tclose(type);
    H5Sclose(space);
}

static inline void run_rows(const run_file *run)
{
    const unsigned long long rows[] = {RUN_ROWS, 4};
    hsize_t size = 2;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t data = H5Dcreate2(run->file, "/rows", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_ULLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);
    run_number(data, "columns", 5.0);
    H5Dclose(data);
    H5Sclose(space);
}

static inline hid_t run_create(const char *path, int style)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (style & RUN_LATEST) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    if (style & RUN_PAGED) H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, true, 1);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    return file;
}

/* Columns time, q/x, q/y%2Fz, law/beak/gap, energy (in this order), one table, a summary. */
static inline bool put_run_version(const char *path, int style, int version, const char *scene)
{
    static const char *const q_names[] = {"x", "y%2Fz"}, *const law_names[] = {"beak/gap"};
    run_file run = {run_create(path, style), style, version};
    if (run.file < 0) return false;
    run_text(&run, run.file, "format", "tippe trajectory");
    run_number(run.file, "format_version", run.version);
    run_text(&run, run.file, "scene", scene);
    run_number(run.file, "time_step", 0.5);
    run_line(&run, "/time", 0.0, 0, "s");
    run_line(&run, "/energy", 100.0, 4, "J");
    run_group(&run, "/q", 10.0, 1, 2, q_names);
    run_group(&run, "/law", 20.0, 3, 1, law_names);
    run_table(&run);
    run_rows(&run);
    hid_t summary = H5Gcreate2(run.file, "/summary", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    run_text(&run, summary, "status", "done");
    run_number(summary, "finished", 1.0);
    H5Gclose(summary);
    return H5Fclose(run.file) >= 0;
}

static inline bool put_run(const char *path, int style)
{
    return put_run_version(path, style, 2, "name: none\n");
}

#endif
