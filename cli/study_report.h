/* What converge and compare share: the study behind them, its reference, norms, exit code, figures. */
#ifndef CLI_STUDY_REPORT_H
#define CLI_STUDY_REPORT_H

#include "json.h"
#include "program.h"
#include "tippe/study.h"

/* Which size of an error over time counts. */
typedef enum study_norm { NORM_L1, NORM_MAX, NORM_END } study_norm;
#define STUDY_NORMS "l1|max|end"

double study_norm_of(const tp_study_error *error, study_norm norm);

/* A cell of a table, in the form of printf's %e, %f or %g; "-" for what is not known. */
void study_print_real(FILE *file, int width, int digits, char form, double number);

/* Runs the study with a bar on a terminal. */
tp_status study_carry_out(const tp_study_def *def, bool is_quiet, tp_study **study_out, tp_message *why_out);

/* As many runs at a time as there are processors, or as asked for (0: not asked). */
int study_jobs(int asked);

/* "time step 0.001 s", or "rtol 1e-06" with an integrator that chooses its steps. */
enum { STUDY_FINENESS_MAX = 40 };
const char *study_fineness_text(const tp_simulation_options *run, char text[STUDY_FINENESS_MAX]);

/* Another rtol, and atol in proportion. */
void study_set_rtol(tp_simulation_options *run, double rtol);

/* It reached its end; warnings do not matter. */
static inline bool study_run_is_done(const tp_study_run *run)
{
    return run->status == TP_OK || run->status == TP_WARNED;
}

/* Three at a failed run or reference, whatever the others did; a refusal alone decides if all refuse. The
   reason is that of the run that decided; it stays where it is if nothing failed. */
exit_code study_exit_code(const tp_study *study, char *reason_out, size_t capacity);

/* Two lines: the reference, and how errors against it are measured. */
void study_print_reference(const tp_study_reference *reference, study_norm norm, FILE *file);

/* Keys and values. */
void study_write_reference(json_writer *json, const tp_study_reference *reference);
void study_write_error(json_writer *json, const char *key, const tp_study_error *error);

/* The object of a study that could not be made. */
void study_print_failure_json(const char *path, tp_status status, const char *reason);

/* A figure's file must end so that tp_plot_write knows it, before hours of work. */
bool study_check_plot_path(const cli_verb *self, const char *path);

#endif
