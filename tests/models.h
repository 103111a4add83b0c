/* Models that several tests share, built through the C interface. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include "simulations.h"

#include <stdlib.h>
#include <string.h>

/* By the last call on a model that failed. */
static tp_message build_why;

static inline void must(tp_model *model, tp_status status)
{
    (void)model;
    if (status == TP_OK) return;
    print_error("%s\n", build_why.text);
    fail();
}

static inline tp_model *new_model(void)
{
    tp_model *model = NULL;
    if (tp_model_create(NULL, &model) != TP_OK) fail();
    return model;
}

static inline void parameter(tp_model *model, const char *name, double value)
{
    must(model, tp_model_add_parameter_value(model, name, value, (tp_place){0}, &build_why));
}

static inline void coordinate(tp_model *model, const char *name, double initial, double velocity)
{
    must(model, tp_model_add_coordinate(model, name, initial, velocity, "", (tp_place){0}, NULL, &build_why));
}

/* A contact with one slip velocity, or none (slip NULL). */
static inline void contact(tp_model *model, const char *name, const char *gap, const char *slip,
                           double friction, double restitution)
{
    tp_contact_def def = tp_contact_def_default();
    def.name = name;
    def.gap = TP_FORMULA(gap);
    if (slip != NULL) def.slip[def.slip_count++] = TP_FORMULA(slip);
    def.friction[0] = friction;
    def.restitution = restitution;
    must(model, tp_model_add_contact(model, &def, NULL, &build_why));
}

static inline tp_simulation *simulate(const tp_model *model, double time_step, double end_time)
{
    return simulate_with(model, tp_simulation_options_default().integrator, time_step, end_time);
}

/* Two masses, the second on a stiff spring above the floor; exact figures in examples/oscillator. */
static inline tp_model *oscillator_model(void)
{
    tp_model *model = new_model();
    coordinate(model, "x1", 0.11, 0.0);
    coordinate(model, "x2", 0.1, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(10*x1'^2 + 1e-3*x2'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("1/2*4e5*(x2 - 0.1)^2 + 9.81*(10*x1 + 1e-3*x2)"),
                                       &build_why));
    contact(model, "landing", "x1 - x2", NULL, 0.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* Double pendulum beside a wall, in absolute angles from the vertical. */
static inline tp_model *double_pendulum_model(bool has_wall)
{
    tp_model *model = new_model();
    parameter(model, "m", 0.2);
    parameter(model, "l", 0.5);
    parameter(model, "g", 9.81);
    coordinate(model, "a", 0.0, 5.0);
    coordinate(model, "b", 0.0, 5.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*m*l^2*(2*a'^2 + b'^2 + 2*cos(a - b)*a'*b')"),
                                     &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("3*m*g*l - m*g*l*(2*cos(a) + cos(b))"), &build_why));
    if (has_wall) contact(model, "upper", "l*sin(a)", NULL, 0.0, 1.0);
    if (has_wall) contact(model, "lower", "l*sin(a) + l*sin(b)", NULL, 0.0, 1.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* The same in Cartesian coordinates with two rods as constraints (y downwards). */
static inline tp_model *double_pendulum_redundant(void)
{
    tp_model *model = new_model();
    parameter(model, "m", 0.2);
    parameter(model, "l", 0.5);
    parameter(model, "g", 9.81);
    coordinate(model, "x1", 0.0, 2.5);
    coordinate(model, "y1", 0.5, 0.0);
    coordinate(model, "x2", 0.0, 5.0);
    coordinate(model, "y2", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*m*(x1'^2 + y1'^2 + x2'^2 + y2'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("3*m*g*l - m*g*(y1 + y2)"), &build_why));
    tp_constraint_def rod = tp_constraint_def_default();
    rod.name = "upper rod";
    rod.position = TP_FORMULA("1/2*(x1^2 + y1^2 - l^2)");
    must(model, tp_model_add_constraint(model, &rod, NULL, &build_why));
    rod.name = "lower rod";
    rod.position = TP_FORMULA("1/2*((x2 - x1)^2 + (y2 - y1)^2 - l^2)");
    must(model, tp_model_add_constraint(model, &rod, NULL, &build_why));
    contact(model, "upper", "x1", NULL, 0.0, 1.0);
    contact(model, "lower", "x2", NULL, 0.0, 1.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* A block of 3 kg at rest on a slope of 0.4 rad, whose tangent 0.4228 is below the friction of 0.5. */
static inline tp_model *resting_block_model(void)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.0);
    coordinate(model, "z", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*3*(x'^2 + z'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("3*9.81*(cos(0.4)*z - sin(0.4)*x)"), &build_why));
    contact(model, "slope", "z", "x'", 0.5, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* A block of 2 kg slides on the floor. */
static inline tp_model *sliding_block_model(double speed, double friction)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, speed);
    coordinate(model, "z", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*(x'^2 + z'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("2*9.81*z"), &build_why));
    contact(model, "floor", "z", "x'", friction, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* A disc of 1 kg and 0.02 kg m^2 slides along x and spins with 20 rad/s on the floor, with friction 0.3 and a
   drilling radius of 0.1 m. */
static inline tp_model *spinning_disc_model(double speed, tp_friction_kind shape)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, speed);
    coordinate(model, "y", 0.0, 0.0);
    coordinate(model, "z", 0.0, 0.0);
    coordinate(model, "phi", 0.0, 20.0);
    must(model,
         tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2 + z'^2 + 0.02*phi'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    tp_contact_def def = tp_contact_def_default();
    def.name = "floor";
    def.gap = TP_FORMULA("z");
    def.slip[0] = TP_FORMULA("x'");
    def.slip[1] = TP_FORMULA("y'");
    def.slip[2] = TP_FORMULA("phi'");
    def.slip_count = 3;
    def.friction_kind = shape;
    def.friction[0] = 0.3;
    def.drilling_radius = 0.1;
    must(model, tp_model_add_contact(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static inline tp_model *woodpecker_model(void)
{
    static const struct {
        const char *name;
        double value;
    } values[] = {{"r0", 0.0025}, {"rM", 0.0031}, {"hM", 0.0058}, {"lM", 0.010},  {"lG", 0.015},
                  {"hS", 0.02},   {"lS", 0.0201}, {"mM", 0.0003}, {"mS", 0.0045}, {"JM", 5e-9},
                  {"JS", 7e-7},   {"c", 0.0056},  {"g", 9.81}};
    tp_model *model = new_model();
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        parameter(model, values[i].name, values[i].value);
    coordinate(model, "y", 0.0, -0.3411);
    coordinate(model, "alpha", -0.1036, 0.0);
    coordinate(model, "phi", -0.2788, -7.4583);
    must(model,
         tp_model_add_kinetic(
             model, TP_FORMULA("1/2*(mM*y'^2 + JM*alpha'^2 + mS*(y' + lM*alpha' + lG*phi')^2 + JS*phi'^2)"),
             &build_why));
    must(model, tp_model_add_potential(
                    model, TP_FORMULA("1/2*c*(phi - alpha)^2 + (mM + mS)*g*y + mS*g*(lM*alpha + lG*phi)"),
                    &build_why));
    contact(model, "beak", "(lM + lG - lS - r0) - hS*phi", "y' + lM*alpha' + (lG - lS)*phi'", 0.3, 0.5);
    contact(model, "lower edge", "(rM - r0) + hM*alpha", "y' + rM*alpha'", 0.3, 0.0);
    contact(model, "upper edge", "(rM - r0) - hM*alpha", "y' + rM*alpha'", 0.3, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* State (angles, rates) of the double pendulum at 0.8 s, before it meets the wall, by the classical
 * Runge-Kutta method. */
static inline void double_pendulum_rates(const double *s, double *d)
{
    const double m = 0.2, l = 0.5, c = cos(s[0] - s[1]), si = sin(s[0] - s[1]), k = m * l * l;
    double h0 = -k * si * s[3] * s[3] - 2.0 * m * 9.81 * l * sin(s[0]),
           h1 = k * si * s[2] * s[2] - m * 9.81 * l * sin(s[1]);
    double det = k * k * (2.0 - c * c);
    d[0] = s[2];
    d[1] = s[3];
    d[2] = (k * h0 - k * c * h1) / det;
    d[3] = (2.0 * k * h1 - k * c * h0) / det;
}

static inline void double_pendulum_reference(double *s)
{
    const double dt = 1e-4;
    s[0] = s[1] = 0.0;
    s[2] = s[3] = 5.0;
    for (int step = 0; step < 8000; step++) {
        double k[4][4], z[4];
        double_pendulum_rates(s, k[0]);
        for (int j = 1; j < 4; j++) {
            for (int i = 0; i < 4; i++) z[i] = s[i] + (j == 3 ? 1.0 : 0.5) * dt * k[j - 1][i];
            double_pendulum_rates(z, k[j]);
        }
        for (int i = 0; i < 4; i++) s[i] += dt / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

#endif
