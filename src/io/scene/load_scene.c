/* The rows of a whole scene, its sections simulate, exact and output, and the way through all of them. */
#include <string.h>

#include "io/scene/loader.h"
#include "io/scene/rows.h"

typedef struct scene_values {
    tp_scene scene;
    tp_finish_options finish;
    const tp_node *include; /* of a scene whose parts are not joined; never here */
} scene_values;

/* What was set before stays. */
static void begin_scene(void *made)
{
    scene_values *values = made;
    values->scene.name = "scene";
    values->scene.about = "";
    values->scene.options = tp_simulation_options_default();
    values->scene.options.solver = "auto"; /* what NULL means */
    values->finish = tp_finish_options_default();
}

/* ---- simulate ------------------------------------------------------------------------------------------ */

TP_WORDS_OF(integrators, tp_integrator_info_at(k) ? tp_integrator_info_at(k)->name : NULL)
TP_WORDS_OF(solvers, tp_solver_info_at(k) ? tp_solver_info_at(k)->name : NULL)
TP_WORDS_OF(theta_variants, tp_theta_variant_name(k))
TP_WORDS_OF(gamma_variants, tp_gamma_variant_name(k))
TP_WORDS_OF(projections, tp_projection_name((tp_projection_kind)k))
TP_WORDS_OF(symmetric_forces, tp_symmetric_force_name(k))
TP_WORDS_OF(body_forms, tp_consistent_bodies_name(k))
TP_WORDS_OF(jet_projections, tp_jet_projection_name(k))
TP_WORDS_OF(jet_distributions, tp_jet_distribution_name(k))
TP_WORDS_OF(jet_methods, tp_jet_method_name(k))
TP_WORDS(jet_stages, TP_WORD("projected", false), TP_WORD("free", true))
TP_WORDS(energies, TP_WORD("free", false), TP_WORD("held", true))
TP_WORDS(works, TP_WORD("runge-kutta", false), TP_WORD("trapezoidal", true))
TP_WORDS(alpha_steps, TP_WORD("newton", false), TP_WORD("fixed-point", true))
TP_WORDS(directions, TP_WORD("discrete", false), TP_WORD("start", true))
TP_WORDS(rotations, TP_WORD("midpoint", false), TP_WORD("start", true))
TP_WORDS_OF(relaxed_methods, tp_relaxed_method_name(k))
TP_WORDS_OF(branches, tp_branch_name(k))
TP_WORDS_OF(event_steps, tp_event_steps_name(k))
TP_WORDS(painleve_states, TP_WORD("stop", false), TP_WORD("impact", true))
TP_WORDS(gates, TP_WORD("none", false), TP_WORD("penetration", true))
TP_WORDS(stickings, TP_WORD("free", false), TP_WORD("settled", true))

#define OPTION(member) TP_INTO(scene_values, scene.options.member)

static void begin_unsolved(void *made)
{
    *(tp_unsolved_options *)made = tp_simulation_options_default().unsolved;
}

static const tp_key unsolved_keys[] = {
    ROW_NOT_NEGATIVE(
        "limit", TP_INTO(tp_unsolved_options, limit), NULL, NULL,
        "residual E up to which an island above the tolerance is used, counted and warned of; above it "
        "the run stops with exit code 3. Left out: 0 for islands of up to 200 contacts and under the "
        "integrators `consistent...`, 1e-2 for larger islands"),
};
static const tp_key_table unsolved_table =
    TABLE("unsolved", unsolved_keys,
          "Islands, contacts and joints that hang together, whose part of a step's problem is not solved.",
          .size = sizeof(tp_unsolved_options), .begin = begin_unsolved);

static const tp_key simulate_keys[] = {
    ROW_WORD("integrator", OPTION(integrator), integrators, "moreau", "method of time steps",
             .flags = TP_KEY_LISTED),
    ROW_WORD("solver", OPTION(solver), solvers, "auto", "of the problem in each step",
             .flags = TP_KEY_LISTED),
    ROW_POSITIVE("dt", OPTION(time_step), "s", "1e-3",
                 "length of a time step; under integrators that choose their steps: distance of the states "
                 "that are shown"),
    ROW_NOT_NEGATIVE("until", OPTION(end_time), "s", "1", "end of the run, which starts at 0"),
    ROW_NOT_NEGATIVE(
        "tolerance", OPTION(tolerance), NULL, "1e-14",
        "residual E at which a step's problem is solved; what double precision cannot improve also "
        "counts"),
    ROW("max_iterations", TP_VALUE_INTEGER, OPTION(max_iterations),
        "of the solver in a step; 0: its own limit", .default_text = "0", .flags = TP_KEY_NOT_NEGATIVE),
    ROW("threads", TP_VALUE_INTEGER, OPTION(threads),
        "that work on a step together; the results have the same bits for every number", .default_text = "1",
        .flags = TP_KEY_POSITIVE),
    ROW_TRUTH("warm_start", OPTION(warm_start), "true",
              "the solver starts from the impulses of the step before; false: from 0"),
    ROW_NOT_NEGATIVE(
        "contact_tolerance", OPTION(contact_tolerance), NULL, "1e-12",
        "a contact takes part in a step if its gap is at most this times the size of the scene (`tippe "
        "check` prints it; of angles: at most this [rad]); not 0, so that rounding does not open one at "
        "rest"),
    ROW_POSITIVE(
        "atol", OPTION(atol), NULL, "1e-8",
        "integrators that choose their steps: error of a step in every coordinate and velocity, in its "
        "own unit"),
    ROW_POSITIVE(
        "rtol", OPTION(rtol), NULL, "1e-6",
        "integrators that choose their steps: error of a step relative to the coordinate or velocity"),
    ROW_NOT_NEGATIVE("first_step", OPTION(first_step), "s", "0",
                     "integrators that choose their steps: length of the first one; 0: estimated"),
    ROW_NOT_NEGATIVE("max_step", OPTION(max_step), "s", "0",
                     "integrators that choose their steps: length that none exceeds; 0: no limit"),
    ROW_TRUTH("accept_unconverged", OPTION(accept_unconverged), "false",
              "go on with the best point of a step that was not solved; such steps are counted"),
    ROW_MAP("unsolved", OPTION(unsolved), unsolved_table, "what becomes of islands that are not solved"),
    ROW_TRUTH(
        "accelerations", OPTION(accelerations), "false",
        "columns a/NAME of accelerations and law/NAME/force_... of forces at the state itself; each row "
        "of the output costs about as much as a step"),
    ROW_FRACTION(
        "theta", OPTION(theta_method.theta), "0.5",
        "moreau-jean, and mechanics under theta-gamma: weight of the step's end in forces and positions; "
        "stable from 0.5 on"),
    ROW_FRACTION("mass_prediction", OPTION(theta_method.mass_prediction), "0.5",
                 "moreau-jean: part of the step at whose predicted positions the mass matrix is taken"),
    ROW_FRACTION("forecast", OPTION(theta_method.forecast), "0.5",
                 "moreau-jean: part of the step after which a predicted gap must be closed for a contact to "
                 "take part"),
    ROW_TRUTH("refresh_rows", OPTION(theta_method.refresh_rows), "true",
              "moreau-jean: laws at the positions of the step's end; false: of its start"),
    ROW_WORD("variant", OPTION(theta_method.variant), theta_variants, "predicted",
             "moreau-jean: where kinematics and forces are taken; for u = q' the first three are the same"),
    ROW_FRACTION("gamma_theta", OPTION(gamma_method.theta), "1",
                 "theta-gamma, and states under moreau-jean: weight of the step's end in f; 0.5 is of second "
                 "order, 1 damps"),
    ROW_FRACTION(
        "gamma", OPTION(gamma_method.gamma), "1",
        "theta-gamma, and states under moreau-jean: weight of the step's end in what multipliers add, "
        "or where in the step relations hold (full, midpoint)"),
    ROW_WORD("gamma_variant", OPTION(gamma_method.variant), gamma_variants, "standard",
             "theta-gamma, and states under moreau-jean: relations at the end of a step; at t + gamma dt; or "
             "that, and f at t + gamma_theta dt"),
    ROW_WORD("projection", OPTION(projection.kind), projections, "none",
             "after each step of moreau and moreau-jean, move the positions onto joints and closed contacts: "
             "along velocities, or in coordinates with the unit length of quaternions as a constraint"),
    ROW_POSITIVE(
        "projection_tolerance", OPTION(projection.tolerance), NULL, "1e-12",
        "errors of joints and penetrations that a projection may leave, times the size of the scene; of "
        "angles [rad]"),
    ROW_TRUTH(
        "correction", OPTION(correction.is_on), "false",
        "after each step of moreau and moreau-jean, move positions towards joints and contacts and take "
        "what is left of the velocities of joints and resting contacts; after each step of "
        "consistent-two-step, consistent-quaternion-two-step and consistent-hybrid, take overlaps of impacts "
        "back; it never stops a run"),
    ROW_FRACTION("correction_share", OPTION(correction.share), "1",
                 "part of an error of positions that the correction takes back in a step"),
    ROW_POSITIVE(
        "correction_limit", OPTION(correction.limit), NULL, "0.05",
        "largest error of a joint or contact that the correction takes back in a step, times the size "
        "of the scene; of angles [rad]"),
    ROW_FRACTION(
        "paoli_theta", OPTION(paoli.theta), "0",
        "schatzman-paoli: part of the step after which forces are taken; 0 is of second order, above "
        "0 of first, for stiff forces"),
    ROW_TRUTH("paoli_first_order_start", OPTION(paoli.first_order_start), "false",
              "schatzman-paoli: the first step starts with the initial velocity, without half a step of "
              "forces"),
    ROW_WORD(
        "symmetric_force", OPTION(symmetric.force), symmetric_forces, "mean",
        "symmetric-moreau: forces at a node are the mean of those with the velocities before and after it "
        "(order 2 without laws), or those at the end of the interval before it, with the initial velocity "
        "in the first interval (order 1)"),
    ROW_FRACTION(
        "alpha_rho", OPTION(alpha.rho), "0.8",
        "generalized-alpha: spectral radius for vibrations that a step does not resolve; 0 damps them "
        "at once, 1 not at all"),
    ROW_WORD("alpha_step", OPTION(alpha.fixed_point), alpha_steps, "newton",
             "generalized-alpha: steps by Newton's method, or by projections until they converge"),
    ROW_WORD("consistent_directions", OPTION(consistent.directions_at_start), directions, "discrete",
             "contacts of the consistent integrators (not of the hybrid): their directions are discrete "
             "derivatives of the gaps, so that closed gaps never shrink, or those of the start of a step"),
    ROW_WORD("consistent_rotation", OPTION(consistent.rotation_at_start), rotations, "midpoint",
             "bodies that turn in space under consistent, -elastic, -two-step and -hybrid: kinematics and "
             "gyroscopic terms of the middle of a step (order 2), or of its start (order 1)"),
    ROW_WORD(
        "consistent_sticking", OPTION(consistent.settles), stickings, "free",
        "contacts and friction at rest under consistent-two-step, consistent-quaternion and "
        "consistent-quaternion-two-step: as the published schemes leave them (contacts sink and creep in "
        "the one-step scheme, velocities change sign in every step in the two-step schemes), or with "
        "velocities that are settled by the impact law after every step, so that they rest"),
    ROW_WORD("consistent_bodies", OPTION(consistent.bodies), body_forms, "scalable",
             "rigid bodies of consistent, consistent-elastic, consistent-two-step and consistent-hybrid: as "
             "scalable bodies of constant size, or as affine bodies with a constant mass matrix, which have "
             "more unknowns and must not be flat; consistent-position always has affine ones"),
    ROW_WORD(
        "jet_projection", OPTION(jet.projection), jet_projections, "orthogonal",
        "jet-projection: how stages and results of a step are brought back onto joints and invariants: to "
        "the nearest point; positions, then velocities, along the spheres of Euler parameters; or lengths "
        "of Euler parameters, joints and invariants in turns (quasi-orthogonal, slow)"),
    ROW_WORD("jet_distribution", OPTION(jet.distribution), jet_distributions, "saddle",
             "jet-projection: accelerations by sparse factors of inertia and rows together, by the Schur "
             "complement with Cholesky factors, or by the same with conjugate gradients"),
    ROW_WORD(
        "jet_method", OPTION(jet.method), jet_methods, "dormand-prince",
        "jet-projection: the pair of orders 5 and 4, or the method of order 8 with twice the evaluations "
        "a step, which is faster for tolerances below 1e-6"),
    ROW_WORD("jet_stages", OPTION(jet.has_free_stages), jet_stages, "projected",
             "jet-projection: whether stages of a step are projected like its results, as published, or "
             "evaluated where the method puts them, which is twice as fast and of the same order"),
    ROW_POSITIVE(
        "jet_tolerance", OPTION(jet.tolerance), NULL, "1e-9",
        "jet-projection: errors of joints, of their rates and of invariants that a projection may leave "
        "[m, rad, m/s, J, ...]"),
    ROW_NOT_NEGATIVE(
        "jet_forcing", OPTION(jet.forcing), NULL, "0",
        "jet-projection: residual at which conjugate gradients end in Newton's method of a projection, "
        "relative to the errors; 0: factors instead"),
    ROW_TRUTH(
        "jet_curvature", OPTION(jet.has_curvature), "false",
        "jet-projection: second derivatives of the conditions (third ones of joints) in Newton's method "
        "of the orthogonal projection; dense, for small systems"),
    ROW("jet_sweeps", TP_VALUE_INTEGER, OPTION(jet.max_sweeps),
        "jet-projection: rounds of a projection after which the step is taken again with half its size",
        .default_text = "500", .flags = TP_KEY_POSITIVE),
    ROW_WORD("jet_energy", OPTION(jet.holds_energy), energies, "free",
             "jet-projection: whether energy less the work of forces is imposed as an invariant"),
    ROW_WORD("jet_work", OPTION(jet.has_trapezoidal_work), works, "runge-kutta",
             "jet-projection: that work by the method of the motion (order 5), or by the trapezoidal rule "
             "(order 2, as published)"),
    ROW_TEXT("jet_invariants", OPTION(jet.invariants),
             "jet-projection: names of sensors that are formulas, separated by commas: invariants that are "
             "imposed too"),
    ROW_WORD("relaxation_steps", OPTION(relaxed.method), relaxed_methods, "rk4",
             "relaxed-dai: Runge-Kutta steps of fourth order, implicit Euler steps with laws linearised, "
             "whose relaxation time is the step and whose damping ratio is 1/2, or implicit Euler steps of "
             "laws and forces at the end of the step"),
    ROW_NOT_NEGATIVE(
        "relaxation_time", OPTION(relaxed.delta), "s", "0",
        "relaxed-dai: time delta in which errors of laws decay; 0: ten steps (relaxed-dai-adaptive: `dt`)"),
    ROW_NOT_NEGATIVE(
        "relaxation_damping", OPTION(relaxed.zeta), NULL, "0",
        "relaxed-dai: damping ratio zeta of all laws; 0: that of contacts by their restitution, of all "
        "other rows 1/2"),
    ROW_TRUTH("relaxation_stiff", OPTION(relaxed.is_stiff), "false",
              "relaxed-dai-adaptive: steps of Radau IIA, for relaxation times far below those of the motion; "
              "false: of Dormand and Prince"),
    ROW_WORD("relaxation_gate", OPTION(relaxed.gate), gates, "none",
             "relaxed-dai: contacts push as soon as the relaxed law says so, a little before they close, or "
             "where they penetrate alone"),
    ROW_WORD("relaxation_branch", OPTION(relaxed.branch), branches, "nearest",
             "relaxed-dai: which solution is taken where laws have several: stick before slip before open, "
             "nearest to the forces before, or that which stays loaded or open"),
    ROW("relaxation_count", TP_VALUE_INTEGER, OPTION(relaxed.counted),
        "relaxed-dai: problems with up to so many contacts are solved by all combinations of their "
        "cases: `step/solutions` has the number of solutions, and `relaxation_branch` chooses; of up to "
        "8 contacts in a plane or 5 in space",
        .default_text = "1", .flags = TP_KEY_NOT_NEGATIVE),
    ROW_POSITIVE("penalty_stiffness", OPTION(penalty.stiffness), "N/m", "1e6",
                 "penalty: stiffness of the spring in place of each row of a law; of angles [N m/rad]"),
    ROW_NOT_NEGATIVE("penalty_damping_time", OPTION(penalty.damping_time), "s", "1e-3",
                     "penalty: damping of the springs over their stiffness"),
    ROW_NOT_NEGATIVE("penalty_yielding", OPTION(penalty.yielding), "s", "0",
                     "penalty: time in which the spring of a contact follows its gap, below "
                     "penalty_damping_time; 0: at once"),
    ROW_WORD("event_steps", OPTION(event.steps), event_steps, "auto",
             "event-driven: steps between events by Dormand and Prince's explicit method and, from where it "
             "finds the motion stiff until the next event, by Radau IIA; or by one of them alone"),
    ROW_WORD("event_painleve", OPTION(event.strikes), painleve_states, "stop",
             "event-driven: what happens where a sliding contact has no acceleration (Painleve): the run "
             "stops, or an impact without collision follows"),
    ROW_TRUTH("project_initial_state", TP_INTO(scene_values, finish.project_initial_state), "false",
              "move the initial state onto the constraints instead of refusing one that is off them"),
};

const tp_key_table tp_simulate_keys = TABLE("simulate", simulate_keys, "How the motion is computed.",
                                            .size = sizeof(scene_values), .begin = begin_scene);

/* More steps than this are a slip of the pen. */
static const double most_steps = 1e15;

static tp_status check_steps(tp_loader *loader, const tp_simulation_options *options)
{
    const tp_node *map = tp_map_get(loader->root, "simulate");
    if (!map || options->end_time / options->time_step <= most_steps) return TP_OK;
    return tp_node_fail(map, loader->why, "%g s in steps of %g s are more than %g steps", options->end_time,
                        options->time_step, most_steps);
}

/* ---- exact, output ------------------------------------------------------------------------------------- */

static LOADS(load_exact, tp_model_set_exact(loader->model, node->key, tp_load_function(node), &loader->told))

    typedef struct exact_values {
    double until;
    tp_place place;
} exact_values;

static const tp_key exact_keys[] = {
    ROW_NAMED("motion", TP_VALUE_FORMULA, load_exact,
              "formulas of t and parameters by coordinate or velocity: `x: \"A*cos(w*t)\"`; where u = q' the "
              "rate of x follows from x, unless `x'` is given",
              .flags = TP_KEY_REQUIRED),
    ROW_POSITIVE("until", TP_INTO(exact_values, until), "s", NULL, "up to when it holds; left out: always"),
};

static tp_status add_exact(tp_loader *loader, const tp_node *map, void *made)
{
    const exact_values *exact = made;
    const tp_node *motion = tp_map_get(map, "motion"), *until = tp_map_get(map, "until");
    if (motion->count == 0) {
        return tp_node_fail(motion, loader->why,
                            "found nothing; name a coordinate or velocity: {x: \"...\"}");
    }
    if (!until) return TP_OK;
    return tp_load_told(loader,
                        tp_model_set_exact_until(loader->model, exact->until, until->place, &loader->told));
}

TP_BEGINS(begin_exact, exact_values, ((exact_values){.until = 0.0}))
const tp_key_table tp_exact_keys = TABLE("exact", exact_keys,
                                         "The exact motion, where it is known. Runs do not use it; `tippe "
                                         "converge` and `tippe compare` measure errors against it.",
                                         TP_MAKES(exact_values, begin_exact, add_exact));

static const tp_key output_keys[] = {
    ROW_NOT_NEGATIVE("every", TP_INTO(scene_values, scene.output_every), "s", "0",
                     "time between rows of the output; 0: every step"),
    ROW_NOT_NEGATIVE("frame_every", TP_INTO(scene_values, scene.frame_every), "s", "0",
                     "time between frames for ParaView; 0: a frame for every row"),
    ROW_TEXT(
        "columns", TP_INTO_COUNTED(scene_values, scene.columns, scene.column_count),
        "columns, groups (`q`, `law/beak`) and tables (`contacts`, `events`) that are written; left out: "
        "all. A run can be continued only from a file with all of them",
        .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE),
};
const tp_key_table tp_output_keys = TABLE("output", output_keys, "What is kept of a run.",
                                          .size = sizeof(scene_values), .begin = begin_scene);

/* ---- the scene ----------------------------------------------------------------------------------------- */

static const tp_key mass_by_names = ROW_NAMED("mass", TP_VALUE_FORMULA, tp_load_mass_entry, "map");
static const tp_key force_list = ROW_MAPS("forces", tp_force_keys, "list");
static const tp_key sensor_list = ROW_MAPS("sensors", tp_sensor_keys, "list");

/* In the order in which they are loaded: a formula knows the names of the sections before its own; joints sit
   where their bodies start; definitions that use joints wait for them. */
static const tp_key scene_keys[] = {
    ROW_TEXT("name", TP_INTO(scene_values, scene.name), "name of the scene", .default_text = "scene"),
    ROW_TEXT("about", TP_INTO(scene_values, scene.about), "what it shows, in one line"),
    {.name = "include",
     .kind = TP_VALUE_ANY,
     TP_INTO(scene_values, include),
     .text = "other scenes that become part of this one: a file name, a map ([include](#include)), or a list "
             "of them"},
    ROW_NAMED("parameters", TP_VALUE_QUANTITY, tp_load_parameter,
              "constants; a formula may use the parameters before it"),
    ROW_MAPS("coordinates", tp_coordinate_keys,
             "q, in the order of the output, before those of bodies; a scene has coordinates, bodies or both",
             .flags = TP_KEY_OR_NAME),
    ROW_MAPS("velocities", tp_velocity_keys, "u, where it is not q'; then every coordinate needs its rate",
             .flags = TP_KEY_OR_NAME),
    ROW_MAPS("inputs", tp_input_keys, "values that are set from outside between steps",
             .flags = TP_KEY_OR_NAME),
    ROW_MAPS("states", tp_state_keys, "first-order states x, of circuits, hydraulics and controllers"),
    ROW_MAPS("relations", tp_relation_keys, "diodes, relays, valves: laws between states and multipliers"),
    ROW_NAMED("state_mass", TP_VALUE_QUANTITY, tp_load_state_mass,
              "M of M x' = ... by pairs of states, `\"x,y\": 2`, constant; states without a row have 1"),
    ROW_VECTOR("gravity", .load = tp_load_gravity, 0, "m/s^2", NULL,
               "acceleration of free bodies, x, y, z (or x, y); acts on bodies alone; left out: none"),
    ROW_MAPS("bodies", tp_body_keys, "with their mass, start and shapes"),
    ROW_MAP("ground", .load = NULL, tp_ground_keys, "shapes that do not move"),
    ROW_NAMED(
        "definitions", TP_VALUE_FORMULA, tp_load_definition,
        "names for parts of formulas, `s: \"sin(phi)\"`, and functions, `f(x, y): \"x*y\"`; each may use "
        "those before it"),
    ROW_NAMED("initial", TP_VALUE_QUANTITY, tp_load_initial,
              "values at the start: `x`, `x'` or a velocity; these win over those of `coordinates`; 0 where "
              "nothing is said"),
    ROW_MAPS("joints", tp_joint_keys, "between bodies"),
    ROW_MAPS("couplers", tp_coupler_keys, "gears between joints"),
    ROW_NAMED("rates", TP_VALUE_FORMULA, tp_load_rate,
              "q' of each coordinate, linear in the velocities, without bodies; only with `velocities`"),
    ROW_FORMULA(
        "kinetic", .load = tp_load_kinetic, "J",
        "kinetic energy of the coordinates, quadratic in their rates: mass matrix and gyroscopic "
        "forces follow from it; a list is added up. Bodies bring their own, by their mass and inertia",
        .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE),
    ROW_NUMBER(
        "mass", .load = tp_load_mass_rows, NULL, NULL,
        "mass matrix in the order of the velocities, or its entries by names, `\"x,y\": \"m*l\"` (each "
        "pair once); added to that of the kinetic energy",
        .form = TP_FORM_ROWS, .or_else = &mass_by_names),
    ROW_MAP("linear", .load = NULL, tp_linear_keys,
            "matrices of a linear system; added to the other inertia and forces"),
    ROW_FORMULA("potential", .load = tp_load_potential, "J",
                "potential energy of time and coordinates; gravity stands here", .form = TP_FORM_LIST,
                .flags = TP_KEY_OR_ONE),
    ROW_FORMULA("dissipation", .load = tp_load_dissipation, "W",
                "R of time, coordinates, rates and velocities, with the force -dR/dq' on rates and -dR/du on "
                "velocities: `1/2*d*x'^2` is a damper, `1/2*d*ball.omega.z^2` a drag of a body",
                .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE),
    ROW_FORMULA("storage", .load = tp_load_storage, "J",
                "storage function of the states, for reports; a list is added up", .form = TP_FORM_LIST,
                .flags = TP_KEY_OR_ONE),
    ROW_NAMED("forces", TP_VALUE_FORMULA, tp_load_named_force,
              "generalised forces by the coordinate or velocity they act on, or a list with forces on bodies",
              .unit = "N or N m", .or_else = &force_list),
    ROW_MAPS("springs", tp_spring_keys, "springs, dampers and ropes between bodies"),
    ROW_MAPS("bushings", tp_bushing_keys, "elastic connections between bodies"),
    ROW_MAPS("constraints", tp_constraint_keys, "equations between coordinates or velocities"),
    ROW_MAPS("contacts", tp_contact_keys, "what may open and close"),
    ROW_MAPS("laws", tp_law_keys, "one-way clutches, dry friction, limited motors"),
    ROW_NAMED("sensors", TP_VALUE_FORMULA, tp_load_named_sensor, "further columns of the output",
              .or_else = &sensor_list),
    ROW_MAPS("draw", tp_drawing_keys,
             "figures that show the model, for `tippe run --paraview`, `tippe export` and `tippe draw`"),
    ROW_MAP("exact", .load = NULL, tp_exact_keys,
            "the exact motion, where it is known, to measure errors against"),
    ROW_MAP("simulate", .load = NULL, tp_simulate_keys, "how the motion is computed"),
    ROW_MAP("output", .load = NULL, tp_output_keys, "what is kept of a run"),
};

const tp_key_table tp_scene_keys =
    TABLE("scene", scene_keys, "The whole file. Sections may come in any order.",
          .size = sizeof(scene_values), .begin = begin_scene);

static int count_of(const tp_node *root, const char *section)
{
    const tp_node *node = tp_map_get(root, section);
    return node ? node->count : 0;
}

static tp_status check_counts(tp_loader *loader)
{
    const tp_node *root = loader->root, *coordinates = tp_map_get(root, "coordinates");
    if (!coordinates && count_of(root, "bodies") + count_of(root, "states") == 0) {
        return tp_node_fail(root, loader->why,
                            "nothing can move: add coordinates: with a list of names or maps, or bodies: "
                            "with a list of maps; or "
                            "states: with a list of maps");
    }
    if (coordinates && coordinates->count == 0) {
        return tp_node_fail(coordinates, loader->why,
                            "found an empty list; a scene has at least one coordinate");
    }
    if (coordinates && coordinates->count > TP_SCENE_COORDINATES_MAX) {
        return tp_node_fail(coordinates, loader->why, "found %d coordinates; at most %d are possible",
                            coordinates->count, TP_SCENE_COORDINATES_MAX);
    }
    for (const tp_node *section = root->first; section; section = section->next) {
        if (section->count <= TP_SCENE_ENTRIES_MAX) continue;
        return tp_node_fail(section, loader->why, "found %d entries; at most %d are possible", section->count,
                            TP_SCENE_ENTRIES_MAX);
    }
    return TP_OK;
}

static tp_status begin_loader(tp_loader *loader)
{
    int bodies = count_of(loader->root, "bodies");
    TP_TRY(check_counts(loader));
    loader->coordinate_count = count_of(loader->root, "coordinates");
    loader->velocity_count = count_of(loader->root, "velocities");
    loader->first_shape = TP_ARENA_ARRAY(loader->work, int, bodies + 1);
    loader->shape_count = TP_ARENA_ARRAY(loader->work, int, bodies + 1);
    return loader->first_shape && loader->shape_count ? TP_OK : tp_load_no_memory(loader);
}

static tp_status load_sections(tp_loader *loader, scene_values *values)
{
    for (int k = 0; k < tp_scene_keys.key_count; k++) {
        const tp_key *key = &scene_keys[k];
        TP_TRY(tp_load_key(loader, loader->root, key, values));
        loader->at = NULL;
        if (key->table == &tp_ground_keys) TP_TRY(tp_load_check_bodies(loader));
        if (key->table == &tp_joint_keys) TP_TRY(tp_load_late_definitions(loader));
    }
    return TP_OK;
}

/* Texts of the tree that a struct points to move to the arena of the scene, which outlives the tree. */
static void keep_text(tp_arena *arena, const char **text)
{
    if (*text) *text = tp_arena_copy(arena, *text, strlen(*text) + 1, 1);
}

static void keep_texts(tp_arena *arena, const tp_key_table *table, char *made)
{
    for (int k = 0; k < table->key_count; k++) {
        const tp_key *key = &table->keys[k];
        void *field = made + key->field.at;
        bool is_inner = key->kind == TP_VALUE_MAP && !key->load && !key->table->add;
        if (is_inner) keep_texts(arena, key->table, field);
        if (key->field.fill == TP_FILLS_TEXT) keep_text(arena, field);
        if (key->field.fill != TP_FILLS_TEXTS) continue;
        const char **texts = *(const char ***)field; /* an array of the arena */
        for (int i = 0; i < *(const int *)(void *)(made + key->field.counter); i++)
            keep_text(arena, &texts[i]);
    }
}

tp_status tp_load_scene(tp_loader *loader, tp_scene *scene_io)
{
    scene_values values = {.scene = *scene_io};
    begin_scene(&values);
    TP_TRY(begin_loader(loader));
    TP_TRY(load_sections(loader, &values));
    if (strchr(values.scene.about, '\n')) {
        return tp_node_fail(tp_map_get(loader->root, "about"), loader->why,
                            "found several lines; write one, in quotes");
    }
    TP_TRY(check_steps(loader, &values.scene.options));
    TP_TRY(tp_load_told(loader, tp_model_set_name(loader->model, values.scene.name, &loader->told)));
    keep_texts(loader->arena, &tp_scene_keys, (char *)&values);
    if (tp_arena_status(loader->arena) != TP_OK) return tp_load_no_memory(loader);
    *scene_io = values.scene;
    loader->file = scene_io->path;
    loader->root = loader->at = NULL;
    tp_arena_clear(loader->work); /* with the tree: the model does not need it any more */
    return tp_load_told(loader, tp_model_finish(loader->model, &values.finish, &loader->told));
}
