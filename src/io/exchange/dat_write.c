/* Problems as text, 17 digits; docs/problem-files.md. */
#include "io/exchange/problem_write.h"

enum { PER_LINE = 8 };

/* The matrix D in sparse blocks (storage 1): our own blocks are stored in the order of the format. */
static void add_blocks(tp_text *text, const tp_block_matrix *D, int rows)
{
    tp_text_add(text, "1\n%d\n%d\n%d\n%d\n%d\n", rows, rows, D->block_count, D->block_rows, D->block_rows);
    for (int twice = 0; twice < 2; twice++) tp_text_add_ints(text, D->block_rows, D->first + 1);
    tp_text_add(text, "%d\n%d\n", D->block_rows + 1, D->block_count);
    tp_text_add_ints(text, D->block_rows + 1, D->start);
    tp_text_add_ints(text, D->block_count, D->column);
    for (int row = 0; row < D->block_rows; row++) {
        int height = D->first[row + 1] - D->first[row];
        for (int k = D->start[row]; k < D->start[row + 1]; k++) {
            int width = D->first[D->column[k] + 1] - D->first[D->column[k]];
            tp_text_add(text, "%d\n", k);
            tp_text_add_reals(text, height * width, D->value + D->offset[k], height);
        }
    }
}

/* The matrix D dense (storage 0), column by column; every block must be there. */
static void add_dense(tp_text *text, const tp_block_matrix *D, int rows)
{
    tp_text_add(text, "0\n%d\n%d\n%d %d\n", rows, rows, rows, rows);
    for (int block_col = 0; block_col < D->block_rows; block_col++) {
        int width = D->first[block_col + 1] - D->first[block_col];
        for (int j = 0; j < width; j++) {
            for (int row = 0; row < D->block_rows; row++) {
                int height = D->first[row + 1] - D->first[row];
                const double *block = D->value + D->offset[D->start[row] + block_col];
                tp_text_add_reals(text, height, block + (size_t)j * (size_t)height, height);
            }
        }
    }
}

static void add_matrix(tp_text *text, const tp_block_matrix *D, int rows)
{
    bool is_full = (long long)D->block_count == (long long)D->block_rows * D->block_rows;
    (is_full ? add_dense : add_blocks)(text, D, rows);
}

/* A sparse matrix as a triplet print-out (storage 2) in the layout of CSparse, but with all digits. */
static void add_print_out(tp_text *text, const tp_sparse *a)
{
    int count = a->cols > 0 ? a->start[a->cols] : 0;
    tp_text_add(text, "2\n%d\n%d\n1\nCSparse layout, written by Tippe %s\n", a->rows, a->cols, tp_version());
    tp_text_add(text, "triplet: %d-by-%d, nzmax: %d nnz: %d\n", a->rows, a->cols, count, count);
    for (int j = 0; j < a->cols; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            tp_text_add(text, "    %d %d : %.17g\n", a->index[k], j, a->value[k]);
        }
    }
}

/* One parameter of every contact. */
static void add_parameters(tp_text *text, const tp_problem *problem, int parameter)
{
    for (int i = 0; i < problem->set_count; i++) {
        tp_text_add(text, "%.17g\n", problem->sets[i].parameter[parameter]);
    }
}

static void add_friction(tp_text *text, const tp_problem *problem, const tp_layout *layout)
{
    tp_text_add(text, "%d\n%d\n", layout->dimension, layout->contact_count);
    if (layout->is_global) {
        add_print_out(text, &problem->M);
        add_print_out(text, &problem->A);
        tp_text_add_reals(text, problem->x_count, problem->f, PER_LINE);
    } else {
        add_blocks(text, &problem->D, problem->row_count);
    }
    tp_text_add_reals(text, problem->row_count, problem->b, PER_LINE);
    add_parameters(text, problem, 0);
    if (layout->dimension == 5) add_parameters(text, problem, 1);
}

static void add_lcp(tp_text *text, const tp_problem *problem)
{
    tp_text_add(text, "%d\n", problem->row_count);
    add_matrix(text, &problem->D, problem->row_count);
    tp_text_add_reals(text, problem->row_count, problem->b, PER_LINE);
}

/* An LCP followed by all lower and all upper bounds. */
static void add_relay(tp_text *text, const tp_problem *problem)
{
    add_lcp(text, problem);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < problem->set_count; i++) {
            for (int k = 0; k < problem->sets[i].size; k++) {
                tp_text_add(text, "%.17g\n", problem->sets[i].parameter[2 * k + side]);
            }
        }
    }
}

/* Form 1, one block for every set. */
static void add_mlcp(tp_text *text, const tp_problem *problem, const tp_layout *layout)
{
    tp_text_add(text, "1\n0\n%d\n%d\n0\n", layout->equality_count, layout->complementarity_count);
    tp_text_add_ints(text, problem->set_count, problem->D.first + 1);
    for (int i = 0; i < problem->set_count; i++) {
        tp_text_add(text, "%d\n", problem->sets[i].kind == TP_SET_ORTHANT);
    }
    add_matrix(text, &problem->D, problem->row_count);
    tp_text_add_reals(text, problem->row_count, problem->b, PER_LINE);
}

static void add_generic(tp_text *text, const tp_problem *problem)
{
    add_blocks(text, &problem->D, problem->row_count);
    tp_text_add_reals(text, problem->row_count, problem->b, 1);
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        if (set->kind == TP_SET_CONTACT) {
            tp_text_add(text, "4\n%.17g\n", set->parameter[0]);
        } else {
            tp_text_add(text, "%d\n", set->kind == TP_SET_FREE ? 2 : 0);
        }
    }
}

tp_status tp_dat_write(const tp_problem *problem, const char *path, tp_text *text, tp_message *why)
{
    tp_layout layout = tp_layout_of(problem);
    const char *reason = layout.kind == TP_LAYOUT_NONE ? layout.problem : NULL;
    if (layout.kind == TP_LAYOUT_FRICTION && layout.equality_count > 0) {
        bool fits_generic = !layout.is_global && layout.dimension == 3;
        if (fits_generic) layout.kind = TP_LAYOUT_GENERIC;
        if (!fits_generic)
            reason = "friction with equalities is only there for local 3D problems (or as FCLIB HDF5)";
    }
    if (reason) {
        return tp_fail(
            why, TP_UNSUPPORTED,
            "%s: the .dat format cannot hold this problem: %s. It has local and global friction in 2D and "
            "3D, rolling friction, LCP, relay, MLCP and (3D friction, complementarity and equality mixed) "
            "generic problems; a name that ends in .tippe makes a text that holds every problem",
            path, reason);
    }
    switch (layout.kind) {
    case TP_LAYOUT_FRICTION: add_friction(text, problem, &layout); break;
    case TP_LAYOUT_LCP: add_lcp(text, problem); break;
    case TP_LAYOUT_RELAY: add_relay(text, problem); break;
    case TP_LAYOUT_MLCP: add_mlcp(text, problem, &layout); break;
    case TP_LAYOUT_GENERIC: add_generic(text, problem); break;
    case TP_LAYOUT_NONE: return TP_INTERNAL;
    }
    return text->has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory to write %s", path) : TP_OK;
}
