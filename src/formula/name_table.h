/* The table of names, as the parser sees it. */
#ifndef TP_FORMULA_NAME_TABLE_H
#define TP_FORMULA_NAME_TABLE_H

#include "formula/builder.h"
#include "formula/formula.h"

typedef enum tp_name_kind {
    TP_NAME_VARIABLE,
    TP_NAME_CONSTANT,
    TP_NAME_EXPRESSION,
    TP_NAME_FUNCTION,
    TP_NAME_REFUSED
} tp_name_kind;

enum { TP_FORMULA_MAX_ARGUMENTS = 32 }; /* of a user's function */

typedef struct tp_name {
    const char *text;
    int length;
    tp_name_kind kind;
    int slot;           /* variable                                         */
    double constant;    /* constant                                         */
    const char *reason; /* refused: what a message says of it               */
    int argument_count; /* function                                         */
    bool is_condition;  /* expression, function: yes or no, not a number    */
    tp_graph body;      /* expression, function: all names in it resolved   */
} tp_name;

/* The functions of the language; kind in words for messages. */
typedef struct tp_builtin {
    const char *name;
    int code;
    int least, most; /* arguments; most -1: any number */
} tp_builtin;

enum { TP_BUILTIN_IF = -1, TP_BUILTIN_POWER = -2 }; /* codes beside the operations' */

const tp_builtin *tp_builtin_find(const char *text, int length);

/* False if unknown. */
bool tp_names_find(const tp_names *names, const char *text, int length, tp_name *name_out);

/* Nearest known name by edit distance among functions or among the rest; NULL if none is near. `arguments`
   are the names of a function's arguments in whose body the name stands; `room` [TP_FAMILY_NAME_BYTES] holds
   the answer if it is one of a family. */
const char *tp_names_nearest(const tp_names *names, const char *const *arguments, int argument_count,
                             const char *text, int length, bool is_function, char *room);

#endif
