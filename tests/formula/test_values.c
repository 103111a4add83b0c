/* The language of formulas: values and precedence. */
#include "formula/fixture.h"

/* x = 3, y = -2, z = 0.5, t = 0, x' = 7, y' = 11; all values below are exact. */
static const double point[FIXTURE_SLOTS] = {3.0, -2.0, 0.5, 0.0, 7.0, 11.0};

typedef struct example {
    const char *text;
    double value;
} example;

static double value_of(fixture *f, const char *text)
{
    tp_formula *formula = fixture_compile(f, text);
    return tp_formula_value(formula, point, fixture_work(f, formula));
}

static void check_examples(const example *examples, int count)
{
    fixture f;
    fixture_open(&f);
    for (int i = 0; i < count; i++) {
        double value = value_of(&f, examples[i].text);
        if (!(value == examples[i].value)) {
            print_error("%s = %.17g, expected %.17g\n", examples[i].text, value, examples[i].value);
            fail();
        }
    }
    fixture_close(&f);
}

#define CHECK_EXAMPLES(examples) check_examples((examples), (int)(sizeof(examples) / sizeof(examples)[0]))

TEST(numbers_are_read_to_the_last_bit)
{
    UNUSED_STATE;
    static const example examples[] = {
        {"1", 1.0},
        {"1.5e-3", 1.5e-3},
        {".5", 0.5},
        {"2.", 2.0},
        {"1E+2", 100.0},
        {"0.1", 0.1},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"1e-320", 1e-320},
        {"1.7976931348623157e308", DBL_MAX},
        {"0e999", 0.0},
        {"0.000", 0.0},
        {"9007199254740993", 9007199254740992.0},
        {"pi", 3.14159265358979323846},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
    };
    CHECK_EXAMPLES(examples);
}

TEST(operators_bind_as_in_mathematics)
{
    UNUSED_STATE;
    static const example examples[] = {
        {"-x^2", -9.0},
        {"(-x)^2", 9.0},
        {"2^-x", 0.125},
        {"2^x^2", 512.0},
        {"(2^x)^2", 64.0},
        {"2^-1^2", 0.5},
        {"-2^-2", -0.25},
        {"1-2-3", -4.0},
        {"8/4/2", 1.0},
        {"8/4*2", 4.0},
        {"1+2*3", 7.0},
        {"(1+2)*3", 9.0},
        {"2*-x", -6.0},
        {"--x", 3.0},
        {"-+-x", 3.0},
        {"+x", 3.0},
        {"x - -y", 1.0},
        {"x*y+z", -5.5},
        {"x*(y+z)", -4.5},
        {"-x*y", 6.0},
        {"-x-y", -1.0},
        {"x^2*2", 18.0},
        {"2*x^2", 18.0},
        {"-2*x^2/3", -6.0},
        {"if(1<2 and 2<3,1,0)", 1.0},
        {"if(1<2 or 1/0<0 and 2<1,1,0)", 1.0},
        {"if(not 1<2 or 3<4,1,0)", 1.0},
        {"if(not (1<2 or 3<4),1,0)", 0.0},
        {"if(not not x>0,1,0)", 1.0},
        {"if(x+1<y*2,1,0)", 0.0},
        {"if(1<2 and not x<0,1,0)", 1.0},
        {"if((x>1) and (y>1),1,2)", 2.0},
        {"if(not 1<2 and 2<1,1,0)", 0.0},
        {"if(not x<1 and not y>1,1,0)", 1.0},
    };
    CHECK_EXAMPLES(examples);
}

TEST(names_may_have_dots_and_apostrophes)
{
    UNUSED_STATE;
    static const example examples[] = {
        {"x'", 7.0}, {"x'*y'", 77.0}, {"arm.length*x", 6.0},
        {"g", 9.81}, {"x'^2", 49.0},  {" \tx\n+\r\ny ", 1.0},
    };
    CHECK_EXAMPLES(examples);
}

TEST(functions_have_their_exact_values)
{
    UNUSED_STATE;
    static const example examples[] = {
        {"sqrt(9)", 3.0},         {"sqrt(x*3)", 3.0},    {"exp(t)", 1.0},
        {"log(x/3)", 0.0},        {"sin(t)", 0.0},       {"cos(t)", 1.0},
        {"tan(t)", 0.0},          {"asin(t)", 0.0},      {"acos(t+1)", 0.0},
        {"atan(t)", 0.0},         {"atan2(t,x)", 0.0},   {"atan2(t,-1)", 3.14159265358979323846},
        {"sinh(t)", 0.0},         {"cosh(t)", 1.0},      {"tanh(t)", 0.0},
        {"abs(y)", 2.0},          {"sign(y)", -1.0},     {"sign(t)", 0.0},
        {"floor(y - 0.5)", -3.0}, {"floor(2.5)", 2.0},   {"floor(t)", 0.0},
        {"sign(x)", 1.0},         {"step(y)", 0.0},      {"step(t)", 1.0},
        {"step(x)", 1.0},         {"min(x,y)", -2.0},    {"max(x,y)", 3.0},
        {"min(x,y,z,-5)", -5.0},  {"max(z,y,x,1)", 3.0}, {"pow(x,3)", 27.0},
        {"hypot(x,4)", 5.0},      {"unwrap(x,2)", 3.0},  {"unwrap(x,-10)", 3.0 - 2.0 * 6.283185307179586},
        {"sqr(x)", 9.0},          {"if(x>y,1,2)", 1.0},  {"if(x<y,1,2)", 2.0},
        {"if(x>=3,1,2)", 1.0},    {"if(x<=2,1,2)", 2.0}, {"if(x==3,1,2)", 1.0},
        {"if(x!=3,1,2)", 2.0},
    };
    CHECK_EXAMPLES(examples);
}

TEST(integer_powers_are_products)
{
    UNUSED_STATE;
    static const example examples[] = {
        {"x^0", 1.0},
        {"x^1", 3.0},
        {"x^3", 27.0},
        {"y^3", -8.0},
        {"y^-3", -0.125},
        {"y^4", 16.0},
        {"t^5", 0.0},
        {"x^20", 3486784401.0},
        {"y^(1+2)", -8.0},
        {"y^-1", -0.5},
        {"(x+1)^0.5", 2.0},
        {"(x+1)^1.5", 8.0},
        {"(x+1)^-0.5", 0.5},
        {"t^2.5", 0.0},
        {"(x+13)^0.25", 2.0},
        {"(x+1)^2.5", 32.0},
        {"x^z*x^z", 1.7320508075688772 * 1.7320508075688772},
        {"y^2000", INFINITY},
    };
    CHECK_EXAMPLES(examples);
}

TEST(definitions_are_used_by_name)
{
    fixture f;
    fixture_open(&f);
    tp_place place = fixture_place();
    const char *const ab[] = {"a", "b"};
    const char *const shadow[] = {"x"};
    CHECK_INT(tp_names_add_expression(f.names, "r2", "x^2+y^2", place, &f.why), TP_OK);
    CHECK_INT(tp_names_add_expression(f.names, "is_far", "r2 > 10", place, &f.why), TP_OK);
    CHECK_INT(tp_names_add_function(f.names, "area", ab, 2, "a*b*z", place, &f.why), TP_OK);
    CHECK_INT(tp_names_add_function(f.names, "twice", shadow, 1, "2*x", place, &f.why), TP_OK);
    CHECK_INT(tp_names_add_function(f.names, "near", ab, 2, "abs(a-b)<1", place, &f.why), TP_OK);
    CHECK_NEAR(value_of(&f, "r2"), 13.0, 0.0);
    CHECK_NEAR(value_of(&f, "if(is_far, r2, 0)"), 13.0, 0.0);
    CHECK_NEAR(value_of(&f, "area(x,y+1)"), -1.5, 0.0);
    CHECK_NEAR(value_of(&f, "twice(y)+x"), -1.0, 0.0);
    CHECK_NEAR(value_of(&f, "twice(twice(twice(y)))"), -16.0, 0.0);
    CHECK_NEAR(value_of(&f, "if(near(x, 3.5) and not near(x, y), 1, 0)"), 1.0, 0.0);
    CHECK(is_known(&f, "r2") && is_known(&f, "area") && is_known(&f, "x'"));
    CHECK(is_known(&f, "sin") && is_known(&f, "pi") && is_known(&f, "and"));
    CHECK(!is_known(&f, "e") && !is_known(&f, "x''") && !is_known(&f, "a"));
    fixture_close(&f);
}

TEST(equal_parts_are_computed_once_and_constant_parts_not_at_all)
{
    fixture f;
    fixture_open(&f);
    CHECK_INT(tp_formula_operation_count(fixture_compile(&f, "sin(x*y)+sin(y*x)*sin(x*y)")), 4);
    CHECK_INT(tp_formula_operation_count(fixture_compile(&f, "2*pi*g/arm.length*x")), 1);
    CHECK_INT(tp_formula_operation_count(fixture_compile(&f, "sin(1)+cos(2)^3")), 0);
    CHECK_INT(tp_formula_operation_count(fixture_compile(&f, "if(1<2,x,sin(y))")), 0);
    CHECK_INT(tp_formula_slot_count(fixture_compile(&f, "if(1<2,x,sin(y))")), 1);
    tp_formula *formula = fixture_compile(&f, "y'*x+t-x");
    CHECK_INT(tp_formula_slot_count(formula), 3);
    CHECK_INT(tp_formula_slots(formula)[0], 0);
    CHECK_INT(tp_formula_slots(formula)[1], 3);
    CHECK_INT(tp_formula_slots(formula)[2], 5);
    CHECK_INT(tp_formula_slot_count(fixture_compile(&f, "7")), 0);
    fixture_close(&f);
}

TEST(what_is_not_a_number_is_seen_unless_its_branch_is_not_taken)
{
    fixture f;
    fixture_open(&f);
    CHECK(isnan(value_of(&f, "log(y)")) && isnan(value_of(&f, "min(log(y),1)")) &&
          isnan(value_of(&f, "max(1,log(y))")));
    CHECK(isnan(value_of(&f, "sign(log(y))")) && isnan(value_of(&f, "step(log(y))")) &&
          isnan(value_of(&f, "floor(log(y))")) && isnan(value_of(&f, "y^0.5")));
    CHECK_NEAR(value_of(&f, "if(y>0,log(y),4)"), 4.0, 0.0);
    CHECK_NEAR(value_of(&f, "if(log(y)>0,1,2)"), 2.0, 0.0);
    CHECK(isinf(value_of(&f, "1/t")));
    fixture_close(&f);
}

TEST_MAIN(RUNS(numbers_are_read_to_the_last_bit), RUNS(operators_bind_as_in_mathematics),
          RUNS(names_may_have_dots_and_apostrophes), RUNS(functions_have_their_exact_values),
          RUNS(integer_powers_are_products), RUNS(definitions_are_used_by_name),
          RUNS(equal_parts_are_computed_once_and_constant_parts_not_at_all),
          RUNS(what_is_not_a_number_is_seen_unless_its_branch_is_not_taken))
