/* Integration of ordinary differential equations: steps and their control; docs/theory/ode.md (5)-(8). */
#include "math/tolerances.h"
#include "methods.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const tp_ode_kind *const kinds[] = {[TP_ODE_DORMAND_PRINCE] = &tp_ode_dormand_prince,
                                           [TP_ODE_DORMAND_PRINCE_8] = &tp_ode_dormand_prince_8,
                                           [TP_ODE_RK4] = &tp_ode_rk4,
                                           [TP_ODE_RADAU] = &tp_ode_radau};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const double tp_ode_stiff = 2.5;

enum {
    MEMORY = 7
}; /* numbers besides the parts of the dense output, where the next step starts from those */

tp_ode_options tp_ode_options_default(tp_ode_method method)
{
    tp_ode_options options = {
        .method = method, .rtol = 1e-6, .atol = 1e-6, .safety = 0.9, .shrink = 0.2, .grow = 5.0};
    if (method == TP_ODE_RADAU) options.grow = 8.0;
    return options;
}

static tp_status check(const tp_ode_equations *e, const tp_ode_options *o, tp_message *why)
{
    bool is_fixed = o->fixed_step > 0.0;
    if (e->n < 1 || !e->rate) return tp_fail(why, TP_INVALID_ARGUMENT, "an ODE needs n >= 1 and a rate");
    if ((int)o->method < 0 || (int)o->method >= KINDS) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "method %d does not exist", (int)o->method);
    }
    if (!(o->fixed_step >= 0.0 && o->first_step >= 0.0 && o->max_step >= 0.0)) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "step sizes must not be negative");
    }
    if (!is_fixed && kinds[o->method]->estimate_order == 0) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "method %s needs a fixed step", kinds[o->method]->name);
    }
    if (!is_fixed && !(o->rtol >= 10.0 * DBL_EPSILON && (o->atol_of || o->atol > 0.0))) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "rtol must be at least %.1e and atol positive",
                       10.0 * DBL_EPSILON);
    }
    if (!is_fixed && !(o->safety > 0.0 && o->safety < 1.0 && o->shrink > 0.0 && o->shrink < 1.0 &&
                       o->grow > 1.0 && o->damping >= 0.0 && o->damping < 0.2)) {
        return tp_fail(why, TP_INVALID_ARGUMENT,
                       "step control needs 0 < safety < 1, 0 < shrink < 1, grow > 1, 0 <= damping < 0.2");
    }
    if (o->method == TP_ODE_RADAU && ((!e->jacobian && !e->pencil) || !e->pattern || e->stage)) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "method radau needs a Jacobian and moves no stages");
    }
    return TP_OK;
}

/* `count` vectors of length n. */
static double **vectors(tp_arena *arena, int count, int n)
{
    double **list = TP_ARENA_ARRAY(arena, double *, count + 1);
    double *values = TP_ARENA_ARRAY(arena, double, (size_t)count *(size_t)n + 1);
    if (!list || !values) return NULL;
    for (int k = 0; k < count; k++) list[k] = values + (size_t)k * (size_t)n;
    return list;
}

tp_status tp_ode_create(const tp_allocator *allocator, const tp_ode_equations *equations,
                        const tp_ode_options *options, tp_ode **ode_out, tp_message *why)
{
    *ode_out = NULL;
    TP_TRY(check(equations, options, why));
    tp_ode *ode = TP_ARENA_OBJECT(tp_ode, allocator);
    if (!ode) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for an ODE of size %d", equations->n);
    ode->allocator = allocator;
    ode->equations = *equations;
    ode->options = *options;
    ode->kind = kinds[options->method];
    TP_ARENA_DOUBLES(&ode->arena, equations->n, &ode->y, &ode->rate, &ode->next, &ode->next_rate,
                     &ode->before, &ode->before_rate);
    ode->part = vectors(&ode->arena, ode->kind->parts, equations->n);
    ode->stage = vectors(&ode->arena, ode->kind->stages, equations->n);
    tp_status status = tp_arena_status(&ode->arena);
    if (status == TP_OK && ode->kind->prepare) status = ode->kind->prepare(ode);
    ode->equations.pattern = NULL; /* borrowed until here */
    if (status != TP_OK) {
        tp_ode_free(ode);
        return tp_fail(why, status, "an ODE of size %d: %s", equations->n, tp_status_text(status));
    }
    *ode_out = ode;
    return TP_OK;
}

void tp_ode_free(tp_ode *ode)
{
    if (!ode) return;
    if (ode->kind->release) ode->kind->release(ode);
    tp_arena_clear(&ode->arena);
}

tp_status tp_ode_rate_at(tp_ode *ode, double t, const double *y, double *rate_out)
{
    ode->counts.rates++;
    return ode->equations.rate(ode->equations.context, t, y, rate_out);
}

tp_status tp_ode_move(tp_ode *ode, bool is_result, double t, double *y)
{
    const tp_ode_equations *e = &ode->equations;
    if (is_result && e->result) {
        ode->counts.results++;
        return e->result(e->context, t, y);
    }
    if (!e->stage) return TP_OK;
    ode->counts.stages++;
    return e->stage(e->context, t, y);
}

double tp_ode_norm(const tp_ode *ode, const double *a, const double *b, const double *other)
{
    const tp_ode_options *o = &ode->options;
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < ode->equations.n; i++) {
        double absolute = o->atol_of ? o->atol_of[i] : o->atol;
        if (isinf(absolute)) continue;
        double scale = absolute + o->rtol * fmax(fabs(ode->y[i]), fabs(other[i]));
        double e = (a[i] - (b ? b[i] : 0.0)) / scale;
        sum += e * e;
        count++;
    }
    return count > 0 ? sqrt(sum / count) : 0.0;
}

static size_t bytes_of(const tp_ode *ode)
{
    return (size_t)ode->equations.n * sizeof(double);
}

tp_status tp_ode_start(tp_ode *ode, double t, const double *y)
{
    ode->t = t;
    ode->step = ode->options.fixed_step > 0.0 ? ode->options.fixed_step : ode->options.first_step;
    ode->last_error = tp_ode_least_error;
    ode->contraction = 1.0;
    ode->was_rejected = ode->has_dense = false;
    ode->report = (tp_ode_report){.begin = t, .end = t};
    return tp_ode_replace(ode, y);
}

tp_status tp_ode_replace(tp_ode *ode, const double *y)
{
    memmove(ode->y, y, bytes_of(ode));
    return tp_ode_rate_at(ode, ode->t, ode->y, ode->rate);
}

/* A first step whose explicit Euler error is a hundredth of the tolerance, as far as the curvature of the
   solution can be seen from one more evaluation. */
static tp_status estimate_first_step(tp_ode *ode, double room)
{
    int n = ode->equations.n;
    double d0 = tp_ode_norm(ode, ode->y, NULL, ode->y), d1 = tp_ode_norm(ode, ode->rate, NULL, ode->y);
    double h = d0 < tp_ode_nothing || d1 < tp_ode_nothing ? tp_smallest_trial : tp_trial_share * d0 / d1;
    h = fmin(h, room);
    if (ode->options.max_step > 0.0) h = fmin(h, ode->options.max_step);
    for (int i = 0; i < n; i++) ode->next[i] = ode->y[i] + h * ode->rate[i];
    if (tp_ode_rate_at(ode, ode->t + h, ode->next, ode->next_rate) == TP_OK) {
        double d2 = tp_ode_norm(ode, ode->next_rate, ode->rate, ode->y) / h, steepest = fmax(d1, d2);
        double wanted = steepest <= 1e-15
                            ? fmax(tp_smallest_trial, 1e-3 * h)
                            : pow(tp_trial_share / steepest, 1.0 / (ode->kind->estimate_order + 1));
        h = fmin(tp_most_above_trial * h, wanted);
    }
    ode->step =
        fmax(h, tp_first_above_shortest * tp_shortest_ode_step * fabs(ode->t)); /* y of rounding alone */
    return TP_OK;
}

/* Ratio of the next step to this one. */
static double step_ratio(const tp_ode *ode, double error)
{
    const tp_ode_options *o = &ode->options;
    double order = ode->kind->estimate_order + 1.0;
    if (error == 0.0) return o->grow;
    double ratio = error <= 1.0 && o->damping > 0.0 ? o->safety * pow(ode->last_error, o->damping) *
                                                          pow(error, 0.75 * o->damping - 1.0 / order)
                                                    : o->safety * pow(error, -1.0 / order);
    double most = ode->was_rejected || error > 1.0 ? 1.0 : o->grow;
    return fmin(most, fmax(o->shrink, ratio));
}

static void swap(double **x, double **y)
{
    double *z = *x;
    *x = *y;
    *y = z;
}

/* Makes the attempt the present point. */
static tp_status accept(tp_ode *ode, double end, double error)
{
    double begin = ode->t;
    ode->t = end;
    swap(&ode->before, &ode->y); /* before: start of the step, y: free */
    swap(&ode->before_rate, &ode->rate);
    swap(&ode->y, &ode->next);
    if (ode->knows_next_rate) {
        swap(&ode->rate, &ode->next_rate);
    } else {
        tp_status status = tp_ode_rate_at(ode, end, ode->y, ode->rate);
        if (status != TP_OK) { /* no way on from there: the point stays where it was */
            ode->t = begin;
            swap(&ode->y, &ode->next);
            swap(&ode->before_rate, &ode->rate);
            swap(&ode->before, &ode->y);
            return status;
        }
    }
    ode->has_dense = true;
    ode->is_complete = ode->kind->complete == NULL;
    ode->report = (tp_ode_report){.begin = begin, .end = end, .error = error, .stiffness = ode->stiffness};
    return TP_OK;
}

static bool is_fatal(tp_status status)
{
    return status == TP_OUT_OF_MEMORY || status == TP_INTERRUPTED;
}

tp_status tp_ode_step(tp_ode *ode, double limit)
{
    const tp_ode_options *o = &ode->options;
    double room = limit - ode->t;
    if (!(room > 0.0)) return TP_INVALID_ARGUMENT;
    if (ode->step == 0.0) TP_TRY(estimate_first_step(ode, room));
    tp_status failed = TP_NOT_CONVERGED;
    for (int tries = 0;; tries++) {
        double h = o->max_step > 0.0 ? fmin(ode->step, o->max_step) : ode->step, error = 0.0;
        bool ends = h >= room * (1.0 - tp_ode_leftover);
        if (ends) h = room;
        bool is_rest = ends && tries == 0; /* a way this short was asked for */
        if (!is_rest && h <= tp_shortest_ode_step * fabs(ode->t)) return failed;

        tp_status status = ode->kind->attempt(ode, h, &error);
        if (status == TP_OK && !isfinite(error)) status = TP_NOT_CONVERGED;
        bool is_good = status == TP_OK && error <= 1.0;
        if (is_good) {
            double ratio = o->fixed_step > 0.0 ? 1.0 : step_ratio(ode, error);
            status = accept(ode, ends ? limit : ode->t + h, error);
            if (status == TP_OK) {
                if (o->fixed_step == 0.0) {
                    ode->step = ends ? fmax(ratio * h, ode->step) : ratio * h;
                    ode->last_error = fmax(error, tp_ode_least_error);
                }
                ode->was_rejected = false;
                ode->report.rejections = tries;
                ode->reached = ode->t;
                ode->counts.accepted++;
                return TP_OK;
            }
        }
        if (is_fatal(status) || o->fixed_step > 0.0) return status;
        if (status != TP_OK) failed = status;
        ode->counts.failures += status != TP_OK;
        ode->counts.rejected += status == TP_OK;
        ode->step = status == TP_OK ? h * step_ratio(ode, error) : 0.5 * h;
        ode->was_rejected = true;
    }
}

tp_status tp_ode_shorten(tp_ode *ode, double t)
{
    double begin = ode->report.begin, error = 0.0, kept_error = ode->report.error, end = ode->t;
    int rejections = ode->report.rejections;
    if (!ode->has_dense || !(t > begin && t <= ode->reached)) return TP_INVALID_ARGUMENT;
    swap(&ode->before, &ode->y);
    swap(&ode->before_rate, &ode->rate);
    ode->t = begin;
    tp_status status = ode->kind->attempt(ode, t - begin, &error);
    if (status == TP_OK) status = accept(ode, t, kept_error);
    if (status != TP_OK) { /* back to the end of the step */
        swap(&ode->before, &ode->y);
        swap(&ode->before_rate, &ode->rate);
        ode->t = end;
        return status;
    }
    ode->report.rejections = rejections;
    return TP_OK;
}

double tp_ode_time(const tp_ode *ode)
{
    return ode->t;
}

const double *tp_ode_state(const tp_ode *ode)
{
    return ode->y;
}

const double *tp_ode_rate(const tp_ode *ode)
{
    return ode->rate;
}

double tp_ode_next_step(const tp_ode *ode)
{
    return ode->step;
}

const tp_ode_report *tp_ode_last_step(const tp_ode *ode)
{
    return &ode->report;
}

const tp_ode_statistics *tp_ode_counts(const tp_ode *ode)
{
    return &ode->counts;
}

tp_status tp_ode_complete(tp_ode *ode)
{
    if (!ode->has_dense || ode->is_complete) return TP_OK;
    TP_TRY(ode->kind->complete(ode));
    ode->is_complete = true;
    return TP_OK;
}

void tp_ode_add_stages(const tp_ode *ode, const double *weight, int count, double *out)
{
    memset(out, 0, bytes_of(ode));
    for (int s = 0; s < count; s++) {
        if (weight[s] == 0.0) continue;
        for (int i = 0; i < ode->equations.n; i++) out[i] += weight[s] * ode->stage[s][i];
    }
}

void tp_ode_place(const tp_ode *ode, const tp_ode_tableau *tableau, const double *from, double h, int s,
                  double *out)
{
    tp_ode_add_stages(ode, tableau->a + s * tableau->width, s, out);
    for (int i = 0; i < ode->equations.n; i++) out[i] = from[i] + h * out[i];
}

tp_status tp_ode_find_stages(tp_ode *ode, const tp_ode_tableau *tableau, double t, const double *from,
                             double h, int first, int end)
{
    for (int s = first; s < end; s++) {
        double at = t + tableau->c[s] * h;
        tp_ode_place(ode, tableau, from, h, s, ode->next);
        TP_TRY(tp_ode_move(ode, false, at, ode->next));
        TP_TRY(tp_ode_rate_at(ode, at, ode->next, ode->stage[s]));
    }
    return TP_OK;
}

void tp_ode_set_cubic(tp_ode *ode, double h, const double *from, const double *to, const double *rate,
                      const double *end_rate)
{
    for (int i = 0; i < ode->equations.n; i++) {
        double rise = to[i] - from[i], first = h * rate[i] - rise;
        ode->part[0][i] = from[i];
        ode->part[1][i] = rise;
        ode->part[2][i] = first;
        ode->part[3][i] = rise - h * end_rate[i] - first;
    }
}

void tp_ode_dense_nested(const tp_ode *ode, double theta, double *y_out)
{
    const double factor[] = {theta, 1.0 - theta};
    int last = ode->kind->parts - 1;
    for (int i = 0; i < ode->equations.n; i++) {
        y_out[i] = ode->part[last][i];
        for (int k = last - 1; k >= 0; k--) y_out[i] = ode->part[k][i] + factor[k % 2] * y_out[i];
    }
}

void tp_ode_dense(const tp_ode *ode, double t, double *y_out)
{
    const tp_ode_report *step = &ode->report;
    if (!ode->has_dense || t == step->end) {
        memcpy(y_out, ode->y, bytes_of(ode));
    } else {
        assert(ode->is_complete);
        ode->kind->dense(ode, (t - step->begin) / (step->end - step->begin), y_out);
    }
}

static int remembered_parts(const tp_ode_kind *kind)
{
    return kind->steps_from_parts ? kind->parts : 0;
}

int tp_ode_memory_count(tp_ode_method method, int n)
{
    return MEMORY + remembered_parts(kinds[method]) * n;
}

void tp_ode_memory(const tp_ode *ode, double *memory_out)
{
    const double own[MEMORY] = {ode->step,         ode->last_error, ode->was_rejected, ode->has_dense,
                                ode->report.begin, ode->report.end, ode->contraction};
    size_t part_bytes = (size_t)remembered_parts(ode->kind) * bytes_of(ode);
    memcpy(memory_out, own, sizeof own);
    if (ode->has_dense) /* else they are those of an earlier start, which nobody reads */
        memcpy(memory_out + MEMORY, ode->part[0], part_bytes);
    else
        memset(memory_out + MEMORY, 0, part_bytes);
}

tp_status tp_ode_resume(tp_ode *ode, double t, const double *y, const double *memory)
{
    int count = tp_ode_memory_count(ode->options.method, ode->equations.n);
    for (int i = 0; i < count; i++) {
        if (!isfinite(memory[i])) return TP_INVALID_DATA;
    }
    if (memory[0] < 0.0 || memory[1] < 0.0) return TP_INVALID_DATA;
    TP_TRY(tp_ode_start(ode, t, y));
    ode->step = memory[0];
    ode->last_error = memory[1];
    ode->was_rejected = memory[2] != 0.0;
    ode->contraction = memory[6];
    if (!ode->kind->steps_from_parts) return TP_OK;
    ode->has_dense = ode->is_complete = memory[3] != 0.0;
    ode->report = (tp_ode_report){.begin = memory[4], .end = memory[5]};
    memcpy(ode->part[0], memory + MEMORY, (size_t)ode->kind->parts * bytes_of(ode));
    return TP_OK;
}
