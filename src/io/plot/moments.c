/* Rows of a run that are nearest to evenly spaced times. */
#include "moments.h"

#include <math.h>

#include "io/common/ascending.h"
#include "io/output/column_path.h"
#include "tippe/states.h"

static tp_status find_column(const tp_moments *m, const tp_name_index *names, const char *group,
                             const char *name, const double **values_out, tp_message *why)
{
    int column = tp_column_find(names, group, name, "");
    if (column < 0) {
        return tp_fail(why, TP_INVALID_ARGUMENT,
                       "the run has no column '%s/%.400s': drawing needs all coordinates and states of the "
                       "model",
                       group, name);
    }
    *values_out = m->trajectory->values[column];
    return TP_OK;
}

static tp_status find_coordinates(tp_moments *m, tp_arena *arena, tp_message *why)
{
    m->coordinate_count = tp_model_summarise(m->model).coordinate_count;
    m->state_count = tp_model_state_count(m->model);
    m->q_values = TP_ARENA_ARRAY(arena, const double *, m->coordinate_count + 1);
    m->x_values = TP_ARENA_ARRAY(arena, const double *, m->state_count + 1);
    m->q = TP_ARENA_ARRAY(arena, double, m->coordinate_count + 1);
    m->x = TP_ARENA_ARRAY(arena, double, m->state_count + 1);
    tp_name_index names;
    tp_status status = tp_column_index(arena, m->trajectory->columns, m->trajectory->column_count, &names);
    if (!m->q_values || !m->x_values || !m->q || !m->x || status != TP_OK)
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    for (int i = 0; i < m->coordinate_count; i++)
        TP_TRY(find_column(m, &names, "q", tp_model_coordinate_name(m->model, i), &m->q_values[i], why));
    for (int i = 0; i < m->state_count; i++)
        TP_TRY(find_column(m, &names, "x", tp_model_state_name(m->model, i), &m->x_values[i], why));
    return TP_OK;
}

/* The row whose time is nearest; times do not decrease. */
static long long nearest_row(const tp_trajectory *trajectory, double time)
{
    const double *times = trajectory->values[0];
    long long count = trajectory->row_count, later = tp_ascending_count(times, count, time);
    long long high = later < count ? later : count - 1, low = high > 0 ? high - 1 : 0;
    return fabs(times[high] - time) < fabs(times[low] - time) ? high : low;
}

static tp_status choose_rows(tp_moments *m, tp_arena *arena, const tp_picture_options *options,
                             tp_message *why)
{
    const tp_trajectory *trajectory = m->trajectory;
    int wanted = options->time_count > 0 ? options->time_count : options->frame_count;
    int most = m->most > 0 ? m->most : TP_PICTURE_FRAMES_MAX;
    if (wanted < 1 || wanted > most)
        return tp_fail(why, TP_INVALID_ARGUMENT, "%d moments: expected 1 to %d", wanted, most);
    if (trajectory->row_count < 1) return tp_fail(why, TP_INVALID_ARGUMENT, "the run has no rows");
    double begin = trajectory->values[0][0], end = trajectory->values[0][trajectory->row_count - 1];
    double from = isnan(options->from) ? begin : options->from;
    double until = isnan(options->until) ? end : options->until;
    if (!(from <= until) || from > end || until < begin) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "from %g to %g s: the run goes from %g to %g s", from, until,
                       begin, end);
    }
    from = fmax(from, begin);
    until = fmin(until, end);
    m->rows = TP_ARENA_ARRAY(arena, long long, wanted);
    if (!m->rows) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    for (int k = 0; k < wanted; k++) {
        double part = wanted > 1 ? (double)k / (wanted - 1) : 1.0, time = from + part * (until - from);
        if (options->time_count > 0) time = options->times[k];
        if (!(time >= begin && time <= end)) {
            return tp_fail(why, TP_INVALID_ARGUMENT, "a moment at %g s: the run goes from %g to %g s", time,
                           begin, end);
        }
        long long row = nearest_row(trajectory, time);
        if (m->count == 0 || row > m->rows[m->count - 1]) m->rows[m->count++] = row;
    }
    return TP_OK;
}

tp_status tp_moments_choose(tp_moments *m, tp_arena *arena, const tp_picture_options *options,
                            tp_message *why)
{
    if (tp_drawer_create(arena->allocator, m->model, &m->drawer) != TP_OK)
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    if (tp_drawer_count(m->drawer) == 0 && !m->may_be_empty) {
        return tp_fail(
            why, TP_INVALID_ARGUMENT,
            "nothing to draw: the model has no drawings (section `draw` of a scene) and no bodies");
    }
    if (m->trajectory == NULL) {
        m->rows = TP_ARENA_ARRAY(arena, long long, 1);
        m->count = 1;
        return m->rows ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    }
    TP_TRY(find_coordinates(m, arena, why));
    return choose_rows(m, arena, options, why);
}

void tp_moments_set(tp_moments *m, long long row)
{
    for (int i = 0; i < m->coordinate_count; i++) m->q[i] = m->q_values[i][row];
    for (int i = 0; i < m->state_count; i++) m->x[i] = m->x_values[i][row];
}

const tp_primitive *tp_moments_draw(tp_moments *m, long long row, int *count_out)
{
    double time = m->trajectory ? m->trajectory->values[0][row] : 0.0;
    tp_moments_set(m, row);
    return tp_drawer_draw(m->drawer, time, m->q, m->x, count_out);
}

double tp_moments_time(const tp_moments *m, int moment)
{
    return m->trajectory->values[0][m->rows[moment]];
}
