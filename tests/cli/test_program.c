/* The contract of the command line, docs/command-line.md: exit codes, help, JSON, messages. */
#define _POSIX_C_SOURCE 200809L
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-" /* files beside the program */
#include "program_run.h"

#define PROBLEMS   TIPPE_SOURCE_DIR "/data/problems/"
#define ONE        PROBLEMS "fc3d/FrictionContact3D_1c.dat"
#define INFEASIBLE PROBLEMS "crafted/infeasible-crush-2.dat"

TEST(version_and_help_are_printed_on_standard_output)
{
    outcome *r = run("--version");
    CHECK_INT(r->code, 0);
    CHECK(strncmp(r->out, "tippe ", 6) == 0);
    r = run("--help");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "solve") && holds(r->out, "list") && holds(r->out, "help"));
    r = run("help");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "usage: tippe VERB"));
}

TEST(every_verb_has_a_page_that_both_ways_of_asking_show)
{
    static const char *const verbs[] = {"run", "check", "new", "solve", "list", "help"};
    char page[OUTPUT_MAX], arguments[64];
    for (size_t k = 0; k < sizeof verbs / sizeof verbs[0]; ++k) {
        snprintf(arguments, sizeof arguments, "help %s", verbs[k]);
        outcome *r = run(arguments);
        CHECK_INT(r->code, 0);
        CHECK(holds(r->out, "usage: tippe ") && holds(r->out, verbs[k]));
        strcpy(page, r->out);
        snprintf(arguments, sizeof arguments, "%s --help", verbs[k]);
        r = run(arguments);
        CHECK_INT(r->code, 0);
        CHECK(strcmp(page, r->out) == 0);
    }
}

TEST(no_verb_or_an_unknown_one_is_exit_code_2_with_a_suggestion)
{
    outcome *r = run("");
    CHECK_INT(r->code, 2);
    CHECK(r->out[0] == '\0' && holds(r->err, "usage"));
    r = run("slove");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "did you mean solve?"));
    r = run("help sovle");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "did you mean solve?"));
    r = run("qqqqqq");
    CHECK_INT(r->code, 2);
    CHECK(!holds(r->err, "did you mean"));
}

TEST(bad_options_are_exit_code_2_and_the_message_says_what_would_be_right)
{
    static const struct {
        const char *arguments, *part;
    } wrong[] = {
        {"solve", "missing PROBLEM"},
        {"solve a b", "one argument too many: b"},
        {"solve a --tolerance 1", "unknown option --tolerance"},
        {"solve a --slover x", "did you mean --solver?"},
        {"solve a --slover=x", "did you mean --solver?"},
        {"solve a --tol", "--tol needs a value"},
        {"solve a --tol abc", "--tol abc: expected a number, 0 or more"},
        {"solve a --tol -1", "--tol -1: expected"},
        {"solve a --tol nan", "--tol nan: expected"},
        {"solve a --tol 1e-8x", "expected a number"},
        {"solve a --max-iter 1.5", "expected a whole number"},
        {"solve a --max-iter 99999999999999999999", "expected a whole number"},
        {"solve a --relaxation 0", "above 0, at most 2"},
        {"solve a --facets 7", "even"},
        {"solve a --branch first", "expected default|nearest"},
        {"solve a --json=1", "--json takes no value"},
        {"solve a --solver projected-gaus-seidel", "did you mean projected-gauss-seidel?"},
        {"list", "missing a topic"},
        {"list solver", "did you mean solvers?"},
        {"list solvers --jsn", "did you mean --json?"},
        {"help --all", "unknown option --all"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        outcome *r = run(wrong[k].arguments);
        if (r->code != 2 || !holds(r->err, wrong[k].part)) print_error("%s: %s", wrong[k].arguments, r->err);
        CHECK_INT(r->code, 2);
        CHECK(holds(r->err, wrong[k].part));
        CHECK(r->out[0] == '\0');
    }
}

TEST(lists_are_printed_as_lines_and_as_json)
{
    static const char *const topics[] = {"integrators", "solvers",  "laws", "joints",   "bodies",
                                         "shapes",      "drawings", "sets", "analyses", "examples"};
    char arguments[64];
    for (size_t k = 0; k < sizeof topics / sizeof topics[0]; ++k) {
        snprintf(arguments, sizeof arguments, "list %s", topics[k]);
        CHECK_INT(run(arguments)->code, 0);
        snprintf(arguments, sizeof arguments, "list %s --json", topics[k]);
        outcome *r = run(arguments);
        CHECK_INT(r->code, 0);
        CHECK(json_is_well_formed(r->out));
        CHECK(r->out[0] == '[');
    }
    outcome *r = run("list solvers --json");
    CHECK(holds(r->out, "\"projected-gauss-seidel\"") && holds(r->out, "\"auto\""));
    r = run("list analyses --json");
    CHECK(holds(r->out, "\"--holonomy\"") && holds(r->out, "\"lie-bracket\""));
    r = run("list laws --json");
    CHECK(holds(r->out, "\"one-way\"") && !holds(r->out, "\"orthant\""));
    CHECK(holds(run("list sets --json")->out, "\"orthant\""));
    r = run("list joints --json");
    CHECK(holds(r->out, "\"name\": \"revolute\"") && holds(r->out, "\"coordinates\": [\"angle\"]"));
    CHECK(holds(run("list joints")->out,
                "rotation about an axis (hinge); 5 rows (2 in the plane); coordinates angle"));
    CHECK(holds(run("list bodies --json")->out, "\"name\": \"rigid\""));
    r = run("list shapes --json");
    CHECK(holds(r->out, "\"name\": \"inside-sphere\"") && holds(r->out, "\"use\": \"friction\""));
    CHECK(holds(r->out, "\"disc\"") && !holds(r->out, "\"brick\""));
}

TEST(a_solved_problem_is_exit_code_0_and_its_json_has_the_promised_keys)
{
    static const char *const keys[] = {"status", "reason",    "problem", "kind",       "contacts",
                                       "solver", "converged", "error",   "iterations", "wall_s"};
    outcome *r = run("solve --json '" ONE "'");
    CHECK_INT(r->code, 0);
    CHECK(json_is_well_formed(r->out));
    char value[1024];
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; ++k) {
        CHECK(json_find(r->out, keys[k], value, sizeof value));
    }
    CHECK(json_says(r->out, "status", "\"converged\""));
    CHECK(json_says(r->out, "converged", "true"));
    CHECK(json_says(r->out, "contacts", "1"));
    CHECK(json_says(r->out, "problem", "\"" ONE "\""));
    CHECK(json_find(r->out, "error", value, sizeof value));
    CHECK(strtod(value, NULL) <= 1e-8);
    r = run("solve '" ONE "'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "status       converged") && holds(r->out, "residual"));
}

TEST(the_error_that_is_printed_is_within_the_tolerance_that_was_asked_for)
{
    char value[64];
    outcome *r = run("solve --json --tol 1e-4 '" PROBLEMS "fc3d/Rover1039.dat'");
    CHECK_INT(r->code, 0);
    CHECK(json_find(r->out, "error", value, sizeof value));
    CHECK(strtod(value, NULL) <= 1e-4);
}

TEST(too_few_iterations_are_not_converged_and_exit_code_3)
{
    outcome *r = run("solve --json --solver projected-jacobi --tol 1e-12 --max-iter 1 '" PROBLEMS
                     "fc3d/Rover1039.dat'");
    CHECK_INT(r->code, 3);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"not converged\""));
    CHECK(json_says(r->out, "converged", "false"));
}

TEST(an_infeasible_problem_is_exit_code_3_and_says_so)
{
    outcome *r = run("solve --json '" INFEASIBLE "'");
    CHECK_INT(r->code, 3);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"infeasible\""));
    CHECK(json_says(r->out, "converged", "false"));
    r = run("solve '" INFEASIBLE "'");
    CHECK_INT(r->code, 3);
    CHECK(holds(r->out, "infeasible"));
}

TEST(a_solver_that_does_not_accept_the_problem_is_exit_code_2)
{
    outcome *r = run("solve --json --solver lemke '" ONE "'");
    CHECK_INT(r->code, 2);
    CHECK(json_says(r->out, "status", "\"unsupported\""));
    CHECK(json_says(r->out, "error", "null"));
    CHECK(r->err[0] != '\0');
}

TEST(malformed_content_is_exit_code_2_with_file_and_line)
{
    write_text(SCRATCH "malformed.dat", "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 zero 1\n-1 0 0\n0.5\n");
    outcome *r = run("solve --json '" SCRATCH "malformed.dat'");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "malformed.dat"));
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"malformed\""));
    write_text(SCRATCH "malformed.dat", "");
    CHECK_INT(run("solve '" SCRATCH "malformed.dat'")->code, 2);
    remove(SCRATCH "malformed.dat");
}

TEST(a_missing_problem_is_exit_code_4)
{
    outcome *r = run("solve --json '" SCRATCH "is-not-there.dat'");
    CHECK_INT(r->code, 4);
    CHECK(holds(r->err, "is-not-there.dat"));
    CHECK(json_is_well_formed(r->out));
    CHECK_INT(run("solve '" TIPPE_SOURCE_DIR "'")->code, 4); /* a folder */
}

TEST(the_solution_is_written_one_number_a_line)
{
    remove(SCRATCH "solution.txt");
    CHECK_INT(run("solve '" ONE "' -o '" SCRATCH "solution.txt'")->code, 0);
    char text[OUTPUT_MAX];
    read_file(SCRATCH "solution.txt", text);
    int lines = 0;
    for (const char *s = text; *s != '\0'; ++s) {
        lines += *s == '\n';
    }
    CHECK_INT(lines, 3);
    remove(SCRATCH "solution.txt");
}

TEST(an_infeasible_problem_leaves_no_solution_file)
{
    remove(SCRATCH "solution.txt");
    CHECK_INT(run("solve '" INFEASIBLE "' -o '" SCRATCH "solution.txt'")->code, 3);
    CHECK(access(SCRATCH "solution.txt", F_OK) != 0);
}

TEST(what_cannot_be_written_is_exit_code_4)
{
    CHECK_INT(run("solve '" ONE "' -o '" TIPPE_SOURCE_DIR "'")->code, 4); /* a folder  */
    CHECK_INT(run("solve '" ONE "' -o '" TIPPE_SOURCE_DIR "/no/such/folder/a.txt'")->code, 4);
    CHECK_INT(run("solve --json '" ONE "' >/dev/full")->code, 4);
    CHECK_INT(run("list solvers >/dev/full")->code, 4);
    CHECK_INT(run("--help >/dev/full")->code, 4);
}

/* The file is replaced by a rename, which must not happen to a device. */
TEST(a_full_device_is_exit_code_4_and_stays_a_device)
{
    CHECK_INT(run("solve '" ONE "' -o /dev/full")->code, 4);
    struct stat about;
    CHECK(stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode));
}

TEST(words_after_two_dashes_are_no_options)
{
    outcome *r = run("solve -- --json");
    CHECK_INT(r->code, 4);
    CHECK(holds(r->err, "--json"));
}

/* The convex relaxation lifts a sliding contact, so that its answer is none of the exact law. */
TEST(an_approximate_solver_names_the_law_it_solved_and_does_not_call_it_converged)
{
    write_text(SCRATCH "sliding.dat", "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 5 0\n0.5\n");
    outcome *r = run("solve --json --solver convex '" SCRATCH "sliding.dat'");
    char law[1024];
    CHECK_INT(r->code, 3);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"not converged\""));
    CHECK(json_says(r->out, "converged", "false"));
    CHECK(json_find(r->out, "law", law, sizeof law) && strlen(law) > 2);
    r = run("solve --json '" SCRATCH "sliding.dat'");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "converged", "true"));
    CHECK(!json_find(r->out, "law", law, sizeof law));
    remove(SCRATCH "sliding.dat");
}

/* Jacobi's iteration has no end on a problem without solution. */
TEST(an_interrupted_solve_is_exit_code_130)
{
    outcome *r = run_under("timeout --preserve-status -s INT 1",
                           "solve '" INFEASIBLE "' --solver projected-jacobi --tol 0 --max-iter 2000000000"
                           " --work 1e300");
    CHECK_INT(r->code, 130);
    CHECK(r->out[0] == '\0');
}

TEST_MAIN(RUNS(version_and_help_are_printed_on_standard_output),
          RUNS(every_verb_has_a_page_that_both_ways_of_asking_show),
          RUNS(no_verb_or_an_unknown_one_is_exit_code_2_with_a_suggestion),
          RUNS(bad_options_are_exit_code_2_and_the_message_says_what_would_be_right),
          RUNS(lists_are_printed_as_lines_and_as_json),
          RUNS(a_solved_problem_is_exit_code_0_and_its_json_has_the_promised_keys),
          RUNS(the_error_that_is_printed_is_within_the_tolerance_that_was_asked_for),
          RUNS(too_few_iterations_are_not_converged_and_exit_code_3),
          RUNS(an_infeasible_problem_is_exit_code_3_and_says_so),
          RUNS(a_solver_that_does_not_accept_the_problem_is_exit_code_2),
          RUNS(malformed_content_is_exit_code_2_with_file_and_line), RUNS(a_missing_problem_is_exit_code_4),
          RUNS(the_solution_is_written_one_number_a_line),
          RUNS(an_infeasible_problem_leaves_no_solution_file), RUNS(what_cannot_be_written_is_exit_code_4),
          RUNS(a_full_device_is_exit_code_4_and_stays_a_device), RUNS(words_after_two_dashes_are_no_options),
          RUNS(an_approximate_solver_names_the_law_it_solved_and_does_not_call_it_converged),
          RUNS(an_interrupted_solve_is_exit_code_130))
