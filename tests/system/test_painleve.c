/* Coupling of normal forces through friction: Painleve's rod, a block with joints, two contacts; claims of
   docs/guide/painleve.md. */
#include "simulations.h"
#include "tippe/painleve.h"

#include <stdlib.h>

typedef struct subject {
    tp_scene *scene;
    tp_painleve *painleve;
    tp_slip_summary summary;
} subject;

static subject find(const char *text)
{
    subject s = {.scene = scene_of(text)};
    tp_message why = {""};
    tp_simulation *simulation = simulate_options(s.scene->model, s.scene->options);
    if (tp_painleve_create(NULL, s.scene->model, 1e-9, &s.painleve, &why) != TP_OK) fail_msg("%s", why.text);
    if (tp_painleve_find(s.painleve, 0.0, tp_simulation_q(simulation), tp_simulation_u(simulation),
                         &s.summary, &why) != TP_OK)
        fail_msg("%s", why.text);
    tp_simulation_free(simulation);
    return s;
}

static void end(subject *s)
{
    tp_painleve_free(s->painleve);
    tp_scene_free(s->scene);
}

/* The rod of docs/theory/relaxed-dai.md (13)-(15): mass m, half length l, its lower end slides with -v. */
static subject find_rod(double m, double l, double angle, double spin, double mu, double v)
{
    char text[768];
    double s = sin(angle), c = cos(angle);
    snprintf(text, sizeof text,
             "parameters: {m: %.17g, l: %.17g}\ncoordinates: [x, y, th]\n"
             "kinetic: \"1/2*m*(x'^2 + y'^2 + l^2/3*th'^2)\"\npotential: \"m*9.81*y\"\n"
             "contacts: [{name: tip, gap: y - l*sin(th), slip: \"x' + l*sin(th)*th'\", friction: %.17g}]\n"
             "initial: {y: %.17g, th: %.17g, x': %.17g, y': %.17g, th': %.17g}\n",
             m, l, mu, l * s, angle, -v - l * s * spin, l * c * spin, spin);
    return find(text);
}

TEST(the_rod_has_the_figures_of_theory)
{
    const double m = 2.5, l = 0.7, v = 3.0;
    for (int i = 1; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            for (int f = 0; f < 3; f++) {
                double angle = i * acos(-1.0) / 24.0, spin = 2.6 * k, mu = 0.7 + 0.8 * f, s = sin(angle),
                       c = cos(angle), press = 9.81 - l * spin * spin * s,
                       border = 0.25 * m * (1.0 + 3.0 * c * c - 3.0 * mu * s * c);
                subject rod = find_rod(m, l, angle, spin, mu, v);
                const tp_slip *slip = tp_painleve_slip(rod.painleve, 0);
                CHECK(rod.summary.contact_count == 1 && slip != NULL &&
                      tp_painleve_slip(rod.painleve, 1) == NULL);
                CHECK_NEAR(slip->speed, v, 1e-12);
                CHECK_NEAR(slip->friction, mu, 1e-14);
                CHECK_NEAR(slip->free_acceleration, -press, 1e-11);
                CHECK_NEAR(slip->coupling, 4.0 * border / (m * m), 1e-12);
                CHECK_NEAR(slip->uncoupled, (1.0 + 3.0 * c * c) / m, 1e-12);
                CHECK_NEAR(slip->critical_friction, (1.0 + 3.0 * c * c) / (3.0 * s * c), 1e-9);
                CHECK_NEAR(slip->jam_impulse[0], v * 0.25 * m * 3.0 * s * c, 1e-11);
                CHECK_NEAR(slip->jam_impulse[1], v * 0.25 * m * (1.0 + 3.0 * c * c), 1e-11);
                CHECK(slip->jam_is_possible == (border < 0.0));
                CHECK_INT(slip->solution_count, press < 0.0 && border < 0.0 ? 3 : 1);
                CHECK_INT(slip->kind, border > 0.0 ? (press > 0.0 ? TP_SLIP_SLIDES : TP_SLIP_OPENS)
                                                   : (press > 0.0 ? TP_SLIP_JAMS : TP_SLIP_UNDECIDED));
                if (press > 0.0 && border > 0.0)
                    CHECK_NEAR(slip->slip_force, m * m * press / (4.0 * border), 1e-9 * slip->slip_force);
                CHECK(rod.summary.is_unique == (border > 0.0));
                /* sliding and opening alone: none where it jams, two where it is not decided */
                CHECK_INT(rod.summary.solution_count, border > 0.0 ? 1 : (press > 0.0 ? 0 : 2));
                end(&rod);
            }
        }
    }
}

/* theta window with mu = 2: 0.652358 < theta < 1.382086. */
TEST(the_border_lies_where_theory_says)
{
    const double window[] = {0.652358, 1.382086};
    for (int k = 0; k < 2; k++) {
        subject rod = find_rod(1.0, 1.0, window[k], 0.0, 2.0, 1.0);
        CHECK_NEAR(tp_painleve_slip(rod.painleve, 0)->distance, 0.0, 3e-6);
        end(&rod);
    }
    /* 4/3 is the least friction that can jam, at tan theta = 2 */
    subject rod = find_rod(1.0, 1.0, atan(2.0), 0.0, 1.0, 1.0);
    CHECK_NEAR(tp_painleve_slip(rod.painleve, 0)->critical_friction, 4.0 / 3.0, 1e-13);
    end(&rod);
}

/* The same rod as a rigid body in space with shapes, guided in its plane by a joint. */
TEST(a_rod_of_shapes_in_space_with_a_joint_has_the_same_figures)
{
    char text[1200];
    double angle = atan(2.0), s = sin(angle), c = cos(angle), half = 0.5 * (0.5 * acos(-1.0) - angle);
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: [{name: rod, mass: 1, inertia: [%.17g, %.17g, 1e-3], position: [%.17g, 0, %.17g],\n"
             "  orientation: [%.17g, 0, %.17g, 0], velocity: [-1, 0, 0],\n"
             "  shapes: [{name: end, type: point, position: [0, 0, -1]}]}]\n"
             "ground: {shapes: [{name: floor, type: plane}]}\n"
             "joints: [{name: guide, type: planar, bodies: [ground, rod], point: [%.17g, 0, %.17g], axis: "
             "[0, 1, 0]}]\n"
             "contacts: [{name: touch, between: [floor, end], friction: 2}]\n",
             1.0 / 3.0, 1.0 / 3.0, c, s, cos(half), sin(half), c, s);
    subject rod = find(text);
    const tp_slip *slip = tp_painleve_slip(rod.painleve, 0);
    CHECK_INT(rod.summary.contact_count, 1);
    CHECK_NEAR(slip->coupling, -0.8, 1e-12);
    CHECK_NEAR(slip->free_acceleration, -9.81, 1e-12);
    CHECK_NEAR(slip->jam_impulse[0], 0.3, 1e-12);
    CHECK_NEAR(hypot(slip->jam_impulse[1], slip->jam_impulse[2]), 0.4, 1e-12);
    CHECK_INT(slip->kind, TP_SLIP_JAMS);
    end(&rod);
}

/* A block on two feet: height h, feet at +-b, thin. G of both feet; without friction it is
   1/m + b^2/J on the diagonal and 1/m - b^2/J beside it, friction adds +-mu h b/J. */
TEST(two_contacts_of_a_block_are_coupled_as_rigid_body_mechanics_says)
{
    const double m = 2.0, J = 0.5, h = 0.8, b = 0.3, mu = 0.9;
    subject block =
        find("coordinates: [x, y, th]\nkinetic: \"1/2*(2*(x'^2 + y'^2) + 0.5*th'^2)\"\n"
             "potential: \"2*9.81*y\"\n"
             "contacts: [{name: front, gap: y + 0.3*sin(th) - 0.8*cos(th), slip: \"x' + (0.3*sin(th) "
             "+ 0.8*cos(th))*th'\", friction: 0.9},\n"
             "  {name: back, gap: y - 0.3*sin(th) - 0.8*cos(th), slip: \"x' + (-0.3*sin(th) + "
             "0.8*cos(th))*th'\", friction: 0.9}]\n"
             "initial: {y: 0.8, x': 1}\n");
    const tp_slip *front = tp_painleve_slip(block.painleve, 0), *back = tp_painleve_slip(block.painleve, 1);
    CHECK_NEAR(front->uncoupled, 1.0 / m + b * b / J, 1e-12);
    CHECK_NEAR(front->coupling, 1.0 / m + b * b / J - mu * h * b / J, 1e-12);
    CHECK_NEAR(back->coupling, 1.0 / m + b * b / J + mu * h * b / J, 1e-12);
    CHECK_INT(block.summary.sliding_count, 2);
    CHECK_INT(block.summary.solution_count, 1);
    end(&block);
}

TEST(a_contact_at_rest_has_the_figures_of_its_worst_direction)
{
    subject rod = find_rod(1.0, 1.0, atan(2.0), 0.0, 1.0, 0.0);
    const tp_slip *slip = tp_painleve_slip(rod.painleve, 0);
    CHECK_INT(slip->kind, TP_SLIP_STICKS);
    CHECK_NEAR(slip->coupling, 1.6 - 1.2, 1e-12);
    CHECK(!slip->jam_is_possible && rod.summary.sliding_count == 0);
    end(&rod);
}

TEST(what_is_missing_is_refused)
{
    tp_message why = {""};
    tp_painleve *painleve = NULL;
    tp_slip_summary summary;
    CHECK_INT(tp_painleve_create(NULL, NULL, 0.0, &painleve, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_painleve_find(NULL, 0.0, NULL, NULL, &summary, &why), TP_INVALID_ARGUMENT);
    CHECK(tp_painleve_slip(NULL, 0) == NULL && tp_slip_kind_name(5) == NULL);
    tp_painleve_free(NULL);
}

/* ---- how many solutions all contacts have together ---- */

enum { MOST = 3 };

/* Points with slip velocities x' and gaps y, coupled by a full inertia: G is A, and the laws are those of
   docs/theory/relaxed-dai.md (4) with b = load + (gamma/delta on slip rows, gap/delta^2 on the others). */
typedef struct points {
    int count;
    double A[2 * MOST][2 * MOST], mu[MOST], speed[MOST], gap[MOST],
        load[2 * MOST]; /* rows: N, T of each contact */
} points;

static bool gauss(int n, double a[][2 * MOST + 1])
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (fabs(a[best][k]) < 1e-12) return false;
        for (int j = 0; j <= 2 * MOST; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j], a[best][j] = t;
        }
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int j = k; j <= 2 * MOST && f != 0.0; j++) a[i][j] -= f * a[k][j];
        }
    }
    for (int k = 0; k < n; k++) a[k][2 * MOST] /= a[k][k];
    return true;
}

/* One of open, stick, slip to either side for each contact: are the laws satisfied? */
static bool is_solution(const points *p, double delta, int code)
{
    int n = 2 * p->count, mode[MOST];
    double a[2 * MOST][2 * MOST + 1] = {{0}}, l[2 * MOST], b[2 * MOST];
    for (int c = 0; c < p->count; c++) {
        b[2 * c] = p->load[2 * c] + (p->gap[c] > 0.0 ? p->gap[c] / (delta * delta) : 0.0);
        b[2 * c + 1] = p->load[2 * c + 1] + p->speed[c] / delta;
    }
    for (int c = 0; c < p->count; c++, code /= 4) {
        mode[c] = code % 4;
        for (int k = 0; k < 2; k++) {
            int i = 2 * c + k;
            bool holds = mode[c] == 1 || (mode[c] > 1 && k == 0); /* this row does not accelerate */
            for (int j = 0; j < n; j++) a[i][j] = holds ? p->A[i][j] : (double)(i == j);
            a[i][2 * MOST] = holds ? -b[i] : 0.0;
            if (mode[c] > 1 && k == 1) a[i][2 * c] = mode[c] == 2 ? -p->mu[c] : p->mu[c];
        }
    }
    if (!gauss(n, a)) return false;
    for (int i = 0; i < n; i++) l[i] = a[i][2 * MOST];
    for (int c = 0; c < p->count; c++) {
        double xi[2] = {b[2 * c], b[2 * c + 1]};
        for (int j = 0; j < n; j++) xi[0] += p->A[2 * c][j] * l[j], xi[1] += p->A[2 * c + 1][j] * l[j];
        if (mode[c] == 0 && xi[0] < 0.0) return false;
        if (mode[c] > 0 && l[2 * c] <= 0.0) return false;
        if (mode[c] == 1 && fabs(l[2 * c + 1]) > p->mu[c] * l[2 * c]) return false;
        if (mode[c] > 1 && (mode[c] == 2 ? xi[1] : -xi[1]) > 0.0) return false;
    }
    return true;
}

static unsigned long long random_state = 12345;

static double uniform(double low, double high)
{
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static points random_points(int count)
{
    points p = {.count = count};
    double B[2 * MOST][2 * MOST];
    int n = 2 * count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) B[i][j] = uniform(-1.0, 1.0);
    for (int i = 0; i < n; i++) {
        p.load[i] = uniform(-5.0, 5.0);
        for (int j = 0; j < n; j++) {
            p.A[i][j] = i == j ? 0.1 : 0.0;
            for (int k = 0; k < n; k++) p.A[i][j] += B[i][k] * B[j][k] / n;
        }
    }
    for (int c = 0; c < count; c++) p.mu[c] = uniform(0.3, 2.5), p.speed[c] = uniform(-2.0, 2.0);
    return p;
}

/* The same as a scene: coordinates y1, x1, y2, x2, ..., inertia A^-1, forces A^-1 load. */
static subject find_points(const points *p)
{
    char text[4096], *end_of_text = text + sizeof text, *at = text;
    int n = 2 * p->count;
    double inverse[2 * MOST][2 * MOST];
    for (int j = 0; j < n; j++) {
        double a[2 * MOST][2 * MOST + 1] = {{0}};
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) a[i][k] = p->A[i][k];
            a[i][2 * MOST] = i == j;
        }
        if (!gauss(n, a)) fail_msg("%s", "singular");
        for (int i = 0; i < n; i++) inverse[i][j] = a[i][2 * MOST];
    }
#define WRITE(...) at += snprintf(at, (size_t)(end_of_text - at), __VA_ARGS__)
    WRITE("coordinates: [");
    for (int i = 0; i < n; i++) WRITE("%s%c%d", i > 0 ? ", " : "", i % 2 == 0 ? 'y' : 'x', i / 2);
    WRITE("]\nkinetic: \"0");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            WRITE(" + 0.5*(%.17g)*%c%d'*%c%d'", 0.5 * (inverse[i][j] + inverse[j][i]), i % 2 == 0 ? 'y' : 'x',
                  i / 2, j % 2 == 0 ? 'y' : 'x', j / 2);
    WRITE("\"\npotential: \"0");
    for (int i = 0; i < n; i++) {
        double force = 0.0;
        for (int j = 0; j < n; j++) force += inverse[i][j] * p->load[j];
        WRITE(" - (%.17g)*%c%d", force, i % 2 == 0 ? 'y' : 'x', i / 2);
    }
    WRITE("\"\ncontacts: [");
    for (int c = 0; c < p->count; c++)
        WRITE("{name: c%d, gap: y%d, slip: \"x%d'\", friction: %.17g}, ", c, c, c, p->mu[c]);
    WRITE("]\ninitial: {");
    for (int c = 0; c < p->count; c++) WRITE("x%d': %.17g, y%d: %.17g, ", c, p->speed[c], c, p->gap[c]);
    WRITE("}\n");
#undef WRITE
    return find(text);
}

TEST(solutions_of_several_contacts_are_those_of_all_cases_by_brute_force)
{
    int with_several = 0;
    for (int k = 0; k < 60; k++) {
        points p = random_points(k % 3 + 1);
        subject s = find_points(&p);
        for (int d = 0; d < 2; d++) {
            tp_slip_count found;
            tp_message why = {""};
            int count = 0, cases = 1;
            if (tp_painleve_count(s.painleve, d == 0 ? 0.05 : 0.0, &found, &why) != TP_OK)
                fail_msg("%s", why.text);
            for (int c = 0; c < p.count; c++) cases *= 4;
            for (int code = 0; code < cases; code++) count += is_solution(&p, found.delta, code);
            CHECK(found.is_all && found.count >= 1);
            CHECK_INT(found.count, count);
            with_several += count > 1;
        }
        end(&s);
    }
    CHECK(with_several >= 5); /* else the test shows little */
}

/* The linearly implicit step solves the same problem with delta = dt, and says how many solutions it had;
   above the limit it does not. In the second half points are above the floor, by more than forces close in
   the step: most solutions leave them open, and in some they push. */
TEST(steps_count_the_solutions_of_several_contacts)
{
    int with_several = 0;
    for (int k = 0; k < 120; k++) {
        points p = random_points(k % 2 + 2);
        for (int c = 0; c < p.count && k >= 60; c++) p.gap[c] = uniform(1e-4, 4e-4);
        subject s = find_points(&p);
        tp_simulation_options options = s.scene->options;
        int count = 0, cases = p.count == 2 ? 16 : 64;
        options.integrator = "relaxed-dai";
        options.relaxed.method = TP_RELAXED_LINEARLY_IMPLICIT;
        options.time_step = options.end_time = 1e-3;
        for (int code = 0; code < cases; code++) count += is_solution(&p, options.time_step, code);
        for (options.relaxed.counted = 1; options.relaxed.counted <= 3; options.relaxed.counted += 2) {
            tp_simulation *simulation = simulate_options(s.scene->model, options);
            run(simulation);
            CHECK_INT(tp_simulation_last_step(simulation)->solution_count,
                      options.relaxed.counted == 3 ? count : 0);
            tp_simulation_free(simulation);
        }
        with_several += count > 1 && k >= 60;
        end(&s);
    }
    CHECK(with_several >= 2);
}

/* One contact: the joint count is that of the analysis of one contact. */
TEST(one_contact_counts_as_the_table_of_the_rod_says)
{
    for (int i = 0; i < 4; i++) {
        subject rod = find_rod(1.0, 1.0, atan(2.0), i % 2 * 4.0, i < 2 ? 1.0 : 2.0, 1.0);
        tp_slip_count found;
        CHECK_INT(tp_painleve_count(rod.painleve, 1e-3, &found, NULL), TP_OK);
        CHECK_INT(found.count, i == 3 ? 3 : 1);
        CHECK_INT(found.count, tp_painleve_slip(rod.painleve, 0)->solution_count);
        /* three solutions exist up to delta = 0.0258657 */
        CHECK_INT(tp_painleve_count(rod.painleve, i == 3 ? 0.02587 : 1e-4, &found, NULL), TP_OK);
        CHECK_INT(found.count, 1);
        if (i == 3)
            CHECK(tp_painleve_count(rod.painleve, 0.02586, &found, NULL) == TP_OK && found.count == 3);
        end(&rod);
    }
}

TEST_MAIN(RUNS(solutions_of_several_contacts_are_those_of_all_cases_by_brute_force),
          RUNS(steps_count_the_solutions_of_several_contacts),
          RUNS(one_contact_counts_as_the_table_of_the_rod_says), RUNS(the_rod_has_the_figures_of_theory),
          RUNS(the_border_lies_where_theory_says),
          RUNS(a_rod_of_shapes_in_space_with_a_joint_has_the_same_figures),
          RUNS(two_contacts_of_a_block_are_coupled_as_rigid_body_mechanics_says),
          RUNS(a_contact_at_rest_has_the_figures_of_its_worst_direction), RUNS(what_is_missing_is_refused))
