/* Positions of heaps that flow; theory/correction.md (15). Their contacts come, go, slide and roll, so that
   every step has new errors, and what one correction leaves is taken back by the next ones: a few sweeps over
   normal rows alone, those of the step's problem, with the gaps of its end. */
#include "correction_flow.h"

#include "solver/workspace.h"

#include <math.h>
#include <string.h>

/* The normal row of a contact. */
typedef struct row {
    int count;
    const int *column;
    const double *W;
    double error, d, L;
    bool presses;
} row;

typedef struct flow {
    tp_stepper *stepper;
    row *rows;
    int count;
    double *lightness; /* [u_count] 1/M */
    double *x;         /* [u_count] */
    double softness;   /* s of all rows, in parts of d; (7) */
} flow;

/* ---- what flows ---- */

/* Is the law a contact of the step that moves by more than what the solver left? It slides, opens or comes to
   rest. */
static bool contact_moves(const tp_stepper *stepper, int index, double still)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    const tp_step_contact *contact = &stepper->correction->contacts[index];
    if (law->level != TP_LEVEL_GAP || contact->first < 0) return false;
    double slip = 0.0;
    for (int k = 1; k < law->row_count; k++) slip += contact->xi[k] * contact->xi[k];
    return fabs(contact->xi[0]) > still || (!contact->sticks && slip > still * still);
}

/* ---- islands: velocities that contacts of the step join; the root of an island is its own parent ---- */

static int root_of(int *parent, int j)
{
    for (; parent[j] != j; j = parent[j]) parent[j] = parent[parent[j]];
    return j;
}

static void join(const tp_stepper *stepper, int law, int *parent)
{
    const int *columns = tp_system_law_columns(stepper->system, law);
    int count = tp_system_law_column_count(stepper->system, law);
    for (int k = 1; k < count; k++) {
        int a = root_of(parent, columns[0]), b = root_of(parent, columns[k]);
        parent[a < b ? b : a] = a < b ? a : b;
    }
}

/* Does one of the islands of a law move? */
static bool touches(const tp_stepper *stepper, int law, int *parent, const unsigned char *is_moving)
{
    const int *columns = tp_system_law_columns(stepper->system, law);
    int last = tp_system_law_column_count(stepper->system, law) - 1;
    return last >= 0 && (is_moving[root_of(parent, columns[0])] || is_moving[root_of(parent, columns[last])]);
}

/* Contacts of the step, and those nearby that were not in it. */
static void mark(tp_stepper *stepper, double still, int *parent, unsigned char *is_moving)
{
    const tp_system *system = stepper->system;
    const tp_step_problem *step = stepper->problem;
    tp_step_contact *contacts = stepper->correction->contacts;
    memset(is_moving, 0, (size_t)system->u_count);
    for (int j = 0; j < system->u_count; j++) parent[j] = j;
    for (int i = 0; i < step->problem.set_count; i++) {
        if (step->law[i] < system->law_count) join(stepper, step->law[i], parent);
    }
    for (int i = 0; i < system->law_count; i++) {
        if (contact_moves(stepper, i, still) && tp_system_law_column_count(system, i) > 0)
            is_moving[root_of(parent, tp_system_law_columns(system, i)[0])] = true;
    }
    for (int i = 0; i < system->law_count; i++) {
        if (tp_system_law(system, i)->level == TP_LEVEL_GAP)
            contacts[i].flows = touches(stepper, i, parent, is_moving);
    }
}

static bool is_any_moving(const tp_stepper *stepper, double still)
{
    int i = 0;
    while (i < stepper->system->law_count && !contact_moves(stepper, i, still)) i++;
    return i < stepper->system->law_count;
}

void tp_correction_find_flow(tp_stepper *stepper, double least)
{
    tp_stack *stack = &stepper->solver_memory->stack;
    double still = fmax(least, stepper->correction->left);
    if (stepper->problem->problem.set_count < TP_CORRECTION_MANY || !is_any_moving(stepper, still) ||
        !tp_correction_is_mass_diagonal(stepper))
        return;
    tp_stack_mark before = tp_stack_mark_now(stack);
    int *parent = TP_STACK_ARRAY(stack, int, stepper->system->u_count);
    unsigned char *is_moving = TP_STACK_ARRAY(stack, unsigned char, stepper->system->u_count);
    if (!stack->failed) mark(stepper, still, parent, is_moving);
    tp_stack_release(stack, before);
}

/* ---- sweeps ---- */

static bool take(flow *f)
{
    tp_stack *stack = &f->stepper->solver_memory->stack;
    int n = f->stepper->system->u_count;
    f->rows = tp_stack_take(stack, (size_t)f->stepper->system->law_count, sizeof(row));
    f->lightness = TP_STACK_ARRAY(stack, double, n);
    return !stack->failed;
}

/* The row of a contact of the step is that of its problem, the row of one that has closed within the step is
   that of the end. False: no memory. */
static bool find_row(flow *f, int law, row *out)
{
    tp_stepper *stepper = f->stepper;
    const tp_sparse *A = &stepper->problem->problem.A;
    const tp_step_contact *contact = &stepper->correction->contacts[law];
    if (contact->first >= 0) {
        int start = A->start[contact->first];
        out->count = A->start[contact->first + 1] - start;
        out->column = A->index + start;
        out->W = A->value + start;
        out->d = contact->mobility;
        return true;
    }
    double chi[TP_LAW_ROWS], *rows = stepper->correction->positions->row;
    out->count = tp_system_law_column_count(stepper->system, law);
    out->column = tp_system_law_columns(stepper->system, law);
    tp_system_law_rows(stepper->system, law, rows, chi);
    double *W = TP_STACK_ARRAY(&stepper->solver_memory->stack, double, out->count);
    if (W == NULL) return false;
    for (int k = 0; k < out->count; k++) {
        W[k] = rows[k];
        out->d += rows[k] * rows[k] * f->lightness[out->column[k]];
    }
    out->W = W;
    return out->d > 0.0;
}

/* Contacts that flow and have an error; the largest. */
static double collect(flow *f, double dt)
{
    tp_stepper *stepper = f->stepper;
    const tp_system *system = stepper->system;
    double worst = 0.0;
    for (int i = 0; i < system->law_count; i++) {
        const tp_step_contact *contact = &stepper->correction->contacts[i];
        if (tp_system_law(system, i)->level != TP_LEVEL_GAP || !contact->flows) continue;
        double gap = tp_system_law_position(stepper->system, i),
               kept = tp_stepper_closing_gap(stepper, i) + 0.5 * dt * contact->pressed;
        bool presses = contact->first >= 0 && contact->pressed > 0.0 && gap <= kept;
        if (!isfinite(gap) || (contact->first < 0 && gap >= 0.0)) continue;
        row *to = &f->rows[f->count];
        *to = (row){.error = tp_correction_bounded(stepper, gap,
                                                   tp_correction_limit(stepper, tp_system_law(system, i), 0)),
                    .presses = presses};
        if (!find_row(f, i, to)) continue;
        f->count++;
        worst = fmax(worst, presses ? fabs(gap) : -gap);
    }
    return worst;
}

/* The motion along a row that takes its error back; returns its length. */
static inline double relax(const flow *f, row *r)
{
    const int *column = r->column;
    const double *W = r->W;
    double s = f->softness * r->d, error = r->error + s * r->L;
    for (int e = 0; e < r->count; e++) error += W[e] * f->x[column[e]];
    double L = r->L - error / (r->d + s);
    if (!r->presses && L < 0.0) L = 0.0;
    double change = L - r->L;
    r->L = L;
    for (int e = 0; e < r->count; e++) f->x[column[e]] += f->lightness[column[e]] * W[e] * change;
    return fabs(change) * r->d;
}

static void sweep(const flow *f, double enough)
{
    double most = INFINITY;
    for (int k = 0; k < TP_CORRECTION_SWEEPS && most > enough; k++) {
        most = 0.0;
        for (int i = 0; i < f->count; i++) most = fmax(most, relax(f, &f->rows[i]));
        for (int i = f->count - 1; i >= 0; i--) most = fmax(most, relax(f, &f->rows[i]));
    }
}

double tp_correction_sweep_flow(tp_stepper *stepper, double dt, double least, tp_state *to)
{
    tp_stack *stack = &stepper->solver_memory->stack;
    tp_system *system = stepper->system;
    tp_stack_mark before = tp_stack_mark_now(stack);
    flow f = {.stepper = stepper, .x = stepper->correction->x};
    double error = 0.0;
    if (take(&f)) {
        memset(f.x, 0, (size_t)system->u_count * sizeof(double));
        for (int j = 0; j < system->u_count; j++)
            f.lightness[j] = 1.0 / stepper->correction->M[stepper->correction->diagonal[j]];
        error = collect(&f, dt);
        if (error > least) {
            f.softness =
                fmax(tp_correction_softness, tp_correction_damping * error / stepper->model->summary.size);
            sweep(&f, fmax(tp_correction_flow_left * error, least));
            tp_system_change(system, f.x, 1.0, to->q);
        }
    }
    tp_stack_release(stack, before);
    return error;
}
