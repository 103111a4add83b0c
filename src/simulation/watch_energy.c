/* Energy that grows without work, or vanishes where nothing takes it; docs/guide/warnings.md. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>

/* Energy may grow since its least value, and vanish in one step, by this part of the energy in motion. What
   schemes make of smooth motions is (omega dt)^2/8 of it: a step of 0.6 rad of the fastest vibration.
   Doubled, impacts that add a tenth pass. */
static const double energy_fraction = 0.05;

/* Numerical damping may take this part of it in all steps in which nothing else can. */
static const double free_fraction = 0.1;

void tp_watch_energies(tp_simulation *simulation, double kinetic, double potential)
{
    tp_watch *watch = &simulation->watch;
    tp_system *system = simulation->stepper.system;
    const tp_model *model = system->model;
    bool may_damp = model->dissipation.count + model->linear.count + model->elements.count > 0;
    watch->is_damped = may_damp && tp_system_dissipated_power(system) != 0.0;
    watch->kinetic_most = fmax(watch->kinetic_most, kinetic);
    watch->potential_least = fmin(watch->potential_least, potential);
    watch->potential_most = fmax(watch->potential_most, potential);
    tp_watch_see_sizes(watch, system);
}

/* The largest kinetic energy and the largest difference of potential energies so far; the work of applied
   loads, which is known to the order of the scheme; and what forces do in the first steps [J]. */
static double energy_in_motion(const tp_watch *watch)
{
    double moved = fmax(watch->kinetic_most, watch->potential_most - watch->potential_least);
    return moved + watch->applied + watch->start_energy;
}

/* Name of the contact, limit or law with the largest first percussion in the last step; "": none acted. */
static const char *strongest_law(const tp_simulation *simulation)
{
    const tp_model *model = simulation->stepper.model;
    const double *P = simulation->state[simulation->present].percussion;
    const char *name = "";
    double most = 0.0;
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = tp_model_law(model, i);
        double size = fabs(P[i * TP_LAW_ROWS]);
        if (law->set.kind == TP_SET_FREE || !(size > most)) continue;
        most = size;
        name =
            law->source == TP_SOURCE_PAIR ? TP_LIST_AT(model->pairs, tp_pair, law->element)->name : law->name;
    }
    return name;
}

/* Velocities of schemes on positions are means of two steps: in an impact their energy is low for two states.
   So the least of the largest of three in a row counts. */
static void keep_least(tp_watch *watch)
{
    double most = fmax(watch->balance, fmax(watch->before[0], watch->before[1]));
    watch->balance_least = fmin(watch->balance_least, most);
    watch->before[1] = watch->before[0];
    watch->before[0] = watch->balance;
}

static void see_growth(tp_simulation *simulation, double in_motion)
{
    tp_watch *watch = &simulation->watch;
    const tp_step_report *step = &simulation->last;
    double growth = watch->balance - watch->balance_least;
    keep_least(watch);
    if (!(growth > energy_fraction * in_motion)) return;
    tp_warning warning = tp_warning_of(TP_WARNING_ENERGY_GROWS);
    warning.figure = growth;
    if (step->impact_count > 0)
        snprintf(warning.subject, sizeof warning.subject, "%s", strongest_law(simulation));
    tp_simulation_warn(simulation, &warning);
    watch->balance_least = watch->balance; /* what grows from here on is another growth */
}

/* Velocities of a law's rows where the system is; not larger than those already there. */
static void see_velocities(tp_simulation *simulation, int law, double *gamma)
{
    tp_system *system = simulation->stepper.system;
    double chi[TP_LAW_ROWS];
    int count = tp_system_law_column_count(system, law);
    tp_system_law_rows(system, law, simulation->W, chi);
    for (int k = 0; k < tp_model_law(system->model, law)->row_count; k++) {
        double now = chi[k] + tp_row_velocity(count, tp_system_law_columns(system, law),
                                              simulation->W + k * count, system->u);
        gamma[k] = fmax(gamma[k], fabs(now));
    }
}

static void move_to(const tp_simulation *simulation, const tp_state *state)
{
    tp_simulation_refer_to(simulation, state);
    tp_system_move(simulation->stepper.system, state->t, state->q, state->u);
}

/* The most that one law can have taken in the last step: percussions times the larger of the velocities
   before and after. */
static double loss_of_law(tp_simulation *simulation, int law)
{
    const tp_state *to = &simulation->state[simulation->present],
                   *from = &simulation->state[1 - simulation->present];
    const double *P = to->percussion + (size_t)law * TP_LAW_ROWS;
    int rows = tp_model_law(simulation->stepper.model, law)->row_count;
    double gamma[TP_LAW_ROWS] = {0.0}, loss = 0.0;
    bool acts = false;
    for (int k = 0; k < rows; k++) acts = acts || P[k] != 0.0;
    if (!acts) return 0.0;
    move_to(simulation, from);
    see_velocities(simulation, law, gamma);
    move_to(simulation, to);
    see_velocities(simulation, law, gamma);
    for (int k = 0; k < rows; k++) loss += fabs(P[k]) * gamma[k];
    return loss;
}

/* The most that contacts, friction, limits and dampers can have taken in the last step, as far as it matters.
 */
static double explained_loss(tp_simulation *simulation, double enough)
{
    const tp_model *model = simulation->stepper.model;
    const tp_state *to = &simulation->state[simulation->present],
                   *from = &simulation->state[1 - simulation->present];
    tp_system *system = simulation->stepper.system;
    move_to(simulation, from);
    double power = tp_system_dissipated_power(system);
    move_to(simulation, to);
    double loss = simulation->step_size * fmax(power, tp_system_dissipated_power(system));
    for (int i = 0; i < model->laws.count && loss < enough; i++) {
        if (tp_model_law(model, i)->set.kind != TP_SET_FREE) loss += loss_of_law(simulation, i);
    }
    return loss;
}

static void warn_of_loss(tp_simulation *simulation, double loss)
{
    tp_warning warning = tp_warning_of(TP_WARNING_ENERGY_VANISHES);
    warning.figure = loss;
    tp_simulation_warn(simulation, &warning);
    simulation->watch.free_most =
        simulation->watch.free_balance; /* what vanishes from here on is another loss */
}

/* In one step, whatever acts in it. */
static bool see_sudden_loss(tp_simulation *simulation, double loss, double in_motion)
{
    double most = energy_fraction * in_motion;
    if (!(loss > most)) return false;
    double unexplained = loss - explained_loss(simulation, loss - most);
    if (!(unexplained > most)) return false;
    warn_of_loss(simulation, unexplained);
    return true;
}

/* Little by little, in steps in which neither contacts nor friction nor dampers act. */
static void see_slow_loss(tp_simulation *simulation, double change, double in_motion)
{
    tp_watch *watch = &simulation->watch;
    if (watch->is_damped || strongest_law(simulation)[0] != '\0') return;
    watch->free_balance += change;
    watch->free_most = fmax(watch->free_most, watch->free_balance);
    double loss = watch->free_most - watch->free_balance;
    if (loss > free_fraction * in_motion) warn_of_loss(simulation, loss);
}

static void warn_of_step(tp_simulation *simulation)
{
    tp_warning warning = tp_warning_of(TP_WARNING_UNSOLVED_STEP);
    warning.figure = simulation->last.residual;
    tp_simulation_warn(simulation, &warning);
}

void tp_watch_step(tp_simulation *simulation, double energy_before)
{
    tp_watch *watch = &simulation->watch;
    const tp_step_report *step = &simulation->last;
    double change = step->energy - energy_before - step->applied_work;
    watch->applied += fabs(step->applied_work);
    watch->balance += change;
    double in_motion = energy_in_motion(watch);
    if (step->status == TP_NOT_CONVERGED) warn_of_step(simulation);
    /* a drive that begins at rest: the work of its first steps is known to their order, and all there is */
    if (!simulation->model->is_autonomous && simulation->report.steps <= TP_WATCH_START) return;
    see_growth(simulation, in_motion);
    if (!see_sudden_loss(simulation, -change, in_motion)) see_slow_loss(simulation, change, in_motion);
}
