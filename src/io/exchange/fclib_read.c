/* FCLIB HDF5: local   u = W r + V l + q,  V^T r + R l + s = 0
                global  M v = H r + G l + f, u = H^T v + w, G^T v + b = 0   (V, R, s and G, b optional)
   with contacts of 2, 3 or (rolling) 5 rows; the equality rows become the last ones. docs/problem-files.md */
#include "io/exchange/content.h"
#include "io/hdf5/hdf5_tree.h"

#include <limits.h>
#include <stdio.h>

enum { PATH_LENGTH = 128, NAME_LENGTH = 32, TITLE_LENGTH = 256 };

typedef struct source {
    tp_content *content;
    const tp_hdf5_tree *tree;
    const char *group; /* "/fclib_local" ... */
} source;

/* Path of a member of the problem's group. */
static const char *member(const source *from, const char *name, char path[PATH_LENGTH])
{
    snprintf(path, PATH_LENGTH, "%s/%s", from->group, name);
    return path;
}

/* TP_INVALID_DATA with "FILE: PATH: ..." */
#define FAIL(from, path, ...) tp_hdf5_fail((from)->tree, (from)->content->why, path, __VA_ARGS__)

static bool has(const source *from, const char *name)
{
    char path[PATH_LENGTH];
    return tp_hdf5_find(from->tree, member(from, name, path));
}

static tp_status read_int(const source *from, const char *name, int *out)
{
    char path[PATH_LENGTH];
    return tp_hdf5_ints(from->tree, member(from, name, path), 1, out, from->content->why);
}

static tp_status read_vector(const source *from, const char *name, int count, double **out)
{
    char path[PATH_LENGTH];
    TP_TRY(tp_content_take_reals(from->content, count, out));
    return tp_hdf5_reals(from->tree, member(from, name, path), count, *out, from->content->why);
}

static tp_status read_length(const source *from, const char *path, tp_hdf5_kind kind, int *length_out)
{
    const tp_hdf5_node *data;
    TP_TRY(tp_hdf5_data(from->tree, path, kind, &data, from->content->why));
    if (data->count > INT_MAX) return FAIL(from, path, "has too many values");
    *length_out = (int)data->count;
    return TP_OK;
}

/* The lengths of x, i, p: as many as entries, or nzmax (some programs write the whole room). */
static tp_status check_length(const source *from, const char *path, tp_hdf5_kind kind, int entries, int room,
                              int *length_out)
{
    TP_TRY(read_length(from, path, kind, length_out));
    if (*length_out == entries || (*length_out == room && room > entries)) return TP_OK;
    return FAIL(from, path, "has %d values, but the matrix has %d entries", *length_out, entries);
}

static tp_status read_indices(const source *from, const char *path, int length, int used, int high, int **out)
{
    TP_TRY(tp_content_take_ints(from->content, length, out));
    TP_TRY(tp_hdf5_ints(from->tree, path, length, *out, from->content->why));
    for (int k = 0; k < used; k++) {
        if ((*out)[k] < 0 || (*out)[k] >= high) {
            return FAIL(from, path, "entry %d is %d, outside of 0 to %d", k + 1, (*out)[k], high - 1);
        }
    }
    return TP_OK;
}

/* Starts 0 = p_0 <= p_1 <= ... of `lines` compressed lines; *count_out = the number of entries. */
static tp_status read_starts(const source *from, const char *path, int lines, int **out, int *count_out)
{
    TP_TRY(tp_content_take_ints(from->content, lines + 1, out));
    TP_TRY(tp_hdf5_ints(from->tree, path, lines + 1, *out, from->content->why));
    const int *start = *out;
    for (int k = 0; k < lines; k++) {
        if (start[k + 1] < start[k]) return FAIL(from, path, "decreases at entry %d", k + 2);
    }
    if (start[0] != 0) return FAIL(from, path, "must begin with 0, not %d", start[0]);
    *count_out = start[lines];
    return TP_OK;
}

/* The line (row or column) of every entry of a compressed matrix. */
static tp_status expand_starts(const source *from, const int *start, int lines, int **out)
{
    TP_TRY(tp_content_take_ints(from->content, start[lines], out));
    for (int line = 0; line < lines; line++) {
        for (int k = start[line]; k < start[line + 1]; k++) (*out)[k] = line;
    }
    return TP_OK;
}

/* Entries once sizes and storage are known: nz >= 0 triplets, -1 compressed columns, -2 compressed rows. */
static tp_status read_entries(const source *from, const char *name, int storage, int room, tp_entries *matrix)
{
    char p[PATH_LENGTH], i[PATH_LENGTH], x[PATH_LENGTH];
    snprintf(p, sizeof p, "%s/%s/p", from->group, name);
    snprintf(i, sizeof i, "%s/%s/i", from->group, name);
    snprintf(x, sizeof x, "%s/%s/x", from->group, name);
    int *lines = NULL, *start = NULL, *others, length;
    double *value;
    int line_count = storage == -1 ? matrix->cols : matrix->rows;
    int other_high = storage == -2 ? matrix->cols : matrix->rows;
    if (storage >= 0) {
        matrix->count = storage;
        TP_TRY(check_length(from, p, TP_HDF5_INTEGERS, matrix->count, room, &length));
        TP_TRY(read_indices(from, p, length, matrix->count, matrix->cols, &lines));
    } else {
        TP_TRY(read_starts(from, p, line_count, &start, &matrix->count));
    }
    TP_TRY(check_length(from, i, TP_HDF5_INTEGERS, matrix->count, room, &length));
    TP_TRY(read_indices(from, i, length, matrix->count, other_high, &others));
    TP_TRY(check_length(from, x, TP_HDF5_REALS, matrix->count, room, &length));
    TP_TRY(tp_content_take_reals(from->content, length, &value));
    TP_TRY(tp_hdf5_reals(from->tree, x, length, value, from->content->why));
    if (start) TP_TRY(expand_starts(from, start, line_count, &lines));
    matrix->value = value;
    matrix->row = storage == -2 ? lines : others;
    matrix->col = storage == -2 ? others : lines;
    return TP_OK;
}

enum { ANY = -1 }; /* of columns: as many as the matrix has; of rows: the matrix is square */

static tp_status read_matrix(const source *from, const char *name, int rows, int cols, tp_entries *matrix)
{
    char path[PATH_LENGTH], relative[NAME_LENGTH];
    int storage = 0, room = 0;
    const struct {
        const char *name;
        int *out;
    } sizes[] = {{"m", &matrix->rows}, {"n", &matrix->cols}, {"nz", &storage}, {"nzmax", &room}};
    for (int k = 0; k < 4; k++) {
        snprintf(relative, sizeof relative, "%s/%s", name, sizes[k].name);
        if (k == 3 && !has(from, relative)) break; /* nzmax says nothing that the data sets do not say */
        TP_TRY(read_int(from, relative, sizes[k].out));
    }
    member(from, name, path);
    if (matrix->rows < 0 || matrix->cols < 0 || matrix->rows == INT_MAX || matrix->cols == INT_MAX)
        return FAIL(from, path, "has the impossible size %d x %d", matrix->rows, matrix->cols);
    if (storage < -2)
        return FAIL(from, path, "nz is %d; known are triplets (>= 0), columns (-1) and rows (-2)", storage);
    TP_TRY(read_entries(from, name, storage, room, matrix));
    if (rows == ANY) rows = cols = matrix->rows;
    if (cols == ANY) cols = matrix->cols;
    if (matrix->rows == rows && matrix->cols == cols) return TP_OK;
    return FAIL(from, path, "is %d x %d, but %d x %d is needed", matrix->rows, matrix->cols, rows, cols);
}

/* Where a matrix goes in a larger one. */
typedef struct placed {
    const tp_entries *matrix;
    int first_row, first_col;
    bool is_transposed;
} placed;

/* One matrix of rows x cols from several. */
static tp_status assemble(const source *from, int rows, int cols, const placed *parts, int part_count,
                          tp_entries *entries_out)
{
    long long total = 0;
    for (int k = 0; k < part_count; k++) total += parts[k].matrix->count;
    if (total > INT_MAX) return FAIL(from, from->group, "has too many entries");
    tp_entry_arrays arrays;
    TP_TRY(tp_content_take_entries(from->content, rows, cols, (int)total, &arrays, entries_out));
    int at = 0;
    for (int k = 0; k < part_count; k++) {
        const tp_entries *matrix = parts[k].matrix;
        const int *row = parts[k].is_transposed ? matrix->col : matrix->row;
        const int *col = parts[k].is_transposed ? matrix->row : matrix->col;
        for (int e = 0; e < matrix->count; e++, at++) {
            arrays.row[at] = parts[k].first_row + row[e];
            arrays.col[at] = parts[k].first_col + col[e];
            arrays.value[at] = matrix->value[e];
        }
    }
    return TP_OK;
}

typedef struct contacts {
    int dimension, count, rows;
    bool is_rolling;
    double *mu, *mu_rolling;
} contacts;

static tp_status read_friction(const source *from, const char *name, int count, double **out)
{
    char path[PATH_LENGTH];
    TP_TRY(read_vector(from, name, count, out));
    for (int i = 0; i < count; i++) {
        if ((*out)[i] < 0.0) {
            return FAIL(from, member(from, name, path), "entry %d is negative (%g)", i + 1, (*out)[i]);
        }
    }
    return TP_OK;
}

/* How many contacts there are, of how many rows, and their friction. */
static tp_status read_contacts(const source *from, bool is_rolling_group, contacts *out)
{
    char path[PATH_LENGTH];
    int dimension;
    TP_TRY(read_int(from, "spacedim", &dimension));
    out->is_rolling = is_rolling_group || has(from, "vectors/mu_r");
    bool is_known = out->is_rolling ? dimension == 3 || dimension == 5 : dimension == 2 || dimension == 3;
    if (!is_known) {
        return FAIL(from, member(from, "spacedim", path), "is %d, but must be %s", dimension,
                    out->is_rolling ? "5 (or 3) with rolling friction" : "2 or 3 (5 with mu_r)");
    }
    out->dimension = out->is_rolling ? 5 : dimension;
    TP_TRY(read_length(from, member(from, "vectors/mu", path), TP_HDF5_REALS, &out->count));
    if (out->count > INT_MAX / 8) return FAIL(from, path, "has too many contacts");
    out->rows = out->count * out->dimension;
    TP_TRY(read_friction(from, "vectors/mu", out->count, &out->mu));
    if (out->is_rolling) TP_TRY(read_friction(from, "vectors/mu_r", out->count, &out->mu_rolling));
    return TP_OK;
}

static tp_status begin(const source *from, const contacts *contact, const char *kind, int equalities)
{
    if (equalities > INT_MAX - contact->rows) return FAIL(from, from->group, "has too many rows");
    TP_TRY(tp_content_begin(from->content, kind, contact->rows + equalities));
    for (int i = 0; i < contact->count; i++) {
        tp_content_add_set(from->content, contact->is_rolling
                                              ? tp_set_rolling(contact->mu[i], contact->mu_rolling[i])
                                              : tp_set_coulomb(contact->dimension, contact->mu[i]));
    }
    tp_content_add_equalities(from->content, equalities);
    return TP_OK;
}

/* The vector of the contact rows, followed by that of the equality rows. */
static tp_status read_row_vector(const source *from, const char *first, int count, const char *second,
                                 int second_count)
{
    char path[PATH_LENGTH];
    double *b;
    TP_TRY(tp_content_take_reals(from->content, count + second_count, &b));
    TP_TRY(tp_hdf5_reals(from->tree, member(from, first, path), count, b, from->content->why));
    if (second_count > 0 || has(from, second)) {
        TP_TRY(tp_hdf5_reals(from->tree, member(from, second, path), second_count, b + count,
                             from->content->why));
    }
    from->content->def.b = b;
    return TP_OK;
}

static tp_status read_local(const source *from, const contacts *contact)
{
    tp_entries W, V = {.rows = 0}, R = {.rows = 0};
    TP_TRY(read_matrix(from, "W", contact->rows, contact->rows, &W));
    bool has_equalities = has(from, "V");
    if (has_equalities) TP_TRY(read_matrix(from, "V", contact->rows, ANY, &V));
    if (has_equalities && has(from, "R")) TP_TRY(read_matrix(from, "R", V.cols, V.cols, &R));
    TP_TRY(begin(from, contact, contact->is_rolling ? "rolling-local" : "local", V.cols));
    TP_TRY(read_row_vector(from, "vectors/q", contact->rows, "vectors/s", V.cols));
    int first = contact->rows, rows = contact->rows + V.cols;
    placed parts[] = {
        {&W, 0, 0, false}, {&V, 0, first, false}, {&V, first, 0, true}, {&R, first, first, false}};
    return assemble(from, rows, rows, parts, has_equalities ? 4 : 1, &from->content->def.D);
}

static tp_status read_global(const source *from, const contacts *contact)
{
    tp_entries M, H, G = {.rows = 0};
    TP_TRY(read_matrix(from, "M", ANY, ANY, &M));
    TP_TRY(read_matrix(from, "H", M.rows, contact->rows, &H));
    bool has_equalities = has(from, "G");
    if (has_equalities) TP_TRY(read_matrix(from, "G", M.rows, ANY, &G));
    TP_TRY(begin(from, contact, contact->is_rolling ? "rolling-global" : "global", G.cols));
    TP_TRY(read_row_vector(from, "vectors/w", contact->rows, "vectors/b", G.cols));
    tp_problem_def *def = &from->content->def;
    double *f;
    TP_TRY(read_vector(from, "vectors/f", M.rows, &f));
    def->f = f;
    def->x_count = M.rows;
    placed M_part = {&M, 0, 0, false};
    placed A_parts[] = {{&H, 0, 0, false}, {&G, 0, contact->rows, false}};
    TP_TRY(assemble(from, M.rows, M.rows, &M_part, 1, &def->M));
    return assemble(from, M.rows, contact->rows + G.cols, A_parts, has_equalities ? 2 : 1, &def->A);
}

static const char *const groups[] = {"/fclib_local", "/fclib_global", "/fclib_local_rolling",
                                     "/fclib_global_rolling"};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

/* The title is not needed: whatever is wrong with it is ignored. */
static tp_status read_title(const source *from)
{
    char path[PATH_LENGTH];
    const tp_hdf5_node *data = tp_hdf5_find(from->tree, member(from, "info/title", path));
    bool is_text = data && data->kind == TP_HDF5_TEXTS && data->count == 1;
    char *title = TP_ARENA_ARRAY(from->content->arena, char, TITLE_LENGTH);
    if (!title) return tp_fail(from->content->why, TP_OUT_OF_MEMORY, "%s: no memory", from->content->name);
    snprintf(title, TITLE_LENGTH, "%s", is_text ? data->texts[0] : "");
    from->content->def.title = title;
    return TP_OK;
}

static tp_status read_problem(source *from)
{
    int chosen = -1;
    for (int k = 0; k < GROUP_COUNT; k++) {
        if (!tp_hdf5_find(from->tree, groups[k])) continue;
        if (chosen >= 0) return FAIL(from, groups[k], "is a second problem in the same file");
        chosen = k;
    }
    if (chosen < 0) {
        return FAIL(from, "/",
                    "no FCLIB problem: expected a group fclib_local, fclib_global, fclib_local_rolling or "
                    "fclib_global_rolling");
    }
    from->group = groups[chosen];
    contacts contact = {.count = 0};
    TP_TRY(read_contacts(from, chosen >= 2, &contact));
    TP_TRY(chosen % 2 == 0 ? read_local(from, &contact) : read_global(from, &contact));
    return read_title(from);
}

tp_status tp_fclib_read(tp_content *content, const tp_hdf5_source *hdf5, const void *bytes, size_t count)
{
    const tp_hdf5_request request = {content->name, bytes, count, groups, GROUP_COUNT};
    tp_hdf5_tree *tree;
    TP_TRY(tp_hdf5_load_from(hdf5, content->arena->allocator, &request, &tree, content->why));
    source from = {.content = content, .tree = tree};
    tp_status status = read_problem(&from);
    tp_hdf5_free(tree);
    return status;
}
