/* One combination of cases solved for its points; docs/theory/pivoting.md (25)-(28). */
#include "solver/pivoting/cases.h"

#include "math/dense.h"
#include "set/row_bounds.h"
#include "solver/pivoting/bounded.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

enum { MAX_SLIPPING = 8, NEWTON_ROUNDS = 40, NEWTON_HALVINGS = 14 };

/* ---- the items ---- */

static void add_state(tp_case_item *item, tp_case_state state)
{
    item->states[item->state_count++] = state;
}

static tp_case_item scalar_item(const tp_set *set, int k)
{
    tp_case_item item = {.set = set, .first = set->first + k, .size = 1};
    tp_row_bounds bounds = tp_set_row_bounds(set, k);
    item.lower = bounds.lower;
    item.upper = bounds.upper;
    if (item.lower < item.upper) add_state(&item, TP_CASE_BASIC);
    if (item.lower > -HUGE_VAL) add_state(&item, TP_CASE_LOWER);
    if (item.upper < HUGE_VAL && item.upper > item.lower) add_state(&item, TP_CASE_UPPER);
    return item;
}

static bool contact_item(const tp_set *set, tp_case_item *item)
{
    *item = (tp_case_item){.set = set, .first = set->first, .size = set->size};
    if (!tp_contact_disc_of(set, &item->disc)) return false;
    if (item->disc.mu > 0.0) add_state(item, TP_CASE_STICK);
    if (item->disc.mu > 0.0 && set->size == 2) {
        add_state(item, TP_CASE_SLIP_FORWARD);
        add_state(item, TP_CASE_SLIP_BACKWARD);
    } else {
        add_state(item, TP_CASE_SLIP);
    }
    add_state(item, TP_CASE_OPEN);
    return true;
}

/* Friction of constant size, or that follows the reaction of a joint. */
static bool friction_item(const tp_set *set, tp_case_item *item)
{
    *item = (tp_case_item){.set = set, .first = set->first, .size = set->size};
    if (set->friction_kind != TP_FRICTION_BALL) return false;
    add_state(item, TP_CASE_STICK);
    add_state(item, TP_CASE_SLIP_FORWARD);
    add_state(item, TP_CASE_SLIP_BACKWARD);
    return true;
}

/* Slip in space begins along the velocity of the start, or against it. */
static void split_slip(tp_case_item *item)
{
    for (int k = 0; k < item->state_count && item->disc.mu > 0.0; k++) {
        if (item->states[k] != TP_CASE_SLIP) continue;
        item->states[k] = TP_CASE_SLIP_FORWARD;
        memmove(item->states + k + 2, item->states + k + 1,
                (size_t)(item->state_count++ - k - 1) * sizeof(tp_case_state));
        item->states[k + 1] = TP_CASE_SLIP_BACKWARD;
    }
}

tp_status tp_case_list(const tp_local *local, bool with_friction, tp_case_item *items_out, int *count_out)
{
    int count = 0;
    for (int s = 0; s < local->set_count; s++) {
        const tp_set *set = &local->sets[s];
        bool is_scalar = TP_ACCEPT_SCALAR & TP_ACCEPT(set->kind);
        if (set->kind == TP_SET_CONTACT) {
            if (!contact_item(set, &items_out[count])) return TP_UNSUPPORTED;
            if (with_friction) split_slip(&items_out[count]);
            count++;
        } else if (set->kind == TP_SET_FRICTION && with_friction) {
            if (!friction_item(set, &items_out[count++])) return TP_UNSUPPORTED;
        } else if (!is_scalar) {
            return TP_UNSUPPORTED;
        }
        for (int k = 0; k < set->size && is_scalar; k++) items_out[count++] = scalar_item(set, k);
    }
    *count_out = count;
    return TP_OK;
}

/* Rows T of ellipses are stretched to discs. */
static void list_stretches(tp_cases *cases)
{
    for (int i = 0; i < cases->n; i++) cases->stretch[i] = 1.0;
    for (int m = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        for (int k = 1; k < item->size && item->set->kind == TP_SET_CONTACT; k++)
            cases->stretch[item->first + k] = item->disc.stretch[k - 1];
    }
}

tp_status tp_cases_take(tp_cases *cases, const tp_local *local, tp_stack *stack)
{
    const size_t n = (size_t)local->row_count, m = n + 1;
    cases->n = local->row_count;
    cases->is_complete = true;
    TP_STACK_DOUBLES(stack, m * m, &cases->G, &cases->A);
    cases->c = TP_STACK_ARRAY(stack, double, 10 * m);
    cases->items = TP_STACK_ARRAY(stack, tp_case_item, m);
    cases->order = TP_STACK_ARRAY(stack, int, 2 * m);
    if (!cases->G || !cases->A || !cases->c || !cases->items || !cases->order) return TP_OUT_OF_MEMORY;
    cases->unknown_row = cases->order + m;
    cases->stretch = cases->c + m;
    cases->right = cases->c + 2 * m;
    cases->x = cases->c + 3 * m;
    cases->xi = cases->c + 4 * m;
    cases->P = cases->c + 5 * m;
    cases->work = cases->c + 6 * m;
    cases->angle = cases->c + 7 * m;
    cases->P_turned = cases->c + 8 * m;
    cases->xi_turned = cases->c + 9 * m;
    TP_TRY(tp_case_list(local, false, cases->items, &cases->item_count));
    list_stretches(cases);
    tp_local_dense(local, cases->G);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) cases->G[i + j * n] *= cases->stretch[i] * cases->stretch[j];
        cases->c[j] = cases->stretch[j] * local->c[j];
    }
    return TP_OK;
}

/* ---- linear systems ---- */

/* What is known of a linear system. */
typedef struct linear_verdict {
    int rank;
    bool is_consistent; /* the equations agree                                                            */
    bool is_certain;    /* nothing that was taken for 0 is above rounding: bodies with mass ratios of 1e13 are
                           nearly singular, and solvable                                                  */
} linear_verdict;

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* A x = right, k x k, by elimination with full pivoting; with a smaller rank the free unknowns are zero. A
   and right are destroyed. */
static linear_verdict solve_full_pivoting(int k, double *A, double *right, int *order, double *x)
{
    double largest = tp_dense_largest(k * k, A), size = 0.0;
    for (int i = 0; i < k; i++) size = fmax(size, fabs(right[i])), order[i] = i;
    int rank = 0;
    for (; rank < k; rank++) {
        int pi = rank, pj = rank;
        for (int j = rank; j < k; j++)
            for (int i = rank; i < k; i++)
                if (fabs(A[i + j * k]) > fabs(A[pi + pj * k])) pi = i, pj = j;
        if (!(fabs(A[pi + pj * k]) > tp_case_singular * largest)) break;
        for (int j = 0; j < k; j++) swap(&A[rank + j * k], &A[pi + j * k]);
        for (int i = 0; i < k; i++) swap(&A[i + rank * k], &A[i + pj * k]);
        swap(&right[rank], &right[pi]);
        int index = order[rank];
        order[rank] = order[pj];
        order[pj] = index;
        for (int i = rank + 1; i < k; i++) {
            double factor = A[i + rank * k] / A[rank + rank * k];
            if (factor == 0.0) continue;
            for (int j = rank; j < k; j++) A[i + j * k] -= factor * A[rank + j * k];
            right[i] -= factor * right[rank];
        }
    }
    linear_verdict verdict = {rank, true, true};
    for (int i = rank; i < k; i++) {
        if (fabs(right[i]) > tp_case_contradiction * size) verdict.is_consistent = false;
        for (int j = rank; j < k; j++) {
            if (fabs(A[i + j * k]) > tp_case_doubt * k * DBL_EPSILON * largest) verdict.is_certain = false;
        }
    }
    for (int i = k - 1; i >= 0; i--) {
        double sum = i < rank ? right[i] : 0.0;
        for (int j = i + 1; j < rank && i < rank; j++) sum -= A[i + j * k] * x[order[j]];
        x[order[i]] = i < rank ? sum / A[i + i * k] : 0.0;
    }
    return verdict;
}

/* Slope of P_T over P_N of a slipping contact: planar in one row, spatial along its angle. */
static void slip_direction(const tp_case_item *item, double angle, double slope[2])
{
    double mu = item->disc.mu;
    slope[0] = item->state == TP_CASE_SLIP_FORWARD ? mu : item->state == TP_CASE_SLIP_BACKWARD ? -mu : 0.0;
    slope[1] = 0.0;
    if (item->state == TP_CASE_SLIP && item->size == 3 && mu > 0.0) {
        slope[0] = mu * cos(angle);
        slope[1] = mu * sin(angle);
    }
}

static void velocity(tp_cases *cases)
{
    memcpy(cases->xi, cases->c, (size_t)cases->n * sizeof(double));
    tp_dense_multiply_add(cases->n, cases->n, cases->G, cases->n, cases->P, cases->xi);
}

/* The system of a case: unknowns are the rows with xi = 0 (of a slipping contact its row N, which carries the
   tangential rows along). Fills A, right; P receives the fixed part. Returns the number of unknowns. `skip`
   is an item left out altogether (its P = 0), or -1. */
static int fill_system(tp_cases *cases, int skip)
{
    const int n = cases->n;
    int k = 0;
    for (int i = 0; i < n; i++) cases->P[i] = 0.0;
    for (int m = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        if (m == skip || item->state == TP_CASE_OPEN) continue;
        if (item->state == TP_CASE_LOWER) cases->P[item->first] = item->lower;
        if (item->state == TP_CASE_UPPER) cases->P[item->first] = item->upper;
        if (item->state == TP_CASE_LOWER || item->state == TP_CASE_UPPER) continue;
        int rows = item->state == TP_CASE_STICK ? item->size : 1;
        for (int r = 0; r < rows; r++) cases->unknown_row[k++] = item->first + r;
    }
    velocity(cases);
    for (int j = 0; j < k; j++) cases->right[j] = -cases->xi[cases->unknown_row[j]];
    return cases->unknown_count = k;
}

/* Adds the effect of slipping: column of row N plus slope times the tangential columns. */
static void fill_matrix(tp_cases *cases, int k, int skip)
{
    const int n = cases->n;
    for (int m = 0, j = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        if (m == skip || item->state == TP_CASE_OPEN || item->state == TP_CASE_LOWER ||
            item->state == TP_CASE_UPPER)
            continue;
        double slope[2] = {0.0, 0.0};
        bool is_slipping = item->state != TP_CASE_STICK && item->state != TP_CASE_BASIC;
        if (is_slipping) slip_direction(item, cases->angle[m], slope);
        int rows = item->state == TP_CASE_STICK ? item->size : 1;
        for (int r = 0; r < rows; r++, j++) {
            const double *column = cases->G + (size_t)(item->first + r) * (size_t)n;
            for (int i = 0; i < k; i++) {
                int row = cases->unknown_row[i];
                double entry = column[row];
                for (int t = 0; is_slipping && t + 1 < item->size; t++)
                    entry += slope[t] * column[row + (size_t)(t + 1) * (size_t)n];
                cases->A[i + j * k] = entry;
            }
        }
    }
}

/* P from the unknowns x. */
static void spread(tp_cases *cases, int k, const double *x)
{
    for (int j = 0; j < k; j++) cases->P[cases->unknown_row[j]] += x[j];
    for (int m = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        double slope[2];
        if (item->state < TP_CASE_SLIP) continue;
        slip_direction(item, cases->angle[m], slope);
        for (int t = 0; t + 1 < item->size; t++)
            cases->P[item->first + 1 + t] = slope[t] * cases->P[item->first];
    }
}

static void report_point(tp_cases *cases, tp_case_visit *visit, void *context)
{
    for (int i = 0; i < cases->n; i++) cases->work[i] = cases->stretch[i] * cases->P[i];
    visit(context, cases, cases->work);
}

/* For known directions the case is linear: solves it (with one refinement); false when it has no point. */
static bool solve_linear(tp_cases *cases)
{
    int k = fill_system(cases, -1);
    fill_matrix(cases, k, -1);
    linear_verdict verdict = solve_full_pivoting(k, cases->A, cases->right, cases->order, cases->x);
    if (!verdict.is_certain) cases->is_complete = false;
    if (!verdict.is_consistent) return false;
    if (verdict.rank < k) cases->is_complete = false; /* one point of a continuum */
    spread(cases, k, cases->x);
    if (verdict.rank < k) return true;
    velocity(cases);
    for (int j = 0; j < k; j++) cases->right[j] = -cases->xi[cases->unknown_row[j]];
    fill_matrix(cases, k, -1);
    solve_full_pivoting(k, cases->A, cases->right, cases->order, cases->x);
    spread(cases, k, cases->x);
    return true;
}

/* ---- spatial slip ---- */

/* One slipping contact: everything else is eliminated, and the quartic gives all slipping solutions. False
   when the rest is singular. */
static bool solve_one_slip(tp_cases *cases, int slipping, tp_case_visit *visit, void *context)
{
    const int n = cases->n, first = cases->items[slipping].first;
    int k = fill_system(cases, slipping);
    double G[9], c[3];
    tp_contact_solution solutions[TP_CONTACT_MAX_SOLUTIONS];

    /* Columns of the response: unknowns for c (free) and for unit impulses of the contact's three rows. */
    for (int load = 0; load < 4; load++) {
        fill_system(cases, slipping);
        if (load > 0) {
            for (int i = 0; i < n; i++) cases->P[i] = 0.0;
            for (int j = 0; j < k; j++)
                cases->right[j] = -cases->G[cases->unknown_row[j] + (size_t)(first + load - 1) * (size_t)n];
        }
        fill_matrix(cases, k, slipping);
        linear_verdict verdict = solve_full_pivoting(k, cases->A, cases->right, cases->order, cases->x);
        if (verdict.rank < k) return false;
        if (load > 0) cases->P[first + load - 1] = 1.0;
        double kept[3] = {cases->P[first], cases->P[first + 1], cases->P[first + 2]};
        spread(cases, k, cases->x);
        for (int r = 0; r < 3; r++) cases->P[first + r] = kept[r];
        velocity(cases);
        for (int r = 0; r < 3; r++) {
            if (load == 0) c[r] = cases->xi[first + r];
            if (load > 0) G[r + 3 * (load - 1)] = cases->xi[first + r] - cases->c[first + r];
        }
    }
    int count = tp_contact_slip_solutions(G, c, cases->items[slipping].disc.mu, 0.0, solutions);
    for (int s = 0; s < count; s++) {
        cases->angle[slipping] = atan2(solutions[s].P[2], solutions[s].P[1]);
        if (solve_linear(cases)) report_point(cases, visit, context);
    }
    return true;
}

bool tp_case_slip_equations(tp_cases *cases, int count, const int *slipping, double *F_out)
{
    if (!solve_linear(cases)) return false;
    velocity(cases);
    for (int j = 0; j < count; j++) {
        int first = cases->items[slipping[j]].first;
        double angle = cases->angle[slipping[j]];
        F_out[j] = -sin(angle) * cases->xi[first + 1] + cos(angle) * cases->xi[first + 2];
    }
    return true;
}

/* Impulses and velocities of the case as one angle turns: friction of that contact turns with it, and the
   unknowns follow so that their rows keep xi = 0; theory/pivoting.md (27a). */
static void turn(tp_cases *cases, int turning)
{
    const int n = cases->n, k = cases->unknown_count, first = cases->items[turning].first;
    const double angle = cases->angle[turning], size = cases->items[turning].disc.mu * cases->P[first];
    double *dP = cases->P_turned, *dxi = cases->xi_turned;
    memset(dP, 0, (size_t)n * sizeof(double));
    dP[first + 1] = -size * sin(angle);
    dP[first + 2] = size * cos(angle);
    tp_dense_multiply(n, n, cases->G, n, dP, dxi);
    for (int j = 0; j < k; j++) cases->right[j] = -dxi[cases->unknown_row[j]];
    fill_matrix(cases, k, -1);
    solve_full_pivoting(k, cases->A, cases->right, cases->order, cases->x);
    for (int j = 0; j < k; j++) dP[cases->unknown_row[j]] = cases->x[j];
    for (int m = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        double slope[2];
        if (item->state < TP_CASE_SLIP) continue;
        slip_direction(item, cases->angle[m], slope);
        for (int t = 0; t + 1 < item->size; t++) dP[item->first + 1 + t] += slope[t] * dP[item->first];
    }
    tp_dense_multiply(n, n, cases->G, n, dP, dxi);
}

void tp_case_slip_jacobian(tp_cases *cases, int count, const int *slipping, double *J_out)
{
    for (int j = 0; j < count; j++) {
        turn(cases, slipping[j]);
        for (int i = 0; i < count; i++) {
            int first = cases->items[slipping[i]].first;
            double sine = sin(cases->angle[slipping[i]]), cosine = cos(cases->angle[slipping[i]]);
            J_out[i + j * count] = -sine * cases->xi_turned[first + 1] + cosine * cases->xi_turned[first + 2];
            if (i == j) J_out[i + j * count] -= cosine * cases->xi[first + 1] + sine * cases->xi[first + 2];
        }
    }
}

/* Newton in the angles, halved steps; small counts only. */
static bool find_angles(tp_cases *cases, int count, const int *slipping)
{
    double F[MAX_SLIPPING], step[MAX_SLIPPING], J[MAX_SLIPPING * MAX_SLIPPING], start[MAX_SLIPPING];
    int pivot[MAX_SLIPPING];
    if (!tp_case_slip_equations(cases, count, slipping, F)) return false;
    double size = tp_dense_norm(count, F), scale = tp_dense_norm(cases->n, cases->c);
    for (int round = 0; round < NEWTON_ROUNDS && size > tp_slip_aim * scale; round++) {
        tp_case_slip_jacobian(cases, count, slipping, J);
        if (tp_dense_lu(count, J, count, pivot, tp_contact_edge) != TP_OK) return false;
        tp_dense_lu_solve(count, J, count, pivot, F);
        double length = 1.0, before = size;
        for (int j = 0; j < count; j++) start[j] = cases->angle[slipping[j]], step[j] = F[j];
        for (int h = 0; h < NEWTON_HALVINGS; h++, length *= 0.5) {
            for (int j = 0; j < count; j++) cases->angle[slipping[j]] = start[j] - length * step[j];
            if (!tp_case_slip_equations(cases, count, slipping, F)) return false;
            if ((size = tp_dense_norm(count, F)) < before) break;
        }
        if (!(size < before)) { /* no descent: at the limit of rounding, or stuck */
            for (int j = 0; j < count; j++) cases->angle[slipping[j]] = start[j];
            size = before;
            break;
        }
    }
    return size <= tp_slip_enough * scale;
}

/* Directions of each of several slipping contacts from which Newton starts. */
static int directions_of(int slip_count)
{
    static const int directions[] = {0, 24, 8, 5, 4, 3, 2, 2, 2};
    return directions[slip_count];
}

double tp_case_solves(int slip_count)
{
    const double usual_rounds = 10.0; /* of Newton's method, with two differences for each direction */
    if (slip_count < 2) return 1.0;
    return pow(directions_of(slip_count), slip_count) * usual_rounds * (2.0 * slip_count + 1.0);
}

/* Several slipping contacts: Newton from a grid of directions. What it misses is not counted. */
static void solve_several_slips(tp_cases *cases, int count, const int *slipping, tp_case_visit *visit,
                                void *context)
{
    int per_contact = directions_of(count), total = 1;
    cases->is_complete = false;
    for (int j = 0; j < count; j++) total *= per_contact;
    for (int start = 0; start < total; start++) {
        for (int j = 0, code = start; j < count; j++, code /= per_contact)
            cases->angle[slipping[j]] =
                6.283185307179586 * (code % per_contact + 0.21 + 0.13 * j) / per_contact;
        if (!find_angles(cases, count, slipping) || !solve_linear(cases)) continue;
        report_point(cases, visit, context);
    }
}

void tp_case_solve(tp_cases *cases, tp_case_visit *visit, void *context)
{
    int slipping[MAX_SLIPPING], count = 0;
    for (int m = 0; m < cases->item_count; m++) {
        const tp_case_item *item = &cases->items[m];
        cases->angle[m] = 0.0;
        if (item->state != TP_CASE_SLIP || item->size != 3 || !(item->disc.mu > 0.0)) continue;
        if (count == MAX_SLIPPING) {
            cases->is_complete = false;
            return;
        }
        slipping[count++] = m;
    }
    if (count == 0) {
        if (solve_linear(cases)) report_point(cases, visit, context);
    } else if (count > 1 || !solve_one_slip(cases, slipping[0], visit, context)) {
        solve_several_slips(cases, count, slipping, visit, context);
    }
}
