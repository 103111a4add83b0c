/* What the parts of the program share: exit codes, the table of verbs, complaints on standard error. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdio.h>

#include "command_options.h"
#include "tippe/base.h"

/* Scripts rely on these numbers; docs/command-line.md. */
typedef enum exit_code {
    PROGRAM_DONE = 0,
    PROGRAM_OTHER = 1,       /* anything else                                                         */
    PROGRAM_BAD_INPUT = 2,   /* malformed content, an unsound model, a bad option                     */
    PROGRAM_NO_SOLUTION = 3, /* a solve did not converge, or the problem is infeasible                */
    PROGRAM_NO_RESOURCE = 4, /* a file that cannot be read or written, or a missing system resource   */
    PROGRAM_SIGNAL = 128,    /* and the number of the signal that ended it                            */
    PROGRAM_INTERRUPTED = 130
} exit_code;

typedef struct cli_verb {
    const char *name;
    const char *summary;       /* one line for the list of verbs                            */
    const char *usage;         /* what follows the verb on the line: "PROBLEM [options]"    */
    const char *text;          /* paragraphs of its help page, may be NULL                  */
    const cli_option *options; /* ends with a NULL name; may be NULL                        */
    const char *positionals;   /* names of what must be given, for messages: "PROBLEM"      */
    int positional_count;      /* how many must be given, and ... */
    int positional_more;       /* how many more may follow        */
    exit_code (*run)(const struct cli_verb *self, int argument_count, char **arguments);
} cli_verb;

extern const cli_verb verb_run;
extern const cli_verb verb_check;
extern const cli_verb verb_compare;
extern const cli_verb verb_sweep;
extern const cli_verb verb_reproduce;
extern const cli_verb verb_converge;
extern const cli_verb verb_new;
extern const cli_verb verb_solve;
extern const cli_verb verb_plot;
extern const cli_verb verb_draw;
extern const cli_verb verb_film;
extern const cli_verb verb_view;
extern const cli_verb verb_export;
extern const cli_verb verb_events;
extern const cli_verb verb_poincare;
extern const cli_verb verb_orbit;
extern const cli_verb verb_cones;
extern const cli_verb verb_list;
extern const cli_verb verb_completion;
extern const cli_verb verb_man;
extern const cli_verb verb_help;

/* All verbs, in the order help shows them; ends with NULL. */
extern const cli_verb *const program_verbs[];

const cli_verb *program_find_verb(const char *name); /* NULL if unknown */

/* Says that a verb is unknown, with the nearest known one. */
exit_code program_unknown_verb(const char *name);

/* One line "tippe: ..." on standard error. */
void complain(const char *format, ...) TP_PRINTF(1, 2);

/* The exit code of a failed call. */
exit_code exit_code_of(tp_status status);

/* The same, and says on stderr what went wrong; `why` may be empty. */
exit_code end_with(const cli_verb *verb, tp_status status, const tp_message *why);

/* What exit codes mean, in two or three lines. */
extern const char program_exit_codes[];

void help_print_program(FILE *file);
void help_print_verb(FILE *file, const cli_verb *verb);

#endif
