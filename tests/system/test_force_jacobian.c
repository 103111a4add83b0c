/* Derivatives of smooth forces against central differences; theory/models.md (13)-(17). */
#include "models.h"
#include "simulations.h"
#include "system/system.h"

enum { MOST = 4 };

static tp_system *system_of(tp_model *model)
{
    tp_system *system = NULL;
    if (tp_system_create(NULL, model, &system) != TP_OK) fail();
    return system;
}

typedef struct point {
    double t, q[MOST], u[MOST];
} point;

static point random_point(check_random *random, int n, int m)
{
    point p = {.t = check_uniform(random, 0.1, 1.0)};
    for (int i = 0; i < n; i++) p.q[i] = check_uniform(random, -1.2, 1.2);
    for (int j = 0; j < m; j++) p.u[j] = check_uniform(random, -2.0, 2.0);
    return p;
}

static void force_at(tp_system *system, const point *p, double *h)
{
    tp_system_move(system, p->t, p->q, p->u);
    tp_system_force(system, h);
}

/* Central difference of fourth order of h in one entry of a point: (8 (h(s) - h(-s)) - (h(2s) - h(-2s)))/(12
 * s). */
static void difference(tp_system *system, point *p, double *entry, double *out)
{
    const double s = 1e-3, start = *entry;
    const double offsets[4] = {s, -s, 2.0 * s, -2.0 * s}, weights[4] = {8.0, -8.0, -1.0, 1.0};
    for (int j = 0; j < system->u_count; j++) out[j] = 0.0;
    for (int k = 0; k < 4; k++) {
        double h[MOST];
        *entry = start + offsets[k];
        force_at(system, p, h);
        for (int j = 0; j < system->u_count; j++) out[j] += weights[k] * h[j] / (12.0 * s);
    }
    *entry = start;
}

/* All entries to 1e-6 of the largest. */
static void check_matrix(void **check_state_, int rows, int cols, const double *exact,
                         const double *differences)
{
    double size = 1e-3;
    for (int k = 0; k < rows * cols; k++) size = fmax(size, fabs(differences[k]));
    for (int k = 0; k < rows * cols; k++) CHECK_NEAR(exact[k], differences[k], 1e-6 * size);
}

static void check_model(void **check_state_, tp_model *model, unsigned seed)
{
    check_random random = {seed};
    tp_system *system = system_of(model);
    int n = system->q_count, m = system->u_count;
    for (int trial = 0; trial < 20; trial++) {
        point p = random_point(&random, n, m);
        double dq[MOST * MOST], du[MOST * MOST], dq_near[MOST * MOST], du_near[MOST * MOST];
        double of_q[MOST * MOST];
        for (int i = 0; i < n; i++) difference(system, &p, &p.q[i], of_q + i * m);
        for (int j = 0; j < m; j++) difference(system, &p, &p.u[j], du_near + j * m);
        tp_system_move(system, p.t, p.q, p.u);
        tp_system_force_jacobian(system, dq, du);
        for (int j = 0; j < m; j++) { /* dh/dq B */
            for (int a = 0; a < m; a++) {
                dq_near[a + j * m] = 0.0;
                for (int i = 0; i < n; i++) dq_near[a + j * m] += of_q[a + i * m] * system->B[i + j * n];
            }
        }
        check_matrix(check_state_, m, m, dq, dq_near);
        check_matrix(check_state_, m, m, du, du_near);
    }
    tp_system_free(system);
}

TEST(a_double_pendulum_with_dissipation_and_a_motor)
{
    tp_model *model = new_model();
    coordinate(model, "a", 0.1, 0.2);
    coordinate(model, "b", 0.3, 0.1);
    must(model,
         tp_model_add_kinetic(model, TP_FORMULA("1/2*(2*a'^2 + b'^2 + 2*cos(a - b)*a'*b')"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("-9.81*(2*cos(a) + cos(b)) + t*a*b^2"), &build_why));
    must(model, tp_model_add_dissipation(model, TP_FORMULA("1/2*(1 + a^2)*(a' - b')^2 + b'^4"), &build_why));
    must(model, tp_model_add_force(model, "a", TP_FORMULA("sin(b)*a' - 0.3*b' + exp(-t)*a^3"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    check_model(check_state_, model, 11);
    tp_model_free(model);
}

/* Terms linear in the velocities, and time in T: moving frames. */
TEST(a_rheonomic_kinetic_energy_with_linear_terms)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.4, 0.0);
    coordinate(model, "y", 0.3, 0.0);
    coordinate(model, "z", 0.2, 0.0);
    must(model, tp_model_add_kinetic(model,
                                     TP_FORMULA("1/2*((x' - t*y*z)^2 + (2 + sin(x*t))*(y' + x*z')^2 + "
                                                "(1.5 + cos(t)*x*y)^2*z'^2 + 3*z'^2)"),
                                     &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    check_model(check_state_, model, 12);
    tp_model_free(model);
}

TEST(entries_of_a_mass_matrix)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.4, 0.0);
    coordinate(model, "y", 0.3, 0.0);
    must(model, tp_model_add_mass(model, "x", "x", TP_FORMULA("3 + x^2*y + t"), &build_why));
    must(model, tp_model_add_mass(model, "x", "y", TP_FORMULA("0.5*sin(x + t*y)"), &build_why));
    must(model, tp_model_add_mass(model, "y", "y", TP_FORMULA("4 + x*y^3"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    check_model(check_state_, model, 13);
    tp_model_free(model);
}

TEST(linear_parts_and_compliant_contacts)
{
    const double M[9] = {1, 0, 0, 0, 2, 0, 0, 0, 1.5}, K[9] = {100, -100, 0, -100, 200, -100, 0, -100, 100},
                 C[9] = {0.5, -0.5, 0, -0.5, 1, -0.7, 0, -0.3, 0.5}; /* with a gyroscopic part */
    tp_model *model = new_model();
    coordinate(model, "a", 0.2, 0.0);
    coordinate(model, "b", 0.3, 0.0);
    coordinate(model, "c", 0.5, 0.0);
    must(model, tp_model_add_linear(model, 3, M, C, K, (tp_place){0}, &build_why));
    tp_contact_def soft = tp_contact_def_default();
    soft.name = "deep"; /* always closed, so that differences are smooth */
    soft.gap = TP_FORMULA("sin(a)*b - 9 + c^2");
    soft.compliance = 0.01;
    must(model, tp_model_add_contact(model, &soft, NULL, &build_why));
    soft.name = "far"; /* always open */
    soft.gap = TP_FORMULA("a*b + 9");
    must(model, tp_model_add_contact(model, &soft, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    check_model(check_state_, model, 14);
    tp_model_free(model);
}

/* Constant B: the projection is exact. Forces on coordinates and on velocities, of rates and velocities. */
TEST(own_velocities_with_a_constant_map_are_exact)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.4, 0.0);
    coordinate(model, "y", 0.3, 0.0);
    coordinate(model, "z", 0.1, 0.0);
    must(model, tp_model_add_velocity(model, "v", 0.0, "", (tp_place){0}, NULL, &build_why));
    must(model, tp_model_add_velocity(model, "w", 0.0, "", (tp_place){0}, NULL, &build_why));
    must(model, tp_model_set_rate(model, "x", TP_FORMULA("v + 2*w"), &build_why));
    must(model, tp_model_set_rate(model, "y", TP_FORMULA("w - 3*v + t"), &build_why));
    must(model, tp_model_set_rate(model, "z", TP_FORMULA("v"), &build_why));
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + 2*y'^2 + z'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("x^2*y + cos(z)*y"), &build_why));
    must(model, tp_model_add_dissipation(model, TP_FORMULA("1/2*(1 + x^2)*(x' - y')^2"), &build_why));
    must(model,
         tp_model_add_dissipation(model, TP_FORMULA("(2 + cos(y))*(v - 2*w)^2 + v^2*z'^2"), &build_why));
    must(model, tp_model_add_force(model, "x", TP_FORMULA("y*x' + v^2"), &build_why));
    must(model, tp_model_add_force(model, "w", TP_FORMULA("sin(x)*w + v*z'"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    check_model(check_state_, model, 15);
    tp_model_free(model);
}

static double potential_value(void *self, double t, const double *q, const double *u)
{
    (void)self, (void)t, (void)u;
    return 0.5 * q[0] * q[0];
}

static void potential_gradient(void *self, double t, const double *q, const double *u, double *d_t,
                               double *d_q, double *d_u)
{
    (void)self, (void)t, (void)u, (void)d_t, (void)d_u;
    d_q[0] = q[0];
}

static void potential_hessian(void *self, double t, const double *q, const double *u, double e_t,
                              const double *e_q, const double *e_u, double *d_t, double *d_q, double *d_u)
{
    (void)self, (void)t, (void)q, (void)u, (void)e_t, (void)e_u, (void)d_t, (void)d_u;
    d_q[0] = e_q[0];
}

TEST(c_functions_need_second_derivatives_and_the_integrator_says_so)
{
    for (int has_second = 0; has_second < 2; has_second++) {
        tp_model *model = new_model();
        coordinate(model, "x", 1.0, 0.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
        tp_function V = {.value = potential_value, .gradient = potential_gradient};
        if (has_second) V.hessian_vector = potential_hessian;
        must(model, tp_model_add_potential(model, V, &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_simulation_options options = tp_simulation_options_default();
        options.integrator = "moreau-jean";
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        tp_status status = tp_simulation_create(NULL, model, &options, &simulation, &why);
        CHECK_INT(status, has_second ? TP_OK : TP_UNSUPPORTED);
        if (!has_second) CHECK(strstr(why.text, "a potential energy") && strstr(why.text, "hessian_vector"));
        if (has_second) { /* the trapezoidal rule: rotation with tan(w dt/2) = dt/2 */
            CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
            CHECK_NEAR(tp_simulation_q(simulation)[0], cos(1000.0 * 2.0 * atan(0.5e-3)), 1e-12);
            CHECK_INT(tp_simulation_report(simulation)->iterations_max, 1);
        }
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* After a move anything may be asked in any order. A body that turns takes its forces along, so that the
   derivatives hold the forces of the point: they must not be those of the point before. */
TEST(derivatives_need_no_call_for_the_forces_before)
{
    static const char text[] = "bodies: [{name: top, mass: 1, inertia: [1, 1.2, 1.5]}]\n"
                               "potential: \"3*top.p1*top.p2 + top.p3^2\"\n";
    tp_scene *scene = scene_of(text);
    tp_system *systems[2] = {system_of(scene->model), system_of(scene->model)};
    int count = tp_sparse_count(&systems[0]->jacobian_pattern);
    double q[2][7] = {{0, 0, 0, 0.8, 0.6, 0, 0}, {0, 0, 0, 0.48, 0.6, 0.64, 0}}, u[6] = {0}, h[6],
           values[2][2][36], size = 0.0, turned = 0.0;
    CHECK(count <= 36);
    for (int k = 0; k < 2; k++) {
        tp_system_move(systems[k], 0.0, q[0], u);
        tp_system_force(systems[k], h);
        tp_system_move(systems[k], 0.0, q[1], u);
        if (k == 0) tp_system_force(systems[k], h);
        tp_system_force_jacobian(systems[k], values[k][0], values[k][1]);
    }
    for (int e = 0; e < count; e++) {
        CHECK_NEAR(values[1][0][e], values[0][0][e], 0.0);
        CHECK_NEAR(values[1][1][e], values[0][1][e], 0.0);
        size = fmax(size, fabs(values[0][0][e]));
    }
    for (int k = 3; k < 6; k++) turned = fmax(turned, fabs(h[k]));
    CHECK(size > 0.1 && turned > 0.1); /* there is something to forget */
    tp_system_free(systems[0]);
    tp_system_free(systems[1]);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_double_pendulum_with_dissipation_and_a_motor),
          RUNS(a_rheonomic_kinetic_energy_with_linear_terms), RUNS(entries_of_a_mass_matrix),
          RUNS(linear_parts_and_compliant_contacts), RUNS(own_velocities_with_a_constant_map_are_exact),
          RUNS(c_functions_need_second_derivatives_and_the_integrator_says_so),
          RUNS(derivatives_need_no_call_for_the_forces_before))
