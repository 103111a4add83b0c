/* Energy that grows without work, or vanishes where nothing takes it; docs/guide/warnings.md. */
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <string.h>

void tp_watch_energies(tp_simulation *simulation, double kinetic, double potential)
{
    tp_watch *watch = &simulation->watch;
    tp_system *system = simulation->stepper.system;
    const tp_model *model = system->model;
    bool may_damp = model->dissipation.count + model->linear.count + model->elements.count > 0;
    double power = may_damp ? tp_system_dissipated_power(system) : 0.0;
    watch->damping = fmax(power, watch->power);
    watch->power = power;
    watch->kinetic_most = fmax(watch->kinetic_most, kinetic);
    watch->potential_least = fmin(watch->potential_least, potential);
    watch->potential_most = fmax(watch->potential_most, potential);
    if (watch->has_sizes) tp_watch_see_sizes(watch, system);
}

/* The largest kinetic energy and the largest difference of potential energies so far; the work of applied
   loads, which is known to the order of the scheme; and what forces do in the first steps [J]. */
static double energy_in_motion(const tp_watch *watch)
{
    double moved = fmax(watch->kinetic_most, watch->potential_most - watch->potential_least);
    return moved + watch->applied + watch->start_energy;
}

/* The contact, limit or law with the largest first impulse in the last step; -1: none acted. */
static int strongest_law(const tp_simulation *simulation, const tp_state *state)
{
    const tp_system *system = simulation->stepper.system;
    int strongest = -1;
    double most = 0.0;
    for (int i = 0; i < system->law_count; i++) {
        double size = fabs(state->impulse[i * TP_LAW_ROWS]);
        if (tp_system_law(system, i)->set.kind == TP_SET_FREE || !(size > most)) continue;
        most = size;
        strongest = i;
    }
    return strongest;
}

/* Whether there is one. */
static bool has_acted(const tp_simulation *simulation, const tp_state *state)
{
    const tp_system *system = simulation->stepper.system;
    int i = 0;
    while (i < system->law_count && !(fabs(state->impulse[i * TP_LAW_ROWS]) > 0.0 &&
                                      tp_system_law(system, i)->set.kind != TP_SET_FREE))
        i++;
    return i < system->law_count;
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

/* Contacts that push for several steps hold energy which they give back. */
static bool holds_energy(const tp_simulation *simulation)
{
    const tp_state *state = &simulation->state[simulation->present];
    if (!simulation->integrator->impacts_last) return false;
    if (simulation->integrator->laws_store) return simulation->stepper.system->law_count > 0;
    for (int i = 0; i < simulation->stepper.system->law_count; i++) {
        bool is_gap = tp_system_law(simulation->stepper.system, i)->level == TP_LEVEL_GAP;
        if (is_gap && state->impulse[i * TP_LAW_ROWS] > 0.0) return true;
    }
    return false;
}

static void see_growth(tp_simulation *simulation, double in_motion)
{
    tp_watch *watch = &simulation->watch;
    const tp_step_report *step = &simulation->last;
    double growth = watch->balance - watch->balance_least;
    if (!holds_energy(simulation)) keep_least(watch);
    if (!(growth > tp_energy_fraction * in_motion)) return;
    char law[TP_CONTACT_NAME] = "";
    int strongest =
        step->impact_count > 0 ? strongest_law(simulation, &simulation->state[simulation->present]) : -1;
    if (strongest >= 0) tp_watch_name(simulation->stepper.system, strongest, law);
    tp_watch_warn(simulation, &(tp_finding){TP_WARNING_ENERGY_GROWS, law, growth, NULL, NAN});
    watch->balance_least = watch->balance; /* what grows from here on is another growth */
}

/* What contacts, friction and limits took in the last step, and the most that dampers can have taken. */
static double explained_loss(tp_simulation *simulation)
{
    const tp_system *system = simulation->stepper.system;
    double loss = simulation->step_size * simulation->watch.damping;
    for (int i = 0; i < system->law_count; i++) {
        if (tp_system_law(system, i)->set.kind != TP_SET_FREE || simulation->integrator->laws_store)
            loss += simulation->stepper.account.dissipation[i];
    }
    return loss;
}

/* A velocity that is prescribed by an input jumps with it, which takes energy as an impact does. */
static double taken_by_inputs(const tp_simulation *simulation)
{
    const tp_model *model = simulation->model;
    double taken = 0.0;
    for (int i = 0; i < model->laws.count && model->inputs.count > 0; i++) {
        const tp_law *law = tp_model_law(model, i);
        if (law->set.kind == TP_SET_FREE && tp_model_law_has_input(model, law))
            taken += simulation->stepper.account.dissipation[i];
    }
    return taken;
}

static void warn_of_loss(tp_simulation *simulation, double loss)
{
    tp_watch_warn(simulation, &(tp_finding){TP_WARNING_ENERGY_VANISHES, "", loss, NULL, NAN});
    simulation->watch.free_most =
        simulation->watch.free_balance; /* what vanishes from here on is another loss */
}

/* Whether velocities are means that an impact of the last two steps makes small. */
static bool has_mean_velocities(const tp_simulation *simulation)
{
    return simulation->integrator->levels.input_max == 0 &&
           (has_acted(simulation, &simulation->state[0]) || has_acted(simulation, &simulation->state[1]));
}

static double least_of_three(const double *values)
{
    return fmin(values[0], fmin(values[1], values[2]));
}

static double largest_of_three(const double *values)
{
    return fmax(values[0], fmax(values[1], values[2]));
}

/* Where impulses act at states, the velocities there are means of those before and after: in an impact energy
   is low in one state, in which the law's whole loss is booked. What lasts is a loss: between three states
   and the three before them. */
static bool see_lasting_drop(tp_simulation *simulation, double loss, double most)
{
    enum { STATES = 6 };
    double *left = simulation->watch.unexplained, now = left[0] - loss + explained_loss(simulation);
    memmove(left + 1, left, (STATES - 1) * sizeof *left);
    left[0] = now;
    double drop = least_of_three(left + 3) - largest_of_three(left);
    if (!(drop > most)) return false;
    warn_of_loss(simulation, drop);
    for (int k = 1; k < STATES; k++) left[k] = now;
    return true;
}

/* In one step, whatever acts in it. */
static bool see_sudden_loss(tp_simulation *simulation, double loss, double in_motion)
{
    double most = tp_energy_fraction * in_motion;
    if (simulation->integrator->has_impulses_at_states) return see_lasting_drop(simulation, loss, most);
    if (!(loss > most) || has_mean_velocities(simulation)) return false;
    double unexplained = loss - explained_loss(simulation);
    if (!(unexplained > most)) return false;
    warn_of_loss(simulation, unexplained);
    return true;
}

/* Little by little, in steps in which neither contacts nor friction nor dampers act. */
static void see_slow_loss(tp_simulation *simulation, double change, double in_motion)
{
    tp_watch *watch = &simulation->watch;
    if (watch->damping > 0.0 || has_acted(simulation, &simulation->state[simulation->present])) return;
    if (simulation->integrator->has_impulses_at_states &&
        has_acted(simulation, &simulation->state[1 - simulation->present]))
        return;
    watch->free_balance += change;
    watch->free_most = fmax(watch->free_most, watch->free_balance);
    double loss = watch->free_most - watch->free_balance;
    if (loss > tp_free_fraction * in_motion) warn_of_loss(simulation, loss);
}

/* In impacts, beyond what their laws take: all that is known of a loss where options ask for damping. */
static void see_impact_loss(tp_simulation *simulation, double loss, double in_motion)
{
    tp_watch *watch = &simulation->watch;
    if (simulation->last.impact_count == 0) return;
    watch->impact_loss += loss - explained_loss(simulation);
    if (!(watch->impact_loss > tp_free_fraction * in_motion)) return;
    warn_of_loss(simulation, watch->impact_loss);
    watch->impact_loss = 0.0;
}

/* Contacts that rebound with all their speed, and joints: nothing takes energy. */
static bool is_lossless(const tp_model *model)
{
    for (int i = 0; i < tp_model_stated_count(model); i++) {
        const tp_law *law = tp_model_stated_law(model, i);
        bool is_elastic =
            law != NULL && law->level == TP_LEVEL_GAP && law->row_count == 1 && law->restitution[0] == 1.0;
        if (law != NULL && law->set.kind != TP_SET_FREE && !is_elastic) return false;
    }
    return model->dissipation.count + model->linear.count == 0;
}

/* Contacts that push for several steps are judged when they have opened. */
static void see_lasting_loss(tp_simulation *simulation, double in_motion)
{
    tp_watch *watch = &simulation->watch;
    if (holds_energy(simulation) || watch->damping > 0.0 || !is_lossless(simulation->model)) return;
    double loss = watch->balance_most - watch->balance;
    watch->balance_most = fmax(watch->balance_most, watch->balance);
    if (!(loss > tp_free_fraction * in_motion)) return;
    warn_of_loss(simulation, loss);
    watch->balance_most = watch->balance;
}

/* The first one gives its name to all of them: of a heap it is another contact in every step. */
static void warn_of_island(tp_simulation *simulation, const tp_step_report *step)
{
    char *name = simulation->watch.unsolved;
    if (name[0] == '\0') tp_simulation_name_unsolved(simulation, name, sizeof simulation->watch.unsolved);
    tp_watch_warn(simulation, &(tp_finding){TP_WARNING_UNSOLVED_ISLAND, name, step->unsolved_error, NULL,
                                            tp_simulation_time(simulation)});
}

void tp_watch_step(tp_simulation *simulation, double energy_before)
{
    tp_watch *watch = &simulation->watch;
    const tp_step_report *step = &simulation->last;
    double change = step->energy - energy_before - step->applied_work + taken_by_inputs(simulation);
    watch->applied += fabs(step->applied_work);
    watch->balance += change;
    double in_motion = energy_in_motion(watch);
    if (simulation->stepper.is_usable)
        warn_of_island(simulation, step);
    else if (step->status == TP_NOT_CONVERGED)
        tp_watch_warn(simulation, &(tp_finding){TP_WARNING_UNSOLVED_STEP, "", step->residual, NULL, NAN});
    /* a drive that begins at rest: the work of its first steps is known to their order, and all there is */
    if (!simulation->model->is_autonomous && simulation->report.steps <= TP_WATCH_START) return;
    see_growth(simulation, in_motion);
    if (simulation->integrator->impacts_last) see_lasting_loss(simulation, in_motion);
    const tp_integrator *integrator = simulation->integrator;
    if (integrator->damps_vibrations != NULL && integrator->damps_vibrations(&simulation->options))
        see_impact_loss(simulation, -change, in_motion);
    else if (!see_sudden_loss(simulation, -change, in_motion))
        see_slow_loss(simulation, change, in_motion);
}
