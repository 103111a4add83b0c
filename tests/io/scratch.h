/* A folder of its own for files that a test writes; removed by the test. */
#ifndef TESTS_IO_SCRATCH_H
#define TESTS_IO_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct scratch_folder {
    char path[512];
    char file[800]; /* of the last scratch_file() */
} scratch_folder;

static inline int scratch_open(scratch_folder *folder)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%s/tippe-test-XXXXXX",
             base && strlen(base) < 400 ? base : ".");
    return mkdtemp(folder->path) != NULL;
}

static inline const char *scratch_file(scratch_folder *folder, const char *name)
{
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

/* How many files there are. */
static inline int scratch_count(const scratch_folder *folder)
{
    int count = 0;
    DIR *entries = opendir(folder->path);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries)) {
        count += entry->d_name[0] != '.';
    }
    if (entries) closedir(entries);
    return count;
}

static inline void scratch_close(scratch_folder *folder)
{
    char path[800];
    DIR *entries = opendir(folder->path);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(path, sizeof path, "%s/%.256s", folder->path, entry->d_name);
        if (unlink(path) != 0) rmdir(path);
    }
    if (entries) closedir(entries);
    rmdir(folder->path);
}

/* The bytes of a file, to be freed; NULL if there is none. */
static inline unsigned char *scratch_read(const char *path, size_t *count_out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *count_out = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*count_out + 1);
    if (bytes && fread(bytes, 1, *count_out, file) != *count_out) *count_out = 0;
    fclose(file);
    return bytes;
}

#endif
