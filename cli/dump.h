/* tippe run --dump-step, --dump-failed: the one-step problem of a step, for tippe solve. */
#ifndef CLI_DUMP_H
#define CLI_DUMP_H

#include "program.h"
#include "tippe/simulation.h"

typedef struct step_dump {
    double time;             /* [s] the step that contains it is written to ... */
    const char *step_path;   /* NULL: none                                      */
    const char *failed_path; /* of a step that fails; NULL: none                */
    bool is_written;
} step_dump;

/* After a step; TP_FILE_ERROR when the file cannot be written. */
tp_status dump_see_step(step_dump *dump, const tp_simulation *simulation, tp_message *why_out);

/* After the last one, which failed or not. */
tp_status dump_see_end(step_dump *dump, const tp_simulation *simulation, bool has_failed,
                       tp_message *why_out);

#endif
