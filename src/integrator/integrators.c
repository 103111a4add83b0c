/* Integrators by number and by name; names of their options. */
#include "integrators.h"

#include "base/names.h"

#include <math.h>
#include <string.h>

#define ENTRY(name) &tp_integrator_##name,
static const tp_integrator *const integrators[] = {TP_INTEGRATOR_LIST(ENTRY)};
#undef ENTRY

enum { INTEGRATOR_COUNT = sizeof integrators / sizeof integrators[0] };

int tp_integrator_count(void)
{
    return INTEGRATOR_COUNT;
}

const tp_integrator_info *tp_integrator_info_at(int index)
{
    return index >= 0 && index < INTEGRATOR_COUNT ? &integrators[index]->info : NULL;
}

int tp_integrator_find(const char *name)
{
    for (int i = 0; name != NULL && i < INTEGRATOR_COUNT; i++) {
        if (strcmp(integrators[i]->info.name, name) == 0) return i;
    }
    return -1;
}

bool tp_integrator_levels(int index, bool is_compliant, tp_levels *levels_out)
{
    if (index < 0 || index >= INTEGRATOR_COUNT) return false;
    if (is_compliant && !integrators[index]->system.springs_are_laws) return false;
    *levels_out = is_compliant ? (tp_levels){0, 0, 0, 0} : integrators[index]->levels;
    return true;
}

const tp_integrator *tp_integrator_by_name(const char *name)
{
    int index = tp_integrator_find(name);
    return index >= 0 ? integrators[index] : NULL;
}

double tp_integrator_no_limit(const tp_simulation_options *options)
{
    (void)options;
    return INFINITY;
}

double tp_integrator_leapfrog_limit(const tp_simulation_options *options)
{
    (void)options;
    return 2.0;
}

static const char *const projection_names[] = {"none", "velocities", "coordinates"};

const char *tp_projection_name(tp_projection_kind kind)
{
    return (unsigned)kind <= TP_PROJECTION_COORDINATES ? projection_names[kind] : NULL;
}

int tp_projection_find(const char *name)
{
    for (int i = 0; i < (int)(sizeof projection_names / sizeof projection_names[0]); i++) {
        if (strcmp(projection_names[i], name) == 0) return i;
    }
    return -1;
}

TP_NAMES_OF(tp_theta_variant_name, int, "predicted", "start", "end", "midpoint", "semi-explicit")

TP_NAMES_OF(tp_symmetric_force_name, int, "mean", "end")

TP_NAMES_OF(tp_gamma_variant_name, int, "standard", "full", "midpoint")

TP_NAMES_OF(tp_consistent_bodies_name, int, "scalable", "affine")

TP_NAMES_OF(tp_relaxed_method_name, int, "rk4", "linearly-implicit", "implicit")

TP_NAMES_OF(tp_event_steps_name, int, "auto", "explicit", "stiff")

TP_NAMES_OF(tp_branch_name, int, "default", "nearest", "loaded")

bool tp_integrator_is_affine(const tp_integrator *integrator, const tp_simulation_options *options)
{
    return integrator->realisation == TP_REALISE_AFFINE ||
           (integrator->realisation == TP_REALISE_EITHER &&
            options->consistent.bodies == TP_CONSISTENT_AFFINE);
}

const char *tp_integrator_form(const tp_integrator *integrator, const tp_model *model,
                               const tp_simulation_options *options)
{
    static const char *const forms[2][4] = {
        {"constant mass", "unit quaternions", "scalable bodies", "constant mass, affine bodies"},
        {"M(q)", "M(q), unit quaternions", "M(q), scalable bodies", "M(q), affine bodies"}};
    bool has_bodies = tp_model_has_rigid_bodies(model);
    int bodies = 0;
    switch (integrator->realisation) {
    case TP_REALISE_GIVEN: return NULL;
    case TP_REALISE_QUATERNION: bodies = 1; break;
    case TP_REALISE_EITHER: bodies = tp_integrator_is_affine(integrator, options) ? 3 : 2; break;
    case TP_REALISE_AFFINE: bodies = 3; break;
    }
    if (!has_bodies && integrator->realisation != TP_REALISE_EITHER) return NULL;
    if (!has_bodies) bodies = 0;
    return forms[model->has_constant_mass ? 0 : 1][bodies];
}
