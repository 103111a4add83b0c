/* Coupling of normal forces through friction; docs/guide/painleve.md. G = W^T M^-1 W of all closed contacts
   with friction, joints held, by one solve with the joints for each row. */
#include "tippe/painleve.h"

#include "base/names.h"
#include "math/dense.h"
#include "saddle.h"
#include "second_level.h"
#include "set/friction_set.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Combinations of opening and sliding that are tried: 2 to the power of this. */
enum { MOST_SLIDING = 12 };

struct tp_painleve {
    tp_arena arena; /* the struct */
    tp_arena rows;  /* of the contacts of a state */
    tp_system *system;
    tp_redundancy *redundancy;
    tp_saddle *saddle;
    double *M, *h; /* values in mass_pattern, [u_count] */
    double contact_tolerance;
    int count, row_count;
    tp_slip *slip;    /* [count]                                                       */
    int *law, *first; /* [count] first: of its rows                                    */
    double *G;        /* [row_count^2] column-major                                    */
    double *free;     /* [row_count] accelerations of the rows without contact forces  */
    double *gamma;    /* [row_count]                                                   */
    double *none;     /* [row_count] speed that counts as 0                            */
    double *point;    /* [row_count] friction force over normal force, N: 1            */
};

TP_NAMES_OF(tp_slip_kind_name, int, "sticks", "slides", "opens", "jams", "undecided")

static tp_status take_memory(tp_painleve *p, const tp_allocator *allocator, const tp_model *model)
{
    TP_TRY(tp_system_create(allocator, model, &p->system));
    TP_TRY(tp_redundancy_create(allocator, p->system, &p->redundancy));
    TP_TRY(tp_saddle_create(allocator, p->system, p->redundancy, &p->saddle));
    p->M = TP_ARENA_ARRAY(&p->arena, double, tp_sparse_count(&p->system->mass_pattern));
    p->h = TP_ARENA_ARRAY(&p->arena, double, p->system->u_count);
    return tp_arena_status(&p->arena);
}

tp_status tp_painleve_create(const tp_allocator *allocator, const tp_model *model, double contact_tolerance,
                             tp_painleve **painleve_out, tp_message *why)
{
    if (painleve_out == NULL) return tp_fail(why, TP_INVALID_ARGUMENT, "painleve_out is NULL");
    *painleve_out = NULL;
    if (model == NULL || !model->is_finished)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the model is NULL or not finished");
    tp_painleve *p = TP_ARENA_OBJECT(tp_painleve, allocator);
    if (p == NULL) return TP_OUT_OF_MEMORY;
    p->contact_tolerance = contact_tolerance;
    tp_arena_init(&p->rows, allocator);
    tp_status status = take_memory(p, allocator, model);
    if (status != TP_OK) tp_painleve_free(p);
    *painleve_out = status == TP_OK ? p : NULL;
    return status;
}

void tp_painleve_free(tp_painleve *p)
{
    if (p == NULL) return;
    tp_saddle_free(p->saddle);
    tp_redundancy_free(p->redundancy);
    tp_system_free(p->system);
    tp_arena_clear(&p->rows);
    tp_arena_clear(&p->arena);
}

const tp_slip *tp_painleve_slip(const tp_painleve *p, int index)
{
    return p != NULL && index >= 0 && index < p->count ? &p->slip[index] : NULL;
}

/* ---- rows of a state ---- */

static bool is_closed_with_friction(const tp_painleve *p, int index)
{
    tp_system *system = p->system;
    const tp_law *law = tp_system_law(system, index);
    if (law->set.kind != TP_SET_CONTACT || law->row_count < 2) return false;
    return tp_system_law_position(system, index) <=
           tp_law_closing_gap(system->model, law, p->contact_tolerance);
}

static tp_status take_rows(tp_painleve *p)
{
    const tp_system *system = p->system;
    p->count = p->row_count = 0;
    for (int i = 0; i < system->law_count; i++) {
        if (!is_closed_with_friction(p, i)) continue;
        p->count++;
        p->row_count += tp_system_law(system, i)->row_count;
    }
    size_t rows = (size_t)p->row_count, count = (size_t)p->count;
    tp_arena_reset(&p->rows, 0);
    p->slip = TP_ARENA_ARRAY(&p->rows, tp_slip, count);
    TP_ARENA_INTS(&p->rows, count, &p->law, &p->first);
    p->G = TP_ARENA_ARRAY(&p->rows, double, rows *rows);
    TP_ARENA_DOUBLES(&p->rows, rows, &p->free, &p->gamma, &p->none, &p->point);
    return tp_arena_status(&p->rows);
}

/* W^T a of all rows into `out`, each over its columns. */
static void apply_rows(tp_painleve *p, double *W, const double *a, double *out)
{
    tp_system *system = p->system;
    for (int c = 0; c < p->count; c++) {
        int count = tp_system_law_column_count(system, p->law[c]);
        double chi[TP_LAW_ROWS];
        tp_system_law_rows(system, p->law[c], W, chi);
        for (int k = 0; k < p->slip[c].row_count; k++)
            out[p->first[c] + k] =
                tp_row_velocity(count, tp_system_law_columns(system, p->law[c]), W + k * count, a);
    }
}

/* Names, velocities and drift of the rows; free holds the drift. */
static void describe(tp_painleve *p, double *W)
{
    tp_system *system = p->system;
    for (int i = 0, c = 0, row = 0; i < system->law_count; i++) {
        if (!is_closed_with_friction(p, i)) continue;
        int count = tp_system_law_column_count(system, i);
        double chi[TP_LAW_ROWS], g2[TP_LAW_ROWS];
        p->law[c] = i;
        p->first[c] = row;
        p->slip[c] = (tp_slip){.row_count = tp_system_law(system, i)->row_count};
        tp_system_law_name(system, i, p->slip[c].name, sizeof p->slip[c].name);
        tp_system_law_rows(system, i, W, chi);
        tp_system_law_drift(system, i, g2);
        for (int k = 0; k < p->slip[c].row_count; k++, row++) {
            const int *columns = tp_system_law_columns(system, i);
            p->gamma[row] = chi[k] + tp_row_velocity(count, columns, W + k * count, system->u);
            p->none[row] =
                tp_stick_share * (fabs(chi[k]) + tp_row_size(count, columns, W + k * count, system->u));
            p->free[row] = g2[k];
        }
        c++;
    }
}

/* G column by column: the joints hold with what the force of a row adds. */
static tp_status find_coupling(tp_painleve *p)
{
    tp_system *system = p->system;
    size_t m = (size_t)system->u_count, rows = (size_t)p->row_count;
    double *W = TP_ARENA_ARRAY(&p->rows, double, TP_LAW_ROWS * system->largest_columns),
           *load = TP_ARENA_ARRAY(&p->rows, double, m), *a = TP_ARENA_ARRAY(&p->rows, double, m),
           *rest = TP_ARENA_ARRAY(&p->rows, double, m), *out = TP_ARENA_ARRAY(&p->rows, double, rows),
           *lambda = TP_ARENA_ARRAY(&p->rows, double, (size_t)system->law_count *TP_LAW_ROWS);
    TP_TRY(tp_arena_status(&p->rows));
    describe(p, W);
    TP_TRY(tp_saddle_solve(p->saddle, p->h, a, lambda));
    apply_rows(p, W, a, out);
    for (size_t k = 0; k < rows; k++) p->free[k] += out[k];
    memset(load, 0, m * sizeof(double));
    TP_TRY(tp_saddle_solve(p->saddle, load, rest, lambda)); /* what the drift of joints alone does */
    for (int c = 0; c < p->count; c++) {
        const int *columns, count = tp_system_columns_of(system, p->law[c], &columns);
        for (int k = 0; k < p->slip[c].row_count; k++) {
            double chi[TP_LAW_ROWS];
            tp_system_law_rows(system, p->law[c], W, chi);
            for (int j = 0; j < count; j++) load[columns[j]] = W[k * count + j];
            TP_TRY(tp_saddle_solve(p->saddle, load, a, lambda));
            for (int j = 0; j < count; j++) load[columns[j]] = 0.0;
            for (size_t j = 0; j < m; j++) a[j] -= rest[j];
            apply_rows(p, W, a, p->G + (size_t)(p->first[c] + k) * rows);
        }
    }
    return TP_OK;
}

/* ---- one contact ---- */

static double entry(const tp_painleve *p, int i, int j)
{
    return p->G[(size_t)i + (size_t)j * (size_t)p->row_count];
}

/* The friction force over the normal one: against the slip, or where it does not slide against the direction
   in which the coupling is least. */
static void find_direction(tp_painleve *p, int c)
{
    tp_slip *slip = &p->slip[c];
    int first = p->first[c], n = slip->row_count - 1;
    tp_friction_set D = tp_friction_of(&tp_system_law(p->system, p->law[c])->set);
    double direction[TP_LAW_ROWS], boundary[TP_LAW_ROWS], none = 0.0;
    slip->speed = 0.0;
    for (int k = 1; k <= n; k++) {
        slip->speed = hypot(slip->speed, p->gamma[first + k]);
        none = fmax(none, p->none[first + k]);
    }
    bool sticks = !(slip->speed > none);
    if (sticks) slip->speed = 0.0;
    for (int k = 1; k <= n; k++) direction[k - 1] = sticks ? entry(p, first, first + k) : p->gamma[first + k];
    tp_friction_boundary(&D, direction, boundary);
    p->point[first] = 1.0;
    slip->friction = 0.0;
    for (int k = 1; k <= n; k++) {
        p->point[first + k] = -boundary[k - 1];
        slip->friction = hypot(slip->friction, boundary[k - 1]);
    }
}

/* Normal acceleration of contact c per normal force of contact d that slides; (1). */
static double coupling_of(const tp_painleve *p, int c, int d)
{
    double sum = 0.0;
    for (int k = 0; k < p->slip[d].row_count; k++)
        sum += entry(p, p->first[c], p->first[d] + k) * p->point[p->first[d] + k];
    return sum;
}

/* The impulse that stops the slip; (4). False: the rows of the contact depend on each other. */
static bool find_jam(tp_painleve *p, int c)
{
    tp_slip *slip = &p->slip[c];
    int n = slip->row_count, first = p->first[c];
    double A[TP_SET_MAX * TP_SET_MAX], b[TP_SET_MAX];
    for (int i = 0; i < n; i++) {
        b[i] = i == 0 ? 0.0 : -p->gamma[first + i];
        for (int j = 0; j < n; j++) A[i + j * n] = entry(p, first + i, first + j);
    }
    if (tp_dense_solve_small(n, A, b, slip->jam_impulse) != TP_OK) return false;
    const tp_set *set = &tp_system_law(p->system, p->law[c])->set;
    return slip->jam_impulse[0] > 0.0 && tp_set_contains(set, 1.0, slip->jam_impulse, 0.0);
}

static void judge_contact(tp_painleve *p, int c)
{
    tp_slip *slip = &p->slip[c];
    int first = p->first[c];
    find_direction(p, c);
    slip->uncoupled = entry(p, first, first);
    slip->coupling = coupling_of(p, c, c);
    slip->distance = slip->coupling / slip->uncoupled;
    double lost = slip->uncoupled - slip->coupling; /* in proportion to friction */
    slip->critical_friction = lost > 0.0 ? slip->friction * slip->uncoupled / lost : INFINITY;
    slip->free_acceleration = p->free[first];
    double force = -slip->free_acceleration / slip->coupling;
    bool slides = force > 0.0, opens = slip->free_acceleration >= 0.0;
    slip->slip_force = slides ? force : NAN;
    slip->jam_is_possible = find_jam(p, c) && slip->speed > 0.0;
    slip->solution_count = slides + opens + slip->jam_is_possible;
    if (slip->speed == 0.0)
        slip->kind = TP_SLIP_STICKS;
    else if (slip->solution_count > 1)
        slip->kind = TP_SLIP_UNDECIDED;
    else
        slip->kind = slides ? TP_SLIP_SLIDES : (opens ? TP_SLIP_OPENS : TP_SLIP_JAMS);
}

/* ---- all contacts that slide ---- */

/* The principal submatrix N_ss of the coupling of some contacts: its determinant, and whether the forces
   -N_ss^-1 free are positive and leave the other contacts open. */
static bool try_combination(const tp_painleve *p, const int *sliding, int count, unsigned mask,
                            double *determinant_out)
{
    double A[MOST_SLIDING * MOST_SLIDING], x[MOST_SLIDING];
    int member[MOST_SLIDING], pivot[MOST_SLIDING], n = 0;
    for (int k = 0; k < count; k++)
        if (mask >> k & 1u) member[n++] = sliding[k];
    for (int i = 0; i < n; i++) {
        x[i] = -p->free[p->first[member[i]]];
        for (int j = 0; j < n; j++) A[i + j * n] = coupling_of(p, member[i], member[j]);
    }
    *determinant_out = 0.0;
    if (tp_dense_lu(n, A, n, pivot, 0.0) != TP_OK) return false;
    *determinant_out = 1.0;
    for (int i = 0; i < n; i++) *determinant_out *= pivot[i] != i ? -A[i * (n + 1)] : A[i * (n + 1)];
    tp_dense_lu_solve(n, A, n, pivot, x);
    for (int i = 0; i < n; i++)
        if (!(x[i] > 0.0)) return false;
    for (int k = 0; k < count; k++) {
        double left = p->free[p->first[sliding[k]]];
        if (mask >> k & 1u) continue;
        for (int i = 0; i < n; i++) left += coupling_of(p, sliding[k], member[i]) * x[i];
        if (left < 0.0) return false;
    }
    return true;
}

static tp_slip_summary summarise(const tp_painleve *p)
{
    tp_slip_summary summary = {.contact_count = p->count, .solution_count = -1, .is_unique = true};
    int sliding[MOST_SLIDING] = {0};
    for (int c = 0; c < p->count; c++) {
        if (p->slip[c].speed > 0.0 && summary.sliding_count < MOST_SLIDING)
            sliding[summary.sliding_count] = c;
        summary.sliding_count += p->slip[c].speed > 0.0;
    }
    if (summary.sliding_count > MOST_SLIDING) {
        summary.is_unique = false;
        return summary;
    }
    summary.solution_count = 0;
    for (unsigned mask = 0; mask < 1u << summary.sliding_count; mask++) {
        double determinant;
        summary.solution_count += try_combination(p, sliding, summary.sliding_count, mask, &determinant);
        if (mask > 0 && !(determinant > 0.0)) summary.is_unique = false;
    }
    return summary;
}

tp_status tp_painleve_find(tp_painleve *p, double t, const double *q, const double *u,
                           tp_slip_summary *summary_out, tp_message *why)
{
    if (p == NULL || q == NULL || u == NULL || summary_out == NULL)
        return tp_fail(why, TP_INVALID_ARGUMENT, "an argument is NULL");
    tp_system *system = p->system;
    const tp_contact_reach reach = {.margin = p->contact_tolerance * system->model->summary.size};
    bool is_exact, changed;
    p->count = 0;
    tp_system_move(system, t, q, u);
    if (system->contacts != NULL) TP_TRY(tp_system_find_contacts(system, &reach, NULL, &changed));
    tp_system_mass(system, p->M);
    tp_system_force(system, p->h);
    TP_TRY(tp_redundancy_find(p->redundancy, p->M));
    TP_TRY(take_rows(p));
    tp_status status = tp_saddle_update(p->saddle, p->M, &is_exact);
    if (status == TP_OK) status = find_coupling(p);
    if (status != TP_OK) {
        p->count = 0;
        return tp_fail(why, status, "inertia or joints are singular at t = %g s", t);
    }
    for (int c = 0; c < p->count; c++) judge_contact(p, c);
    *summary_out = summarise(p);
    return TP_OK;
}

/* ---- the relaxed laws ---- */

tp_status tp_painleve_problem(const tp_painleve *p, double delta, tp_problem **problem_out, tp_message *why)
{
    if (p == NULL || problem_out == NULL || !(delta > 0.0))
        return tp_fail(why, TP_INVALID_ARGUMENT, "an argument is NULL, or delta is not above 0");
    *problem_out = NULL;
    tp_arena arena = tp_arena_make(NULL);
    size_t rows = (size_t)p->row_count;
    int *row = TP_ARENA_ARRAY(&arena, int, rows *rows), *col = TP_ARENA_ARRAY(&arena, int, rows *rows);
    double *b = TP_ARENA_ARRAY(&arena, double, rows);
    tp_set *sets = TP_ARENA_ARRAY(&arena, tp_set, p->count);
    tp_status status = tp_arena_status(&arena);
    if (status == TP_OK) {
        for (size_t k = 0; k < rows * rows; k++) row[k] = (int)(k % rows), col[k] = (int)(k / rows);
        for (int c = 0; c < p->count; c++) {
            sets[c] = tp_system_law(p->system, p->law[c])->set;
            for (int k = 0; k < p->slip[c].row_count; k++) {
                int i = p->first[c] + k; /* a contact that sticks has no velocity, and no closed one a gap */
                bool moves = k > 0 && p->slip[c].speed > 0.0;
                b[i] = p->free[i] + (moves ? p->gamma[i] / delta : 0.0);
            }
        }
        tp_problem_def def = tp_problem_def_default();
        def.kind = "local";
        def.row_count = p->row_count;
        def.set_count = p->count;
        def.sets = sets;
        def.D = (tp_entries){p->row_count, p->row_count, p->row_count * p->row_count, row, col, p->G};
        def.b = b;
        status = tp_problem_create(NULL, &def, problem_out, why);
    }
    tp_arena_clear(&arena);
    return status;
}
