/* Folder listing and the one question that is asked of a manifest. */
#define _XOPEN_SOURCE 700
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_problem(const char *name)
{
    return ends_with(name, ".dat") || ends_with(name, ".dat.gz") || ends_with(name, ".hdf5") ||
           ends_with(name, ".h5");
}

static bool add(bench_files *files, const char *name)
{
    if (files->count == files->capacity) {
        int capacity = 2 * files->capacity + 64;
        char **names = realloc(files->names, (size_t)capacity * sizeof *names);
        if (names == NULL) return false;
        files->names = names;
        files->capacity = capacity;
    }
    char *copy = malloc(strlen(name) + 1);
    if (copy == NULL) return false;
    strcpy(copy, name);
    files->names[files->count++] = copy;
    return true;
}

/* `below` is the path of the folder relative to the root, "" or ending in a slash. */
static bool walk(const char *root, const char *below, bench_files *files)
{
    char path[PATH_SIZE], name[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", root, below) >= PATH_SIZE) return false;
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    bool is_fine = true;
    for (struct dirent *entry; is_fine && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        struct stat info;
        is_fine = snprintf(name, sizeof name, "%s%s", below, entry->d_name) < PATH_SIZE - 1 &&
                  snprintf(path, sizeof path, "%s/%s", root, name) < PATH_SIZE;
        if (!is_fine || stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) {
            strcat(name, "/");
            is_fine = walk(root, name, files);
        } else if (is_problem(name)) {
            is_fine = add(files, name);
        }
    }
    closedir(folder);
    return is_fine;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool bench_files_find(const char *folder, bench_files *files)
{
    *files = (bench_files){0};
    if (!walk(folder, "", files)) return false;
    if (files->count > 0) qsort(files->names, (size_t)files->count, sizeof *files->names, compare_names);
    return true;
}

void bench_files_free(bench_files *files)
{
    for (int i = 0; i < files->count; i++) free(files->names[i]);
    free(files->names);
    *files = (bench_files){0};
}

char *bench_manifest_read(const char *folder)
{
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/manifest.json", folder) >= PATH_SIZE) return NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size >= 0 ? malloc((size_t)size + 1) : NULL;
        if (text != NULL) text[fread(text, 1, (size_t)size, file)] = '\0';
    }
    fclose(file);
    return text;
}

/* The manifest is a list of objects that begin with "file", so the next "file" ends the entry. */
bool bench_manifest_is_unsolvable(const char *manifest, const char *name)
{
    char key[PATH_SIZE];
    if (manifest == NULL || snprintf(key, sizeof key, "\"file\": \"%s\"", name) >= PATH_SIZE) return false;
    const char *entry = strstr(manifest, key);
    if (entry == NULL) return false;
    entry += strlen(key);
    const char *end = strstr(entry, "\"file\""), *status = strstr(entry, "\"unsolvable\"");
    return status != NULL && (end == NULL || status < end);
}
