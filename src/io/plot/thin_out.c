/* Two stages in a row, both with constant memory: columns, then straight pieces. */
#include "thin_out.h"

#include <math.h>

void tp_reducer_begin(tp_reducer *reducer, double column_width, double tolerance, tp_dot_sink sink)
{
    *reducer = (tp_reducer){.column_width = column_width, .tolerance = tolerance, .sink = sink};
}

/* Distance from the piece between a and b, ends included: a point beyond an end counts, or turns would
 * vanish. */
static double distance(tp_dot p, tp_dot a, tp_dot b)
{
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double part = square > 0.0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0.0;
    part = fmin(fmax(part, 0.0), 1.0);
    return hypot(p.x - (a.x + part * dx), p.y - (a.y + part * dy));
}

static bool is_straight(const tp_reducer *r, tp_dot to)
{
    for (int k = 0; k < r->passed_count; k++) {
        if (distance(r->passed[k], r->anchor, to) > r->tolerance) return false;
    }
    return true;
}

/* Ends the straight piece at the last point passed. */
static void end_piece(tp_reducer *r)
{
    if (r->passed_count == 0) return;
    r->anchor = r->passed[r->passed_count - 1];
    r->passed_count = 0;
    r->sink.add(r->sink.self, r->anchor, false);
}

static void add_to_piece(tp_reducer *r, tp_dot dot)
{
    if (!r->has_anchor) {
        r->has_anchor = true;
        r->anchor = dot;
        r->sink.add(r->sink.self, dot, true);
        return;
    }
    /* What does not move is not kept: it would fill the window. */
    tp_dot before = r->passed_count > 0 ? r->passed[r->passed_count - 1] : r->anchor;
    if (hypot(dot.x - before.x, dot.y - before.y) < 0.1 * r->tolerance) return;
    if (r->passed_count == TP_REDUCE_WINDOW || !is_straight(r, dot)) end_piece(r);
    r->passed[r->passed_count++] = dot;
}

static void end_column(tp_reducer *r)
{
    if (!r->has_column) return;
    r->has_column = false;
    bool rises = r->least_index < r->largest_index;
    long long early = rises ? r->least_index : r->largest_index;
    long long late = rises ? r->largest_index : r->least_index;
    add_to_piece(r, r->first);
    if (early > 0 && early < r->index) add_to_piece(r, rises ? r->least : r->largest);
    if (late > early && late < r->index) add_to_piece(r, rises ? r->largest : r->least);
    if (r->index > 0) add_to_piece(r, r->last);
}

void tp_reducer_add(tp_reducer *reducer, tp_dot dot)
{
    if (!(reducer->column_width > 0.0)) {
        add_to_piece(reducer, dot);
        return;
    }
    double column = floor(dot.x / reducer->column_width);
    if (reducer->has_column && column == reducer->column) {
        reducer->index++;
        reducer->last = dot;
        if (dot.y < reducer->least.y) reducer->least = dot, reducer->least_index = reducer->index;
        if (dot.y > reducer->largest.y) reducer->largest = dot, reducer->largest_index = reducer->index;
        return;
    }
    end_column(reducer);
    reducer->has_column = true;
    reducer->column = column;
    reducer->first = reducer->least = reducer->largest = reducer->last = dot;
    reducer->index = reducer->least_index = reducer->largest_index = 0;
}

void tp_reducer_break(tp_reducer *reducer)
{
    end_column(reducer);
    bool is_single = reducer->has_anchor && reducer->passed_count == 0;
    if (is_single) reducer->sink.add(reducer->sink.self, reducer->anchor, false); /* a dot can be seen */
    end_piece(reducer);
    reducer->has_anchor = false;
}
