/* The table of tippe compare: for a person, as JSON, as a figure. */
#ifndef CLI_COMPARE_REPORT_H
#define CLI_COMPARE_REPORT_H

#include "study_report.h"

enum { COMPARE_RUNS_MAX = 64 };

/* An integrator that was not asked for by name and refuses the scene. */
typedef struct compare_left_out {
    const char *integrator;
    char reason[1024];
} compare_left_out;

typedef struct compare_result {
    const char *path; /* of the scene */
    const tp_study *study;
    study_norm norm;
    const compare_left_out *left_out; /* [left_out_count] */
    int left_out_count;
    exit_code code;
    char reason[1200]; /* of the run that failed; "": none */
} compare_result;

void compare_print_lines(const compare_result *result, FILE *file);
void compare_print_json(const compare_result *result, FILE *file);
tp_status compare_plot(const compare_result *result, const char *path, tp_message *why_out);

#endif
