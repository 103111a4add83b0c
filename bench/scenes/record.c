/* Records of runs as CSV and as Markdown. */
#define _XOPEN_SOURCE 700
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 18 };

static const char begin_mark[] = "<!-- bench-scenes: begin -->", end_mark[] = "<!-- bench-scenes: end -->";

void bench_runs_write_header(FILE *out)
{
    fprintf(out, "scene,size,engine,setting,status,steps,milliseconds,longest,contacts,residual_mean,"
                 "residual_max,cone,overlap,overlap_end,energy_rise,drift,own_residual,unsolved\n");
}

void bench_runs_write_line(FILE *out, const bench_run *run)
{
    const bench_figures *f = &run->figures;
    fprintf(out, "%s,%d,%s,\"%s\",%s,%d,%.5g,%.5g,%.5g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%lld\n",
            run->kind->name, run->size, run->peer, run->setting, run->status, f->steps, f->milliseconds,
            f->longest, f->contacts, f->residual_mean, f->residual_max, f->cone, f->overlap, f->overlap_end,
            f->energy_rise, f->drift, f->own_residual, f->unsolved);
    fflush(out);
}

/* Cuts a line at its commas, in place; a text in quotes may hold some. */
static int cut_line(char *line, char **fields, int capacity)
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at != NULL && count < capacity;) {
        bool is_quoted = *at == '"';
        char *end = strchr(is_quoted ? ++at : at, is_quoted ? '"' : ',');
        fields[count++] = at;
        if (end != NULL && is_quoted) *end++ = '\0';
        if (end == NULL || *end == '\0') return count;
        *end = '\0';
        at = end + 1;
    }
    return count;
}

static bool read_run(char *line, bench_run *run)
{
    char *field[FIELDS + 1];
    bench_figures *f = &run->figures;
    if (cut_line(line, field, FIELDS + 1) != FIELDS) return false;
    double *const numbers[] = {&f->milliseconds, &f->longest, &f->contacts,    &f->residual_mean,
                               &f->residual_max, &f->cone,    &f->overlap,     &f->overlap_end,
                               &f->energy_rise,  &f->drift,   &f->own_residual};
    *run = (bench_run){.kind = bench_scene_kind_named(field[0]), .size = atoi(field[1])};
    if (run->kind == NULL || run->size < 1) return false;
    run->peer = strdup(field[2]), run->setting = strdup(field[3]), run->status = strdup(field[4]);
    f->steps = atoi(field[5]);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) *numbers[k] = strtod(field[6 + k], NULL);
    f->unsolved = atoll(field[FIELDS - 1]);
    bench_scene scene;
    if (run->peer == NULL || run->setting == NULL || run->status == NULL) return false;
    if (!bench_scene_build(run->kind, 1, &scene)) return false;
    f->steps_asked = (int)lround(scene.duration / scene.time_step);
    bench_scene_free(&scene);
    return true;
}

int bench_runs_read(const char *path, bench_run *runs_out, int capacity)
{
    char line[1024];
    int count = 0;
    bool is_fine = true;
    FILE *file = fopen(path, "r");
    if (file == NULL) return -1;
    while (is_fine && count < capacity && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "scene,", 6) == 0) continue; /* the heading, also of a file made of several */
        is_fine = read_run(line, &runs_out[count]);
        count++;
    }
    fclose(file);
    return is_fine ? count : -1;
}

/* A cell; what rounding makes is 0. */
static void put_number(FILE *out, double value, double rounding)
{
    if (isnan(value))
        fprintf(out, " - |");
    else if (value <= rounding)
        fprintf(out, " 0 |");
    else
        fprintf(out, " %.2g |", value);
}

/* With two or more settings, times are compared with the first one of the first engine. */
static void put_row(FILE *out, const bench_run *run, double reference)
{
    const bench_figures *f = &run->figures;
    fprintf(out, "| %s %s |", run->peer, run->setting);
    if (f->steps == 0) {
        fprintf(out, " %s | | | | | | | | |\n", run->status);
        return;
    }
    fprintf(out, " %.3g | %.2g |", f->milliseconds, f->milliseconds / reference);
    put_number(out, f->residual_mean, 1e-15);
    put_number(out, f->cone, 1e-12);
    put_number(out, 1e3 * f->overlap, 1e-9);
    put_number(out, 1e3 * f->overlap_end, 1e-9);
    put_number(out, f->energy_rise, 1e-15);
    put_number(out, 1e3 * f->drift, 1e-15);
    if (f->steps < f->steps_asked)
        fprintf(out, " %s after %d of %d steps", run->status, f->steps, f->steps_asked);
    if (f->unsolved > 0)
        fprintf(out, " %lld steps above the tolerance, worst E %.1e", f->unsolved, f->own_residual);
    fprintf(out, " |\n");
}

static bool is_same_scene(const bench_run *a, const bench_run *b)
{
    return a->kind == b->kind && a->size == b->size;
}

void bench_runs_write_markdown(FILE *out, const bench_run *runs, int count)
{
    for (int k = 0; k < count; k++) {
        if (k == 0 || !is_same_scene(&runs[k], &runs[k - 1])) {
            fprintf(out, "\n**%s", runs[k].kind->name);
            if (runs[k].size > 1) fprintf(out, " of %d", runs[k].size);
            fprintf(out, "**");
            if (runs[k].kind->drift_text[0] != '\0') fprintf(out, " (drift: %s)", runs[k].kind->drift_text);
            fprintf(out,
                    "\n\n| engine, setting | ms a step | ratio | law residual | beyond the cone | overlap "
                    "[mm] | at the end [mm] | energy rise | drift [mm] | notes |\n"
                    "|---|---|---|---|---|---|---|---|---|---|\n");
        }
        int first = k;
        while (first > 0 && is_same_scene(&runs[first - 1], &runs[k])) first--;
        put_row(out, &runs[k], runs[first].figures.milliseconds);
    }
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
        if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = '\0';
    }
    fclose(file);
    return text;
}

bool bench_runs_update_page(const char *path, const bench_run *runs, int count)
{
    char *text = read_whole(path);
    char *begin = text != NULL ? strstr(text, begin_mark) : NULL;
    char *end = begin != NULL ? strstr(begin, end_mark) : NULL;
    FILE *out = end != NULL ? fopen(path, "wb") : NULL;
    if (out == NULL) {
        fprintf(stderr, "bench-scenes: %s cannot be written or lacks the marks\n", path);
        free(text);
        return false;
    }
    fwrite(text, 1, (size_t)(begin - text) + strlen(begin_mark), out);
    fprintf(out, "\n");
    bench_runs_write_markdown(out, runs, count);
    fprintf(out, "\n%s", end);
    free(text);
    return fclose(out) == 0;
}
