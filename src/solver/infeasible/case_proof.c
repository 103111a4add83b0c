/* No case of the laws has a solution, by linear programmes; theory/solvers.md (28e). */
#include "case_proof.h"

#include "math/dense.h"
#include "set/friction_set.h"
#include "set/row_bounds.h"
#include "solver/infeasible/farkas.h"
#include "solver/infeasible/joint_elimination.h"
#include "solver/sweeps/one_contact.h"
#include "solver/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PARTS = 60 };

/* Directions of friction in space are quadrants at first. Where a case is not excluded they are halved, up to
   so often: what is lost is 1 - cos(pi/(4 * 2^HALVINGS)) of friction. */
enum { QUADRANTS = 4, HALVINGS = 4 };

static const double quarter_turn = 1.5707963267948966;

/* A block of the rows that are left when joints are eliminated, and in how many cases it is divided. */
typedef struct proof_part {
    const tp_set *set;
    int first, size; /* rows that are left                                                        */
    int bound;       /* row of the lower bound of friction that follows the reaction of a joint; -1: none */
    int cases;       /* 0: not divided                                                              */
    double mu;
} proof_part;

typedef struct proof {
    int n, part_count, programmes, most;
    double *H, *b; /* [n*n], [n] xi = H l + b in the directions of a case */
    double *y;
    tp_farkas_row *rows;
    tp_elimination joints;
    proof_part parts[MOST_PARTS];
    int choice[MOST_PARTS];                     /* of each part; -1: nothing is said of its law yet */
    double from[MOST_PARTS], width[MOST_PARTS]; /* directions of friction of a contact in space [rad] */
    int halvings[MOST_PARTS];
    double least; /* impulses that are to be excluded */
    double rho;
    tp_stack *stack;
    const tp_local *local;
    tp_case_trial *visit; /* NULL: a case that is not excluded ends the search */
    void *self;
    tp_case_state *states; /* [set_count] */
    bool is_solved, is_cut;
} proof;

/* ---- the cases of a part ---- */

enum { OPEN, STICK, FORWARD, BACKWARD }; /* in space all of STICK, then of slip, quadrant by quadrant */
enum { SPACE_CASES = 1 + 2 * QUADRANTS };
enum { FRICTION_STICK, FRICTION_SLIP }; /* from here on the signs of slip: bit k for row k against P > 0 */

static bool add_part(proof *p, const tp_set *set, int first, int *bound)
{
    tp_contact_disc disc;
    proof_part part = {.set = set, .first = first, .size = set->size, .bound = -1};
    if (set->kind == TP_SET_CONTACT) {
        if (!tp_contact_disc_of(set, &disc) || disc.stretch[0] != 1.0 || disc.stretch[1] != 1.0) return false;
        part.mu = disc.mu;
        part.cases = set->size == 2 ? BACKWARD + 1 : SPACE_CASES;
    } else if (set->kind == TP_SET_FRICTION) {
        part.cases = FRICTION_SLIP + (1 << set->size);
        if (tp_elimination_has_bound(set)) part.bound = (*bound)++;
    } else if (!(TP_ACCEPT_SCALAR & TP_ACCEPT(set->kind))) {
        return false;
    }
    if (p->part_count == MOST_PARTS) return false;
    p->parts[p->part_count++] = part;
    return true;
}

/* Contacts first, what they exclude need not be asked of friction in joints; friction in several rows, which
   has most cases, last. */
static int round_of(const tp_set *set)
{
    if (set->kind == TP_SET_CONTACT) return 0;
    return set->kind == TP_SET_FRICTION && set->size > 1 ? 2 : 1;
}

static bool list_parts(proof *p, const tp_local *local)
{
    for (int round = 0; round < 3; round++) {
        int first = 0, bound = p->joints.kept_count;
        for (int i = 0; i < local->set_count; i++) {
            const tp_set *set = &local->sets[i];
            if (set->kind == TP_SET_FREE) continue;
            if (round_of(set) == round && !add_part(p, set, first, &bound)) return false;
            first += set->size;
        }
    }
    return true;
}

/* Rows of P = C l with l in the ranges of the rows, and of R xi; [size*size] column-major. */
typedef struct directions {
    double C[9], R[9];
} directions;

static const tp_farkas_row at_rest = {0.0, HUGE_VAL, true, true}, unloaded = {0.0, 0.0, false, false},
                           unloaded_positive = {0.0, 0.0, true, false},
                           unloaded_negative = {0.0, 0.0, false, true},
                           free_row = {-HUGE_VAL, HUGE_VAL, true, true},
                           unknown = {-HUGE_VAL, HUGE_VAL, false, false};

/* Friction in a sector of directions. Slip: P_T between the chord and the tangents of the disc, -xi_T between
   the same two directions. Stick: P_T within the tangents, xi = 0. */
static void sector(const proof *p, int m, bool slips, directions *d, tp_farkas_row *rows)
{
    const double mu = p->parts[m].mu, a = p->from[m], b = a + p->width[m], middle = 0.5 * (a + b),
                 outer = mu / cos(0.5 * p->width[m]), det = sin(b - a);
    const double C[9] = {1.0, mu * cos(a),         mu * sin(a),        1.0, mu * cos(b), mu * sin(b),
                         1.0, outer * cos(middle), outer * sin(middle)},
                 held[9] = {1.0,           0.0, 0.0, 1.0, outer * cos(a), outer * sin(a), 1.0, outer * cos(b),
                            outer * sin(b)};
    /* -xi_T = alpha e_a + beta e_b with alpha, beta >= 0 */
    const double R[9] = {1.0, 0.0, 0.0, 0.0, -sin(b) / det, sin(a) / det, 0.0, cos(b) / det, -cos(a) / det};
    memcpy(d->C, slips ? C : held, sizeof C);
    rows[0] = rows[1] = rows[2] = at_rest;
    if (!slips) return;
    memcpy(d->R, R, sizeof R);
    rows[1] = rows[2] = (tp_farkas_row){0.0, HUGE_VAL, true, false};
}

static void contact_case(const proof *p, int m, directions *d, tp_farkas_row *rows)
{
    const proof_part *part = &p->parts[m];
    int choice = p->choice[m];
    rows[0] = choice == OPEN ? unloaded_positive : at_rest;
    for (int k = 1; k < part->size; k++) rows[k] = choice == OPEN ? unloaded : free_row;
    if (choice == OPEN) return;
    if (part->size == 3) {
        sector(p, m, choice > QUADRANTS, d, rows);
        return;
    }
    d->C[1] = choice == BACKWARD ? -part->mu : part->mu;
    rows[1] = choice == FORWARD ? unloaded_negative : choice == BACKWARD ? unloaded_positive : at_rest;
    if (choice != STICK) return;
    d->C[2] = 1.0; /* between both slips */
    d->C[3] = -part->mu;
}

/* In every row P and xi have opposite signs; where P is on the rim of its set, the sum of its |P_k|/A_k is at
   least |J|. */
static void friction_case(proof *p, const proof_part *part, int choice)
{
    double axis[TP_FRICTION_MAX];
    tp_friction_set friction = tp_friction_of(part->set);
    tp_friction_semi_axes(&friction, axis);
    for (int k = 0; k < part->size; k++) {
        double unit[TP_FRICTION_MAX] = {0.0}, most = HUGE_VAL;
        unit[k] = 1.0;
        if (part->set->master_count == 0) most = tp_friction_support(&friction, unit);
        tp_farkas_row *row = &p->rows[part->first + k];
        bool is_forward = ((choice - FRICTION_SLIP) >> k) % 2 == 0;
        if (choice == FRICTION_STICK)
            *row = (tp_farkas_row){-most, most, true, true};
        else
            *row = is_forward ? (tp_farkas_row){0.0, most, false, true}
                              : (tp_farkas_row){-most, 0.0, true, false};
        if (part->bound >= 0 && choice != FRICTION_STICK)
            p->H[part->bound + (part->first + k) * p->n] += (is_forward ? 1.0 : -1.0) * axis[0] / axis[k];
    }
    if (part->bound >= 0 && choice != FRICTION_STICK) p->rows[part->bound] = unloaded_positive;
}

static void scalar_case(const proof_part *part, tp_farkas_row *rows)
{
    for (int k = 0; k < part->size; k++) {
        tp_row_bounds bounds = tp_set_row_bounds(part->set, k);
        rows[k] = (tp_farkas_row){bounds.lower, bounds.upper, isinf(bounds.upper), isinf(bounds.lower)};
    }
}

/* H <- R H C in the rows of a contact. */
static void turn_rows(proof *p, const proof_part *part, const directions *d)
{
    const int n = p->n, first = part->first, size = part->size;
    for (int i = 0; i < n; i++) {
        double row[3] = {0.0};
        for (int k = 0; k < size; k++) {
            for (int j = 0; j < size; j++) row[k] += p->H[i + (first + j) * n] * d->C[j + k * size];
        }
        for (int k = 0; k < size; k++) p->H[i + (first + k) * n] = row[k];
    }
    for (int j = 0; j <= n; j++) {
        double *column = j < n ? p->H + j * n + first : p->b + first, sum[3] = {0.0};
        for (int k = 0; k < size; k++) {
            for (int i = 0; i < size; i++) sum[k] += d->R[k + i * size] * column[i];
        }
        memcpy(column, sum, (size_t)size * sizeof(double));
    }
}

static void fill(proof *p)
{
    const size_t n = (size_t)p->n;
    memcpy(p->H, p->joints.S, n * n * sizeof(double));
    memcpy(p->b, p->joints.c, n * sizeof(double));
    for (int k = p->joints.kept_count; k < p->n; k++)
        p->rows[k] = k < p->n - p->joints.upper_count ? unloaded : unloaded_positive;
    for (int m = 0; m < p->part_count; m++) {
        const proof_part *part = &p->parts[m];
        directions d = {{0.0}, {0.0}};
        for (int k = 0; k < part->size; k++) p->rows[part->first + k] = unknown;
        if (part->cases == 0) scalar_case(part, p->rows + part->first);
        if (part->cases == 0 || p->choice[m] < 0) continue;
        if (part->set->kind == TP_SET_FRICTION) {
            friction_case(p, part, p->choice[m]);
            continue;
        }
        for (int k = 0; k < part->size; k++) d.C[k + k * part->size] = d.R[k + k * part->size] = 1.0;
        contact_case(p, m, &d, p->rows + part->first);
        turn_rows(p, part, &d);
    }
}

/* ---- the search ---- */

/* Is there no solution in the cases that were chosen? */
static bool is_excluded(proof *p)
{
    double radius = 0.0;
    fill(p);
    p->programmes++;
    tp_farkas_search(p->n, p->H, p->b, p->rows, p->rho, p->stack, p->y, &radius);
    return radius >= p->least;
}

/* The contact with the widest directions of friction; -1: all of them are narrow. */
static int widest_part(const proof *p)
{
    int widest = -1;
    for (int m = 0; m < p->part_count; m++) {
        bool has_directions = p->parts[m].set->kind == TP_SET_CONTACT && p->parts[m].size == 3 &&
                              p->choice[m] > OPEN && p->halvings[m] < HALVINGS;
        if (has_directions && (widest < 0 || p->halvings[m] < p->halvings[widest])) widest = m;
    }
    return widest;
}

/* A case of all parts that was not excluded, with directions of friction that are narrower. */
static bool is_excluded_in_halves(proof *p)
{
    int m = widest_part(p);
    if (m < 0) return false;
    const double from = p->from[m], width = p->width[m];
    bool is_proven = true;
    p->halvings[m]++;
    p->width[m] = 0.5 * width;
    for (int k = 0; k < 2 && is_proven; k++) {
        p->from[m] = from + 0.5 * k * width;
        is_proven = p->programmes < p->most && (is_excluded(p) || is_excluded_in_halves(p));
    }
    p->halvings[m]--;
    p->from[m] = from;
    p->width[m] = width;
    return is_proven;
}

/* Quadrants are those about the axes. */
static void choose(proof *p, int m, int choice)
{
    p->choice[m] = choice;
    p->halvings[m] = 0;
    p->width[m] = quarter_turn;
    p->from[m] = ((choice - 1) % QUADRANTS - 0.5) * quarter_turn;
}

/* What the choices say of each set; in space slip starts forward. */
static void write_states(const proof *p)
{
    memset(p->states, 0, (size_t)p->local->set_count * sizeof(tp_case_state));
    for (int m = 0; m < p->part_count; m++) {
        const proof_part *part = &p->parts[m];
        tp_case_state *state = &p->states[part->set - p->local->sets];
        int choice = p->choice[m];
        if (part->cases == 0) continue;
        if (part->set->kind == TP_SET_FRICTION) {
            *state = choice == FRICTION_STICK                    ? TP_CASE_STICK
                     : choice == FRICTION_SLIP || part->size > 1 ? TP_CASE_SLIP_FORWARD
                                                                 : TP_CASE_SLIP_BACKWARD;
        } else if (choice == OPEN) {
            *state = TP_CASE_OPEN;
        } else if (part->size == 3) {
            *state = choice > QUADRANTS ? TP_CASE_SLIP_FORWARD : TP_CASE_STICK;
        } else {
            *state = choice == STICK     ? TP_CASE_STICK
                     : choice == FORWARD ? TP_CASE_SLIP_FORWARD
                                         : TP_CASE_SLIP_BACKWARD;
        }
    }
}

/* All parts are chosen. */
static bool is_leaf_excluded(proof *p)
{
    if (p->visit != NULL) {
        write_states(p);
        p->is_solved = p->visit(p->self, p->states);
    }
    return !p->is_solved && is_excluded_in_halves(p);
}

/* Is there no solution, whatever the parts from `level` on do? */
static bool are_excluded(proof *p, int level)
{
    if (is_excluded(p)) return true;
    while (level < p->part_count && p->parts[level].cases == 0) level++;
    if (level == p->part_count) return is_leaf_excluded(p);
    bool is_proven = true;
    for (int k = 0; k < p->parts[level].cases && !p->is_solved && (is_proven || p->visit != NULL); k++) {
        choose(p, level, k);
        p->is_cut = p->is_cut || p->programmes >= p->most;
        is_proven = !p->is_cut && are_excluded(p, level + 1) && is_proven;
    }
    p->choice[level] = -1;
    return is_proven;
}

static bool run(proof *p, const tp_local *local, const double *P)
{
    if (!tp_eliminate_joints(local, P, p->stack, &p->joints) || !list_parts(p, local)) return false;
    const size_t n = (size_t)(p->n = p->joints.row_count);
    if (n == 0) return false;
    p->H = TP_STACK_ARRAY(p->stack, double, n *n + 2 * n);
    p->rows = TP_STACK_ARRAY(p->stack, tp_farkas_row, n);
    if (p->stack->failed) return false;
    p->b = p->H + n * n;
    p->y = p->b + n;
    p->rho = local->rho;
    p->least = tp_case_reach * tp_dense_norm(local->row_count, local->c) / local->rho;
    for (int m = 0; m < p->part_count; m++) p->choice[m] = -1;
    return are_excluded(p, 0);
}

tp_case_end tp_case_search(const tp_local *local, const double *P, int most, tp_case_trial *visit, void *self,
                           tp_stack *stack, tp_report *report)
{
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_case_end end = TP_CASES_LEFT;
    proof *p = TP_STACK_ARRAY(stack, proof, 1);
    tp_case_state *states = TP_STACK_ARRAY(stack, tp_case_state, local->set_count);
    if (!stack->failed) {
        *p = (proof){
            .stack = stack, .local = local, .most = most, .visit = visit, .self = self, .states = states};
        bool is_proven = run(p, local, P), is_whole = p->programmes > 0 && !p->is_cut;
        for (int m = 0; m < p->part_count; m++) is_whole = is_whole && p->parts[m].cases > 0;
        end = is_proven      ? TP_CASES_EXCLUDED
              : p->is_solved ? TP_CASES_SOLVED
              : is_whole     ? TP_CASES_VISITED
                             : TP_CASES_LEFT;
    }
    if (end == TP_CASES_EXCLUDED)
        snprintf(report->reason, sizeof report->reason,
                 "no case of contacts and of friction in joints has a solution (%d linear programmes): what "
                 "restitution asks for, friction prevents",
                 p->programmes);
    tp_stack_release(stack, mark);
    return end;
}

bool tp_case_proof(const tp_local *local, const double *P, int most, tp_stack *stack, tp_report *report)
{
    return tp_case_search(local, P, most, NULL, NULL, stack, report) == TP_CASES_EXCLUDED;
}
