/* Data of the figures of docs/theory/relaxed-dai.md: restitution over damping, limit cones, a slipping
   contact, the solutions of Painleve's rod. TIPPE_WRITE_DOCS=1 writes docs/plots/relaxed-NAME.csv and .svg
   anew; without it the files must be what the library says now. */
#include "check.h"
#include "solver/sweeps/one_contact.h"
#include "tippe/tippe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16 };
static char text[TEXT_MAX];
static size_t length;

static void begin(const char *head)
{
    length = (size_t)snprintf(text, sizeof text, "%s\n", head);
}

/* Numbers with nine digits, which all machines share; -0 is 0. */
static void add(double value, char after)
{
    length += (size_t)snprintf(text + length, sizeof text - length, "%.9g%c",
                               fabs(value) < 1e-12 ? 0.0 : value, after);
}

static void add_row(const char *name, int count, const double *values)
{
    length += (size_t)snprintf(text + length, sizeof text - length, "%s,", name);
    for (int k = 0; k < count; k++) add(values[k], k + 1 < count ? ',' : '\n');
}

static void path_of(const char *name, const char *ending, char *path)
{
    snprintf(path, 512, TIPPE_SOURCE_DIR "/docs/plots/relaxed-%s.%s", name, ending);
}

/* Writes the data, or compares them with the file. */
static void finish(void **check_state_, const char *name)
{
    static char there[TEXT_MAX];
    char path[512];
    path_of(name, "csv", path);
    FILE *file = fopen(path, getenv("TIPPE_WRITE_DOCS") != NULL ? "w" : "r");
    CHECK(file != NULL);
    if (getenv("TIPPE_WRITE_DOCS") != NULL) {
        fputs(text, file);
    } else {
        size_t read = fread(there, 1, sizeof there - 1, file);
        there[read] = '\0';
        CHECK(strcmp(there, text) == 0);
    }
    fclose(file);
}

/* A figure of curves with the data; drawn when documents are written. */
static void draw(void **check_state_, const char *name, const tp_plot_panel *panel)
{
    char path[512];
    if (getenv("TIPPE_WRITE_DOCS") == NULL) return;
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = panel;
    figure.panel_count = 1;
    path_of(name, "svg", path);
    CHECK_INT(tp_plot_write(NULL, &figure, path, NULL), TP_OK);
}

TEST(restitution_over_the_damping_ratio)
{
    enum { COUNT = 201 };
    double zeta[COUNT], from_contact[COUNT], from_flight[COUNT];
    begin("zeta,from_contact,from_flight");
    for (int k = 0; k < COUNT; k++) {
        zeta[k] = 0.01 * k;
        from_contact[k] = tp_relaxed_restitution(zeta[k], true);
        from_flight[k] = tp_relaxed_restitution(zeta[k], false);
        add(zeta[k], ',');
        add(from_contact[k], ',');
        add(from_flight[k], '\n');
        /* falling and convex from the contact on; less from flight */
        if (k > 0) CHECK(from_contact[k] < from_contact[k - 1] && from_flight[k] < from_contact[k]);
        if (k > 1) CHECK(from_contact[k] - 2.0 * from_contact[k - 1] + from_contact[k - 2] > 0.0);
    }
    finish(check_state_, "restitution");
    const tp_plot_series series[] = {{zeta, from_contact, COUNT, {0, 0}, false},
                                     {zeta, from_flight, COUNT, {1, 1}, false}};
    const tp_plot_key keys[] = {{"from contact, (7)", {0, 0}}, {"from flight, (8)", {1, 1}}};
    draw(check_state_, "restitution",
         &(tp_plot_panel){.title = "restitution of an impact",
                          .x_label = "damping ratio zeta",
                          .y_label = "e",
                          .series = series,
                          .series_count = 2,
                          .keys = keys,
                          .key_count = 2});
}

/* A set with corners on the left and at the bottom and a smooth point on the right. */
TEST(normal_cones_of_a_planar_set_and_their_limits)
{
    const struct {
        const char *name;
        double g[4];
        tp_limit_cone limit;
    } points[] = {{"left corner", {-1.0, -0.5, -1.0, -2.0}, {TP_SIDE_NEGATIVE, TP_SIDE_ZERO}},
                  {"right side", {1.0, 0.3, 1.0, 0.3}, {TP_SIDE_POSITIVE, TP_SIDE_ZERO}},
                  {"bottom corner", {-1.0, -2.0, 1.0, -1.0}, {TP_SIDE_ANY, TP_SIDE_NEGATIVE}}};
    begin("point,g1_x,g1_y,g2_x,g2_y,limit_x,limit_y");
    for (int k = 0; k < 3; k++) {
        tp_limit_cone limit;
        CHECK_INT(tp_limit_cone_of_planar(points[k].g, points[k].g + 2, &limit), TP_OK);
        CHECK(limit.x == points[k].limit.x && limit.y == points[k].limit.y);
        const double row[] = {points[k].g[0], points[k].g[1],  points[k].g[2],
                              points[k].g[3], (double)limit.x, (double)limit.y};
        add_row(points[k].name, 6, row);
    }
    finish(check_state_, "cones-planar");
}

/* Directions (v_N, v_T1) that belong to the limit cone of a friction cone inside, on its boundary, at its
   apex. */
TEST(limit_cones_of_a_friction_cone)
{
    const tp_set contact = tp_set_coulomb(3, 0.5);
    const struct {
        const char *name;
        double P[3];
        int directions;
    } points[] = {
        {"inside", {2.0, 0.3, 0.0}, 0}, {"boundary", {2.0, 1.0, 0.0}, 1}, {"apex", {0.0, 0.0, 0.0}, 13}};
    begin("point,P_N,P_T1,v_N,v_T1");
    for (int k = 0; k < 3; k++) {
        int count = 0;
        for (int d = 0; d < 24; d++) {
            double angle = d * acos(-1.0) / 12.0, v[3] = {sin(angle), cos(angle), 0.0};
            if (!tp_contact_limit_normal_contains(&contact, points[k].P, v, 1e-9)) continue;
            const double row[] = {points[k].P[0], points[k].P[1], v[0], v[1]};
            add_row(points[k].name, 4, row);
            count++;
        }
        CHECK_INT(count, points[k].directions);
    }
    finish(check_state_, "cones-friction");
}

/* xi = A P - b of a contact that slips: adding mu |xi_T| to the normal row makes it orthogonal to P. */
TEST(a_slipping_contact_and_its_orthogonal_vector)
{
    const double mu = 0.5, A[4] = {1.0, 0.2, 0.2, 1.5}, b[2] = {2.0, 3.0}, c[2] = {-2.0, -3.0};
    tp_contact_solution found[TP_CONTACT_MAX_SOLUTIONS];
    CHECK_INT(tp_planar_contact_all_solutions(A, c, mu, 0.0, found), 1);
    const double *P = found[0].P,
                 xi[2] = {A[0] * P[0] + A[2] * P[1] - b[0], A[1] * P[0] + A[3] * P[1] - b[1]};
    CHECK_INT(found[0].mode, TP_CONTACT_SLIP);
    CHECK_NEAR(xi[0], 0.0, 1e-14);
    CHECK_NEAR(P[0] * (xi[0] + mu * fabs(xi[1])) + P[1] * xi[1], 0.0, 1e-14);
    begin("vector,N,T");
    add_row("lambda", 2, P);
    add_row("eta", 2, xi);
    add_row("eta + E s", 2, (const double[]){xi[0] + mu * fabs(xi[1]), xi[1]});
    finish(check_state_, "slip");
}

/* r_a, r_b, r and the solutions of the rod, forces as (T, N); m = l = 1, tan theta = 2, v = 1, zeta = 1/2. */
static void add_rod(void **check_state_, double mu, double spin, int expected)
{
    const double delta = 1e-3, s = 2.0 / sqrt(5.0), c = 1.0 / sqrt(5.0), g = 9.81;
    /* rows (N, T) */
    const double A[4] = {1.0 + 3.0 * c * c, -3.0 * s * c, -3.0 * s * c, 1.0 + 3.0 * s * s},
                 inverse[4] = {0.25 * A[3], 0.75 * s * c, 0.75 * s * c, 0.25 * A[0]};
    const double b[2] = {g - spin * spin * s, -spin * spin * c + 1.0 / delta}, cc[2] = {-b[0], -b[1]},
                 r[2] = {inverse[0] * b[0] + inverse[2] * b[1], inverse[1] * b[0] + inverse[3] * b[1]};
    tp_contact_solution found[TP_CONTACT_MAX_SOLUTIONS];
    char name[64];
    int count = tp_planar_contact_all_solutions(A, cc, mu, 0.0, found);
    CHECK_INT(count, expected);
    const double r_b[2] = {inverse[3], inverse[2]},
                 r_a[2] = {0.75 * g * s * c - spin * spin * c,
                           0.25 * g * (4.0 - 3.0 * c * c) - spin * spin * s};
    const struct {
        const char *what;
        double T, N;
    } rows[] = {{"cone right", mu, 1.0},
                {"cone left", -mu, 1.0},
                {"r_b", r_b[0], r_b[1]},
                {"r_a", r_a[0], r_a[1]},
                {"r", r[1], r[0]}};
    CHECK_NEAR(r[1], r_a[0] + r_b[0] / delta, 1e-9);
    CHECK_NEAR(r[0], r_a[1] + r_b[1] / delta, 1e-9);
    for (int k = 0; k < 5 + count; k++) {
        snprintf(name, sizeof name, "%s", k < 5 ? rows[k].what : "solution");
        const double row[] = {mu, spin, k < 5 ? rows[k].T : found[k - 5].P[1],
                              k < 5 ? rows[k].N : found[k - 5].P[0]};
        add_row(name, 4, row);
    }
    if (expected == 3) {
        CHECK_NEAR(found[0].P[1], 395.787582, 6e-7);
        CHECK_NEAR(found[1].P[1], 11.252088, 6e-7);
        CHECK_NEAR(found[1].P[0], 5.626044, 6e-7);
    }
}

TEST(solutions_of_the_rod_where_regions_are_apart_and_where_they_overlap)
{
    begin("what,mu,spin,T,N");
    add_rod(check_state_, 1.0, 0.0, 1);
    add_rod(check_state_, 2.0, 0.0, 1);
    add_rod(check_state_, 2.0, 4.0, 3);
    finish(check_state_, "solutions");
    const double cone_x[] = {-20.0, 0.0, 20.0}, cone_y[] = {10.0, 0.0, 10.0}, border_x[] = {0.0, 26.6667},
                 border_y[] = {0.0, 20.0}, points_x[] = {11.252088, 11.252088, 0.0, 0.0}, /* slip and open */
        points_y[] = {5.4, 5.85, -0.2, 0.2};
    const double parts_x[] = {points_x[0], points_x[1], NAN, points_x[2], points_x[3]},
                 parts_y[] = {points_y[0], points_y[1], NAN, points_y[2], points_y[3]};
    const tp_plot_series series[] = {{cone_x, cone_y, 3, {0, 0}, false},
                                     {border_x, border_y, 2, {1, 1}, false},
                                     {parts_x, parts_y, 5, {2, 0}, false}};
    const tp_plot_key keys[] = {
        {"friction cone, mu = 2", {0, 0}}, {"border of S, along r_b", {1, 1}}, {"slip and open", {2, 0}}};
    draw(check_state_, "solutions",
         &(tp_plot_panel){.title = "three solutions of the rod, spin 4 rad/s",
                          .x_label = "lambda_T [N]",
                          .y_label = "lambda_N [N]",
                          .series = series,
                          .series_count = 3,
                          .keys = keys,
                          .key_count = 3});
}

TEST_MAIN(RUNS(restitution_over_the_damping_ratio), RUNS(normal_cones_of_a_planar_set_and_their_limits),
          RUNS(limit_cones_of_a_friction_cone), RUNS(a_slipping_contact_and_its_orthogonal_vector),
          RUNS(solutions_of_the_rod_where_regions_are_apart_and_where_they_overlap))
