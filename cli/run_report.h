/* The outcome of tippe run: named for scripts, printed for a person or as JSON. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "json.h"
#include "program.h"
#include "tippe/scene.h"
#include "tippe/simulation.h"

typedef struct run_result {
    const char *path;   /* of the scene                                                            */
    const char *status; /* "done", "not converged", "infeasible", "interrupted", "error"           */
    char reason[1024];  /* what stopped it, for a person                                           */
    exit_code code;
    const tp_scene *scene;            /* NULL: could not be read                                    */
    const tp_simulation *simulation;  /* NULL: was refused                                          */
    bool has_started;                 /* the output could be opened, steps were asked for           */
    tp_simulation_options options;    /* of the scene, changed by the command line                  */
    const char *hdf5_path, *csv_path; /* what was written, or NULL                                 */
    const char *paraview_path;        /* the same                                                   */
    const char *restart_path;         /* of the run that was continued, or NULL                    */
    double wall_time; /* [s] of the steps, with their output                                       */
} run_result;

/* "done", "not converged", "infeasible", "interrupted", "error" */
const char *run_status_name(tp_status status);

/* The report of a run that did not start: nothing is known. */
tp_run_report run_report_unknown(void);

/* Parts of the JSON object that other verbs share: the keys `warnings` and
 * `warnings_left_out`; `energy`, `drift`, `impacts`,
 * `solver`. */
void run_report_write_warnings(json_writer *json, const tp_run_report *report);

/* For a person; `whose` stands before each of them if it is not NULL. */
void run_report_print_warnings(const tp_run_report *report, const char *whose, FILE *file);
void run_report_write_figures(json_writer *json, const tp_run_report *report, const char *solver);

/* A key with the names of coordinates, sensors, ... as an array. */
void run_report_write_names(json_writer *json, const char *key, const tp_model *model,
                            const char *(*name_at)(const tp_model *model, int index), int count);

/* Gives the outcome its name, its exit code and its reason (NULL or "": the text of the status). */
void run_result_conclude(run_result *result, tp_status status, const char *reason);

void run_result_print_json(const run_result *result, FILE *file);
void run_result_print_lines(const run_result *result, FILE *file);

#endif
