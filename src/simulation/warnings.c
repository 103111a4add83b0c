/* The kinds of warnings, and the list of those of a run; docs/guide/warnings.md. */
#include "simulation/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const tp_warning_info infos[TP_WARNING_KIND_COUNT] = {
    [TP_WARNING_UNSTABLE_TIME_STEP] =
        {"unstable-time-step", "", "the time step exceeds the stability limit of the stiffest smooth force",
         "a smaller time step, or an implicit integrator: moreau-jean with theta of 1/2 or more"},
    [TP_WARNING_REACTIONS_NOT_UNIQUE] =
        {"reactions-not-unique", "", "friction follows reactions of joints that are redundant",
         "remove redundant joint rows (spherical instead of revolute, cylindrical instead of prismatic), or "
         "give the friction a constant bound"},
    [TP_WARNING_KINKED_GAP] =
        {"kinked-gap", "", "the gap of a contact may have kinks",
         "a smaller time step, or shapes whose gap is smooth: points, balls and corners "
         "over planes and in tubes"},
    [TP_WARNING_RESTITUTIONS_DIFFER] = {"restitutions-differ", "",
                                        "contacts that may close together have different restitutions",
                                        "one restitution for all contacts, tangential_restitution included"},
    [TP_WARNING_RESTART_DIFFERS] = {"restart-differs", "", "the run is not the one that was stopped",
                                    "continue with the scene and the options of the file"},
    [TP_WARNING_TOUCHES_NOTHING] =
        {"touches-nothing", "", "shapes belong to no contact: other shapes pass through them",
         "name them in a contact (between, among), or write contact: false for shapes that only have "
         "mass or are drawn"},
    [TP_WARNING_OVERLAP_AT_START] = {"overlap-at-start", "m", "two shapes overlap in the initial state",
                                     "move them apart, or exclude the pair from the contact"},
    [TP_WARNING_COARSE_CONTACTS] = {"coarse-contacts", "m",
                                    "contacts are closed at gaps of more than 1 % of the smallest shape: the "
                                    "scene is far from the origin, "
                                    "or much larger than that shape",
                                    "a scene about the origin, or a smaller contact_tolerance"},
    [TP_WARNING_JOINT_TORN] =
        {"joint-torn", "m", "a joint is open by more than 1 % of the size of its bodies",
         "a smaller time step; correction: true (moreau, moreau-jean); or an integrator that holds "
         "joints on positions (consistent, consistent-two-step, schatzman-paoli)"},
    [TP_WARNING_JOINT_BENT] =
        {"joint-bent", "rad", "the axes of a joint are off by more than 0.01 rad",
         "a smaller time step; correction: true (moreau, moreau-jean); or an integrator that holds "
         "joints on positions (consistent, consistent-two-step, schatzman-paoli)"},
    [TP_WARNING_JOINT_VELOCITY] =
        {"joint-velocity", "m/s",
         "the velocity of a joint that should be zero exceeds 10 % of the speed of its bodies",
         "a smaller time step; correction: true (moreau, moreau-jean); or an integrator that holds joints on "
         "velocities as well (consistent, consistent-two-step)"},
    [TP_WARNING_CONTACT_SINKS] =
        {"contact-sinks", "m", "a contact has sunk in by more than 10 % of the smaller shape",
         "a smaller time step; correction: true (moreau, moreau-jean, consistent-two-step, "
         "consistent-hybrid); a shorter relaxation_time (relaxed-dai)"},
    [TP_WARNING_PASSED_THROUGH] =
        {"passed-through", "m", "two shapes passed through each other within a step, and no contact was seen",
         "a smaller time step: shapes should move by less than half of their thickness in it"},
    [TP_WARNING_POSITIONS_LEFT] =
        {"positions-left", "m",
         "the projection did not reach its tolerance, or the correction took nothing back in 50 steps",
         "correction: true in place of a projection; a smaller time step; joints and contacts that do not "
         "contradict each other"},
    [TP_WARNING_CONTACT_AT_REST] = {"contact-at-rest", "m/s",
                                    "the equations of the scheme move a contact that should rest or stick",
                                    "consistent_sticking: settled"},
    [TP_WARNING_ENERGY_GROWS] =
        {"energy-grows", "J",
         "energy has grown by more than 5 % of the energy in motion without work of applied loads",
         "a smaller time step; in impacts with friction: one restitution for all rows "
         "(tangential_restitution equal to restitution), or none"},
    [TP_WARNING_ENERGY_VANISHES] =
        {"energy-vanishes", "J",
         "energy in motion was lost that no contact, friction or damper takes: more than 5 % in one step, or "
         "10 % little by little",
         "a smaller time step, or consistent, which keeps energy"},
    [TP_WARNING_DIVIDED_STEP] =
        {"divided-step", "parts",
         "a step was too long for the motion, or had no solution that was found, and was taken in parts",
         "a smaller time step: the motion is faster than it, as in a mechanism that comes to a dead position "
         "or in contacts that relax while bodies move by their size"},
    [TP_WARNING_RESTITUTION_BY_DAMPING] =
        {"restitution-by-damping", "",
         "the options of relaxed-dai or penalty decide on restitution, not the contacts",
         "relaxed-dai without relaxation_damping, with Runge-Kutta steps: contacts then rebound as the scene "
         "says"},
    [TP_WARNING_UNSOLVED_STEP] = {"unsolved-step", "",
                                  "steps did not converge; their best points were accepted",
                                  "a smaller time step, another solver, more iterations (max_iterations)"},
    [TP_WARNING_UNSOLVED_ISLAND] =
        {"unsolved-island", "", "contacts that hang together ended above the tolerance and were used so",
         "none is needed for heaps below 1e-2; a looser tolerance says so, a smaller time step helps the "
         "solver, and simulate.unsolved.limit: 0 stops the run instead"},
};

const tp_warning_info *tp_warning_info_at(tp_warning_kind kind)
{
    return (int)kind >= 0 && kind < TP_WARNING_KIND_COUNT ? &infos[kind] : NULL;
}

void tp_warning_format(const tp_warning *warning, char *line_out)
{
    char figure[96] = "", later[96] = "";
    if (!isnan(warning->figure))
        snprintf(figure, sizeof figure, ", %.3g%s%s", warning->figure, warning->unit[0] != '\0' ? " " : "",
                 warning->unit);
    if (warning->count > 1) snprintf(later, sizeof later, " and later, in %lld steps", warning->count);
    snprintf(line_out, TP_WARNING_LINE, "%s%s%s%s, at %.9g s%s: %s; remedy: %s", warning->name,
             warning->subject[0] != '\0' ? ": " : "", warning->subject, figure, warning->time, later,
             warning->text, warning->remedy);
}

tp_warning tp_warning_of(tp_warning_kind kind)
{
    const tp_warning_info *info = &infos[kind];
    tp_warning warning = {.kind = kind,
                          .name = info->name,
                          .remedy = info->remedy,
                          .unit = info->unit,
                          .time = NAN,
                          .figure = NAN,
                          .count = 1};
    snprintf(warning.text, sizeof warning.text, "%s", info->text);
    return warning;
}

/* The entry that a warning belongs to, NULL if there is none; and how many entries its kind has. */
static tp_warning *find(tp_run_report *report, const tp_warning *warning, int *count_out)
{
    *count_out = 0;
    for (int i = 0; i < report->warning_count; i++) {
        tp_warning *known = &report->warnings[i];
        if (known->kind != warning->kind) continue;
        ++*count_out;
        bool is_same = strcmp(known->subject, warning->subject) == 0 &&
                       strcmp(known->unit, warning->unit) == 0 && strcmp(known->text, warning->text) == 0;
        if (is_same) return known;
    }
    return NULL;
}

void tp_simulation_warn(tp_simulation *simulation, const tp_warning *warning)
{
    (void)tp_simulation_place_warning(simulation, warning);
}

bool tp_simulation_warn_again(tp_simulation *simulation, int place, double figure)
{
    tp_run_report *report = &simulation->report;
    if (place == 0) return false;
    if (place == TP_WARNING_HAS_NO_PLACE) {
        report->warnings_left_out++;
        return true;
    }
    tp_warning *known = &report->warnings[place - 1];
    known->count++;
    known->figure = fmax(known->figure, figure);
    return true;
}

int tp_simulation_place_warning(tp_simulation *simulation, const tp_warning *warning)
{
    tp_run_report *report = &simulation->report;
    int of_kind;
    tp_warning *known = find(report, warning, &of_kind);
    if (known != NULL) {
        known->count += warning->count;
        known->figure = fmax(known->figure, warning->figure);
        return 1 + (int)(known - report->warnings);
    }
    if (report->warning_count >= TP_WARNINGS_MAX || of_kind >= TP_WARNINGS_OF_KIND) {
        report->warnings_left_out += warning->count;
        return TP_WARNING_HAS_NO_PLACE;
    }
    tp_warning *fresh = &report->warnings[report->warning_count++];
    *fresh = *warning;
    if (isnan(fresh->time)) fresh->time = tp_simulation_time(simulation);
    char line[TP_WARNING_LINE];
    tp_warning_format(fresh, line);
    tp_log_write(simulation->options.log, TP_LOG_WARNING, "%s", line);
    return report->warning_count;
}

void tp_warnings_format(const tp_run_report *report, char *lines_out)
{
    size_t length = 0;
    lines_out[0] = '\0';
    for (int i = 0; i < report->warning_count; i++) {
        if (i > 0) lines_out[length++] = '\n'; /* a line ends before its last byte */
        tp_warning_format(&report->warnings[i], lines_out + length);
        length += strlen(lines_out + length);
    }
}
