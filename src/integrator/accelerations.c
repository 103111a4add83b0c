/* Accelerations and forces of all laws at a state; docs/theory/second-level.md (24)-(30). */
#include "accelerations.h"
#include "static_friction.h"
#include "tolerances.h"

#include "system/second_level.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Each gains a factor of tp_pull_factor. */
enum { PULLS = 12 };

static tp_status take_memory(tp_accelerations *acc, const tp_allocator *allocator, const tp_model *model)
{
    TP_TRY(tp_system_create(allocator, model, &acc->system));
    TP_TRY(tp_redundancy_create(allocator, acc->system, &acc->redundancy));
    TP_TRY(tp_saddle_create(allocator, acc->system, acc->redundancy, &acc->saddle));
    TP_TRY(tp_workspace_create(allocator, &acc->memory));
    size_t m = (size_t)acc->system->u_count;
    acc->M = TP_ARENA_ARRAY(&acc->arena, double, tp_sparse_count(&acc->system->mass_pattern));
    TP_ARENA_DOUBLES(&acc->arena, m, &acc->h, &acc->a);
    return tp_arena_status(&acc->arena);
}

/* Room for the laws that the system has now; nothing where there is enough. */
static tp_status take_laws(tp_accelerations *acc)
{
    int laws = acc->system->law_count;
    if (acc->problem != NULL && acc->law_room >= laws && tp_step_problem_fits(acc->problem, acc->system))
        return TP_OK;
    size_t rows = (size_t)laws * TP_LAW_ROWS;
    tp_arena_reset(&acc->laws, 0);
    acc->problem = NULL;
    acc->law_room = laws;
    TP_ARENA_DOUBLES(&acc->laws, rows, &acc->g2, &acc->slide, &acc->pull, &acc->force);
    TP_TRY(tp_arena_status(&acc->laws));
    return tp_step_problem_create(&acc->laws, acc->system, NULL, &acc->problem);
}

tp_status tp_accelerations_create(const tp_allocator *allocator, const tp_model *model,
                                  tp_accelerations **accelerations_out)
{
    *accelerations_out = NULL;
    tp_accelerations *acc = TP_ARENA_OBJECT(tp_accelerations, allocator);
    if (acc == NULL) return TP_OUT_OF_MEMORY;
    tp_arena_init(&acc->laws, allocator);
    tp_arena_init(&acc->pairs, allocator);
    tp_status status = take_memory(acc, allocator, model);
    if (status != TP_OK) tp_accelerations_free(acc);
    *accelerations_out = status == TP_OK ? acc : NULL;
    return status;
}

void tp_accelerations_free(tp_accelerations *acc)
{
    if (acc == NULL) return;
    tp_saddle_free(acc->saddle);
    tp_redundancy_free(acc->redundancy);
    tp_system_free(acc->system);
    tp_workspace_free(acc->memory);
    tp_arena_clear(&acc->laws);
    tp_arena_clear(&acc->pairs);
    tp_arena_clear(&acc->arena);
}

/* ---- contacts ---- */

static bool has_pairs_of(const tp_system *system, const tp_system *steps)
{
    if (system->pair_count != steps->pair_count) return false;
    for (int i = 0; i < system->pair_count; i++) {
        if (memcmp(&system->pairs[i].key, &steps->pairs[i].key, sizeof(tp_pair_key)) != 0) return false;
    }
    return true;
}

tp_status tp_accelerations_follow(tp_accelerations *acc, const tp_system *steps)
{
    if (acc->system->contacts == NULL || has_pairs_of(acc->system, steps)) return TP_OK;
    if (acc->pair_room < steps->pair_count) {
        tp_arena_reset(&acc->pairs, 0);
        acc->pair_room = 2 * steps->pair_count;
        acc->pair = TP_ARENA_ARRAY(&acc->pairs, tp_pair_key, acc->pair_room);
        TP_TRY(tp_arena_status(&acc->pairs));
    }
    for (int i = 0; i < steps->pair_count; i++) acc->pair[i] = steps->pairs[i].key;
    return tp_system_set_contacts(acc->system, steps->pair_count, acc->pair);
}

tp_status tp_accelerations_see(tp_accelerations *acc, double contact_tolerance)
{
    bool changed;
    if (acc->system->contacts == NULL) return TP_OK;
    const tp_contact_reach reach = {.margin = contact_tolerance * acc->system->model->summary.size};
    return tp_system_find_contacts(acc->system, &reach, NULL, &changed);
}

/* ---- which laws take part, and how ---- */

int tp_slip_group(const tp_set *set, int k)
{
    bool has_normal = set->kind == TP_SET_CONTACT || set->kind == TP_SET_CONE;
    if (set->kind != TP_SET_FRICTION && (!has_normal || k == 0)) return k;
    int f = has_normal ? k - 1 : k, first = has_normal ? 1 : 0;
    if (set->friction_kind == TP_FRICTION_BRICK) return k;
    return set->friction_kind == TP_FRICTION_CYLINDER && f >= 2 ? first + 1 : first;
}

static bool is_one_sided(const tp_set *set, int k)
{
    return set->kind == TP_SET_ORTHANT ||
           ((set->kind == TP_SET_CONTACT || set->kind == TP_SET_CONE) && k == 0);
}

/* A law at the present point: gamma of its rows and what counts as 0 there. */
typedef struct moving_law {
    const tp_law *law;
    int index, count;
    double *W;
    double gamma[TP_LAW_ROWS], none[TP_LAW_ROWS];
    const double *last; /* impulses of the last step, if the contact was pressed in it; else NULL */
} moving_law;

static const double *last_impulse(const tp_last_step *last, const tp_law *law, int index)
{
    if (law->source == TP_SOURCE_PAIR) index += last->contact_shift;
    if (!(last->size > 0.0) || law->level != TP_LEVEL_GAP || !last->is_closed[index]) return NULL;
    const double *impulse = last->impulse + (size_t)index * TP_LAW_ROWS;
    return impulse[0] > 0.0 ? impulse : NULL;
}

/* How fast the velocity of a row may change, roughly. */
static double row_change(const tp_accelerations *acc, const moving_law *m, int k)
{
    const int *columns = tp_system_law_columns(acc->system, m->index);
    return fabs(acc->g2[m->index * TP_LAW_ROWS + k]) + DBL_MIN +
           tp_row_change(acc->system, acc->M, m->count, columns, m->W + k * m->count, acc->h);
}

/* How fast the velocities of a law may change: its own rows, or what its bounded force or friction makes of
   them where nothing else acts along the slip. */
static double law_change(const tp_accelerations *acc, const moving_law *m)
{
    const tp_set *set = &m->law->set;
    const int *columns = tp_system_law_columns(acc->system, m->index);
    double largest = 0.0, bound = 0.0;
    for (int k = 0; k < 6 && m->law->is_force_bound && set->kind == TP_SET_FRICTION; k++)
        bound = fmax(bound, fabs(set->parameter[k]));
    for (int k = 0; k < m->law->row_count; k++) {
        double mobility = tp_row_mobility(acc->system, acc->M, m->count, columns, m->W + k * m->count);
        largest = fmax(largest, row_change(acc, m, k) + mobility * bound);
    }
    return largest;
}

/* The friction of the last step was inside its set by a millionth: nothing slipped. */
static bool stuck(const moving_law *m)
{
    double z[TP_LAW_ROWS];
    if (m->last == NULL || m->law->set.kind != TP_SET_CONTACT) return false;
    if (tp_law_has_static(m->law)) return tp_law_sticks(m->law, NULL, m->last, 1.0, tp_slip_tolerance);
    for (int k = 0; k < m->law->row_count; k++) z[k] = (k == 0 ? 1.0 : 1.0 + tp_slip_tolerance) * m->last[k];
    return tp_set_contains(&m->law->set, 1.0, z, 0.0);
}

static void find_motion(tp_accelerations *acc, const tp_last_step *last, moving_law *m)
{
    const tp_system *system = acc->system;
    const int *columns = tp_system_law_columns(system, m->index);
    double chi[TP_LAW_ROWS];
    tp_system_law_rows(acc->system, m->index, m->W, chi);
    for (int k = 0; k < m->law->row_count; k++) {
        const double *W = m->W + k * m->count;
        m->gamma[k] = chi[k] + tp_row_velocity(m->count, columns, W, system->u);
        m->none[k] = tp_slip_tolerance * (fabs(chi[k]) + tp_row_size(m->count, columns, W, system->u));
    }
    bool sticks = stuck(m); /* (29) */
    for (int k = 0; k < m->law->row_count && m->last != NULL; k++) {
        if (k == 0) m->none[k] = fmax(m->none[k], last->size * row_change(acc, m, k));
        if (k > 0 && sticks) m->none[k] = INFINITY;
    }
}

/* Directions of the rows that run; (28). False: a contact that opens, it has no force. */
static bool find_slides(tp_accelerations *acc, const moving_law *m)
{
    const tp_set *set = &m->law->set;
    double *slide = acc->slide + (size_t)m->index * TP_LAW_ROWS;
    for (int k = 0; k < m->law->row_count; k++) {
        double norm = 0.0, none = 0.0;
        slide[k] = 0.0;
        for (int i = 0; i < m->law->row_count; i++) {
            if (tp_slip_group(set, i) != tp_slip_group(set, k)) continue;
            norm = hypot(norm, m->gamma[i]);
            none = fmax(none, m->none[i]);
        }
        if (!(norm > none)) continue;
        if (is_one_sided(set, k) && m->gamma[k] < 0.0)
            acc->impact_count++; /* it will jump; as if it did not approach */
        else if (is_one_sided(set, k) && set->kind != TP_SET_ORTHANT)
            return false;
        else
            slide[k] = m->gamma[k] / norm;
    }
    return true;
}

static bool takes_part(tp_accelerations *acc, int index, double contact_tolerance, const tp_last_step *last)
{
    const tp_law *law = tp_system_law(acc->system, index);
    if (last_impulse(last, law, index) != NULL) return isfinite(tp_system_law_position(acc->system, index));
    return law->level != TP_LEVEL_GAP || tp_system_law_position(acc->system, index) <=
                                             tp_law_closing_gap(acc->system->model, law, contact_tolerance);
}

static bool slips(const tp_law *law, const double *slide)
{
    for (int k = law->level == TP_LEVEL_GAP ? 1 : 0; k < law->row_count; k++)
        if (slide[k] != 0.0) return true;
    return false;
}

/* Adds a law to the problem; free ones always. False: it has no part in it. */
static bool add_law(tp_accelerations *acc, int index, double contact_tolerance, const tp_last_step *last)
{
    const tp_law *law = tp_system_law(acc->system, index);
    moving_law m = {.law = law,
                    .index = index,
                    .count = tp_system_law_column_count(acc->system, index),
                    .W = acc->problem->row,
                    .last = last_impulse(last, law, index)};
    double *g2 = acc->g2 + (size_t)index * TP_LAW_ROWS, *pull = acc->pull + (size_t)index * TP_LAW_ROWS,
           b[TP_LAW_ROWS];
    bool is_free = law->set.kind == TP_SET_FREE;
    if (!is_free && !takes_part(acc, index, contact_tolerance, last)) return false;
    bool is_exact = tp_system_law_drift(acc->system, index, g2);
    find_motion(acc, last, &m);
    memset(acc->slide + (size_t)index * TP_LAW_ROWS, 0, TP_LAW_ROWS * sizeof(double));
    if (!is_free && !find_slides(acc, &m)) return false;
    acc->is_exact = acc->is_exact && is_exact;
    const double *slide = acc->slide + (size_t)index * TP_LAW_ROWS;
    double change = law_change(acc, &m);
    for (int k = 0; k < law->row_count; k++) {
        pull[k] = tp_pull_factor * change;
        b[k] = g2[k] + pull[k] * slide[k];
    }
    acc->problem->is_static[index] = tp_law_has_static(law) && !slips(law, slide);
    /* from 0: the answer does not depend on what was asked before */
    tp_step_problem_add(acc->problem, acc->system, index, m.W, b, (const double[TP_LAW_ROWS]){0.0}, 1.0);
    tp_step_problem_leave_out_redundant(acc->problem, acc->redundancy);
    return !is_free;
}

/* ---- the problem with sets ---- */

static double row_acceleration(const tp_accelerations *acc, int row)
{
    const tp_sparse *A = &acc->problem->problem.A;
    return tp_row_velocity(A->start[row + 1] - A->start[row], A->index + A->start[row],
                           A->value + A->start[row], acc->a);
}

/* b of rows that slip, so that xi points along the slip with the present accelerations; returns by how much
   the direction was off. */
static double pull_again(tp_accelerations *acc)
{
    tp_problem *p = &acc->problem->problem;
    double worst = 0.0;
    for (int i = 0; i < p->set_count; i++) {
        const tp_set *set = &p->sets[i];
        size_t law = (size_t)acc->problem->law[i] * TP_LAW_ROWS;
        for (int k = 0; k < set->size; k++) {
            double along = 0.0, largest = 0.0;
            if (set->kind == TP_SET_FREE) break;
            for (int e = 0; e < set->size; e++) { /* one distance for all rows of a group */
                if (tp_slip_group(set, e) != tp_slip_group(set, k)) continue;
                along = fmax(along, fabs(acc->slide[law + (size_t)e]));
                largest = fmax(largest, acc->pull[law + (size_t)e]);
            }
            if (along == 0.0) continue;
            double b = largest * acc->slide[law + (size_t)k] - row_acceleration(acc, set->first + k);
            worst = fmax(worst, fabs(b - p->b[set->first + k]) / largest);
            p->b[set->first + k] = b;
        }
    }
    return worst;
}

static tp_status solve_with_sets(tp_accelerations *acc)
{
    tp_solver_options options = tp_solver_options_default();
    tp_report report;
    tp_status status = TP_OK;
    options.tolerance = tp_acceleration_aim;
    options.warm_start = true;
    options.exact_local = true;
    options.branch = TP_BRANCH_NEAREST;
    for (int pass = 0; pass < PULLS; pass++) {
        status =
            tp_solve(&acc->problem->problem, NULL, &options, acc->memory, acc->problem->P, acc->a, &report);
        acc->residual = report.error;
        if (status != TP_OK && status != TP_NOT_CONVERGED) return status;
        if (pull_again(acc) <= tp_pull_goal) break;
    }
    return report.error <= tp_acceleration_error ? TP_OK : TP_NOT_CONVERGED;
}

static void keep_forces(tp_accelerations *acc)
{
    const tp_problem *p = &acc->problem->problem;
    memset(acc->force, 0, (size_t)acc->system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < p->set_count; i++) {
        for (int k = 0; k < p->sets[i].size; k++)
            acc->force[acc->problem->law[i] * TP_LAW_ROWS + k] = acc->problem->P[p->sets[i].first + k];
    }
}

static tp_status find(tp_accelerations *acc, double contact_tolerance, const tp_last_step *last)
{
    tp_system *system = acc->system;
    bool has_sets = false;
    acc->is_exact = true;
    acc->impact_count = 0;
    acc->residual = 0.0;
    tp_system_mass(system, acc->M);
    tp_system_force(system, acc->h);
    TP_TRY(tp_redundancy_find(acc->redundancy, acc->M));
    TP_TRY(take_laws(acc));
    tp_step_problem_begin(acc->problem, &system->mass_pattern, acc->M, acc->h);
    for (int i = 0; i < system->law_count; i++) has_sets |= add_law(acc, i, contact_tolerance, last);
    tp_status status = TP_SINGULAR;
    if (!has_sets) {
        bool is_exact;
        status = tp_saddle_update(acc->saddle, acc->M, &is_exact);
        if (status == TP_OK) status = tp_saddle_solve(acc->saddle, acc->h, acc->a, acc->force);
    }
    if (status != TP_OK) {
        do TP_TRY(solve_with_sets(acc));
        while (tp_static_release(acc->problem, system, tp_on_boundary, 1.0));
        keep_forces(acc);
    }
    tp_redundancy_share(acc->redundancy, acc->force);
    return TP_OK;
}

tp_status tp_accelerations_find(tp_accelerations *acc, double contact_tolerance, const tp_last_step *last)
{
    static const tp_last_step none = {.size = 0.0};
    acc->status = find(acc, contact_tolerance, last != NULL ? last : &none);
    acc->is_found = true;
    return acc->status;
}

void tp_accelerations_output(tp_accelerations *acc, int index, int level, double *y_out)
{
    tp_system *system = acc->system;
    const tp_law *law = tp_system_law(system, index);
    double *W = acc->problem->row, rest[TP_LAW_ROWS];
    int columns = tp_system_law_column_count(system, index),
        positions = law->level == TP_LEVEL_VELOCITY ? 0 : (law->level == TP_LEVEL_GAP ? 1 : law->row_count);
    for (int k = 0; k < TP_LAW_ROWS; k++) y_out[k] = NAN;
    if (level == 0) {
        tp_system_law_positions(system, index, rest);
        for (int k = 0; k < positions; k++) y_out[k] = rest[k];
        return;
    }
    const double *v = level == 1 ? system->u : acc->a;
    const int *column = tp_system_law_columns(system, index);
    tp_system_law_rows(system, index, W, rest);
    if (level == 2) tp_system_law_drift(system, index, rest);
    for (int k = 0; k < law->row_count; k++) {
        y_out[k] = rest[k];
        for (int j = 0; j < columns; j++) y_out[k] += W[k * columns + j] * v[column[j]];
    }
}
