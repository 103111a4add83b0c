/* The axes of a picture: upwards is against gravity; a motion in a plane is seen along its normal, another
   one from the front, the right and above. */
#include "sight.h"

#include <math.h>

#include "tippe/body.h"

/* What moves out of a plane by less than this part of the motion is not seen in a picture of a thousand dots:
   the motion is planar. Ten times more would take a slow precession for a plane, ten times less would show a
   planar mechanism that drifts by its tolerance from the side. */
static const double flat_part = 1e-3;

/* Rows of the run that are looked at besides those of the picture: a single moment does not show what moves.
 */
enum { WATCHED_ROWS = 16 };

/* From the front, a little from the right and from above: parts of front, right and up. */
static const double oblique[3] = {1.0, 0.5, 0.6};

/* ---- what moves ---------------------------------------------------------------------------------------- */

/* Points that move with a figure: its vertices, or its origin and three points around it. */
static int point_count(const tp_primitive *figure)
{
    return figure->vertex_count > 0 ? figure->vertex_count : 4;
}

static tp_vec3 point_of(const tp_primitive *figure, int k)
{
    double size = fmax(figure->size[0], fmax(figure->size[1], figure->size[2]));
    tp_vec3 local = tp_vec3_make(k == 1 ? size : 0.0, k == 2 ? size : 0.0, k == 3 ? size : 0.0);
    if (figure->vertex_count > 0) local = figure->vertices[k];
    return tp_vec3_add(figure->position,
                       tp_quat_rotate(figure->orientation, tp_vec3_scale(figure->scale, local)));
}

static bool is_same_point(tp_vec3 a, tp_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A plane through the origin that vectors lie in, found in three rounds over them: the longest, the one that
   leads farthest away from its line, and how far the others leave the plane of these two. */
typedef struct plane_fit {
    int round;
    tp_vec3 longest, widest, normal;
    double length, width, off;
} plane_fit;

static void fit_add(plane_fit *fit, tp_vec3 v)
{
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) return;
    if (fit->round == 0 && tp_vec3_norm(v) > fit->length) fit->length = tp_vec3_norm(v), fit->longest = v;
    if (fit->round == 1) {
        tp_vec3 aside =
            tp_vec3_add_scaled(v, -tp_vec3_dot(v, fit->longest) / (fit->length * fit->length), fit->longest);
        if (tp_vec3_norm(aside) > fit->width) fit->width = tp_vec3_norm(aside), fit->widest = aside;
    }
    if (fit->round == 2) fit->off = fmax(fit->off, fabs(tp_vec3_dot(v, fit->normal)));
}

/* Ends a round; false if the vectors span no plane. */
static bool fit_goes_on(plane_fit *fit)
{
    fit->round++;
    if (fit->round == 1) return fit->length > 0.0;
    if (fit->round > 2 || !(fit->width > flat_part * fit->length)) return false;
    fit->normal = tp_vec3_normalise(tp_vec3_cross(fit->longest, fit->widest));
    return true;
}

static bool fit_is_flat(const plane_fit *fit)
{
    return fit->round > 2 && fit->off <= flat_part * fit->length;
}

typedef struct watcher {
    tp_moments *moments;
    tp_sight *sight;
    int figure_count, start_count;
    tp_vec3 *start; /* points of all figures at the first row */
} watcher;

/* The rows of the picture, then others of the whole run; -1 past the end. */
static long long watched_row(const tp_moments *m, int k)
{
    if (k < m->count) return m->rows[k];
    long long last = m->trajectory ? m->trajectory->row_count - 1 : 0;
    return k - m->count < WATCHED_ROWS ? (k - m->count) * last / (WATCHED_ROWS - 1) : -1;
}

static tp_status watch_start(watcher *w, tp_arena *arena, tp_message *why)
{
    const tp_primitive *list = tp_moments_draw(w->moments, w->moments->rows[0], &w->figure_count);
    int count = 0;
    for (int i = 0; i < w->figure_count; i++) w->start_count += point_count(&list[i]);
    w->start = TP_ARENA_ARRAY(arena, tp_vec3, w->start_count + 1);
    w->sight->is_still = TP_ARENA_ARRAY(arena, bool, w->figure_count + 1);
    if (!w->start || !w->sight->is_still) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    for (int i = 0; i < w->figure_count; i++) {
        w->sight->is_still[i] = true;
        for (int k = 0; k < point_count(&list[i]); k++) w->start[count++] = point_of(&list[i], k);
    }
    return TP_OK;
}

/* Displacements of all points since the first row, and which figures have none. */
static void watch_motion(watcher *w, plane_fit *fit)
{
    for (int r = 1; watched_row(w->moments, r) >= 0; r++) {
        int count, at = 0;
        const tp_primitive *list = tp_moments_draw(w->moments, watched_row(w->moments, r), &count);
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < point_count(&list[i]); k++, at++) {
                tp_vec3 now = point_of(&list[i], k);
                if (is_same_point(now, w->start[at])) continue;
                w->sight->is_still[i] = false;
                fit_add(fit, tp_vec3_sub(now, w->start[at]));
            }
        }
    }
}

/* Whether a point shows where its figure lies: planes and tubes have no end, a circle is flat, marks are
   symbols of any thickness. */
static bool is_telling(const tp_primitive *figure, int k)
{
    if (figure->kind == TP_PRIMITIVE_PLANE || figure->kind == TP_PRIMITIVE_TUBE) return false;
    if (figure->kind == TP_PRIMITIVE_CIRCLE) return k < 3;
    return figure->vertex_count > 0 || figure->role == TP_ROLE_BODY || k == 0;
}

/* Distances of all points from the first of them. */
static void watch_places(watcher *w, plane_fit *fit)
{
    int count, at = 0;
    const tp_primitive *list = tp_moments_draw(w->moments, w->moments->rows[0], &count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < point_count(&list[i]); k++, at++) {
            if (is_telling(&list[i], k)) fit_add(fit, tp_vec3_sub(w->start[at], w->start[0]));
        }
    }
}

static bool has_planar_bodies_only(const tp_model *model)
{
    int count = tp_model_body_count(model), planar = 0;
    for (int i = 0; i < count; i++) {
        tp_body_kind kind = tp_model_body_kind(model, i);
        if (kind != TP_BODY_PLANAR && kind != TP_BODY_MOVING) return false;
        planar += kind == TP_BODY_PLANAR;
    }
    return planar > 0;
}

/* A normal to a line, so that it is seen at full length with `up` upwards. */
static tp_vec3 normal_to_line(tp_vec3 line, tp_vec3 up)
{
    tp_vec3 normal = tp_vec3_cross(line, up);
    if (!(tp_vec3_norm(normal) > flat_part * tp_vec3_norm(line)))
        normal = tp_vec3_cross(line, tp_vec3_make(1.0, 0.0, 0.0));
    return tp_vec3_norm(normal) > 0.0 ? normal : tp_vec3_make(0.0, 0.0, 1.0);
}

/* The normal of the plane of a motion: of the displacements; where they lie on a line, of all that is there.
 */
static bool find_plane(watcher *w, tp_vec3 up, tp_vec3 *normal_out)
{
    plane_fit motion = {0}, all = {0};
    do {
        watch_motion(w, &motion);
    } while (fit_goes_on(&motion));
    *normal_out = motion.normal;
    if (motion.round > 2) return fit_is_flat(&motion);
    *normal_out = tp_vec3_make(0.0, 0.0, 1.0);
    if (has_planar_bodies_only(w->moments->model)) return true;
    do {
        watch_motion(w, &all);
        watch_places(w, &all);
    } while (fit_goes_on(&all));
    *normal_out = all.round > 2 ? all.normal : normal_to_line(all.longest, up);
    return all.round <= 2 || fit_is_flat(&all);
}

/* ---- axes ---------------------------------------------------------------------------------------------- */

static tp_vec3 reject(tp_vec3 a, tp_vec3 unit)
{
    return tp_vec3_add_scaled(a, -tp_vec3_dot(a, unit), unit);
}

/* A direction to the right: x, or y if one looks along x. */
static tp_vec3 some_right(tp_vec3 toward)
{
    tp_vec3 right = reject(tp_vec3_make(1.0, 0.0, 0.0), toward);
    if (tp_vec3_norm(right) < flat_part) right = reject(tp_vec3_make(0.0, 1.0, 0.0), toward);
    return tp_vec3_normalise(right);
}

static void look_from(tp_vec3 view, tp_vec3 up, tp_sight *sight)
{
    sight->toward = tp_vec3_normalise(view);
    tp_vec3 right = tp_vec3_cross(up, sight->toward);
    bool is_along = tp_vec3_norm(right) <= flat_part * tp_vec3_norm(up);
    sight->right = is_along ? some_right(sight->toward) : tp_vec3_normalise(right);
    sight->up = tp_vec3_cross(sight->toward, sight->right);
}

/* From above, or so that the axis along which most of the width goes points to the right. */
static void look_along(tp_vec3 normal, tp_vec3 up, tp_sight *sight)
{
    look_from(normal, up, sight);
    double x = sight->right.x, y = sight->right.y, z = sight->right.z;
    double most = fabs(x) >= fabs(y) && fabs(x) >= fabs(z) ? x : fabs(y) >= fabs(z) ? y : z;
    bool is_vertical = fabs(tp_vec3_dot(sight->toward, up)) > 1.0 - flat_part;
    bool is_behind = is_vertical ? tp_vec3_dot(sight->toward, up) < 0.0 : most < 0.0;
    if (is_behind) look_from(tp_vec3_negate(normal), up, sight);
}

static void look_obliquely(tp_vec3 up, tp_sight *sight)
{
    tp_vec3 right = some_right(up), front = tp_vec3_cross(right, up);
    tp_vec3 view = tp_vec3_scale(oblique[0], front);
    view = tp_vec3_add_scaled(view, oblique[1], right);
    look_from(tp_vec3_add_scaled(view, oblique[2], up), up, sight);
}

tp_status tp_sight_choose(tp_moments *moments, tp_arena *arena, const tp_picture_options *options,
                          tp_sight *sight, tp_message *why)
{
    watcher w = {.moments = moments, .sight = sight};
    TP_TRY(watch_start(&w, arena, why));
    tp_vec3 gravity = tp_model_gravity(moments->model), normal, view = options->view;
    bool has_gravity = tp_vec3_norm(gravity) > 0.0;
    tp_vec3 up = has_gravity ? tp_vec3_negate(tp_vec3_normalise(gravity)) : tp_vec3_make(0.0, 0.0, 1.0);
    if (tp_vec3_norm(options->up) > 0.0) up = tp_vec3_normalise(options->up);
    bool is_planar = find_plane(&w, has_gravity ? up : tp_vec3_make(0.0, 1.0, 0.0), &normal);
    double length = tp_vec3_norm(view);
    switch (options->look) {
    case TP_LOOK_AUTOMATIC:
        if (is_planar) look_along(normal, up, sight);
        if (!is_planar) look_obliquely(up, sight);
        break;
    case TP_LOOK_OBLIQUE: look_obliquely(up, sight); break;
    case TP_LOOK_FROM:
        if (!(length > 0.0 && isfinite(length)))
            return tp_fail(why, TP_INVALID_ARGUMENT, "the view has no direction: (%g, %g, %g)", view.x,
                           view.y, view.z);
        look_from(view, up, sight);
        break;
    default: return tp_fail(why, TP_INVALID_ARGUMENT, "there is no view number %d", (int)options->look);
    }
    return TP_OK;
}
