/* Cost of a formula's value or gradient, for counting instructions:
     valgrind --tool=callgrind --toggle-collect=tp_formula_value ./bench-formula value MIX OPERATIONS REPEATS
     valgrind --tool=callgrind --toggle-collect=tp_formula_gradient ./bench-formula gradient MIX ...
   MIX: sums (sums, products, quotients), mixed (some elementary functions too) or functions (mostly those).
   The bar: at 30 operations or more a gradient costs at most five values. */
#include "formula/formula.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 6, TEXT_BYTES = 60000 };

typedef struct mix {
    const char *name;
    const char *const *patterns; /* each makes "%s" a longer formula; %d is a variable's number */
    int pattern_count;
} mix;

static const char *const sum_patterns[] = {"(%s+x%d)", "(%s*x%d)", "(%s-x%d)", "(%s/x%d)"};
static const char *const mixed_patterns[] = {"(%s+x%d)", "(%s*x%d)", "sin(%s*x%d)",   "(%s-x%d)^2",
                                             "(%s/x%d)", "(%s*x%d)", "sqrt(%s+9*x%d)"};
static const char *const function_patterns[] = {
    "sin(%s+x%d)", "exp(cos(%s*x%d))", "atan2(%s,1+x%d)", "tanh(%s-x%d)",  "hypot(%s,x%d)",
    "(1+%s)^x%d",  "log(3+%s+x%d)",    "abs(%s)^2.5*x%d", "min(%s,9*x%d)", "(1+%s*x%d)^3"};
static const mix mixes[] = {
    {"sums", sum_patterns, 4},
    {"mixed", mixed_patterns, 7},
    {"functions", function_patterns, 10},
};

static tp_formula *compile(tp_arena *arena, const tp_names *names, const char *text)
{
    tp_formula *formula = NULL;
    tp_message why = {""};
    if (tp_formula_compile(arena, names, text, (tp_place){0}, &formula, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(2);
    }
    return formula;
}

/* Wraps pattern after pattern around the formula until it has enough operations. Every twenty patterns it
   becomes a term of a sum: nesting has a limit. */
static tp_formula *make_formula(tp_arena *arena, const tp_names *names, const mix *kind, int operations)
{
    static char done[TEXT_BYTES], term[TEXT_BYTES], next[TEXT_BYTES + 64];
    strcpy(done, "0.5");
    strcpy(term, "x0");
    tp_formula *formula = NULL;
    for (int i = 0; formula == NULL || tp_formula_operation_count(formula) < operations; i++) {
        char with_number[64], *mark;
        snprintf(with_number, sizeof with_number, "%s", kind->patterns[i % kind->pattern_count]);
        mark = strstr(with_number, "%d");
        *mark = (char)('0' + i * 5 % VARIABLES);
        memmove(mark + 1, mark + 2, strlen(mark + 2) + 1);
        mark = strstr(with_number, "%s");
        snprintf(next, sizeof next, "%.*s%s%s", (int)(mark - with_number), with_number, term, mark + 2);
        strcpy(term, next);
        if (i % 20 == 19) {
            strcat(strcat(done, "+"), term);
            snprintf(term, sizeof term, "(x%d+0.%d)", i % VARIABLES, i); /* no two terms may be equal */
        }
        snprintf(next, sizeof next, "%.29000s+%.29000s", done, term);
        formula = compile(arena, names, next);
    }
    return formula;
}

static double repeat(const tp_formula *formula, bool is_gradient, const double *z, double *work, int repeats)
{
    double sum = 0.0, gradient[VARIABLES] = {0.0};
    for (int i = 0; i < repeats; i++) {
        sum += is_gradient ? tp_formula_gradient(formula, z, work, gradient)
                           : tp_formula_value(formula, z, work);
    }
    return sum + gradient[0];
}

int main(int argument_count, char **arguments)
{
    const mix *kind = NULL;
    for (int i = 0; argument_count == 5 && i < 3; i++) {
        if (strcmp(arguments[2], mixes[i].name) == 0) kind = &mixes[i];
    }
    if (kind == NULL) {
        fprintf(stderr, "usage: bench-formula value|gradient sums|mixed|functions OPERATIONS REPEATS\n");
        return 2;
    }
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_names *names = NULL;
    if (tp_names_create(&arena, &names) != TP_OK) return 2;
    for (int i = 0; i < VARIABLES; i++) {
        char name[8];
        snprintf(name, sizeof name, "x%d", i);
        if (tp_names_add_variable(names, name, i, (tp_place){0}, NULL) != TP_OK) return 2;
    }
    tp_formula *formula = make_formula(&arena, names, kind, atoi(arguments[3]));
    double z[VARIABLES] = {0.71, 0.83, 0.97, 1.09, 1.21, 0.59};
    double *work = TP_ARENA_ARRAY(&arena, double, tp_formula_work_size(formula));
    if (work == NULL) return 2;
    double sum = repeat(formula, strcmp(arguments[1], "gradient") == 0, z, work, atoi(arguments[4]));
    printf("%s: %d operations, sum %.6g\n", kind->name, tp_formula_operation_count(formula), sum);
    tp_arena_clear(&arena);
    return 0;
}
