/* Dry friction in the pins of a four-bar linkage whose bound follows the reactions, against the mechanism
   reduced to one coordinate; examples/four-bar-friction/README.md (1)-(5). */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "math/dense.h"

/* Data of the scene. */
static const double crank = 0.3, coupler = 0.9, rocker = 0.7, base = 1.0, gravity = 9.81,
                    mu_times_radius = 0.3 * 0.02, start_angle = 2.0;
static const double mass[3] = {1.0, 3.0, 2.0}, length[3] = {0.3, 0.9, 0.7};

typedef struct vec {
    double x, y;
} vec;

static vec along(double length_, double angle)
{
    return (vec){length_ * cos(angle), length_ * sin(angle)};
}

/* The linkage at an angle of the crank: angles, rates and accelerations of the three bars as k rate, and
   k acceleration + l rate^2, for rate and acceleration of the crank. */
typedef struct linkage {
    double angle[3], k[3], l[3];
    vec pin[4];
} linkage;

/* Solves x p + y q = r. */
static void solve_two(vec p, vec q, vec r, double *x, double *y)
{
    double det = p.x * q.y - p.y * q.x;
    *x = (r.x * q.y - r.y * q.x) / det;
    *y = (p.x * r.y - p.y * r.x) / det;
}

static linkage linkage_at(double angle)
{
    linkage s = {.angle = {angle}, .k = {1.0}};
    vec B = along(crank, angle);
    double to_D = hypot(base - B.x, B.y);
    s.angle[1] = atan2(-B.y, base - B.x) +
                 acos((coupler * coupler + to_D * to_D - rocker * rocker) / (2.0 * coupler * to_D));
    vec arm = along(coupler, s.angle[1]), C = {B.x + arm.x, B.y + arm.y};
    s.angle[2] = atan2(C.y, C.x - base);
    s.pin[0] = (vec){0.0, 0.0};
    s.pin[1] = B;
    s.pin[2] = C;
    s.pin[3] = (vec){base, 0.0};
    /* B' + (C - B)' = (C - D)' and its derivative; a turn by 90 degrees is (-y, x) */
    vec rest = {C.x - base, C.y}, p = {arm.y, -arm.x}, q = {-rest.y, rest.x};
    solve_two(p, q, (vec){-B.y, B.x}, &s.k[1], &s.k[2]);
    double k1 = s.k[1] * s.k[1], k2 = s.k[2] * s.k[2];
    solve_two(p, q, (vec){-B.x - k1 * arm.x + k2 * rest.x, -B.y - k1 * arm.y + k2 * rest.y}, &s.l[1],
              &s.l[2]);
    return s;
}

/* One equation of motion: row `row` of the 9 unknowns (acceleration of the crank, reactions of four pins). */
static void add_force(double *A, int row, int column, double factor)
{
    A[row + 9 * column] += factor;
}

/* Newton's and Euler's equations of bar b between pins `first` and `second`; pin j pushes the bar that comes
   before it in the chain ground, crank, coupler, rocker, ground with -R_j and the next with +R_j. */
static void bar_equations(const linkage *s, int b, double rate, const double *torque, double *A,
                          double *right)
{
    vec first = s->pin[b], second = s->pin[b + 1];
    if (b == 2) { /* its direction is from D to C */
        vec swap = first;
        first = second;
        second = swap;
    }
    vec half = {0.5 * (second.x - first.x), 0.5 * (second.y - first.y)};
    vec begin = b == 0 ? (vec){0.0, 0.0} : b == 1 ? s->pin[1] : s->pin[3];
    vec center = {begin.x + half.x, begin.y + half.y};
    double inertia = mass[b] * length[b] * length[b] / 12.0;
    /* acceleration of the centre: k alpha + l of the bar's own turn, plus that of B for the coupler */
    vec of_alpha = {-s->k[b] * half.y, s->k[b] * half.x},
        rest = {-s->l[b] * half.y - s->k[b] * s->k[b] * half.x,
                s->l[b] * half.x - s->k[b] * s->k[b] * half.y};
    if (b == 1) {
        of_alpha.x -= s->pin[1].y;
        of_alpha.y += s->pin[1].x;
        rest.x -= s->pin[1].x;
        rest.y -= s->pin[1].y;
    }
    int row = 3 * b;
    add_force(A, row, 0, mass[b] * of_alpha.x);
    add_force(A, row + 1, 0, mass[b] * of_alpha.y);
    add_force(A, row + 2, 0, inertia * s->k[b]);
    right[row] = -mass[b] * rest.x * rate * rate;
    right[row + 1] = -mass[b] * (rest.y * rate * rate + gravity);
    right[row + 2] = -inertia * s->l[b] * rate * rate + torque[b] - torque[b + 1];
    for (int side = 0; side < 2; side++) {
        int pin = b + side;
        double sign = side == 0 ? 1.0 : -1.0;
        vec lever = {s->pin[pin].x - center.x, s->pin[pin].y - center.y};
        add_force(A, row, 1 + 2 * pin, -sign);
        add_force(A, row + 1, 2 + 2 * pin, -sign);
        add_force(A, row + 2, 1 + 2 * pin, sign * lever.y);
        add_force(A, row + 2, 2 + 2 * pin, -sign * lever.x);
    }
}

/* Acceleration of the crank when it moves (or begins to move) with the sign `direction` at the rate `rate`:
   torques of the pins oppose their rates and are bounded by the reactions, which depend on them: a fixed
   point. */
static double acceleration(double angle, double rate, double direction)
{
    linkage s = linkage_at(angle);
    double spin[4] = {s.k[0], s.k[1] - s.k[0], s.k[2] - s.k[1], -s.k[2]}, size[4] = {0.0}, alpha = 0.0;
    for (int iteration = 0; iteration < 60; iteration++) {
        double A[81] = {0.0}, x[9], torque[4], before = alpha;
        int pivot[9];
        for (int j = 0; j < 4; j++) {
            double sign = spin[j] * direction > 0.0 ? 1.0 : -1.0;
            torque[j] = -mu_times_radius * size[j] * sign; /* on the bar behind the pin */
        }
        for (int b = 0; b < 3; b++) bar_equations(&s, b, rate, torque, A, x);
        if (tp_dense_lu(9, A, 9, pivot, 0.0) != TP_OK) fail();
        tp_dense_lu_solve(9, A, 9, pivot, x);
        alpha = x[0];
        for (int j = 0; j < 4; j++) size[j] = hypot(x[1 + 2 * j], x[2 + 2 * j]);
        if (iteration > 2 && fabs(alpha - before) <= 1e-14 * (1.0 + fabs(alpha))) break;
    }
    return alpha;
}

typedef struct motion {
    double angle, rate;
} motion;

static motion runge_kutta(motion m, double direction, double h)
{
    double v1 = m.rate, a1 = acceleration(m.angle, v1, direction);
    double v2 = m.rate + 0.5 * h * a1, a2 = acceleration(m.angle + 0.5 * h * v1, v2, direction);
    double v3 = m.rate + 0.5 * h * a2, a3 = acceleration(m.angle + 0.5 * h * v2, v3, direction);
    double v4 = m.rate + h * a3, a4 = acceleration(m.angle + h * v3, v4, direction);
    return (motion){m.angle + h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4),
                    m.rate + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)};
}

/* Which way a resting linkage begins to move; 0: friction holds it. */
static double begins(double angle)
{
    if (acceleration(angle, 0.0, 1.0) > 0.0) return 1.0;
    return acceleration(angle, 0.0, -1.0) < 0.0 ? -1.0 : 0.0;
}

/* Motion at the time `until`, and when it came to rest for good (infinite: it has not). */
static motion reference(double until, double h, double *rest_out)
{
    motion m = {start_angle, 0.0};
    double t = 0.0, direction = begins(m.angle);
    *rest_out = INFINITY;
    while (t < until - 1e-12 && direction != 0.0) {
        double step = fmin(h, until - t);
        motion next = runge_kutta(m, direction, step);
        if (next.rate * direction < 0.0) { /* it turns round: to that moment by bisection */
            double low = 0.0, high = step;
            for (int k = 0; k < 60; k++) {
                double middle = 0.5 * (low + high);
                if (runge_kutta(m, direction, middle).rate * direction < 0.0)
                    high = middle;
                else
                    low = middle;
            }
            step = low > 0.0 ? low : high;
            next = (motion){runge_kutta(m, direction, step).angle, 0.0};
            direction = begins(next.angle);
            if (direction == 0.0) *rest_out = t + step;
        }
        m = next;
        t += step;
    }
    return m;
}

static motion simulated(double until, double time_step)
{
    tp_scene *scene = read_example("four-bar-friction", NULL);
    scene->options.time_step = time_step;
    scene->options.end_time = until;
    tp_simulation *simulation = simulate_scene(scene);
    if (tp_simulation_run(simulation, NULL, NULL, NULL) != TP_OK)
        fail_msg("%s", tp_simulation_report(simulation)->reason);
    motion m = {tp_simulation_q(simulation)[2], tp_simulation_u(simulation)[2]};
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return m;
}

/* The scheme is of first order: an error falls by 2 when the step is halved, up to terms of second order,
   which the two differences themselves measure. */
TEST(friction_that_follows_reactions_is_of_first_order_against_the_reduced_mechanism)
{
    double rest;
    for (double until = 0.3; until < 1.0; until += 0.3) {
        motion exact = reference(until, 1e-3, &rest), coarse = simulated(until, 4e-4),
               fine = simulated(until, 2e-4);
        double e1 = coarse.angle - exact.angle, e2 = fine.angle - exact.angle;
        CHECK(fabs(e1) > 1e-6);
        CHECK_NEAR(e1 / e2, 2.0, 0.2);
    }
}

TEST(the_reference_does_not_depend_on_its_step)
{
    double rest1, rest2;
    motion a = reference(12.0, 1e-3, &rest1), b = reference(12.0, 5e-4, &rest2);
    CHECK_NEAR(rest1, rest2, 1e-5); /* signs of friction change at the start of a step: first order there */
    CHECK_NEAR(a.angle, b.angle, 1e-6);
    CHECK_NEAR(b.angle, 4.409341, 1e-6); /* as the README says */
}

TEST_MAIN(RUNS(friction_that_follows_reactions_is_of_first_order_against_the_reduced_mechanism),
          RUNS(the_reference_does_not_depend_on_its_step))
