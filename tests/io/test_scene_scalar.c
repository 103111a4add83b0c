/* What scalars mean: numbers, integers, true and false, texts, formulas. */
#include "io/scene/scalar.h"

#include <locale.h>
#include <stdlib.h>

#include "check.h"
#include "scene_text.h"

typedef struct number_case {
    const char *text;
    double value;
} number_case;

static const number_case numbers[] = {
    {"0", 0.0},
    {"-0", -0.0},
    {"+7", 7.0},
    {"007", 7.0},
    {"1.", 1.0},
    {".5", 0.5},
    {"-.5e1", -5.0},
    {"1e-5", 1e-5},
    {"1E+3", 1e3},
    {"0.1", 0.1},
    {"5e-324", 5e-324},
    {"1.7976931348623157e308", 1.7976931348623157e308},
    {"9007199254740993", 9007199254740992.0}, /* a tie, to even */
    {"0e999", 0.0},
};

TEST(numbers_are_read_as_written_and_correctly_rounded)
{
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        scene_text scene;
        double value = -1.0;
        scene_open(&scene, numbers[k].text);
        CHECK_INT(tp_node_number(scene.tree->root, NULL, &value, &scene.why), TP_OK);
        CHECK(memcmp(&value, &numbers[k].value, sizeof value) == 0);
        scene_close(&scene);
    }
}

TEST(random_doubles_written_with_17_digits_read_back_as_the_same)
{
    check_random random = {20};
    for (int k = 0; k < 2000; k++) {
        uint64_t bits = check_random_bits(&random);
        double written, value = 0.0;
        memcpy(&written, &bits, sizeof written);
        if (!isfinite(written)) continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", written);
        scene_text scene;
        scene_open(&scene, text);
        CHECK_INT(tp_node_number(scene.tree->root, NULL, &value, &scene.why), TP_OK);
        CHECK(value == written);
        scene_close(&scene);
    }
}

static const char *const no_numbers[][2] = {
    {"{x: abc}", "s.yaml:1:5: x: expected a number [kg], found 'abc'"},
    {"{x: 3 kg}", "found '3 kg'; write it like 0.5 or 2e-3, alone"},
    {"{x: 0x10}", "found '0x10'"},
    {"{x: 1_000}", "found '1_000'"},
    {"{x: 1e}", "found '1e'"},
    {"{x: 1e+}", "found '1e+'"},
    {"{x: .}", "found '.'"},
    {"{x: '-'}", "found '-'"},
    {"{x: 1.2.3}", "found '1.2.3'"},
    {"{x: --1}", "found '--1'"},
    {"{x: [1,5]}", "found a list"},
    {"{x: {a: 1}}", "found a map"},
    {"{x: }", "found nothing"},
    {"{x: ~}", "found nothing"},
    {"{x: true}", "found 'true'"},
    {"{x: .nan}", "'.nan' is not finite; write a finite number [kg]"},
    {"{x: NaN}", "'NaN' is not finite"},
    {"{x: -.inf}", "'-.inf' is not finite"},
    {"{x: +Infinity}", "'+Infinity' is not finite"},
    {"{x: '3'}", "'3' is in quotes, which make it a text; write the number without"},
    {"{x: 1e309}", "larger than any number here"},
    {"{x: 1e-400}", "too small to be told from 0"},
};

TEST(what_is_no_number_is_refused_and_told_what_would_be_right)
{
    for (size_t k = 0; k < sizeof no_numbers / sizeof no_numbers[0]; k++) {
        scene_text scene;
        double value = 42.0;
        scene_open(&scene, no_numbers[k][0]);
        CHECK_INT(tp_node_number(scene_at(&scene, "x"), "kg", &value, &scene.why), TP_INVALID_DATA);
        if (!strstr(scene.why.text, no_numbers[k][1])) print_error("%s\n", scene.why.text);
        CHECK(strstr(scene.why.text, no_numbers[k][1]) != NULL);
        CHECK(value == 42.0);
        scene_close(&scene);
    }
}

TEST(numbers_have_a_point_in_every_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8"};
    const char *chosen = NULL;
    for (int k = 0; k < 4 && !chosen; k++) chosen = setlocale(LC_ALL, names[k]);
    if (!chosen) print_message("no locale with a decimal comma installed: tested in the C locale only\n");
    scene_text scene;
    double value = 0.0;
    scene_open(&scene, "1.5e-1");
    CHECK_INT(tp_node_number(scene.tree->root, NULL, &value, NULL), TP_OK);
    CHECK_NEAR(value, 0.15, 0.0);
    char here[8];
    snprintf(here, sizeof here, "%.1f", 1.5);
    CHECK_INT(here[1], chosen ? ',' : '.'); /* the caller's locale is in force again */
    setlocale(LC_ALL, "C");
    scene_close(&scene);
}

TEST(integers_are_whole_and_in_their_range)
{
    static const char *const wrong[] = {"1.0", "1e2", "11",  "0",   "-1", "99999999999999999999999",
                                        "x",   "'5'", "[5]", "null"};
    scene_text scene;
    int value = 0;
    scene_open(&scene, "[5, +10, 1, -2147483648]");
    CHECK_INT(tp_node_integer(scene_at(&scene, "0"), 1, 10, &value, NULL), TP_OK);
    CHECK_INT(value, 5);
    CHECK_INT(tp_node_integer(scene_at(&scene, "1"), 1, 10, &value, NULL), TP_OK);
    CHECK_INT(value, 10);
    CHECK_INT(tp_node_integer(scene_at(&scene, "3"), INT32_MIN, 10, &value, NULL), TP_OK);
    CHECK_INT(value, INT32_MIN);
    scene_close(&scene);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        scene_open(&scene, wrong[k]);
        CHECK_INT(tp_node_integer(scene.tree->root, 1, 10, &value, &scene.why), TP_INVALID_DATA);
        CHECK(strstr(scene.why.text, "a whole number from 1 to 10") != NULL);
        scene_close(&scene);
    }
}

TEST(only_the_words_true_and_false_are_booleans)
{
    static const char *const wrong[] = {"yes", "on", "True", "TRUE", "1", "'true'", "[true]", "~"};
    scene_text scene;
    bool value = false;
    scene_open(&scene, "[true, false]");
    CHECK(tp_node_boolean(scene_at(&scene, "0"), &value, NULL) == TP_OK && value);
    CHECK(tp_node_boolean(scene_at(&scene, "1"), &value, NULL) == TP_OK && !value);
    scene_close(&scene);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        scene_open(&scene, wrong[k]);
        CHECK_INT(tp_node_boolean(scene.tree->root, &value, &scene.why), TP_INVALID_DATA);
        CHECK(strstr(scene.why.text, "expected true or false") != NULL);
        scene_close(&scene);
    }
}

TEST(texts_formulas_and_quantities_keep_their_text_and_place)
{
    scene_text scene;
    const char *text;
    tp_formula_text formula;
    tp_quantity quantity;
    scene_open(&scene, "{t: 1.50, f: \"2*x\", n: 2.5, q: '3', w: null, b: true, i: .inf}");
    CHECK(tp_node_text(scene_at(&scene, "t"), &text, NULL) == TP_OK && strcmp(text, "1.50") == 0);
    CHECK_INT(tp_node_text(scene_at(&scene, "w"), &text, NULL), TP_INVALID_DATA);
    CHECK_INT(tp_node_formula(scene_at(&scene, "f"), &formula, NULL), TP_OK);
    CHECK_INT(formula.place.column, 15);
    CHECK_INT(tp_node_formula(scene_at(&scene, "b"), &formula, NULL), TP_INVALID_DATA);
    CHECK_INT(tp_node_quantity(scene_at(&scene, "f"), NULL, &quantity, NULL), TP_OK);
    CHECK(!quantity.is_number && strcmp(quantity.formula.text, "2*x") == 0);
    CHECK_INT(tp_node_quantity(scene_at(&scene, "n"), NULL, &quantity, NULL), TP_OK);
    CHECK(quantity.is_number && quantity.number == 2.5);
    CHECK_INT(tp_node_quantity(scene_at(&scene, "q"), NULL, &quantity, NULL), TP_OK);
    CHECK(!quantity.is_number && strcmp(quantity.formula.text, "3") == 0);
    CHECK_INT(tp_node_quantity(scene_at(&scene, "i"), NULL, &quantity, NULL), TP_INVALID_DATA);
    scene_close(&scene);
}

TEST(messages_cut_long_texts_between_characters)
{
    char text[4000] = "x: \"";
    for (int k = 0; k < 900; k++) strcat(text, "\xe2\x82\xac");
    strcat(text, "\"");
    scene_text scene;
    double value;
    scene_open(&scene, text);
    CHECK_INT(tp_node_number(scene_at(&scene, "x"), NULL, &value, &scene.why), TP_INVALID_DATA);
    CHECK(strlen(scene.why.text) < 200);
    CHECK(strstr(scene.why.text, "\xe2\x82\xac...'") != NULL);
    scene_close(&scene);
}

TEST_MAIN(RUNS(numbers_are_read_as_written_and_correctly_rounded),
          RUNS(random_doubles_written_with_17_digits_read_back_as_the_same),
          RUNS(what_is_no_number_is_refused_and_told_what_would_be_right),
          RUNS(numbers_have_a_point_in_every_locale), RUNS(integers_are_whole_and_in_their_range),
          RUNS(only_the_words_true_and_false_are_booleans),
          RUNS(texts_formulas_and_quantities_keep_their_text_and_place),
          RUNS(messages_cut_long_texts_between_characters))
