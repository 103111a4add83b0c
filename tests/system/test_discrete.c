/* Discrete derivatives of energies and laws between two positions; theory/consistent.md (1)-(8). */
#include "formula/formula.h"
#include "mechanisms.h"
#include "system/discrete.h"

#include <float.h>

enum { MOST = 12, MOST_SQUARED = MOST * MOST };

/* Everything of a scene that the tests move about. */
typedef struct bench {
    tp_scene *scene;
    tp_system *system, *without_inertia; /* gyroscopic terms in the forces, and not */
    tp_arena arena;
    int n;
} bench;

static bench open_bench(const char *text)
{
    bench b = {0};
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &b.scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    b.system = make_system(b.scene->model);
    if (tp_system_create_with(NULL, b.scene->model, &(tp_system_options){.has_own_inertia = true},
                              &b.without_inertia) != TP_OK)
        fail();
    tp_arena_init(&b.arena, tp_allocator_default());
    b.n = b.system->u_count;
    return b;
}

static void close_bench(bench *b)
{
    tp_arena_clear(&b->arena);
    tp_system_free(b->system);
    tp_system_free(b->without_inertia);
    tp_scene_free(b->scene);
}

static const char formulas[] = "coordinates: [x, y, z]\n"
                               "kinetic: \"1/2*((2 + sin(x*y))*x'^2 + (1 + z^2)*(y' - x')^2 + 3*z'^2)\"\n"
                               "mass: {\"x,z\": \"0.3*cos(y)\", \"y,y\": \"1 + x^2\"}\n"
                               "potential: [\"x*sin(y) + z^4\", \"exp(x - z)\"]\n"
                               "contacts:\n"
                               "  - {name: soft, gap: \"x*y - 0.4 + z^3\", compliance: 0.2}\n"
                               "  - {name: bump, gap: \"z - sin(x)*y\", slip: \"x' + z'\", friction: 0.3}\n"
                               "constraints: [{name: rail, position: \"x^2*y + 1 - cos(z)\"}]\n";

static const char bodies[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, type: planar, mass: 1, inertia: 0.05, position: [0.25, 0]}\n"
    "  - {name: rod, type: planar, mass: 0.7, inertia: 0.08, position: [0.5, -0.4], angle: -1.2}\n"
    "  - {name: bob, type: planar, mass: 0.3, inertia: 0.1, position: [0.5, -1]}\n"
    "joints:\n"
    "  - {name: pivot, type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
    "  - name: knee\n"
    "    type: revolute\n"
    "    bodies: [crank, rod]\n"
    "    point: [0.5, 0]\n"
    "    limits: {lower: -2, upper: 0.2}\n"
    "    spring: {stiffness: 3, rest: -1.2, damping: 0.1}\n"
    "  - {name: link, type: distance, bodies: [rod, bob], point: [0.5, -0.8], point_b: [0.5, -1.0]}\n"
    "springs:\n"
    "  - {name: coil, bodies: [ground, rod], points: [[0, -1], [0.2, 0]], stiffness: 40, rest_length: 0.3, "
    "damping: 0.7}\n";

static const char *const scenes[] = {formulas, bodies};

typedef struct points {
    double a[MOST], b[MOST], middle[MOST], step[MOST], u[MOST];
} points;

static void set_middle(const bench *t, points *p)
{
    for (int i = 0; i < t->n; i++) {
        p->step[i] = p->b[i] - p->a[i];
        p->middle[i] = 0.5 * (p->a[i] + p->b[i]);
    }
}

/* Near the start, so that angles of joints keep their branch. */
static points random_points(const bench *t, check_random *random, double length)
{
    points p;
    for (int i = 0; i < t->n; i++) {
        p.a[i] = t->scene->model->q0[i] + check_uniform(random, -0.3, 0.3);
        p.b[i] = p.a[i] + check_uniform(random, -length, length);
        p.u[i] = check_uniform(random, -2.0, 2.0);
    }
    set_middle(t, &p);
    return p;
}

/* DV/Dq - dV/dq at the middle, with its derivative (NULL: none). */
static void potential_correction(bench *t, tp_potential_steps *steps, const points *p, double *out,
                                 double *jacobian)
{
    double noise[MOST] = {0.0};
    memset(out, 0, MOST * sizeof(double));
    tp_system_move(t->system, 0.0, p->a, p->u);
    tp_potential_steps_begin(steps);
    tp_system_move(t->system, 0.0, p->b, p->u);
    tp_potential_steps_end(steps);
    tp_system_move(t->system, 0.0, p->middle, p->u);
    tp_potential_steps_add(steps, NULL, p->step, out, noise);
    if (jacobian != NULL) {
        memset(jacobian, 0, (size_t)tp_sparse_count(&t->system->jacobian_pattern) * sizeof(double));
        tp_potential_steps_add_jacobian(steps, NULL, NULL, p->step, 1.0, jacobian);
    }
}

static double potential_at(bench *t, const double *q)
{
    static const double still[MOST] = {0.0};
    tp_system_move(t->system, 0.0, q, still);
    return tp_system_potential_energy(t->system);
}

/* With u = 0 the force is -dV/dq: no gyroscopic terms, no dissipation. */
TEST(the_discrete_derivative_of_the_potential_times_the_step_is_the_difference)
{
    for (size_t s = 0; s < 2; s++) {
        bench t = open_bench(scenes[s]);
        check_random random = {100 + s};
        tp_potential_steps *steps;
        CHECK_INT(tp_potential_steps_create(&t.arena, t.system, &steps), TP_OK);
        for (int trial = 0; trial < 50; trial++) {
            points p = random_points(&t, &random, trial < 25 ? 0.3 : 1e-3);
            double correction[MOST], h[MOST], sum = 0.0;
            static const double still[MOST] = {0.0};
            potential_correction(&t, steps, &p, correction, NULL);
            tp_system_move(t.system, 0.0, p.middle, still);
            tp_system_force(t.system, h);
            for (int i = 0; i < t.n; i++) sum += (correction[i] - h[i]) * p.step[i];
            double rise = potential_at(&t, p.b) - potential_at(&t, p.a);
            CHECK_NEAR(sum, rise, 1e-13 * (1.0 + fabs(potential_at(&t, p.a)))); /* rounding of some terms */
        }
        close_bench(&t);
    }
}

/* The correction is of second order in the step. */
TEST(the_discrete_derivative_is_close_to_the_gradient_in_the_middle)
{
    bench t = open_bench(formulas);
    check_random random = {7};
    tp_potential_steps *steps;
    CHECK_INT(tp_potential_steps_create(&t.arena, t.system, &steps), TP_OK);
    points p = random_points(&t, &random, 0.2);
    double size[3];
    for (int k = 0; k < 3; k++) {
        double correction[MOST];
        potential_correction(&t, steps, &p, correction, NULL);
        size[k] = fabs(correction[0]) + fabs(correction[1]) + fabs(correction[2]);
        for (int i = 0; i < t.n; i++) { /* half as long, about the same middle */
            p.a[i] = 0.5 * (p.a[i] + p.middle[i]);
            p.b[i] = 0.5 * (p.b[i] + p.middle[i]);
        }
        set_middle(&t, &p);
    }
    CHECK_NEAR(log2(size[0] / size[1]), 2.0, 0.1);
    CHECK_NEAR(log2(size[1] / size[2]), 2.0, 0.1);
    close_bench(&t);
}

/* Central differences of fourth order of a vector function of the end. */
typedef void (*vector_function)(bench *t, void *self, const points *p, double *out);

static void differences(bench *t, vector_function f, void *self, points *p, double *entry, bool moves,
                        double *out)
{
    const double s = 1e-3, start = *entry;
    const double offsets[] = {s, -s, 2.0 * s, -2.0 * s}, weights[] = {8.0, -8.0, -1.0, 1.0};
    for (int i = 0; i < t->n; i++) out[i] = 0.0;
    for (int k = 0; k < 4; k++) {
        double value[MOST];
        *entry = start + offsets[k];
        if (moves) set_middle(t, p);
        f(t, self, p, value);
        for (int i = 0; i < t->n; i++) out[i] += weights[k] * value[i] / (12.0 * s);
    }
    *entry = start;
    if (moves) set_middle(t, p);
}

static double entry_of(const tp_sparse *pattern, const double *value, int i, int j)
{
    for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
        if (pattern->index[k] == i) return value[k];
    }
    return 0.0;
}

static void check_columns(void **check_state_, const bench *t, const double *exact, const double *near)
{
    double size = 1e-2;
    for (int k = 0; k < t->n * t->n; k++) size = fmax(size, fabs(near[k]));
    for (int j = 0; j < t->n; j++) {
        for (int i = 0; i < t->n; i++)
            CHECK_NEAR(entry_of(&t->system->jacobian_pattern, exact, i, j), near[i + j * t->n], 2e-6 * size);
    }
}

static void correction_alone(bench *t, void *self, const points *p, double *out)
{
    potential_correction(t, self, p, out, NULL);
}

TEST(the_derivatives_of_the_discrete_derivative_of_the_potential_match_differences)
{
    for (size_t s = 0; s < 2; s++) {
        bench t = open_bench(scenes[s]);
        check_random random = {200 + s};
        tp_potential_steps *steps;
        CHECK_INT(tp_potential_steps_create(&t.arena, t.system, &steps), TP_OK);
        double *exact = TP_ARENA_ARRAY(&t.arena, double, tp_sparse_count(&t.system->jacobian_pattern));
        for (int trial = 0; trial < 10; trial++) {
            points p = random_points(&t, &random, 0.3);
            double correction[MOST], near[MOST_SQUARED];
            for (int j = 0; j < t.n; j++)
                differences(&t, correction_alone, steps, &p, &p.b[j], true, near + j * t.n);
            potential_correction(&t, steps, &p, correction, exact);
            /* the soft contact has a kink where it closes: skip steps that meet it */
            bool is_kinked = s == 0;
            if (is_kinked) {
                double gap[3];
                const double *at[] = {p.a, p.middle, p.b};
                for (int k = 0; k < 3; k++) {
                    tp_system_move(t.system, 0.0, at[k], p.u);
                    gap[k] = tp_system_spring_gap(t.system, 0);
                }
                if (fabs(gap[1]) < 0.05 || fabs(gap[2]) < 0.05) continue;
            }
            check_columns(check_state_, &t, exact, near);
        }
        close_bench(&t);
    }
}

/* ---- laws ---- */

/* W of a row, spread over all velocities. */
static void row_at(bench *t, int law, int k, const double *q, double *out)
{
    static const double still[MOST] = {0.0};
    double W[TP_LAW_ROWS * MOST], chi[TP_LAW_ROWS];
    int count = tp_system_law_column_count(t->system, law);
    tp_system_move(t->system, 0.0, q, still);
    tp_system_law_rows(t->system, law, W, chi);
    memset(out, 0, MOST * sizeof(double));
    for (int j = 0; j < count; j++) out[tp_system_law_columns(t->system, law)[j]] = W[j + k * count];
}

typedef struct row_name {
    int law, k;
} row_name;

static void row_alone(bench *t, void *self, const points *p, double *out)
{
    const row_name *name = self;
    row_at(t, name->law, name->k, p->b, out);
}

TEST(second_derivatives_of_position_rows_match_differences_of_the_rows)
{
    static const double still[MOST] = {0.0};
    for (size_t s = 0; s < 2; s++) {
        bench t = open_bench(scenes[s]);
        check_random random = {300 + s};
        for (int i = 0; i < t.system->law_count; i++) {
            const tp_law *law = tp_system_law(t.system, i);
            int count = tp_system_law_column_count(t.system, i),
                rows = law->level == TP_LEVEL_GAP ? 1 : law->row_count;
            const int *columns = tp_system_law_columns(t.system, i);
            for (int k = 0; k < rows; k++) {
                points p = random_points(&t, &random, 0.3);
                double H[MOST_SQUARED], near[MOST_SQUARED];
                row_name name = {i, k};
                for (int j = 0; j < t.n; j++)
                    differences(&t, row_alone, &name, &p, &p.b[j], true, near + j * t.n);
                tp_system_move(t.system, 0.0, p.b, still);
                tp_system_law_hessian(t.system, i, k, H);
                for (int a = 0; a < count; a++) {
                    for (int b = 0; b < count; b++)
                        CHECK_NEAR(H[a + b * count], near[columns[a] + columns[b] * t.n], 1e-7);
                }
            }
        }
        close_bench(&t);
    }
}

/* For one coordinate it is (V(b) - V(a))/(b - a), and its derivative by b follows. */
TEST(the_correction_of_one_coordinate_is_the_quotient_of_differences)
{
    bench t = open_bench("coordinates: [x]\nkinetic: \"1/2*x'^2\"\npotential: \"exp(x) + sin(3*x)\"\n");
    tp_potential_steps *steps;
    CHECK_INT(tp_potential_steps_create(&t.arena, t.system, &steps), TP_OK);
    points p = {.a = {0.2}, .b = {0.9}};
    set_middle(&t, &p);
    double correction[MOST], exact[1], h[MOST], stiffness[1], damping[1], way = 0.9 - 0.2;
    double quotient = (exp(0.9) + sin(2.7) - exp(0.2) - sin(0.6)) / way;
    potential_correction(&t, steps, &p, correction, exact);
    tp_system_force(t.system, h);
    CHECK_NEAR(correction[0] - h[0], quotient, 1e-14);
    tp_system_force_jacobian(t.system, stiffness, damping);
    CHECK_NEAR(exact[0] - 0.5 * stiffness[0], (exp(0.9) + 3.0 * cos(2.7) - quotient) / way, 1e-13);
    close_bench(&t);
}

TEST(a_chord_gives_midpoint_gradients_of_quadratic_functions_and_is_symmetric)
{
    static const int columns[] = {0, 2};
    check_random random = {9};
    for (int trial = 0; trial < 100; trial++) {
        double H[3], g[2], a[3], b[3], middle[3], step[3], back[3], value[2] = {0.0};
        for (int k = 0; k < 3; k++) {
            H[k] = check_uniform(&random, -2.0, 2.0);
            a[k] = check_uniform(&random, -1.0, 1.0);
            b[k] = check_uniform(&random, -1.0, 1.0);
            middle[k] = 0.5 * (a[k] + b[k]);
            step[k] = b[k] - a[k];
            back[k] = -step[k];
        }
        const double *at[] = {a, b}, unit[] = {1.0, 1.0, 1.0};
        for (int e = 0; e < 2; e++) {
            double x = at[e][0], y = at[e][2];
            value[e] = 0.5 * H[0] * x * x + H[1] * x * y + 0.5 * H[2] * y * y;
        }
        g[0] = H[0] * middle[0] + H[1] * middle[2];
        g[1] = H[1] * middle[0] + H[2] * middle[2];
        double forward[] = {g[0], g[1]}, backward[] = {g[0], g[1]};
        tp_chord chord = tp_chord_make(unit, 2, columns, middle, NULL, step);
        CHECK(!chord.is_short);
        tp_chord_correct(&chord, value[1] - value[0], 0.0, forward);
        chord = tp_chord_make(unit, 2, columns, middle, NULL, back);
        tp_chord_correct(&chord, value[0] - value[1], 0.0, backward);
        double bound = 64.0 * DBL_EPSILON * 8.0 / sqrt(chord.squared_length);
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(forward[k], g[k], bound);
            CHECK_NEAR(backward[k], forward[k], bound);
        }
    }
}

/* A step of 5e-7 of the scene is long enough in any unit of length; with 1e-7 m it was too short in
   kilometres. */
TEST(whether_a_step_is_short_does_not_depend_on_the_unit_of_length)
{
    static const double lengths[] = {1.0, 0x1p-10, 0x1p10};
    for (int k = 0; k < 3; k++) {
        const double L = lengths[k], unit[] = {L, 1.0}, size[] = {0.5 * L, 1.0};
        const double step[] = {5e-7 * L, 0.0}, shorter[] = {5e-8 * L, 0.0};
        const int columns[] = {0, 1};
        CHECK(!tp_chord_make(unit, 2, columns, size, NULL, step).is_short);
        CHECK(tp_chord_make(unit, 2, columns, size, NULL, shorter).is_short);
    }
}

/* ---- kinetic energies ---- */

static void kinetic_derivative(bench *t, void *self, const points *p, double *out)
{
    tp_kinetic_steps *steps = self;
    double noise[MOST] = {0.0};
    memset(out, 0, MOST * sizeof(double));
    tp_system_move(t->system, 0.0, p->a, p->u);
    tp_kinetic_steps_begin(steps);
    tp_system_move(t->system, 0.0, p->b, p->u);
    tp_kinetic_steps_end(steps);
    tp_system_move(t->system, 0.0, p->middle, p->u);
    tp_kinetic_steps_add(steps, p->step, out, noise);
}

static double kinetic_at(bench *t, const double *q, const double *u)
{
    tp_system_move(t->system, 0.0, q, u);
    return tp_system_kinetic_energy(t->system);
}

TEST(the_discrete_derivative_of_the_kinetic_energy_is_exact_and_so_are_its_derivatives)
{
    bench t = open_bench(formulas);
    check_random random = {17};
    tp_kinetic_steps *steps;
    CHECK_INT(tp_kinetic_steps_create(&t.arena, t.system, &steps), TP_OK);
    size_t entries = (size_t)tp_sparse_count(&t.system->jacobian_pattern);
    double *by_position = TP_ARENA_ARRAY(&t.arena, double, entries),
           *by_velocity = TP_ARENA_ARRAY(&t.arena, double, entries);
    for (int trial = 0; trial < 20; trial++) {
        points p = random_points(&t, &random, 0.4);
        double D[MOST], near[MOST_SQUARED], sum = 0.0;
        kinetic_derivative(&t, steps, &p, D);
        for (int i = 0; i < t.n; i++) sum += D[i] * p.step[i];
        CHECK_NEAR(sum, kinetic_at(&t, p.b, p.u) - kinetic_at(&t, p.a, p.u), 1e-13);

        memset(by_position, 0, entries * sizeof(double));
        memset(by_velocity, 0, entries * sizeof(double));
        for (int j = 0; j < t.n; j++)
            differences(&t, kinetic_derivative, steps, &p, &p.b[j], true, near + j * t.n);
        kinetic_derivative(&t, steps, &p, D);
        tp_kinetic_steps_add_jacobian(steps, p.step, 1.0, by_position, by_velocity);
        check_columns(check_state_, &t, by_position, near);
        for (int j = 0; j < t.n; j++)
            differences(&t, kinetic_derivative, steps, &p, &p.u[j], false, near + j * t.n);
        check_columns(check_state_, &t, by_velocity, near);
    }
    close_bench(&t);
}

/* M u' + G u + dT/dq = forces: the gyroscopic terms h of Lagrange's equations are -G u - dT/dq. */
TEST(the_skew_matrix_and_the_gradient_are_lagranges_gyroscopic_terms)
{
    bench t = open_bench(formulas);
    check_random random = {23};
    tp_kinetic_steps *steps;
    CHECK_INT(tp_kinetic_steps_create(&t.arena, t.system, &steps), TP_OK);
    double *G = TP_ARENA_ARRAY(&t.arena, double, tp_sparse_count(&t.system->jacobian_pattern));
    for (int trial = 0; trial < 20; trial++) {
        points p = random_points(&t, &random, 0.3);
        double with[MOST], without[MOST], gradient[MOST] = {0.0}, none[MOST] = {0.0}, noise[MOST];
        memset(G, 0, (size_t)tp_sparse_count(&t.system->jacobian_pattern) * sizeof(double));
        tp_system_move(t.system, 0.0, p.a, p.u);
        tp_system_add_gyroscopic(t.system, G);
        tp_kinetic_steps_add(steps, none, gradient, noise); /* no step: dT/dq */
        tp_system_force(t.system, with);
        tp_system_move(t.without_inertia, 0.0, p.a, p.u);
        tp_system_force(t.without_inertia, without);
        for (int i = 0; i < t.n; i++) {
            double sum = gradient[i];
            for (int j = 0; j < t.n; j++) {
                double entry = entry_of(&t.system->jacobian_pattern, G, i, j);
                CHECK_NEAR(entry, -entry_of(&t.system->jacobian_pattern, G, j, i), 1e-14);
                sum += entry * p.u[j];
            }
            CHECK_NEAR(without[i] - with[i], sum, 1e-12);
        }
    }
    close_bench(&t);
}

TEST_MAIN(RUNS(the_discrete_derivative_of_the_potential_times_the_step_is_the_difference),
          RUNS(the_discrete_derivative_is_close_to_the_gradient_in_the_middle),
          RUNS(the_derivatives_of_the_discrete_derivative_of_the_potential_match_differences),
          RUNS(second_derivatives_of_position_rows_match_differences_of_the_rows),
          RUNS(the_correction_of_one_coordinate_is_the_quotient_of_differences),
          RUNS(whether_a_step_is_short_does_not_depend_on_the_unit_of_length),
          RUNS(a_chord_gives_midpoint_gradients_of_quadratic_functions_and_is_symmetric),
          RUNS(the_discrete_derivative_of_the_kinetic_energy_is_exact_and_so_are_its_derivatives),
          RUNS(the_skew_matrix_and_the_gradient_are_lagranges_gyroscopic_terms))
