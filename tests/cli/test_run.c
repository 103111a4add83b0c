/* The contract of tippe run, check and new, docs/command-line.md: exit codes, JSON, output files, Ctrl-C. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-run-" /* files beside the program */
#include "program_run.h"

#include "tippe/output.h"

#define BALL      SCRATCH "ball.yaml"
#define SQUEEZED  SCRATCH "squeezed.yaml"
#define REDUNDANT SCRATCH "redundant.yaml"
#define UNSOUND   SCRATCH "unsound.yaml"

/* A ball of 1 kg falls 0.1 m and bounces. E = m g z = 0.981 J. */
static const char ball[] = "name: ball\n"
                           "about: A ball bounces\n"
                           "coordinates: [z]\n"
                           "parameters: {m: 1, g: 9.81}\n"
                           "kinetic: \"1/2*m*z'^2\"\n"
                           "potential: \"m*g*z\"\n"
                           "contacts:\n"
                           "  - {name: floor, gap: \"z\", restitution: 0.5}\n"
                           "sensors: {height: \"2*z\"}\n"
                           "initial: {z: 0.1}\n"
                           "simulate: {dt: 1e-3, until: 0.5}\n";

/* Two walls that close in on a mass: they meet it at t = 0.5 s, and no velocity obeys both. */
static const char squeezed[] = "name: squeezed\n"
                               "coordinates: [x]\n"
                               "kinetic: \"1/2*x'^2\"\n"
                               "contacts:\n"
                               "  - {name: left, gap: \"x - t\"}\n"
                               "  - {name: right, gap: \"1 - t - x\"}\n"
                               "initial: {x: 0.5}\n"
                               "simulate: {dt: 1e-2, until: 2}\n";

/* The same constraint twice. */
static const char redundant[] = "coordinates: [x, y]\n"
                                "kinetic: \"1/2*(x'^2 + y'^2)\"\n"
                                "constraints:\n"
                                "  - {name: first, position: \"x - y\"}\n"
                                "  - {name: second, position: \"2*x - 2*y\"}\n";

static const char unsound[] = "coordinates: [x]\n"; /* no inertia */

static int write_scenes(void **state)
{
    (void)state;
    write_text(BALL, ball);
    write_text(SQUEEZED, squeezed);
    write_text(REDUNDANT, redundant);
    write_text(UNSOUND, unsound);
    return 0;
}

static int remove_scenes(void **state)
{
    (void)state;
    remove(BALL);
    remove(SQUEEZED);
    remove(REDUNDANT);
    remove(UNSOUND);
    return 0;
}

static double json_number(const char *text, const char *key)
{
    char value[1024];
    return json_find(text, key, value, sizeof value) ? strtod(value, NULL) : NAN;
}

/* A number of an object inside the object. */
static double json_inner(const char *text, const char *object, const char *key)
{
    char value[OUTPUT_MAX];
    return json_find(text, object, value, sizeof value) ? json_number(value, key) : NAN;
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; ++text) {
        lines += *text == '\n';
    }
    return lines;
}

/* Kinds of JSON values by their first character. */
static char kind_of(const char *value)
{
    if (value[0] == '"' || value[0] == '[' || value[0] == '{') return value[0];
    return value[0] == '-' || (value[0] >= '0' && value[0] <= '9') ? '0' : '?';
}

typedef struct key_kind {
    const char *key;
    char kind;
} key_kind;

static bool has_keys_in_order(const char *object, const key_kind *keys, int count)
{
    const char *from = object;
    for (int k = 0; k < count; ++k) {
        char value[OUTPUT_MAX], quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\":", keys[k].key);
        from = strstr(from, quoted);
        if (from == NULL || !json_find(from, keys[k].key, value, sizeof value)) return false;
        if (kind_of(value) != keys[k].kind) return false;
    }
    return true;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

TEST(a_run_to_the_end_is_exit_code_0_and_its_json_has_the_promised_keys)
{
    static const key_kind keys[] = {{"status", '"'},     {"reason", '"'}, {"warnings", '['}, {"scene", '"'},
                                    {"integrator", '"'}, {"steps", '0'},  {"time", '0'},     {"q", '['},
                                    {"u", '['},          {"names", '{'},  {"energy", '{'},   {"drift", '{'},
                                    {"impacts", '0'},    {"solver", '{'}, {"wall_s", '0'}};
    static const key_kind energy[] = {{"initial", '0'}, {"final", '0'}, {"largest_increase", '0'}};
    static const key_kind drift[] = {{"position", '0'},         {"angle", '0'},       {"velocity", '0'},
                                     {"angular_velocity", '0'}, {"penetration", '0'}, {"limit_angle", '0'}};
    static const key_kind solver[] = {
        {"name", '"'},       {"iterations_mean", '0'}, {"iterations_max", '0'}, {"residual_max", '0'},
        {"margin_max", '0'}, {"above_tolerance", '0'}, {"not_converged", '0'},  {"solutions_max", '0'}};
    outcome *r = run("run --json '" BALL "'");
    char value[OUTPUT_MAX];
    CHECK_INT(r->code, 0);
    CHECK(r->err[0] == '\0');
    CHECK(json_is_well_formed(r->out));
    CHECK(has_keys_in_order(r->out, keys, COUNT(keys)));
    CHECK(json_find(r->out, "energy", value, sizeof value));
    CHECK(has_keys_in_order(value, energy, COUNT(energy)));
    CHECK(json_find(r->out, "drift", value, sizeof value));
    CHECK(has_keys_in_order(value, drift, COUNT(drift)));
    CHECK(json_find(r->out, "solver", value, sizeof value));
    CHECK(has_keys_in_order(value, solver, COUNT(solver)));
}

/* The step times are multiples of dt, so the count and the end are exact; E = m g z = 0.981 J at the start.
   With e = 0.5 the ball lands at 0.143 s and 0.286 s, then every flight is half as long: at rest from 0.43 s.
 */
TEST(the_report_of_a_run_tells_what_happened)
{
    outcome *r = run("run --json '" BALL "'");
    CHECK(json_says(r->out, "status", "\"done\""));
    CHECK(json_says(r->out, "scene", "\"" BALL "\""));
    CHECK(json_says(r->out, "integrator", "\"moreau\""));
    CHECK(json_says(r->out, "warnings", "[]"));
    CHECK(json_says(r->out, "steps", "500"));
    CHECK(json_says(r->out, "time", "0.5"));
    CHECK(json_says(r->out, "names", "{\"q\": [\"z\"], \"u\": [\"z'\"], \"x\": []}"));
    CHECK_NEAR(json_inner(r->out, "energy", "initial"), 0.981, 1e-15);
    CHECK(json_inner(r->out, "energy", "final") < 0.05);
    CHECK(json_number(r->out, "impacts") >= 3.0);
    CHECK(json_inner(r->out, "drift", "penetration") > 0.0);
}

TEST(a_person_gets_lines)
{
    outcome *r = run("run '" BALL "'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "status       done") && holds(r->out, "stopped by   end time reached"));
    CHECK(holds(r->out, "energy ") && holds(r->out, "impacts ") && holds(r->out, "final state"));
    CHECK(r->err[0] == '\0');
    r = run("run --quiet '" BALL "'");
    CHECK_INT(r->code, 0);
    CHECK(r->out[0] == '\0' && r->err[0] == '\0');
}

TEST(two_runs_print_the_same_but_for_the_wall_time)
{
    char first[OUTPUT_MAX];
    strcpy(first, run("run --json '" BALL "'")->out);
    outcome *r = run("run --json '" BALL "'");
    char *first_end = strstr(first, "\"wall_s\""), *second_end = strstr(r->out, "\"wall_s\"");
    CHECK(first_end != NULL && second_end != NULL);
    *first_end = *second_end = '\0';
    CHECK(strcmp(first, r->out) == 0);
}

TEST(the_command_line_has_the_last_word)
{
    outcome *r = run("run --json '" BALL "' --dt 1e-2 --until 0.1 --solver projected-gauss-seidel");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "steps", "10"));
    CHECK(json_says(r->out, "time", "0.1"));
    char solver[1024];
    CHECK(json_find(r->out, "solver", solver, sizeof solver));
    CHECK(json_says(solver, "name", "\"projected-gauss-seidel\""));
    r = run("run --json '" BALL "' --set parameters.g=1.62 --set initial.z=0.2 --until 0");
    CHECK_INT(r->code, 0);
    CHECK_NEAR(json_inner(r->out, "energy", "initial"), 0.324, 1e-15);
    CHECK(json_says(r->out, "steps", "0"));
    CHECK(json_says(r->out, "q", "[0.2]"));
}

TEST(bad_options_and_scenes_are_exit_code_2_and_the_message_says_what_would_be_right)
{
    static const struct {
        const char *arguments, *part;
    } wrong[] = {
        {"run", "missing SCENE"},
        {"run '" BALL "' --integrator moreu", "did you mean moreau?"},
        {"run '" BALL "' --integrator qqqqqqqq", "tippe list integrators"},
        {"run '" BALL "' --solver lemkee", "did you mean lemke?"},
        {"run '" TIPPE_SOURCE_DIR "/examples/pendulum-3d/scene.yaml' --solver quartic",
         "at most 1 contact and no other law; the scene has 'pivot'"},
        {"run '" BALL "' --set simulate.integrator=moreu", "moreau"},
        {"run '" BALL "' --dt 0", "above 0"},
        {"run '" BALL "' --until -1", "0 or more"},
        {"run '" BALL "' --set nothing.like.it=1", "nothing"},
        {"run '" BALL "' --set parameters.g", "="},
        {"run '" BALL "' --csv - --json", "standard output"},
        {"run '" BALL "' -o -", "standard output"},
        {"run '" BALL "' -o '" SCRATCH "a' --csv '" SCRATCH "a'", "same file"},
        {"run '" BALL "' -o '" BALL "'", "replace the scene"},
        {"run '" UNSOUND "'", "unsound.yaml"},
        {"check '" UNSOUND "'", "unsound.yaml"},
        {"check '" BALL "' --set parameters.m=0", "ball.yaml"},
        {"new", "missing NAME"},
        {"new a/b", "present folder"},
        {"new ''", "expected a name"},
    };
    for (int k = 0; k < COUNT(wrong); ++k) {
        outcome *r = run(wrong[k].arguments);
        if (r->code != 2 || !holds(r->err, wrong[k].part))
            print_error("%s: %s\n", wrong[k].arguments, r->err);
        CHECK_INT(r->code, 2);
        CHECK(r->out[0] == '\0');
        CHECK(holds(r->err, wrong[k].part));
    }
}

TEST(a_scene_that_cannot_be_used_still_gives_a_whole_json_object)
{
    outcome *r = run("run --json '" UNSOUND "'");
    CHECK_INT(r->code, 2);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"error\""));
    CHECK(json_says(r->out, "time", "null"));
    CHECK(json_says(r->out, "q", "[]"));
    r = run("run --json '" SCRATCH "is-not-there.yaml'");
    CHECK_INT(r->code, 4);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"error\""));
    CHECK(holds(r->err, "is-not-there.yaml"));
}

TEST(csv_has_a_header_and_a_row_for_every_step)
{
    char text[OUTPUT_MAX];
    CHECK_INT(run("run '" BALL "' --until 0.05 --csv '" SCRATCH "ball.csv'")->code, 0);
    read_file(SCRATCH "ball.csv", text);
    CHECK(strncmp(text, "time,q/z,u/z'", 13) == 0);
    CHECK(holds(text, "law/floor/") && holds(text, "height"));
    CHECK_INT(count_lines(text), 2 + 51); /* names, units, the initial state and 50 steps */
    remove(SCRATCH "ball.csv");
}

/* The summary must not stand between the rows. */
TEST(csv_on_standard_output_is_alone_there)
{
    outcome *r = run("run '" BALL "' --until 0.05 --output-every 0.01 --csv -");
    CHECK_INT(r->code, 0);
    CHECK(strncmp(r->out, "time,", 5) == 0);
    CHECK_INT(count_lines(r->out), 2 + 6);
    CHECK(holds(r->err, "status       done"));
}

TEST(hdf5_holds_the_motion_the_scene_and_the_outcome)
{
    CHECK_INT(run("run '" BALL "' --set initial.z=0.2 --output-every 0.1 -o '" SCRATCH "ball.h5'")->code, 0);
    tp_trajectory *motion = NULL;
    tp_message why = {""};
    CHECK_INT(tp_trajectory_read(NULL, SCRATCH "ball.h5", &motion, &why), TP_OK);
    CHECK(motion->is_finished);
    CHECK_INT(motion->row_count, 6);
    int z = tp_trajectory_find(motion, "q/z");
    CHECK(z > 0);
    CHECK_NEAR(motion->values[z][0], 0.2, 0.0);
    CHECK_NEAR(motion->values[0][5], 0.5, 0.0);
    CHECK(holds(motion->scene_text, "ball") && holds(motion->scene_text, "0.2"));
    tp_trajectory_free(motion);
    remove(SCRATCH "ball.h5");
}

TEST(a_step_without_solution_is_exit_code_3_and_keeps_what_was_computed)
{
    outcome *r = run("run --json '" SQUEEZED "' -o '" SCRATCH "squeezed.h5'");
    CHECK_INT(r->code, 3);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"infeasible\""));
    CHECK_NEAR(json_number(r->out, "time"), 0.5,
               0.0101); /* a step of the meeting, which rounding may shift */
    CHECK(holds(r->err, "step "));
    tp_trajectory *motion = NULL;
    tp_message why = {""};
    CHECK_INT(tp_trajectory_read(NULL, SCRATCH "squeezed.h5", &motion, &why), TP_OK);
    CHECK(motion->is_finished);
    CHECK_INT(motion->row_count, (long long)json_number(r->out, "steps") + 1);
    tp_trajectory_free(motion);
    remove(SCRATCH "squeezed.h5");
    r = run("run '" SQUEEZED "'");
    CHECK_INT(r->code, 3);
    CHECK(holds(r->out, "status       infeasible"));
}

/* The state could not turn that far in one step, and the matrix of the step was not finite. */
TEST(a_body_that_turns_too_fast_for_the_time_step_is_exit_code_3_with_the_body_and_the_cure)
{
    FILE *file = fopen(SCRATCH "fast.yaml", "w");
    if (file == NULL) fail();
    fputs("bodies: [{name: top, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [0.5, 2, 0.8]}]\n"
          "simulate: {integrator: consistent, dt: 2, until: 4}\n",
          file);
    fclose(file);
    outcome *r = run("run '" SCRATCH "fast.yaml'");
    CHECK_INT(r->code, 3);
    CHECK(holds(r->err, "body 'top' met the limit |w| dt <= 2") && holds(r->err, "smaller time step"));
    CHECK(holds(r->out, "status       not converged"));
    remove(SCRATCH "fast.yaml");
}

TEST(an_output_that_cannot_be_written_is_exit_code_4_before_the_first_step)
{
    outcome *r = run("run --json '" BALL "' -o '" TIPPE_SOURCE_DIR "/no/such/folder/a.h5'");
    CHECK_INT(r->code, 4);
    CHECK(json_says(r->out, "status", "\"error\""));
    CHECK(json_says(r->out, "steps", "0"));
    CHECK(holds(r->err, "a.h5"));
    r = run("run '" BALL "' -o '" TIPPE_SOURCE_DIR "'");
    CHECK_INT(r->code, 4);
    CHECK(r->out[0] == '\0' && r->err[0] != '\0');
    r = run("run --json '" BALL "' --csv '" TIPPE_SOURCE_DIR "'"); /* a folder */
    CHECK_INT(r->code, 4);
    CHECK(json_says(r->out, "steps", "0"));
}

TEST(a_disk_that_fills_up_is_exit_code_4)
{
    outcome *r = run("run --json '" BALL "' --csv /dev/full");
    CHECK_INT(r->code, 4);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"error\""));
    CHECK_INT(run("run '" BALL "' >/dev/full")->code, 4);
}

/* Starts a run without end, waits until its output file is there (Ctrl-C is watched before), and interrupts
   it. */
static outcome *interrupt_run(void)
{
    static outcome result;
    result = (outcome){.code = -1};
    remove(SCRATCH "long.h5");
    pid_t child = fork();
    if (child == 0) {
        bool is_open =
            freopen(SCRATCH "out", "wb", stdout) != NULL && freopen(SCRATCH "err", "wb", stderr) != NULL;
        if (!is_open) _exit(1);
        execl(TIPPE_PROGRAM, TIPPE_PROGRAM, "run", "--json", BALL, "--until", "1e9", "--output-every", "0.01",
              "-o", SCRATCH "long.h5", (char *)NULL);
        _exit(1);
    }
    int status = 0;
    bool has_ended = false;
    const struct timespec pause = {0, 10000000};
    while (!has_ended && access(SCRATCH "long.h5", F_OK) != 0) {
        nanosleep(&pause, NULL);
        has_ended = waitpid(child, &status, WNOHANG) != 0;
    }
    for (int k = 0; k < 20; k++) nanosleep(&pause, NULL); /* some steps, most likely */
    if (!has_ended) {
        kill(child, SIGINT);
        waitpid(child, &status, 0);
    }
    if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
    read_file(SCRATCH "out", result.out);
    read_file(SCRATCH "err", result.err);
    remove(SCRATCH "out");
    remove(SCRATCH "err");
    return &result;
}

TEST(an_interrupted_run_is_exit_code_130_and_keeps_its_data)
{
    outcome *r = interrupt_run();
    CHECK_INT(r->code, 130);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"interrupted\""));
    tp_trajectory *motion = NULL;
    tp_message why = {""};
    CHECK_INT(tp_trajectory_read(NULL, SCRATCH "long.h5", &motion, &why), TP_OK);
    CHECK(motion->is_finished);
    CHECK(motion->row_count >= 1);
    CHECK_NEAR(motion->values[0][motion->row_count - 1], json_number(r->out, "time"), 0.0);
    tp_trajectory_free(motion);
    remove(SCRATCH "long.h5");
}

/* What a run without end shows on a terminal in so many seconds; `script` gives its command a terminal. */
static const char *shown_on_a_terminal(int seconds)
{
    static char text[OUTPUT_MAX], command[2048];
    snprintf(command, sizeof command,
             "script -qec \"timeout --preserve-status -s INT %d '" TIPPE_PROGRAM "' run '" BALL
             "' --until 1e9\" /dev/null",
             seconds);
    FILE *pipe = popen(command, "r");
    size_t length = pipe != NULL ? fread(text, 1, sizeof text - 1, pipe) : 0;
    text[length] = '\0';
    if (pipe != NULL) pclose(pipe);
    return text;
}

TEST(progress_is_shown_on_a_terminal_only)
{
    outcome *r = run_under("timeout --preserve-status -s INT 1", "run '" BALL "' --until 1e9");
    CHECK_INT(r->code, 130);
    CHECK(!holds(r->err, "left"));
    const char *text = "";
    for (int seconds = 1; seconds <= 64 && !holds(text, " left");
         seconds *= 4) /* a busy machine needs more */
        text = shown_on_a_terminal(seconds);
    CHECK(holds(text, "[......") && holds(text, " left"));
}

TEST(check_tells_what_the_model_is)
{
    outcome *r = run("check '" BALL "'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "freedom        1 degree\n") && holds(r->out, "floor") && holds(r->out, "moreau"));
    r = run("check --json '" BALL "' --set initial.z=0.25");
    CHECK_INT(r->code, 0);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"sound\""));
    CHECK(json_says(r->out, "name", "\"ball\""));
    CHECK(json_says(r->out, "coordinates", "[\"z\"]"));
    CHECK(json_says(r->out, "degrees_of_freedom", "1"));
    CHECK(json_says(r->out, "contacts", "1"));
    CHECK(json_says(
        r->out, "rows",
        "[{\"name\": \"floor\", \"gap\": 0.25, \"unit\": \"m\", \"kind\": \"contact\", \"size\": 1, "
        "\"relative_degree\": 2, \"closed\": false, \"systems\": [0], \"linked\": []}]"));
    CHECK(json_says(r->out, "systems", "1"));
    CHECK(holds(
        r->out,
        "\"name\": \"schatzman-paoli\", \"accepts\": true, \"reason\": null, \"levels\": {\"y\": [0, 0], "
        "\"lambda\": [0, 0]}, \"laws_on\": \"positions\""));
    CHECK(json_says(r->out, "sensors", "[\"height\"]"));
    CHECK(json_says(r->out, "constant_mass", "true"));
    CHECK(json_says(r->out, "time_dependent", "false"));
    CHECK(holds(r->out, "{\"name\": \"moreau\", \"accepts\": true"));
    CHECK(json_says(run("check --json '" SQUEEZED "'")->out, "time_dependent", "true"));
}

TEST(check_tells_relative_degrees_and_closed_contacts)
{
    outcome *r = run("check '" BALL "' --set initial.z=0");
    CHECK(holds(r->out, "floor                contact, relative degree 2, gap 0 m, closed\n"));
    r = run("check '" TIPPE_SOURCE_DIR "/examples/compliant-contact/scene.yaml'");
    CHECK(holds(r->out, "pad                  compliant contact, relative degree 0, gap 0.5 m\n"));
    r = run("check '" BALL "' --set 'contacts.floor.gap=(z - 0.1)^2'");
    CHECK(holds(r->out, "no force can change it at the start"));
    r = run("check '" REDUNDANT "'");
    CHECK(holds(r->out, "constraint, relative degree 2\n"));
}

/* mu acts on masses 0 and 2, theta on 1 and 2: they are linked through mass 2. */
TEST(check_says_which_laws_are_linked)
{
    outcome *r = run("check --json '" TIPPE_SOURCE_DIR "/data/reproduce/three-systems.yaml'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "\"closed\": false, \"systems\": [0, 2], \"linked\": [1]") &&
          holds(r->out, "\"closed\": false, \"systems\": [1, 2], \"linked\": [0]"));
}

TEST(check_counts_redundant_constraints)
{
    outcome *r = run("check --json '" REDUNDANT "'");
    CHECK_INT(r->code, 0);
    CHECK_INT(json_inner(r->out, "constraints", "count"), 2);
    CHECK_INT(json_inner(r->out, "constraints", "rank"), 1);
    CHECK_INT(json_inner(r->out, "constraints", "redundant"), 1);
    CHECK(json_says(r->out, "degrees_of_freedom", "1"));
}

TEST(check_says_unsound_and_unreadable)
{
    outcome *r = run("check --json '" UNSOUND "'");
    CHECK_INT(r->code, 2);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"unsound\""));
    r = run("check --json '" SCRATCH "is-not-there.yaml'");
    CHECK_INT(r->code, 4);
    CHECK(json_says(r->out, "status", "\"unreadable\""));
}

TEST(check_warns_of_a_step_beyond_the_stability_limit)
{
    /* omega^2 = k/m = 1e8 /s^2, so dt = 1e-3 s is five times the limit 2/omega. */
    outcome *r = run("check '" BALL "' --set 'potential=5e7*z^2'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "warning"));
    r = run("run --json --until 0.001 '" BALL "' --set 'potential=5e7*z^2'");
    CHECK_INT(r->code, 0);
    CHECK(!json_says(r->out, "warnings", "[]"));
}

/* The unit of a column of CSV: as many commas before it as before the name. */
static bool has_unit(const char *csv, const char *column, const char *unit)
{
    const char *name = strstr(csv, column), *units = strstr(csv, "# s,");
    if (name == NULL || units == NULL || name > units) return false;
    for (const char *at = csv; at < name; at++) {
        if (*at == ',') units = strchr(units, ',') + 1;
    }
    size_t length = strlen(unit);
    return strncmp(units, unit, length) == 0 && (units[length] == ',' || units[length] == '\n');
}

/* A door with a stop and a slider between two ends: rad and N m s for the one, m and N s for the other, in
   files, in `check` and in the report. */
TEST(limits_of_hinges_are_angles_everywhere)
{
#define DOOR "'" TIPPE_SOURCE_DIR "/examples/door-stop/scene.yaml'"
    outcome *r = run("check " DOOR);
    CHECK(holds(r->out, "gap 1 rad") && holds(r->out, "gap 0.5 m"));
    r = run("check --json " DOOR);
    CHECK(holds(r->out, "\"gap\": 1, \"unit\": \"rad\"") && holds(r->out, "\"gap\": 0.5, \"unit\": \"m\""));
    r = run("run " DOOR " --quiet --until 0.1 --csv -");
    CHECK_INT(r->code, 0);
    CHECK(has_unit(r->out, "law/frame/gap", "rad") && has_unit(r->out, "law/frame/impulse_N", "N m s"));
    CHECK(has_unit(r->out, "law/ends.lower/gap", "m") && has_unit(r->out, "law/ends.lower/impulse_N", "N s"));
    CHECK(has_unit(r->out, "law/hinge/impulse_1", "N s") && has_unit(r->out, "law/hinge/impulse_5", "N m s"));
    CHECK(has_unit(r->out, "step/penetration", "m") && has_unit(r->out, "step/limit_angle", "rad"));
    r = run("run --json " DOOR " --set joints.rail.limits=[]"); /* the slider goes on for ever */
    CHECK(json_inner(r->out, "drift", "penetration") == 0.0);
    CHECK(json_inner(r->out, "drift", "limit_angle") > 0.0);
}

/* What an integrator cannot treat: no in the list of all, exit code 2 where it is the scene's own. */
TEST(check_says_which_integrators_refuse_the_model_and_why)
{
    const char *scene = "check '" BALL "' --set 'contacts.floor.gap=z - 0.1*sin(t)'";
    outcome *r = run(scene);
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "moreau-jean                     yes\n"));
    CHECK(holds(r->out, "schatzman-paoli                 no: ") &&
          holds(r->out, "contact 'floor' depends on time and has restitution"));
    CHECK(holds(r->out, "Integrators that treat it: moreau, moreau-jean"));
    r = run("run '" BALL "' --integrator schatzman-paoli --set 'contacts.floor.gap=z - 0.1*sin(t)'");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "contact 'floor' depends on time and has restitution"));
    r = run("run --json '" BALL "' --integrator schatzman-paoli --dt 0.3 --until 1");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "needs steps of one length"));
    CHECK_INT(run("run --quiet '" BALL "' --integrator schatzman-paoli")->code, 0);
}

#define SLEDGES TIPPE_SOURCE_DIR "/examples/two-sledges/scene.yaml"

/* What the equations of an integrator do to contacts at rest: said beforehand, and when it happens. */
TEST(check_and_run_say_what_schemes_do_to_friction_that_holds)
{
    outcome *r = run("check '" SLEDGES "'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out,
                "consistent-two-step             yes: constant mass, but velocities that friction holds"));
    CHECK(holds(r->out,
                "consistent-quaternion           yes, but contacts at rest sink and friction that holds"));
    CHECK(holds(r->out, "consistent-hybrid               yes: constant mass\n"));
    r = run("check '" SLEDGES "' --set simulate.consistent_sticking=settled");
    CHECK(!holds(r->out, ", but "));
    r = run("run '" SLEDGES "' --integrator consistent-two-step --until 0.2");
    CHECK(holds(r->out, "'brake' sticks with a velocity of 1.41"));
    r = run("run --json '" SLEDGES "' --integrator consistent-two-step --until 0.2 "
            "--set simulate.consistent_sticking=settled");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "warnings", "[]"));
}

#define FLAT  TIPPE_SOURCE_DIR "/examples/free-body/scene.yaml"
#define SOLID TIPPE_SOURCE_DIR "/examples/pendulum-3d/scene.yaml"

/* The form that is taken is told by check and by runs; what cannot be affine is refused with place and
 * advice. */
TEST(the_form_of_rigid_bodies_is_told_and_a_flat_one_is_refused)
{
    outcome *r = run("check '" SOLID "'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "consistent-position             yes: constant mass, affine bodies\n"));
    CHECK(holds(r->out, "consistent                      yes: scalable bodies\n"));
    r = run("check --json '" SOLID "' --set simulate.consistent_bodies=affine");
    CHECK(holds(r->out, "\"name\": \"consistent-quaternion\", \"accepts\": false"));
    CHECK(holds(r->out, "has unit quaternions and no affine bodies"));
    r = run("run --json '" SOLID "' --until 0.01 --integrator consistent "
            "--set simulate.consistent_bodies=affine");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "form", "\"constant mass, affine bodies\""));
    CHECK(holds(run("run '" SOLID "' --until 0.01 --integrator consistent")->out,
                "form         scalable bodies"));

    r = run("run '" FLAT "' --integrator consistent-position");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "scene.yaml:10:5: body 'top' has its mass in a plane or on a line"));
    CHECK(holds(
        r->err,
        "Integrators that treat it: moreau, moreau-jean, symmetric-moreau, generalized-alpha, consistent,"));
    r = run("run '" FLAT "' --integrator consistent --set simulate.consistent_bodies=affine");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "scene.yaml:10:5: body 'top' cannot be affine") &&
          holds(r->err, "consistent_bodies: scalable"));
    r = run("run '" SOLID "' --set simulate.consistent_bodies=cubic");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "scalable") && holds(r->err, "affine"));
}

/* In a folder of its own: the scene goes to the present one. */
TEST(a_new_scene_is_sound_and_never_replaces_a_file)
{
    char folder[] = SCRATCH "XXXXXX", before[1024], path[1024], text[OUTPUT_MAX];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(before, sizeof before, "cd '%s' &&", folder);
    snprintf(path, sizeof path, "%s/thing.yaml", folder);
    CHECK_INT(run_under(before, "new thing")->code, 0);
    read_file(path, text);
    CHECK(holds(text, "thing") && holds(text, "#"));
    outcome *r = run_under(before, "check --json thing.yaml");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "name", "\"thing\""));
    CHECK_INT(run_under(before, "run --quiet thing.yaml")->code, 0);
    remove(path);
    CHECK_INT(run_under(before, "new thing --bodies")->code, 0);
    r = run_under(before, "check --json thing.yaml");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "name", "\"thing\"") && json_says(r->out, "degrees_of_freedom", "1"));
    CHECK(holds(r->out, "{\"name\": \"hinge\", \"type\": \"revolute\"}"));
    CHECK_INT(run_under(before, "run --quiet --until 0.1 thing.yaml")->code, 0);
    write_text(path, "mine");
    r = run_under(before, "new thing");
    CHECK_INT(r->code, 4);
    CHECK(holds(r->err, "thing.yaml"));
    CHECK_INT(run_under(before, "new thing.yaml")->code, 4);
    read_file(path, text);
    CHECK(strcmp(text, "mine") == 0);
    remove(path);
    rmdir(folder);
}

TEST(integrators_and_examples_are_listed)
{
    outcome *r = run("list integrators");
    CHECK_INT(r->code, 0);
    CHECK(strncmp(r->out, "moreau ", 7) == 0);
    r = run("list examples --json");
    CHECK_INT(r->code, 0);
    CHECK(json_is_well_formed(r->out));
    CHECK(holds(r->out, "\"woodpecker\"") && holds(r->out, "pecks its way down a pole"));
    CHECK(holds(r->out, "examples/woodpecker/scene.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(a_run_to_the_end_is_exit_code_0_and_its_json_has_the_promised_keys),
        RUNS(the_report_of_a_run_tells_what_happened),
        RUNS(a_person_gets_lines),
        RUNS(two_runs_print_the_same_but_for_the_wall_time),
        RUNS(the_command_line_has_the_last_word),
        RUNS(bad_options_and_scenes_are_exit_code_2_and_the_message_says_what_would_be_right),
        RUNS(a_scene_that_cannot_be_used_still_gives_a_whole_json_object),
        RUNS(csv_has_a_header_and_a_row_for_every_step),
        RUNS(csv_on_standard_output_is_alone_there),
        RUNS(hdf5_holds_the_motion_the_scene_and_the_outcome),
        RUNS(a_step_without_solution_is_exit_code_3_and_keeps_what_was_computed),
        RUNS(a_body_that_turns_too_fast_for_the_time_step_is_exit_code_3_with_the_body_and_the_cure),
        RUNS(an_output_that_cannot_be_written_is_exit_code_4_before_the_first_step),
        RUNS(a_disk_that_fills_up_is_exit_code_4),
        RUNS(an_interrupted_run_is_exit_code_130_and_keeps_its_data),
        RUNS(progress_is_shown_on_a_terminal_only),
        RUNS(limits_of_hinges_are_angles_everywhere),
        RUNS(check_tells_what_the_model_is),
        RUNS(check_tells_relative_degrees_and_closed_contacts),
        RUNS(check_says_which_laws_are_linked),
        RUNS(check_counts_redundant_constraints),
        RUNS(check_says_unsound_and_unreadable),
        RUNS(check_warns_of_a_step_beyond_the_stability_limit),
        RUNS(check_says_which_integrators_refuse_the_model_and_why),
        RUNS(check_and_run_say_what_schemes_do_to_friction_that_holds),
        RUNS(the_form_of_rigid_bodies_is_told_and_a_flat_one_is_refused),
        RUNS(a_new_scene_is_sound_and_never_replaces_a_file),
        RUNS(integrators_and_examples_are_listed),
    };
    return cmocka_run_group_tests(tests, write_scenes, remove_scenes);
}
