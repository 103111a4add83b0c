/* What every fuzz target of a reader does. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "tippe/exchange.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A refusal must have a reason, a problem must be writable or be refused with a reason. */
static inline void check_and_write(tp_problem *problem, tp_status status, const char *path, tp_message *why)
{
    if (status != TP_OK) {
        if (problem || why->text[0] == 0) abort();
        if (status != TP_INVALID_DATA && status != TP_OUT_OF_MEMORY) abort();
        return;
    }
    status = tp_problem_write(problem, path, why);
    if (status != TP_OK && status != TP_UNSUPPORTED) abort();
    tp_problem_free(problem);
}

static inline void read_and_write(const void *bytes, size_t count, const char *path)
{
    tp_problem *problem = NULL;
    tp_message why = {""};
    tp_status status = tp_problem_read_memory(NULL, "fuzz", bytes, count, &problem, &why);
    check_and_write(problem, status, path, &why);
}

#endif
