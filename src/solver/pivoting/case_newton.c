/* Newton's method in a given case; docs/theory/solvers.md (28d). */
#include "solver/pivoting/case_newton.h"

#include "math/dense.h"
#include "set/friction_set.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 3 };

tp_status tp_case_newton_take(tp_case_newton *newton, tp_reduced_system *system, tp_stack *stack)
{
    const tp_local *local = system->local;
    size_t rows = (size_t)local->row_count;
    *newton = (tp_case_newton){.system = system};
    newton->items = TP_STACK_ARRAY(stack, tp_case_item, rows);
    newton->choice = TP_STACK_ARRAY(stack, int, rows);
    TP_STACK_DOUBLES(stack, rows, &newton->xi, &newton->at, &newton->slip);
    newton->held = TP_STACK_ARRAY(stack, double, local->set_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    return tp_case_list(local, true, newton->items, &newton->item_count);
}

/* ---- the order of cases ---- */

static bool has_slipped(const tp_case_item *item, const double *P)
{
    const tp_set *set = item->set;
    if (set->kind == TP_SET_CONTACT) {
        double axis[TP_FRICTION_MAX], sum = 0.0;
        tp_friction_set friction = tp_friction_of(set);
        tp_friction_semi_axes(&friction, axis);
        for (int k = 1; k < set->size && axis[k - 1] > 0.0; k++)
            sum += P[set->first + k] / axis[k - 1] * (P[set->first + k] / axis[k - 1]);
        return sqrt(sum) >= (1.0 - tp_case_rim) * P[set->first];
    }
    double radius = tp_set_scale(set, P) * set->parameter[0];
    return tp_dense_norm(set->size, P + set->first) >= (1.0 - tp_case_rim) * radius;
}

/* The state of an item at P. */
static tp_case_state state_at(const tp_case_item *item, const double *P)
{
    double p = P[item->first];
    if (item->set->kind == TP_SET_CONTACT && !(p > 0.0)) return TP_CASE_OPEN;
    if (item->set->kind == TP_SET_CONTACT || item->set->kind == TP_SET_FRICTION) {
        int row = item->first + (item->set->kind == TP_SET_CONTACT);
        if (!has_slipped(item, P)) return TP_CASE_STICK;
        bool is_planar = row + 1 == item->first + item->size;
        return !is_planar || P[row] > 0.0 ? TP_CASE_SLIP_FORWARD : TP_CASE_SLIP_BACKWARD;
    }
    return p <= item->lower ? TP_CASE_LOWER : p >= item->upper ? TP_CASE_UPPER : TP_CASE_BASIC;
}

void tp_case_newton_prefer(tp_case_newton *newton, bool by_load, const double *P)
{
    for (int m = 0; m < newton->item_count; m++) {
        tp_case_item *item = &newton->items[m];
        tp_case_state state = state_at(item, P);
        if (by_load && item->set->kind == TP_SET_CONTACT && state != TP_CASE_OPEN) state = TP_CASE_STICK;
        for (int k = 1; k < item->state_count; k++) {
            if (item->states[k] != state) continue;
            memmove(item->states + 1, item->states, (size_t)k * sizeof(tp_case_state));
            item->states[0] = state;
        }
    }
}

double tp_case_newton_count(const tp_case_newton *newton)
{
    double count = 1.0;
    for (int m = 0; m < newton->item_count; m++) count *= newton->items[m].state_count;
    return count;
}

/* The last items take as much of the rank as they can. */
static void spread_rank(tp_case_newton *newton, int from, int rank)
{
    for (int m = newton->item_count - 1; m >= from; m--) {
        int most = newton->items[m].state_count - 1;
        newton->choice[m] = rank < most ? rank : most;
        rank -= newton->choice[m];
    }
}

static void take_states(tp_case_newton *newton)
{
    for (int m = 0; m < newton->item_count; m++)
        newton->items[m].state = newton->items[m].states[newton->choice[m]];
}

void tp_case_newton_first(tp_case_newton *newton)
{
    memset(newton->choice, 0, (size_t)newton->item_count * sizeof(int));
    take_states(newton);
}

bool tp_case_newton_next(tp_case_newton *newton)
{
    int behind = 0, m = newton->item_count - 1, rank = 0, most = 0;
    for (; m >= 0; behind += newton->choice[m], m--) { /* another case of the same rank */
        if (behind > 0 && newton->choice[m] < newton->items[m].state_count - 1) break;
    }
    if (m >= 0) {
        newton->choice[m]++;
        spread_rank(newton, m + 1, behind - 1);
    } else {
        for (int k = 0; k < newton->item_count; k++) most += newton->items[k].state_count - 1;
        rank = behind + 1;
        if (rank > most) return false;
        spread_rank(newton, 0, rank);
    }
    take_states(newton);
    return true;
}

/* ---- one step ---- */

static bool is_slipping(const tp_case_item *item)
{
    return item->state >= TP_CASE_SLIP;
}

bool tp_case_newton_is_linear(const tp_case_newton *newton)
{
    for (int m = 0; m < newton->item_count; m++) {
        const tp_case_item *item = &newton->items[m];
        int tangents = item->size - (item->set->kind == TP_SET_CONTACT);
        bool is_curved = tangents > 1 && item->state != TP_CASE_SLIP;
        if (is_slipping(item) && (is_curved || item->set->master_count > 0)) return false;
    }
    return true;
}

/* Scalar rows: inside their bounds, or on one of them. */
static void place_row(const tp_case_newton *newton, const tp_case_item *item)
{
    double *p = newton->at + item->first, *slip = newton->slip + item->first;
    bool has_lower = item->lower > -HUGE_VAL, has_upper = item->upper < HUGE_VAL;
    if (item->state != TP_CASE_BASIC) {
        *p = item->state == TP_CASE_LOWER ? item->lower : item->upper;
        *slip = item->state == TP_CASE_LOWER ? 1.0 : -1.0;
    } else if (has_lower && has_upper) {
        *p = 0.5 * (item->lower + item->upper);
    } else if (has_lower || has_upper) {
        *p = has_lower ? item->lower + newton->size : item->upper - newton->size;
    }
}

/* Direction of friction of a slipping block with semi-axes `axis` and the size of its velocity. In the plane
   it is that of the case; in space it is against the velocity, and the case says from where it starts. */
static double direction(const tp_case_newton *newton, const tp_case_item *item, int first, int count,
                        const double *axis, double *d)
{
    bool is_backward = item->state == TP_CASE_SLIP_BACKWARD;
    for (int k = 0; k < count; k++) d[k] = -axis[k] * newton->xi[first + k];
    double speed = tp_dense_norm(count, d), length = speed;
    if (count == 1 || !(length > 0.0)) {
        memset(d, 0, (size_t)count * sizeof(double));
        d[0] = length = 1.0;
    }
    bool is_turned = is_backward && (count == 1 || newton->is_start);
    for (int k = 0; k < count; k++) d[k] *= (is_turned ? -1.0 : 1.0) / length;
    return fmax(speed, DBL_MIN);
}

/* Friction of the rows of `item` from `first` on, for the load `load` (of a contact its normal impulse, of a
   joint its reaction). */
static void place_friction(const tp_case_newton *newton, const tp_case_item *item, int first, double load)
{
    int count = item->set->first + item->set->size - first;
    double axis[TP_FRICTION_MAX], d[TP_FRICTION_MAX] = {0.0};
    tp_friction_set friction = tp_friction_of(item->set);
    tp_friction_semi_axes(&friction, axis);
    for (int k = 0; k < count; k++) newton->at[first + k] = newton->slip[first + k] = 0.0;
    if (!is_slipping(item)) return;
    double speed = direction(newton, item, first, count, axis, d);
    for (int k = 0; k < count; k++) {
        newton->at[first + k] = load * axis[k] * d[k];
        newton->slip[first + k] = axis[k] > 0.0 ? -speed * d[k] / axis[k] : 0.0;
    }
}

/* The point next to P at which the laws are in their case: linearised there they stay in it. */
static void place(tp_case_newton *newton, const double *P)
{
    const tp_local *local = newton->system->local;
    size_t bytes = (size_t)local->row_count * sizeof(double);
    memcpy(newton->at, P, bytes);
    memset(newton->slip, 0, bytes);
    for (int i = 0; i < local->set_count; i++) {
        double size = tp_set_scale(&local->sets[i], P);
        newton->held[i] = local->sets[i].master_count > 0 ? fmax(size, tp_case_load * newton->size) : size;
    }
    for (int m = 0; m < newton->item_count; m++) {
        const tp_case_item *item = &newton->items[m];
        int first = item->first;
        if (item->set->kind == TP_SET_FRICTION) {
            place_friction(newton, item, first, newton->held[item->set - local->sets]);
        } else if (item->set->kind != TP_SET_CONTACT) {
            place_row(newton, item);
        } else if (item->state == TP_CASE_OPEN) {
            memset(newton->at + first, 0, (size_t)item->size * sizeof(double));
            newton->slip[first] = 1.0;
        } else {
            newton->at[first] = fmax(P[first], tp_case_load * newton->size);
            place_friction(newton, item, first + 1, newton->at[first]);
        }
    }
}

tp_status tp_case_newton_step(tp_case_newton *newton, bool is_start, double shift, tp_stack *stack, double *P)
{
    const tp_local *local = newton->system->local;
    newton->is_start = is_start;
    newton->size = local->scale / local->rho;
    tp_local_velocity(local, P, newton->xi);
    place(newton, P);
    newton->system->held = newton->held;
    newton->system->refinements = REFINEMENTS;
    tp_reduced_system_linearise(newton->system, newton->at, newton->slip, 0.0, NULL);
    tp_status status = tp_reduced_system_solve(newton->system, shift * local->rho, stack, P);
    newton->system->held = NULL;
    newton->system->refinements = 0;
    return status;
}
