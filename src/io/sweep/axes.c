/* The values of a sweep: PATH=FROM:TO:COUNT[:log], PATH=A,B,C, and samples PATH=FROM:TO[:log]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/random.h"
#include "sweep.h"

static const long long points_max = 100000000;
enum { VALUES_MAX = 1000000 };

static tp_status fail_axis(const char *text, bool is_sample, tp_message *why)
{
    return tp_fail(why, TP_INVALID_ARGUMENT, "'%.200s': expected %s", text,
                   is_sample ? "PATH=FROM:TO or PATH=FROM:TO:log"
                             : "PATH=FROM:TO:COUNT, PATH=FROM:TO:COUNT:log or PATH=A,B,C");
}

static bool read_number(const char **at, double *value_out)
{
    char *end = NULL;
    *value_out = strtod(*at, &end);
    bool is_number = end != *at && isfinite(*value_out);
    *at = end;
    return is_number;
}

/* Reads ":log" at the end; false if something else is there. */
static bool read_log(const char *at, bool *is_log_out)
{
    *is_log_out = strcmp(at, ":log") == 0;
    return *at == '\0' || *is_log_out;
}

static bool read_list(tp_sweep_axis *axis, tp_arena *arena, const char *at)
{
    int count = 1;
    for (const char *c = at; *c; c++) count += *c == ',';
    axis->values = TP_ARENA_ARRAY(arena, double, count);
    for (; axis->values && axis->count < count; at++) {
        if (!read_number(&at, &axis->values[axis->count])) return false;
        axis->count++;
        if (*at != (axis->count < count ? ',' : '\0')) return false;
    }
    return axis->values != NULL;
}

static double between(double low, double high, double part, bool is_log)
{
    return is_log ? low * pow(high / low, part) : low + part * (high - low);
}

static bool read_range(tp_sweep_axis *axis, tp_arena *arena, const char *at, bool is_sample)
{
    double low, high, count = 2.0;
    if (!read_number(&at, &low) || *at++ != ':' || !read_number(&at, &high)) return false;
    if (!is_sample && (*at++ != ':' || !read_number(&at, &count))) return false;
    if (!read_log(at, &axis->is_log) || (axis->is_log && !(low > 0.0 && high > 0.0))) return false;
    if (!(count >= 2.0 && count <= VALUES_MAX && count == floor(count))) return false;
    axis->count = (int)count;
    axis->values = TP_ARENA_ARRAY(arena, double, axis->count);
    for (int k = 0; k < axis->count && axis->values; k++)
        axis->values[k] = k + 1 == axis->count ? high : between(low, high, k / (count - 1.0), axis->is_log);
    return axis->values != NULL;
}

/* A column is called by the last part of its path, or by the whole path if another has the same. */
static void name_axes(tp_sweep_axes *axes)
{
    for (int k = 0; k < axes->count; k++) {
        const char *dot = strrchr(axes->list[k].path, '.');
        axes->list[k].name = dot ? dot + 1 : axes->list[k].path;
    }
    for (int k = 0; k < axes->count; k++) {
        for (int j = 0; j < axes->count; j++) {
            if (j != k && strcmp(axes->list[j].name, axes->list[k].name) == 0)
                axes->list[k].name = axes->list[k].path;
        }
    }
}

static tp_status read_axis(tp_sweep_axis *axis, tp_arena *arena, const char *text, bool is_sample,
                           tp_message *why)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return fail_axis(text, is_sample, why);
    axis->path = tp_arena_format(arena, "%.*s", (int)(equals - text), text);
    if (!axis->path) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    bool is_range = strchr(equals, ':') != NULL;
    bool is_read = is_range ? read_range(axis, arena, equals + 1, is_sample)
                            : !is_sample && read_list(axis, arena, equals + 1);
    return is_read ? TP_OK : fail_axis(text, is_sample, why);
}

tp_status tp_sweep_axes_read(tp_sweep_axes *axes, tp_arena *arena, const tp_sweep_def *def, tp_message *why)
{
    if (def->vary_count < 1)
        return tp_fail(why, TP_INVALID_ARGUMENT,
                       "nothing is varied; expected PATH=FROM:TO:COUNT or PATH=A,B,C");
    axes->is_sample = def->sample_count > 0, axes->seed = def->seed;
    axes->list = TP_ARENA_ARRAY(arena, tp_sweep_axis, def->vary_count);
    if (!axes->list) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    axes->point_count = axes->is_sample ? def->sample_count : 1;
    for (axes->count = 0; axes->count < def->vary_count; axes->count++) {
        tp_sweep_axis *axis = &axes->list[axes->count];
        TP_TRY(read_axis(axis, arena, def->vary[axes->count], axes->is_sample, why));
        if (!axes->is_sample) axes->point_count *= axis->count;
        if (axes->point_count > points_max)
            return tp_fail(why, TP_INVALID_ARGUMENT, "more than %lld points", points_max);
    }
    name_axes(axes);
    return TP_OK;
}

double tp_sweep_value(const tp_sweep_axes *axes, long long point, int k)
{
    const tp_sweep_axis *axis = &axes->list[k];
    if (axes->is_sample) { /* of the point alone: the same in every shard */
        tp_random random = tp_random_begin(axes->seed);
        tp_random_mix(&random, point);
        tp_random_mix(&random, k);
        return between(axis->values[0], axis->values[1], tp_random_uniform(&random), axis->is_log);
    }
    for (int j = axes->count - 1; j > k; j--) point /= axes->list[j].count;
    return axis->values[point % axis->count];
}
