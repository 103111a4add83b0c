/* From a canvas to a file. */
#include "sheet.h"

#include <math.h>

#include "io/common/whole_file.h"

static const double size_min = 60.0, size_max = 14400.0; /* [pt]                  */
static const double pixels_max = 20000.0;                /* along a side of a PNG */

static bool is_png(const tp_sheet *sheet)
{
    return tp_path_ends(sheet->path, ".png");
}

tp_status tp_sheet_check(const tp_sheet *sheet, tp_message *why_out)
{
    if (!is_png(sheet) && !tp_path_ends(sheet->path, ".svg")) {
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "%s: a picture's name must end in .svg or .png",
                       sheet->path);
    }
    const double sizes[] = {sheet->width, sheet->height};
    for (int k = 0; k < 2; k++) {
        if (sizes[k] != 0.0 && !(sizes[k] >= size_min && sizes[k] <= size_max)) {
            return tp_fail(why_out, TP_INVALID_ARGUMENT, "a figure of %g x %g points: expected %g to %g",
                           sizes[0], sizes[1], size_min, size_max);
        }
    }
    return TP_OK;
}

tp_status tp_sheet_open(const tp_allocator *allocator, const tp_sheet *sheet, tp_canvas **canvas_out,
                        tp_message *why_out)
{
    double scale = is_png(sheet) ? sheet->dots_per_inch / 72.0 : 0.0;
    *canvas_out = NULL;
    if (is_png(sheet) && !(scale > 0.0 && scale * fmax(sheet->width, sheet->height) <= pixels_max)) {
        return tp_fail(why_out, TP_INVALID_ARGUMENT,
                       "%g x %g points at %g dots per inch: too many pixels, at most %g", sheet->width,
                       sheet->height, sheet->dots_per_inch, pixels_max);
    }
    tp_status status = tp_canvas_create(allocator, sheet->width, sheet->height, scale, canvas_out);
    return status == TP_OK ? TP_OK : tp_fail(why_out, status, "no memory for the figure");
}

tp_status tp_sheet_write(const tp_sheet *sheet, tp_canvas *canvas, tp_message *why_out)
{
    const tp_text *file;
    TP_TRY(tp_canvas_finish(canvas, &file, why_out));
    return tp_file_write(sheet->path, file->bytes, file->count, why_out);
}
