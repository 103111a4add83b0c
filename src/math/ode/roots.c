/* Roots of functions along the dense output of a step; docs/theory/ode.md (15)-(17). */
#include "math/tolerances.h"
#include "methods.h"

#include <float.h>
#include <math.h>

typedef struct search {
    const tp_ode *ode;
    const tp_root_functions *functions;
    double *value; /* [count] work */
    double *y;     /* [n] work */
    tp_root *roots;
    int capacity, count;
} search;

static double value_at(search *s, int function, double t)
{
    tp_ode_dense(s->ode, t, s->y);
    s->functions->values(s->functions->context, t, s->y, s->value);
    return s->value[function];
}

/* Keeps the roots sorted by time, then by function; drops the last one where there are too many, and those
   that two neighbouring triples of samples have both found. */
static void add(search *s, int function, tp_root_kind kind, double time)
{
    double same = tp_same_root * (s->ode->report.end - s->ode->report.begin);
    for (int k = 0; k < s->count; k++) {
        const tp_root *r = &s->roots[k];
        if (r->function == function && r->kind == kind && fabs(r->time - time) <= same) return;
    }
    int at = s->count < s->capacity ? s->count : s->capacity - 1;
    bool is_late = s->count == s->capacity && s->roots[at].time <= time;
    if (is_late) return;
    while (at > 0 && s->roots[at - 1].time > time) {
        s->roots[at] = s->roots[at - 1];
        at--;
    }
    s->roots[at] = (tp_root){function, kind, time};
    if (s->count < s->capacity) s->count++;
}

/* Regula falsi with halved values at an end that stays (Illinois), to the rounding of time. The first point
   at which the function has the sign of its end. */
static double bisect(search *s, int function, double begin, double at_begin, double end, double at_end)
{
    double rounding = 4.0 * DBL_EPSILON * fmax(fabs(end), end - s->ode->report.begin);
    int side = 0;
    for (int k = 0; k < 200 && end - begin > rounding; k++) {
        double t = begin + (end - begin) * (at_begin / (at_begin - at_end));
        if (!(t > begin && t < end) || k % 8 == 7) t = 0.5 * (begin + end);
        t = fmin(fmax(t, begin + 0.5 * rounding), end - 0.5 * rounding);
        double v = value_at(s, function, t);
        if (v == 0.0) return t;
        if ((v > 0.0) == (at_end > 0.0)) {
            end = t, at_end = v;
            if (side == 1) at_begin *= 0.5;
            side = 1;
        } else {
            begin = t, at_begin = v;
            if (side == -1) at_end *= 0.5;
            side = -1;
        }
    }
    return end;
}

/* The extremum towards 0 of a function in (begin, end), by golden sections. */
static double extremum(search *s, int function, double begin, double end, double sign, double *value_out)
{
    const double share = 0.38196601125010515;
    double a = begin + share * (end - begin), b = end - share * (end - begin);
    double at_a = sign * value_at(s, function, a), at_b = sign * value_at(s, function, b);
    /* of a short step, times that can still be told apart */
    double precision =
        fmax(tp_extremum_precision * (end - begin), 4.0 * DBL_EPSILON * fmax(fabs(begin), fabs(end)));
    while (end - begin > precision && at_a > 0.0 && at_b > 0.0) {
        if (at_a < at_b) {
            end = b, b = a, at_b = at_a;
            a = begin + share * (end - begin);
            at_a = sign * value_at(s, function, a);
        } else {
            begin = a, a = b, at_a = at_b;
            b = end - share * (end - begin);
            at_b = sign * value_at(s, function, b);
        }
    }
    *value_out = sign * fmin(at_a, at_b);
    return at_a < at_b ? a : b;
}

/* Three samples of one sign whose parabola has its vertex nearer to 0 than they are, not too far from the
   middle one: a touch, or two crossings, or nothing. */
static void look_between(search *s, int function, const double *time, const double *value, bool is_first,
                         bool is_last)
{
    double sign = value[1] > 0.0 ? 1.0 : -1.0, at_touch = 0.0;
    double graze = s->functions->graze ? s->functions->graze[function] : 0.0;
    double bend = sign * (value[0] - 2.0 * value[1] + value[2]), slope = 0.5 * sign * (value[2] - value[0]);
    if (!(bend > 0.0)) return;
    double vertex = -slope / bend; /* in sample distances from the middle; neighbours see the others */
    if (vertex < (is_first ? -1.0 : -0.75) || vertex > (is_last ? 1.0 : 0.75)) return;
    if (sign * value[1] - 0.5 * slope * slope / bend > graze + bend) return;

    double t = extremum(s, function, time[0], time[2], sign, &at_touch);
    if (sign * at_touch < -graze) {
        bool is_falling = sign > 0.0;
        add(s, function, is_falling ? TP_ROOT_FALLING : TP_ROOT_RISING,
            bisect(s, function, time[0], value[0], t, at_touch));
        add(s, function, is_falling ? TP_ROOT_RISING : TP_ROOT_FALLING,
            bisect(s, function, t, at_touch, time[2], value[2]));
    } else if (sign * at_touch <= graze) {
        add(s, function, TP_ROOT_GRAZING, t);
    }
}

static bool have_one_sign(double a, double b)
{
    return (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0);
}

static void scan(search *s, int function, const double *time, const double *value /* [samples] */)
{
    const int last = TP_ROOT_SAMPLES - 1;
    for (int k = 0; k < last; k++) {
        double from = value[k], to = value[k + 1];
        bool has_third = k + 2 <= last;
        if (from == 0.0) continue; /* a root at the start of an interval ended the one before */
        tp_root_kind crossing = from > 0.0 ? TP_ROOT_FALLING : TP_ROOT_RISING;
        if (to == 0.0) {
            bool is_touch = has_third && have_one_sign(from, value[k + 2]);
            add(s, function, is_touch ? TP_ROOT_GRAZING : crossing, time[k + 1]);
        } else if (!have_one_sign(from, to)) {
            add(s, function, crossing, bisect(s, function, time[k], from, time[k + 1], to));
        } else if (has_third && have_one_sign(to, value[k + 2])) {
            look_between(s, function, time + k, value + k, k == 0, k + 2 == last);
        }
    }
}

int tp_ode_find_roots(const tp_ode *ode, const tp_root_functions *functions, double *work, int capacity,
                      tp_root *roots_out)
{
    int count = functions->count;
    double *samples = work + count, time[TP_ROOT_SAMPLES];
    search s = {.ode = ode,
                .functions = functions,
                .value = work,
                .y = samples + TP_ROOT_SAMPLES * count + count,
                .roots = roots_out,
                .capacity = capacity};
    if (capacity < 1 || !ode->has_dense) return 0;
    const tp_ode_report *step = &ode->report;
    for (int k = 0; k < TP_ROOT_SAMPLES; k++) {
        time[k] = k == TP_ROOT_SAMPLES - 1
                      ? step->end
                      : step->begin + (step->end - step->begin) * k / (TP_ROOT_SAMPLES - 1);
        value_at(&s, 0, time[k]);
        for (int f = 0; f < count; f++) samples[f * TP_ROOT_SAMPLES + k] = work[f];
    }
    for (int f = 0; f < count; f++) scan(&s, f, time, samples + f * TP_ROOT_SAMPLES);
    return s.count;
}
