/* Directions of separation where a cylinder is one of two convex solids: its side and rims against vertices,
   edges and another cylinder; docs/theory/contacts-geometry.md (22)-(24). */
#include "convex.h"
#include "tolerances.h"

static const double full_turn = 6.28318530717958647692;

/* What is tried against the cylinder; directions are out of it. */
typedef struct round_search {
    const tp_convex *other, *cylinder;
    bool other_is_b;
    double margin;
    tp_separation *best;
} round_search;

static void try_out(const round_search *search, double gap, tp_vec3 out, tp_feature own, tp_feature round)
{
    tp_try_out_of(search->other_is_b, gap, out, own, round, search->margin, search->best);
}

/* ---- vertices: side and rim ---- */

/* (23): beside the ends of the cylinder its side, beyond them its rim. */
static void try_vertex(const round_search *search, int k)
{
    const tp_convex *other = search->other, *round = search->cylinder;
    tp_vec3 x = tp_mat3_apply_transposed(round->R, tp_vec3_sub(other->vertex[k], round->centre));
    double away = hypot(x.x, x.y), beyond = fabs(x.z) - round->half_length, shrink = round->radius / away;
    bool is_side = beyond <= 0.0;
    if (!(away > (is_side ? 0.0 : round->radius))) return;
    tp_vec3 inward = is_side
                         ? tp_vec3_make(-x.x, -x.y, 0.0)
                         : tp_vec3_make((shrink - 1.0) * x.x, (shrink - 1.0) * x.y, -copysign(beyond, x.z));
    tp_vec3 out = tp_mat3_apply(round->R, tp_vec3_normalise(inward));
    int farthest;
    double reach = tp_convex_support(other, out, &farthest);
    if (reach - tp_vec3_dot(out, other->vertex[k]) > tp_support_margin * other->size) return;
    if (!tp_convex_vertex_allows(other, k, out)) return;
    tp_feature feature = {is_side ? TP_FEATURE_SIDE : TP_FEATURE_RIM, x.z < 0.0 ? -1 : 1};
    int none;
    double gap = -reach - tp_convex_support(round, tp_vec3_negate(out), &none);
    try_out(search, gap, out, (tp_feature){TP_FEATURE_VERTEX, k}, feature);
}

/* ---- edges: side and rims ---- */

/* Directions m = cos f start + sin f turn out of an edge through a point, 0 <= f <= length. */
typedef struct arc {
    tp_vec3 start, turn, point;
    double length, thickness;
} arc;

static tp_vec3 arc_at(const arc *over, double angle)
{
    return tp_vec3_add(tp_vec3_scale(cos(angle), over->start), tp_vec3_scale(sin(angle), over->turn));
}

/* (22): the separation along m, for the end of the cylinder on the side `sign` of m.axis. */
static double arc_gap(const arc *over, const tp_convex *round, double angle, double sign, double *slope_out)
{
    tp_vec3 m = arc_at(over, angle), axis = round->R.cz, apart = tp_vec3_sub(round->centre, over->point);
    tp_vec3 rate =
        tp_vec3_add(tp_vec3_scale(-sin(angle), over->start), tp_vec3_scale(cos(angle), over->turn));
    double along = tp_vec3_dot(m, axis), along_rate = tp_vec3_dot(rate, axis);
    double across = tp_vec3_norm(tp_vec3_cross(m, axis));
    double bend = across > 0.0 ? round->radius * along * along_rate / across : 0.0;
    *slope_out = tp_vec3_dot(rate, apart) + bend - round->half_length * sign * along_rate;
    return tp_vec3_dot(m, apart) - round->radius * across - round->half_length * sign * along -
           over->thickness;
}

static double arc_maximum(const arc *over, const tp_convex *round, double low, double high, double sign)
{
    double slope_low, slope_high, slope;
    (void)arc_gap(over, round, low, sign, &slope_low);
    (void)arc_gap(over, round, high, sign, &slope_high);
    /* False position, with the weight of an end halved that stays (Illinois). */
    for (int i = 0; i < 100 && high - low > tp_arc_rounding; i++) {
        double next = high - slope_high * (high - low) / (slope_high - slope_low);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == low || next == high) break;
        (void)arc_gap(over, round, next, sign, &slope);
        if (slope == 0.0) return next;
        if (slope > 0.0) {
            low = next;
            slope_low = slope;
            slope_high *= 0.5;
        } else {
            high = next;
            slope_high = slope;
            slope_low *= 0.5;
        }
    }
    return 0.5 * (low + high);
}

/* A rim against the edge: maxima inside a stretch on which one end of the cylinder is the near one. */
static void try_stretch(const round_search *search, const arc *over, tp_feature own, double low, double high)
{
    const tp_convex *round = search->cylinder;
    double sign = tp_vec3_dot(arc_at(over, 0.5 * (low + high)), round->R.cz) < 0.0 ? -1.0 : 1.0;
    int pieces = 1 + (int)((high - low) / tp_piece_angle);
    for (int k = 0; k < pieces; k++) {
        double from = low + (high - low) * k / pieces, to = low + (high - low) * (k + 1) / pieces, slope;
        (void)arc_gap(over, round, from, sign, &slope);
        if (!(slope > 0.0)) continue;
        (void)arc_gap(over, round, to, sign, &slope);
        if (!(slope < 0.0)) continue;
        double angle = arc_maximum(over, round, from, to, sign);
        double gap = arc_gap(over, round, angle, sign, &slope);
        try_out(search, gap, tp_vec3_normalise(arc_at(over, angle)), own,
                (tp_feature){TP_FEATURE_RIM, sign < 0.0 ? 1 : -1});
    }
}

/* An edge along the axis: the side of the cylinder all the way. */
static void try_parallel(const round_search *search, const arc *over, tp_feature own)
{
    const tp_convex *round = search->cylinder;
    tp_vec3 apart = tp_vec3_sub(round->centre, over->point);
    double angle = atan2(tp_vec3_dot(apart, over->turn), tp_vec3_dot(apart, over->start)), slope;
    if (angle < 0.0) angle += full_turn;
    if (!(angle <= over->length)) return;
    try_out(search, arc_gap(over, round, angle, 0.0, &slope), tp_vec3_normalise(arc_at(over, angle)), own,
            (tp_feature){TP_FEATURE_SIDE, 0});
}

static void try_arc(const round_search *search, const arc *over, tp_feature own)
{
    tp_vec3 axis = search->cylinder->R.cz;
    double x = tp_vec3_dot(over->start, axis), y = tp_vec3_dot(over->turn, axis), slope, from = 0.0;
    if (hypot(x, y) < tp_parallel_sine) {
        try_parallel(search, over, own);
        return;
    }
    /* Where m is perpendicular to the axis the side touches, and the near end changes. */
    double change = atan2(-x, y);
    while (change <= 0.0) change += 0.5 * full_turn;
    for (; change <= over->length; change += 0.5 * full_turn) { /* a circle begins where it ends */
        try_out(search, arc_gap(over, search->cylinder, change, 0.0, &slope),
                tp_vec3_normalise(arc_at(over, change)), own, (tp_feature){TP_FEATURE_SIDE, 0});
        try_stretch(search, over, own, from, change);
        from = change;
    }
    try_stretch(search, over, own, from, over->length);
}

/* All directions across a line. */
static arc around(tp_vec3 direction, tp_vec3 point, double thickness)
{
    tp_mat3 frame = tp_frame_from_normal(direction);
    return (arc){frame.cy, frame.cz, point, full_turn, thickness};
}

static void try_edge(const round_search *search, int k)
{
    const tp_convex *other = search->other;
    const tp_hull_edge *edge = &other->edge[k];
    tp_vec3 direction = tp_convex_edge_direction(other, k), from = other->vertex[edge->from];
    arc over = around(direction, from, 0.0);
    if (edge->left >= 0) {
        tp_vec3 left = other->normal[edge->left], right = other->normal[edge->right];
        over.start = right;
        over.turn = tp_vec3_cross(right, direction); /* from right to left, about the edge */
        over.length = atan2(tp_vec3_dot(left, over.turn), tp_vec3_dot(left, right));
        if (!(over.length > 0.0)) return;
    }
    try_arc(search, &over, (tp_feature){TP_FEATURE_EDGE, k});
}

/* ---- two rims ---- */

/* (24): the separation of two cylinders along n, its gradient and second derivative on the unit sphere. */
typedef struct rim_value {
    double gap, slope[2], second[3];
    tp_vec3 t[2];
} rim_value;

static void add_rim(const tp_convex *round, double radius, tp_vec3 n, double side, rim_value *value,
                    tp_vec3 *gradient)
{
    tp_vec3 axis = round->R.cz;
    double along = tp_vec3_dot(n, axis), sign = along < 0.0 ? -1.0 : 1.0;
    tp_vec3 level = tp_vec3_add_scaled(n, -along, axis);
    double across = tp_vec3_norm(level);
    tp_vec3 e = across > 0.0 ? tp_vec3_scale(1.0 / across, level) : tp_vec3_zero(),
            f = tp_vec3_cross(axis, e);
    value->gap += -side * tp_vec3_dot(n, round->centre) - radius * across - round->half_length * sign * along;
    *gradient = tp_vec3_add_scaled(*gradient, -side, round->centre);
    *gradient = tp_vec3_add_scaled(*gradient, -radius, e);
    *gradient = tp_vec3_add_scaled(*gradient, -round->half_length * sign, axis);
    double bend = across > 0.0 ? radius / across : 0.0;
    double f0 = tp_vec3_dot(f, value->t[0]), f1 = tp_vec3_dot(f, value->t[1]);
    value->second[0] -= bend * f0 * f0;
    value->second[1] -= bend * f0 * f1;
    value->second[2] -= bend * f1 * f1;
}

/* With radii for those of the cylinders. */
static rim_value rims_of(const tp_convex *a, double radius_a, const tp_convex *b, double radius_b, tp_vec3 n)
{
    tp_mat3 frame = tp_frame_from_normal(n);
    rim_value value = {.t = {frame.cy, frame.cz}};
    tp_vec3 gradient = tp_vec3_zero();
    add_rim(a, radius_a, n, 1.0, &value, &gradient);
    add_rim(b, radius_b, n, -1.0, &value, &gradient);
    double along = tp_vec3_dot(gradient, n);
    value.second[0] -= along;
    value.second[2] -= along;
    for (int k = 0; k < 2; k++) value.slope[k] = tp_vec3_dot(gradient, value.t[k]);
    return value;
}

static rim_value rims_at(const tp_convex *a, const tp_convex *b, tp_vec3 n)
{
    return rims_of(a, a->radius, b, b->radius, n);
}

/* The step along one axis of the second derivative: to the summit of the parabola where it is a hill, as far
   up where it is a valley, and never longer than half a radian. */
static double climb_along(double slope, double curvature)
{
    const double longest = 0.5;
    if (slope == 0.0) return 0.0;
    return slope / fmax(fabs(curvature), fabs(slope) / longest);
}

/* Uphill step along the axes of the second derivative. Steps along the slope itself, as long as it is, took
   hundreds of steps on ridges: where rims touch at a steep angle, with nearly parallel tangents. */
static tp_vec2 uphill(const rim_value *value)
{
    double mean = 0.5 * (value->second[0] + value->second[2]),
           half = 0.5 * (value->second[0] - value->second[2]), spread = hypot(half, value->second[1]),
           angle = 0.5 * atan2(value->second[1], half), c = cos(angle), s = sin(angle),
           along = climb_along(c * value->slope[0] + s * value->slope[1], mean + spread),
           across = climb_along(c * value->slope[1] - s * value->slope[0], mean - spread);
    return tp_vec2_make(c * along - s * across, s * along + c * across);
}

static void climb(const tp_convex *a, const tp_convex *b, tp_vec3 n, double margin, tp_separation *best)
{
    enum {
        ITERATIONS = 30,
        HALVINGS = 20
    }; /* near a cap ridges are narrow; at a side or a cap no step goes up */
    const double flat = tp_flat_slope * (a->size + b->size);
    rim_value value = rims_at(a, b, n);
    for (int i = 0; i < ITERATIONS && hypot(value.slope[0], value.slope[1]) > flat; i++) {
        tp_vec2 step = uphill(&value);
        rim_value next = value;
        tp_vec3 to = n;
        int halvings = 0;
        for (; halvings < HALVINGS; halvings++) {
            to = tp_vec3_normalise(
                tp_vec3_add_scaled(tp_vec3_add_scaled(n, step.x, value.t[0]), step.y, value.t[1]));
            next = rims_at(a, b, to);
            if (next.gap > value.gap || hypot(next.slope[0], next.slope[1]) <= flat) break;
            step = tp_vec2_scale(0.5, step);
        }
        if (halvings == HALVINGS) break;
        n = to;
        value = next;
    }
    tp_vec2 left = uphill(&value);
    if (value.slope[0] * left.x + value.slope[1] * left.y > tp_missed_summit * (a->size + b->size))
        return; /* at a side or a cap, which are tried */
    tp_try_direction(value.gap, n, (tp_feature){TP_FEATURE_RIM, tp_vec3_dot(n, a->R.cz) < 0.0 ? -1 : 1},
                     (tp_feature){TP_FEATURE_RIM, tp_vec3_dot(n, b->R.cz) < 0.0 ? 1 : -1}, margin, best);
}

/* A summit beside the normal of a cap, at which the separation has a spike of slope r: climbs from elsewhere
   end there. The way up leads off the spike where the slope of all else is greater; (24a). */
static void climb_off_cap(const tp_convex *a, const tp_convex *b, bool is_of_b, double margin,
                          tp_separation *best)
{
    const tp_convex *own = is_of_b ? b : a;
    tp_vec3 apart = tp_vec3_sub(b->centre, a->centre), axis = own->R.cz,
            n = tp_vec3_dot(apart, axis) < 0.0 ? tp_vec3_negate(axis) : axis;
    rim_value value = rims_of(a, is_of_b ? a->radius : 0.0, b, is_of_b ? 0.0 : b->radius, n);
    double slope = hypot(value.slope[0], value.slope[1]);
    if (!(slope > own->radius)) return; /* the summit is the cap, which is tried */
    double c = value.slope[0] / slope, s = value.slope[1] / slope,
           bend = c * c * value.second[0] + 2.0 * c * s * value.second[1] + s * s * value.second[2],
           angle = climb_along(slope - own->radius, bend);
    tp_vec3 way = tp_vec3_add(tp_vec3_scale(c, value.t[0]), tp_vec3_scale(s, value.t[1]));
    climb(a, b, tp_vec3_normalise(tp_vec3_add_scaled(n, angle, way)), margin, best);
}

/* From the best direction so far, off the caps, and from the best of a lattice for each choice of ends. */
static void try_rims(const tp_convex *a, const tp_convex *b, double margin, tp_separation *best)
{
    tp_vec3 start[4];
    double start_gap[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 125; k++) {
        tp_vec3 n = tp_vec3_make(k % 5 - 2.0, k / 5 % 5 - 2.0, k / 25 - 2.0);
        if (k == 62) continue; /* zero */
        n = tp_vec3_normalise(tp_mat3_apply(a->R, n));
        int ends = (tp_vec3_dot(n, a->R.cz) < 0.0) + 2 * (tp_vec3_dot(n, b->R.cz) < 0.0);
        double gap = rims_at(a, b, n).gap;
        if (!(gap > start_gap[ends])) continue;
        start_gap[ends] = gap;
        start[ends] = n;
    }
    climb(a, b, best->normal, margin, best);
    climb_off_cap(a, b, false, margin, best);
    climb_off_cap(a, b, true, margin, best);
    for (int k = 0; k < 4; k++)
        if (isfinite(start_gap[k])) climb(a, b, start[k], margin, best);
}

void tp_separate_round(const tp_convex *a, const tp_convex *b, double margin, tp_separation *best)
{
    round_search search = {b, a, true, margin, best};
    if (b->is_cylinder) search = (round_search){a, b, false, margin, best};
    if (a->is_cylinder && b->is_cylinder) {
        arc over = around(a->R.cz, a->centre, a->radius);
        try_arc(&search, &over, (tp_feature){TP_FEATURE_SIDE, 0});
        search = (round_search){b, a, true, margin, best};
        over = around(b->R.cz, b->centre, b->radius);
        try_arc(&search, &over, (tp_feature){TP_FEATURE_SIDE, 0});
        try_rims(a, b, margin, best);
        return;
    }
    for (int k = 0; k < search.other->edge_count; k++) try_edge(&search, k);
    for (int k = 0; k < search.other->vertex_count; k++) try_vertex(&search, k);
}
