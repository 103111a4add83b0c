/* Hostile and huge formulas give an error in a bounded time; evaluating allocates nothing. */
#include "formula/fixture.h"
#include "formula/parser.h"

static tp_status compile_status(fixture *f, const char *text)
{
    tp_formula *formula = NULL;
    return tp_formula_compile(&f->arena, f->names, text, fixture_place(), &formula, &f->why);
}

/* count copies of a text, then another, then count copies of a third. */
static char *repeated(const char *before, const char *middle, const char *after, int count)
{
    size_t length = (size_t)count * (strlen(before) + strlen(after)) + strlen(middle) + 1;
    char *text = malloc(length), *at = text;
    assert_non_null(text);
    for (int i = 0; i < count; i++) at = strcpy(at, before) + strlen(before);
    at = strcpy(at, middle) + strlen(middle);
    for (int i = 0; i < count; i++) at = strcpy(at, after) + strlen(after);
    return text;
}

TEST(nesting_is_limited_in_every_way_it_can_nest)
{
    static const char *const patterns[][3] = {
        {"(", "x", ")"},
        {"-", "x", ""},
        {"+", "x", ""},
        {"2^", "x", ""},
        {"sin(", "x", ")"},
        {"-(", "x", ")"},
        {"2^-", "x", ""},
        {"(1+2*", "x", ")"},
        {"if(x>0,1,", "x", ")"},
        {"min(1,", "x", ")"},
        {"if(not ", "x", ",1,2)"},
        {"if((", "x", ")>0 and 1<2 or 2<1,1,2)"},
    };
    fixture f;
    fixture_open(&f);
    for (int i = 0; i < (int)(sizeof patterns / sizeof patterns[0]); i++) {
        char *text = repeated(patterns[i][0], patterns[i][1], patterns[i][2], 1000);
        CHECK_INT(compile_status(&f, text), TP_INVALID_DATA);
        if (strstr(f.why.text, "nested deeper than 200") == NULL) print_error("%s\n", f.why.text);
        CHECK(strstr(f.why.text, "nested deeper than 200") != NULL);
        free(text);
    }
    char *deep = repeated("(", "x", ")", 199);
    CHECK_INT(compile_status(&f, deep), TP_OK);
    free(deep);
    deep = repeated("(", "x", ")", 200);
    CHECK_INT(compile_status(&f, deep), TP_INVALID_DATA);
    free(deep);
    fixture_close(&f);
}

TEST(the_length_of_a_text_is_limited)
{
    fixture f;
    fixture_open(&f);
    char *text = repeated("x+", "x", "", 32767); /* 65535 bytes */
    CHECK_INT(compile_status(&f, text), TP_OK);
    free(text);
    text = repeated("x+", "x", " ", 32767);
    CHECK_INT(compile_status(&f, text), TP_INVALID_DATA);
    CHECK(strstr(f.why.text, "longer than 65536 bytes") != NULL);
    free(text);
    fixture_close(&f);
}

/* f0(a) = sin(a)+a, f(n+1)(a) = fn(fn(a)): the size doubles each time. */
TEST(functions_that_blow_up_are_stopped)
{
    fixture f;
    fixture_open(&f);
    const char *const a[] = {"a"};
    CHECK_INT(tp_names_add_function(f.names, "f0", a, 1, "sin(a)+a", fixture_place(), &f.why), TP_OK);
    int n = 0;
    tp_status status = TP_OK;
    for (; n < 64 && status == TP_OK; n++) {
        char name[16], text[48];
        snprintf(name, sizeof name, "f%d", n + 1);
        snprintf(text, sizeof text, "f%d(f%d(a))", n, n);
        status = tp_names_add_function(f.names, name, a, 1, text, fixture_place(), &f.why);
    }
    CHECK_INT(status, TP_INVALID_DATA);
    CHECK_INT(n, 16); /* 2 operations times 2^16 are too many, times 2^15 are not */
    CHECK(strstr(f.why.text, "more than 100000") != NULL);

    /* Many calls of one large function share all their operations, but looking at them takes time. */
    char *text = repeated("f14(x)+", "x", "", 8000);
    CHECK_INT(compile_status(&f, text), TP_INVALID_DATA);
    CHECK(strstr(f.why.text, "too many operations") != NULL);
    free(text);
    CHECK_INT(compile_status(&f, "f9(x)+f9(x)*f9(x)"), TP_OK); /* shared, not counted thrice */
    CHECK_INT(tp_formula_operation_count(fixture_compile(&f, "f9(x)+f9(x)*f9(x)")), 2 * 512 + 2);
    fixture_close(&f);
}

TEST(chains_of_named_expressions_stay_small)
{
    fixture f;
    fixture_open(&f);
    CHECK_INT(tp_names_add_expression(f.names, "e0", "x+y", fixture_place(), &f.why), TP_OK);
    for (int n = 0; n < 100; n++) {
        char name[16], text[48];
        snprintf(name, sizeof name, "e%d", n + 1);
        snprintf(text, sizeof text, "sin(e%d)*e%d", n, n);
        CHECK_INT(tp_names_add_expression(f.names, name, text, fixture_place(), &f.why), TP_OK);
    }
    CHECK_INT(tp_formula_operation_count(fixture_compile(&f, "e100")), 201);
    fixture_close(&f);
}

TEST(thousands_of_names_are_found_again)
{
    fixture f;
    fixture_open(&f);
    char name[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "body%d.x", i);
        CHECK_INT(tp_names_add_variable(f.names, name, 10 + i, fixture_place(), &f.why), TP_OK);
    }
    for (int i = 0; i < 5000; i += 37) {
        snprintf(name, sizeof name, "body%d.x", i);
        tp_formula *formula = fixture_compile(&f, name);
        CHECK_INT(tp_formula_slots(formula)[0], 10 + i);
    }
    CHECK_INT(compile_status(&f, "body77.y"), TP_INVALID_DATA);
    CHECK(strstr(f.why.text, "did you mean \"body77.x\"?") != NULL);
    fixture_close(&f);
}

/* What compiles evaluates in all ways; what does not has a message with its place. */
TEST(random_tokens_never_do_harm)
{
    static const char *const tokens[] = {
        "x",      "y",    "x'",   "t",        "g",     "1",      "2.5",   "1e9",  "0",    "+",    "-",
        "*",      "/",    "^",    "(",        ")",     ",",      "<",     "<=",   "==",   "!=",   ">",
        ">=",     "and",  "or",   "not",      "if(",   "sin(",   "sqrt(", "log(", "min(", "max(", "atan2(",
        "hypot(", "pow(", "abs(", "sign(",    "step(", "floor(", "pi",    "q",    " ",    "\n",   "'",
        ".",      "=",    "!",    "\xC3\xA9", "x*y",   "(x)",    "+1",
    };
    check_random random = {50};
    int compiled = 0;
    for (int round = 0; round < 40000; round++) {
        fixture f;
        fixture_open(&f);
        char text[256] = "";
        int count = 1 + (int)(check_random_bits(&random) % 8);
        for (int i = 0; i < count; i++) {
            strcat(text, tokens[check_random_bits(&random) % (sizeof tokens / sizeof tokens[0])]);
        }
        tp_formula *formula = NULL;
        tp_status status = tp_formula_compile(&f.arena, f.names, text, fixture_place(), &formula, &f.why);
        CHECK(status == TP_OK || (status == TP_INVALID_DATA && strncmp(f.why.text, "model.yaml:", 11) == 0));
        if (status == TP_OK) {
            compiled++;
            double *work = fixture_work(&f, formula), z[FIXTURE_SLOTS], d[FIXTURE_SLOTS], g[FIXTURE_SLOTS],
                   v[3];
            double h[FIXTURE_SLOTS * FIXTURE_SLOTS];
            random_point(&random, z);
            random_point(&random, d);
            tp_formula_gradient(formula, z, work, g);
            tp_formula_hessian(formula, z, work, g, h);
            tp_formula_taylor(formula, z, d, d, work, v, g, g, g);
        }
        fixture_close(&f);
    }
    CHECK(compiled > 1000); /* not only refusals are tried */
}

typedef struct counter {
    int live, total, limit;
} counter;

static void *counted_allocate(void *context, size_t bytes)
{
    counter *c = context;
    if (c->limit >= 0 && c->total >= c->limit) return NULL;
    c->live++;
    c->total++;
    return malloc(bytes);
}

static void counted_release(void *context, void *memory)
{
    if (memory == NULL) return;
    ((counter *)context)->live--;
    free(memory);
}

/* Names and a formula in an arena that may have no memory. */
static tp_status compile_with(tp_formula **formula_out, tp_arena *arena)
{
    tp_names *names = NULL;
    const char *const a[] = {"a"};
    tp_message why;
    tp_place place = fixture_place();
    TP_TRY(tp_names_create(arena, &names));
    TP_TRY(tp_names_add_variable(names, "x", 0, place, &why));
    TP_TRY(tp_names_add_function(names, "f", a, 1, "a^2+sin(a)", place, &why));
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        TP_TRY(tp_names_add_constant(names, name, i, place, &why));
    }
    return tp_formula_compile(arena, names, "f(x)*c7+f(c9)/x", place, formula_out, &why);
}

TEST(running_out_of_memory_is_an_error_and_leaks_nothing)
{
    bool succeeded = false;
    for (int limit = 0; limit < 40; limit++) {
        counter count = {0, 0, limit};
        tp_allocator allocator = {&count, counted_allocate, counted_release};
        tp_arena arena;
        tp_arena_init(&arena, &allocator);
        tp_formula *formula = NULL;
        tp_status status = compile_with(&formula, &arena);
        CHECK(status == TP_OK || status == TP_OUT_OF_MEMORY);
        CHECK((status == TP_OK) == (formula != NULL));
        succeeded |= status == TP_OK;
        tp_arena_clear(&arena);
        CHECK_INT(count.live, 0);
    }
    CHECK(succeeded);
}

/* The evaluations get no allocator, only work memory of the stated length: they stay inside it. */
TEST(evaluations_stay_inside_their_work_memory)
{
    check_random random = {51};
    const double guard = 12345.678;
    for (int round = 0; round < 50; round++) {
        fixture f;
        fixture_open(&f);
        char text[2000];
        random_expression(&random, 3, text, sizeof text);
        tp_formula *formula = fixture_compile(&f, text);
        int size = tp_formula_work_size(formula);
        double *work = malloc((size_t)(size + 1) * sizeof *work), z[FIXTURE_SLOTS], d[FIXTURE_SLOTS];
        double g[FIXTURE_SLOTS], h[FIXTURE_SLOTS * FIXTURE_SLOTS], v[3];
        assert_non_null(work);
        random_point(&random, z);
        random_point(&random, d);
        work[size] = guard;
        tp_formula_value(formula, z, work);
        tp_formula_gradient(formula, z, work, g);
        tp_formula_hessian_vector(formula, z, d, work, g, h);
        tp_formula_hessian(formula, z, work, g, h);
        tp_formula_taylor(formula, z, d, d, work, v, g, g, g);
        CHECK_NEAR(work[size], guard, 0.0);
        free(work);
        fixture_close(&f);
    }
}

TEST_MAIN(RUNS(nesting_is_limited_in_every_way_it_can_nest), RUNS(the_length_of_a_text_is_limited),
          RUNS(functions_that_blow_up_are_stopped), RUNS(chains_of_named_expressions_stay_small),
          RUNS(thousands_of_names_are_found_again), RUNS(random_tokens_never_do_harm),
          RUNS(running_out_of_memory_is_an_error_and_leaks_nothing),
          RUNS(evaluations_stay_inside_their_work_memory))
