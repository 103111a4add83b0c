/* What the program's JSON writer promises. */
#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "json_check.h"

/* Writes one string as JSON and compares. */
static void check_text(void **check_state_, const char *text, const char *expected)
{
    char *written = NULL;
    size_t length = 0;
    FILE *file = tmpfile();
    CHECK(file != NULL);
    json_writer writer = json_begin(file);
    json_text(&writer, text);
    length = (size_t)ftell(file);
    written = calloc(length + 1, 1);
    CHECK(written != NULL);
    rewind(file);
    CHECK(fread(written, 1, length, file) == length);
    fclose(file);
    if (strcmp(written, expected) != 0) print_error("%s instead of %s\n", written, expected);
    CHECK(strcmp(written, expected) == 0);
    CHECK(json_is_well_formed(written));
    free(written);
}

TEST(strings_are_escaped)
{
    check_text(check_state_, "plain", "\"plain\"");
    check_text(check_state_, "a\"b\\c", "\"a\\\"b\\\\c\"");
    check_text(check_state_, "\n\t\x01", "\"\\n\\t\\u0001\"");
    check_text(check_state_, "", "\"\"");
    check_text(check_state_, NULL, "null");
}

TEST(utf8_stays_and_other_bytes_become_the_replacement_character)
{
    check_text(check_state_, "Painlev\xC3\xA9", "\"Painlev\xC3\xA9\"");
    check_text(check_state_, "\xF0\x9F\x8E\xB1", "\"\xF0\x9F\x8E\xB1\"");
    check_text(check_state_, "\xE9", "\"\\ufffd\"");                       /* Latin-1           */
    check_text(check_state_, "\xC0\xAF", "\"\\ufffd\\ufffd\"");            /* too long a form   */
    check_text(check_state_, "\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* half of a pair    */
    check_text(check_state_, "\xE2\x82", "\"\\ufffd\\ufffd\"");            /* cut off           */
}

TEST(every_double_reads_back_as_itself)
{
    check_random random = {.state = 20240611};
    char text[32];
    for (int k = 0; k < 100000; ++k) {
        union {
            uint64_t bits;
            double number;
        } any = {.bits = check_random_bits(&random)};
        if (!isfinite(any.number)) continue;
        json_format_real(any.number, text);
        CHECK(strtod(text, NULL) == any.number);
        CHECK(json_is_well_formed(text));
    }
    const double special[] = {0.0, -0.0, DBL_MIN, DBL_MAX, 4.9406564584124654e-324, 0.1, 1.0 / 3.0, 1e22};
    for (size_t k = 0; k < sizeof special / sizeof special[0]; ++k) {
        json_format_real(special[k], text);
        CHECK(strtod(text, NULL) == special[k]);
    }
}

TEST(short_numbers_stay_short)
{
    char text[32];
    json_format_real(0.1, text);
    CHECK(strcmp(text, "0.1") == 0);
    json_format_real(1e-8, text);
    CHECK(strcmp(text, "1e-08") == 0);
}

TEST(numbers_that_are_none_become_null_and_commas_stand_between_items)
{
    char written[128] = "";
    FILE *file = tmpfile();
    CHECK(file != NULL);
    json_writer writer = json_begin(file);
    json_open(&writer, '{');
    json_key(&writer, "a");
    json_open(&writer, '[');
    json_real(&writer, NAN);
    json_real(&writer, INFINITY);
    json_integer(&writer, -3);
    json_close(&writer, ']');
    json_key(&writer, "b");
    json_bool(&writer, true);
    json_key(&writer, "c");
    json_open(&writer, '{');
    json_close(&writer, '}');
    json_close(&writer, '}');
    json_end(&writer);
    rewind(file);
    CHECK(fgets(written, sizeof written, file) != NULL);
    fclose(file);
    CHECK(strcmp(written, "{\"a\": [null, null, -3], \"b\": true, \"c\": {}}\n") == 0);
    CHECK(json_is_well_formed(written));
}

TEST(the_checker_refuses_what_is_no_json)
{
    static const char *const wrong[] = {"",    "{",    "{\"a\"}",  "{\"a\": 1,}", "[1 2]",
                                        "01",  "1.",   "\"\x01\"", "\"\\x41\"",   "nul",
                                        "nan", "[1]]", "'a'"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        CHECK(!json_is_well_formed(wrong[k]));
    }
    CHECK(json_is_well_formed(" [1.5e-3, {\"a\": null}, \"\\u00e9\"] \n"));
}

TEST_MAIN(RUNS(strings_are_escaped), RUNS(utf8_stays_and_other_bytes_become_the_replacement_character),
          RUNS(every_double_reads_back_as_itself), RUNS(short_numbers_stay_short),
          RUNS(numbers_that_are_none_become_null_and_commas_stand_between_items),
          RUNS(the_checker_refuses_what_is_no_json))
