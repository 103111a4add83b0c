/* Pictures of a motion as files. */
#include "tippe/picture.h"

#include <math.h>

#include "io/common/c_locale.h"
#include "painter.h"

tp_picture_options tp_picture_options_default(void)
{
    return (tp_picture_options){.frame_count = 12, .from = NAN, .until = NAN, .dots_per_inch = 200.0};
}

static tp_status make_picture(tp_painter *p, tp_sheet *sheet, tp_message *why)
{
    TP_TRY(tp_painter_prepare(p, sheet, why));
    TP_TRY(tp_sheet_open(p->arena->allocator, sheet, &p->canvas, why));
    tp_painter_paint(p, sheet);
    return tp_sheet_write(sheet, p->canvas, why);
}

tp_status tp_picture_write(const tp_allocator *allocator, const tp_model *model,
                           const tp_trajectory *trajectory, const tp_picture_options *options,
                           const char *path, int *frame_count_out, tp_message *why_out)
{
    tp_sheet sheet = {path, options->width, options->height, options->dots_per_inch};
    TP_TRY(tp_sheet_check(&sheet, why_out));
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, why_out));
    tp_arena arena = tp_arena_make(allocator);
    tp_painter p = {
        .arena = &arena, .options = options, .moments = {.model = model, .trajectory = trajectory}};
    tp_status status = make_picture(&p, &sheet, why_out);
    if (frame_count_out) *frame_count_out = p.moments.count;
    tp_canvas_free(p.canvas);
    tp_drawer_free(p.moments.drawer);
    tp_arena_clear(&arena);
    tp_c_locale_leave(&locale);
    return status;
}
