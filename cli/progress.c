/* The bar; time left by the mean speed so far. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double period = 0.1; /* [s] between two looks of the bar */

enum { BAR_WIDTH = 30 };

double progress_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_begin(bool is_wanted, double begin, double end)
{
    double now = progress_seconds();
    bool is_shown = is_wanted && end > begin && isatty(STDERR_FILENO);
    return (progress){.is_shown = is_shown, .begin = begin, .end = end, .started = now, .last_try = now};
}

void progress_format_duration(double seconds, char *text_out)
{
    double whole = ceil(fmin(fmax(seconds, 0.0), 1e9));
    long count = (long)whole;
    if (count < 60) {
        snprintf(text_out, 32, "%ld s", count);
    } else if (count < 3600) {
        snprintf(text_out, 32, "%ld min %02ld s", count / 60, count % 60);
    } else {
        snprintf(text_out, 32, "%ld h %02ld min", count / 3600, count % 3600 / 60);
    }
}

void progress_show(progress *bar, double time)
{
    if (!bar->is_shown) return;
    double now = progress_seconds();
    if (now - bar->last_try < period) return;
    bar->last_try = now;

    double share = fmin(fmax((time - bar->begin) / (bar->end - bar->begin), 0.0), 1.0);
    char cells[BAR_WIDTH + 1], left[32] = "?";
    for (int k = 0; k < BAR_WIDTH; ++k) {
        cells[k] = k < (int)(share * BAR_WIDTH) ? '#' : '.';
    }
    cells[BAR_WIDTH] = '\0';
    if (share > 0.0) progress_format_duration((now - bar->started) * (1.0 - share) / share, left);
    fprintf(stderr, "\r[%s] %3d %%  ", cells, (int)(100.0 * share));
    if (!bar->is_share) fprintf(stderr, "t = %.4g of %.4g s, ", time, bar->end);
    fprintf(stderr, "%s left\033[K", left);
    fflush(stderr);
    bar->has_printed = true;
}

void progress_end(progress *bar)
{
    if (bar->has_printed) fputs("\r\033[K", stderr);
    bar->has_printed = false;
}
