/* Curves: building, evaluation and the nearest point; docs/theory/joints.md (13). */
#include "curve.h"

#include "model/tolerances.h"

#include <float.h>

enum { SAMPLES = 256, SAMPLES_PER_SEGMENT = 8, MOST_POINTS = 100000 };

/* ---- evaluation ---- */

/* The segment that holds s: the last knot not above it. */
static int find_segment(const tp_curve *curve, double s)
{
    int low = 0, high = curve->knot_count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (curve->knots[middle] <= s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void evaluate_spline(const tp_curve *curve, double s, tp_vec3 *out)
{
    int i = find_segment(curve, s);
    double h = curve->knots[i + 1] - curve->knots[i];
    double u = (curve->knots[i + 1] - s) / h, v = (s - curve->knots[i]) / h;
    tp_vec3 p = curve->points[i], q = curve->points[i + 1];
    tp_vec3 m = curve->curvatures[i], n = curve->curvatures[i + 1];
    out[0] = tp_vec3_add_scaled(tp_vec3_scale(u, p), v, q);
    out[0] = tp_vec3_add_scaled(out[0], (u * u * u - u) * h * h / 6.0, m);
    out[0] = tp_vec3_add_scaled(out[0], (v * v * v - v) * h * h / 6.0, n);
    out[1] = tp_vec3_scale(1.0 / h, tp_vec3_sub(q, p));
    out[1] = tp_vec3_add_scaled(out[1], (1.0 - 3.0 * u * u) * h / 6.0, m);
    out[1] = tp_vec3_add_scaled(out[1], (3.0 * v * v - 1.0) * h / 6.0, n);
    out[2] = tp_vec3_add_scaled(tp_vec3_scale(u, m), v, n);
    out[3] = tp_vec3_scale(1.0 / h, tp_vec3_sub(n, m));
}

static void evaluate_inside(const tp_curve *curve, double s, tp_vec3 *out)
{
    if (curve->evaluate != NULL) {
        curve->evaluate(curve->self, s, out);
    } else {
        evaluate_spline(curve, s, out);
    }
}

static double wrap(const tp_curve *curve, double s)
{
    double period = curve->end - curve->begin, x = fmod(s - curve->begin, period);
    if (x < 0.0) x += period;
    return x < period ? curve->begin + x : curve->begin; /* a tiny negative x rounds to the period */
}

void tp_curve_evaluate(const tp_curve *curve, double s, tp_vec3 *derivatives_out)
{
    if (curve->is_closed) {
        evaluate_inside(curve, wrap(curve, s), derivatives_out);
        return;
    }
    double inside = fmin(fmax(s, curve->begin), curve->end);
    evaluate_inside(curve, inside, derivatives_out);
    if (inside != s) { /* straight on */
        derivatives_out[0] = tp_vec3_add_scaled(derivatives_out[0], s - inside, derivatives_out[1]);
        derivatives_out[2] = derivatives_out[3] = tp_vec3_zero();
    }
}

/* ---- nearest point ---- */

static double sample_step(const tp_curve *curve)
{
    int intervals = curve->is_closed ? curve->sample_count : curve->sample_count - 1;
    return (curve->end - curve->begin) / intervals;
}

static int nearest_sample(const tp_curve *curve, tp_vec3 y)
{
    int best = 0;
    double least = DBL_MAX;
    for (int i = 0; i < curve->sample_count; i++) {
        tp_vec3 d = tp_vec3_sub(y, curve->samples[i]);
        double square = tp_vec3_dot(d, d);
        if (square < least) {
            least = square;
            best = i;
        }
    }
    return best;
}

/* Newton on half of the squared distance, with bisection between low and high. */
static double refine(const tp_curve *curve, tp_vec3 y, double s, double low, double high)
{
    enum { MOST = 100 }; /* bisection alone ends after 60 halvings */
    double smallest = 4.0 * DBL_EPSILON * fmax(fabs(curve->begin), fabs(curve->end));
    for (int i = 0; i < MOST; i++) {
        tp_vec3 c[4];
        tp_curve_evaluate(curve, s, c);
        tp_vec3 d = tp_vec3_sub(c[0], y);
        double slope = tp_vec3_dot(d, c[1]), curvature = tp_vec3_dot(c[1], c[1]) + tp_vec3_dot(d, c[2]);
        /* A step this small is the last one, whatever rounding did to the bounds. */
        if (curvature > 0.0 && fabs(slope) <= smallest * curvature) return s - slope / curvature;
        if (slope > 0.0) {
            high = s;
        } else {
            low = s;
        }
        double next = curvature > 0.0 ? s - slope / curvature : low;
        s = next > low && next < high ? next : 0.5 * (low + high);
        if (high - low <= smallest) break;
    }
    return s;
}

static double square_distance(const tp_curve *curve, double s, tp_vec3 y)
{
    tp_vec3 c[4];
    tp_curve_evaluate(curve, s, c);
    tp_vec3 d = tp_vec3_sub(y, c[0]);
    return tp_vec3_dot(d, d);
}

/* The foot of y on the straight continuation from an end, if it lies beyond the end (outward: 1 or -1) and is
   nearer than s. */
static double nearer_beyond(const tp_curve *curve, tp_vec3 y, double s, double end, double outward)
{
    tp_vec3 c[4];
    tp_curve_evaluate(curve, end, c);
    double beyond = tp_vec3_dot(tp_vec3_sub(y, c[0]), c[1]) / tp_vec3_dot(c[1], c[1]);
    if (outward * beyond <= 0.0) return s;
    return square_distance(curve, end + beyond, y) <= square_distance(curve, s, y) ? end + beyond : s;
}

double tp_curve_nearest(const tp_curve *curve, tp_vec3 y)
{
    double step = sample_step(curve), s = curve->begin + nearest_sample(curve, y) * step;
    if (curve->is_closed) return wrap(curve, refine(curve, y, s, s - step, s + step));
    s = fmin(s, curve->end);
    s = refine(curve, y, s, fmax(s - step, curve->begin), fmin(s + step, curve->end));
    s = nearer_beyond(curve, y, s, curve->begin, -1.0);
    return nearer_beyond(curve, y, s, curve->end, 1.0);
}

/* ---- building ---- */

static tp_status check_points(const tp_curve_def *def, const char *who, tp_place place, tp_message *message)
{
    int least = def->is_closed ? 3 : 2;
    if (def->point_count < least || def->point_count > MOST_POINTS) {
        return tp_fail_at(message, TP_INVALID_DATA, place,
                          "joint '%s': the curve has %d points; %s curve needs between %d and %d", who,
                          def->point_count, def->is_closed ? "a closed" : "an open", least, MOST_POINTS);
    }
    for (int i = 0; i < def->point_count; i++) {
        if (tp_vec3_is_finite(def->points[i])) continue;
        return tp_fail_at(message, TP_INVALID_DATA, place, "joint '%s': point %d of the curve is not finite",
                          who, i + 1);
    }
    for (int i = 0; i < def->point_count; i++) {
        int next = i + 1 < def->point_count ? i + 1 : 0;
        if (next == 0 && !def->is_closed) break;
        if (!(tp_vec3_norm(tp_vec3_sub(def->points[next], def->points[i])) > 0.0)) {
            return tp_fail_at(message, TP_INVALID_DATA, place,
                              "joint '%s': points %d and %d of the curve are the same%s", who, i + 1,
                              next + 1, next == 0 ? "; a closed curve ends before its first point" : "");
        }
    }
    return TP_OK;
}

static tp_status check_range(const tp_curve_def *def, const char *who, tp_place place, tp_message *message)
{
    if (isfinite(def->begin) && isfinite(def->end) && def->begin < def->end) return TP_OK;
    return tp_fail_at(message, TP_INVALID_DATA, place,
                      "joint '%s': the curve's parameter runs from %g to %g; it must increase", who,
                      def->begin, def->end);
}

/* Samples and tangents; what the caller's functions return is checked here. */
static tp_status take_samples(tp_curve *curve, tp_vec3 *samples, tp_vec3 *tangents, const char *who,
                              tp_place place, tp_message *message)
{
    double step = sample_step(curve);
    tp_vec3 mean = tp_vec3_zero();
    for (int i = 0; i < curve->sample_count; i++) {
        double s = fmin(curve->begin + i * step, curve->end);
        tp_vec3 c[4];
        tp_curve_evaluate(curve, s, c);
        for (int k = 0; k < 4; k++) {
            if (tp_vec3_is_finite(c[k])) continue;
            return tp_fail_at(message, TP_INVALID_DATA, place,
                              "joint '%s': the curve or a derivative of it is not finite at s = %g", who, s);
        }
        if (!(tp_vec3_norm(c[1]) > 0.0)) {
            return tp_fail_at(message, TP_INVALID_DATA, place,
                              "joint '%s': the curve stands still at s = %g; its derivative must not vanish",
                              who, s);
        }
        samples[i] = c[0];
        tangents[i] = tp_vec3_normalise(c[1]);
        mean = tp_vec3_add_scaled(mean, 1.0 / curve->sample_count, c[0]);
    }
    for (int i = 0; i < curve->sample_count; i++) {
        curve->size = fmax(curve->size, tp_vec3_norm(tp_vec3_sub(samples[i], mean)));
    }
    curve->samples = samples;
    return TP_OK;
}

static tp_status check_closing(const tp_curve *curve, const char *who, tp_place place, tp_message *message)
{
    if (!curve->is_closed || curve->evaluate == NULL) return TP_OK;
    tp_vec3 first[4], last[4];
    curve->evaluate(curve->self, curve->begin, first);
    curve->evaluate(curve->self, curve->end, last);
    double gap = tp_vec3_norm(tp_vec3_sub(last[0], first[0]));
    double kink = tp_vec3_norm(tp_vec3_sub(last[1], first[1]));
    if (gap <= tp_closing_tolerance * curve->size && kink <= tp_closing_tolerance * tp_vec3_norm(first[1]))
        return TP_OK;
    return tp_fail_at(message, TP_INVALID_DATA, place,
                      "joint '%s': the curve is said to be closed, but its ends are %g m apart and their "
                      "derivatives differ by %g",
                      who, gap, kink);
}

/* The candidate whose smallest angle with all tangents is largest; (14). */
static tp_vec3 choose_reference(const tp_curve *curve, const tp_vec3 *tangents)
{
    static const tp_vec3 candidates[] = {{0, 0, 1},  {1, 0, 0},  {0, 1, 0}, {1, 1, 0},  {1, -1, 0},
                                         {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                         {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };
    tp_vec3 best = tp_vec3_zero();
    double largest = -1.0;
    for (int k = 0; k < CANDIDATES; k++) {
        tp_vec3 direction = tp_vec3_normalise(candidates[k]);
        double least = 1.0;
        for (int i = 0; i < curve->sample_count; i++) {
            least = fmin(least, tp_vec3_norm(tp_vec3_cross(direction, tangents[i])));
        }
        if (least > largest + 16.0 * DBL_EPSILON) { /* rounding does not decide between equals */
            largest = least;
            best = direction;
        }
    }
    return best;
}

static tp_status check_plane(const tp_curve *curve, const char *who, tp_place place, tp_message *message)
{
    for (int i = 0; i < curve->sample_count; i++) {
        if (fabs(curve->samples[i].z) <= tp_closing_tolerance * curve->size) continue;
        return tp_fail_at(
            message, TP_INVALID_DATA, place,
            "joint '%s': the curve of planar bodies must lie in the plane z = 0, but has z = %g", who,
            curve->samples[i].z);
    }
    return TP_OK;
}

tp_status tp_curve_create(tp_arena *arena, const tp_curve_def *def, bool is_planar, const char *who,
                          tp_place place, tp_message *message, const tp_curve **curve_out)
{
    if ((def->evaluate == NULL) == (def->points == NULL)) {
        return tp_fail_at(message, TP_INVALID_DATA, place,
                          "joint '%s': the curve needs either points or a function", who);
    }
    tp_curve *curve = TP_ARENA_ARRAY(arena, tp_curve, 1);
    if (curve == NULL) return TP_OUT_OF_MEMORY;
    curve->is_closed = def->is_closed;
    if (def->evaluate != NULL) {
        TP_TRY(check_range(def, who, place, message));
        curve->begin = def->begin;
        curve->end = def->end;
        curve->self = def->self;
        curve->evaluate = def->evaluate;
        curve->sample_count = SAMPLES;
    } else {
        TP_TRY(check_points(def, who, place, message));
        TP_TRY(tp_curve_fit(arena, def->points, def->point_count, curve));
        int wanted = SAMPLES_PER_SEGMENT * curve->knot_count;
        curve->sample_count = wanted > SAMPLES ? wanted : SAMPLES;
    }
    tp_vec3 *samples = TP_ARENA_ARRAY(arena, tp_vec3, curve->sample_count);
    tp_vec3 *tangents = TP_ARENA_ARRAY(arena, tp_vec3, curve->sample_count);
    if (samples == NULL || tangents == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(take_samples(curve, samples, tangents, who, place, message));
    TP_TRY(check_closing(curve, who, place, message));
    if (is_planar) TP_TRY(check_plane(curve, who, place, message));
    curve->reference = is_planar ? tp_vec3_make(0.0, 0.0, 1.0) : choose_reference(curve, tangents);
    *curve_out = curve;
    return TP_OK;
}
