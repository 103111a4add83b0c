/* The loader: sections of a checked tree, in the order that the model needs. */
#include "io/scene/loader.h"

#include <string.h>

#include "io/common/near.h"

/* ---- simulate ------------------------------------------------------------------------------------------ */

/* More steps than this are a slip of the pen. */
static const double most_steps = 1e15;

static tp_status check_integrator(tp_loader *loader, const tp_node *node, const char *name)
{
    if (tp_integrator_find(name) >= 0) return TP_OK;
    tp_near near = tp_near_begin(name);
    for (int k = 0; k < tp_integrator_count(); k++) tp_near_offer(&near, tp_integrator_info_at(k)->name);
    return tp_node_fail(node, loader->why, "there is no integrator '%s'%s; see 'tippe list integrators'",
                        tp_excerpt_of(name).text, tp_near_hint_of(&near).text);
}

static tp_status check_solver(tp_loader *loader, const tp_node *node, const char *name)
{
    if (tp_solver_find(name) >= 0) return TP_OK;
    tp_near near = tp_near_begin(name);
    for (int k = 0; k < tp_solver_count(); k++) tp_near_offer(&near, tp_solver_info_at(k)->name);
    return tp_node_fail(node, loader->why, "there is no solver '%s'%s; see 'tippe list solvers'",
                        tp_excerpt_of(name).text, tp_near_hint_of(&near).text);
}

static tp_status load_theta(tp_loader *loader, const tp_node *map, tp_theta_options *options)
{
    const tp_key_table *keys = &tp_simulate_keys;
    options->refresh_rows = tp_keys_boolean(map, keys, "refresh_rows");
    options->variant = (tp_theta_variant)tp_keys_choice(map, keys, "variant");
    TP_TRY(tp_load_number(loader, map, keys, "theta", &options->theta));
    TP_TRY(tp_load_number(loader, map, keys, "mass_prediction", &options->mass_prediction));
    return tp_load_number(loader, map, keys, "forecast", &options->forecast);
}

static tp_status load_simulate(tp_loader *loader, const tp_node *map, tp_simulation_options *options_out)
{
    const tp_key_table *keys = &tp_simulate_keys;
    tp_simulation_options options = tp_simulation_options_default();
    options.integrator = tp_keys_text(map, keys, "integrator");
    options.solver = tp_keys_text(map, keys, "solver");
    options.max_iterations = tp_keys_integer(map, keys, "max_iterations");
    options.warm_start = tp_keys_boolean(map, keys, "warm_start");
    options.accept_unconverged = tp_keys_boolean(map, keys, "accept_unconverged");
    const tp_node *integrator = tp_map_get(map, "integrator"), *solver = tp_map_get(map, "solver");
    if (integrator) TP_TRY(check_integrator(loader, integrator, options.integrator));
    if (solver) TP_TRY(check_solver(loader, solver, options.solver));
    TP_TRY(tp_load_number(loader, map, keys, "dt", &options.time_step));
    TP_TRY(tp_load_number(loader, map, keys, "until", &options.end_time));
    TP_TRY(tp_load_number(loader, map, keys, "tolerance", &options.tolerance));
    TP_TRY(tp_load_number(loader, map, keys, "contact_tolerance", &options.contact_tolerance));
    TP_TRY(load_theta(loader, map, &options.theta_method));
    options.projection.kind = (tp_projection_kind)tp_keys_choice(map, keys, "projection");
    TP_TRY(tp_load_number(loader, map, keys, "projection_tolerance", &options.projection.tolerance));
    options.paoli.first_order_start = tp_keys_boolean(map, keys, "paoli_first_order_start");
    TP_TRY(tp_load_number(loader, map, keys, "paoli_theta", &options.paoli.theta));
    options.consistent.directions_at_begin = tp_keys_choice(map, keys, "consistent_directions") == 1;
    options.consistent.rotation_at_begin = tp_keys_choice(map, keys, "consistent_rotation") == 1;
    options.consistent.settles = tp_keys_choice(map, keys, "consistent_sticking") == 1;
    options.consistent.bodies = (tp_consistent_bodies)tp_keys_choice(map, keys, "consistent_bodies");
    if (options.end_time / options.time_step > most_steps) {
        return tp_node_fail(map, loader->why, "%g s in steps of %g s are more than %g steps",
                            options.end_time, options.time_step, most_steps);
    }
    *options_out = options;
    return TP_OK;
}

/* ---- exact --------------------------------------------------------------------------------------------- */

static tp_status load_exact(tp_loader *loader, const tp_node *map)
{
    const tp_node *motion = tp_map_get(map, "motion"), *until = tp_map_get(map, "until");
    if (motion->count == 0) {
        return tp_node_fail(motion, loader->why,
                            "found nothing; name a coordinate or velocity: {x: \"...\"}");
    }
    for (const tp_node *entry = motion->first; entry; entry = entry->next) {
        TP_TRY(tp_load_told(
            loader, tp_model_set_exact(loader->model, entry->key, tp_load_function(entry), &loader->told)));
    }
    if (!until) return TP_OK;
    double time;
    TP_TRY(tp_load_number(loader, map, &tp_exact_keys, "until", &time));
    return tp_load_told(loader, tp_model_set_exact_until(loader->model, time, until->place, &loader->told));
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static int count_of(const tp_node *root, const char *section)
{
    const tp_node *node = tp_map_get(root, section);
    return node ? node->count : 0;
}

static tp_status check_counts(tp_loader *loader)
{
    for (const tp_node *section = loader->root->first; section; section = section->next) {
        if (section->count <= TP_SCENE_ENTRIES_MAX) continue;
        return tp_node_fail(section, loader->why, "found %d entries; at most %d are possible", section->count,
                            TP_SCENE_ENTRIES_MAX);
    }
    return TP_OK;
}

static tp_status load_texts(tp_loader *loader, tp_scene *scene)
{
    const tp_node *about = tp_map_get(loader->root, "about");
    scene->name = tp_keys_text(loader->root, &tp_scene_keys, "name");
    scene->about = about ? about->text : "";
    if (strchr(scene->about, '\n')) {
        return tp_node_fail(about, loader->why, "found several lines; write one, in quotes");
    }
    return tp_load_told(loader, tp_model_set_name(loader->model, scene->name, &loader->told));
}

/* One name, or a list of names. */
static tp_status load_columns(tp_loader *loader, const tp_node *node, tp_scene *scene)
{
    if (node == NULL) return TP_OK;
    bool is_list = node->kind == TP_NODE_LIST;
    const char **columns = TP_ARENA_ARRAY(loader->arena, const char *, is_list ? node->count + 1 : 1);
    if (columns == NULL) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for the scene");
    for (const tp_node *one = is_list ? node->first : node; one != NULL; one = is_list ? one->next : NULL)
        columns[scene->column_count++] = one->text;
    scene->columns = columns;
    return TP_OK;
}

tp_status tp_load_scene(tp_loader *loader, tp_scene *scene_io)
{
    static const tp_node nothing = {.kind = TP_NODE_MAP};
    const tp_node *simulate = tp_map_get(loader->root, "simulate"),
                  *output = tp_map_get(loader->root, "output"), *exact = tp_map_get(loader->root, "exact");
    if (!simulate) simulate = &nothing;
    if (!output) output = &nothing;

    loader->coordinate_count = count_of(loader->root, "coordinates");
    loader->velocity_count = count_of(loader->root, "velocities");
    TP_TRY(check_counts(loader));
    if (loader->coordinate_count == 0 && !tp_map_get(loader->root, "coordinates") &&
        count_of(loader->root, "bodies") == 0) {
        return tp_node_fail(
            loader->root, loader->why,
            "nothing can move: add coordinates: with a list of names or maps, or bodies: with "
            "a list of maps");
    }
    TP_TRY(load_texts(loader, scene_io));
    TP_TRY(tp_load_names(loader));
    TP_TRY(tp_load_joints(loader)); /* sit where their bodies start; formulas may use them */
    TP_TRY(tp_load_motion(loader));
    TP_TRY(tp_load_elements(loader));
    TP_TRY(tp_load_laws(loader));
    TP_TRY(tp_load_sensors(loader));
    TP_TRY(tp_load_drawings(loader));
    if (exact) TP_TRY(load_exact(loader, exact));
    TP_TRY(load_simulate(loader, simulate, &scene_io->options));
    TP_TRY(tp_load_number(loader, output, &tp_output_keys, "every", &scene_io->output_every));
    TP_TRY(tp_load_number(loader, output, &tp_output_keys, "frame_every", &scene_io->frame_every));
    TP_TRY(load_columns(loader, tp_map_get(output, "columns"), scene_io));

    tp_finish_options finish = tp_finish_options_default();
    finish.project_initial_state = tp_keys_boolean(simulate, &tp_simulate_keys, "project_initial_state");
    return tp_load_told(loader, tp_model_finish(loader->model, &finish, &loader->told));
}
