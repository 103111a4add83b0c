/* What a reader builds: a problem definition whose arrays live in one arena until the problem is made. */
#ifndef TP_IO_EXCHANGE_CONTENT_H
#define TP_IO_EXCHANGE_CONTENT_H

#include "base/arena.h"
#include "io/common/tokens.h"
#include "tippe/hdf5.h"
#include "tippe/problem.h"

typedef struct tp_content {
    tp_arena *arena;
    const char *name;   /* of the file, for messages         */
    tp_message *why;    /* may be NULL                       */
    tp_problem_def def; /* its arrays are the arena's        */
    tp_set *sets;       /* [row_count] def.sets while it is being filled */
} tp_content;

/* Starts a definition of the given kind with room for one set a row. */
tp_status tp_content_begin(tp_content *content, const char *kind, int row_count);

/* Appends sets; the number of rows of all of them is at most row_count. */
void tp_content_add_set(tp_content *content, tp_set set);
void tp_content_add_equalities(tp_content *content, int rows);
void tp_content_add_complementarities(tp_content *content, int rows);

/* Arrays of a matrix to be filled with entries (row, col, value); rows * cols entries of `value` alone when
 * dense. */
typedef struct tp_entry_arrays {
    int *row, *col;
    double *value;
} tp_entry_arrays;

tp_status tp_content_take_entries(tp_content *content, int rows, int cols, int count,
                                  tp_entry_arrays *arrays_out, tp_entries *entries_out);
tp_status tp_content_take_dense(tp_content *content, int rows, int cols, double **value_out,
                                tp_entries *entries_out);

tp_entries tp_entries_transposed(tp_entries a); /* of the same arrays */

/* count numbers (at least one, so that NULL always means no memory). */
tp_status tp_content_take_reals(tp_content *content, int count, double **out);
tp_status tp_content_take_ints(tp_content *content, int count, int **out);

/* The next `count` numbers of a text. */
tp_status tp_content_read_reals(tp_content *content, tp_tokens *tokens, const char *what, int count,
                                const double **out);

/* The readers: what is malformed gives TP_INVALID_DATA and a message that begins with the name. */
tp_status tp_dat_read(tp_content *content, const char *text, size_t length);
tp_status tp_general_read(tp_content *content, tp_tokens *tokens);
tp_status tp_fclib_read(tp_content *content, const tp_hdf5_source *hdf5 /* NULL: this process */,
                        const void *bytes, size_t count);

#endif
