/* Experiments of the literature: a catalogue says what a document reports and how it is measured here; the
   verdict is computed from both; docs/guide/reproduce.md. */
#ifndef TIPPE_REPRODUCE_H
#define TIPPE_REPRODUCE_H

#include "tippe/base.h"
#include "tippe/hdf5.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From good to bad. */
typedef enum tp_verdict {
    TP_VERDICT_AGREES,
    TP_VERDICT_AFTER_ERRATUM, /* not with what is printed, but with the corrected value */
    TP_VERDICT_DIFFERS,
    TP_VERDICT_MISSING /* not done, for the reason that the catalogue gives */
} tp_verdict;
const char *tp_verdict_name(tp_verdict verdict); /* "agrees", "agrees after the erratum", ... */

/* One thing that a document says. Texts are NULL and numbers NaN where the catalogue gives none. */
typedef struct tp_check {
    const char *what;   /* in words */
    const char *unit;   /* "m"; NULL: none */
    const char *source; /* who says it: "text", "table 8", "closed form"; NULL: the document's text */

    /* What is measured. */
    const char *of;             /* name of the step                                                        */
    const char *take;           /* word of the measure: "end", "max", "figure", ...                        */
    const char *column;         /* of the run: its whole name, or the last part where no other ends so     */
    const char *against;        /* step whose column is subtracted, at the times of the first              */
    const char *against_column; /* NULL: the same name                                                     */
    const char *over;           /* of figures: step by whose figure it is divided                         */
    const char *path;           /* in the JSON of the step: "own_steps.accepted", "levels[2].order.q"      */
    const char *event, *law;    /* kind and law of events; NULL: all                                       */
    const char *field;          /* of events: a column of their table; NULL: "time"                        */
    double from, until;         /* [s] what is outside is not looked at                                    */
    double at, level;           /* time of "value" [s]; value that "time" waits for                        */
    int number;                 /* of an event or crossing, from 1                                         */

    /* What is reported: a number as printed or a word, or bounds. */
    const char *reported;
    double above, below;
    double tolerance;      /* NaN: half a unit of the last printed digit */
    const char *because;   /* where the tolerance comes from             */
    const char *corrected; /* the right value where the printed one is wrong, and which erratum says so */
    const char *erratum;
    const char *reason; /* why it differs, if it does */
} tp_check;

/* A command of the program. */
typedef struct tp_experiment_step {
    const char *name;
    const char *text;         /* as the catalogue has it                                                 */
    const char *const *words; /* [word_count] with the places of files, and what the runner adds         */
    int word_count;
} tp_experiment_step;

/* A step gets `-o NAME.h5` (run), `--json`, `--quiet`, `--jobs 1`, as its verb has them. In its words
   `examples/` and `reproduce/` are the folders of the examples and of the catalogue, `@NAME` is the run of a
   step before. */
typedef struct tp_experiment {
    const char *name, *title, *where, *about;
    const char *document, *document_title; /* short name, whole name */
    const char *missing;                   /* why it is not done; NULL: it is */
    const tp_experiment_step *steps;
    int step_count;
    const tp_experiment_step *figure; /* draws figure.svg; NULL: a step does, or there is none */
    const tp_check *checks;
    int check_count;
    char fingerprint[20]; /* of the entry, the files that it names, and the version of the library */
} tp_experiment;

typedef struct tp_catalogue {
    const tp_experiment *experiments;
    int count;
} tp_catalogue;

/* Reads FOLDER/NAME.yaml for each name of FOLDER/documents.yaml. TP_INVALID_DATA with the place of what is
   malformed; TP_FILE_ERROR. */
tp_status tp_catalogue_read(const tp_allocator *allocator, const char *folder, const char *examples_folder,
                            tp_catalogue **catalogue_out, tp_message *why_out);
void tp_catalogue_free(tp_catalogue *catalogue); /* NULL is fine */

/* What a check measured: a number, or a word if the number is NaN and the text is not empty. */
typedef struct tp_measured {
    double number;
    char text[160]; /* the word, or why nothing was measured */
    bool is_measured;
    tp_verdict verdict;
    double allowed; /* the tolerance that was used; NaN: a word or bounds */
} tp_measured;

typedef struct tp_experiment_result {
    const tp_experiment *experiment;
    tp_measured *measured; /* [check_count] */
    tp_verdict verdict;    /* the worst */
    bool is_explained;     /* every check that differs has a reason */
    bool is_done;          /* false: not run, or its result is of another entry or version */
    double seconds;        /* processor time of its steps */
} tp_experiment_result;

/* Measures what the steps of an experiment left in a folder: NAME.json, NAME.h5, and their exit codes
   [step_count]. Failures of single measurements are verdicts, not failures of the call. */
tp_status tp_experiment_measure(const tp_allocator *allocator, const tp_hdf5_source *source,
                                const tp_experiment *experiment, const char *folder, const int *exit_codes,
                                double seconds, tp_experiment_result **result_out, tp_message *why_out);
void tp_experiment_result_free(tp_experiment_result *result); /* NULL is fine */

/* Keeps a result as FOLDER/result.json, and reads it again: is_done is false if there is none of this
   fingerprint. Verdicts are computed anew from what was measured. */
tp_status tp_experiment_keep(const tp_experiment_result *result, const char *folder, tp_message *why_out);
tp_status tp_experiment_recall(const tp_allocator *allocator, const tp_experiment *experiment,
                               const char *folder, tp_experiment_result **result_out, tp_message *why_out);

/* The verdict on a measured value: number, or word if it is NaN. */
tp_verdict tp_check_judge(const tp_check *check, double number, const char *word, double *allowed_out);

/* Half a unit of the last printed digit: 0.005 of "0.84", 0.5e3 of "12e3". NaN: not a number. */
double tp_printed_precision(const char *text);

/* Writes the page, Markdown, of results in the order of the catalogue. Figures are FIGURES/NAME.svg where
   has_figure says so; `figures` as the page names the folder. */
tp_status tp_reproduction_page(const tp_experiment_result *const *results, const bool *has_figure, int count,
                               const char *figures, const char *path, tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
