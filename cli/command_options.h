/* Options of a verb from a table, and suggestions for misspelt names. */
#ifndef CLI_COMMAND_OPTIONS_H
#define CLI_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What the option's field in the settings of the verb is: */
typedef enum option_kind {
    OPTION_FLAG,   /* bool; --no-NAME clears it                                    */
    OPTION_TEXT,   /* const char *, borrowed from the command line                 */
    OPTION_REAL,   /* double                                                       */
    OPTION_COUNT,  /* int                                                          */
    OPTION_TEXTS,  /* option_texts: may be given several times, borrowed           */
    OPTION_CHOICE, /* int: which of the words in `value`, which are parted by '|' */
    OPTION_TIMED   /* option_timed: a number and a text, two words                 */
} option_kind;

enum { OPTION_TEXTS_MAX = 256 };

typedef struct option_texts {
    int count;
    const char *text[OPTION_TEXTS_MAX];
} option_texts;

/* Both or none: text NULL. */
typedef struct option_timed {
    double time;
    const char *text;
} option_timed;

typedef struct cli_option {
    const char *name;   /* "--tol"; NULL ends the table           */
    const char *letter; /* "-o", or NULL                          */
    option_kind kind;
    size_t offset;           /* of the field in the verb's settings     */
    const char *value;       /* what help calls the value: "FILE"       */
    const char *text;        /* one line for help                       */
    double minimum, maximum; /* REAL, COUNT                       */
    const char *expected;    /* REAL, COUNT: "a number above 0"   */
} cli_option;

enum { POSITIONAL_MAX = 1025 }; /* above the most that a verb takes */

typedef struct positionals {
    int count;
    const char *text[POSITIONAL_MAX];
} positionals;

struct cli_verb;

/* Fills the settings and the positional arguments (everything that is not an option) from the words after the
   verb. Says what is wrong on standard error; true when all is right. */
bool options_parse(const struct cli_verb *verb, int argument_count, char **arguments, void *settings,
                   positionals *positionals_out);

/* The table as help shows it. */
void options_print(FILE *file, const cli_option *options);

/* Says on standard error that there is no such thing ("solver", "integrator"), with the nearest one there is;
   the plural `what`s must be a topic of tippe list. Always false. */
bool complain_unknown_name(const struct cli_verb *verb, const char *what, const char *name,
                           const char *(*known_at)(const void *context, int index));

/* The known name nearest to a misspelt one, or NULL when none is near. known_at returns NULL past the end. */
const char *nearest_name(const char *name, const char *(*known_at)(const void *context, int index),
                         const void *context);

#endif
