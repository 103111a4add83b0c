/* Options of the measuring programs. */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: %s [--problems DIR] [--only TEXT] [--solvers A,B,...] [--limit SECONDS] [--quick]\n"
    "       [--out FILE.csv] [--against FILE.csv]\n"
    "Times to E <= 1e-4, 1e-8, 1e-12 of each solver on each problem file; bench/README.md\n";

static bench_settings defaults(const char *out)
{
    return (bench_settings){.problems = "data/problems",
                            .out = out,
                            .timing = {.samples = 5,
                                       .seconds = 0.04, /* five samples: 0.2 s of repeats */
                                       .long_solve = INFINITY,
                                       .limit = 60.0,
                                       .clock_cost = bench_clock_cost()}};
}

/* Where the value of an option goes; NULL: no such option. */
static const char **text_option(bench_settings *settings, const char *name)
{
    if (strcmp(name, "--problems") == 0) return &settings->problems;
    if (strcmp(name, "--only") == 0) return &settings->only;
    if (strcmp(name, "--solvers") == 0) return &settings->solvers;
    if (strcmp(name, "--out") == 0) return &settings->out;
    if (strcmp(name, "--against") == 0) return &settings->against;
    return NULL;
}

static bool parse_limit(const char *text, double *limit_out)
{
    char *end;
    *limit_out = strtod(text, &end);
    return end != text && *end == '\0' && *limit_out > 0.0 && isfinite(*limit_out);
}

bool bench_settings_parse(int count, char **arguments, const char *default_out, bench_settings *settings_out,
                          int *code_out)
{
    bench_settings *settings = settings_out;
    *settings = defaults(default_out);
    *code_out = 2;
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        const char **text = text_option(settings, name);
        if (strcmp(name, "--quick") == 0) {
            settings->timing.seconds = 0.004;
            settings->timing.long_solve = 0.2;
        } else if (strcmp(name, "--help") == 0) {
            printf(usage, arguments[0]);
            *code_out = 0;
            return false;
        } else if (text != NULL && value != NULL) {
            *text = value;
            i++;
        } else if (strcmp(name, "--limit") == 0 && value != NULL &&
                   parse_limit(value, &settings->timing.limit)) {
            i++;
        } else {
            fprintf(stderr, "%s: unknown option, or its value is missing or wrong\n", name);
            fprintf(stderr, usage, arguments[0]);
            return false;
        }
    }
    return true;
}

bool bench_settings_wants(const bench_settings *settings, const char *solver)
{
    if (settings->solvers == NULL) return true;
    size_t length = strlen(solver);
    for (const char *at = settings->solvers; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, solver, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return false;
}
