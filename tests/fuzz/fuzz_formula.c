/* Any bytes as definitions and a formula: parts ended by ";" define e1, f2(a, b), e3 ... in turn, the last
   part is the formula. Refused with a place, or evaluated in every way. */
#include "formula/formula.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, MOST_EVALUATED = 3000 }; /* operations: larger tapes only compile, for speed */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_refusal(tp_status status, const tp_message *why)
{
    if (status != TP_INVALID_DATA && status != TP_OUT_OF_MEMORY) abort();
    if (strncmp(why->text, "fuzz:", 5) != 0) abort();
}

static tp_names *make_names(tp_arena *arena)
{
    static const char *const variables[SLOTS] = {"x", "y", "x'", "a.b"};
    tp_names *names = NULL;
    if (tp_names_create(arena, &names) != TP_OK) abort();
    for (int i = 0; i < SLOTS; i++) {
        if (tp_names_add_variable(names, variables[i], i, (tp_place){0}, NULL) != TP_OK) abort();
    }
    return names;
}

static void define(tp_names *names, int number, const char *text)
{
    static const char *const arguments[2] = {"a", "b"};
    const tp_place place = {"fuzz", 1, 1};
    tp_message why = {""};
    char name[16] = {number % 2 ? 'e' : 'f', (char)('0' + number / 10 % 10), (char)('0' + number % 10)};
    tp_status status = number % 2 ? tp_names_add_expression(names, name, text, place, &why)
                                  : tp_names_add_function(names, name, arguments, 2, text, place, &why);
    if (status != TP_OK) check_refusal(status, &why);
}

static void evaluate(const tp_formula *formula)
{
    const double z[SLOTS] = {0.0, -1.5, 2.0, 1e3}, d[SLOTS] = {1.0, 0.0, -0.5, 0.25};
    double gradient[3][SLOTS], matrix[SLOTS * SLOTS], value[3];
    double *work = malloc((size_t)tp_formula_work_size(formula) * sizeof *work);
    if (work == NULL) return;
    tp_formula_value(formula, z, work);
    tp_formula_gradient(formula, z, work, gradient[0]);
    tp_formula_hessian(formula, z, work, gradient[0], matrix);
    tp_formula_taylor(formula, z, d, d, work, value, gradient[0], gradient[1], gradient[2]);
    free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *text = malloc(count + 1);
    if (text == NULL) return 0;
    if (count > 0) memcpy(text, bytes, count);
    text[count] = '\0';
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_names *names = make_names(&arena);
    char *part = text, *end;
    for (int number = 1; number < 100 && (end = strchr(part, ';')) != NULL; number++) {
        *end = '\0';
        define(names, number, part);
        part = end + 1;
    }
    tp_formula *formula = NULL;
    tp_message why = {""};
    tp_status status = tp_formula_compile(&arena, names, part, (tp_place){"fuzz", 1, 1}, &formula, &why);
    if (status != TP_OK) {
        check_refusal(status, &why);
    } else if (tp_formula_operation_count(formula) <= MOST_EVALUATED) {
        evaluate(formula);
    }
    tp_arena_clear(&arena);
    free(text);
    return 0;
}
