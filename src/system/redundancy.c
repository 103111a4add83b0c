/* Joint rows that depend on others; docs/theory/consistent.md (R1)-(R6). */
#include "redundancy.h"

#include "constraint_rows.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Null vectors that are kept for the choice; with more, the rest is chosen by the factorisation alone. */
enum { DIRECTIONS = 48 };

struct tp_redundancy {
    tp_arena arena;
    tp_constraint_rows rows;
    double *weight;                         /* [u_count] 1/M_jj                                  */
    int *diagonal;                          /* [u_count] places of the diagonal among the masses */
    double *g;                              /* [row_count] errors of positions                   */
    unsigned long long rows_place, g_place; /* of the system where rows and g were found; 0: not yet */
    double *null, *work;                    /* [DIRECTIONS * row_count], [row_count]              */
    unsigned char *is_left_out;             /* [row_count]                                        */
    unsigned char *is_suspect;              /* [row_count] has a small pivot                      */
    int *first_row;                         /* [laws] first row of a law, -1: none                */
    bool is_resting;
    bool is_connected;             /* all rows hang together                                            */
    bool is_tree;                  /* each law has velocities of its own once later ones are taken off  */
    unsigned char *is_child;       /* [entries of A] velocities that a law of a tree has for itself     */
    bool is_evaluated, is_regular; /* rows of the present choice are there; none depends on others */
    int expected;                  /* rows that depend on others wherever the joints hold; 0: not known */
    int count, direction_count;    /* rows left out; null vectors, orthonormal over impulses */
};

static tp_status take_memory(tp_redundancy *r)
{
    int laws = r->rows.system->fixed_count, rows = r->rows.row_count;
    int directions = rows < DIRECTIONS ? rows : DIRECTIONS,
        velocities = rows > 0 ? r->rows.system->u_count : 0; /* without rows nobody asks for them */
    r->weight = TP_ARENA_ARRAY(&r->arena, double, velocities);
    r->diagonal = TP_ARENA_ARRAY(&r->arena, int, velocities);
    r->g = TP_ARENA_ARRAY(&r->arena, double, rows);
    r->null = TP_ARENA_ARRAY(&r->arena, double, (size_t)directions *(size_t)rows);
    r->work = TP_ARENA_ARRAY(&r->arena, double, rows);
    r->is_left_out = TP_ARENA_ARRAY(&r->arena, unsigned char, rows);
    r->is_suspect = TP_ARENA_ARRAY(&r->arena, unsigned char, rows);
    r->first_row = TP_ARENA_ARRAY(&r->arena, int, laws);
    r->is_child = TP_ARENA_ARRAY(&r->arena, unsigned char, r->rows.A.start[rows] + 1);
    TP_TRY(tp_arena_status(&r->arena));
    for (int j = 0; j < velocities; j++)
        r->diagonal[j] = tp_pattern_place(&r->rows.system->mass_pattern, j, j);
    for (int i = 0; i < laws; i++) r->first_row[i] = -1;
    for (int i = 0; i < r->rows.law_count; i++) r->first_row[r->rows.law[i]] = r->rows.first[i];
    return TP_OK;
}

/* Do rows that share a velocity, and rows that share one with these, make up all? */
static tp_status find_connected(const tp_allocator *allocator, tp_redundancy *r)
{
    const tp_sparse *S = &r->rows.S;
    tp_arena scratch = tp_arena_make(allocator);
    int rows = r->rows.row_count, count = 1, *queue = TP_ARENA_ARRAY(&scratch, int, rows);
    unsigned char *is_seen = TP_ARENA_ARRAY(&scratch, unsigned char, rows);
    tp_status status = tp_arena_status(&scratch);
    for (int next = 0; next < count && status == TP_OK; next++) { /* from row 0, the first of the queue */
        is_seen[0] = 1;
        for (int k = S->start[queue[next]]; k < S->start[queue[next] + 1]; k++) {
            if (is_seen[S->index[k]]) continue;
            is_seen[S->index[k]] = 1;
            queue[count++] = S->index[k];
        }
    }
    r->is_connected = count == rows;
    tp_arena_clear(&scratch);
    return status;
}

/* Laws that still touch a velocity: how many, and the sum of their numbers, which is the last one at the end.
 */
typedef struct touched {
    int count;
    long long sum;
} touched;

/* Takes law i off if it has as many velocities for itself as rows. */
static bool peel(tp_redundancy *r, int i, const touched *by)
{
    const tp_sparse *A = &r->rows.A;
    int first = r->rows.first[i], own = 0;
    for (int k = A->start[first]; k < A->start[first + 1]; k++) own += by[A->index[k]].count == 1;
    if (own < r->rows.first[i + 1] - first) return false;
    for (int k = A->start[first]; k < A->start[r->rows.first[i + 1]]; k++)
        r->is_child[k] = by[A->index[k]].count == 1;
    return true;
}

/* Leaves first: chains and trees of joints, whose rows never depend on others; (R7). */
static tp_status find_tree(const tp_allocator *allocator, tp_redundancy *r)
{
    const tp_sparse *A = &r->rows.A;
    int laws = r->rows.law_count, n = r->rows.system->u_count, count = laws, peeled = 0;
    tp_arena scratch = tp_arena_make(allocator);
    touched *by = TP_ARENA_ARRAY(&scratch, touched, n);
    int *queue = TP_ARENA_ARRAY(&scratch, int, laws + n);
    unsigned char *is_off = TP_ARENA_ARRAY(&scratch, unsigned char, laws);
    tp_status status = tp_arena_status(&scratch);
    for (int i = 0; i < laws && status == TP_OK; i++) {
        queue[i] = i;
        for (int k = A->start[r->rows.first[i]]; k < A->start[r->rows.first[i] + 1]; k++) {
            by[A->index[k]].count++;
            by[A->index[k]].sum += i;
        }
    }
    for (int next = 0; next < count && status == TP_OK; next++) {
        int i = queue[next];
        if (is_off[i] || !peel(r, i, by)) continue;
        is_off[i] = 1;
        peeled++;
        for (int k = A->start[r->rows.first[i]]; k < A->start[r->rows.first[i] + 1]; k++) {
            touched *j = &by[A->index[k]];
            j->sum -= i;
            if (--j->count == 1) queue[count++] = (int)j->sum;
        }
    }
    r->is_tree = peeled == laws;
    tp_arena_clear(&scratch);
    return status;
}

tp_status tp_redundancy_create(const tp_allocator *allocator, tp_system *system,
                               tp_redundancy **redundancy_out)
{
    *redundancy_out = NULL;
    tp_redundancy *r = TP_ARENA_OBJECT(tp_redundancy, allocator);
    if (r == NULL) return TP_OUT_OF_MEMORY;
    tp_status status = tp_constraint_rows_create(allocator, &r->arena, system, true, &r->rows);
    if (status == TP_OK) status = take_memory(r);
    if (status == TP_OK && r->rows.row_count > 0) status = tp_constraint_rows_prepare(&r->rows);
    if (status == TP_OK && r->rows.row_count > 0) status = find_connected(allocator, r);
    r->is_tree = r->rows.row_count == 0;
    if (status == TP_OK && r->rows.row_count > 0) status = find_tree(allocator, r);
    if (status != TP_OK) {
        tp_redundancy_free(r);
        return status;
    }
    *redundancy_out = r;
    return TP_OK;
}

void tp_redundancy_free(tp_redundancy *r)
{
    if (r == NULL) return;
    tp_constraint_rows_free(&r->rows);
    tp_arena_clear(&r->arena);
}

static double *direction(const tp_redundancy *r, int d)
{
    return r->null + (size_t)d * (size_t)r->rows.row_count;
}

/* z without its parts along the directions that are known. */
static void deflate(const tp_redundancy *r, double *z)
{
    int rows = r->rows.row_count;
    for (int d = 0; d < r->direction_count; d++) {
        double share = tp_dense_dot(rows, direction(r, d), z);
        for (int k = 0; k < rows; k++) z[k] -= share * direction(r, d)[k];
    }
}

/* The part of the unit vector of a row that rows of length 1 cannot see, beside the directions that are
   known: two steps of inverse iteration; (R4). Returns its eigenvalue. */
static double find_direction(const tp_redundancy *r, int row, double *z)
{
    int rows = r->rows.row_count;
    double eigenvalue = 1.0;
    memset(z, 0, (size_t)rows * sizeof(double));
    z[row] = 1.0;
    for (int step = 0; step < 2; step++) {
        deflate(r, z);
        memcpy(r->work, z, (size_t)rows * sizeof(double));
        tp_factor_solve(r->rows.factor, z);
        deflate(r, z);
        double size = tp_dense_norm(rows, z);
        if (!(size > 0.0)) return 1.0;
        eigenvalue = tp_dense_dot(rows, r->work, z) / (size * size);
        for (int k = 0; k < rows; k++) z[k] /= size;
    }
    return eigenvalue;
}

/* z -= (pivot entry of z / that of by) by. */
static void eliminate(int rows, const double *by, int pivot, double *z)
{
    double factor = z[pivot] / by[pivot];
    for (int k = 0; k < rows; k++) z[k] -= factor * by[k];
    z[pivot] = 0.0;
}

/* Elimination with complete pivoting among the null vectors: the rows of the pivots are those that the others
   determine best; (R4). */
static void choose_rows(tp_redundancy *r)
{
    int rows = r->rows.row_count;
    for (int d = 0; d < r->direction_count; d++) {
        int best = d, pivot = -1;
        double largest = 0.0;
        for (int e = d; e < r->direction_count; e++) {
            for (int k = 0; k < rows; k++) {
                if (!(fabs(direction(r, e)[k]) > largest)) continue;
                largest = fabs(direction(r, e)[k]);
                best = e;
                pivot = k;
            }
        }
        if (pivot < 0) break;
        memcpy(r->work, direction(r, d), (size_t)rows * sizeof(double));
        memcpy(direction(r, d), direction(r, best), (size_t)rows * sizeof(double));
        memcpy(direction(r, best), r->work, (size_t)rows * sizeof(double));
        for (int e = d + 1; e < r->direction_count; e++)
            eliminate(rows, direction(r, d), pivot, direction(r, e));
        r->is_left_out[pivot] = 1;
        r->count++;
    }
}

/* From rows of length 1 to impulses, and orthonormal, for (R6): twice, against rounding. */
static void make_orthonormal(tp_redundancy *r)
{
    int rows = r->rows.row_count;
    for (int d = 0; d < r->direction_count; d++) {
        double *z = direction(r, d);
        for (int k = 0; k < rows; k++) z[k] /= r->rows.length[k];
        for (int pass = 0; pass < 2; pass++) {
            for (int e = 0; e < d; e++) {
                double share = tp_dense_dot(rows, direction(r, e), z);
                for (int k = 0; k < rows; k++) z[k] -= share * direction(r, e)[k];
            }
            double size = tp_dense_norm(rows, z);
            for (int k = 0; k < rows; k++) z[k] /= size;
        }
    }
}

/* Rows of zeros depend on nothing, and hold nothing; their pivot is the shift, all of it. Returns how many.
 */
static int mark_zero_rows(const tp_redundancy *r, unsigned char *is_zero_out)
{
    const tp_sparse *A = &r->rows.A;
    int count = 0;
    for (int row = 0; row < r->rows.row_count; row++) {
        bool is_zero = true;
        for (int k = A->start[row]; k < A->start[row + 1]; k++) is_zero = is_zero && A->value[k] == 0.0;
        if (!is_zero) continue;
        is_zero_out[row] = 1;
        count++;
    }
    return count;
}

void tp_redundancy_rest(tp_redundancy *r)
{
    r->is_resting = true;
    r->count = r->direction_count = 0;
}

void tp_redundancy_expect(tp_redundancy *r, int count)
{
    r->expected = count;
}

/* Null vectors among the suspects; the bound is higher where a drift hides some of the expected ones. */
static void find_directions(tp_redundancy *r)
{
    for (double bound = tp_small_eigenvalue;; bound *= 10.0) {
        for (int k = 0; k < r->rows.row_count && r->direction_count < DIRECTIONS; k++) {
            if (!r->is_suspect[k] || !(find_direction(r, k, direction(r, r->direction_count)) < bound))
                continue;
            r->is_suspect[k] = 0;
            r->direction_count++;
        }
        if (r->direction_count >= r->expected || bound >= tp_drifted_eigenvalue) return;
    }
}

/* Suspects beyond the largest number of directions: by their pivots alone. */
static void leave_out_rest(tp_redundancy *r)
{
    bool has_rest = r->direction_count == DIRECTIONS;
    tp_factor_small_pivots(r->rows.factor, tp_small_pivot, r->is_left_out);
    mark_zero_rows(r, r->is_left_out);
    for (int k = 0; k < r->rows.row_count; k++) {
        r->is_left_out[k] = r->is_left_out[k] && r->is_suspect[k] && has_rest;
        r->count += r->is_left_out[k];
    }
}

/* Inner product of two rows of a law over the velocities that it has for itself, of rows of length 1. */
static double child_product(const tp_redundancy *r, int row, int other)
{
    const tp_sparse *A = &r->rows.A;
    double sum = 0.0;
    for (int k = A->start[row], e = A->start[other]; k < A->start[row + 1]; k++, e++) {
        double weight = r->is_child[k] ? r->weight[A->index[k]] : 0.0;
        sum += weight * A->value[k] * A->value[e];
    }
    return sum * r->rows.inverse[row] * r->rows.inverse[other];
}

/* Are the rows of a law independent by the velocities that it has for itself alone? By pivots. */
static bool stands_alone(const tp_redundancy *r, int i)
{
    double S[TP_LAW_ROWS][TP_LAW_ROWS];
    int first = r->rows.first[i], count = r->rows.first[i + 1] - first;
    for (int a = 0; a < count; a++) {
        for (int b = 0; b <= a; b++) S[a][b] = child_product(r, first + a, first + b);
        for (int p = 0; p < a; p++) {
            double factor = S[a][p] / S[p][p];
            for (int b = p + 1; b <= a; b++) S[a][b] -= factor * S[b][p];
        }
        if (!(S[a][a] > tp_suspicious_pivot)) return false;
    }
    return true;
}

/* (R7): no row of a tree depends on others, however long it is, if none does within its joint. */
static bool is_independent_tree(const tp_redundancy *r)
{
    bool is_so = r->is_tree;
    for (int i = 0; i < r->rows.law_count && is_so; i++) is_so = stands_alone(r, i);
    return is_so;
}

tp_status tp_redundancy_find(tp_redundancy *r, const double *M)
{
    if (r == NULL) return TP_OK; /* the integrator takes all rows */
    const tp_system *system = r->rows.system;
    int rows = r->rows.row_count;
    r->count = r->direction_count = 0;
    r->is_evaluated = r->is_regular = false;
    if (rows == 0 || r->is_resting) return TP_OK;
    for (int j = 0; j < system->u_count; j++) r->weight[j] = 1.0 / M[r->diagonal[j]];
    tp_redundancy_evaluate(r);
    r->is_evaluated = true;
    TP_TRY(tp_constraint_rows_factorise(&r->rows, r->weight, tp_redundancy_shift));
    int suspects = tp_factor_small_pivots(r->rows.factor, tp_suspicious_pivot, r->is_suspect);
    if (suspects + mark_zero_rows(r, r->is_suspect) > 0 && !is_independent_tree(r)) {
        find_directions(r);
        leave_out_rest(r);
        choose_rows(r);
        make_orthonormal(r);
    }
    r->is_regular = r->count == 0 && r->direction_count == 0;
    return TP_OK;
}

bool tp_redundancy_is_near(const tp_redundancy *r)
{
    if (r->rows.row_count == 0 || r->is_resting) return false;
    return tp_factor_small_pivots(r->rows.factor, tp_near_pivot, NULL) > r->direction_count;
}

int tp_redundancy_count(const tp_redundancy *r)
{
    return r->count;
}

bool tp_redundancy_leaves_out(const tp_redundancy *r, int law, int k)
{
    return r != NULL && r->count > 0 && law < r->rows.system->fixed_count && r->first_row[law] >= 0 &&
           r->is_left_out[r->first_row[law] + k];
}

double tp_redundancy_diagonal(const tp_redundancy *r, int law, int k)
{
    double length = r->rows.length[r->first_row[law] + k];
    return length * length;
}

void tp_redundancy_keep(tp_redundancy *r, int law, int k)
{
    r->is_left_out[r->first_row[law] + k] = 0;
    r->count--;
}

/* Entry of a row in the impulses by law. */
static double *entry(const tp_redundancy *r, int i, int row, double *impulse)
{
    return impulse + (size_t)r->rows.law[i] * TP_LAW_ROWS + (row - r->rows.first[i]);
}

void tp_redundancy_share(const tp_redundancy *r, double *impulse_io)
{
    for (int d = 0; r != NULL && d < r->direction_count && r->count > 0; d++) {
        const double *z = direction(r, d);
        double share = 0.0;
        for (int i = 0; i < r->rows.law_count; i++) {
            for (int row = r->rows.first[i]; row < r->rows.first[i + 1]; row++)
                share += z[row] * *entry(r, i, row, impulse_io);
        }
        for (int i = 0; i < r->rows.law_count; i++) {
            for (int row = r->rows.first[i]; row < r->rows.first[i + 1]; row++)
                *entry(r, i, row, impulse_io) -= share * z[row];
        }
    }
}

double *tp_redundancy_rows(const tp_redundancy *r, int law, const double **chi_out)
{
    if (r == NULL || !r->is_evaluated || law >= r->rows.system->fixed_count || r->first_row[law] < 0)
        return NULL;
    int first = r->first_row[law];
    *chi_out = r->rows.chi + first;
    return r->rows.A.value + r->rows.A.start[first];
}

bool tp_redundancy_can_solve(const tp_redundancy *r, const int *laws, int count)
{
    if (r == NULL || !r->is_regular || !r->is_connected || count != r->rows.law_count) return false;
    return memcmp(laws, r->rows.law, (size_t)count * sizeof(int)) == 0;
}

void tp_redundancy_solve(const void *redundancy, double *r)
{
    const tp_constraint_rows *rows = &((const tp_redundancy *)redundancy)->rows;
    for (int k = 0; k < rows->row_count; k++) r[k] *= rows->inverse[k];
    tp_factor_solve(rows->factor, r);
    for (int k = 0; k < rows->row_count; k++) r[k] *= rows->inverse[k];
}

const tp_constraint_rows *tp_redundancy_all_rows(const tp_redundancy *r)
{
    return &r->rows;
}

void tp_redundancy_evaluate(tp_redundancy *r)
{
    if (r->rows_place == r->rows.system->place) return;
    tp_constraint_rows_evaluate(&r->rows);
    r->rows_place = r->rows.system->place;
}

const double *tp_redundancy_positions(tp_redundancy *r)
{
    tp_system *system = r->rows.system;
    if (r->g_place != system->place) {
        for (int i = 0; i < r->rows.law_count; i++)
            tp_system_law_positions(system, r->rows.law[i], r->g + r->rows.first[i]);
    }
    r->g_place = system->place;
    return r->g;
}

bool tp_redundancy_knows(const tp_redundancy *r, int law, tp_joint_rows *rows_out)
{
    unsigned long long place = r != NULL ? r->rows.system->place : 0;
    bool is_joint = r != NULL && law < r->rows.system->fixed_count && r->first_row[law] >= 0;
    if (!is_joint || r->rows_place != place || r->g_place != place) return false;
    int first = r->first_row[law];
    *rows_out = (tp_joint_rows){r->rows.A.value + r->rows.A.start[first], r->rows.chi + first, r->g + first};
    return true;
}

tp_status tp_redundancy_factorise(tp_redundancy *r)
{
    tp_redundancy_evaluate(r);
    return tp_constraint_rows_factorise(&r->rows, r->weight, tp_redundancy_shift);
}

void tp_redundancy_push(const void *redundancy, const double *P, double *x)
{
    const tp_redundancy *r = redundancy;
    memset(x, 0, (size_t)r->rows.system->u_count * sizeof(double));
    if (r->rows.row_count == 0) return;
    tp_constraint_rows_push(&r->rows, P, x);
    for (int j = 0; j < r->rows.system->u_count; j++) x[j] *= r->weight[j];
}

void tp_redundancy_see(const void *redundancy, const double *u, double *velocity)
{
    const tp_redundancy *r = redundancy;
    tp_constraint_rows_see(&r->rows, u, velocity);
}
