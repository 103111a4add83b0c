/* Every derivative that the system layer hands out agrees with central differences of the values that it
   hands out: on the examples, and on models that use what no example does. Random states near the initial
   one. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "math/dense.h"
#include "rows.h"
#include "system/parts.h"

enum { SIZE = 32, STATES = 5 }; /* larger models are left out */

/* Central differences with steps of h = 1e-5 have a relative error of h^2/6 times the third derivative over
   the first, near 1e-10 here, and a rounding error of eps/h = 2e-11 of the function itself. */
static const double difference_step = 1e-5, relative_tolerance = 1e-6, rounding_tolerance = 1e-9;

typedef struct point {
    double t, q[SIZE], u[SIZE];
} point;

typedef struct subject {
    const char *name;
    tp_system *system;
    int n, m; /* coordinates, velocities */
    point at;
} subject;

static void move_to(subject *s, const point *p)
{
    tp_system_move(s->system, p->t, p->q, p->u);
}

/* |found - expected| of arrays, relative to their largest entry; `size` is that of what was differenced. */
static void compare(const subject *s, const char *what, int count, const double *found,
                    const double *expected, double size)
{
    double largest = 0.0, worst = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(expected[i]));
        worst = fmax(worst, fabs(found[i] - expected[i]));
        if (isnan(found[i]) || isnan(expected[i])) worst = INFINITY;
    }
    if (worst <= relative_tolerance * largest + rounding_tolerance * size) return;
    fail_msg("%s: %s differs by %.3g from central differences (largest entry %.3g)", s->name, what, worst,
             largest);
}

static double kinetic_at(subject *s, const point *p)
{
    move_to(s, p);
    return tp_system_kinetic_energy(s->system);
}

static double potential_at(subject *s, const point *p)
{
    move_to(s, p);
    return tp_system_potential_energy(s->system);
}

/* The point moved along the motion by a time h, at fixed u; rate is q' there. */
static point along(const subject *s, const point *p, const double *rate, double h)
{
    point moved = *p;
    moved.t += h;
    for (int i = 0; i < s->n; i++) moved.q[i] += h * rate[i];
    return moved;
}

/* Central differences of a quadratic function are exact for any step, so the step is 1. With velocities of
   their own T also has parts linear in u, which drop out. */
static void check_mass(subject *s)
{
    double M[SIZE * SIZE], expected[SIZE * SIZE];
    move_to(s, &s->at);
    tp_system_mass(s->system, M);
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->m; j++) {
            double sum = 0.0;
            for (int corner = 0; corner < 4; corner++) {
                point p = s->at;
                p.u[i] += corner & 1 ? 1.0 : -1.0;
                p.u[j] += corner & 2 ? 1.0 : -1.0;
                sum += (corner == 0 || corner == 3 ? 0.25 : -0.25) * kinetic_at(s, &p);
            }
            expected[i + j * s->m] = sum;
        }
    }
    compare(s, "the mass matrix", s->m * s->m, M, expected, 0.0);
}

static void check_potential(subject *s)
{
    double gradient[SIZE], expected[SIZE], h = difference_step;
    for (int i = 0; i < s->n; i++) {
        point plus = s->at, minus = s->at;
        plus.q[i] += h, minus.q[i] -= h;
        expected[i] = (potential_at(s, &plus) - potential_at(s, &minus)) / (2.0 * h);
    }
    double size = fabs(potential_at(s, &s->at));
    tp_system_potential_gradient(s->system, gradient);
    compare(s, "the gradient of the potential", s->n, gradient, expected, size);
}

/* An open compliant contact counts with the stiffness it has when closed: nothing to compare with. */
static bool has_open_spring(const subject *s)
{
    for (int i = 0; i < s->system->model->springs.count; i++) {
        if (tp_system_spring_gap(s->system, i) > -10.0 * difference_step) return true;
    }
    return false;
}

static void check_stiffness(subject *s, check_random *random)
{
    double direction[SIZE], product[SIZE], plus[SIZE], minus[SIZE], size = 0.0, h = difference_step;
    point p = s->at;
    for (int i = 0; i < s->n; i++) direction[i] = check_uniform(random, -1.0, 1.0);
    move_to(s, &s->at);
    if (has_open_spring(s)) return;
    tp_formulas_stiffness_vector(s->system, direction, product);
    for (int i = 0; i < s->n; i++) p.q[i] = s->at.q[i] + h * direction[i];
    move_to(s, &p);
    tp_system_potential_gradient(s->system, plus);
    for (int i = 0; i < s->n; i++) p.q[i] = s->at.q[i] - h * direction[i];
    move_to(s, &p);
    tp_system_potential_gradient(s->system, minus);
    for (int i = 0; i < s->n; i++) {
        size = fmax(size, fabs(plus[i]));
        plus[i] = (plus[i] - minus[i]) / (2.0 * h);
    }
    compare(s, "the product of stiffness and a vector", s->n, product, plus, size);
}

/* q' = B u + beta, and its time derivative at fixed u. */
static void check_rates(subject *s)
{
    double B[SIZE * SIZE], beta[SIZE], rate[SIZE], expected[SIZE * SIZE], drift[SIZE] = {0.0},
                                                                          h = difference_step;
    move_to(s, &s->at);
    memcpy(B, s->system->B, (size_t)(s->n * s->m) * sizeof(double));
    memcpy(rate, tp_system_rate(s->system), (size_t)s->n * sizeof(double));
    if (s->system->own_velocities) memcpy(drift, s->system->rate_drift, (size_t)s->n * sizeof(double));
    memcpy(beta, s->system->beta, (size_t)s->n * sizeof(double));
    for (int j = 0; j < s->m; j++) { /* affine: exact for any step */
        point plus = s->at, minus = s->at;
        plus.u[j] += 1.0, minus.u[j] -= 1.0;
        move_to(s, &plus);
        for (int i = 0; i < s->n; i++) expected[i + j * s->n] = 0.5 * tp_system_rate(s->system)[i];
        move_to(s, &minus);
        for (int i = 0; i < s->n; i++) expected[i + j * s->n] -= 0.5 * tp_system_rate(s->system)[i];
    }
    compare(s, "B of the rates", s->n * s->m, B, expected, 0.0);
    point rest = s->at;
    memset(rest.u, 0, sizeof rest.u);
    move_to(s, &rest);
    compare(s, "beta of the rates", s->n, beta, tp_system_rate(s->system), 1e-3);
    point plus = along(s, &s->at, rate, h), minus = along(s, &s->at, rate, -h);
    move_to(s, &plus);
    for (int i = 0; i < s->n; i++) expected[i] = tp_system_rate(s->system)[i] / (2.0 * h);
    move_to(s, &minus);
    for (int i = 0; i < s->n; i++) expected[i] -= tp_system_rate(s->system)[i] / (2.0 * h);
    compare(s, "the time derivative of the rates", s->n, drift, expected, 1.0);
}

/* Velocity of row k of a law at a point, from values alone: dg/dt along the motion, or the formula itself. */
static double row_velocity(subject *s, int index, int k, const point *p)
{
    const tp_law *law = TP_LIST_AT(s->system->model->laws, tp_law, index);
    double rate[SIZE], h = difference_step;
    move_to(s, p);
    if (k > 0 || law->level == TP_LEVEL_VELOCITY)
        return law->row_factor[k] * tp_scalar_value(&law->row[k], &s->system->at);
    memcpy(rate, tp_system_rate(s->system), (size_t)s->n * sizeof(double));
    point plus = along(s, p, rate, h), minus = along(s, p, rate, -h);
    move_to(s, &plus);
    double g = tp_system_law_position(s->system, index);
    move_to(s, &minus);
    return (g - tp_system_law_position(s->system, index)) / (2.0 * h);
}

static void check_laws(subject *s)
{
    for (int i = 0; i < s->system->model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(s->system->model->laws, tp_law, i);
        double W[TP_LAW_ROWS * SIZE], chi[TP_LAW_ROWS], expected[SIZE];
        move_to(s, &s->at);
        full_rows(s->system, i, W, chi);
        for (int k = 0; k < law->row_count; k++) {
            for (int j = 0; j < s->m; j++) { /* affine in u: the step is 1 */
                point plus = s->at, minus = s->at;
                plus.u[j] += 1.0, minus.u[j] -= 1.0;
                expected[j] = 0.5 * (row_velocity(s, i, k, &plus) - row_velocity(s, i, k, &minus));
            }
            compare(s, law->name, s->m, W + k * s->m, expected, 1.0);
            point rest = s->at;
            memset(rest.u, 0, sizeof rest.u);
            double chi_expected = row_velocity(s, i, k, &rest);
            compare(s, law->name, 1, &chi[k], &chi_expected, 1.0);
        }
    }
}

/* Momentum dT/du of a kinetic energy that is quadratic in u: exact differences. */
static void momentum_at(subject *s, const point *p, double *momentum)
{
    for (int j = 0; j < s->m; j++) {
        point plus = *p, minus = *p;
        plus.u[j] += 1.0, minus.u[j] -= 1.0;
        momentum[j] = 0.5 * (kinetic_at(s, &plus) - kinetic_at(s, &minus));
    }
}

/* Forces that are not potential: damping by differences, the others by value. */
static void add_other_forces(subject *s, double *h_out)
{
    const tp_model *model = s->system->model;
    for (int j = 0; j < s->m; j++) {
        for (int side = -1; side <= 1; side += 2) {
            point p = s->at;
            p.u[j] += side * difference_step;
            move_to(s, &p);
            for (int i = 0; i < model->dissipation.count; i++)
                h_out[j] -= side *
                            tp_scalar_value(TP_LIST_AT(model->dissipation, tp_scalar, i), &s->system->at) /
                            (2.0 * difference_step);
        }
    }
    move_to(s, &s->at);
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (int j = 0; j < s->n && part->C != NULL; j++) {
            for (int k = 0; k < s->n; k++) h_out[k] -= part->C[k + j * s->n] * s->at.u[j];
        }
    }
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        h_out[entry->index] += tp_scalar_value(&entry->value, &s->system->at);
    }
}

/* Lagrange's equations with u = q': h = dT/dq - d/dt (dT/du) at fixed u - dV/dq + other forces. */
static void check_force(subject *s)
{
    if (s->system->own_velocities) return; /* another test compares such a model with a plain one */
    double found[SIZE], expected[SIZE] = {0.0}, begin[SIZE], end[SIZE], h = difference_step;
    point plus = along(s, &s->at, s->at.u, h), minus = along(s, &s->at, s->at.u, -h);
    momentum_at(s, &plus, end);
    momentum_at(s, &minus, begin);
    double size = fabs(kinetic_at(s, &s->at)) + fabs(potential_at(s, &s->at));
    for (int j = 0; j < s->m; j++) {
        point right = s->at, left = s->at;
        right.q[j] += h, left.q[j] -= h;
        expected[j] = -(end[j] - begin[j]) / (2.0 * h);
        expected[j] += (kinetic_at(s, &right) - kinetic_at(s, &left)) / (2.0 * h);
        expected[j] -= (potential_at(s, &right) - potential_at(s, &left)) / (2.0 * h);
    }
    add_other_forces(s, expected);
    move_to(s, &s->at);
    tp_system_force(s->system, found);
    compare(s, "the force", s->m, found, expected, size);
}

/* Accelerations u' without laws: M u' = h. */
static void acceleration(subject *s, double *out)
{
    double M[SIZE * SIZE];
    move_to(s, &s->at);
    tp_system_mass(s->system, M);
    tp_system_force(s->system, out);
    if (tp_dense_cholesky(s->m, M, s->m, 0.0) != TP_OK) fail_msg("%s: no mass", s->name);
    tp_dense_cholesky_solve(s->m, M, s->m, out);
}

static void randomise(subject *s, check_random *random)
{
    const tp_model *model = s->system->model;
    s->at.t = check_uniform(random, 0.0, 1.0);
    for (int i = 0; i < s->n; i++) s->at.q[i] = model->q0[i] + check_uniform(random, -0.05, 0.05);
    for (int j = 0; j < s->m; j++) s->at.u[j] = model->u0[j] + check_uniform(random, -1.0, 1.0);
}

static subject new_subject(const char *name, const tp_model *model)
{
    subject s = {.name = name, .n = tp_model_coordinate_count(model), .m = tp_model_velocity_count(model)};
    if (s.n > SIZE || tp_system_create(NULL, model, &s.system) != TP_OK) fail_msg("%s: no system", name);
    return s;
}

static void check_model(const char *name, const tp_model *model, uint64_t seed)
{
    subject s = new_subject(name, model);
    check_random random = {seed};
    for (int k = 0; k < STATES; k++) {
        randomise(&s, &random);
        check_mass(&s);
        check_potential(&s);
        check_stiffness(&s, &random);
        check_rates(&s);
        check_laws(&s);
        check_force(&s);
    }
    tp_system_free(s.system);
}

/* Bodies: along the motion of any velocities, position rows change as their velocity rows say. What leaves
   the unit sphere of quaternions is of second order in the step. */
static void check_body_rows(const char *name, const tp_model *model, uint64_t seed)
{
    subject s = new_subject(name, model);
    check_random random = {seed};
    const double offset[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0},
                 h = 10.0 * difference_step;
    double rate[SIZE], W[TP_LAW_ROWS * SIZE], chi[TP_LAW_ROWS], g[TP_LAW_ROWS];
    for (int round = 0; round < STATES; round++) {
        randomise(&s, &random);
        for (int i = 0; i < model->laws.count; i++) {
            const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
            int rows = law->level == TP_LEVEL_GAP ? 1 : law->row_count;
            if (law->level == TP_LEVEL_VELOCITY) continue; /* of shapes: system/test_contact_rows.c */
            double expected[TP_LAW_ROWS] = {0.0};
            tp_system_normalise(s.system, s.at.q);
            move_to(&s, &s.at);
            full_rows(s.system, i, W, chi);
            memcpy(rate, tp_system_rate(s.system), (size_t)s.n * sizeof(double));
            for (int p = 0; p < 4; p++) { /* fourth order: rows may be strongly curved */
                point moved = along(&s, &s.at, rate, offset[p] * h);
                move_to(&s, &moved);
                tp_system_law_positions(s.system, i, g);
                for (int k = 0; k < rows; k++) expected[k] += weight[p] * g[k] / (12.0 * h);
            }
            for (int k = 0; k < rows; k++) {
                for (int j = 0; j < s.m; j++) chi[k] += W[k * s.m + j] * s.at.u[j];
                compare(&s, law->name, 1, &chi[k], &expected[k], 1.0);
            }
        }
    }
    tp_system_free(s.system);
}

/* The same points for an example, whatever others there are: a screw has jumps from thread to thread. */
static uint64_t seed_of(const char *name)
{
    uint64_t seed = 100;
    for (; *name != '\0'; name++) seed = 31 * seed + (unsigned char)*name;
    return seed;
}

TEST(derivatives_of_every_example_agree_with_central_differences)
{
    UNUSED_STATE;
    example_list examples = find_examples();
    for (int i = 0; i < examples.count; i++) {
        tp_scene *scene = read_short_example(examples.name[i]);
        bool has_bodies = tp_model_body_count(scene->model) > 0; /* their matrices are sparse */
        if (has_bodies && tp_model_coordinate_count(scene->model) > SIZE) {
            tp_scene_free(scene);
            continue;
        }
        (has_bodies ? check_body_rows : check_model)(examples.name[i], scene->model,
                                                     seed_of(examples.name[i]));
        tp_scene_free(scene);
    }
}

/* Time everywhere, a mass matrix that depends on q, damping, linear parts, applied forces, drilling friction.
 */
static const char rich_model[] =
    "coordinates: [x, y, z]\n"
    "kinetic: \"1/2*(2 + sin(x)*cos(t))*x'^2 + 1/2*(x' + y*z' + 0.3*sin(t))^2 + 1/2*y'^2*(1 + z^2) + z'^2\"\n"
    "mass: {\"x,x\": \"1 + y^2\", \"x,z\": \"0.2*cos(y + t)\", \"y,y\": 2}\n"
    "linear: {M: [[1, 0.1, 0], [0.1, 2, 0], [0, 0, 3]], C: [[0.5, 0.2, 0], [-0.2, 0.3, 0], [0, 0, 0.1]],\n"
    "         K: [[4, -1, 0], [-1, 3, 0], [0, 0, 5]]}\n"
    "potential: [\"x*y*exp(z)*cos(2*t)\", \"sqrt(1 + x^2 + y^2)\"]\n"
    "dissipation: \"1/2*x'^2*(1 + y^2) + 0.1*z'^2\"\n"
    "forces: {x: \"sin(t)*y'\", z: \"x^2 - 0.3*z'\"}\n"
    "constraints: [{name: moving rod, position: \"x^2 + y*z - sin(t)\"},\n"
    "              {name: knife edge, velocity: \"x'*sin(z) - y'*cos(z) + 0.1*t\"}]\n"
    "contacts: [{name: drilling, gap: \"z + 0.2*x^2 - 0.1*t\", slip: [\"x' + y*z'\", \"y' - 0.2\", "
    "\"z'*cos(x)\"],\n"
    "            friction: 0.3, drilling_radius: 0.01},\n"
    "           {name: soft, gap: \"y - 1 + 0.5*sin(x)\", compliance: 0.01}]\n"
    "laws: [{name: clutch, kind: one-way, velocity: \"x' - 2*y' + cos(t)\"}]\n"
    "initial: {x: 0.5, y: 0.4, z: 0.3}\nsimulate: {project_initial_state: true}\n";

TEST(derivatives_of_a_model_with_everything_agree_with_central_differences)
{
    UNUSED_STATE;
    tp_scene *scene = scene_of(rich_model);
    check_model("rich model", scene->model, 7);
    tp_scene_free(scene);
}

/* The same point mass on a surface with plain velocities, and with two others that mix and move. */
static const char common_part[] =
    "coordinates: [x, y]\n"
    "kinetic: \"1/2*(1 + y^2)*x'^2 + 1/2*(2 + sin(x))*y'^2 + 0.3*x'*y'*cos(x*y)\"\n"
    "potential: \"x^2*y + 3*cos(y)\"\n"
    "forces: {x: \"0.2*y' + t\"}\n"
    "contacts: [{name: floor, gap: \"y + 0.3*x^2 + 0.1*sin(t) + 2\", slip: \"x'*cos(y) - y'*x\", friction: "
    "0.3}]\n";
static const char own_velocities[] =
    "velocities: [v, w]\n"
    "rates: {x: \"(2 + cos(y))*v + 0.5*w*x + sin(t)\", y: \"w - 0.3*v*sin(x)\"}\n";

TEST(velocities_of_their_own_give_the_same_accelerations_and_rows)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", common_part, own_velocities);
    tp_scene *plain_scene = scene_of(common_part), *own_scene = scene_of(text);
    check_model("own velocities", own_scene->model, 8);
    subject plain = new_subject("plain", plain_scene->model), own = new_subject("own", own_scene->model);
    check_random random = {9};
    for (int k = 0; k < 20; k++) {
        randomise(&own, &random);
        move_to(&own, &own.at);
        plain.at = own.at;
        for (int i = 0; i < 2; i++) plain.at.u[i] = tp_system_rate(own.system)[i];
        double a[2], b[2], W[2 * 2], chi[2], V[2 * 2], psi[2];
        acceleration(&plain, a);
        acceleration(&own, b);
        for (int i = 0; i < 2; i++) { /* q'' = B u' + B' u + beta' */
            double second = own.system->rate_drift[i];
            for (int j = 0; j < 2; j++) second += own.system->B[i + j * 2] * b[j];
            CHECK_NEAR(second, a[i], 1e-11 * (1.0 + fabs(a[i]))); /* rounding of two small solves */
        }
        move_to(&plain, &plain.at);
        full_rows(plain.system, 0, W, chi);
        full_rows(own.system, 0, V, psi);
        for (int r = 0; r < 2; r++) {
            double one = chi[r] + tp_dense_dot(2, W + 2 * r, plain.at.u),
                   two = psi[r] + tp_dense_dot(2, V + 2 * r, own.at.u);
            CHECK_NEAR(one, two, 1e-12 * (1.0 + fabs(one)));
        }
    }
    tp_system_free(plain.system), tp_system_free(own.system);
    tp_scene_free(plain_scene), tp_scene_free(own_scene);
}

static const char skate[] = "coordinates: [x, y, phi, roll]\nvelocities: [v, w]\n"
                            "rates: {x: v*cos(phi), y: v*sin(phi), phi: w, roll: v/0.3 - 0.2*w}\n"
                            "kinetic: \"1/2*(x' - 0.1*phi'*sin(phi))^2 + 1/2*(y' + 0.1*phi'*cos(phi))^2 + "
                            "0.2*phi'^2 + 0.05*roll'^2\"\n"
                            "potential: \"0.5*x^2 + 0.3*y*x + cos(roll)\"\n"
                            "forces: {v: \"0.4*w - 0.1\", phi: \"0.2*x\"}\n";

/* Potentials that depend on time do work: once that of compliant contacts was left out. */
static const char moving_spring[] = "coordinates: [x, y]\n"
                                    "kinetic: \"1/2*x'^2 + y'^2\"\n"
                                    "potential: \"1/2*(x - y - 0.3*sin(3*t))^2\"\n"
                                    "contacts: [{name: soft, gap: \"x + 0.2*y^2 - 1 + 0.3*cos(2*t)\",\n"
                                    "            compliance: 0.05}]\n";

static void check_power(const char *name, const char *text)
{
    tp_scene *scene = scene_of(text);
    check_model(name, scene->model, 11);
    subject s = new_subject(name, scene->model);
    check_random random = {12};
    for (int k = 0; k < 20; k++) {
        double a[SIZE], rate[SIZE], h = difference_step, energy[2];
        randomise(&s, &random);
        acceleration(&s, a);
        memcpy(rate, tp_system_rate(s.system), (size_t)s.n * sizeof(double));
        double power = tp_system_applied_power(s.system);
        for (int side = 0; side < 2; side++) {
            point p = along(&s, &s.at, rate, side ? h : -h);
            for (int j = 0; j < s.m; j++) p.u[j] += (side ? h : -h) * a[j];
            energy[side] = kinetic_at(&s, &p) + potential_at(&s, &p);
        }
        double gain = (energy[1] - energy[0]) / (2.0 * h);
        compare(&s, "the power of the forces", 1, &power, &gain, 1.0 + fabs(energy[0]));
    }
    tp_system_free(s.system);
    tp_scene_free(scene);
}

/* Without laws, damping and prescribed rates the energy gains the power of the applied forces. */
TEST(energy_changes_by_the_power_of_the_applied_forces)
{
    UNUSED_STATE;
    check_power("skate", skate);
    check_power("moving spring", moving_spring);
}

TEST(a_model_with_time_in_a_compliant_contact_is_not_autonomous)
{
    tp_scene *scene = scene_of("coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
                               "contacts: [{name: soft, gap: \"x - sin(t)\", compliance: 1}]\n");
    CHECK(!tp_model_summarise(scene->model).is_autonomous);
    tp_scene_free(scene);
    scene = scene_of("coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
                     "contacts: [{name: soft, gap: x, compliance: 1}]\n");
    CHECK(tp_model_summarise(scene->model).is_autonomous);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(derivatives_of_every_example_agree_with_central_differences),
          RUNS(derivatives_of_a_model_with_everything_agree_with_central_differences),
          RUNS(velocities_of_their_own_give_the_same_accelerations_and_rows),
          RUNS(energy_changes_by_the_power_of_the_applied_forces),
          RUNS(a_model_with_time_in_a_compliant_contact_is_not_autonomous))
