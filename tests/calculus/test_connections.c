/* Connections, inertial motion, the action form and observers; docs/theory/calculus.md (8)-(16). */
#include "random_fields.h"
#include "tippe/rotation.h"

#include <string.h>

static const double rounding = 1e-10; /* as in test_forms.c */

/* g = 3 I + small: positive definite in the unit cube. */
static tp_chart_field random_metric(check_random *random, tp_chart *chart, int n)
{
    text_list texts;
    tp_chart_field metric;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i <= j; i++) {
            char entry[FIELD_TEXT - 40];
            char *text = texts.text[i + n * j];
            snprintf(entry, sizeof entry, "sin(x%d*%.3f + x%d)*exp(0.2*x%d)", pick(random, n),
                     check_uniform(random, 0.5, 2.0), pick(random, n), pick(random, n));
            snprintf(text, FIELD_TEXT, "%s + 0.4*%s", i == j ? "3" : "0", entry);
            if (i != j) memcpy(texts.text[j + n * i], text, FIELD_TEXT);
        }
    }
    for (int k = 0; k < n * n; k++) texts.list[k] = texts.text[k];
    ok(tp_chart_metric(chart, texts.list, &metric, NULL));
    return metric;
}

/* Claim: the Levi-Civita connection keeps the metric and has no torsion. */
TEST(levi_civita_keeps_the_metric_and_has_no_torsion)
{
    check_random random = {31};
    for (int round = 0; round < 6; round++) {
        int n = 2 + round % 3;
        tp_chart *chart = chart_of(n);
        move_randomly(&random, chart, n);
        tp_chart_field g = random_metric(&random, chart, n), G, X = random_vector(&random, chart, n),
                       Y = random_vector(&random, chart, n), change, torsion;
        ok(tp_connection_levi_civita(chart, &g, &G));
        ok(tp_connection_derivative(chart, &G, &X, &g, &change));
        CHECK(field_size(&G) > 1e-3);
        CHECK_NEAR(field_size(&change), 0.0, rounding);
        ok(tp_connection_torsion(chart, &G, &X, &Y, &torsion));
        CHECK_NEAR(field_size(&torsion), 0.0, rounding);
        G.jet[(0 + n * (0 + n * 1)) * (1 + n + n * n)] += 0.1; /* G^0_(0 1) alone: not symmetric any more */
        ok(tp_connection_torsion(chart, &G, &X, &Y, &torsion));
        CHECK(field_size(&torsion) > 1e-4);
        tp_chart_free(chart);
    }
}

/* Claim: the covariant derivative is linear in X over functions, obeys Leibniz in Y, and fits one-forms:
   X(w(Y)) = (D_X w)(Y) + w(D_X Y). */
TEST(covariant_derivatives_obey_their_rules)
{
    check_random random = {32};
    int n = 3;
    tp_chart *chart = chart_of(n);
    move_randomly(&random, chart, n);
    tp_chart_field g = random_metric(&random, chart, n), G, X = random_vector(&random, chart, n),
                   Y = random_vector(&random, chart, n), f = random_form(&random, chart, n, 0),
                   w = random_form(&random, chart, n, 1), fX, fY, left, DY, right, wY, d, X_wY, Dw, one, two,
                   df, Xf, part, sum;
    ok(tp_connection_levi_civita(chart, &g, &G));
    ok(tp_connection_derivative(chart, &G, &X, &Y, &DY));
    ok(tp_chart_field_multiply(chart, &f, &X, &fX));
    ok(tp_connection_derivative(chart, &G, &fX, &Y, &left));
    ok(tp_chart_field_multiply(chart, &f, &DY, &right));
    CHECK_NEAR(field_distance(&left, &right), 0.0, rounding);
    ok(tp_chart_field_multiply(chart, &f, &Y, &fY));
    ok(tp_connection_derivative(chart, &G, &X, &fY, &left));
    ok(tp_form_d(chart, &f, &df));
    ok(tp_form_interior(chart, &X, &df, &Xf));
    ok(tp_chart_field_multiply(chart, &Xf, &Y, &part));
    ok(tp_chart_field_add(chart, 1.0, &part, 1.0, &right, &sum));
    CHECK_NEAR(field_distance(&left, &sum), 0.0, rounding);
    ok(tp_form_interior(chart, &Y, &w, &wY));
    ok(tp_form_d(chart, &wY, &d));
    ok(tp_form_interior(chart, &X, &d, &X_wY));
    ok(tp_connection_derivative(chart, &G, &X, &w, &Dw));
    ok(tp_form_interior(chart, &Y, &Dw, &one));
    ok(tp_form_interior(chart, &DY, &w, &two));
    CHECK_NEAR(tp_chart_field_value(&X_wY, 0), tp_chart_field_value(&one, 0) + tp_chart_field_value(&two, 0),
               rounding);
    tp_chart_free(chart);
}

/* ---- inertial motion (3.6): straight lines in every chart ---- */

typedef struct moving_chart {
    const char *label, *kinetic;
    int n;
    double q[2], u[2];
    const char *mass[4]; /* where the coordinates rest: (3.6) applies; NULL: it does not */
    void (*to_cartesian)(double t, const double *q, double *x);
} moving_chart;

static void from_polar(double t, const double *q, double *x)
{
    (void)t;
    x[0] = q[0] * cos(q[1]);
    x[1] = q[0] * sin(q[1]);
}

static void from_rotating(double t, const double *q, double *x)
{
    x[0] = cos(1.5 * t) * q[0] - sin(1.5 * t) * q[1];
    x[1] = sin(1.5 * t) * q[0] + cos(1.5 * t) * q[1];
}

static void from_expanding(double t, const double *q, double *x)
{
    x[0] = (1.0 + t * t) * q[0];
    x[1] = (1.0 + t * t) * q[1];
}

static const moving_chart moving_charts[] = {
    {"polar", "1/2*3*(u1^2 + q1^2*u2^2)", 2, {1.3, 0.4}, {0.2, 0.7}, {"3", "0", "0", "3*q1^2"}, from_polar},
    {"rotating",
     "1/2*3*((u1 - 1.5*q2)^2 + (u2 + 1.5*q1)^2)",
     2,
     {0.8, -0.3},
     {0.5, 0.6},
     {NULL},
     from_rotating},
    {"expanding",
     "1/2*3*(((1 + t^2)*u1 + 2*t*q1)^2 + ((1 + t^2)*u2 + 2*t*q2)^2)",
     2,
     {0.8, -0.3},
     {0.5, 0.6},
     {NULL},
     from_expanding},
};

static tp_chart *motion_chart(int n)
{
    static const char *const one[] = {"t", "q1", "u1"}, *const two[] = {"t", "q1", "q2", "u1", "u2"};
    tp_chart *chart = NULL;
    ok(tp_chart_create(NULL, 2 * n + 1, n == 1 ? one : two, &chart, NULL));
    return chart;
}

static void acceleration(tp_chart *chart, const char *kinetic, double t, const double *state, double *a)
{
    double point[5] = {t, state[0], state[1], state[2], state[3]};
    tp_chart_field T;
    tp_chart_forget(chart);
    tp_chart_move(chart, point);
    ok(tp_chart_form(chart, 0, &kinetic, &T, NULL));
    ok(tp_motion_accelerations(chart, &T, NULL, NULL, a));
}

/* A step of Runge and Kutta's method of fourth order. */
static void step(tp_chart *chart, const char *kinetic, double t, double h, double *y)
{
    double k[4][4], at[4];
    static const double part[] = {0.0, 0.5, 0.5, 1.0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 4; i++) at[i] = y[i] + (s > 0 ? part[s] * h * k[s - 1][i] : 0.0);
        k[s][0] = at[2];
        k[s][1] = at[3];
        acceleration(chart, kinetic, t + part[s] * h, at, &k[s][2]);
    }
    for (int i = 0; i < 4; i++) y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/* Claim (section 3.3): motion without force is straight and uniform in polar, rotating and expanding
   coordinates. The error of the method is about h^4 = 1e-8 in 1 s at h = 0.01; halving must divide it by 16,
   so the figure is the method's and not that of the equations: extrapolated it is below 1e-10. */
TEST(inertial_motion_is_a_straight_line)
{
    for (size_t c = 0; c < sizeof moving_charts / sizeof moving_charts[0]; c++) {
        const moving_chart *m = &moving_charts[c];
        tp_chart *chart = motion_chart(2);
        double x0[2], x1[2], end[2][2];
        m->to_cartesian(0.0, m->q, x0);
        const double e = 1e-6, forward[] = {m->q[0] + e * m->u[0], m->q[1] + e * m->u[1]},
                     back[] = {m->q[0] - e * m->u[0], m->q[1] - e * m->u[1]};
        double a[2], b[2];
        m->to_cartesian(e, forward, a);
        m->to_cartesian(-e, back, b);
        for (int half = 0; half < 2; half++) {
            int count = half == 0 ? 50 : 100;
            double y[] = {m->q[0], m->q[1], m->u[0], m->u[1]};
            for (int s = 0; s < count; s++) step(chart, m->kinetic, (double)s / count, 1.0 / count, y);
            m->to_cartesian(1.0, y, end[half]);
        }
        for (int i = 0; i < 2; i++) {
            double v = (a[i] - b[i]) / (2.0 * e), expected = x0[i] + v;
            x1[i] = end[1][i] + (end[1][i] - end[0][i]) / 15.0;
            CHECK_NEAR(x1[i], expected, 1e-9); /* 1e-10 of differences in v, extrapolation */
        }
        tp_chart_free(chart);
    }
}

/* Claim (3.5), (3.6): gyroscopic terms from T and from the symbols of the Galilean connection agree, and the
   inertial acceleration is -G(u,u) with u0 = 1; also where M depends on time. */
TEST(both_ways_to_gyroscopic_terms_agree)
{
    static const char *const T = "1/2*((2 + sin(t + q1))*u1^2 + (3 + q1^2*q2^2 + t)*u2^2 + 2*cos(q2)*u1*u2)",
                             *const M[] = {"2 + sin(t + q1)", "cos(q2)", "cos(q2)", "3 + q1^2*q2^2 + t"},
                             *const names[] = {"t", "q1", "q2"};
    const double point[] = {0.4, 0.7, -0.5, 0.9, -0.6};
    tp_chart *chart = motion_chart(2), *space = NULL;
    tp_chart_field kinetic, G;
    double a[2], h[2];
    tp_chart_move(chart, point);
    ok(tp_chart_form(chart, 0, &T, &kinetic, NULL));
    ok(tp_motion_accelerations(chart, &kinetic, NULL, h, a));
    ok(tp_chart_create(NULL, 3, names, &space, NULL));
    tp_chart_move(space, point);
    ok(tp_connection_galilean(space, M, &G, NULL));
    const double u[] = {1.0, point[3], point[4]};
    for (int k = 0; k < 3; k++) {
        double sum = 0.0;
        for (int e = 0; e < 9; e++) sum -= tp_chart_field_value(&G, k + 3 * e) * u[e % 3] * u[e / 3];
        CHECK_NEAR(k == 0 ? 0.0 : a[k - 1], sum, 1e-14);
    }
    /* It keeps the form of time, dt, and has no torsion. */
    check_random random = {33};
    tp_chart_field dt, X, Y, change, torsion;
    ok(tp_chart_form(space, 1, (const char *[]){"1", "0", "0"}, &dt, NULL));
    ok(tp_chart_vector(space, (const char *[]){"q1", "t*q2", "1 + q1^2"}, &X, NULL));
    ok(tp_chart_vector(space, (const char *[]){"sin(t)", "q2^2", "q1*t"}, &Y, NULL));
    ok(tp_connection_derivative(space, &G, &X, &dt, &change));
    CHECK_NEAR(field_size(&change), 0.0, 1e-15);
    ok(tp_connection_torsion(space, &G, &X, &Y, &torsion));
    CHECK_NEAR(field_size(&torsion), 0.0, 1e-13);
    (void)random;
    tp_chart_free(chart);
    tp_chart_free(space);
}

/* ---- action form (3.11) ---- */

/* T with M(t,q), a reference field that does not rest, and forces of third degree in u. */
static const char *const rich_kinetic =
    "1/2*((2 + sin(t))*(u1 + 0.3*q2)^2 + (3 + q1^2)*(u2 - t*q1)^2 + 2*0.5*cos(q1)*(u1 + 0.3*q2)*(u2 - t*q1))";
static const char *const rich_force[] = {"-q1 + u2^3 - u1*u2 + sin(t)", "q1*q2 - u1^2*u2"};

static void rich_system(tp_chart *chart, tp_chart_field *T, tp_chart_field *f, const tp_chart_field **list)
{
    const double point[] = {0.3, 0.6, -0.4, 0.8, -0.5};
    tp_chart_move(chart, point);
    ok(tp_chart_form(chart, 0, &rich_kinetic, T, NULL));
    for (int i = 0; i < 2; i++) {
        ok(tp_chart_form(chart, 0, &rich_force[i], &f[i], NULL));
        list[i] = &f[i];
    }
}

/* Claim (G12): the action form has rank 2n and its kernel is (1, u, M^-1 h); it vanishes on vertical vectors,
   on vectors with theta = 0, and pairs du_i with dq_j by M_ij. */
TEST(the_kernel_of_the_action_form_is_the_motion)
{
    tp_chart *chart = motion_chart(2);
    tp_chart_field T, f[2], omega;
    const tp_chart_field *list[2];
    double kernel[5], a[2];
    int rank;
    rich_system(chart, &T, f, list);
    ok(tp_action_form(chart, &T, list, &omega));
    ok(tp_motion_accelerations(chart, &T, list, NULL, a));
    ok(tp_form_kernel(chart, &omega, kernel, &rank));
    CHECK_INT(rank, 4);
    const double expected[] = {1.0, 0.8, -0.5, a[0], a[1]};
    for (int i = 0; i < 5; i++) CHECK_NEAR(kernel[i], expected[i], 1e-13);
    const double *second = T.jet + 1 + 5;
    for (int e = 0; e < 4; e++) {
        int i = e % 2, j = e / 2;
        CHECK_NEAR(tp_form_value(chart, &omega, (int[]){3 + i, 3 + j}), 0.0, 1e-14);
        CHECK_NEAR(tp_form_value(chart, &omega, (int[]){3 + i, 1 + j}), second[3 + i + 5 * (3 + j)], 1e-14);
    }
    tp_chart_free(chart);
}

/* Claim (4.49), (5.96): the action form is sum M_ij eta_i /\ theta_j with
   eta = du - Z dt - 1/2 dZ/du (dq - u dt). dZ/du by differences of the exact Z: a cubic, whose central
   difference with step h is off by h^2 = 1e-8 times a third derivative of about 1. */
TEST(the_action_form_is_built_from_the_connection_of_the_motion)
{
    tp_chart *chart = motion_chart(2);
    tp_chart_field T, f[2], omega;
    const tp_chart_field *list[2];
    double Z[2], slope[2][2], point[] = {0.3, 0.6, -0.4, 0.8, -0.5};
    for (int j = 0; j < 2; j++) {
        double up[2], down[2];
        const double step_size = 1e-4;
        for (int s = 0; s < 2; s++) {
            rich_system(chart, &T, f, list);
            double moved[5];
            memcpy(moved, point, sizeof moved);
            moved[3 + j] += s == 0 ? step_size : -step_size;
            tp_chart_move(chart, moved);
            ok(tp_chart_form(chart, 0, &rich_kinetic, &T, NULL));
            for (int i = 0; i < 2; i++) ok(tp_chart_form(chart, 0, &rich_force[i], &f[i], NULL));
            ok(tp_motion_accelerations(chart, &T, list, NULL, s == 0 ? up : down));
        }
        for (int i = 0; i < 2; i++) slope[i][j] = (up[i] - down[i]) / (2.0 * step_size);
    }
    rich_system(chart, &T, f, list);
    ok(tp_motion_accelerations(chart, &T, list, NULL, Z));
    ok(tp_action_form(chart, &T, list, &omega));
    double eta[2][5] = {{0}}, theta[2][5] = {{0}};
    for (int i = 0; i < 2; i++) {
        theta[i][0] = -point[3 + i];
        theta[i][1 + i] = 1.0;
        eta[i][3 + i] = 1.0;
        eta[i][0] = -Z[i];
        for (int j = 0; j < 2; j++) {
            eta[i][1 + j] -= 0.5 * slope[i][j];
            eta[i][0] += 0.5 * slope[i][j] * point[3 + j];
        }
    }
    const double *second = T.jet + 1 + 5;
    for (int e = 0; e < 25; e++) {
        int a = e % 5, b = e / 5;
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            int i = k % 2, j = k / 2;
            sum += second[3 + i + 5 * (3 + j)] * (eta[i][a] * theta[j][b] - eta[i][b] * theta[j][a]);
        }
        CHECK_NEAR(tp_form_value(chart, &omega, (int[]){a, b}), sum, 1e-7);
    }
    tp_chart_free(chart);
}

static double closedness(const char *const *forces)
{
    tp_chart *chart = motion_chart(2);
    const double point[] = {0.3, 0.6, -0.4, 0.8, -0.5};
    tp_chart_field f[2], form, d;
    tp_chart_move(chart, point);
    for (int i = 0; i < 2; i++) ok(tp_chart_form(chart, 0, &forces[i], &f[i], NULL));
    ok(tp_force_form(chart, (const tp_chart_field *[]){&f[0], &f[1]}, &form));
    ok(tp_form_d(chart, &form, &d));
    double size = field_size(&d);
    tp_chart_free(chart);
    return size;
}

/* Claim (3.5, 3.11): forces have a potential iff d Phi = 0: gradients, forces of a magnetic field and the
   inertia forces of a rotating, expanding frame do; damping, swirls and forces of second degree in u do not.
   A field that changes in time needs its induced force. */
TEST(a_force_has_a_potential_where_its_form_is_closed)
{
    CHECK_NEAR(closedness((const char *[]){"-2*q1*q2 + cos(t)", "-q1^2"}), 0.0, 1e-13);
    CHECK_NEAR(closedness((const char *[]){"(q1 + q2)*u2", "-(q1 + q2)*u1"}), 0.0, 1e-13);
    /* Coriolis, centrifugal and Euler's force at the angular velocity t */
    CHECK_NEAR(closedness((const char *[]){"2*t*u2 + t^2*q1 + q2", "-2*t*u1 + t^2*q2 - q1"}), 0.0, 1e-13);
    CHECK(closedness((const char *[]){"2*t*u2 + t^2*q1", "-2*t*u1 + t^2*q2"}) > 1.0); /* without Euler's */
    CHECK(closedness((const char *[]){"-u1", "-u2"}) > 0.1);
    CHECK(closedness((const char *[]){"-q2", "q1"}) > 0.1);
    CHECK(closedness((const char *[]){"u1*u2", "0"}) > 0.1);
}

/* Claim (3.11): the action form is the same for two reference fields, if the inertia force of one goes over
   to the forces: T = 1/2 |u + w x q|^2, or 1/2 u^2 with Coriolis' and centrifugal force. */
TEST(the_action_form_does_not_depend_on_the_reference)
{
    static const char *const seen = "1/2*((u1 - 1.5*q2)^2 + (u2 + 1.5*q1)^2)",
                             *const plain = "1/2*(u1^2 + u2^2)",
                             *const inertia[] = {"2*1.5*u2 + 2.25*q1", "-2*1.5*u1 + 2.25*q2"};
    const double point[] = {0.3, 0.6, -0.4, 0.8, -0.5};
    tp_chart *chart = motion_chart(2);
    tp_chart_field T, T_plain, f[2], one, other;
    tp_chart_move(chart, point);
    ok(tp_chart_form(chart, 0, &seen, &T, NULL));
    ok(tp_chart_form(chart, 0, &plain, &T_plain, NULL));
    for (int i = 0; i < 2; i++) ok(tp_chart_form(chart, 0, &inertia[i], &f[i], NULL));
    ok(tp_action_form(chart, &T, NULL, &one));
    ok(tp_action_form(chart, &T_plain, (const tp_chart_field *[]){&f[0], &f[1]}, &other));
    CHECK_NEAR(field_distance(&one, &other), 0.0, 1e-14);
    tp_chart_free(chart);
}

/* ---- observers (3.1), (3.2) ---- */

static tp_observer_change observer_at(double t, double speed, tp_vec3 axis)
{
    tp_quat turn = tp_quat_exp(tp_vec3_scale(speed * t, axis));
    tp_mat3 A = tp_quat_to_matrix(turn);
    return (tp_observer_change){
        .clock = 0.25 * speed,
        .A = A,
        .A_rate = tp_mat3_multiply(tp_mat3_skew(tp_vec3_scale(speed, axis)), A),
        .r = tp_vec3_make(sin(t), speed * t * t, 1.0),
        .r_rate = tp_vec3_make(cos(t), 2.0 * speed * t, 0.0),
    };
}

static tp_vec3 particle(double t)
{
    return tp_vec3_make(1.0 + t * t, cos(t), t);
}

/* Claim (G1): velocities that another observer sees are the rates of the positions that it sees, and two
   changes are one; axes stay orthonormal; the spin is that of the frame. Differences with the step 1e-5 are
   off by its square times third derivatives of about 10. */
TEST(observers_see_rates_of_what_they_see)
{
    const double t = 0.7, e = 1e-5;
    const tp_vec3 axis = tp_vec3_normalise(tp_vec3_make(0.3, -0.5, 0.8)), other = tp_vec3_make(0.0, 0.6, 0.8);
    tp_observer_change first = observer_at(t, 1.3, axis), second = observer_at(t, -0.4, other),
                       both = tp_observer_change_compose(&first, &second);
    tp_vec3 x = particle(t), v = tp_vec3_make(2.0 * t, -sin(t), 1.0);
    tp_vec3 seen[2];
    for (int s = 0; s < 2; s++) {
        double at = t + (s == 0 ? -e : e);
        tp_observer_change one = observer_at(at, 1.3, axis), two = observer_at(at, -0.4, other);
        seen[s] = tp_observer_change_position(&two, tp_observer_change_position(&one, particle(at)));
    }
    tp_vec3 rate = tp_vec3_scale(0.5 / e, tp_vec3_sub(seen[1], seen[0])),
            chained = tp_observer_change_velocity(&second, tp_observer_change_position(&first, x),
                                                  tp_observer_change_velocity(&first, x, v)),
            direct = tp_observer_change_velocity(&both, x, v);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(direct, chained)), 0.0, 1e-14);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(direct, rate)), 0.0, 1e-8);
    CHECK_NEAR(both.clock, 0.25 * 0.9, 1e-15);
    tp_mat3 product = tp_mat3_multiply(both.A, tp_mat3_transpose(both.A));
    CHECK_NEAR(tp_mat3_trace(product), 3.0, 1e-14);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(tp_observer_change_spin(&first), tp_vec3_scale(1.3, axis))), 0.0,
               1e-14);
    /* vectors that are not velocities keep their length */
    CHECK_NEAR(tp_vec3_norm(tp_observer_change_vector(&both, v)), tp_vec3_norm(v), 1e-14);
}

/* Claim (5.87): two forces along the line between their points are an interaction, a pair across it is not:
   its moment is lambda r x d. */
TEST(forces_between_two_points_must_lie_on_their_line)
{
    const tp_vec3 points[] = {{0.1, 0.2, -0.3}, {1.1, -0.4, 0.5}};
    tp_vec3 r = tp_vec3_sub(points[1], points[0]), d = tp_vec3_normalise(r), force, moment;
    tp_vec3 along[] = {tp_vec3_scale(-7.0, d), tp_vec3_scale(7.0, d)};
    tp_interaction_residual(2, points, along, &force, &moment);
    CHECK_NEAR(tp_vec3_norm(force), 0.0, 1e-14);
    CHECK_NEAR(tp_vec3_norm(moment), 0.0, 1e-14);
    tp_vec3 across[] = {{0.0, 0.0, -7.0}, {0.0, 0.0, 7.0}};
    tp_interaction_residual(2, points, across, &force, &moment);
    CHECK_NEAR(tp_vec3_norm(force), 0.0, 1e-14);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(moment, tp_vec3_cross(r, across[1]))), 0.0, 1e-14);
    CHECK(tp_vec3_norm(moment) > 1.0);
}

TEST_MAIN(RUNS(levi_civita_keeps_the_metric_and_has_no_torsion), RUNS(covariant_derivatives_obey_their_rules),
          RUNS(inertial_motion_is_a_straight_line), RUNS(both_ways_to_gyroscopic_terms_agree),
          RUNS(the_kernel_of_the_action_form_is_the_motion),
          RUNS(the_action_form_is_built_from_the_connection_of_the_motion),
          RUNS(a_force_has_a_potential_where_its_form_is_closed),
          RUNS(the_action_form_does_not_depend_on_the_reference), RUNS(observers_see_rates_of_what_they_see),
          RUNS(forces_between_two_points_must_lie_on_their_line))
