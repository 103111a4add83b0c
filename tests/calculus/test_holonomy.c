/* Holonomy of constraints that are given by formulas; docs/theory/holonomy.md. */
#include "holonomy_models.h"

/* The table of section 3.8. */
static const known_system table[] = {
    {"gear of variable ratio", {"a", "b"}, {"b' - (1 + sin(t))*a'"}, {NULL}, TP_NONHOLONOMIC, 1, 0},
    {"gear of constant ratio", {"a", "b"}, {"b' - 1.7*a'"}, {NULL}, TP_HOLONOMIC, 1, 1},
    {"skate", {"x", "y", "th"}, {"x'*sin(th) - y'*cos(th)"}, {NULL}, TP_NONHOLONOMIC, 1, 0},
    {"upright rolling disc",
     {"x", "y", "th", "ph"},
     {"x' - 0.5*ph'*cos(th)", "y' - 0.5*ph'*sin(th)"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     0},
    {"disc that rolls on a line", {"x", "ph"}, {"x' - 0.5*ph'"}, {NULL}, TP_HOLONOMIC, 1, 1},
    {"integrating factor", {"x", "y"}, {"x*y' - y*x'"}, {NULL}, TP_HOLONOMIC, 1, 1},
    {"contact form", {"x", "y", "z"}, {"z' - y*x'"}, {NULL}, TP_NONHOLONOMIC, 1, 0},
    {"contact form with y held", {"x", "y", "z"}, {"z' - y*x'", "y'"}, {NULL}, TP_HOLONOMIC, 2, 2},
    {"given speed", {"x"}, {"x' - cos(t)"}, {NULL}, TP_HOLONOMIC, 1, 1},
    {"speed is another coordinate", {"x", "y"}, {"x' - y"}, {NULL}, TP_NONHOLONOMIC, 1, 0},
    {"gradient", {"x", "y", "z"}, {NULL}, {"x*y + sin(z + t) - 0.4"}, TP_HOLONOMIC, 1, 1},
};

/* Further systems whose answers are in the literature, or follow from counting. */
static const known_system further[] = {
    {"car with one trailer",
     {"x", "y", "th", "ps"},
     {"x'*sin(th) - y'*cos(th)", "x'*sin(ps) - y'*cos(ps) - 0.8*ps'"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     0},
    {"car with two trailers",
     {"x", "y", "th", "ps", "et"},
     {"x'*sin(th) - y'*cos(th)", "x'*sin(ps) - y'*cos(ps) - 0.8*ps'",
      "x'*sin(et) - y'*cos(et) - 0.8*ps'*cos(ps - et) - 0.6*et'"},
     {NULL},
     TP_NONHOLONOMIC,
     3,
     0},
    {"car with three trailers",
     {"x", "y", "th", "ps", "et", "ze"},
     {"x'*sin(th) - y'*cos(th)", "x'*sin(ps) - y'*cos(ps) - 0.8*ps'",
      "x'*sin(et) - y'*cos(et) - 0.8*ps'*cos(ps - et) - 0.6*et'",
      "x'*sin(ze) - y'*cos(ze) - 0.8*ps'*cos(ps - ze) - 0.6*et'*cos(et - ze) - 0.5*ze'"},
     {NULL},
     TP_NONHOLONOMIC,
     4,
     0},
    {"sleigh with the blade aside",
     {"x", "y", "th"},
     {"x'*sin(th) - y'*cos(th) + 0.3*th'"},
     {NULL},
     TP_NONHOLONOMIC,
     1,
     0},
    {"steered bicycle",
     {"x", "y", "th", "de"},
     {"x'*sin(th) - y'*cos(th)", "x'*sin(th + de) - y'*cos(th + de) - th'*cos(de)"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     0},
    {"bicycle with locked steering: a circle",
     {"x", "y", "th"},
     {"x'*sin(th) - y'*cos(th)", "x'*sin(th + 0.4) - y'*cos(th + 0.4) - th'*cos(0.4)"},
     {NULL},
     TP_HOLONOMIC,
     2,
     2},
    /* Two wheels on one axle: the difference of the angles gives the heading, so one of three constraints is
       a relation between positions. */
    {"wheel pair",
     {"x", "y", "th", "a", "b"},
     {"x'*sin(th) - y'*cos(th)", "x'*cos(th) + y'*sin(th) + 0.4*th' - 0.5*a'",
      "x'*cos(th) + y'*sin(th) - 0.4*th' - 0.5*b'"},
     {NULL},
     TP_NONHOLONOMIC,
     3,
     1},
    /* Snakeboard: three free directions, nothing integrable. */
    {"snakeboard",
     {"x", "y", "th", "ro", "fi"},
     {"-x'*sin(th + fi) + y'*cos(th + fi) - th'*cos(fi)", "-x'*sin(th - fi) + y'*cos(th - fi) + th'*cos(fi)"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     0},
    /* Roller racer: two bodies, each with wheels. */
    {"roller racer",
     {"x", "y", "th", "ps"},
     {"x'*sin(th) - y'*cos(th)", "x'*sin(th + ps) - y'*cos(th + ps) - 0.5*th'*cos(ps) - 0.3*(th' + ps')"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     0},
    /* Ball on a plane in Euler angles (z-x-z): omega x r = v. */
    {"ball on a plane in Euler angles",
     {"x", "y", "ps", "th", "ph"},
     {"x' - 0.5*(th'*sin(ps) - ph'*sin(th)*cos(ps))", "y' + 0.5*(th'*cos(ps) + ph'*sin(th)*sin(ps))"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     0},
    /* The same without spinning about the vertical. */
    {"ball that does not drill",
     {"x", "y", "ps", "th", "ph"},
     {"x' - 0.5*(th'*sin(ps) - ph'*sin(th)*cos(ps))", "y' + 0.5*(th'*cos(ps) + ph'*sin(th)*sin(ps))",
      "ps' + ph'*cos(th)"},
     {NULL},
     TP_NONHOLONOMIC,
     3,
     0},
    /* Ball on a turntable: rheonomic. */
    {"ball on a turntable",
     {"x", "y", "ps", "th", "ph"},
     {"x' - 0.5*(th'*sin(ps) - ph'*sin(th)*cos(ps)) + (1 + t)*y",
      "y' + 0.5*(th'*cos(ps) + ph'*sin(th)*sin(ps)) - (1 + t)*x"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     0},
    {"skate on a turning rink",
     {"x", "y", "th"},
     {"(x' + 2*y)*sin(th) - (y' - 2*x)*cos(th)"},
     {NULL},
     TP_NONHOLONOMIC,
     1,
     0},
    {"one of two forms that are holonomic together",
     {"x", "y", "z", "w"},
     {"z' - y*x' + w'"},
     {NULL},
     TP_NONHOLONOMIC,
     1,
     0},
    {"both: their difference is d(x y)",
     {"x", "y", "z", "w"},
     {"z' - y*x' + w'", "w' + z' + x*y'"},
     {NULL},
     TP_HOLONOMIC,
     2,
     2},
    {"combination of exact forms by functions",
     {"x", "y", "z"},
     {"cos(x)*(y' + z') + (2 + y)*(x' + y*z' + z*y')", "sin(z)*(y' + z') - (x' + y*z' + z*y')"},
     {NULL},
     TP_HOLONOMIC,
     2,
     2},
    {"moving wire", {"x", "y"}, {"y' - 2*x*x' - cos(t)"}, {NULL}, TP_HOLONOMIC, 1, 1},
    {"pursuit of a point that moves",
     {"x", "y"},
     {"x'*(t - y) - y'*(2*t - x)"},
     {NULL},
     TP_NONHOLONOMIC,
     1,
     0},
    {"pendulum as a velocity", {"x", "y"}, {"x*x' + y*y'"}, {NULL}, TP_HOLONOMIC, 1, 1},
    {"position and skate together",
     {"x", "y", "th"},
     {"x'*sin(th) - y'*cos(th)"},
     {"th - x"},
     TP_HOLONOMIC,
     2,
     2}, /* in the plane of x and y one constraint: dy/dx = tan x */
    {"relation of position and a skate in space",
     {"x", "y", "z", "th"},
     {"x'*sin(th) - y'*cos(th)"},
     {"z - x^2"},
     TP_NONHOLONOMIC,
     2,
     1},
    {"redundant rows",
     {"x", "y", "th"},
     {"x'*sin(th) - y'*cos(th)", "2*x'*sin(th) - 2*y'*cos(th)"},
     {NULL},
     TP_NONHOLONOMIC,
     1,
     0},
    {"redundant holonomic rows", {"x", "y"}, {"x*y' - y*x'", "y' - y*x'/x"}, {NULL}, TP_HOLONOMIC, 1, 1},
    {"no freedom left", {"x", "y"}, {"x' - y", "y' + x*cos(t)"}, {NULL}, TP_HOLONOMIC, 2, 2},
    {"Goursat's flag", {"a", "b", "c", "d"}, {"b' - c*a'", "c' - d*a'"}, {NULL}, TP_NONHOLONOMIC, 2, 0},
    {"one free, one integrable",
     {"a", "b", "c", "d"},
     {"b' - c*a'", "d' - d*a'"},
     {NULL},
     TP_NONHOLONOMIC,
     2,
     1},
};

static int check_system(const known_system *known)
{
    tp_model *model = model_of(known);
    tp_holonomy *holonomy = holonomy_of(model, false);
    const tp_holonomy_part *part = tp_holonomy_part_at(holonomy, 0);
    bool is_right = tp_holonomy_part_count(holonomy) == 1 &&
                    tp_holonomy_verdict_of(holonomy) == known->verdict && part->rank == known->rank &&
                    part->integrable_count == known->integrable && part->is_exact;
    if (!is_right)
        print_error("%s: %s, rank %d, integrable %d, residual %.3g, bracket %.3g, exact %d\n", known->name,
                    tp_holonomy_verdict_name(tp_holonomy_verdict_of(holonomy)), part->rank,
                    part->integrable_count, part->residual, part->bracket, part->is_exact);
    /* Both conditions say the same: zero to rounding, or not by far. */
    bool is_zero = part->residual < 1e-12 && part->bracket<1e-11, is_large = part->residual> 1e-3 &&
                   part->bracket > 1e-6;
    if (known->verdict == TP_HOLONOMIC ? !is_zero : !is_large) {
        print_error("%s: residual %.3g, bracket %.3g\n", known->name, part->residual, part->bracket);
        is_right = false;
    }
    tp_holonomy_free(holonomy);
    tp_model_free(model);
    return is_right ? 0 : 1;
}

TEST(the_table_of_the_specification_comes_out)
{
    int wrong = 0;
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) wrong += check_system(&table[k]);
    CHECK_INT(wrong, 0);
}

TEST(twenty_six_further_systems_come_out)
{
    int wrong = 0;
    CHECK_INT(sizeof further / sizeof further[0], 26);
    for (size_t k = 0; k < sizeof further / sizeof further[0]; k++) wrong += check_system(&further[k]);
    CHECK_INT(wrong, 0);
}

/* Claim (3.8, first row): with A = (0, -a, 1), B_a = (1, 0, 0), B_b = (0, 1, a) the bracket is (0, 0, a'),
   and it is found across the constraint: the direction of dz with the size a'/sqrt(1 + a^2) of unit
   directions. */
TEST(the_bracket_of_the_variable_gear_is_the_rate_of_its_ratio)
{
    tp_model *model = model_of(&table[0]);
    tp_holonomy *holonomy = holonomy_of(model, false);
    const tp_holonomy_witness *witness = &tp_holonomy_part_at(holonomy, 0)->witness;
    double ratio = 1.0 + sin(witness->time), rate = cos(witness->time);
    CHECK_NEAR(witness->first[0], 1.0, 0.0);
    CHECK_NEAR(witness->second[1] * ratio, witness->second[2], 1e-14);
    /* [B_a, c B_b] = c (0, 0, a'), and its part along A/|A|^2 */
    double across = witness->second[1] * rate / (1.0 + ratio * ratio);
    CHECK_NEAR(witness->bracket[1], -ratio * across, 1e-13);
    CHECK_NEAR(witness->bracket[2], across, 1e-13);
    /* The path misses its start by leg^2 times the bracket across, up to the next power of the leg. */
    double missed = (witness->offset[2] - ratio * witness->offset[1]) / (witness->leg * witness->leg);
    CHECK_NEAR(missed, across * (1.0 + ratio * ratio), 5.0 * witness->leg);
    CHECK_NEAR(witness->offset[0], 0.0, 1e-15);
    tp_holonomy_free(holonomy);
    tp_model_free(model);
}

/* Claim: which constraint of the wheel pair is a relation between positions: 0.8 th = 0.5 (a - b). */
TEST(the_integrable_part_is_named)
{
    const known_system *pair = NULL;
    for (size_t k = 0; k < sizeof further / sizeof further[0]; k++)
        if (strcmp(further[k].name, "wheel pair") == 0) pair = &further[k];
    tp_model *model = model_of(pair);
    tp_holonomy *holonomy = holonomy_of(model, false);
    const double *row = tp_holonomy_part_at(holonomy, 0)->integrable;
    CHECK_INT(tp_holonomy_frame_count(holonomy), 6);
    CHECK(strcmp(tp_holonomy_frame_name(holonomy, 3), "th'") == 0);
    CHECK_NEAR(row[0], 0.0, 1e-5);
    CHECK_NEAR(row[1], 0.0, 1e-5);
    CHECK_NEAR(row[2], 0.0, 1e-5);
    CHECK_NEAR(row[4] / row[3], -0.5 / 0.8, 1e-5); /* paths are exact to 1e-8, tidy rounds below 1e-5 */
    CHECK_NEAR(row[5] / row[3], 0.5 / 0.8, 1e-5);
    tp_holonomy_free(holonomy);
    tp_model_free(model);
}

/* Claim P14: multiplying constraints by functions, combining them by an invertible matrix of functions, and
   other coordinates change nothing. The wheel pair and the car, combined by [[1, x], [sin(y), 2]] and so on.
 */
TEST(the_verdict_does_not_depend_on_how_constraints_are_written)
{
    static const known_system same[] = {
        {"scaled",
         {"x", "y", "th"},
         {"(2 + cos(x))*(x'*sin(th) - y'*cos(th))"},
         {NULL},
         TP_NONHOLONOMIC,
         1,
         0},
        {"scaled, integrable", {"x", "y"}, {"exp(x*y)*(x*y' - y*x')"}, {NULL}, TP_HOLONOMIC, 1, 1},
        {"combined",
         {"x", "y", "th", "a", "b"},
         {"x'*sin(th) - y'*cos(th) + x*(x'*cos(th) + y'*sin(th) + 0.4*th' - 0.5*a')",
          "sin(y)*(x'*sin(th) - y'*cos(th)) + 2*(x'*cos(th) + y'*sin(th) + 0.4*th' - 0.5*a')",
          "x'*cos(th) + y'*sin(th) - 0.4*th' - 0.5*b' + a*b*(x'*sin(th) - y'*cos(th))"},
         {NULL},
         TP_NONHOLONOMIC,
         3,
         1},
        /* the skate with r, phi for x, y: x' = r' cos - r phi' sin, ... */
        {"polar skate",
         {"r", "ph", "th"},
         {"(r'*cos(ph) - r*ph'*sin(ph))*sin(th) - (r'*sin(ph) + r*ph'*cos(ph))*cos(th)"},
         {NULL},
         TP_NONHOLONOMIC,
         1,
         0},
        {"polar integrating factor", {"r", "ph"}, {"r^2*ph'"}, {NULL}, TP_HOLONOMIC, 1, 1},
        {"turning coordinates",
         {"x", "y"},
         {"(x*cos(t) - y*sin(t))*(x'*sin(t) + y'*cos(t) + x*cos(t) - y*sin(t)) - (x*sin(t) + "
          "y*cos(t))*(x'*cos(t) - "
          "y'*sin(t) - x*sin(t) - y*cos(t))"},
         {NULL},
         TP_HOLONOMIC,
         1,
         1},
        {"millimetres",
         {"x", "y", "th"},
         {"1e-3*(x'*sin(th) - y'*cos(th)) + 0.3*th'"},
         {NULL},
         TP_NONHOLONOMIC,
         1,
         0},
        {"kilometres",
         {"x", "y", "th"},
         {"1e3*(x'*sin(th) - y'*cos(th)) + 0.3*th'"},
         {NULL},
         TP_NONHOLONOMIC,
         1,
         0},
    };
    int wrong = 0;
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) wrong += check_system(&same[k]);
    CHECK_INT(wrong, 0);
}

/* Claim: velocities of a model's own count with the brackets of their frame: the sleigh as rates
   x' = v cos th, y' = v sin th, th' = w, without any constraint; Euler's angles with the body's angular
   velocity; and a constraint that is constant in own velocities but not integrable. */
static tp_model *own_velocities(const char *const *velocities, const char *const (*rates)[2],
                                const char *constraint)
{
    tp_model *model = new_model();
    for (int i = 0; rates[i][0] != NULL; i++) coordinate(model, rates[i][0], 0.3 + 0.2 * i, 0.0);
    for (int j = 0; velocities[j] != NULL; j++) {
        must(model, tp_model_add_velocity(model, velocities[j], 0.0, "", (tp_place){0}, NULL, &build_why));
        must(model, tp_model_add_mass(model, velocities[j], velocities[j], TP_FORMULA("1"), &build_why));
    }
    for (int i = 0; rates[i][0] != NULL; i++)
        must(model, tp_model_set_rate(model, rates[i][0], TP_FORMULA(rates[i][1]), &build_why));
    if (constraint != NULL) {
        tp_constraint_def def = tp_constraint_def_default();
        def.name = "c";
        def.velocity = TP_FORMULA(constraint);
        must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static bool is_right(tp_model *model, tp_holonomy_verdict verdict, int integrable, bool is_exact)
{
    tp_holonomy *holonomy = holonomy_of(model, false);
    const tp_holonomy_part *part = tp_holonomy_part_at(holonomy, 0);
    bool is_so = tp_holonomy_part_count(holonomy) == 1 && part->verdict == verdict &&
                 part->integrable_count == integrable && part->is_exact == is_exact;
    if (!is_so)
        print_error("%s, %d integrable, exact %d, residual %.3g\n", tp_holonomy_verdict_name(part->verdict),
                    part->integrable_count, part->is_exact, part->residual);
    tp_holonomy_free(holonomy);
    tp_model_free(model);
    return is_so;
}

TEST(own_velocities_count_with_the_brackets_of_their_frame)
{
    static const char *const two[] = {"v", "w", NULL}, *const three[] = {"wx", "wy", "wz", NULL},
                             *const frame[] = {"v", "s", "w", NULL};
    static const char *const
        sleigh[][2] = {{"x", "v*cos(th)"}, {"y", "v*sin(th)"}, {"th", "w"}, {NULL, NULL}},
        *const line[][2] = {{"x", "v*cos(0.7)"}, {"y", "v*sin(0.7)"}, {"th", "w"}, {NULL, NULL}},
        *const euler[][2] = {{"ps", "(wx*sin(ph) + wy*cos(ph))/sin(th)"},
                             {"th", "wx*cos(ph) - wy*sin(ph)"},
                             {"ph", "wz - cos(th)*(wx*sin(ph) + wy*cos(ph))/sin(th)"},
                             {NULL, NULL}},
        *const body[][2] = {
            {"x", "v*cos(th) - s*sin(th) + t"}, {"y", "v*sin(th) + s*cos(th)"}, {"th", "w"}, {NULL, NULL}};
    CHECK(is_right(own_velocities(two, sleigh, NULL), TP_NONHOLONOMIC, 0, false));
    CHECK(is_right(own_velocities(two, line, NULL), TP_HOLONOMIC, 1, false));
    CHECK(is_right(own_velocities(three, euler, "wz"), TP_NONHOLONOMIC, 0, true));
    CHECK(is_right(own_velocities(frame, body, "s"), TP_NONHOLONOMIC, 0, true)); /* the skate again */
    CHECK(is_right(own_velocities(frame, body, "w"), TP_HOLONOMIC, 1, true));
    CHECK(is_right(own_velocities(frame, body, "v*cos(th) - s*sin(th)"), TP_HOLONOMIC, 1, true));
}

/* Claim: constraints that speak of time alone leave no velocity. */
TEST(a_constraint_on_time_alone_is_incompatible)
{
    tp_model *model = new_model();
    tp_holonomy_options options = tp_holonomy_options_default();
    tp_holonomy *holonomy = NULL;
    coordinate(model, "x", 0.0, 0.0);
    coordinate(model, "y", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("x'^2/2 + y'^2/2"), &build_why));
    tp_constraint_def def = tp_constraint_def_default();
    def.name = "c";
    def.velocity = TP_FORMULA("x' - y'");
    must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
    def.name = "d";
    def.velocity = TP_FORMULA("x' - y' + sin(t)"); /* consistent at the start alone */
    must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    CHECK_INT(tp_holonomy_create(NULL, model, &options, &holonomy), TP_OK);
    CHECK_INT(tp_holonomy_verdict_of(holonomy), TP_INCOMPATIBLE);
    tp_holonomy_free(holonomy);
    CHECK_INT(tp_holonomy_create(NULL, NULL, &options, &holonomy), TP_INVALID_ARGUMENT);
    options.point_count = 0;
    CHECK_INT(tp_holonomy_create(NULL, model, &options, &holonomy), TP_INVALID_ARGUMENT);
    tp_model_free(model);
}

/* Claim: of more than TP_HOLONOMY_MOST velocities that constraints on velocities couple nothing is said. */
TEST(very_large_parts_are_not_examined)
{
    tp_model *model = new_model();
    enum { COUNT = TP_HOLONOMY_MOST + 1 };
    for (int i = 0; i < COUNT; i++) {
        char name[20];
        snprintf(name, sizeof name, "c%d", i);
        coordinate(model, name, 0.0, 0.0);
    }
    for (int i = 0; i < COUNT; i++) {
        char name[20], other[60];
        snprintf(name, sizeof name, "c%d", i);
        snprintf(other, sizeof other, "%s'^2/2", name);
        must(model, tp_model_add_kinetic(model, TP_FORMULA(other), &build_why));
        if (i == 0) continue;
        tp_constraint_def def = tp_constraint_def_default();
        snprintf(other, sizeof other, "c%d' - c%d'", i, i - 1);
        snprintf(name, sizeof name, "k%d", i);
        def.name = name;
        def.velocity = TP_FORMULA(other);
        must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_holonomy *holonomy = holonomy_of(model, false);
    CHECK_INT(tp_holonomy_verdict_of(holonomy), TP_NOT_EXAMINED);
    CHECK_INT(tp_holonomy_part_at(holonomy, 0)->rank, -1);
    CHECK_INT(tp_holonomy_part_at(holonomy, 0)->row_count, COUNT - 1);
    tp_holonomy_free(holonomy);
    tp_model_free(model);
}

TEST_MAIN(RUNS(the_table_of_the_specification_comes_out), RUNS(twenty_six_further_systems_come_out),
          RUNS(the_bracket_of_the_variable_gear_is_the_rate_of_its_ratio), RUNS(the_integrable_part_is_named),
          RUNS(the_verdict_does_not_depend_on_how_constraints_are_written),
          RUNS(own_velocities_count_with_the_brackets_of_their_frame),
          RUNS(a_constraint_on_time_alone_is_incompatible), RUNS(very_large_parts_are_not_examined))
