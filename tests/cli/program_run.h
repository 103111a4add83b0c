/* Runs the program from a test and keeps what it printed. SCRATCH, the beginning of all files a test makes,
   must be defined before: tests run side by side. */
#ifndef TESTS_CLI_PROGRAM_RUN_H
#define TESTS_CLI_PROGRAM_RUN_H

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "json_check.h"

enum { OUTPUT_MAX = 1 << 16 };

typedef struct outcome {
    int code; /* exit code; -1 if it was killed */
    char out[OUTPUT_MAX], err[OUTPUT_MAX];
} outcome;

static inline void read_file(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    size_t length = file != NULL ? fread(text, 1, OUTPUT_MAX - 1, file) : 0;
    text[length] = '\0';
    if (file != NULL) fclose(file);
}

/* Runs `BEFORE tippe ARGUMENTS` through the shell; the arguments may redirect. */
static inline outcome *run_under(const char *before, const char *arguments)
{
    static outcome result; /* one at a time */
    char command[4096];
    snprintf(command, sizeof command, "%s '%s' %s 2>'%s'", before, TIPPE_PROGRAM, arguments, SCRATCH "err");
    result = (outcome){.code = -1};
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) return &result;
    size_t length = fread(result.out, 1, OUTPUT_MAX - 1, pipe);
    result.out[length] = '\0';
    int status = pclose(pipe);
    if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
    read_file(SCRATCH "err", result.err);
    remove(SCRATCH "err");
    return &result;
}

static inline outcome *run(const char *arguments)
{
    return run_under("", arguments);
}

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) fail();
    fputs(text, file);
    fclose(file);
}

static inline bool holds(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static inline bool json_says(const char *text, const char *key, const char *expected)
{
    char value[1024];
    return json_find(text, key, value, sizeof value) && strcmp(value, expected) == 0;
}

#endif
