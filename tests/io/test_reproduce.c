/* The catalogue of experiments: whole, well-formed; verdicts; messages. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "tippe/reproduce.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tp_catalogue *read_catalogue(void)
{
    tp_catalogue *catalogue = NULL;
    tp_message why = {""};
    if (tp_catalogue_read(NULL, TIPPE_SOURCE_DIR "/data/reproduce", TIPPE_SOURCE_DIR "/examples", &catalogue,
                          &why) != TP_OK)
        fail_msg("%s", why.text);
    return catalogue;
}

TEST(the_catalogue_has_all_five_documents)
{
    /* name, and how many experiments there are at least */
    static const struct {
        const char *name;
        int least;
    } documents[] = {{"consistent-integrators", 17},
                     {"siconos-notes", 8},
                     {"frictional-dai", 7},
                     {"geometry-numerics", 9},
                     {"jet-space", 10}};
    tp_catalogue *catalogue = read_catalogue();
    for (size_t d = 0; d < sizeof documents / sizeof documents[0]; d++) {
        int count = 0;
        for (int k = 0; k < catalogue->count; k++)
            count += strcmp(catalogue->experiments[k].document, documents[d].name) == 0;
        if (count < documents[d].least) fail_msg("%s: %d experiments", documents[d].name, count);
    }
    tp_catalogue_free(catalogue);
    UNUSED_STATE;
}

TEST(files_that_steps_name_are_there)
{
    tp_catalogue *catalogue = read_catalogue();
    for (int k = 0; k < catalogue->count; k++) {
        const tp_experiment *e = &catalogue->experiments[k];
        CHECK(e->missing != NULL || (e->step_count > 0 && e->check_count > 0));
        for (int i = 0; i < e->step_count; i++) {
            for (int w = 0; w < e->steps[i].word_count; w++) {
                const char *word = e->steps[i].words[w];
                if (word[0] == '/' && access(word, R_OK) != 0) fail_msg("%s: %s", e->name, word);
            }
        }
    }
    tp_catalogue_free(catalogue);
}

TEST(printed_digits_have_their_precision)
{
    CHECK_NEAR(tp_printed_precision("0.84"), 0.005, 1e-18);
    CHECK_NEAR(tp_printed_precision("-4.8925e-6"), 0.5e-10, 1e-24);
    CHECK_NEAR(tp_printed_precision("207223"), 0.5, 0.0);
    CHECK_NEAR(tp_printed_precision("1e5"), 0.5e5, 1e-9);
    CHECK(isnan(tp_printed_precision("holonomic")));
}

static tp_verdict judge(tp_check check, double number, const char *word)
{
    double allowed;
    return tp_check_judge(&check, number, word, &allowed);
}

TEST(verdicts_follow_from_both_values)
{
    const tp_check none = {.above = NAN, .below = NAN, .tolerance = NAN};
    tp_check check = none;
    check.reported = "0.84";
    CHECK_INT(judge(check, 0.8449, ""), TP_VERDICT_AGREES);
    CHECK_INT(judge(check, 0.8451, ""), TP_VERDICT_DIFFERS);
    CHECK_INT(judge(check, NAN, ""), TP_VERDICT_DIFFERS);
    check.tolerance = 0.01;
    CHECK_INT(judge(check, 0.8451, ""), TP_VERDICT_AGREES);
    check.corrected = "-0.84";
    CHECK_INT(judge(check, -0.845, ""), TP_VERDICT_AFTER_ERRATUM);
    CHECK_INT(judge(check, -0.86, ""), TP_VERDICT_DIFFERS);
    check = none;
    check.above = 1.0, check.below = 2.0;
    CHECK_INT(judge(check, 1.5, ""), TP_VERDICT_AGREES);
    CHECK_INT(judge(check, 0.5, ""), TP_VERDICT_DIFFERS);
    CHECK_INT(judge(check, 2.5, ""), TP_VERDICT_DIFFERS);
    CHECK_INT(judge(check, NAN, ""), TP_VERDICT_DIFFERS);
    check = none;
    check.reported = "holonomic";
    CHECK_INT(judge(check, NAN, "holonomic"), TP_VERDICT_AGREES);
    CHECK_INT(judge(check, NAN, "nonholonomic"), TP_VERDICT_DIFFERS);
    CHECK_INT(judge(check, 1.0, "holonomic"), TP_VERDICT_DIFFERS);
}

/* ---- messages ---- */

static char folder[] = "test-reproduce-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) fail();
    fputs(text, file);
    fclose(file);
}

/* What is wrong with a catalogue of one experiment. */
static const char *message_of(const char *experiment)
{
    static tp_message why;
    char text[2048];
    tp_catalogue *catalogue = NULL;
    snprintf(text, sizeof text, "title: t\nexperiments:\n  - {name: e, title: t, where: w, %s}\n",
             experiment);
    write_file("documents.yaml", "documents: [d]\n");
    write_file("d.yaml", text);
    why = (tp_message){""};
    tp_catalogue_read(NULL, folder, TIPPE_SOURCE_DIR "/examples", &catalogue, &why);
    tp_catalogue_free(catalogue);
    return why.text;
}

#define STEPS "steps: {a: run x.yaml}, "

TEST(malformed_entries_are_refused_with_their_place)
{
    CHECK(mkdtemp(folder) != NULL);
    static const struct {
        const char *entry, *part;
    } cases[] = {
        {STEPS "checks: [{what: w, of: a, take: end, column: x, reported: 1}]", ""},
        {STEPS "checks: [{what: w, of: a, take: end, column: x}]", "expected reported, above or below"},
        {STEPS "checks: [{what: w, of: a, take: end, reported: 1}]", "end needs a column"},
        {STEPS "checks: [{what: w, of: b, take: end, column: x, reported: 1}]", "no step 'b'"},
        {STEPS "checks: [{what: w, of: a, take: ende, column: x, reported: 1}]", "take is start"},
        {STEPS "checks: [{what: w, of: a, take: end, column: x, reported: 1, tolerance: 2}]", "'because'"},
        {STEPS "checks: [{what: w, of: a, take: end, column: x, reported: 1, corrected: 2}]", "erratum"},
        {STEPS "checks: [{what: w, of: a, take: end, column: x, reportd: 1}]", "reported"},
        {"steps: {a: 'jump x.yaml'}, checks: []", "expected a command"},
        {"about: nothing", "says why it is missing"},
        {"missing: no time", ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *text = message_of(cases[k].entry);
        bool is_right = cases[k].part[0] == '\0' ? text[0] == '\0' : strstr(text, cases[k].part) != NULL;
        if (!is_right) fail_msg("%s\nsays '%s'", cases[k].entry, text);
    }
    char path[256];
    snprintf(path, sizeof path, "%s/d.yaml", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/documents.yaml", folder);
    remove(path);
    rmdir(folder);
}

TEST_MAIN(RUNS(the_catalogue_has_all_five_documents), RUNS(files_that_steps_name_are_there),
          RUNS(printed_digits_have_their_precision), RUNS(verdicts_follow_from_both_values),
          RUNS(malformed_entries_are_refused_with_their_place))
