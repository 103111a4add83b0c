/* Moments of a motion on one sheet: every figure is cut into points, lines and polygons, projected along the
   view, and painted from back to front. */
#include "painter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double default_width = 480.0, height_max = 600.0, width_least = 220.0; /* [pt] */
static const double edge = 8.0, caption_height = 16.0, cell_gap = 6.0;              /* [pt] */
static const double time_height = 13.0;                 /* [pt] below a moment beside others */
static const double letter_size = 8.0, dot_width = 4.0; /* [pt] */
static const double line_width = 1.0, stick_width = 1.6, spring_width = 0.7, edge_width = 0.4,
                    seam_width = 0.4; /* [pt] */
static const double dark_part = 0.65; /* of the light on the dark octants of a ball */
static const double far_part = 0.55,
                    flat_part = 0.05; /* strength far away; depth that counts, of the width */
static const double palest = 0.2,
                    fill_part = 0.35; /* strength of the first moment; of a flat surface's colour */

/* ---- painting ------------------------------------------------------------------------------------------ */

static int compare_pieces(const void *a, const void *b)
{
    const tp_piece *x = a, *y = b;
    if (x->layer != y->layer) return (int)x->layer - (int)y->layer;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    if (x->owner != y->owner) return x->owner - y->owner;
    return x->kind != y->kind ? x->kind - y->kind : x->cell - y->cell;
}

/* Room for all pieces. */
static tp_status take_pieces(tp_painter *p, tp_message *why)
{
    int count = 0;
    for (int k = 0; k < TP_CELL_KINDS; k++) count += p->seen.cells.capacity[1 + 2 * k];
    p->pieces = TP_ARENA_ARRAY(p->arena, tp_piece, count);
    return p->pieces ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the picture");
}

static const int *cell_indices(tp_painter *p, const tp_piece *it, int *count_out)
{
    const tp_cells *cells = tp_figure_cells_of(&p->seen.cells, it->kind);
    int begin = it->cell > 0 ? cells->ends[it->cell - 1] : 0;
    *count_out = cells->ends[it->cell] - begin;
    return cells->indices + begin;
}

static bool is_hollow(const tp_primitive *figure)
{
    return figure->kind == TP_PRIMITIVE_TUBE || figure->kind == TP_PRIMITIVE_SHELL;
}

static tp_layer layer_of(const tp_primitive *figure)
{
    if (figure->kind == TP_PRIMITIVE_PLANE) return TP_LAYER_PLANE;
    if (is_hollow(figure)) return TP_LAYER_HOLLOW;
    return figure->role >= TP_ROLE_JOINT ? TP_LAYER_MARK : TP_LAYER_BODY;
}

static void sort_pieces(tp_painter *p)
{
    p->piece_count = 0;
    for (int kind = 0; kind < TP_CELL_KINDS; kind++) {
        int first = 0; /* cell of the owner */
        for (int cell = 0; cell < tp_figure_cells_of(&p->seen.cells, kind)->count; cell++) {
            int count, owner = p->seen.cells.owners[kind][cell];
            if (owner != p->seen.cells.owners[kind][first]) first = cell;
            tp_piece it = {layer_of(&p->seen.figures[owner]), 0.0, owner, kind, cell, cell - first};
            const int *indices = cell_indices(p, &it, &count);
            for (int k = 0; k < count; k++) it.depth += p->seen.cells.surface.points[indices[k]].z / count;
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

/* Unit normal of a polygon in the axes of the picture. */
static tp_vec3 normal_of(const tp_painter *p, const int *indices, int count)
{
    tp_vec3 normal = tp_vec3_zero(), first = p->seen.cells.surface.points[indices[0]];
    for (int k = 2; k < count; k++) {
        tp_vec3 a = tp_vec3_sub(p->seen.cells.surface.points[indices[k - 1]], first),
                b = tp_vec3_sub(p->seen.cells.surface.points[indices[k]], first);
        normal = tp_vec3_add(normal, tp_vec3_cross(a, b));
    }
    return tp_vec3_normalise(normal);
}

static void trace(const tp_painter *p, const int *indices, int count)
{
    for (int k = 0; k < count; k++) {
        tp_vec3 at = p->seen.cells.surface.points[indices[k]];
        double x = p->left + p->scale * (at.x - p->seen.shown.low[0]),
               y = p->bottom - p->scale * (at.y - p->seen.shown.low[1]);
        if (k == 0) tp_canvas_move(p->canvas, x, y);
        if (k > 0 || count == 1) tp_canvas_line(p->canvas, x, y);
    }
}

/* Flat figures have a pale surface and an edge; bodies are lit from the upper left. Faces with corners
   between them have dark edges, round ones none. */
static void paint_polygon(tp_painter *p, const tp_piece *it, double strength)
{
    static const tp_vec3 light = {-0.36, 0.56, 0.75}; /* unit length, to the light */
    const tp_primitive *figure = &p->seen.figures[it->owner];
    tp_primitive_kind kind = figure->kind;
    bool is_flat = kind == TP_PRIMITIVE_POLYGON || kind == TP_PRIMITIVE_CIRCLE || kind == TP_PRIMITIVE_PLANE;
    int count;
    const int *indices = cell_indices(p, it, &count);
    tp_vec3 normal = normal_of(p, indices, count);
    if (!is_flat && normal.z <= 0.0) return; /* the far side */
    bool has_edges = kind == TP_PRIMITIVE_BOX || (kind == TP_PRIMITIVE_CYLINDER && count > 4);
    bool is_dark = tp_tessellation_is_dark(figure, TP_PICTURE_SEGMENTS, it->number);
    tp_colour lit = shaded(is_dark ? shaded(figure->colour, dark_part) : figure->colour,
                           0.55 + 0.45 * fmax(tp_vec3_dot(normal, light), 0.0));
    tp_colour fill = paled(is_flat ? figure->colour : lit, is_flat ? strength * fill_part : strength);
    tp_pen pen = {.colour = is_flat ? paled(figure->colour, strength) : fill,
                  .width = is_flat ? line_width : seam_width};
    if (has_edges)
        pen = (tp_pen){.colour = paled(shaded(figure->colour, 0.45), strength), .width = edge_width};
    trace(p, indices, count);
    tp_canvas_close(p->canvas);
    tp_canvas_fill(p->canvas, fill);
    tp_canvas_stroke(p->canvas, &pen);
}

static void paint_stroke(tp_painter *p, const tp_piece *it, double strength)
{
    int count;
    const int *indices = cell_indices(p, it, &count);
    const tp_primitive *figure = &p->seen.figures[it->owner];
    double width = figure->role == TP_ROLE_BODY     ? stick_width
                   : figure->role == TP_ROLE_SPRING ? spring_width
                                                    : line_width;
    tp_pen pen = {.colour = paled(figure->colour, strength),
                  .width = it->kind == TP_CELL_VERTS ? dot_width : width};
    if (is_hollow(figure))
        pen = (tp_pen){.colour = paled(shaded(figure->colour, 0.45), strength),
                       .width = figure->kind == TP_PRIMITIVE_TUBE ? line_width : edge_width};
    trace(p, indices, count);
    tp_canvas_stroke(p->canvas, &pen);
}

/* What is far away is paler: the strength of the farthest body is far_part. In a plane all is near. */
static double nearness(const tp_painter *p, const tp_piece *it)
{
    const tp_extent *e = &p->seen.moving;
    double deep = e->high[2] - e->low[2], wide = e->high[0] - e->low[0];
    if (it->layer != TP_LAYER_BODY || !(deep > flat_part * wide)) return 1.0;
    double away = fmin(fmax((e->high[2] - it->depth) / deep, 0.0), 1.0);
    return 1.0 - (1.0 - far_part) * away;
}

/* One over the other, what stands still is painted once: behind all that moves, which it would otherwise
   hide, and marks at the end over it. */
static void paint_moment(tp_painter *p, int f, double moment_strength)
{
    tp_view_row(&p->seen, p->moments.rows[f]);
    sort_pieces(p);
    for (int k = 0; k < p->piece_count; k++) {
        const tp_piece *it = &p->pieces[k];
        bool is_once = p->sight.is_still[it->owner] && !p->options->is_side_by_side;
        if (is_once && f != (it->layer == TP_LAYER_MARK ? p->last : p->first)) continue;
        double strength = (is_once ? 1.0 : moment_strength) * nearness(p, it);
        if (it->kind == TP_CELL_POLYGONS) {
            paint_polygon(p, it, strength);
        } else {
            paint_stroke(p, it, strength);
        }
    }
}

/* ---- the sheet ----------------------------------------------------------------------------------------- */

typedef struct layout {
    double wide, tall;     /* of a moment [m]                          */
    double across, upward; /* room on the sheet [pt]               */
} layout;

/* The scale at which so many columns of moments fill the sheet. */
static double scale_of(const layout *l, int count, int columns, bool has_times)
{
    int rows = (count + columns - 1) / columns;
    double across = l->across - cell_gap * (columns - 1),
           upward = l->upward - cell_gap * (rows - 1) - (has_times ? time_height * rows : 0.0);
    return fmin(fmax(across, 1.0) / (columns * l->wide), fmax(upward, 1.0) / (rows * l->tall));
}

/* Columns and rows that give the largest scale, and the sheet's sizes where they are free. */
static void lay_out(tp_painter *p, tp_sheet *sheet)
{
    bool is_beside = p->options->is_side_by_side;
    int count = is_beside ? p->moments.count : 1;
    double below = 2.0 * edge + caption_height;
    layout l = {.wide = p->seen.shown.high[0] - p->seen.shown.low[0],
                .tall = p->seen.shown.high[1] - p->seen.shown.low[1]};
    l.across = (sheet->width > 0.0 ? sheet->width : default_width) - 2.0 * edge;
    l.upward = (sheet->height > 0.0 ? sheet->height : height_max) - below;
    p->scale = 0.0;
    for (int columns = count; columns >= 1; columns--) {
        double scale = scale_of(&l, count, columns, is_beside);
        if (!(scale > p->scale)) continue;
        p->scale = scale, p->columns = columns;
    }
    if (!(p->scale > 0.0)) p->columns = count; /* refused next */
    p->rows = (count + p->columns - 1) / p->columns;
    p->columns = (count + p->rows - 1) / p->rows; /* rows of about the same length */
    double wide = p->columns * p->scale * l.wide + cell_gap * (p->columns - 1),
           tall = p->rows * (p->scale * l.tall + (is_beside ? time_height : 0.0)) + cell_gap * (p->rows - 1);
    if (!(sheet->width > 0.0)) sheet->width = fmax(wide + 2.0 * edge, width_least);
    if (!(sheet->height > 0.0)) sheet->height = fmax(tall + below, 60.0);
}

/* 1, 2 or 5 times a power of ten, at most `most`. */
static double round_length(double most)
{
    double power = pow(10.0, floor(log10(most)));
    return power * (most >= 5.0 * power ? 5.0 : most >= 2.0 * power ? 2.0 : 1.0);
}

static const tp_colour caption_grey = {0.25, 0.25, 0.25};

/* A bar of a round length, lower left. */
static double draw_bar(const tp_painter *p, const tp_sheet *sheet)
{
    double length = round_length(0.2 * sheet->width / p->scale), y = sheet->height - edge;
    double end = edge + p->scale * length;
    const tp_pen pen = {.colour = caption_grey, .width = line_width};
    tp_canvas_move(p->canvas, edge, y - 3.0);
    tp_canvas_line(p->canvas, edge, y);
    tp_canvas_line(p->canvas, end, y);
    tp_canvas_line(p->canvas, end, y - 3.0);
    tp_canvas_stroke(p->canvas, &pen);
    char text[32];
    snprintf(text, sizeof text, "%g m", length);
    tp_canvas_text(p->canvas, end + 4.0, y, text,
                   &(tp_lettering){.size = letter_size, .colour = caption_grey});
    return end + 4.0 + tp_canvas_text_width(p->canvas, text, letter_size);
}

/* The bar, and the times of moments that lie over each other. */
static void draw_caption(const tp_painter *p, const tp_sheet *sheet)
{
    int count = p->last - p->first + 1;
    double first = tp_moments_time(&p->moments, p->first), last = tp_moments_time(&p->moments, p->last),
           used = draw_bar(p, sheet);
    char text[128];
    if (p->options->is_side_by_side) return;
    if (count == 1) {
        snprintf(text, sizeof text, "%.4g s", last);
    } else {
        snprintf(text, sizeof text, "%d moments from %.4g to %.4g s", count, first, last);
    }
    tp_canvas_text_within(p->canvas, sheet->width - edge, sheet->height - edge, text,
                          sheet->width - edge - used - 8.0,
                          &(tp_lettering){.size = letter_size, .colour = caption_grey, .align = 1.0});
}

/* Below a moment, centred; nothing where there is no room for it. */
static void draw_time(const tp_painter *p, int f, double wide)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g s", tp_moments_time(&p->moments, f));
    if (tp_canvas_text_width(p->canvas, text, letter_size) > wide + cell_gap) return;
    tp_canvas_text(p->canvas, p->left + 0.5 * wide, p->bottom + letter_size + 1.0, text,
                   &(tp_lettering){.size = letter_size, .colour = caption_grey, .align = 0.5});
}

void tp_painter_paint(tp_painter *p, const tp_sheet *sheet)
{
    bool is_beside = p->options->is_side_by_side;
    int count = p->last - p->first + 1;
    double wide = p->scale * (p->seen.shown.high[0] - p->seen.shown.low[0]),
           tall = p->scale * (p->seen.shown.high[1] - p->seen.shown.low[1]),
           below = is_beside ? time_height : 0.0;
    double all_wide = p->columns * wide + (p->columns - 1) * cell_gap,
           all_tall = p->rows * (tall + below) + (p->rows - 1) * cell_gap;
    double left = 0.5 * (sheet->width - all_wide),
           top = edge + 0.5 * (sheet->height - 2.0 * edge - caption_height - all_tall);
    for (int f = p->first; f <= p->last; f++) {
        double part = count > 1 ? (double)(f - p->first) / (count - 1) : 1.0;
        int column = is_beside ? f % p->columns : 0, row = is_beside ? f / p->columns : 0;
        p->left = left + column * (wide + cell_gap);
        p->bottom = top + tall + row * (tall + below + cell_gap);
        tp_canvas_clip(p->canvas, (tp_box){p->left, p->bottom - tall, p->left + wide, p->bottom});
        paint_moment(p, f, is_beside ? 1.0 : palest + (1.0 - palest) * part);
        tp_canvas_clip_end(p->canvas);
        if (is_beside) draw_time(p, f, wide);
    }
    draw_caption(p, sheet);
}

tp_status tp_painter_prepare(tp_painter *p, tp_sheet *sheet, tp_message *why)
{
    TP_TRY(tp_moments_choose(&p->moments, p->arena, p->options, why));
    TP_TRY(tp_sight_choose(&p->moments, p->arena, p->options, &p->sight, why));
    p->seen = (tp_view){.moments = &p->moments, .sight = &p->sight};
    TP_TRY(tp_view_create(&p->seen, p->arena, why));
    TP_TRY(take_pieces(p, why));
    lay_out(p, sheet);
    p->first = 0, p->last = p->moments.count - 1;
    if (p->scale > 0.0 && isfinite(p->scale)) return TP_OK;
    return tp_fail(why, TP_INVALID_ARGUMENT, "the drawing is too large or too small for a picture");
}
