/* The range of values that a panel shows. */
#include <math.h>

#include "panel.h"

/* Peaks are cut off if they stand so far above all but a hundredth of the values that are not 0; then the
   frame reaches a little beyond those. Fewer values than a hundred have no hundredth. */
static const double peak_share = 0.01, peak_height = 4.0, frame_reach = 1.6;
enum { SAMPLES_MIN = 100, SAMPLES_MAX = 20000, BISECTIONS = 40 };

static void include(double value, double *low, double *high)
{
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

void tp_panel_range(const tp_plot_panel *panel, double *x_low, double *x_high, double *y_low, double *y_high)
{
    *x_low = *y_low = INFINITY, *x_high = *y_high = -INFINITY;
    const tp_plot_map *map = panel->map;
    if (map) {
        include(map->x[0], x_low, x_high), include(map->x[map->x_count - 1], x_low, x_high);
        include(map->y[0], y_low, y_high), include(map->y[map->y_count - 1], y_low, y_high);
    }
    for (int s = 0; s < panel->series_count; s++) {
        const tp_plot_series *series = &panel->series[s];
        for (long long k = 0; k < series->count; k++) {
            double x = series->x[k], y = series->y[k];
            if (!isfinite(x) || !isfinite(y) || (panel->is_log && y <= 0.0) || (panel->is_log_x && x <= 0.0))
                continue;
            include(x, x_low, x_high);
            include(y, y_low, y_high);
        }
    }
}

/* How many of a sample of the values lie above a size. */
static long long count_above(const tp_plot_panel *panel, double size)
{
    long long count = 0, total = 0;
    for (int s = 0; s < panel->series_count; s++) total += panel->series[s].count;
    long long stride = total / SAMPLES_MAX + 1;
    for (int s = 0; s < panel->series_count; s++) {
        for (long long k = 0; k < panel->series[s].count; k += stride) {
            double value = fabs(panel->series[s].y[k]);
            count += isfinite(value) && value > size;
        }
    }
    return count;
}

double tp_panel_cut_peaks(const tp_plot_panel *panel, double *y_low, double *y_high)
{
    double largest = fmax(fabs(*y_low), fabs(*y_high));
    long long nonzero = count_above(panel, 0.0);
    if (!panel->cuts_peaks || panel->is_log || !(*y_low <= *y_high) || nonzero < SAMPLES_MIN) return 0.0;

    /* The size that all but a hundredth stay below, by halving its logarithm's range. */
    double low = 1e-12 * largest, high = largest;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = sqrt(low) * sqrt(high);
        bool is_too_small = (double)count_above(panel, middle) > peak_share * (double)nonzero;
        if (is_too_small) low = middle;
        if (!is_too_small) high = middle;
    }
    if (largest <= peak_height * high) return 0.0;
    *y_low = fmax(*y_low, -frame_reach * high);
    *y_high = fmin(*y_high, frame_reach * high);
    return largest;
}
