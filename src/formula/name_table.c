/* Names that formulas may use; docs/theory/formulas.md, section 1. */
#include "formula/name_table.h"

#include "formula/lexer.h"
#include "formula/parser.h"

#include <stdint.h>
#include <string.h>

enum { SHOWN = 80 }; /* characters of a name that a message shows */

struct tp_names {
    tp_arena *arena;
    tp_name **table; /* hash table, NULL: free */
    int count, table_size;
    tp_name_family family; /* those that are not in the table; slot_of NULL: none */
};

static const tp_builtin builtins[] = {
    {"sqrt", TP_OP_SQRT, 1, 1},   {"exp", TP_OP_EXP, 1, 1},        {"log", TP_OP_LOG, 1, 1},
    {"sin", TP_OP_SIN, 1, 1},     {"cos", TP_OP_COS, 1, 1},        {"tan", TP_OP_TAN, 1, 1},
    {"asin", TP_OP_ASIN, 1, 1},   {"acos", TP_OP_ACOS, 1, 1},      {"atan", TP_OP_ATAN, 1, 1},
    {"atan2", TP_OP_ATAN2, 2, 2}, {"sinh", TP_OP_SINH, 1, 1},      {"cosh", TP_OP_COSH, 1, 1},
    {"tanh", TP_OP_TANH, 1, 1},   {"abs", TP_OP_ABS, 1, 1},        {"sign", TP_OP_SIGN, 1, 1},
    {"step", TP_OP_STEP, 1, 1},   {"floor", TP_OP_FLOOR, 1, 1},    {"min", TP_OP_MIN, 2, -1},
    {"max", TP_OP_MAX, 2, -1},    {"hypot", TP_OP_HYPOT, 2, 2},    {"unwrap", TP_OP_UNWRAP, 2, 2},
    {"sqr", TP_OP_SQUARE, 1, 1},  {"pow", TP_BUILTIN_POWER, 2, 2}, {"if", TP_BUILTIN_IF, 3, 3},
};
static const int builtin_count = (int)(sizeof builtins / sizeof builtins[0]);

static const char *const other_words[] = {"pi", "and", "or", "not"};

const tp_builtin *tp_builtin_find(const char *text, int length)
{
    for (int i = 0; i < builtin_count; i++) {
        if (tp_is_word(text, length, builtins[i].name)) return &builtins[i];
    }
    return NULL;
}

static bool is_reserved(const char *text, int length)
{
    for (int i = 0; i < (int)(sizeof other_words / sizeof other_words[0]); i++) {
        if (tp_is_word(text, length, other_words[i])) return true;
    }
    return tp_builtin_find(text, length) != NULL;
}

tp_status tp_names_create(tp_arena *arena, tp_names **names_out)
{
    tp_names *names = TP_ARENA_ARRAY(arena, tp_names, 1);
    if (names == NULL) return TP_OUT_OF_MEMORY;
    names->arena = arena;
    *names_out = names;
    return TP_OK;
}

/* Place of the name in the table, or the free one where it would go; the table is never full. */
static tp_name **find_place(const tp_names *names, const char *text, int length)
{
    uint64_t hash = 0xCBF29CE484222325ull; /* FNV-1a */
    for (int i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3ull;
    unsigned mask = (unsigned)names->table_size - 1u;
    for (unsigned i = (unsigned)(hash >> 16) & mask;; i = (i + 1) & mask) {
        const tp_name *name = names->table[i];
        if (name == NULL || (name->length == length && memcmp(name->text, text, (size_t)length) == 0)) {
            return &names->table[i];
        }
    }
}

void tp_names_set_family(tp_names *names, tp_name_family family)
{
    names->family = family;
}

bool tp_names_find(const tp_names *names, const char *text, int length, tp_name *name_out)
{
    const tp_name *entered = names->table_size == 0 ? NULL : *find_place(names, text, length);
    if (entered != NULL) {
        *name_out = *entered;
        return true;
    }
    int slot =
        names->family.slot_of != NULL ? names->family.slot_of(names->family.context, text, length) : -1;
    *name_out = (tp_name){.text = text, .length = length, .kind = TP_NAME_VARIABLE, .slot = slot};
    return slot >= 0;
}

/* Keeps the table at most half full. */
static tp_status make_room(tp_names *names)
{
    if (2 * (names->count + 1) <= names->table_size) return TP_OK;
    tp_names larger = *names;
    larger.table_size = names->table_size == 0 ? 64 : 2 * names->table_size;
    larger.table = TP_ARENA_ARRAY(names->arena, tp_name *, larger.table_size);
    if (larger.table == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < names->table_size; i++) {
        tp_name *name = names->table[i];
        if (name != NULL) *find_place(&larger, name->text, name->length) = name;
    }
    tp_arena_release(names->arena, names->table, (size_t)names->table_size * sizeof(tp_name *));
    *names = larger;
    return TP_OK;
}

/* A name must be spelled as the lexer reads it, and be free. */
tp_status tp_names_check_free(const tp_names *names, const char *text, tp_place place, tp_message *why_out)
{
    static const char *const kind_text[] = {"variable", "constant", "expression", "function",
                                            "name without a value"};
    size_t length = tp_name_length(text);
    if (length == 0 || text[length] != '\0' || length > TP_FORMULA_MAX_TEXT) {
        return tp_fail_at(
            why_out, TP_INVALID_DATA, place,
            "\"%.*s\" is not a name: letters, digits and _, parts joined by dots, apostrophes at "
            "the end",
            (int)SHOWN, text);
    }
    if (is_reserved(text, (int)length)) {
        return tp_fail_at(why_out, TP_INVALID_DATA, place, "name \"%s\" belongs to the language of formulas",
                          text);
    }
    tp_name known;
    if (!tp_names_find(names, text, (int)length, &known)) return TP_OK;
    return tp_fail_at(why_out, TP_INVALID_DATA, place, "name \"%.*s\" is defined twice: it is already a %s",
                      (int)SHOWN, text, kind_text[known.kind]);
}

static tp_status no_memory(tp_place place, tp_message *why_out)
{
    return tp_fail_at(why_out, TP_OUT_OF_MEMORY, place, "no memory for a name or formula");
}

/* Enters a checked name; `name` comes with all but its text. */
static tp_status enter(tp_names *names, const char *text, tp_name name, tp_place place, tp_message *why_out)
{
    if (make_room(names) != TP_OK) return no_memory(place, why_out);
    size_t length = strlen(text);
    name.text = tp_arena_copy(names->arena, text, length + 1, 1);
    name.length = (int)length;
    tp_name *kept = tp_arena_copy(names->arena, &name, 1, sizeof name);
    if (name.text == NULL || kept == NULL) return no_memory(place, why_out);
    *find_place(names, kept->text, kept->length) = kept;
    names->count++;
    return TP_OK;
}

tp_status tp_names_add_variable(tp_names *names, const char *name, int slot, tp_place place,
                                tp_message *why_out)
{
    TP_TRY(tp_names_check_free(names, name, place, why_out));
    if (slot < 0) {
        return tp_fail_at(why_out, TP_INVALID_ARGUMENT, place, "variable \"%.*s\": slot %d is negative",
                          (int)SHOWN, name, slot);
    }
    return enter(names, name, (tp_name){.kind = TP_NAME_VARIABLE, .slot = slot}, place, why_out);
}

tp_status tp_names_add_constant(tp_names *names, const char *name, double value, tp_place place,
                                tp_message *why_out)
{
    TP_TRY(tp_names_check_free(names, name, place, why_out));
    return enter(names, name, (tp_name){.kind = TP_NAME_CONSTANT, .constant = value}, place, why_out);
}

tp_status tp_names_add_refused(tp_names *names, const char *name, const char *reason, tp_place place,
                               tp_message *why_out)
{
    TP_TRY(tp_names_check_free(names, name, place, why_out));
    const char *kept = tp_arena_copy(names->arena, reason, strlen(reason) + 1, 1);
    if (kept == NULL) return no_memory(place, why_out);
    return enter(names, name, (tp_name){.kind = TP_NAME_REFUSED, .reason = kept}, place, why_out);
}

/* Parses the text of a definition and enters it. */
static tp_status define(tp_names *names, const char *text, tp_parse_input input, tp_name name, tp_place place,
                        tp_message *why_out)
{
    TP_TRY(tp_parse(names->arena, &input, &name.body, &name.is_condition, why_out));
    return enter(names, text, name, place, why_out);
}

tp_status tp_names_add_expression(tp_names *names, const char *name, const char *text, tp_place place,
                                  tp_message *why_out)
{
    TP_TRY(tp_names_check_free(names, name, place, why_out));
    tp_parse_input input = {.names = names, .text = text, .place = place};
    return define(names, name, input, (tp_name){.kind = TP_NAME_EXPRESSION}, place, why_out);
}

static tp_status check_arguments(const char *const *arguments, int count, tp_place place, tp_message *why_out)
{
    if (count < 1 || count > TP_FORMULA_MAX_ARGUMENTS) {
        return tp_fail_at(why_out, TP_INVALID_DATA, place, "a function has 1 to %d arguments, not %d",
                          (int)TP_FORMULA_MAX_ARGUMENTS, count);
    }
    for (int i = 0; i < count; i++) {
        size_t length = tp_name_length(arguments[i]);
        if (length == 0 || length > TP_FORMULA_MAX_TEXT || arguments[i][length] != '\0' ||
            is_reserved(arguments[i], (int)length)) {
            return tp_fail_at(why_out, TP_INVALID_DATA, place, "\"%.*s\" cannot be the name of an argument",
                              (int)SHOWN, arguments[i]);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(arguments[i], arguments[k]) == 0) {
                return tp_fail_at(why_out, TP_INVALID_DATA, place, "argument \"%.*s\" is defined twice",
                                  (int)SHOWN, arguments[i]);
            }
        }
    }
    return TP_OK;
}

tp_status tp_names_add_function(tp_names *names, const char *name, const char *const *arguments,
                                int argument_count, const char *text, tp_place place, tp_message *why_out)
{
    TP_TRY(tp_names_check_free(names, name, place, why_out));
    TP_TRY(check_arguments(arguments, argument_count, place, why_out));
    tp_parse_input input = {.names = names,
                            .text = text,
                            .place = place,
                            .arguments = arguments,
                            .argument_count = argument_count};
    tp_name function = {.kind = TP_NAME_FUNCTION, .argument_count = argument_count};
    return define(names, name, input, function, place, why_out);
}

/* The nearest candidate so far. */
typedef struct nearest {
    const char *text, *best;
    int length, distance;
} nearest;

static int common_start(const char *x, int length, const char *y)
{
    int count = 0;
    while (count < length && x[count] == y[count]) count++;
    return count;
}

/* Equal distances: the longer common start, then the first in the alphabet, so that the hint does not depend
   on the table's order. */
static bool is_better(const nearest *found, const char *candidate, int distance)
{
    if (found->best == NULL || distance != found->distance) {
        return found->best == NULL || distance < found->distance;
    }
    int start = common_start(found->text, found->length, candidate);
    int best_start = common_start(found->text, found->length, found->best);
    return start != best_start ? start > best_start : strcmp(candidate, found->best) < 0;
}

static void consider(nearest *found, const char *candidate)
{
    int distance = tp_edit_distance(found->text, (size_t)found->length, candidate, strlen(candidate));
    if (distance > 1 + found->length / 4 || distance >= found->length) return;
    if (!is_better(found, candidate, distance)) return;
    found->best = candidate;
    found->distance = distance;
}

/* Candidates of the family come and go: the best one is kept in `room`. */
static void consider_family(nearest *found, const tp_name_family *family, char *room)
{
    char name[TP_FAMILY_NAME_BYTES];
    for (int i = 0; family->name_at != NULL && family->name_at(family->context, i, name); i++) {
        consider(found, name);
        if (found->best != name) continue;
        memcpy(room, name, sizeof name);
        found->best = room;
    }
}

const char *tp_names_nearest(const tp_names *names, const char *const *arguments, int argument_count,
                             const char *text, int length, bool is_function, char *room)
{
    nearest found = {.text = text, .length = length};
    for (int i = 0; i < names->table_size; i++) {
        const tp_name *name = names->table[i];
        bool is_usable = name != NULL && name->kind != TP_NAME_REFUSED;
        if (is_usable && (name->kind == TP_NAME_FUNCTION) == is_function) consider(&found, name->text);
    }
    for (int i = 0; is_function && i < builtin_count; i++) consider(&found, builtins[i].name);
    for (int i = 0; !is_function && i < argument_count; i++) consider(&found, arguments[i]);
    if (!is_function) consider_family(&found, &names->family, room);
    if (!is_function) consider(&found, "pi");
    return found.best;
}
