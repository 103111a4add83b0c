/* Rows of keys: what a map of a scene may say, and where each value goes. One row is the source of the
   checks, the hints for misspelt keys, the manual (keys_doc.h), the JSON schema, and of what the loader
   (loader.h) does with the value: the field of a struct that it fills, or the function that takes it.

       TP_TRY(tp_keys_check(scene, &tp_scene_keys, why));        unknown and missing keys, types, ranges
       TP_TRY(tp_load_map(loader, item, &tp_limit_keys, &def));  every key that is there fills its field

   Tables are static constants; nothing of them is copied. */
#ifndef TP_IO_SCENE_KEYS_H
#define TP_IO_SCENE_KEYS_H

#include <stddef.h>

#include "io/scene/scalar.h"
#include "io/scene/scene_tree.h"
#include "tippe/math.h"
#include "tippe/model.h"

/* What one value is. */
typedef enum tp_value_kind {
    TP_VALUE_NUMBER,
    TP_VALUE_INTEGER,
    TP_VALUE_BOOLEAN,
    TP_VALUE_TEXT,
    TP_VALUE_CHOICE,   /* one of `words`             */
    TP_VALUE_FORMULA,  /* any scalar, for the formula parser */
    TP_VALUE_QUANTITY, /* a number or a formula      */
    TP_VALUE_MAP,      /* a map of the table `table` */
    TP_VALUE_ANY       /* not checked here           */
} tp_value_kind;

/* "a number", "numbers", and the type in JSON schema. */
typedef struct tp_kind_text {
    const char *one, *many, *schema;
} tp_kind_text;
extern const tp_kind_text tp_kind_texts[];

/* How many values there are. */
typedef enum tp_value_form {
    TP_FORM_ONE,
    TP_FORM_LIST, /* [a, b]: `count` of them, or any number if count is 0             */
    TP_FORM_ROWS, /* [[a, b], [c, d]]: any number of rows, `count` in each (0: any)   */
    TP_FORM_NAMED /* {g: a, length: b}: names of the author's own, one value for each */
} tp_value_form;

enum {
    TP_KEY_REQUIRED = 1,
    TP_KEY_POSITIVE = 2,     /* numbers and integers (and quantities that are numbers): > 0       */
    TP_KEY_NOT_NEGATIVE = 4, /* >= 0                                                              */
    TP_KEY_IN_RANGE = 8,     /* from `low` to `high`                                              */
    TP_KEY_OR_ONE = 16,      /* a list may be one value without brackets                          */
    TP_KEY_OR_NAME = 32,     /* a map may be its name alone: x instead of {name: x}               */
    TP_KEY_LISTED = 64       /* its words are those of `tippe list NAMEs`, too many to name them   */
};

typedef struct tp_key_table tp_key_table;
typedef struct tp_key tp_key;
typedef struct tp_loader tp_loader;

/* A word, found by its text, and what it stands for: an enumerator of the library. */
typedef struct tp_word {
    const char *word; /* NULL: none */
    int value;
    const char *text;          /* what it is, for lists of words; NULL where there are none      */
    const tp_key_table *table; /* of a selector's word: the further keys that come with it       */
} tp_word;

/* Word k of a list, counted from 0; none behind the last. */
typedef tp_word (*tp_words)(int k);

/* A list that is written here; others are read off the tables of the library. */
#define TP_WORDS(list, ...)                                                                                  \
    static tp_word list(int k)                                                                               \
    {                                                                                                        \
        static const tp_word words[] = {__VA_ARGS__};                                                        \
        return k < (int)(sizeof words / sizeof words[0]) ? words[k] : (tp_word){.word = NULL};               \
    }

/* A list of the library: the name of number k, NULL behind the last. */
#define TP_WORDS_OF(list, name)                                                                              \
    static tp_word list(int k)                                                                               \
    {                                                                                                        \
        return (tp_word){.word = (name), .value = k};                                                        \
    }

/* One that needs no text and brings no keys. */
#define TP_WORD(said, means)                                                                                 \
    {                                                                                                        \
        .word = said, .value = means                                                                         \
    }

/* The word of that text; none if it is not there. */
tp_word tp_word_find(tp_words words, const char *text);

/* Takes one value of a key: each item of a list, each entry of a map of the author's names, all rows at once.
   `into` is the field of the row, or a struct that a map has filled (`add`). */
typedef tp_status tp_load(tp_loader *loader, const tp_node *value, void *into);

/* The type of a field decides how a value gets there; found by the compiler. */
typedef enum tp_fill {
    TP_FILLS_NOTHING,
    TP_FILLS_NUMBER,
    TP_FILLS_INTEGER,
    TP_FILLS_BOOLEAN,
    TP_FILLS_TEXT,
    TP_FILLS_VECTOR,    /* three numbers, or two where loader.is_planar          */
    TP_FILLS_ROTATION,  /* a quaternion or a map `orientation`                   */
    TP_FILLS_INERTIA,   /* three moments or three rows                           */
    TP_FILLS_FUNCTION,  /* a formula                                             */
    TP_FILLS_NUMBERS,   /* an array and its counter                              */
    TP_FILLS_FUNCTIONS, /* an array and its counter                              */
    TP_FILLS_TEXTS,     /* in the arena of the scene, and a counter              */
    TP_FILLS_POINTS,    /* in the arena of the scene, and a counter              */
    TP_FILLS_NODE,      /* the value as it is written, for code that looks closer */
    TP_FILLS_OTHER      /* an enumerator, or the struct of a map                 */
} tp_fill;

typedef struct tp_field {
    tp_fill fill;
    size_t at, size; /* offset and bytes in its struct                                     */
    size_t counter;  /* offset of an int: how many values there are; 0: none, as `at` of the
                        first field is never a counter's                                    */
} tp_field;

#define TP_FILL_OF(lvalue)                                                                                   \
    _Generic((lvalue),                                                                                       \
        double: TP_FILLS_NUMBER,                                                                             \
        int: TP_FILLS_INTEGER,                                                                               \
        bool: TP_FILLS_BOOLEAN,                                                                              \
        const char *: TP_FILLS_TEXT,                                                                         \
        tp_vec3: TP_FILLS_VECTOR,                                                                            \
        tp_quat: TP_FILLS_ROTATION,                                                                          \
        tp_mat3: TP_FILLS_INERTIA,                                                                           \
        tp_function: TP_FILLS_FUNCTION,                                                                      \
        double *: TP_FILLS_NUMBERS,                                                                          \
        tp_function *: TP_FILLS_FUNCTIONS,                                                                   \
        const char *const *: TP_FILLS_TEXTS,                                                                 \
        const tp_vec3 *: TP_FILLS_POINTS,                                                                    \
        const tp_node *: TP_FILLS_NODE,                                                                      \
        default: TP_FILLS_OTHER)

/* Designators of a row: the field it fills, perhaps with a counter. */
#define TP_INTO(def, member)                                                                                 \
    .field = {TP_FILL_OF(((def *)0)->member), offsetof(def, member), sizeof(((def *)0)->member), 0}
#define TP_INTO_COUNTED(def, member, counts)                                                                 \
    .field = {TP_FILL_OF(((def *)0)->member), offsetof(def, member), sizeof(((def *)0)->member),             \
              offsetof(def, counts)}

struct tp_key {
    const char *name;
    tp_value_kind kind;
    tp_value_form form;
    int count;
    unsigned flags;
    double low, high;         /* with TP_KEY_IN_RANGE                                                       */
    const char *unit;         /* "m", "kg m^2"; NULL: none                                                  */
    const char *default_text; /* what the field holds without the key, as a scene would say it; NULL: none  */
    const char *text;         /* one line of help                                                           */
    tp_words words;           /* of TP_VALUE_CHOICE                                                         */
    const tp_key_table *table; /* of TP_VALUE_MAP */
    const tp_key *or_else;     /* what else it may be: a map where this is a list, a list where this is a map,
                                  rows where this is a list; NULL: nothing */
    tp_field field;
    tp_load *load; /* instead of filling the field */
};

struct tp_key_table {
    const char *name; /* heading in the manual and name in the schema; unique */
    const char *text; /* a sentence on what such a map is                     */
    const tp_key *keys;
    int key_count;
    const char *selector;      /* a key whose words have tables of further keys, kind: sphere; NULL: none */
    size_t size, place;        /* of the struct that these maps fill; offset of its tp_place */
    void (*begin)(void *made); /* sets its defaults                                          */
    tp_load *add;              /* what becomes of it when it is filled                       */
};

/* .TP_KEYS_OF(array) fills keys and key_count. */
#define TP_KEYS_OF(array) keys = (array), .key_count = (int)(sizeof(array) / sizeof((array)[0]))

/* Designators of a table whose maps each make a struct, of at most so many bytes (a negative array else), and
   the function that sets its defaults. */
enum { TP_MADE_BYTES_MAX = 2048 };
#define TP_MAKES(type, begins, adds)                                                                         \
    .size = sizeof(type) + 0 * sizeof(char[sizeof(type) <= TP_MADE_BYTES_MAX ? 1 : -1]),                     \
    .place = offsetof(type, place), .begin = (begins), .add = (adds)
#define TP_BEGINS(begin, type, start)                                                                        \
    static void begin(void *made)                                                                            \
    {                                                                                                        \
        *(type *)made = start;                                                                               \
    }

/* Checks a map and all that is in it against its table. TP_INVALID_DATA with place, path, what is wrong, what
   would be right. */
tp_status tp_keys_check(const tp_node *map, const tp_key_table *table, tp_message *why_out);

/* The key of that name in a table, or among those that the map's selector adds (map may be NULL: table only);
   NULL if there is none. */
const tp_key *tp_keys_find(const tp_key_table *table, const tp_node *map, const char *name);

/* Whether its values are written as maps. */
bool tp_key_is_map(const tp_key *key);

/* The key itself, or what else it may be (or_else), whichever this value is. */
const tp_key *tp_key_for(const tp_key *key, const tp_node *value);

/* Whether the value of a number, or of a formula, lies where the key's flags want it. */
tp_status tp_key_check_range(const tp_node *node, const tp_key *key, double value, tp_message *why_out);

/* The word that a map has chosen, by its selector or the selector's default; none without a selector. Words
   of a table that has one; none behind the last. */
tp_word tp_keys_variant(const tp_key_table *table, const tp_node *map);
tp_word tp_keys_variant_at(const tp_key_table *table, int k);

/* The tables that a table reaches, itself first, variants behind the table that has them; each once. Returns
   how many there are, at most TP_KEYS_TABLES_MAX. */
enum { TP_KEYS_TABLES_MAX = 256 };
int tp_keys_reach(const tp_key_table *table, const tp_key_table *tables_out[TP_KEYS_TABLES_MAX]);

/* "a list of 3 numbers [m]": what would be right. */
typedef struct tp_key_wants {
    char text[400];
} tp_key_wants;

tp_key_wants tp_key_wants_of(const tp_key *key);

#endif
