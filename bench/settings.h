/* The command line that both measuring programs share. */
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include "measure.h"
#include "records.h"

typedef struct bench_settings {
    const char *problems; /* folder                                                    */
    const char *only;     /* files whose name contains this; NULL: all                 */
    const char *solvers;  /* names with commas between; NULL: all                      */
    const char *out;      /* CSV file                                                  */
    const char *against;  /* a CSV file of an earlier run, for the summary; NULL: none */
    bench_timing timing;
} bench_settings;

/* Prints usage or what is wrong and returns false when the program should end with *code_out. */
bool bench_settings_parse(int count, char **arguments, const char *default_out, bench_settings *settings_out,
                          int *code_out);

/* The solver is among the ones asked for. */
bool bench_settings_wants(const bench_settings *settings, const char *solver);

#endif
