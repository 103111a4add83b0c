/* Malformed formulas: each is refused with its place and the offending token. */
#include "formula/fixture.h"

typedef struct malformed {
    const char *text;
    int line, column;     /* where the message points; the text begins at line 7, column 11 */
    const char *fragment; /* part of the message                                            */
} malformed;

static const malformed table[] = {
    {"", 7, 11, "empty"},
    {"  \t ", 7, 15, "empty"},
    {"x+", 7, 13, "ends where"},
    {"x+*y", 7, 13, "unexpected \"*\""},
    {"x y", 7, 13, "unexpected \"y\" where an operator"},
    {"2x", 7, 11, "\"2\" is followed by \"x\"; a product needs *"},
    {"2(x)", 7, 12, "unexpected \"(\" where an operator"},
    {"(x)(y)", 7, 14, "unexpected \"(\""},
    {"(x", 7, 13, "missing \")\" of the \"(\" at line 7, column 11"},
    {"((x)", 7, 15, "missing \")\""},
    {"x)", 7, 12, "no \"(\" is open"},
    {"()", 7, 12, "unexpected \")\""},
    {"sin x", 7, 11, "function \"sin\" lacks its arguments"},
    {"sin", 7, 11, "lacks its arguments"},
    {"sin()", 7, 11, "sin takes 1 argument, not 0"},
    {"sin(x,y)", 7, 11, "sin takes 1 argument, not 2"},
    {"1+sin(x", 7, 18, "missing \")\" of \"sin(\""},
    {"sin(x y)", 7, 17, "unexpected \"y\" where \",\" or \")\""},
    {"sin(,x)", 7, 15, "unexpected \",\""},
    {"sin(x,)", 7, 17, "unexpected \")\""},
    {"atan2(x)", 7, 11, "atan2 takes 2 arguments, not 1"},
    {"min(x)", 7, 11, "min takes 2 or more arguments, not 1"},
    {"max()", 7, 11, "max takes 2 or more arguments, not 0"},
    {"if(x>0,1)", 7, 11, "if takes 3 arguments, not 2"},
    {"if(x,1,2)", 7, 14, "a number stands where a condition"},
    {"if(x>0,y>0,2)", 7, 18, "a condition stands where a number"},
    {"x<y", 7, 11, "the formula is a condition"},
    {"2*(x<y)", 7, 13, "a condition stands where a number"},
    {"(x<y)^2", 7, 11, "a condition stands where a number"},
    {"-(x<y)", 7, 12, "a condition stands where a number"},
    {"if(x<y<z,1,2)", 7, 17, "\"<\": comparisons cannot be chained"},
    {"if(x and y>0,1,2)", 7, 14, "a number stands where a condition"},
    {"if(not x,1,2)", 7, 18, "a number stands where a condition"},
    {"x + not y", 7, 15, "unexpected \"not\""},
    {"x = y", 7, 13, "equality is written =="},
    {"x ! y", 7, 13, "unexpected character \"!\""},
    {"x % y", 7, 13, "unexpected character \"%\""},
    {"x ** y", 7, 14, "unexpected \"*\""},
    {"x[0]", 7, 12, "unexpected character \"[\""},
    {"x\xC2\xB2 + y", 7, 12, "unexpected character \"\xC2\xB2\""},
    {"x\x01", 7, 12, "unexpected character 0x01"},
    {"1e999", 7, 11, "\"1e999\" is out of range"},
    {"x + 1e-999", 7, 15, "out of range"},
    {"1.2.3", 7, 11, "malformed number \"1.2.\""},
    {"1..2", 7, 11, "malformed number"},
    {".", 7, 11, "unexpected character \".\""},
    {"x.", 7, 12, "unexpected character \".\""},
    {"1e+", 7, 11, "\"1\" is followed by \"e\""},
    {"xx", 7, 11, "unknown name \"xx\"; did you mean \"x\"?"},
    {"y''", 7, 11, "unknown name \"y''\"; did you mean \"y'\"?"},
    {"arm.lenght", 7, 11, "did you mean \"arm.length\"?"},
    {"q", 7, 11, "unknown name \"q\""},
    {"2*sine(x)", 7, 13, "unknown function \"sine\"; did you mean \"sin\"?"},
    {"foo(x)", 7, 11, "unknown function \"foo\""},
    {"x(y)", 7, 11, "\"x\" is not a function"},
    {"e", 7, 11, "unknown name \"e\""},
    {"x'y", 7, 13, "unexpected \"y\""},
    {"x +\n  y +\n  w", 9, 3, "unknown name \"w\""},
    {"x +\r\n*", 8, 1, "unexpected \"*\""},
    {"x^", 7, 13, "ends where"},
    {"and", 7, 11, "unexpected \"and\""},
    {"if(x>0,1,2", 7, 21, "missing \")\" of \"if(\""},
    {"pi(x)", 7, 11, "unknown function \"pi\""},
};

TEST(malformed_formulas_are_refused_with_place_and_token)
{
    fixture f;
    fixture_open(&f);
    for (int i = 0; i < (int)(sizeof table / sizeof table[0]); i++) {
        tp_formula *formula = NULL;
        tp_status status =
            tp_formula_compile(&f.arena, f.names, table[i].text, fixture_place(), &formula, &f.why);
        char start[64];
        snprintf(start, sizeof start, "model.yaml:%d:%d: ", table[i].line, table[i].column);
        bool is_right = status == TP_INVALID_DATA && formula == NULL &&
                        strncmp(f.why.text, start, strlen(start)) == 0 &&
                        strstr(f.why.text, table[i].fragment) != NULL;
        if (!is_right) {
            print_error("%s: got \"%s\", expected %s...%s\n", table[i].text, f.why.text, start,
                        table[i].fragment);
            fail();
        }
    }
    CHECK(sizeof table / sizeof table[0] >= 40);
    fixture_close(&f);
}

/* The message of a failing call contains the fragment. */
#define CHECK_REFUSED(call, fragment)                                                                        \
    do {                                                                                                     \
        CHECK_INT((call), TP_INVALID_DATA);                                                                  \
        if (strstr(f.why.text, (fragment)) == NULL) print_error("got \"%s\"\n", f.why.text);                 \
        CHECK(strstr(f.why.text, (fragment)) != NULL);                                                       \
    } while (0)

TEST(definitions_are_refused_where_they_stand)
{
    fixture f;
    fixture_open(&f);
    tp_place place = fixture_place();
    const char *const ab[] = {"a", "b"}, *const aa[] = {"a", "a"}, *const bad[] = {"sin"};
    CHECK_REFUSED(tp_names_add_variable(f.names, "x", 9, place, &f.why),
                  "\"x\" is defined twice: it is already a variable");
    CHECK_REFUSED(tp_names_add_constant(f.names, "g", 1.0, place, &f.why), "already a constant");
    CHECK_REFUSED(tp_names_add_constant(f.names, "sin", 1.0, place, &f.why), "belongs to the language");
    CHECK_REFUSED(tp_names_add_constant(f.names, "pi", 3.0, place, &f.why), "belongs to the language");
    CHECK_REFUSED(tp_names_add_constant(f.names, "and", 3.0, place, &f.why), "belongs to the language");
    CHECK_REFUSED(tp_names_add_constant(f.names, "2a", 1.0, place, &f.why), "is not a name");
    CHECK_REFUSED(tp_names_add_constant(f.names, "a b", 1.0, place, &f.why), "is not a name");
    CHECK_REFUSED(tp_names_add_constant(f.names, "", 1.0, place, &f.why), "is not a name");
    CHECK_REFUSED(tp_names_add_constant(f.names, "a.", 1.0, place, &f.why), "is not a name");
    CHECK_REFUSED(tp_names_add_constant(f.names, "a'b", 1.0, place, &f.why), "is not a name");
    CHECK_INT(tp_names_add_variable(f.names, "v", -1, place, &f.why), TP_INVALID_ARGUMENT);
    /* A definition cannot use itself: its name is not known yet. */
    CHECK_REFUSED(tp_names_add_expression(f.names, "loop", "1+loop", place, &f.why), "unknown name \"loop\"");
    CHECK(strncmp(f.why.text, "model.yaml:7:13: ", 17) == 0);
    CHECK_REFUSED(tp_names_add_function(f.names, "fac", ab, 1, "a*fac(a-1)", place, &f.why),
                  "unknown function \"fac\"");
    CHECK_REFUSED(tp_names_add_function(f.names, "two", aa, 2, "a", place, &f.why),
                  "argument \"a\" is defined twice");
    CHECK_REFUSED(tp_names_add_function(f.names, "bad", bad, 1, "1", place, &f.why),
                  "cannot be the name of an argument");
    CHECK_REFUSED(tp_names_add_function(f.names, "none", ab, 0, "1", place, &f.why), "1 to 32 arguments");
    CHECK(!is_known(&f, "loop") && !is_known(&f, "fac") && !is_known(&f, "two"));
    CHECK_INT(tp_names_add_function(f.names, "sum", ab, 2, "a+b", place, &f.why), TP_OK);
    tp_formula *formula;
    CHECK_REFUSED(tp_formula_compile(&f.arena, f.names, "sum(x)", place, &formula, &f.why),
                  "sum takes 2 arguments, not 1");
    CHECK_REFUSED(tp_formula_compile(&f.arena, f.names, "sum", place, &formula, &f.why),
                  "lacks its arguments");
    CHECK_REFUSED(tp_formula_compile(&f.arena, f.names, "a", place, &formula, &f.why), "unknown name \"a\"");
    fixture_close(&f);
}

TEST(a_formula_without_a_file_still_has_line_and_column)
{
    fixture f;
    fixture_open(&f);
    tp_formula *formula;
    CHECK_REFUSED(tp_formula_compile(&f.arena, f.names, "x+q", (tp_place){0}, &formula, &f.why),
                  "formula:1:3: ");
    CHECK_INT(tp_formula_compile(&f.arena, f.names, "x+q", (tp_place){0}, &formula, NULL), TP_INVALID_DATA);
    fixture_close(&f);
}

TEST_MAIN(RUNS(malformed_formulas_are_refused_with_place_and_token),
          RUNS(definitions_are_refused_where_they_stand),
          RUNS(a_formula_without_a_file_still_has_line_and_column))
