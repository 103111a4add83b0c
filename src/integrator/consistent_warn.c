/* What the energy-consistent schemes promise less of; theory/consistent.md (15), (45), (46). */
#include "consistent_laws.h"

#include <stdio.h>

bool tp_consistent_warn_of_kinks(const tp_stepper *stepper, tp_warning *warning)
{
    if (stepper->options->consistent.directions_at_start) return false; /* asked for */
    const tp_contact_rule *rule = tp_model_find_kinked_rule(stepper->model);
    if (rule == NULL) return false;
    snprintf(warning->subject, sizeof warning->subject, "%s", rule->name);
    snprintf(warning->text, sizeof warning->text,
             "contact '%.60s' is one of shapes whose gap may have kinks: its direction is that of the start "
             "of a step; energy is kept, but a closed gap may shrink",
             rule->name);
    return true;
}

/* Joints and constraints have no share in (45), (46). Nor has a force in an impact of two steps, but it has
   in one step for both. */
static bool has_restitution(const tp_stepper *stepper, const tp_law *law)
{
    bool in_one_step = tp_consistent_last_step(stepper)->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    return law->set.kind != TP_SET_FREE && (in_one_step || !law->is_force_bound);
}

static void say_restitutions(const tp_law *first, const tp_law *law, int row, tp_warning *warning)
{
    static const char needs[] =
        "energy may grow in impacts; that it never does needs one restitution for all rows of contacts and "
        "laws that are closed together";
    double e = first->restitution[0], other = law->restitution[row];
    bool is_tangential = row > 0 && law->level == TP_LEVEL_GAP;
    snprintf(warning->subject, sizeof warning->subject, "%s", law->name);
    if (law == first && is_tangential)
        snprintf(warning->text, sizeof warning->text,
                 "'%.60s' has a restitution of %.3g, but %.3g tangentially: %s", law->name, e, other, needs);
    else
        snprintf(warning->text, sizeof warning->text,
                 "'%.30s' has a restitution of %.3g, but '%.30s' %.3g%s: %s", first->name, e, law->name,
                 other, is_tangential ? " tangentially" : "", needs);
}

bool tp_consistent_warn_of_restitutions(const tp_stepper *stepper, tp_warning *warning)
{
    const tp_law *first = NULL;
    bool in_one_step = tp_consistent_last_step(stepper)->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    if (in_one_step && stepper->options->consistent.settles) return false; /* (61) */
    for (int i = 0; i < tp_model_stated_count(stepper->model); i++) {
        const tp_law *law = tp_model_stated_law(stepper->model, i);
        if (law == NULL || !has_restitution(stepper, law)) continue;
        if (first == NULL) first = law;
        for (int k = 0; k < law->row_count; k++) {
            if (law->restitution[k] == first->restitution[0]) continue;
            say_restitutions(first, law, k, warning);
            return true;
        }
    }
    return false;
}
