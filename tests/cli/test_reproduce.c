/* tippe reproduce: experiments that are run, taken up again, and judged. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-reproduce-"
#include "program_run.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT       SCRATCH "out"
#define CATALOGUE SCRATCH "catalogue"

static int remove_files(void **state)
{
    (void)state;
    return system("rm -rf '" OUT "' '" CATALOGUE "'") == 0 ? 0 : 1;
}

/* A catalogue of one experiment: the sprag clutch, whose second mass leaves with 2.2 m/s. */
static void write_catalogue(const char *reported, const char *more)
{
    char text[2048];
    mkdir(CATALOGUE, 0777);
    write_text(CATALOGUE "/documents.yaml", "documents: [paper]\n");
    snprintf(text, sizeof text,
             "title: A paper\n"
             "experiments:\n"
             "  - name: clutch\n"
             "    title: A clutch\n"
             "    where: table 1\n"
             "    steps: {a: run examples/sprag-clutch/scene.yaml --output-every 0}\n"
             "    checks: [{what: speed, unit: m/s, of: a, take: end, column: \"x2'\", reported: %s%s}]\n"
             "    figure: plot @a --columns \"x2'\"\n"
             "  - {name: later, title: Later, where: table 2, missing: not yet}\n",
             reported, more);
    write_text(CATALOGUE "/paper.yaml", text);
}

TEST(three_experiments_of_the_catalogue_agree)
{
    const outcome *result = run("reproduce slow-jacobi ball-sticking rod-regions --json -o '" OUT "'");
    CHECK_INT(result->code, 0);
    for (const char *at = result->out; (at = strstr(at, "\"verdict\": \"")) != NULL; at++)
        CHECK(strncmp(at, "\"verdict\": \"agrees\"", 19) == 0);
    CHECK(holds(result->out, "\"from_before\": false"));
    static char page[OUTPUT_MAX];
    read_file(OUT "/reproduction.md", page);
    CHECK(holds(page, "| steps of the recovering iteration | 1 ± 0.5 | 1 | text | agrees |"));
    CHECK(holds(page, "![ball-sticking](reproduction/ball-sticking.svg)"));
    CHECK(access(OUT "/reproduction/ball-sticking.svg", R_OK) == 0);
}

TEST(what_is_finished_is_not_run_again)
{
    struct stat before, after;
    CHECK_INT(run("reproduce slow-jacobi -o '" OUT "' --quiet")->code, 0);
    CHECK_INT(stat(OUT "/runs/slow-jacobi/result.json", &before), 0);
    const outcome *result = run("reproduce slow-jacobi -o '" OUT "' --json");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "\"from_before\": true"));
    CHECK_INT(stat(OUT "/runs/slow-jacobi/result.json", &after), 0);
    CHECK(before.st_ino == after.st_ino); /* a new result is a new file */
    CHECK(holds(run("reproduce slow-jacobi --fresh -o '" OUT "' --json")->out, "\"from_before\": false"));
}

TEST(a_wrong_expected_value_differs)
{
    write_catalogue("2.2", "");
    const outcome *result = run("reproduce --catalogue '" CATALOGUE "' -o '" OUT "'");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "clutch                           agrees\n"));
    CHECK(holds(result->out, "later                            missing\n"));
    /* The entry is another one: it is run again, and differs. */
    write_catalogue("2.5", "");
    result = run("reproduce --catalogue '" CATALOGUE "' -o '" OUT "'");
    CHECK_INT(result->code, 3);
    CHECK(holds(result->out, "clutch                           differs\n"));
    CHECK(holds(result->out, "speed: reported 2.5, measured 2.2"));
    write_catalogue("2.5", ", reason: it is a test");
    result = run("reproduce --catalogue '" CATALOGUE "' -o '" OUT "'");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "differs, explained"));
    write_catalogue("2.5", ", corrected: 2.2, erratum: a slip of the pen");
    CHECK(holds(run("reproduce --catalogue '" CATALOGUE "' -o '" OUT "'")->out, "agrees after the erratum"));
    static char page[OUTPUT_MAX];
    read_file(OUT "/reproduction.md", page);
    CHECK(holds(page, "a slip of the pen"));
    CHECK(holds(page, "Missing: not yet"));
}

TEST(what_cannot_be_measured_differs)
{
    write_catalogue("2.2", "}, {what: other, of: a, take: end, column: nowhere, reported: 1");
    const outcome *result = run("reproduce --catalogue '" CATALOGUE "' -o '" OUT "'");
    CHECK_INT(result->code, 3);
    CHECK(holds(result->out, "there is no column \"nowhere\""));
}

TEST(unknown_names_and_catalogues_are_refused)
{
    const outcome *result = run("reproduce slow-jacoby -o '" OUT "'");
    CHECK_INT(result->code, 2);
    CHECK(holds(result->err, "did you mean 'slow-jacobi'?"));
    CHECK_INT(run("reproduce --catalogue '" SCRATCH "nowhere' -o '" OUT "'")->code, 4);
    CHECK_INT(run("reproduce slow-jacobi --page x.html -o '" OUT "'")->code, 2);
    result = run("list experiments --json");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "\"name\": \"cam-700\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(three_experiments_of_the_catalogue_agree), RUNS(what_is_finished_is_not_run_again),
        RUNS(a_wrong_expected_value_differs), RUNS(what_cannot_be_measured_differs),
        RUNS(unknown_names_and_catalogues_are_refused)};
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
