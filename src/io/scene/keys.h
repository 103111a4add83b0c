/* Key tables: what a map of a scene may say. One table is the source of the checks, the hints for misspelt
   keys, the values that are left out, the manual (keys_doc.h) and the JSON schema. A section's reader is then

       TP_TRY(tp_keys_check(scene, &scene_keys, why));      everything: unknown and missing keys, types,
   ranges def.mass = tp_keys_number(body, &body_keys, "mass"); no errors left to handle

   Tables are static constants of a program; no fields are copied. */
#ifndef TP_IO_SCENE_KEYS_H
#define TP_IO_SCENE_KEYS_H

#include "io/scene/scalar.h"
#include "io/scene/scene_tree.h"

/* What one value is. */
typedef enum tp_value_kind {
    TP_VALUE_NUMBER,
    TP_VALUE_INTEGER,
    TP_VALUE_BOOLEAN,
    TP_VALUE_TEXT,
    TP_VALUE_CHOICE,   /* one of the words in `choices`, or a selector's variants */
    TP_VALUE_FORMULA,  /* any scalar, for the formula parser                      */
    TP_VALUE_QUANTITY, /* a number or a formula                                   */
    TP_VALUE_MAP,      /* a map of the table `table`                              */
    TP_VALUE_ANY       /* not checked here                                        */
} tp_value_kind;

/* How many values there are. */
typedef enum tp_value_form {
    TP_FORM_ONE,
    TP_FORM_LIST, /* [a, b]: `count` of them, or any number if count is 0             */
    TP_FORM_ROWS, /* [[a, b], [c, d]]: any number of rows, `count` in each (0: any)   */
    TP_FORM_NAMED /* {g: a, length: b}: names of the author's own, one value for each */
} tp_value_form;

enum {
    TP_KEY_REQUIRED = 1,
    TP_KEY_POSITIVE = 2,     /* numbers and integers (and quantities that are numbers): > 0 */
    TP_KEY_NOT_NEGATIVE = 4, /* >= 0                                                        */
    TP_KEY_IN_RANGE = 8,     /* from `low` to `high`                                        */
    TP_KEY_OR_ONE = 16,      /* a list may be one value without brackets                    */
    TP_KEY_OR_NAME = 32      /* a map may be its name alone: x instead of {name: x}         */
};

typedef struct tp_key_table tp_key_table;

typedef struct tp_key tp_key;
struct tp_key {
    const char *name;
    tp_value_kind kind;
    tp_value_form form;
    int count;
    unsigned flags;
    double low, high;           /* with TP_KEY_IN_RANGE                                                     */
    const char *unit;           /* "m", "kg m^2"; NULL: none                                                */
    const char *default_text;   /* as it would be written in a scene; NULL: none (then it may be left out)  */
    const char *text;           /* one line of help                                                         */
    const char *const *choices; /* of TP_VALUE_CHOICE, with NULL at the end; a selector needs none          */
    const tp_key_table *table;  /* of TP_VALUE_MAP                                                          */
    const tp_key *or_else; /* what else it may be: a map where this is a list, a list where this is a map,
                              rows where this is a list; NULL: nothing */
};

/* A map may have a key, the selector, whose word decides which further keys there are: kind: sphere. */
typedef struct tp_key_variant {
    const char *word;
    const tp_key_table *table; /* its further keys; it has no selector itself */
    int value;                 /* what the loader takes it for: an enumerator */
    const char *text;          /* what it is, for lists of words; NULL where there are none */
} tp_key_variant;

struct tp_key_table {
    const char *name; /* heading in the manual and name in the schema; unique */
    const char *text; /* a sentence on what such a map is                     */
    const tp_key *keys;
    int key_count;
    const char *selector; /* one of the keys; NULL: none */
    const tp_key_variant *variants;
    int variant_count;
};

/* .TP_KEYS_OF(array) fills keys and key_count, .TP_VARIANTS_OF(array) variants and variant_count. */
#define TP_KEYS_OF(array)     keys = (array), .key_count = (int)(sizeof(array) / sizeof((array)[0]))
#define TP_VARIANTS_OF(array) variants = (array), .variant_count = (int)(sizeof(array) / sizeof((array)[0]))

/* Checks a map and all that is in it against its table. TP_INVALID_DATA with place, path, what is wrong, what
   would be right. */
tp_status tp_keys_check(const tp_node *map, const tp_key_table *table, tp_message *why_out);

/* The key of that name in a table, or in the variant that the map has chosen (map may be NULL: table only);
   NULL if there is none. */
const tp_key *tp_keys_find(const tp_key_table *table, const tp_node *map, const char *name);

/* Whether its values are written as maps. */
bool tp_key_is_map(const tp_key *key);

/* The key itself, or what else it may be (or_else), whichever this value is. */
const tp_key *tp_key_for(const tp_key *key, const tp_node *value);

/* Whether the value of a number, or of a formula, lies where the key's flags want it. */
tp_status tp_key_check_range(const tp_node *node, const tp_key_table *table, const tp_key *key, double value,
                             tp_message *why_out);

/* The variant that a map has chosen, by its selector or the selector's default; NULL if none. */
const tp_key_variant *tp_keys_variant(const tp_key_table *table, const tp_node *map);

/* The value of that variant, of a map that was checked. */
int tp_keys_variant_value(const tp_key_table *table, const tp_node *map);

/* Checks a table itself and all that it reaches: names, help texts, defaults that fit, choices, selectors.
   For tests. */
tp_status tp_keys_check_table(const tp_key_table *table, tp_message *why_out);

/* The tables that a table reaches, itself first, variants behind the table that has them; each once. Returns
   how many there are, at most TP_KEYS_TABLES_MAX. */
enum { TP_KEYS_TABLES_MAX = 256 };
int tp_keys_reach(const tp_key_table *table, const tp_key_table *tables_out[TP_KEYS_TABLES_MAX]);

/* "a list of 3 numbers [m]": what would be right. */
typedef struct tp_key_wants {
    char text[400];
} tp_key_wants;

tp_key_wants tp_key_wants_of(const tp_key_table *table, const tp_key *key);

/* ---- values of a map that was checked ------------------------------------------------------------------
   Where the map has no such key, its default; where that has none either, 0, false, NULL, nothing. Ask
   tp_map_get whether it is there. A name that is not in the table is the caller's mistake. */

double tp_keys_number(const tp_node *map, const tp_key_table *table, const char *name);
int tp_keys_integer(const tp_node *map, const tp_key_table *table, const char *name);
bool tp_keys_boolean(const tp_node *map, const tp_key_table *table, const char *name);

/* Texts and choices. */
const char *tp_keys_text(const tp_node *map, const tp_key_table *table, const char *name);

/* Place of the word in the key's choices, or among the variants; -1: none. */
int tp_keys_choice(const tp_node *map, const tp_key_table *table, const char *name);

/* Formulas and quantities; a default has no place. */
tp_quantity tp_keys_quantity(const tp_node *map, const tp_key_table *table, const char *name);

/* Lists: fills at most `capacity` values and returns how many there are. Defaults are lists of
   numbers, and have no text as formulas. A value without brackets (TP_KEY_OR_ONE) is a list of one. */
int tp_keys_numbers(const tp_node *map, const tp_key_table *table, const char *name, int capacity,
                    double *values_out);
int tp_keys_quantities(const tp_node *map, const tp_key_table *table, const char *name, int capacity,
                       tp_quantity *values_out);

#endif
