/* The problem files of a folder, and what its manifest says of them. */
#ifndef BENCH_FILES_H
#define BENCH_FILES_H

#include <stdbool.h>

typedef struct bench_files {
    char **names; /* relative to the folder, sorted */
    int count, capacity;
} bench_files;

/* All .dat, .dat.gz, .hdf5 and .h5 files below a folder; prints what is wrong and returns false on failure.
 */
bool bench_files_find(const char *folder, bench_files *files);
void bench_files_free(bench_files *files);

/* Text of FOLDER/manifest.json, or NULL if there is none; to be freed. */
char *bench_manifest_read(const char *folder);

/* The manifest (may be NULL) says that this file's problem has no solution. */
bool bench_manifest_is_unsolvable(const char *manifest, const char *name);

#endif
