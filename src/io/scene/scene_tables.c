/* Keys of scenes and of all their sections but laws (tables_laws.c) and drawings (tables_draw.c). */
#include "io/scene/scene_tables.h"

/* ---- coordinates and velocities ------------------------------------------------------------------------ */

static const tp_key coordinate_keys[] = {
    {.name = "name",
     .kind = TP_VALUE_TEXT,
     .flags = TP_KEY_REQUIRED,
     .text = "x; its rate is then called x'"},
    {.name = "unit", .kind = TP_VALUE_TEXT, .text = "for output"},
    {.name = "initial", .kind = TP_VALUE_QUANTITY, .default_text = "0", .text = "value at the start"},
    {.name = "velocity",
     .kind = TP_VALUE_QUANTITY,
     .default_text = "0",
     .text = "rate at the start; not with velocities of their own"},
};
const tp_key_table tp_coordinate_keys = {
    .name = "coordinate", .text = "A generalised coordinate.", .TP_KEYS_OF(coordinate_keys)};

static const tp_key velocity_keys[] = {
    {.name = "name", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED, .text = "its name in formulas"},
    {.name = "unit", .kind = TP_VALUE_TEXT, .text = "for output"},
    {.name = "initial", .kind = TP_VALUE_QUANTITY, .default_text = "0", .text = "value at the start"},
};
const tp_key_table tp_velocity_keys = {.name = "velocity",
                                       .text = "A velocity that is not the rate of a coordinate.",
                                       .TP_KEYS_OF(velocity_keys)};

/* ---- inertia and forces -------------------------------------------------------------------------------- */

static const tp_key linear_keys[] = {
    {.name = "M",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_ROWS,
     .flags = TP_KEY_REQUIRED,
     .text = "mass matrix, symmetric"},
    {.name = "C", .kind = TP_VALUE_QUANTITY, .form = TP_FORM_ROWS, .text = "damping and gyroscopic matrix"},
    {.name = "K", .kind = TP_VALUE_QUANTITY, .form = TP_FORM_ROWS, .text = "stiffness matrix, symmetric"},
};
const tp_key_table tp_linear_keys = {
    .name = "linear",
    .text = "M q'' + C q' + K q = other forces. Rows and columns in the order of the coordinates.",
    .TP_KEYS_OF(linear_keys)};

static const char *const force_frames[] = {"world", "body", NULL};
static const tp_key force_keys[] = {
    {.name = "on", .kind = TP_VALUE_TEXT, .text = "coordinate or velocity it acts on; or"},
    {.name = "body", .kind = TP_VALUE_TEXT, .text = "body it acts on"},
    {.name = "name", .kind = TP_VALUE_TEXT, .text = "of a force on a body; left out: BODY.force"},
    {.name = "force",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .unit = "N or N m",
     .text = "of time, coordinates and velocities: one formula, or on a body its components x, y, z (planar: "
             "x, y)"},
    {.name = "moment",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .unit = "N m",
     .text = "on a body: components x, y, z, or one formula on a planar body"},
    {.name = "frame",
     .kind = TP_VALUE_CHOICE,
     .choices = force_frames,
     .default_text = "world",
     .text = "on a body: directions that force and moment go along"},
    {.name = "point",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .unit = "m",
     .text = "on a body: where the force acts, in the frame of the body's points; left out: its origin"},
};
const tp_key_table tp_force_keys = {
    .name = "force",
    .text = "A generalised force on a coordinate, or a force and a moment on a body.",
    .TP_KEYS_OF(force_keys)};

/* ---- output and simulation ----------------------------------------------------------------------------- */

static const char *const quantities[] = {"coordinate", "rate", "reaction", "moment",
                                         "force",      "gap",  "slip",     NULL};
static const char *const components[] = {"x", "y", "z", "normal", "tangent1", "tangent2", "norm", NULL};
static const char *const sensor_frames[] = {"world", "joint", NULL};
static const tp_key sensor_keys[] = {
    {.name = "name", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED, .text = "of the column"},
    {.name = "value", .kind = TP_VALUE_FORMULA, .text = "of time, coordinates and velocities; or"},
    {.name = "joint", .kind = TP_VALUE_TEXT, .text = "that is measured; or"},
    {.name = "contact",
     .kind = TP_VALUE_TEXT,
     .text = "that is measured: forces are summed over its points, gap and slip are those of the nearest"},
    {.name = "quantity",
     .kind = TP_VALUE_CHOICE,
     .choices = quantities,
     .text = "of a joint: coordinate, rate, reaction (force on B) or moment (on B, about the joint's point); "
             "of a "
             "contact: force (on B), gap or slip"},
    {.name = "coordinate",
     .kind = TP_VALUE_TEXT,
     .text = "of the joint; may be left out where there is only one"},
    {.name = "component",
     .kind = TP_VALUE_CHOICE,
     .choices = components,
     .text = "of reaction, moment, force and slip; left out: norm, of a contact's force normal; normal and "
             "tangents belong to contacts"},
    {.name = "frame",
     .kind = TP_VALUE_CHOICE,
     .choices = sensor_frames,
     .default_text = "world",
     .text = "of reaction and moment: along the world's axes or those of the joint on A"},
    {.name = "unit", .kind = TP_VALUE_TEXT, .text = "of the column; left out: that of the quantity"},
};
const tp_key_table tp_sensor_keys = {.name = "sensor",
                                     .text = "A column of the output: a formula, or what a joint or contact "
                                             "does. A force is the impulse of the "
                                             "last step divided by its length.",
                                     .TP_KEYS_OF(sensor_keys)};

static const char *const direction_choices[] = {"discrete", "begin", NULL};
static const char *const rotation_choices[] = {"midpoint", "begin", NULL};
static const char *const sticking_choices[] = {"free", "settled", NULL};
static const char *const form_choices[] = {"scalable", "affine", NULL};
static const char *const variant_choices[] = {"predicted", "begin", "end", "midpoint", "semi-explicit", NULL};
static const char *const projection_choices[] = {"none", "velocities", "coordinates", NULL};

static const tp_key simulate_keys[] = {
    {.name = "integrator",
     .kind = TP_VALUE_TEXT,
     .default_text = "moreau",
     .text = "method of time steps; `tippe list integrators` names them"},
    {.name = "solver",
     .kind = TP_VALUE_TEXT,
     .default_text = "auto",
     .text = "of the problem in each step; `tippe list solvers` names them"},
    {.name = "dt",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "s",
     .default_text = "1e-3",
     .text = "length of a time step"},
    {.name = "until",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "s",
     .default_text = "1",
     .text = "end of the run; it begins at 0"},
    {.name = "tolerance",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .default_text = "1e-14",
     .text =
         "residual E at which a step's problem is solved; what double precision cannot improve also counts"},
    {.name = "max_iterations",
     .kind = TP_VALUE_INTEGER,
     .flags = TP_KEY_NOT_NEGATIVE,
     .default_text = "0",
     .text = "of the solver in a step; 0: its own limit"},
    {.name = "warm_start",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "true",
     .text = "the solver begins with the impulses of the step before; false: with 0"},
    {.name = "contact_tolerance",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .default_text = "1e-12",
     .text = "a contact takes part in a step if its gap is at most this times the size of the scene (`tippe "
             "check` tells it; of angles: at most this [rad]); not 0, so that rounding does not open one at "
             "rest"},
    {.name = "accept_unconverged",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "false",
     .text = "go on with the best point of a step that was not solved; such steps are counted"},
    {.name = "theta",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0.5",
     .text = "moreau-jean: weight of the step's end in forces and positions; stable from 0.5 on"},
    {.name = "mass_prediction",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0.5",
     .text = "moreau-jean: part of the step at whose predicted positions the mass matrix is taken"},
    {.name = "forecast",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0.5",
     .text = "moreau-jean: part of the step after which a predicted gap must be closed for a contact to take "
             "part"},
    {.name = "refresh_rows",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "true",
     .text = "moreau-jean: laws in the positions of the step's end; false: of its begin"},
    {.name = "variant",
     .kind = TP_VALUE_CHOICE,
     .choices = variant_choices,
     .default_text = "predicted",
     .text = "moreau-jean: where kinematics and forces are taken; for u = q' the first three are the same"},
    {.name = "projection",
     .kind = TP_VALUE_CHOICE,
     .choices = projection_choices,
     .default_text = "none",
     .text = "after each step of moreau and moreau-jean, move the positions onto joints and closed contacts: "
             "along "
             "velocities, or in coordinates with the unit length of quaternions as a constraint"},
    {.name = "projection_tolerance",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .default_text = "1e-12",
     .text = "errors of joints and penetrations that a projection may leave [m, rad]"},
    {.name = "paoli_theta",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0",
     .text = "schatzman-paoli: part of the step after which forces are taken; 0 is of second order, above 0 "
             "of first, for stiff forces"},
    {.name = "paoli_first_order_start",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "false",
     .text = "schatzman-paoli: the first step begins with the initial velocity, without half a step of "
             "forces"},
    {.name = "consistent_directions",
     .kind = TP_VALUE_CHOICE,
     .choices = direction_choices,
     .default_text = "discrete",
     .text = "contacts of the consistent integrators (not of the hybrid): their directions are discrete "
             "derivatives "
             "of the gaps, so that closed gaps never shrink, or those of the begin of a step"},
    {.name = "consistent_rotation",
     .kind = TP_VALUE_CHOICE,
     .choices = rotation_choices,
     .default_text = "midpoint",
     .text = "bodies that turn in space under consistent, -elastic, -two-step and -hybrid: kinematics and "
             "gyroscopic terms of the middle of a step (order 2), or of its begin (order 1)"},
    {.name = "consistent_sticking",
     .kind = TP_VALUE_CHOICE,
     .choices = sticking_choices,
     .default_text = "free",
     .text =
         "contacts and friction at rest under consistent-two-step, consistent-quaternion and "
         "consistent-quaternion-two-step: as the published schemes leave them (contacts sink and creep in "
         "the one-step scheme, velocities change sign in every step in the two-step schemes), or with "
         "velocities that are settled by the impact law after every step, so that they rest"},
    {.name = "consistent_bodies",
     .kind = TP_VALUE_CHOICE,
     .choices = form_choices,
     .default_text = "scalable",
     .text = "rigid bodies of consistent, consistent-elastic, consistent-two-step and consistent-hybrid: as "
             "scalable bodies of constant size, or as affine bodies with a constant mass matrix, which have "
             "more unknowns and must not be flat; consistent-position always has affine ones"},
    {.name = "project_initial_state",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "false",
     .text = "move the initial state onto the constraints instead of refusing one that is off them"},
};
const tp_key_table tp_simulate_keys = {
    .name = "simulate", .text = "How the motion is computed.", .TP_KEYS_OF(simulate_keys)};

static const tp_key exact_keys[] = {
    {.name = "motion",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_NAMED,
     .flags = TP_KEY_REQUIRED,
     .text = "formulas of t and parameters by coordinate or velocity: `x: \"A*cos(w*t)\"`; where u = q' the "
             "rate of x follows from x, unless `x'` is given"},
    {.name = "until",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "s",
     .text = "up to when it holds; left out: always"},
};
const tp_key_table tp_exact_keys = {
    .name = "exact",
    .text = "The exact motion, where it is known. Runs do not use it; `tippe converge` and `tippe compare` "
            "measure errors against it.",
    .TP_KEYS_OF(exact_keys)};

static const tp_key output_keys[] = {
    {.name = "every",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "s",
     .default_text = "0",
     .text = "time between rows of the output; 0: every step"},
    {.name = "frame_every",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "s",
     .default_text = "0",
     .text = "time between frames for ParaView; 0: a frame for every row"},
    {.name = "columns",
     .kind = TP_VALUE_TEXT,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .text =
         "columns, groups (`q`, `law/beak`) and tables (`contacts`, `events`) that are written; left out: "
         "all. A run can be continued only from a file with all of them"},
};
const tp_key_table tp_output_keys = {
    .name = "output", .text = "What is kept of a run.", .TP_KEYS_OF(output_keys)};

/* ---- the scene ----------------------------------------------------------------------------------------- */

static const tp_key mass_by_names = {
    .name = "mass", .kind = TP_VALUE_FORMULA, .form = TP_FORM_NAMED, .text = "map"};
static const tp_key force_list = {
    .name = "forces", .kind = TP_VALUE_MAP, .form = TP_FORM_LIST, .table = &tp_force_keys, .text = "list"};
static const tp_key sensor_list = {
    .name = "sensors", .kind = TP_VALUE_MAP, .form = TP_FORM_LIST, .table = &tp_sensor_keys, .text = "list"};

static const tp_key scene_keys[] = {
    {.name = "name", .kind = TP_VALUE_TEXT, .default_text = "scene", .text = "name of the scene"},
    {.name = "about", .kind = TP_VALUE_TEXT, .text = "what it shows, in one line"},
    {.name = "parameters",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_NAMED,
     .text = "constants; a formula may use the parameters before it"},
    {.name = "coordinates",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_NAME,
     .table = &tp_coordinate_keys,
     .text =
         "q, in the order of the output, before those of bodies; a scene has coordinates, bodies or both"},
    {.name = "velocities",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_NAME,
     .table = &tp_velocity_keys,
     .text = "u, where it is not q'; then every coordinate needs its rate"},
    {.name = "inputs",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_NAME,
     .table = &tp_input_keys,
     .text = "values that are set from outside between steps"},
    {.name = "gravity",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .unit = "m/s^2",
     .text = "acceleration of free bodies, x, y, z (or x, y); acts on bodies alone; left out: none"},
    {.name = "bodies",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_body_keys,
     .text = "with their mass, start and shapes"},
    {.name = "ground", .kind = TP_VALUE_MAP, .table = &tp_ground_keys, .text = "shapes that do not move"},
    {.name = "joints",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_joint_keys,
     .text = "between bodies"},
    {.name = "couplers",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_coupler_keys,
     .text = "gears between joints"},
    {.name = "springs",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_spring_keys,
     .text = "springs, dampers and ropes between bodies"},
    {.name = "bushings",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_bushing_keys,
     .text = "elastic connections between bodies"},
    {.name = "rates",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_NAMED,
     .text = "q' of each coordinate, linear in the velocities, without bodies; only with `velocities`"},
    {.name = "definitions",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_NAMED,
     .text = "names for parts of formulas, `s: \"sin(phi)\"`, and functions, `f(x, y): \"x*y\"`; each may "
             "use those "
             "before it"},
    {.name = "kinetic",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .unit = "J",
     .text = "kinetic energy of the coordinates, quadratic in their rates: mass matrix and gyroscopic forces "
             "follow from it; a list is added up. Bodies bring their own, by their mass and inertia"},
    {.name = "mass",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_ROWS,
     .or_else = &mass_by_names,
     .text =
         "mass matrix in the order of the velocities, or its entries by names, `\"x,y\": \"m*l\"` (each pair "
         "once); added to that of the kinetic energy"},
    {.name = "linear",
     .kind = TP_VALUE_MAP,
     .table = &tp_linear_keys,
     .text = "matrices of a linear system; added to the other inertia and forces"},
    {.name = "potential",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .unit = "J",
     .text = "potential energy of time and coordinates; gravity stands here"},
    {.name = "dissipation",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .unit = "W",
     .text = "R of time, coordinates, rates and velocities, with the force -dR/dq' on rates and -dR/du on "
             "velocities: `1/2*d*x'^2` is a damper, `1/2*d*ball.omega.z^2` a drag of a body"},
    {.name = "forces",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_NAMED,
     .unit = "N or N m",
     .or_else = &force_list,
     .text = "generalised forces by the coordinate or velocity they act on, or a list with forces on bodies"},
    {.name = "constraints",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_constraint_keys,
     .text = "equations between coordinates or velocities"},
    {.name = "contacts",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_contact_keys,
     .text = "what may open and close"},
    {.name = "laws",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_law_keys,
     .text = "one-way clutches, dry friction, limited motors"},
    {.name = "sensors",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_NAMED,
     .or_else = &sensor_list,
     .text = "further columns of the output"},
    {.name = "draw",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_drawing_keys,
     .text = "figures that show the model, for `tippe run --paraview`, `tippe export` and `tippe draw`"},
    {.name = "initial",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_NAMED,
     .text = "values at the start: `x`, `x'` or a velocity; these win over those of `coordinates`; 0 where "
             "nothing is said"},
    {.name = "exact",
     .kind = TP_VALUE_MAP,
     .table = &tp_exact_keys,
     .text = "the exact motion, where it is known, to measure errors against"},
    {.name = "simulate",
     .kind = TP_VALUE_MAP,
     .table = &tp_simulate_keys,
     .text = "how the motion is computed"},
    {.name = "output", .kind = TP_VALUE_MAP, .table = &tp_output_keys, .text = "what is kept of a run"},
};
const tp_key_table tp_scene_keys = {
    .name = "scene", .text = "The whole file. Sections may come in any order.", .TP_KEYS_OF(scene_keys)};
