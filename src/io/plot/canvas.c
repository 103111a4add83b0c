/* The canvas on the cairo library, the only file that knows it. */
#include "canvas.h"

#include "io/common/utf8.h"
#include "io/common/words.h"

#include <math.h>
#include <string.h>

#include <cairo-svg.h>
#include <cairo.h>

static const char font_family[] = "DejaVu Sans";

struct tp_canvas {
    const tp_allocator *allocator;
    cairo_surface_t *surface;
    cairo_t *context;
    bool is_svg;
    tp_text file; /* its bytes */
};

static cairo_status_t take_bytes(void *self, const unsigned char *bytes, unsigned count)
{
    tp_canvas *canvas = self;
    tp_text_add_bytes(&canvas->file, bytes, count);
    return canvas->file.has_failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static void prepare(tp_canvas *canvas, double pixels_per_point)
{
    cairo_t *context = canvas->context;
    if (!canvas->is_svg) cairo_scale(context, pixels_per_point, pixels_per_point);
    cairo_set_source_rgb(context, 1.0, 1.0, 1.0);
    cairo_paint(context);
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND); /* a single point is a dot */
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    cairo_select_font_face(context, font_family, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);

    /* Letters that keep their size whatever the pixels are: both formats get the same layout. */
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(context, options);
    cairo_font_options_destroy(options);
}

tp_status tp_canvas_create(const tp_allocator *allocator, double width, double height,
                           double pixels_per_point, tp_canvas **canvas_out)
{
    allocator = allocator != NULL ? allocator : tp_allocator_default();
    *canvas_out = NULL;
    tp_canvas *canvas = allocator->allocate(allocator->context, sizeof *canvas);
    if (canvas == NULL) return TP_OUT_OF_MEMORY;
    *canvas = (tp_canvas){.allocator = allocator, .is_svg = !(pixels_per_point > 0.0)};
    if (canvas->is_svg) {
        canvas->surface = cairo_svg_surface_create_for_stream(take_bytes, canvas, width, height);
    } else {
        canvas->surface =
            cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(width * pixels_per_point),
                                       (int)lround(height * pixels_per_point));
    }
    canvas->context = cairo_create(canvas->surface);
    if (cairo_status(canvas->context) != CAIRO_STATUS_SUCCESS) {
        tp_canvas_free(canvas);
        return TP_OUT_OF_MEMORY;
    }
    prepare(canvas, pixels_per_point);
    *canvas_out = canvas;
    return TP_OK;
}

/* Coordinates of paths in sixteenths of a point: nobody sees the difference, and numbers in SVG are short. */
static double snap(double coordinate)
{
    return round(coordinate * 16.0) / 16.0;
}

void tp_canvas_move(tp_canvas *canvas, double x, double y)
{
    cairo_move_to(canvas->context, snap(x), snap(y));
}

void tp_canvas_line(tp_canvas *canvas, double x, double y)
{
    cairo_line_to(canvas->context, snap(x), snap(y));
}

void tp_canvas_stroke(tp_canvas *canvas, const tp_pen *pen)
{
    cairo_set_source_rgb(canvas->context, pen->colour.red, pen->colour.green, pen->colour.blue);
    cairo_set_line_width(canvas->context, pen->width);
    /* Round caps would fill the gaps of a dash pattern. */
    cairo_set_line_cap(canvas->context, pen->dash_count > 0 ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(canvas->context, pen->dashes, pen->dash_count, 0.0);
    cairo_stroke(canvas->context);
}

void tp_canvas_close(tp_canvas *canvas)
{
    cairo_close_path(canvas->context);
}

void tp_canvas_fill(tp_canvas *canvas, tp_colour colour)
{
    cairo_set_source_rgb(canvas->context, colour.red, colour.green, colour.blue);
    cairo_fill_preserve(canvas->context);
}

void tp_canvas_clip(tp_canvas *canvas, tp_box box)
{
    cairo_save(canvas->context);
    cairo_rectangle(canvas->context, snap(box.left), snap(box.top), snap(box.right) - snap(box.left),
                    snap(box.bottom) - snap(box.top));
    cairo_clip(canvas->context);
}

void tp_canvas_clip_end(tp_canvas *canvas)
{
    cairo_restore(canvas->context);
}

/* Valid UTF-8 of at most TP_CANVAS_TEXT_MAX bytes, whole characters only. */
static void clean_text(const char *text, char *clean_out)
{
    size_t used = 0, size;
    while (*text != '\0') {
        const char *bytes = tp_utf8_next(&text, &size);
        if (used + size > TP_CANVAS_TEXT_MAX) break;
        memcpy(clean_out + used, bytes, size);
        used += size;
    }
    clean_out[used] = '\0';
}

static double clean_text_width(tp_canvas *canvas, const char *clean, double size)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(canvas->context, size);
    cairo_text_extents(canvas->context, clean, &extents);
    return extents.x_advance;
}

double tp_canvas_text_width(tp_canvas *canvas, const char *text, double size)
{
    char clean[TP_CANVAS_TEXT_MAX + 1];
    clean_text(text, clean);
    return clean_text_width(canvas, clean, size);
}

void tp_canvas_text(tp_canvas *canvas, double x, double y, const char *text, const tp_lettering *lettering)
{
    char clean[TP_CANVAS_TEXT_MAX + 1];
    clean_text(text, clean);
    if (clean[0] == '\0') return;
    double back = lettering->align * clean_text_width(canvas, clean, lettering->size);
    const tp_colour colour = lettering->colour;
    cairo_set_source_rgb(canvas->context, colour.red, colour.green, colour.blue);
    cairo_save(canvas->context);
    cairo_translate(canvas->context, x, y);
    if (lettering->is_vertical) cairo_rotate(canvas->context, -1.5707963267948966);
    cairo_move_to(canvas->context, -back, 0.0);
    cairo_show_text(canvas->context, clean);
    cairo_new_path(canvas->context);
    cairo_restore(canvas->context);
}

void tp_canvas_text_within(tp_canvas *canvas, double x, double y, const char *text, double width,
                           const tp_lettering *lettering)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    char fitted[TP_CANVAS_TEXT_MAX + 1];
    clean_text(text, fitted);
    size_t length = strlen(fitted), most = TP_CANVAS_TEXT_MAX - (sizeof ellipsis - 1);
    if (length > most) length = most;
    while (clean_text_width(canvas, fitted, lettering->size) > width) {
        while (length > 0 && ((unsigned char)fitted[length] & 0xC0) == 0x80) length--; /* whole ones */
        memcpy(fitted + length, ellipsis, sizeof ellipsis);
        if (length-- == 0) break;
    }
    tp_canvas_text(canvas, x, y, fitted, lettering);
}

/* The library numbers its surfaces through the life of the process, and writes the number into the file: it
   must go, for the same figure to give the same bytes. */
static void drop_surface_number(tp_canvas *canvas)
{
    static const char mark[] = "<g id=\"surface";
    const size_t length = sizeof mark - 1;
    for (size_t k = 0; k + length < canvas->file.count; k++) {
        if (memcmp(canvas->file.bytes + k, mark, length) != 0) continue;
        size_t end = k + length;
        while (end < canvas->file.count && canvas->file.bytes[end] != '>') end++;
        memmove(canvas->file.bytes + k + 2, canvas->file.bytes + end, canvas->file.count - end);
        canvas->file.count -= end - (k + 2);
        return;
    }
}

/* Six decimals of a point, where three are far below what a printer does, are half of a small file. The files
   hold no text in which a number could mean something else: letters are outlines. */
static void shorten_numbers(tp_canvas *canvas)
{
    enum { DECIMALS = 3 };
    char *bytes = canvas->file.bytes;
    size_t to = 0;
    for (size_t from = 0; from < canvas->file.count;) {
        bool is_point = bytes[from] == '.' && from > 0 && tp_is_digit(bytes[from - 1]) &&
                        from + 1 < canvas->file.count && tp_is_digit(bytes[from + 1]);
        bytes[to++] = bytes[from++];
        for (size_t first = to; is_point && from < canvas->file.count && tp_is_digit(bytes[from]); from++) {
            if (to < first + DECIMALS) bytes[to++] = bytes[from];
        }
    }
    canvas->file.count = to;
}

tp_status tp_canvas_finish(tp_canvas *canvas, const tp_text **file_out, tp_message *why_out)
{
    cairo_status_t status = cairo_status(canvas->context);
    if (status == CAIRO_STATUS_SUCCESS && !canvas->is_svg) {
        status = cairo_surface_write_to_png_stream(canvas->surface, take_bytes, canvas);
    }
    cairo_surface_finish(canvas->surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(canvas->surface);
    if (canvas->file.has_failed || status == CAIRO_STATUS_NO_MEMORY) {
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the drawing");
    }
    if (status != CAIRO_STATUS_SUCCESS) {
        return tp_fail(why_out, TP_INTERNAL, "drawing failed: %s", cairo_status_to_string(status));
    }
    if (canvas->is_svg) {
        drop_surface_number(canvas);
        shorten_numbers(canvas);
    }
    *file_out = &canvas->file;
    return TP_OK;
}

const unsigned *tp_canvas_pixels(tp_canvas *canvas, int *width_out, int *height_out, int *stride_out)
{
    cairo_surface_flush(canvas->surface);
    *width_out = cairo_image_surface_get_width(canvas->surface);
    *height_out = cairo_image_surface_get_height(canvas->surface);
    *stride_out = cairo_image_surface_get_stride(canvas->surface) / (int)sizeof(unsigned);
    return (const void *)cairo_image_surface_get_data(canvas->surface);
}

void tp_canvas_free(tp_canvas *canvas)
{
    if (canvas == NULL) return;
    if (canvas->context != NULL) cairo_destroy(canvas->context);
    if (canvas->surface != NULL) {
        cairo_surface_finish(canvas->surface);
        cairo_surface_destroy(canvas->surface);
    }
    tp_text_clear(&canvas->file);
    canvas->allocator->release(canvas->allocator->context, canvas);
}
