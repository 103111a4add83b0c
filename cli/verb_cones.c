/* tippe cones: normal cones of a planar convex set in the metric diag(1, 1/eps), and their limit for eps ->
   0, in which a friction cone obeys Coulomb's law; docs/theory/sets.md section 6. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "program.h"
#include "tippe/plot.h"
#include "tippe/set.h"

enum { CORNERS_MAX = 64, POINTS_MAX = 2 * CORNERS_MAX, RAYS_MAX = 3, METRICS = 3 };

/* Length of an arrow in the figure, and of the edges of a friction cone, both of the size of the set. */
static const double arrow_length = 0.3, wedge_length = 1.0;

typedef struct cones_settings {
    const char *corners, *output;
    double friction, epsilon;
    bool as_json;
} cones_settings;

/* A boundary point with the generators of its normal cone; one generator twice where the boundary is smooth.
 */
typedef struct boundary_point {
    char name[24];
    double at[2], normal[2][2];
} boundary_point;

typedef struct planar_set {
    int corner_count, point_count;
    bool is_wedge; /* the outline is open: it goes on beyond its ends */
    double corner[CORNERS_MAX][2];
    boundary_point point[POINTS_MAX];
} planar_set;

static const cli_option cones_options[] = {
    {"--corners", NULL, OPTION_TEXT, offsetof(cones_settings, corners), "\"X,Y; X,Y; ...\"",
     "a convex polygon, counterclockwise", 0, 0, NULL},
    {"--friction", NULL, OPTION_REAL, offsetof(cones_settings, friction), "MU",
     "the friction cone |x| <= MU y of a planar contact, x tangential and y normal", 1e-6, 1e6,
     "a number from 1e-6 to 1e6"},
    {"--epsilon", NULL, OPTION_REAL, offsetof(cones_settings, epsilon), "EPS",
     "metric diag(1, 1/EPS) between the Euclidean one and the limit; default 0.1", DBL_MIN, 1.0,
     "a number above 0, at most 1"},
    {"--output", "-o", OPTION_TEXT, offsetof(cones_settings, output), "FILE",
     "draws the set with its cones: ends in .svg or .png", 0, 0, NULL},
    {"--json", NULL, OPTION_FLAG, offsetof(cones_settings, as_json), NULL, "prints one JSON object", 0, 0,
     NULL},
    {.name = NULL},
};

/* ---- the set ---- */

/* Outward normal of the edge from a to b, where the set lies on the left; of length 1. */
static void edge_normal(const double *a, const double *b, double *normal_out)
{
    double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
    normal_out[0] = y / length;
    normal_out[1] = -x / length;
}

static void add_point(planar_set *set, const char *kind, int number, const double *at, const double *before,
                      const double *after)
{
    boundary_point *point = &set->point[set->point_count++];
    snprintf(point->name, sizeof point->name, number > 0 ? "%s %d" : "%s", kind, number);
    memcpy(point->at, at, sizeof point->at);
    memcpy(point->normal[0], before, sizeof point->normal[0]);
    memcpy(point->normal[1], after, sizeof point->normal[1]);
}

static bool read_corners(const cli_verb *self, const char *text, planar_set *set)
{
    for (const char *at = text; *at != '\0';) {
        double x, y;
        int used = 0;
        if (sscanf(at, " %lf , %lf %n", &x, &y, &used) != 2 || !isfinite(x) || !isfinite(y)) {
            complain("%s: --corners '%s': expected \"X,Y; X,Y; ...\" with finite numbers", self->name, text);
            return false;
        }
        at += used;
        if (set->corner_count == CORNERS_MAX) {
            complain("%s: --corners: at most %d corners", self->name, CORNERS_MAX);
            return false;
        }
        set->corner[set->corner_count][0] = x;
        set->corner[set->corner_count++][1] = y;
        if (*at == ';')
            at++;
        else if (*at != '\0') {
            complain("%s: --corners '%s': expected ';' before '%s'", self->name, text, at);
            return false;
        }
    }
    return true;
}

/* Every corner turns left, and all turns together make one revolution. */
static bool check_convex(const cli_verb *self, const planar_set *set)
{
    int n = set->corner_count;
    double turned = 0.0;
    for (int k = 0; k < n && n >= 3; k++) {
        const double *a = set->corner[k], *b = set->corner[(k + 1) % n], *c = set->corner[(k + 2) % n];
        double cross = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        double dot = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
        if (!(cross > 0.0)) {
            complain("%s: --corners: the polygon does not turn left at (%g, %g); expected the corners of a "
                     "convex polygon, counterclockwise",
                     self->name, b[0], b[1]);
            return false;
        }
        turned += atan2(cross, dot);
    }
    if (n < 3 || turned > 3.0 * acos(-1.0)) {
        complain("%s: --corners: expected at least 3 corners that go round once", self->name);
        return false;
    }
    return true;
}

static bool make_polygon(const cli_verb *self, const char *text, planar_set *set)
{
    if (!read_corners(self, text, set) || !check_convex(self, set)) return false;
    int n = set->corner_count;
    for (int k = 0; k < n; k++) {
        const double *a = set->corner[(k + n - 1) % n], *b = set->corner[k], *c = set->corner[(k + 1) % n];
        double before[2], after[2], middle[2] = {0.5 * (b[0] + c[0]), 0.5 * (b[1] + c[1])};
        edge_normal(a, b, before);
        edge_normal(b, c, after);
        add_point(set, "corner", k + 1, b, before, after);
        add_point(set, "edge", k + 1, middle, after, after);
    }
    return true;
}

/* Apex and both edges. */
static void make_friction_cone(double mu, planar_set *set)
{
    double length = hypot(mu, 1.0), side = wedge_length * mu / length, up = wedge_length / length;
    const double right[2] = {side, up}, apex[2] = {0.0, 0.0}, left[2] = {-side, up};
    double to_apex[2], from_apex[2];
    *set = (planar_set){.corner_count = 3, .is_wedge = true};
    memcpy(set->corner[0], left, sizeof left);
    memcpy(set->corner[1], apex, sizeof apex);
    memcpy(set->corner[2], right, sizeof right);
    edge_normal(left, apex, to_apex);
    edge_normal(apex, right, from_apex);
    add_point(set, "apex", 0, apex, to_apex, from_apex);
    add_point(set, "sliding right", 0, (const double[2]){0.6 * side, 0.6 * up}, from_apex, from_apex);
    add_point(set, "sliding left", 0, (const double[2]){-0.6 * side, 0.6 * up}, to_apex, to_apex);
}

/* ---- the cones ---- */

/* Words of tp_side, and how a coordinate of the limit cone reads. */
static const struct {
    tp_side side;
    const char *word, *relation;
} sides[] = {{TP_SIDE_ZERO, "zero", "%c = 0"},
             {TP_SIDE_NEGATIVE, "negative", "%c <= 0"},
             {TP_SIDE_POSITIVE, "positive", "%c >= 0"},
             {TP_SIDE_ANY, "any", "%c free"}};

static int side_row(tp_side side)
{
    int row = 0;
    while (sides[row].side != side) row++;
    return row;
}

/* Generators in the metric diag(1, 1/eps): those of the Euclidean cone times diag(1, eps), of length 1. */
static void in_metric(const boundary_point *point, double eps, double rays_out[2][2])
{
    for (int k = 0; k < 2; k++) {
        double x = point->normal[k][0], y = eps * point->normal[k][1], length = hypot(x, y);
        rays_out[k][0] = x / length;
        rays_out[k][1] = y / length;
    }
}

/* Generators of the limit, as many as it has. */
static int limit_rays(const tp_limit_cone *limit, double rays_out[RAYS_MAX][2])
{
    int count = 0;
    const struct {
        tp_side side;
        double sign;
    } parts[] = {{TP_SIDE_NEGATIVE, -1.0}, {TP_SIDE_POSITIVE, 1.0}};
    for (int axis = 0; axis < 2; axis++) {
        tp_side side = axis == 0 ? limit->x : limit->y;
        for (int p = 0; p < 2; p++) {
            if (side != parts[p].side && side != TP_SIDE_ANY) continue;
            if (count == RAYS_MAX) return count;
            rays_out[count][axis] = parts[p].sign;
            rays_out[count++][1 - axis] = 0.0;
        }
    }
    return count;
}

/* The normals of a set with inner points are never opposite, so that there is a limit. */
static tp_limit_cone limit_of(const boundary_point *point)
{
    tp_limit_cone limit = {TP_SIDE_ZERO, TP_SIDE_ZERO};
    (void)tp_limit_cone_of_planar(point->normal[0], point->normal[1], &limit);
    return limit;
}

/* ---- printed ---- */

static void print_rays(const char *title, double rays[2][2])
{
    bool is_ray = rays[0][0] == rays[1][0] && rays[0][1] == rays[1][1];
    printf("  %-10s (%.6g, %.6g)", title, rays[0][0] + 0.0, rays[0][1] + 0.0);
    if (!is_ray) printf(" to (%.6g, %.6g)", rays[1][0] + 0.0, rays[1][1] + 0.0);
    printf("\n");
}

static void print_cones(planar_set *set, double eps)
{
    for (int k = 0; k < set->point_count; k++) {
        boundary_point *point = &set->point[k];
        tp_limit_cone limit = limit_of(point);
        double rays[2][2];
        char title[24];
        printf("%s at (%.6g, %.6g)\n", point->name, point->at[0] + 0.0, point->at[1] + 0.0);
        print_rays("Euclidean", point->normal);
        in_metric(point, eps, rays);
        snprintf(title, sizeof title, "eps %.3g", eps);
        print_rays(title, rays);
        printf("  %-10s ", "limit");
        printf(sides[side_row(limit.x)].relation, 'x');
        printf(", ");
        printf(sides[side_row(limit.y)].relation, 'y');
        printf("\n");
    }
}

static void write_rays(json_writer *json, const char *key, double rays[2][2])
{
    json_open_at(json, key, '[');
    for (int k = 0; k < 2; k++) {
        json_open(json, '[');
        json_real(json, rays[k][0] + 0.0);
        json_real(json, rays[k][1] + 0.0);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void write_cones(planar_set *set, double eps)
{
    json_writer json = json_begin_object(stdout);
    json_real_at(&json, "epsilon", eps);
    json_open_at(&json, "points", '[');
    for (int k = 0; k < set->point_count; k++) {
        boundary_point *point = &set->point[k];
        tp_limit_cone limit = limit_of(point);
        double rays[2][2];
        in_metric(point, eps, rays);
        json_open(&json, '{');
        json_text_at(&json, "name", point->name);
        json_real_at(&json, "x", point->at[0] + 0.0);
        json_real_at(&json, "y", point->at[1] + 0.0);
        write_rays(&json, "euclidean", point->normal);
        write_rays(&json, "metric", rays);
        json_open_at(&json, "limit", '{');
        json_text_at(&json, "x", sides[side_row(limit.x)].word);
        json_text_at(&json, "y", sides[side_row(limit.y)].word);
        json_close(&json, '}');
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end_object(&json);
}

/* ---- drawn ---- */

typedef struct arrows {
    double x[POINTS_MAX * RAYS_MAX][2], y[POINTS_MAX * RAYS_MAX][2];
    tp_plot_series series[POINTS_MAX * RAYS_MAX + 1];
    int count; /* of arrows; the outline is the series after the last */
} arrows;

static void add_arrow(arrows *list, const double *from, const double *along, double length)
{
    int k = list->count++;
    double reach = length / hypot(along[0], along[1]);
    list->x[k][0] = from[0], list->x[k][1] = from[0] + reach * along[0];
    list->y[k][0] = from[1], list->y[k][1] = from[1] + reach * along[1];
    list->series[k] = (tp_plot_series){list->x[k], list->y[k], 2, {0, 0}, false};
}

/* metric 0: Euclidean, 1: eps, 2: the limit. */
static void add_cones(const planar_set *set, int metric, double eps, double length, arrows *list)
{
    for (int k = 0; k < set->point_count; k++) {
        const boundary_point *point = &set->point[k];
        tp_limit_cone limit = limit_of(point);
        double rays[RAYS_MAX][2] = {{0.0}};
        int count = metric == 2 ? limit_rays(&limit, rays) : 2;
        if (metric < 2) in_metric(point, metric == 0 ? 1.0 : eps, rays);
        for (int r = 0; r < count; r++) add_arrow(list, point->at, rays[r], length);
    }
}

static tp_status draw_cones(const planar_set *set, double eps, const char *path, tp_message *why)
{
    static const char *const titles[METRICS] = {"Euclidean metric", "metric diag(1, 1/eps)", "limit"};
    double outline_x[CORNERS_MAX + 1], outline_y[CORNERS_MAX + 1], size = 0.0;
    int n = set->corner_count, closed = set->is_wedge ? 0 : 1;
    for (int k = 0; k < n + closed; k++) {
        outline_x[k] = set->corner[k % n][0];
        outline_y[k] = set->corner[k % n][1];
        size = fmax(size, hypot(outline_x[k] - outline_x[0], outline_y[k] - outline_y[0]));
    }
    arrows *lists = calloc(METRICS, sizeof *lists);
    if (lists == NULL) return TP_OUT_OF_MEMORY;
    tp_plot_panel panels[METRICS] = {{0}};
    for (int m = 0; m < METRICS; m++) {
        add_cones(set, m, eps, arrow_length * size, &lists[m]);
        lists[m].series[lists[m].count] =
            (tp_plot_series){outline_x, outline_y, n + closed, {TP_PLOT_BLACK, 0}, false};
        panels[m] = (tp_plot_panel){.title = titles[m],
                                    .x_label = "x",
                                    .y_label = "y",
                                    .series = lists[m].series,
                                    .series_count = lists[m].count + 1,
                                    .has_equal_axes = true,
                                    .has_margin = true};
    }
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = panels;
    figure.panel_count = METRICS;
    tp_status status = tp_plot_write(NULL, &figure, path, why);
    free(lists);
    return status;
}

static exit_code run_cones(const cli_verb *self, int argument_count, char **arguments)
{
    cones_settings settings = {.friction = NAN, .epsilon = 0.1};
    positionals given;
    planar_set set = {0};
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if ((settings.corners != NULL) == !isnan(settings.friction)) {
        complain("%s: expected either --corners or --friction", self->name);
        return PROGRAM_BAD_INPUT;
    }
    if (settings.corners == NULL)
        make_friction_cone(settings.friction, &set);
    else if (!make_polygon(self, settings.corners, &set))
        return PROGRAM_BAD_INPUT;
    if (settings.output != NULL) {
        tp_message why = {""};
        tp_status status = draw_cones(&set, settings.epsilon, settings.output, &why);
        if (status != TP_OK) return end_with(self, status, &why);
    }
    (settings.as_json ? write_cones : print_cones)(&set, settings.epsilon);
    return PROGRAM_DONE;
}

const cli_verb verb_cones = {
    .name = "cones",
    .summary = "Shows how normal cones become Coulomb's law in a singular metric",
    .usage = "--corners \"X,Y; X,Y; ...\" | --friction MU [--epsilon EPS] [-o FILE.svg|.png] [--json]",
    .text = "For each corner and edge of a planar convex set: the generators of its normal cone in the "
            "Euclidean\n"
            "metric, in the metric diag(1, 1/EPS), and the cone that is left for EPS -> 0. In that limit the "
            "law\n"
            "of a friction cone is no longer the associated one, but Coulomb's.\n"
            "  tippe cones --friction 0.5 -o cones.svg\n",
    .options = cones_options,
    .positionals = "nothing",
    .run = run_cones,
};
