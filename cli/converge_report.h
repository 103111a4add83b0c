/* The table of tippe converge: for a person, as JSON, as CSV, as a figure. */
#ifndef CLI_CONVERGE_REPORT_H
#define CLI_CONVERGE_REPORT_H

#include "study_report.h"

enum { CONVERGE_LEVELS_MAX = 24 };

typedef struct converge_result {
    const char *path; /* of the scene */
    const tp_study *study;
    study_norm norm;
    exit_code code;
    char reason[1200]; /* of the run that failed; "": none */
} converge_result;

void converge_print_lines(const converge_result *result, FILE *file);
void converge_print_json(const converge_result *result, FILE *file);
void converge_print_csv(const converge_result *result, FILE *file);
tp_status converge_plot(const converge_result *result, const char *path, tp_message *why_out);

#endif
