/* Films: moments painted one by one, of which only what changed goes to the file. */
#define _XOPEN_SOURCE 700
#include "film.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "io/common/c_locale.h"
#include "io/common/whole_file.h"
#include "painter.h"

static const double shortest = 2.0, longest = 20.0; /* [s] of a film whose speed is not given */
enum { PALETTE_FRAMES = 16 };                       /* that are looked at for colours          */

tp_film_options tp_film_options_default(void)
{
    tp_film_options options = {.picture = tp_picture_options_default(), .frames_per_second = 25.0};
    options.picture.dots_per_inch = 96.0;
    return options;
}

/* A film and what it is made from. */
typedef struct filming {
    tp_painter painter;
    tp_sheet sheet;
    const tp_film_options *options;
    tp_film film;
    const tp_film_format *format; /* NULL: frames in a folder */
    double speed;
    unsigned *before; /* pixels of the frame before */
    tp_arena frame_arena;
    const char *path;
    tp_message *why;
} filming;

static tp_status no_memory(filming *f)
{
    return tp_fail(f->why, TP_OUT_OF_MEMORY, "no memory for the film");
}

/* ---- frames -------------------------------------------------------------------------------------------- */

/* How many frames, and the speed if it is free. */
static tp_status choose_frames(filming *f, const tp_trajectory *trajectory, int *count_out)
{
    double begin = trajectory->values[0][0], end = trajectory->values[0][trajectory->row_count - 1];
    double from = fmax(begin, isnan(f->options->picture.from) ? begin : f->options->picture.from);
    double until = fmin(end, isnan(f->options->picture.until) ? end : f->options->picture.until);
    double span = fmax(until - from, 0.0), rate = f->options->frames_per_second;
    if (!(rate > 0.0 && rate <= 100.0))
        return tp_fail(f->why, TP_INVALID_ARGUMENT, "%g frames a second: expected up to 100", rate);
    f->speed = f->options->speed > 0.0 ? f->options->speed : 1.0;
    while (!(f->options->speed > 0.0) && span > 0.0 && span / f->speed < shortest && f->speed > 1e-9)
        f->speed *= 0.5;
    while (!(f->options->speed > 0.0) && span / f->speed > longest) f->speed *= 2.0;
    double count = ceil(span / f->speed * rate) + 1.0;
    if (count > TP_FILM_FRAMES_MAX) {
        return tp_fail(f->why, TP_INVALID_ARGUMENT, "a film of %g frames: at most %d; choose a higher speed",
                       count, TP_FILM_FRAMES_MAX);
    }
    *count_out = (int)count;
    return TP_OK;
}

/* Paints a moment on a new canvas. */
static tp_status paint(filming *f, int moment)
{
    tp_canvas_free(f->painter.canvas);
    f->painter.canvas = NULL;
    TP_TRY(tp_sheet_open(f->painter.arena->allocator, &f->sheet, &f->painter.canvas, f->why));
    f->painter.first = f->painter.last = moment;
    tp_painter_paint(&f->painter, &f->sheet);
    return TP_OK;
}

/* How long a moment is shown: until the next one; the last as long as a frame. */
static double seconds_of(const filming *f, int moment)
{
    const tp_moments *m = &f->painter.moments;
    double frame = 1.0 / f->options->frames_per_second;
    if (moment + 1 >= m->count) return frame;
    return (tp_moments_time(m, moment + 1) - tp_moments_time(m, moment)) / f->speed;
}

/* The rectangle in which pixels differ from those before; at least one pixel. */
static void find_change(const filming *f, tp_film_frame *frame)
{
    int left = f->film.width, top = f->film.height, right = -1, bottom = -1;
    for (int y = 0; y < f->film.height; y++) {
        for (int x = 0; x < f->film.width; x++) {
            if (f->film.added > 0 && f->before[y * f->film.width + x] == frame->pixels[y * frame->stride + x])
                continue;
            left = x < left ? x : left, right = x > right ? x : right;
            top = y < top ? y : top, bottom = y;
        }
    }
    bool is_same = right < 0;
    frame->left = is_same ? 0 : left, frame->top = is_same ? 0 : top;
    frame->width = is_same ? 1 : right - left + 1, frame->height = is_same ? 1 : bottom - top + 1;
}

static tp_status add_moment(filming *f, int moment)
{
    int width, height;
    tp_film_frame frame = {.seconds = seconds_of(f, moment)};
    TP_TRY(paint(f, moment));
    frame.pixels = tp_canvas_pixels(f->painter.canvas, &width, &height, &frame.stride);
    find_change(f, &frame);
    tp_arena_reset(&f->frame_arena, 0);
    TP_TRY(f->format->add(&f->film, &frame));
    for (int y = 0; y < height; y++) {
        memcpy(f->before + (size_t)y * (size_t)width, frame.pixels + (size_t)y * (size_t)frame.stride,
               (size_t)width * sizeof *f->before);
    }
    f->film.added++;
    return f->film.file.has_failed ? no_memory(f) : TP_OK;
}

/* Colours of some frames, evenly. */
static tp_status choose_palette(filming *f)
{
    long long *counts = TP_ARENA_ARRAY(f->painter.arena, long long, TP_FILM_CELLS);
    int count = f->painter.moments.count, looks = count < PALETTE_FRAMES ? count : PALETTE_FRAMES;
    if (!counts) return no_memory(f);
    for (int k = 0; k < looks; k++) {
        int width, height, stride;
        TP_TRY(paint(f, looks > 1 ? k * (count - 1) / (looks - 1) : 0));
        const unsigned *pixels = tp_canvas_pixels(f->painter.canvas, &width, &height, &stride);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) counts[tp_film_cell(pixels[y * stride + x])]++;
        }
    }
    tp_film_choose_palette(&f->film, counts);
    return TP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static tp_status write_film(filming *f)
{
    int stride;
    TP_TRY(paint(f, 0));
    tp_canvas_pixels(f->painter.canvas, &f->film.width, &f->film.height, &stride);
    f->before = TP_ARENA_ARRAY(f->painter.arena, unsigned, (size_t)f->film.width *(size_t)f->film.height);
    if (!f->before) return no_memory(f);
    f->film.frame_count = f->painter.moments.count;
    if (f->format->has_palette) TP_TRY(choose_palette(f));
    f->format->begin(&f->film);
    for (int k = 0; k < f->painter.moments.count; k++) TP_TRY(add_moment(f, k));
    f->format->end(&f->film);
    if (f->film.file.has_failed) return no_memory(f);
    return tp_file_write(f->path, f->film.file.bytes, f->film.file.count, f->why);
}

static tp_status write_frames(filming *f)
{
    if (mkdir(f->path, 0777) != 0 && errno != EEXIST) return tp_file_fail(f->why, "make the folder", f->path);
    for (int k = 0; k < f->painter.moments.count; k++) {
        const tp_text *file;
        tp_arena_reset(&f->frame_arena, 0);
        const char *path = tp_arena_format(&f->frame_arena, "%sframe-%05d.png", f->path, k + 1);
        if (!path) return no_memory(f);
        TP_TRY(paint(f, k));
        TP_TRY(tp_canvas_finish(f->painter.canvas, &file, f->why));
        TP_TRY(tp_file_write(path, file->bytes, file->count, f->why));
    }
    return TP_OK;
}

static tp_status find_format(filming *f)
{
    static const tp_film_format *const formats[] = {&tp_film_gif, &tp_film_png};
    size_t length = strlen(f->path);
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        if (tp_path_ends(f->path, formats[k]->ending)) f->format = formats[k];
    }
    if (f->format || (length > 0 && f->path[length - 1] == '/')) return TP_OK;
    return tp_fail(f->why, TP_INVALID_ARGUMENT,
                   "%s: a film's name must end in .gif or .png, that of a folder for its frames in a slash",
                   f->path);
}

tp_status tp_film_write(const tp_allocator *allocator, const tp_model *model, const tp_trajectory *trajectory,
                        const tp_film_options *options, const char *path, int *frame_count_out,
                        tp_message *why_out)
{
    filming f = {.options = options, .path = path, .why = why_out};
    TP_TRY(find_format(&f));
    if (trajectory->row_count < 1) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the run has no rows");
    tp_picture_options picture = options->picture;
    picture.is_side_by_side = false, picture.time_count = 0;
    TP_TRY(choose_frames(&f, trajectory, &picture.frame_count));
    f.sheet = (tp_sheet){"film.png", picture.width, picture.height, picture.dots_per_inch};
    TP_TRY(tp_sheet_check(&f.sheet, why_out));
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, why_out));
    tp_arena arena = tp_arena_make(allocator);
    tp_arena_init(&f.frame_arena, allocator);
    f.painter =
        (tp_painter){.arena = &arena,
                     .options = &picture,
                     .moments = {.model = model, .trajectory = trajectory, .most = TP_FILM_FRAMES_MAX}};
    f.film.arena = &f.frame_arena, f.film.why = why_out;
    tp_status status = tp_painter_prepare(&f.painter, &f.sheet, why_out);
    if (status == TP_OK) status = f.format ? write_film(&f) : write_frames(&f);
    if (frame_count_out) *frame_count_out = f.painter.moments.count;
    tp_canvas_free(f.painter.canvas);
    tp_drawer_free(f.painter.moments.drawer);
    tp_text_clear(&f.film.file);
    tp_arena_clear(&f.frame_arena);
    tp_arena_clear(&arena);
    tp_c_locale_leave(&locale);
    return status;
}
