/* Moments of a motion on one sheet: every figure is cut into points, lines and polygons, projected along the
   view, and painted from back to front. */
#include "tippe/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "io/exchange/c_locale.h"
#include "io/output/columns.h"
#include "sheet.h"

static const double default_width = 480.0, height_max = 600.0, width_least = 220.0; /* [pt] */
static const double edge = 8.0, caption_height = 16.0, cell_gap = 6.0;              /* [pt] */
static const double letter_size = 8.0, line_width = 1.0, dot_width = 4.0;           /* [pt] */
static const double palest = 0.2,
                    fill_part = 0.35; /* strength of the first moment; of a flat surface's colour */
enum { SEGMENTS = 24, CELL_KINDS = 3 };

tp_picture_options tp_picture_options_default(void)
{
    return (tp_picture_options){
        .frame_count = 12, .from = NAN, .until = NAN, .view = {0.0, 0.0, 1.0}, .dots_per_inch = 200.0};
}

/* A piece of a figure, to be painted in the order of its depth. */
typedef struct piece {
    double depth;
    int owner, kind, cell; /* primitive; vert, line or polygon; its number */
} piece;

typedef struct painter {
    tp_arena *arena;
    const tp_trajectory *trajectory;
    const tp_picture_options *options;
    tp_drawer *drawer;
    int coordinate_count;
    const double **q_values; /* column of each coordinate */
    double *q;
    int frame_count;
    long long *rows;           /* of the moments */
    tp_vec3 right, up, toward; /* axes of the picture */
    tp_tessellation surface;
    const tp_primitive *primitives;
    tp_primitive *first;     /* as they are at the first moment ... */
    tp_vec3 *first_vertices; /* ... with their vertices one after the other */
    bool *is_still;          /* ... and whether they stay like this */
    int *owners[CELL_KINDS];
    piece *pieces;
    int piece_count;
    double low[2], high[2]; /* of all moments in the picture's axes [m] */
    double scale;           /* [pt/m] */
    double left, bottom;    /* of the present moment: where `low` lies [pt] */
    tp_canvas *canvas;
} painter;

/* ---- what and when ------------------------------------------------------------------------------------- */

static tp_status find_coordinates(painter *p, const tp_model *model, tp_message *why)
{
    p->coordinate_count = tp_model_summarise(model).coordinate_count;
    p->q_values = TP_ARENA_ARRAY(p->arena, const double *, p->coordinate_count + 1);
    p->q = TP_ARENA_ARRAY(p->arena, double, p->coordinate_count + 1);
    if (!p->q_values || !p->q) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    for (int i = 0; i < p->coordinate_count; i++) {
        int column = tp_column_find(p->trajectory->columns, p->trajectory->column_count, "q",
                                    tp_model_coordinate_name(model, i), "");
        if (column < 0) {
            return tp_fail(why, TP_INVALID_ARGUMENT,
                           "the run has no coordinate '%.400s': drawing needs all coordinates of the model",
                           tp_model_coordinate_name(model, i));
        }
        p->q_values[i] = p->trajectory->values[column];
    }
    return TP_OK;
}

/* The row whose time is nearest; times do not decrease. */
static long long nearest_row(const tp_trajectory *trajectory, double time)
{
    const double *times = trajectory->values[0];
    long long low = 0, high = trajectory->row_count - 1;
    while (high - low > 1) {
        long long middle = low + (high - low) / 2;
        if (times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return fabs(times[high] - time) < fabs(times[low] - time) ? high : low;
}

static tp_status choose_rows(painter *p, tp_message *why)
{
    const tp_picture_options *options = p->options;
    const tp_trajectory *trajectory = p->trajectory;
    int wanted = options->frame_count;
    if (wanted < 1 || wanted > TP_PICTURE_FRAMES_MAX) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "%d moments: expected 1 to %d", wanted,
                       TP_PICTURE_FRAMES_MAX);
    }
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
    p->rows = TP_ARENA_ARRAY(p->arena, long long, wanted);
    if (!p->rows) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    for (int k = 0; k < wanted; k++) {
        double part = wanted > 1 ? (double)k / (wanted - 1) : 1.0;
        long long row = nearest_row(trajectory, from + part * (until - from));
        if (p->frame_count == 0 || row > p->rows[p->frame_count - 1]) p->rows[p->frame_count++] = row;
    }
    return TP_OK;
}

static tp_status choose_view(painter *p, tp_message *why)
{
    tp_vec3 view = p->options->view;
    double length = tp_vec3_norm(view);
    if (!(length > 0.0 && isfinite(length)))
        return tp_fail(why, TP_INVALID_ARGUMENT, "the view has no direction: (%g, %g, %g)", view.x, view.y,
                       view.z);
    p->toward = tp_vec3_normalise(view);
    bool is_along_z = p->toward.x == 0.0 && p->toward.y == 0.0;
    tp_vec3 up = is_along_z ? tp_vec3_make(0.0, 1.0, 0.0) : tp_vec3_make(0.0, 0.0, 1.0);
    p->right = tp_vec3_normalise(tp_vec3_cross(up, p->toward));
    p->up = tp_vec3_cross(p->toward, p->right);
    return TP_OK;
}

/* ---- surfaces ------------------------------------------------------------------------------------------ */

static const tp_cells *cells_of(const painter *p, int kind)
{
    return kind == 0 ? &p->surface.verts : kind == 1 ? &p->surface.lines : &p->surface.polygons;
}

/* The figures at a row; their kinds and sizes are the same at all rows. */
static int draw_row(painter *p, long long row)
{
    int count;
    for (int i = 0; i < p->coordinate_count; i++) p->q[i] = p->q_values[i][row];
    p->primitives = tp_drawer_draw(p->drawer, p->trajectory->values[0][row], p->q, &count);
    return count;
}

static tp_status take_memory(painter *p, tp_message *why)
{
    int count = draw_row(p, p->rows[0]), cells[CELL_KINDS] = {0, 0, 0}, indices[CELL_KINDS] = {0, 0, 0};
    size_t points = 0, all = 0, vertices = 1;
    for (int i = 0; i < count; i++) {
        vertices += (size_t)p->primitives[i].vertex_count;
        tp_tessellation_size size = tp_tessellation_measure(&p->primitives[i], SEGMENTS);
        points += (size_t)size.points;
        cells[0] += size.verts, cells[1] += size.lines, cells[2] += size.polygons;
        indices[0] += size.verts, indices[1] += size.line_indices, indices[2] += size.polygon_indices;
    }
    tp_cells *lists[CELL_KINDS] = {&p->surface.verts, &p->surface.lines, &p->surface.polygons};
    bool is_there = true;
    for (int k = 0; k < CELL_KINDS; k++) {
        lists[k]->ends = TP_ARENA_ARRAY(p->arena, int, cells[k] + 1);
        lists[k]->indices = TP_ARENA_ARRAY(p->arena, int, indices[k] + 1);
        p->owners[k] = TP_ARENA_ARRAY(p->arena, int, cells[k] + 1);
        is_there = is_there && lists[k]->ends && lists[k]->indices && p->owners[k];
        all += (size_t)cells[k];
    }
    p->surface.points = TP_ARENA_ARRAY(p->arena, tp_vec3, points + 1);
    p->pieces = TP_ARENA_ARRAY(p->arena, piece, all + 1);
    p->first = TP_ARENA_ARRAY(p->arena, tp_primitive, count);
    p->first_vertices = TP_ARENA_ARRAY(p->arena, tp_vec3, vertices);
    p->is_still = TP_ARENA_ARRAY(p->arena, bool, count);
    is_there = is_there && p->surface.points && p->pieces && p->first && p->first_vertices && p->is_still;
    return is_there ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
}

/* Points of all figures at a row: x to the right, y upwards, z towards the eye. */
static void project_row(painter *p, long long row)
{
    int count = draw_row(p, row), owned[CELL_KINDS] = {0, 0, 0};
    tp_cells *lists[CELL_KINDS] = {&p->surface.verts, &p->surface.lines, &p->surface.polygons};
    p->surface.point_count = 0;
    for (int k = 0; k < CELL_KINDS; k++) lists[k]->count = lists[k]->index_count = 0;
    for (int i = 0; i < count; i++) {
        tp_tessellate(&p->primitives[i], SEGMENTS, &p->surface);
        for (int k = 0; k < CELL_KINDS; k++) {
            while (owned[k] < lists[k]->count) p->owners[k][owned[k]++] = i;
        }
    }
    for (int i = 0; i < p->surface.point_count; i++) {
        tp_vec3 x = p->surface.points[i];
        p->surface.points[i] =
            tp_vec3_make(tp_vec3_dot(x, p->right), tp_vec3_dot(x, p->up), tp_vec3_dot(x, p->toward));
    }
}

static bool is_same_point(tp_vec3 a, tp_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether a figure is where it was; its kind and its counts do not change. */
static bool is_same_figure(const tp_primitive *a, const tp_primitive *b)
{
    bool is_same = is_same_point(a->position, b->position) && a->orientation.w == b->orientation.w &&
                   is_same_point(tp_quat_vector(a->orientation), tp_quat_vector(b->orientation));
    for (int k = 0; k < 3; k++) is_same = is_same && a->size[k] == b->size[k];
    for (int k = 0; k < a->vertex_count; k++)
        is_same = is_same && is_same_point(a->vertices[k], b->vertices[k]);
    return is_same;
}

/* Notes the figures of the first moment, and afterwards which of them have moved. */
static void watch_figures(painter *p, int f)
{
    tp_vec3 *vertices = p->first_vertices;
    for (int i = 0; i < tp_drawer_count(p->drawer); i++) {
        const tp_primitive *now = &p->primitives[i];
        if (f > 0) {
            p->is_still[i] = p->is_still[i] && is_same_figure(&p->first[i], now);
            continue;
        }
        p->is_still[i] = true;
        p->first[i] = *now;
        p->first[i].vertices = vertices;
        for (int k = 0; k < now->vertex_count; k++) *vertices++ = now->vertices[k];
    }
}

static void find_bounds(painter *p)
{
    p->low[0] = p->low[1] = INFINITY;
    p->high[0] = p->high[1] = -INFINITY;
    for (int f = 0; f < p->frame_count; f++) {
        project_row(p, p->rows[f]);
        watch_figures(p, f);
        for (int i = 0; i < p->surface.point_count; i++) {
            tp_vec3 x = p->surface.points[i];
            p->low[0] = fmin(p->low[0], x.x), p->high[0] = fmax(p->high[0], x.x);
            p->low[1] = fmin(p->low[1], x.y), p->high[1] = fmax(p->high[1], x.y);
        }
    }
    if (p->low[0] > p->high[0])
        p->low[0] = p->low[1] = p->high[0] = p->high[1] = 0.0; /* nothing is to be seen */
    double size = fmax(p->high[0] - p->low[0], p->high[1] - p->low[1]);
    for (int k = 0; k < 2;
         k++) { /* a single point has some room around it, and lines are not at the very edge */
        double air = size > 0.0 ? 0.02 * size : 1.0;
        p->low[k] -= air, p->high[k] += air;
    }
}

/* ---- painting ------------------------------------------------------------------------------------------ */

static int compare_pieces(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    if (x->owner != y->owner) return x->owner - y->owner;
    return x->kind != y->kind ? x->kind - y->kind : x->cell - y->cell;
}

static const int *cell_indices(const painter *p, const piece *it, int *count_out)
{
    const tp_cells *cells = cells_of(p, it->kind);
    int begin = it->cell > 0 ? cells->ends[it->cell - 1] : 0;
    *count_out = cells->ends[it->cell] - begin;
    return cells->indices + begin;
}

static void sort_pieces(painter *p)
{
    p->piece_count = 0;
    for (int kind = 0; kind < CELL_KINDS; kind++) {
        for (int cell = 0; cell < cells_of(p, kind)->count; cell++) {
            piece it = {0.0, p->owners[kind][cell], kind, cell};
            int count;
            const int *indices = cell_indices(p, &it, &count);
            for (int k = 0; k < count; k++) it.depth += p->surface.points[indices[k]].z / count;
            p->pieces[p->piece_count++] = it;
        }
    }
    qsort(p->pieces, (size_t)p->piece_count, sizeof p->pieces[0], compare_pieces);
}

/* A colour mixed with white; strength 1: as it is. */
static tp_colour paled(tp_colour colour, double strength)
{
    return (tp_colour){1.0 - strength * (1.0 - colour.red), 1.0 - strength * (1.0 - colour.green),
                       1.0 - strength * (1.0 - colour.blue)};
}

static tp_colour shaded(tp_colour colour, double light)
{
    return (tp_colour){light * colour.red, light * colour.green, light * colour.blue};
}

/* How much a polygon faces the eye: third component of its unit normal. */
static double facing(const painter *p, const int *indices, int count)
{
    tp_vec3 normal = tp_vec3_zero(), first = p->surface.points[indices[0]];
    for (int k = 2; k < count; k++) {
        tp_vec3 a = tp_vec3_sub(p->surface.points[indices[k - 1]], first),
                b = tp_vec3_sub(p->surface.points[indices[k]], first);
        normal = tp_vec3_add(normal, tp_vec3_cross(a, b));
    }
    return tp_vec3_normalise(normal).z;
}

static void trace(const painter *p, const int *indices, int count)
{
    for (int k = 0; k < count; k++) {
        tp_vec3 at = p->surface.points[indices[k]];
        double x = p->left + p->scale * (at.x - p->low[0]), y = p->bottom - p->scale * (at.y - p->low[1]);
        if (k == 0) tp_canvas_move(p->canvas, x, y);
        if (k > 0 || count == 1) tp_canvas_line(p->canvas, x, y);
    }
}

/* Flat figures have a pale surface and an edge; bodies are lit from the eye and show no edges. */
static void paint_polygon(const painter *p, const piece *it, double strength)
{
    const tp_primitive *primitive = &p->primitives[it->owner];
    tp_primitive_kind kind = primitive->kind;
    bool is_flat = kind == TP_PRIMITIVE_POLYGON || kind == TP_PRIMITIVE_CIRCLE || kind == TP_PRIMITIVE_PLANE;
    int count;
    const int *indices = cell_indices(p, it, &count);
    double light = facing(p, indices, count);
    if (!is_flat && light <= 0.0) return; /* the far side */
    tp_colour fill = is_flat ? paled(primitive->colour, strength * fill_part)
                             : paled(shaded(primitive->colour, 0.6 + 0.4 * light), strength);
    tp_pen pen = {.colour = is_flat ? paled(primitive->colour, strength) : fill,
                  .width = is_flat ? line_width : 0.25 * line_width};
    trace(p, indices, count);
    tp_canvas_close(p->canvas);
    tp_canvas_fill(p->canvas, fill);
    tp_canvas_stroke(p->canvas, &pen);
}

/* One over the other, what stands still is painted once, behind all that moves: it would else hide earlier
 * moments. */
static void paint_moment(painter *p, int f, double moment_strength)
{
    project_row(p, p->rows[f]);
    sort_pieces(p);
    for (int k = 0; k < p->piece_count; k++) {
        const piece *it = &p->pieces[k];
        bool is_background = p->is_still[it->owner] && !p->options->is_side_by_side;
        double strength = is_background ? 1.0 : moment_strength;
        if (is_background && f > 0) continue;
        if (it->kind == 2) {
            paint_polygon(p, it, strength);
            continue;
        }
        int count;
        const int *indices = cell_indices(p, it, &count);
        tp_pen pen = {.colour = paled(p->primitives[it->owner].colour, strength),
                      .width = it->kind == 0 ? dot_width : line_width};
        trace(p, indices, count);
        tp_canvas_stroke(p->canvas, &pen);
    }
}

/* ---- the sheet ----------------------------------------------------------------------------------------- */

/* The scale that fills the sheet, and the sheet's sizes where they are free. */
static void lay_out(painter *p, tp_sheet *sheet)
{
    int cells = p->options->is_side_by_side ? p->frame_count : 1;
    double wide = (p->high[0] - p->low[0]) * cells, tall = p->high[1] - p->low[1];
    double around = 2.0 * edge + cell_gap * (cells - 1), below = 2.0 * edge + caption_height;
    double across = (sheet->width > 0.0 ? sheet->width : default_width) - around;
    double upward = (sheet->height > 0.0 ? sheet->height : height_max) - below;
    p->scale = fmin(fmax(across, 1.0) / wide, fmax(upward, 1.0) / tall);
    if (!(sheet->width > 0.0)) sheet->width = fmax(p->scale * wide + around, width_least);
    if (!(sheet->height > 0.0)) sheet->height = fmax(p->scale * tall + below, 60.0);
}

/* 1, 2 or 5 times a power of ten, at most `most`. */
static double round_length(double most)
{
    double power = pow(10.0, floor(log10(most)));
    return power * (most >= 5.0 * power ? 5.0 : most >= 2.0 * power ? 2.0 : 1.0);
}

/* A bar of a round length, lower left. */
static double draw_bar(const painter *p, const tp_sheet *sheet)
{
    static const tp_colour grey = {0.25, 0.25, 0.25};
    double length = round_length(0.2 * sheet->width / p->scale), y = sheet->height - edge;
    double end = edge + p->scale * length;
    const tp_pen pen = {.colour = grey, .width = line_width};
    tp_canvas_move(p->canvas, edge, y - 3.0);
    tp_canvas_line(p->canvas, edge, y);
    tp_canvas_line(p->canvas, end, y);
    tp_canvas_line(p->canvas, end, y - 3.0);
    tp_canvas_stroke(p->canvas, &pen);
    char text[32];
    snprintf(text, sizeof text, "%g m", length);
    tp_canvas_text(p->canvas, end + 4.0, y, text, &(tp_lettering){.size = letter_size, .colour = grey});
    return end + 4.0 + tp_canvas_text_width(p->canvas, text, letter_size);
}

static void draw_caption(const painter *p, const tp_sheet *sheet)
{
    static const tp_colour grey = {0.25, 0.25, 0.25};
    const double *times = p->trajectory->values[0];
    double first = times[p->rows[0]], last = times[p->rows[p->frame_count - 1]], used = draw_bar(p, sheet);
    char text[128], fitted[TP_CANVAS_TEXT_MAX + 1];
    if (p->frame_count == 1) {
        snprintf(text, sizeof text, "%.4g s", last);
    } else {
        snprintf(text, sizeof text, "%d moments from %.4g to %.4g s", p->frame_count, first, last);
    }
    tp_canvas_text_fit(p->canvas, text, letter_size, sheet->width - edge - used - 8.0, fitted);
    tp_canvas_text(p->canvas, sheet->width - edge, sheet->height - edge, fitted,
                   &(tp_lettering){.size = letter_size, .colour = grey, .align = 1.0});
}

static void paint(painter *p, const tp_sheet *sheet)
{
    bool is_side_by_side = p->options->is_side_by_side;
    double wide = p->scale * (p->high[0] - p->low[0]);
    double all = is_side_by_side ? p->frame_count * wide + (p->frame_count - 1) * cell_gap : wide;
    double tall = p->scale * (p->high[1] - p->low[1]),
           free_height = sheet->height - 2.0 * edge - caption_height;
    p->left = 0.5 * (sheet->width - all);
    p->bottom = edge + 0.5 * (free_height + tall);
    for (int f = 0; f < p->frame_count; f++) {
        double part = p->frame_count > 1 ? (double)f / (p->frame_count - 1) : 1.0;
        paint_moment(p, f, is_side_by_side ? 1.0 : palest + (1.0 - palest) * part);
        if (is_side_by_side) p->left += wide + cell_gap;
    }
    draw_caption(p, sheet);
}

static tp_status make_picture(painter *p, const tp_model *model, tp_sheet *sheet, tp_message *why)
{
    if (tp_drawer_create(p->arena->allocator, model, &p->drawer) != TP_OK)
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
    if (tp_drawer_count(p->drawer) == 0) {
        return tp_fail(
            why, TP_INVALID_ARGUMENT,
            "nothing to draw: the model has no drawings (section `draw` of a scene) and no shapes");
    }
    TP_TRY(find_coordinates(p, model, why));
    TP_TRY(choose_rows(p, why));
    TP_TRY(choose_view(p, why));
    TP_TRY(take_memory(p, why));
    find_bounds(p);
    lay_out(p, sheet);
    if (!(p->scale > 0.0 && isfinite(p->scale)))
        return tp_fail(why, TP_INVALID_ARGUMENT, "the drawing is too large or too small for a picture");
    TP_TRY(tp_sheet_open(p->arena->allocator, sheet, &p->canvas, why));
    paint(p, sheet);
    return tp_sheet_write(sheet, p->canvas, why);
}

tp_status tp_picture_write(const tp_allocator *allocator, const tp_model *model,
                           const tp_trajectory *trajectory, const tp_picture_options *options,
                           const char *path, int *frame_count_out, tp_message *why_out)
{
    tp_sheet sheet = {path, options->width, options->height, options->dots_per_inch};
    TP_TRY(tp_sheet_check(&sheet, why_out));
    tp_arena arena;
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, why_out));
    tp_arena_init(&arena, allocator);
    painter p = {.arena = &arena, .trajectory = trajectory, .options = options};
    tp_status status = make_picture(&p, model, &sheet, why_out);
    if (frame_count_out) *frame_count_out = p.frame_count;
    tp_canvas_free(p.canvas);
    tp_drawer_free(p.drawer);
    tp_arena_clear(&arena);
    tp_c_locale_leave(&locale);
    return status;
}
