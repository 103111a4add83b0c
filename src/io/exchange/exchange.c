/* Problems in files: which reader, which writer. */
#include "tippe/exchange.h"
#include "io/common/c_locale.h"
#include "io/common/gzip.h"
#include "io/common/tokens.h"
#include "io/common/whole_file.h"
#include "io/exchange/content.h"
#include "io/exchange/problem_write.h"
#include "io/hdf5/hdf5_tree.h"
#include "io/hdf5/hdf5_write.h"

#include <limits.h>

static const size_t unpacked_limit = INT_MAX; /* [bytes] a gzip file may unpack to no more than this */

/* Reads the content and makes the problem of it; all in between lives in the content's arena. */
static tp_status read_content(const tp_allocator *allocator, const tp_hdf5_source *hdf5, tp_content *content,
                              const unsigned char *bytes, size_t count, tp_problem **problem_out)
{
    if (tp_gzip_is(bytes, count)) {
        unsigned char *unpacked;
        TP_TRY(tp_gzip_unpack(content->arena, content->name, bytes, count, unpacked_limit, &unpacked, &count,
                              content->why));
        bytes = unpacked;
    }
    TP_TRY(tp_hdf5_is(bytes, count) ? tp_fclib_read(content, hdf5, bytes, count)
                                    : tp_dat_read(content, (const char *)bytes, count));
    tp_message reason = {""};
    tp_status status = tp_problem_create(allocator, &content->def, problem_out, &reason);
    if (status == TP_OK) return TP_OK;
    return tp_fail(content->why, status == TP_INVALID_ARGUMENT ? TP_INVALID_DATA : status, "%s: %.900s",
                   content->name, reason.text);
}

/* What the calls of this file share: numbers with a decimal point, and memory until their end. */
typedef struct scope {
    tp_c_locale locale;
    tp_arena arena;
} scope;

static tp_status enter(scope *s, const tp_allocator *allocator, tp_message *why)
{
    tp_arena_init(&s->arena, allocator);
    return tp_c_locale_enter(&s->locale, why);
}

static tp_status leave(scope *s, tp_status status)
{
    tp_arena_clear(&s->arena);
    tp_c_locale_leave(&s->locale);
    return status;
}

tp_status tp_problem_read_from(const tp_allocator *allocator, const tp_hdf5_source *source, const char *path,
                               tp_problem **problem_out, tp_message *why_out)
{
    scope s;
    unsigned char *bytes = NULL;
    size_t count = 0;
    *problem_out = NULL;
    TP_TRY(enter(&s, allocator, why_out));
    tp_content content = {.arena = &s.arena, .name = path, .why = why_out};
    tp_status status = tp_file_read(&s.arena, path, &bytes, &count, why_out);
    if (status == TP_OK) status = read_content(allocator, source, &content, bytes, count, problem_out);
    return leave(&s, status);
}

tp_status tp_problem_read(const tp_allocator *allocator, const char *path, tp_problem **problem_out,
                          tp_message *why_out)
{
    return tp_problem_read_from(allocator, NULL, path, problem_out, why_out);
}

tp_status tp_problem_read_memory(const tp_allocator *allocator, const char *name, const void *bytes,
                                 size_t count, tp_problem **problem_out, tp_message *why_out)
{
    scope s;
    *problem_out = NULL;
    TP_TRY(enter(&s, allocator, why_out));
    tp_content content = {.arena = &s.arena, .name = name, .why = why_out};
    return leave(&s, read_content(allocator, NULL, &content, bytes, count, problem_out));
}

/* Text, packed if the name says so. */
static tp_status write_text(tp_arena *arena, const char *path, const tp_text *text, tp_message *why)
{
    if (!tp_path_ends(path, ".gz")) return tp_file_write(path, text->bytes, text->count, why);
    unsigned char *packed;
    size_t count;
    TP_TRY(tp_gzip_pack(arena, (const unsigned char *)text->bytes, text->count, &packed, &count, why));
    return tp_file_write(path, packed, count, why);
}

static bool is_hdf5_name(const char *path)
{
    return tp_path_ends(path, ".h5") || tp_path_ends(path, ".hdf5");
}

static tp_status write_problem(tp_arena *arena, const tp_problem *problem, const char *path, tp_text *text,
                               tp_message *why)
{
    if (!is_hdf5_name(path)) {
        TP_TRY(tp_dat_write(problem, path, text, why));
        return write_text(arena, path, text, why);
    }
    void *bytes;
    size_t count;
    TP_TRY(tp_fclib_write(arena, problem, path, &bytes, &count, why));
    return tp_file_write(path, bytes, count, why);
}

tp_status tp_problem_write(const tp_problem *problem, const char *path, tp_message *why_out)
{
    scope s;
    tp_text text = {.bytes = NULL};
    TP_TRY(enter(&s, NULL, why_out));
    tp_status status = write_problem(&s.arena, problem, path, &text, why_out);
    tp_text_clear(&text);
    return leave(&s, status);
}

typedef struct solution {
    const tp_problem *problem;
    const double *P, *x, *xi; /* x and xi may be NULL */
    tp_message *why;
} solution;

/* /solution/{r,u,v} of an HDF5 file. */
static tp_status fill_solution(void *self, int64_t file)
{
    const solution *of = self;
    int64_t group = tp_hdf5_add_group(file, "solution", false);
    int rows = of->problem->row_count;
    bool is_written = tp_hdf5_add_data(group, "r", TP_HDF5_REAL, rows, of->P) &&
                      (!of->xi || tp_hdf5_add_data(group, "u", TP_HDF5_REAL, rows, of->xi)) &&
                      (!of->x || tp_hdf5_add_data(group, "v", TP_HDF5_REAL, of->problem->x_count, of->x));
    tp_hdf5_close(group);
    return is_written ? TP_OK : tp_fail(of->why, TP_OUT_OF_MEMORY, "no memory to make the solution file");
}

static tp_status write_solution_hdf5(tp_arena *arena, solution of, const char *path)
{
    void *bytes;
    size_t count;
    TP_TRY(tp_hdf5_make_image(arena, fill_solution, &of, &bytes, &count, of.why));
    return tp_file_write(path, bytes, count, of.why);
}

static tp_status write_solution_text(tp_arena *arena, const tp_problem *problem, const double *P,
                                     const char *path, tp_message *why)
{
    tp_text text = {.bytes = NULL};
    tp_text_add_reals(&text, problem->row_count, P, 1);
    tp_status status = text.has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory to write %s", path)
                                       : write_text(arena, path, &text, why);
    tp_text_clear(&text);
    return status;
}

tp_status tp_solution_write(const tp_problem *problem, const double *P, const double *x, const double *xi,
                            const char *path, tp_message *why_out)
{
    scope s;
    TP_TRY(enter(&s, NULL, why_out));
    tp_status status = is_hdf5_name(path)
                           ? write_solution_hdf5(&s.arena, (solution){problem, P, x, xi, why_out}, path)
                           : write_solution_text(&s.arena, problem, P, path, why_out);
    return leave(&s, status);
}

static tp_status read_solution_hdf5(tp_arena *arena, const char *path, const void *bytes, size_t byte_count,
                                    int count, double *P_out, tp_message *why)
{
    static const char *const parts[] = {"/solution/r", "/r"};
    const tp_hdf5_request request = {path, bytes, byte_count, parts, 2};
    tp_hdf5_tree *tree;
    TP_TRY(tp_hdf5_load(arena->allocator, &request, &tree, why));
    const char *place = !tp_hdf5_find(tree, parts[0]) && tp_hdf5_find(tree, parts[1]) ? parts[1] : parts[0];
    tp_status status = tp_hdf5_reals(tree, place, count, P_out, why);
    tp_hdf5_free(tree);
    return status;
}

static tp_status read_solution(tp_arena *arena, const char *path, int count, double *P_out, tp_message *why)
{
    unsigned char *bytes;
    size_t byte_count;
    TP_TRY(tp_file_read(arena, path, &bytes, &byte_count, why));
    if (tp_gzip_is(bytes, byte_count)) {
        TP_TRY(tp_gzip_unpack(arena, path, bytes, byte_count, unpacked_limit, &bytes, &byte_count, why));
    }
    if (tp_hdf5_is(bytes, byte_count)) {
        return read_solution_hdf5(arena, path, bytes, byte_count, count, P_out, why);
    }
    tp_tokens tokens = {.name = path, .text = (const char *)bytes, .length = byte_count, .why = why};
    TP_TRY(tp_tokens_reals(&tokens, "the solution", count, P_out));
    tp_token token = tp_tokens_peek(&tokens);
    if (token.length == 0) return TP_OK;
    return tp_tokens_fail(&tokens, token, "expected the end of the file after %d numbers", count);
}

tp_status tp_solution_read(const char *path, int count, double *P_out, tp_message *why_out)
{
    scope s;
    TP_TRY(enter(&s, NULL, why_out));
    return leave(&s, read_solution(&s.arena, path, count, P_out, why_out));
}
