/* Problems as FCLIB HDF5: contact rows first, equality rows apart (V, R, s or G, b). docs/problem-files.md */
#include "io/exchange/problem_write.h"
#include "io/hdf5/hdf5_write.h"

#include <limits.h>

typedef struct target {
    tp_arena *arena;
    int64_t group; /* of the problem in the file */
    const tp_problem *problem;
    tp_layout layout;
    tp_message *why;
    bool *is_equality; /* [row_count]                                                    */
    int *place;        /* [row_count] of a row among the contact rows, or the equality rows */
} target;

static tp_status no_memory(const target *to)
{
    return tp_fail(to->why, TP_OUT_OF_MEMORY, "no memory to make the FCLIB file");
}

/* A list of values, or a text, in the group of the problem. */
static tp_status put(const target *to, const char *name, tp_hdf5_type type, int count, const void *values)
{
    return tp_hdf5_add_data(to->group, name, type, count, values) ? TP_OK : no_memory(to);
}

/* Contact rows and equality rows are numbered apart, each in the order of the problem. */
static tp_status number_rows(target *to)
{
    int rows = to->problem->row_count, contact_rows = 0, equality_rows = 0;
    to->is_equality = TP_ARENA_ARRAY(to->arena, bool, rows);
    to->place = TP_ARENA_ARRAY(to->arena, int, rows);
    if (!to->is_equality || !to->place) return no_memory(to);
    for (int i = 0; i < to->problem->set_count; i++) {
        const tp_set *set = &to->problem->sets[i];
        for (int row = set->first; row < set->first + set->size; row++) {
            to->is_equality[row] = set->kind == TP_SET_FREE;
            to->place[row] = to->is_equality[row] ? equality_rows++ : contact_rows++;
        }
    }
    return TP_OK;
}

/* Entries of a matrix to be written as triplets. */
typedef struct triplets {
    int rows, cols, count;
    int *row, *col;
    double *value;
} triplets;

static tp_status take_triplets(const target *to, int rows, int cols, size_t count, triplets *out)
{
    if (count > INT_MAX) {
        return tp_fail(to->why, TP_UNSUPPORTED, "the matrix has more entries than an FCLIB file can count");
    }
    *out = (triplets){.rows = rows, .cols = cols, .count = 0};
    TP_ARENA_INTS(to->arena, count + 1, &out->row, &out->col);
    out->value = TP_ARENA_ARRAY(to->arena, double, count + 1);
    return out->row && out->col && out->value ? TP_OK : no_memory(to);
}

static void add_entry(triplets *to, int row, int col, double value)
{
    to->row[to->count] = row;
    to->col[to->count] = col;
    to->value[to->count++] = value;
}

/* Triplets: i = row, p = column. */
static tp_status write_matrix(const target *to, const char *name, const triplets *matrix)
{
    int64_t group = tp_hdf5_add_group(to->group, name, false);
    bool is_written = tp_hdf5_add_data(group, "m", TP_HDF5_INT, 1, &matrix->rows) &&
                      tp_hdf5_add_data(group, "n", TP_HDF5_INT, 1, &matrix->cols) &&
                      tp_hdf5_add_data(group, "nz", TP_HDF5_INT, 1, &matrix->count) &&
                      tp_hdf5_add_data(group, "nzmax", TP_HDF5_INT, 1, &matrix->count) &&
                      tp_hdf5_add_data(group, "p", TP_HDF5_INT, matrix->count, matrix->col) &&
                      tp_hdf5_add_data(group, "i", TP_HDF5_INT, matrix->count, matrix->row) &&
                      tp_hdf5_add_data(group, "x", TP_HDF5_REAL, matrix->count, matrix->value);
    tp_hdf5_close(group);
    return is_written ? TP_OK : no_memory(to);
}

/* The entries of D whose rows and columns are of the given kinds (contact or equality), zeros included: they
   keep the pattern of the blocks. */
static tp_status select_D(const target *to, bool equality_rows, bool equality_cols, triplets *out)
{
    const tp_block_matrix *D = &to->problem->D;
    int equalities = to->layout.equality_count, contact_rows = to->problem->row_count - equalities;
    size_t room = D->block_count > 0 ? D->offset[D->block_count] : 0;
    TP_TRY(take_triplets(to, equality_rows ? equalities : contact_rows,
                         equality_cols ? equalities : contact_rows, room, out));
    for (int block_row = 0; block_row < D->block_rows; block_row++) {
        int first_row = D->first[block_row], height = D->first[block_row + 1] - first_row;
        for (int k = D->start[block_row]; k < D->start[block_row + 1]; k++) {
            int first_col = D->first[D->column[k]], width = D->first[D->column[k] + 1] - first_col;
            if (to->is_equality[first_row] != equality_rows || to->is_equality[first_col] != equality_cols)
                continue;
            for (int e = 0; e < height * width; e++) {
                add_entry(out, to->place[first_row + e % height], to->place[first_col + e / height],
                          D->value[D->offset[k] + (size_t)e]);
            }
        }
    }
    return TP_OK;
}

/* True if the lower left part of D is the transpose of V, as FCLIB has it. */
static tp_status check_transpose(const target *to, const triplets *V)
{
    triplets lower;
    TP_TRY(select_D(to, true, false, &lower));
    size_t size = (size_t)V->rows * (size_t)V->cols;
    double *difference = TP_ARENA_ARRAY(to->arena, double, size);
    if (!difference) return no_memory(to);
    for (int k = 0; k < V->count; k++) {
        difference[(size_t)V->col[k] * (size_t)V->rows + (size_t)V->row[k]] += V->value[k];
    }
    for (int k = 0; k < lower.count; k++) {
        difference[(size_t)lower.row[k] * (size_t)V->rows + (size_t)lower.col[k]] -= lower.value[k];
    }
    for (size_t k = 0; k < size; k++) {
        if (difference[k] != 0.0) {
            return tp_fail(
                to->why, TP_UNSUPPORTED,
                "FCLIB needs the coupling of equalities to be the transpose of the coupling to them "
                "(V^T), which it is not here");
        }
    }
    return TP_OK;
}

/* The rows of one kind of a vector of the problem. */
static tp_status write_rows(const target *to, const char *name, const double *vector, bool equality_rows)
{
    int rows = to->problem->row_count, count = 0;
    double *selected = TP_ARENA_ARRAY(to->arena, double, rows);
    if (!selected) return no_memory(to);
    for (int row = 0; row < rows; row++) {
        if (to->is_equality[row] == equality_rows) selected[count++] = vector[row];
    }
    return put(to, name, TP_HDF5_REAL, count, selected);
}

static tp_status write_parameter(const target *to, const char *name, int parameter)
{
    int count = 0;
    double *values = TP_ARENA_ARRAY(to->arena, double, to->problem->set_count);
    if (!values) return no_memory(to);
    for (int i = 0; i < to->problem->set_count; i++) {
        const tp_set *set = &to->problem->sets[i];
        if (set->kind == TP_SET_CONTACT) values[count++] = set->parameter[parameter];
    }
    return put(to, name, TP_HDF5_REAL, count, values);
}

static tp_status write_local(const target *to)
{
    triplets W, V, R;
    TP_TRY(select_D(to, false, false, &W));
    TP_TRY(write_matrix(to, "W", &W));
    TP_TRY(write_rows(to, "vectors/q", to->problem->b, false));
    if (to->layout.equality_count == 0) return TP_OK;
    TP_TRY(select_D(to, false, true, &V));
    TP_TRY(check_transpose(to, &V));
    TP_TRY(select_D(to, true, true, &R));
    TP_TRY(write_matrix(to, "V", &V));
    TP_TRY(write_matrix(to, "R", &R));
    return write_rows(to, "vectors/s", to->problem->b, true);
}

/* The columns of A that belong to contact rows or to equality rows, or all columns of M. */
typedef enum column_choice { OF_CONTACTS, OF_EQUALITIES, ALL_COLUMNS } column_choice;

static tp_status write_columns(const target *to, const char *name, const tp_sparse *a, column_choice choice)
{
    triplets out;
    int equalities = to->layout.equality_count;
    const int cols[] = {a->cols - equalities, equalities, a->cols};
    TP_TRY(take_triplets(to, a->rows, cols[choice], (size_t)a->start[a->cols], &out));
    for (int j = 0; j < a->cols; j++) {
        bool is_all = choice == ALL_COLUMNS;
        if (!is_all && to->is_equality[j] != (choice == OF_EQUALITIES)) continue;
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            add_entry(&out, a->index[k], is_all ? j : to->place[j], a->value[k]);
    }
    return write_matrix(to, name, &out);
}

static tp_status write_global(const target *to)
{
    const tp_problem *problem = to->problem;
    TP_TRY(write_columns(to, "M", &problem->M, ALL_COLUMNS));
    TP_TRY(write_columns(to, "H", &problem->A, OF_CONTACTS));
    TP_TRY(put(to, "vectors/f", TP_HDF5_REAL, problem->x_count, problem->f));
    TP_TRY(write_rows(to, "vectors/w", problem->b, false));
    if (to->layout.equality_count == 0) return TP_OK;
    TP_TRY(write_columns(to, "G", &problem->A, OF_EQUALITIES));
    return write_rows(to, "vectors/b", problem->b, true);
}

static tp_status write_content(const target *to)
{
    TP_TRY(put(to, "spacedim", TP_HDF5_INT, 1, &to->layout.dimension));
    tp_hdf5_close(tp_hdf5_add_group(to->group, "info", false)); /* if it fails, so does what goes into it */
    TP_TRY(put(to, "info/title", TP_HDF5_ASCII, TP_HDF5_SINGLE, to->problem->title));
    TP_TRY(put(to, "info/description", TP_HDF5_ASCII, TP_HDF5_SINGLE, "written by Tippe"));
    TP_TRY(put(to, "info/math_info", TP_HDF5_ASCII, TP_HDF5_SINGLE, ""));
    tp_hdf5_close(tp_hdf5_add_group(to->group, "vectors", false));
    TP_TRY(write_parameter(to, "vectors/mu", 0));
    if (to->layout.dimension == 5) TP_TRY(write_parameter(to, "vectors/mu_r", 1));
    return to->layout.is_global ? write_global(to) : write_local(to);
}

static tp_status write_problem(void *self, int64_t file)
{
    static const char *const groups[2][2] = {{"fclib_local", "fclib_global"},
                                             {"fclib_local_rolling", "fclib_global_rolling"}};
    target *to = self;
    TP_TRY(number_rows(to));
    to->group = tp_hdf5_add_group(file, groups[to->layout.dimension == 5][to->layout.is_global], false);
    tp_status status = write_content(to);
    tp_hdf5_close(to->group);
    return status;
}

tp_status tp_fclib_write(tp_arena *arena, const tp_problem *problem, const char *path, void **bytes_out,
                         size_t *count_out, tp_message *why)
{
    target to = {.arena = arena, .problem = problem, .layout = tp_layout_of(problem), .why = why};
    bool has_scalars = to.layout.complementarity_count > 0;
    bool is_friction = to.layout.kind == TP_LAYOUT_FRICTION ||
                       (to.layout.kind == TP_LAYOUT_GENERIC && !has_scalars && to.layout.contact_count > 0);
    if (!is_friction) {
        return tp_fail(
            why, TP_UNSUPPORTED,
            "%s: FCLIB cannot hold this problem: %s. It has local and global friction problems in 2D and "
            "3D and with rolling, each with equalities; other kinds go to .dat files",
            path, to.layout.kind == TP_LAYOUT_NONE ? to.layout.problem : "it is not (only) friction");
    }
    return tp_hdf5_make_image(arena, write_problem, &to, bytes_out, count_out, why);
}
