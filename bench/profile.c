/* Performance profile: for each solver the part of the problems that it solves within a factor of the fastest
   solver, over that factor. Reads the CSV files of the measuring programs, writes SVG; README.md. */
#include "files.h"
#include "grid.h"
#include "records.h"
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 960,
    HEIGHT = 560,
    LEFT = 60,
    TOP = 40,
    PLOT_WIDTH = 620,
    PLOT_HEIGHT = 460,
    CURVES_MAX = 24,
    DECADES = 4, /* of the factor: 1 to 10^4 */
    INPUTS_MAX = 64
};

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#8c564b"};
static const char *const dashes[] = {"none", "8 3", "2 3"};

typedef struct curve {
    int solver;
    double *factors; /* sorted; the problems that the solver solves */
    int solved;
} curve;

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Most problems solved first, so that the legend reads like the right edge of the plot. */
static int compare_curves(const void *a, const void *b)
{
    const curve *x = a, *y = b;
    return x->solved != y->solved ? y->solved - x->solved : x->solver - y->solver;
}

static double fastest(const bench_grid *grid, int level, int file)
{
    double least = NAN;
    for (int i = 0; i < grid->solver_count; i++) least = fmin(least, bench_grid_at(grid, level, file, i));
    return least;
}

static bool make_curve(const bench_grid *grid, int level, int solver, curve *curve_out)
{
    *curve_out =
        (curve){.solver = solver, .factors = malloc(((size_t)grid->file_count + 1) * sizeof(double))};
    if (curve_out->factors == NULL) return false;
    for (int file = 0; file < grid->file_count; file++) {
        double seconds = bench_grid_at(grid, level, file, solver);
        if (!isnan(seconds)) curve_out->factors[curve_out->solved++] = seconds / fastest(grid, level, file);
    }
    qsort(curve_out->factors, (size_t)curve_out->solved, sizeof(double), compare_numbers);
    return true;
}

static double x_of(double factor)
{
    return LEFT + PLOT_WIDTH * fmin(log10(factor) / DECADES, 1.0);
}

static double y_of(double part)
{
    return TOP + PLOT_HEIGHT * (1.0 - part);
}

static void draw_axes(FILE *out, double level, int problems)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(out,
            "<text x=\"%d\" y=\"24\" font-size=\"15\">Part of %d friction problems solved to E &#8804; %.0e "
            "within a factor of the fastest solver</text>\n",
            LEFT, problems, level);
    for (int i = 0; i <= DECADES; i++) {
        double x = x_of(pow(10.0, i));
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#cccccc\"/>\n", x, TOP, x,
                TOP + PLOT_HEIGHT);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", x,
                TOP + PLOT_HEIGHT + 18, pow(10.0, i));
    }
    for (int i = 0; i <= 5; i++) {
        double y = y_of(0.2 * i);
        fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#cccccc\"/>\n", LEFT, y,
                LEFT + PLOT_WIDTH, y);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n", LEFT - 8, y + 4.0,
                0.2 * i);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time / time of the fastest solver</text>\n",
            LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 40);
}

/* A staircase: it rises where the factor of one more problem is reached. */
static void draw_curve(FILE *out, const curve *c, int index, int problems, const char *name)
{
    const char *colour = colours[index % 8], *dash = dashes[index / 8 % 3];
    fprintf(out,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\" points=\"",
            colour, strcmp(name, "auto") == 0 ? "3" : "1.5", dash);
    fprintf(out, "%.1f,%.1f", x_of(1.0), y_of(0.0));
    for (int i = 0; i < c->solved && log10(c->factors[i]) <= DECADES; i++) {
        double x = x_of(c->factors[i]);
        fprintf(out, " %.1f,%.1f %.1f,%.1f", x, y_of((double)i / problems), x,
                y_of((double)(i + 1) / problems));
    }
    int inside = 0;
    while (inside < c->solved && log10(c->factors[inside]) <= DECADES) inside++;
    fprintf(out, " %.1f,%.1f\"/>\n", x_of(pow(10.0, DECADES)), y_of((double)inside / problems));
    int y = TOP + 10 + 20 * index;
    fprintf(out,
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\" "
            "stroke-dasharray=\"%s\"/>\n",
            LEFT + PLOT_WIDTH + 16, y, LEFT + PLOT_WIDTH + 46, y, colour, dash);
    fprintf(out, "<text x=\"%d\" y=\"%d\">%s (%d)</text>\n", LEFT + PLOT_WIDTH + 52, y + 4, name, c->solved);
}

static bool draw(FILE *out, const bench_grid *grid, int level)
{
    int problems = 0, count = 0;
    for (int file = 0; file < grid->file_count; file++) {
        if (!isnan(fastest(grid, level, file))) problems++;
    }
    curve *curves = calloc((size_t)grid->solver_count + 1, sizeof *curves);
    bool is_fine = curves != NULL;
    for (int solver = 0; solver < grid->solver_count && is_fine; solver++) {
        is_fine = make_curve(grid, level, solver, &curves[count]);
        if (is_fine) count++;
    }
    if (is_fine) {
        qsort(curves, (size_t)count, sizeof *curves, compare_curves);
        draw_axes(out, bench_levels[level], problems);
        for (int i = 0; i < count && i < CURVES_MAX && curves[i].solved > 0; i++) {
            draw_curve(out, &curves[i], i, problems, grid->solvers[curves[i].solver]->solver);
        }
        fprintf(out, "</svg>\n");
    }
    for (int i = 0; i < count; i++) free(curves[i].factors);
    free(curves);
    return is_fine;
}

typedef struct request {
    const char *problems, *out;
    int level;
    double limit;     /* [s] */
    const char *kind; /* only problems of this kind; NULL: all             */
    int size;         /* only problems with so many rows a contact; 0: all */
    const char *inputs[INPUTS_MAX];
    int input_count;
} request;

static int level_named(const char *text)
{
    double value = strtod(text, NULL);
    for (int i = 0; i < BENCH_LEVELS; i++) {
        if (fabs(value - bench_levels[i]) < 0.5 * bench_levels[i]) return i;
    }
    return -1;
}

static bool parse(int count, char **arguments, request *request_out)
{
    request *r = request_out;
    *r = (request){.problems = "data/problems", .level = 1, .limit = INFINITY};
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (name[0] != '-') {
            if (r->input_count == INPUTS_MAX) return false;
            r->inputs[r->input_count++] = name;
            continue;
        }
        if (value == NULL) return false;
        i++;
        if (strcmp(name, "--problems") == 0) {
            r->problems = value;
        } else if (strcmp(name, "-o") == 0) {
            r->out = value;
        } else if (strcmp(name, "--limit") == 0) {
            r->limit = strtod(value, NULL);
        } else if (strcmp(name, "--kind") == 0) {
            r->kind = value;
        } else if (strcmp(name, "--size") == 0) {
            r->size = atoi(value);
        } else if (strcmp(name, "--level") == 0) {
            r->level = level_named(value);
            if (r->level < 0) return false;
        } else {
            return false;
        }
    }
    return r->input_count > 0;
}

/* A profile is fair only among solvers that accept the same problems. */
static void keep_asked_for(const request *r, bench_table *table)
{
    int kept = 0;
    for (int i = 0; i < table->count; i++) {
        const bench_record *record = &table->records[i];
        bool is_kind = r->kind == NULL || strcmp(record->kind, r->kind) == 0;
        bool is_size = r->size == 0 || (record->contacts > 0 && record->rows == r->size * record->contacts);
        if (is_kind && is_size) table->records[kept++] = *record;
    }
    table->count = kept;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The name of the output says what is wanted. */
static bool write_out(const request *r, const bench_table *table, const char *manifest)
{
    FILE *out = fopen(r->out, "w");
    if (out == NULL) {
        fprintf(stderr, "%s: %s\n", r->out, strerror(errno));
        return false;
    }
    bool is_fine = true;
    if (ends_with(r->out, ".csv")) {
        bench_summary_write(out, table, manifest, r->limit);
    } else {
        bench_grid grid;
        is_fine = bench_grid_make(table, manifest, r->limit, &grid) && draw(out, &grid, r->level);
        bench_grid_free(&grid);
    }
    return fclose(out) == 0 && is_fine;
}

int main(int count, char **arguments)
{
    request r;
    if (!parse(count, arguments, &r)) {
        fprintf(stderr,
                "usage: %s [--problems DIR] [--level 1e-4|1e-8|1e-12] [--limit SECONDS] [--kind KIND] "
                "[--size ROWS]\n"
                "       [-o FILE.svg|.csv] CSV...\n"
                "Without -o the summary of the files is printed.\n",
                arguments[0]);
        return 2;
    }
    bench_table table = {0};
    bool is_fine = true;
    for (int i = 0; i < r.input_count && is_fine; i++) is_fine = bench_read_records(r.inputs[i], &table);
    keep_asked_for(&r, &table);
    char *manifest = bench_manifest_read(r.problems);
    if (is_fine && r.out != NULL) is_fine = write_out(&r, &table, manifest);
    if (is_fine && r.out == NULL) bench_summary_print(stdout, &table, manifest, r.limit);
    free(manifest);
    bench_table_free(&table);
    return is_fine ? 0 : 4;
}
