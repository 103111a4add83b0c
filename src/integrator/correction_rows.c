/* Rows of a correction: what a step left of joints and contacts; theory/correction.md (1)-(4), (9). */
#include "correction_rows.h"
#include "correction_flow.h"

#include "solver/newton/linearise.h"

#include <math.h>

typedef tp_step_contact step_contact;

tp_status tp_correction_take_contacts(tp_correction *correction, tp_arena *arena)
{
    correction->contacts = TP_ARENA_ARRAY(arena, step_contact, correction->positions->capacity_sets);
    return tp_arena_status(arena);
}

bool tp_correction_is_mass_diagonal(const tp_stepper *stepper)
{
    const tp_sparse *pattern = &stepper->system->mass_pattern;
    const double *M = stepper->correction->M;
    for (int j = 0; j < pattern->cols; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            if (pattern->index[k] != j && M[k] != 0.0) return false;
        }
    }
    return true;
}

static double square(double x)
{
    return x * x;
}

/* Velocity of a row of a problem. */
double tp_correction_along(const tp_problem *problem, int row, const double *u)
{
    int start = problem->A.start[row];
    return tp_row_velocity(problem->A.start[row + 1] - start, problem->A.index + start,
                           problem->A.value + start, u);
}

/* W^T M^-1 W of a row, M by its diagonal. */
double tp_correction_mobility(const tp_stepper *stepper, const double *M, const tp_problem *problem, int row)
{
    const int *diagonal = stepper->correction->diagonal;
    double sum = 0.0;
    for (int e = problem->A.start[row]; e < problem->A.start[row + 1]; e++)
        sum += problem->A.value[e] * problem->A.value[e] / M[diagonal[problem->A.index[e]]];
    return sum;
}

/* Velocity of a row of the step problem at the start of the step. */
static double start_velocity(const tp_stepper *stepper, int row, const tp_state *from)
{
    return tp_correction_along(&stepper->problem->problem, row, from->u) + stepper->chi_end[row];
}

/* Velocities of a contact of the step problem and the point P - xi / d, whose projection the law says P is:
   it tells whether the contact is open, slides or sticks, whatever the solver left; (2). */
static step_contact read_contact(const tp_stepper *stepper, int index, const tp_state *from,
                                 const tp_state *to)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    const tp_problem *problem = &stepper->problem->problem;
    step_contact contact = {.first = -1};
    if (stepper->integrator->may_separate || stepper->problem->first_row[index] < 0) return contact;
    contact.first = stepper->problem->first_row[index];
    double d = tp_correction_mobility(stepper, stepper->correction->M, problem, contact.first),
           nearest[TP_LAW_ROWS], off = 0.0, size = 0.0;
    for (int k = 0; k < law->row_count; k++) {
        int row = contact.first + k;
        double e = law->restitution[k], before = e != 0.0 ? e * start_velocity(stepper, row, from) : 0.0;
        contact.xi[k] = tp_correction_along(problem, row, to->u) + stepper->chi_end[row] + before;
        contact.point[k] = stepper->problem->P[row] - contact.xi[k] / d;
        if (k == 0) contact.rebound = -before;
    }
    contact.pressed =
        d * fmax(fmin(stepper->problem->P[contact.first], from->impulse[index * TP_LAW_ROWS]), 0.0);
    contact.mobility = d;
    const tp_step_lengths one = {1.0 / d, 1.0 / d};
    tp_law_project(&law->set, 1.0, one, stepper->problem->P + contact.first, contact.xi, nearest);
    for (int k = 0; k < law->row_count; k++) {
        off += square(contact.point[k] - nearest[k]);
        size += square(contact.point[k]);
        contact.left += square(d * (stepper->problem->P[contact.first + k] - nearest[k]));
    }
    contact.left = sqrt(contact.left);
    contact.sticks = law->row_count > 1 && sqrt(off) <= tp_correction_rounding * sqrt(size);
    return contact;
}

/* A contact rests if it neither rebounds nor opens faster than all that the solver left of velocities. */
static bool rests(const step_contact *contact, double left)
{
    return contact->first >= 0 && contact->rebound <= fmax(fabs(contact->xi[0]), left) &&
           (contact->point[0] > 0.0 || contact->xi[0] <= left);
}

/* The gap of a contact that should not be below 0. Schemes that keep a closed gap as it is rest on a small
   overlap, since a contact that rounding opened would fall again; and a contact that closed in this step has
   its impact in the next one, if it is left closed until then; (13). */
static double gap_of(const tp_stepper *stepper, int index, const tp_state *to)
{
    double gap = tp_system_law_position(stepper->system, index);
    if (!stepper->integrator->may_separate) return gap;
    return to->is_closed[index] ? gap + tp_correction_overlap * stepper->model->summary.size : fmax(gap, 0.0);
}

/* What there is to correct. */
typedef struct survey {
    double left;  /* of the velocities of all contacts, as a norm: what the solver calls its error      */
    double worst; /* the largest error [m, rad] */
    double reach; /* up to here the correction could close a contact: twice its longest motion [m, rad]  */
} survey;

/* The contacts of the step problem: the norm of what was left of their velocities, and what their impulses
   took of them, in the mean. */
static void read_contacts(tp_stepper *stepper, const tp_state *from, const tp_state *to)
{
    const tp_system *system = stepper->system;
    tp_correction *correction = stepper->correction;
    step_contact *contacts = correction->contacts;
    double left = 0.0, pressed = 0.0;
    int count = 0;
    for (int i = 0; i < system->law_count; i++) {
        if (tp_system_law(system, i)->level != TP_LEVEL_GAP) continue;
        contacts[i] = read_contact(stepper, i, from, to);
        left += square(contacts[i].left);
        pressed += contacts[i].pressed;
        count += contacts[i].pressed > 0.0;
    }
    correction->left = left = sqrt(left);
    correction->pressed = count > 0 ? pressed / count : 0.0;
    for (int i = 0; i < system->law_count; i++) {
        if (tp_system_law(system, i)->level != TP_LEVEL_GAP) continue;
        contacts[i].rests = rests(&contacts[i], left);
        contacts[i].sticks = contacts[i].sticks && contacts[i].rests;
    }
}

static survey look(tp_stepper *stepper, const tp_state *to)
{
    tp_system *system = stepper->system;
    double worst = 0.0, g[TP_LAW_ROWS];
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        if (law->level == TP_LEVEL_GAP) {
            if (!stepper->correction->contacts[i].flows) worst = fmax(worst, -gap_of(stepper, i, to));
        } else if (tp_correction_is_joint(law)) {
            tp_system_law_positions(system, i, g);
            for (int k = 0; k < law->row_count; k++) worst = fmax(worst, fabs(g[k]));
        }
    }
    double limit = stepper->options->correction.limit * stepper->model->summary.size;
    worst = fmin(worst, limit);
    double longest = sqrt(worst * stepper->model->summary.size / stepper->correction->damping);
    return (survey){.left = stepper->correction->left, .worst = worst, .reach = 2.0 * fmax(worst, longest)};
}

static const double *metric_of(const tp_stepper *stepper, const tp_step_problem *problem)
{
    const tp_correction *correction = stepper->correction;
    return problem == correction->positions ? correction->metric : correction->M;
}

/* Rows of an error, at most so large in this step, into a problem; s follows from the row. */
static void add_rows(const tp_stepper *stepper, tp_step_problem *problem, int law, const tp_set *set,
                     const double *W, const double *b, double size)
{
    static const double none[TP_LAW_ROWS] = {0.0};
    tp_step_problem_add_rows(problem, stepper->system, law, set, W, b, none);
    tp_problem *p = &problem->problem;
    const tp_set *added = &p->sets[p->set_count - 1];
    double *block = p->D.value + p->D.offset[p->set_count - 1];
    for (int k = 0; k < added->size; k++) {
        double d = tp_correction_mobility(stepper, metric_of(stepper, problem), p, added->first + k);
        double part = size > 0.0
                          ? fmax(tp_correction_softness, stepper->correction->damping * fabs(b[k]) / size)
                          : tp_correction_softness;
        block[k * (added->size + 1)] = d > 0.0 ? part * d : 1.0; /* 1: a row that moves nothing */
    }
}

/* A row of the step problem over the columns of its law. */
static void copy_row(const tp_stepper *stepper, int law, int row, double *W_out)
{
    const tp_sparse *A = &stepper->problem->problem.A;
    int count = tp_system_law_column_count(stepper->system, law), e = A->start[row];
    const int *columns = tp_system_law_columns(stepper->system, law);
    for (int j = 0; j < count; j++) {
        bool is_there = e < A->start[row + 1] && A->index[e] == columns[j];
        W_out[j] = is_there ? A->value[e++] : 0.0;
    }
}

/* The part of an error that one step takes back. */
double tp_correction_bounded(const tp_stepper *stepper, double error, double limit)
{
    return stepper->options->correction.share * fmin(fmax(error, -limit), limit);
}

double tp_correction_limit(const tp_stepper *stepper, const tp_law *law, int row)
{
    const tp_correction_options *options = &stepper->options->correction;
    return tp_law_is_angle(law, row) ? options->limit : options->limit * stepper->model->summary.size;
}

static double joint_error(tp_stepper *stepper, int index)
{
    double g[TP_LAW_ROWS], error = 0.0;
    tp_system_law_positions(stepper->system, index, g);
    for (int k = 0; k < tp_system_law(stepper->system, index)->row_count; k++)
        error = fmax(error, fabs(g[k]));
    return error;
}

/* Both return the error that they add. */
static double add_joint(tp_stepper *stepper, int index)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    tp_step_problem *problem = stepper->correction->positions;
    double chi[TP_LAW_ROWS], g[TP_LAW_ROWS], error = 0.0;
    tp_system_law_positions(stepper->system, index, g);
    for (int k = 0; k < law->row_count; k++) {
        error = fmax(error, fabs(g[k]));
        g[k] = tp_correction_bounded(stepper, g[k], tp_correction_limit(stepper, law, k));
    }
    tp_system_law_rows(stepper->system, index, problem->row, chi);
    add_rows(stepper, problem, index, &law->set, problem->row, g, stepper->model->summary.size);
    return error;
}

/* The friction rows that were added last yield to overlaps as these do to each other: a body that sticks on
   all sides would keep an overlap for as long as it sticks; (7). */
static void yield_to_overlaps(const tp_stepper *stepper, double overlap)
{
    tp_problem *p = &stepper->correction->positions->problem;
    const tp_set *added = &p->sets[p->set_count - 1];
    double *block = p->D.value + p->D.offset[p->set_count - 1],
           part = stepper->correction->damping * overlap / stepper->model->summary.size;
    for (int k = 1; k < added->size; k++) {
        double d = tp_correction_mobility(stepper, stepper->correction->metric, p, added->first + k);
        block[k * (added->size + 1)] = fmax(block[k * (added->size + 1)], part * d);
    }
}

/* How a correction of positions takes a contact: so many rows (0: not at all), and its error there. */
typedef struct contact_part {
    int size;
    bool is_held;
    double error;
} contact_part;

static contact_part part_of(const tp_stepper *stepper, int index, double gap, double dt, const survey *seen)
{
    const step_contact *contact = &stepper->correction->contacts[index];
    if (contact->flows || !isfinite(gap) || (contact->first < 0 && !(gap < seen->reach)))
        return (contact_part){.size = 0, .error = 0.0};
    double slack = tp_stepper_closing_gap(stepper, index) + dt * seen->left;
    bool is_held = contact->rests && -gap <= slack && gap <= slack + 0.5 * dt * contact->pressed;
    int size = is_held && contact->sticks ? tp_system_law(stepper->system, index)->row_count : 1;
    double error = is_held ? fabs(gap) : fmax(-gap, 0.0);
    for (int k = 1; k < size; k++) error = fmax(error, fabs(stepper->end_weight * dt * contact->xi[k]));
    return (contact_part){size, is_held, error};
}

static double add_contact(tp_stepper *stepper, int index, double gap, double dt, const survey *seen)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    const step_contact *contact = &stepper->correction->contacts[index];
    tp_step_problem *problem = stepper->correction->positions;
    double chi[TP_LAW_ROWS], b[TP_LAW_ROWS];
    contact_part part = part_of(stepper, index, gap, dt, seen);
    if (part.size == 0) return 0.0;
    tp_system_law_rows(stepper->system, index, problem->row, chi);
    b[0] = tp_correction_bounded(stepper, gap, tp_correction_limit(stepper, law, 0));
    for (int k = 1; k < part.size; k++) { /* what it slid in this step although it sticks */
        copy_row(stepper, index, contact->first + k,
                 problem->row + k * tp_system_law_column_count(stepper->system, index));
        b[k] = stepper->end_weight * dt * contact->xi[k];
    }
    tp_set set = part.is_held ? tp_set_free(part.size) : tp_set_orthant(1);
    add_rows(stepper, problem, index, &set, problem->row, b,
             part.is_held ? 0.0 : stepper->model->summary.size);
    yield_to_overlaps(stepper, seen->worst);
    return part.error;
}

/* Are the velocities of a contact corrected? */
static bool is_corrected(const step_contact *contact)
{
    return contact->rests && !contact->flows;
}

/* Rows of such a contact. */
static int velocity_rows(const tp_stepper *stepper, int index)
{
    const step_contact *contact = &stepper->correction->contacts[index];
    return contact->sticks ? tp_system_law(stepper->system, index)->row_count : 1;
}

static double velocity_error(const tp_stepper *stepper, int index)
{
    const step_contact *contact = &stepper->correction->contacts[index];
    double error = 0.0;
    for (int k = 0; k < velocity_rows(stepper, index) && is_corrected(contact); k++)
        error = fmax(error, fabs(contact->xi[k]));
    return error;
}

/* What the solver left of the velocities of a contact that rests; (9). */
static void add_contact_velocity(tp_stepper *stepper, int index)
{
    const step_contact *contact = &stepper->correction->contacts[index];
    int count = tp_system_law_column_count(stepper->system, index), first = contact->first;
    tp_step_problem *problem = stepper->correction->velocities;
    tp_set set = tp_set_free(velocity_rows(stepper, index));
    double *chi = stepper->correction->chi + problem->problem.row_count;
    for (int k = 0; k < set.size; k++) {
        chi[k] = stepper->chi_end[first + k];
        copy_row(stepper, index, first + k, problem->row + k * count);
    }
    add_rows(stepper, problem, index, &set, problem->row, contact->xi, 0.0);
}

/* Where the positions are now; (9). */
static double add_joint_velocity(tp_stepper *stepper, int index, const double *u)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    int count = tp_system_law_column_count(stepper->system, index);
    const int *columns = tp_system_law_columns(stepper->system, index);
    tp_step_problem *problem = stepper->correction->velocities;
    double *chi = stepper->correction->chi + problem->problem.row_count, b[TP_LAW_ROWS], error = 0.0;
    tp_system_law_rows(stepper->system, index, problem->row, chi);
    for (int k = 0; k < law->row_count; k++) {
        b[k] = chi[k] + tp_row_velocity(count, columns, problem->row + k * count, u);
        error = fmax(error, fabs(b[k]));
    }
    add_rows(stepper, problem, index, &law->set, problem->row, b, 0.0);
    return error;
}

static void begin(tp_stepper *stepper, tp_step_problem *problem)
{
    tp_step_problem_begin(problem, &stepper->system->mass_pattern, metric_of(stepper, problem), NULL);
}

tp_step_errors tp_correction_errors(tp_stepper *stepper, const tp_state *from, double dt, double still,
                                    const tp_state *to)
{
    tp_system *system = stepper->system;
    read_contacts(stepper, from, to);
    if (!stepper->integrator->may_separate && stepper->model->constraint_count == 0)
        tp_correction_find_flow(stepper, still);
    survey seen = look(stepper, to);
    tp_step_errors errors = {0.0, 0.0};
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        if (law->level == TP_LEVEL_GAP) {
            contact_part part = part_of(stepper, i, gap_of(stepper, i, to), dt, &seen);
            errors.position = fmax(errors.position, part.error);
            errors.velocity = fmax(errors.velocity, velocity_error(stepper, i));
        } else if (tp_correction_is_joint(law)) {
            errors.position = fmax(errors.position, joint_error(stepper, i));
        }
    }
    return errors;
}

/* The rows have e1 + e e0 with the restitution e. */
double tp_correction_new_part(const tp_stepper *stepper, const tp_state *from, double still)
{
    const tp_system *system = stepper->system;
    double all = 0.0, own = 0.0, worst = 0.0;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        if (law->level != TP_LEVEL_GAP || !is_corrected(&stepper->correction->contacts[i])) continue;
        const step_contact *contact = &stepper->correction->contacts[i];
        for (int k = 0; k < velocity_rows(stepper, i); k++) {
            double e0 = start_velocity(stepper, contact->first + k, from),
                   e1 = contact->xi[k] - law->restitution[k] * e0;
            worst = fmax(worst, fabs(e0));
            all += e1 * e1;
            own += e1 * (e1 - e0);
        }
    }
    return worst > still ? INFINITY : all > 0.0 ? own / all : 0.0;
}

/* Joints and contacts at the end of the step, and the velocities of contacts; returns the largest error of
   positions. */
double tp_correction_collect(tp_stepper *stepper, double dt, const tp_state *to)
{
    tp_correction *correction = stepper->correction;
    tp_system *system = stepper->system;
    survey seen = look(stepper, to);
    double error = 0.0;
    begin(stepper, correction->positions);
    begin(stepper, correction->velocities);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        if (law->level == TP_LEVEL_GAP) {
            error = fmax(error, add_contact(stepper, i, gap_of(stepper, i, to), dt, &seen));
            if (is_corrected(&correction->contacts[i])) add_contact_velocity(stepper, i);
        } else if (tp_correction_is_joint(law)) {
            error = fmax(error, add_joint(stepper, i));
        }
    }
    return error;
}

/* The largest error of the velocities of joints at the corrected positions. */
double tp_correction_collect_joint_velocities(tp_stepper *stepper, const tp_state *to)
{
    tp_system *system = stepper->system;
    double error = 0.0;
    for (int i = 0; i < system->law_count; i++) {
        if (tp_system_law(system, i)->set.kind == TP_SET_FREE)
            error = fmax(error, add_joint_velocity(stepper, i, to->u));
    }
    return error;
}
