/* The commands that pages show can be run as they stand there, and print what stands below them. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-guides-" /* files beside the program */
#include "program_run.h"

#include <glob.h>

enum { COMMAND_MAX = 1024 };

#define FOLDER SCRATCH "folder" /* with what a reader has before it */

/* The next command of an indented line that begins with `tippe`; lines that end in a backslash go on. Returns
   where the text goes on, NULL at its end. */
static const char *next_command(const char *text, char *arguments_out)
{
    const char *found = strstr(text, "\n    tippe ");
    if (found == NULL) return NULL;
    const char *at = found + strlen("\n    tippe ");
    size_t length = 0;
    for (; *at != '\0' && (*at != '\n' || at[-1] == '\\'); at++) {
        if (length + 1 == COMMAND_MAX) fail_msg("a command is too long");
        arguments_out[length++] = *at == '\\' || *at == '\n' ? ' ' : *at;
    }
    arguments_out[length] = '\0';
    return at;
}

TEST(the_comparisons_of_energy_run_and_leave_out_only_what_was_not_named)
{
    static char text[OUTPUT_MAX];
    char arguments[COMMAND_MAX];
    int count = 0;
    read_file(TIPPE_SOURCE_DIR "/docs/guide/energy.md", text);
    for (const char *at = text; (at = next_command(at, arguments)) != NULL; count++) {
        const outcome *result = run_under("cd '" TIPPE_SOURCE_DIR "' &&", arguments);
        if (result->code != 0) print_error("%s\n%s", arguments, result->err);
        CHECK_INT(result->code, 0);
        CHECK(holds(result->out, "moreau") && holds(result->out, "consistent-two-step"));
        CHECK(holds(arguments, "--integrators all") || !holds(result->out, "left out"));
    }
    CHECK_INT(count, 3);
}

/* ---- commands of the examples ---- */

/* What a command becomes when it only has to be understood: no step, or a few. */
static const char *shortened(const char *arguments)
{
    if (strncmp(arguments, "run ", 4) == 0) return " --quiet --until 0";
    if (strncmp(arguments, "converge ", 9) == 0)
        return " --quiet --dt 1e-4 --until 1e-4 --levels 2 --refine 2";
    if (strncmp(arguments, "compare ", 8) == 0) return " --quiet --until 1e-4 --refine 2";
    return "";
}

TEST(the_commands_of_the_examples_are_understood)
{
    static char text[OUTPUT_MAX];
    char arguments[COMMAND_MAX + 64];
    glob_t pages;
    int count = 0;
    CHECK_INT(glob(TIPPE_SOURCE_DIR "/examples/*/README.md", 0, NULL, &pages), 0);
    for (size_t k = 0; k < pages.gl_pathc; k++) {
        read_file(pages.gl_pathv[k], text);
        for (const char *at = text; (at = next_command(at, arguments)) != NULL; count++) {
            strcat(arguments, shortened(arguments));
            const outcome *result = run_under("cd '" FOLDER "' &&", arguments);
            if (result->code != 0) print_error("%s: %s\n%s", pages.gl_pathv[k], arguments, result->err);
            CHECK_INT(result->code, 0);
        }
    }
    CHECK(count >= (int)pages.gl_pathc); /* one at least in each */
    globfree(&pages);
}

/* ---- scenes ---- */

/* Scenes stand between fences; what has neither coordinates nor bodies is a part of one. */
static int check_scenes(void **check_state_, const char *path)
{
    static char text[OUTPUT_MAX];
    int count = 0;
    read_file(path, text);
    for (char *at = text; (at = strstr(at, "\n```yaml\n")) != NULL;) {
        char *scene = at + strlen("\n```yaml"), *end = strstr(scene, "\n```");
        CHECK(end != NULL);
        *end = '\0';
        at = end + 1;
        if (!holds(scene, "\ncoordinates:") && !holds(scene, "\nbodies:")) continue;
        write_text(SCRATCH "scene.yaml", scene);
        const outcome *result = run("check '" SCRATCH "scene.yaml'");
        if (result->code != 0) print_error("%s: %s", path, result->err);
        CHECK_INT(result->code, 0);
        count++;
    }
    remove(SCRATCH "scene.yaml");
    return count;
}

TEST(the_scenes_of_the_pages_are_sound)
{
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/docs/scene-files.md"), 2);
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/docs/scene.md"), 1);
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/docs/guide/bodies.md"), 1);
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/docs/guide/converge-compare.md"), 1);
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/docs/guide/paraview.md"), 1);
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/docs/guide/repeat.md"), 2);
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/docs/guide/how-do-i.md"), 1);
    CHECK_INT(check_scenes(check_state_, TIPPE_SOURCE_DIR "/README.md"), 1);
}

/* ---- what is shown below a command ---- */

static int make_folder(void **state)
{
    (void)state;
    int code = system("rm -rf '" FOLDER "' && mkdir '" FOLDER "' && ln -s '" TIPPE_SOURCE_DIR
                      "/examples' '" TIPPE_SOURCE_DIR "/data' '" FOLDER "'");
    write_text(FOLDER "/squeezed.yaml",
               "coordinates: [x]\n"
               "kinetic: \"1/2*x'^2\"\n"
               "contacts: [{name: left, gap: \"x - t\"}, {name: right, gap: \"1 - t - x\"}]\n"
               "initial: {x: 0.5}\n"
               "simulate: {dt: 1e-2, until: 2}\n");
    return code;
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -rf '" FOLDER "'");
}

/* The next word of a line; false at its end. */
static bool next_word(const char **at, char *word_out)
{
    *at += strspn(*at, " ");
    size_t length = strcspn(*at, " \n");
    if (length >= COMMAND_MAX) length = COMMAND_MAX - 1;
    memcpy(word_out, *at, length);
    word_out[length] = '\0';
    *at += length;
    return length > 0;
}

/* Figures agree to a hundredth, those that are rounding are small in both: other machines may round in
   another way. */
static bool are_words_alike(const char *shown, const char *printed)
{
    char *end_a, *end_b;
    double a = strtod(shown, &end_a), b = strtod(printed, &end_b);
    bool are_numbers = end_a > shown && end_b > printed && strcmp(end_a, end_b) == 0;
    if (!are_numbers) return strcmp(shown, printed) == 0;
    return fabs(a - b) <= 1e-2 * fabs(a) || (fabs(a) < 1e-8 && fabs(b) < 1e-8);
}

/* Times are those of the machine: in lines that begin with `time`, and last in tables with a column for
   them. */
static bool are_lines_alike(const char *shown, const char *printed, bool has_time)
{
    char a[COMMAND_MAX], b[COMMAND_MAX];
    if (strncmp(shown, "time ", 5) == 0) return strncmp(printed, "time ", 5) == 0;
    for (;;) {
        bool has_a = next_word(&shown, a), has_b = next_word(&printed, b);
        if (!has_a || !has_b) return has_a == has_b;
        if (!are_words_alike(a, b) && !(has_time && *shown == '\n')) return false;
    }
}

/* Compares the indented lines below a command with what it printed; dots stand for the rest. */
static void check_shown(void **check_state_, const char *shown, const char *printed)
{
    bool has_time = false;
    for (; strncmp(shown, "    ", 4) == 0 || shown[0] == '\n'; shown += strcspn(shown, "\n") + 1) {
        const char *line = shown + (shown[0] == '\n' ? 0 : 4);
        if (strncmp(line, "$ ", 2) == 0 || strncmp(line + strspn(line, " "), "...", 3) == 0) return;
        if (line[0] == '\n' && strncmp(line + 1, "    ", 4) != 0) return; /* the end of the block */
        size_t length = strcspn(line, "\n");
        if (!are_lines_alike(line, printed, has_time))
            fail_msg("the page shows\n%.*s\nand not\n%.*s", (int)length, line, (int)strcspn(printed, "\n"),
                     printed);
        if (length == 0) has_time = false;
        if (length > 8 && strncmp(line + length - 8, "time [s]", 8) == 0) has_time = true;
        CHECK(printed[0] != '\0');
        printed += strcspn(printed, "\n") + 1;
    }
}

/* Scenes whose first line is a comment with their name are saved under it, as the reader does. */
static void save_scenes(void **check_state_, const char *text)
{
    static const char fence[] = "\n```yaml\n# ";
    for (const char *at = text; (at = strstr(at, fence)) != NULL;) {
        char path[COMMAND_MAX];
        static char scene[OUTPUT_MAX];
        at += strlen(fence);
        const char *end = strstr(at, "\n```");
        CHECK(end != NULL);
        snprintf(path, sizeof path, FOLDER "/%.*s", (int)strcspn(at, "\n"), at);
        snprintf(scene, sizeof scene, "# %.*s\n", (int)(end - at), at);
        write_text(path, scene);
    }
}

static int check_page(void **check_state_, const char *path)
{
    static char text[OUTPUT_MAX], printed[2 * OUTPUT_MAX];
    char arguments[COMMAND_MAX];
    int count = 0;
    read_file(path, text);
    save_scenes(check_state_, text);
    for (const char *at = text; (at = strstr(at, "\n    $ tippe ")) != NULL;) {
        at += strlen("\n    $ tippe ");
        size_t length = strcspn(at, "\n");
        snprintf(arguments, sizeof arguments, "%.*s", (int)length, at);
        at += length;
        bool shows_nothing = strncmp(at, "\n    ", 5) != 0 || strncmp(at, "\n    $", 6) == 0;
        if (shows_nothing && !holds(arguments, " --quiet")) continue;
        const outcome *result = run_under("cd '" FOLDER "' &&", arguments);
        if (shows_nothing) { /* what the next command needs */
            CHECK_INT(result->code, 0);
            continue;
        }
        snprintf(printed, sizeof printed, "%s%s", result->err, result->out);
        check_shown(check_state_, at + 1, printed);
        count++;
    }
    return count;
}

TEST(the_manual_shows_what_the_program_prints)
{
    CHECK_INT(check_page(check_state_, TIPPE_SOURCE_DIR "/docs/command-line.md"), 12);
}

TEST(the_guide_to_orders_and_comparisons_shows_what_the_program_prints)
{
    CHECK_INT(check_page(check_state_, TIPPE_SOURCE_DIR "/docs/guide/converge-compare.md"), 2);
}

TEST(the_guide_to_the_analysis_of_scenes_shows_what_the_program_prints)
{
    CHECK_INT(check_page(check_state_, TIPPE_SOURCE_DIR "/docs/guide/analysis.md"), 4);
}

TEST(the_tutorials_show_what_the_program_prints)
{
    CHECK_INT(check_page(check_state_, TIPPE_SOURCE_DIR "/docs/guide/tutorial-woodpecker.md"), 3);
    CHECK_INT(check_page(check_state_, TIPPE_SOURCE_DIR "/docs/guide/tutorial-mechanism.md"), 3);
}

/* ---- the README ---- */

/* Its scene, as the reader saves it. */
static void save_scene(void **check_state_, const char *text)
{
    static char scene[OUTPUT_MAX];
    const char *begin = strstr(text, "\n```yaml\n");
    CHECK(begin != NULL);
    begin += strlen("\n```yaml\n");
    const char *end = strstr(begin, "\n```");
    CHECK(end != NULL);
    snprintf(scene, sizeof scene, "%.*s\n", (int)(end - begin), begin);
    write_text(FOLDER "/ball.yaml", scene);
}

/* Commands stand in front of two spaces and a comment. All run as they stand there, long ones for a few
   steps; what has no solution has the exit code 3. */
TEST(the_commands_of_the_readme_run)
{
    static char text[OUTPUT_MAX];
    char arguments[COMMAND_MAX + 64];
    int count = 0;
    read_file(TIPPE_SOURCE_DIR "/README.md", text);
    save_scene(check_state_, text);
    remove(FOLDER "/first.yaml"); /* the manual made one too */
    for (const char *at = text; (at = strstr(at, "\n    build/tippe ")) != NULL; count++) {
        at += strlen("\n    build/tippe ");
        size_t length = strcspn(at, "\n");
        const char *comment = strstr(at, "  ");
        if (comment != NULL && (size_t)(comment - at) < length) length = (size_t)(comment - at);
        CHECK(length < COMMAND_MAX);
        bool is_long = strncmp(at, "run ball.yaml", strlen("run ball.yaml")) != 0;
        snprintf(arguments, sizeof arguments, "%.*s", (int)length, at);
        snprintf(arguments + length, sizeof arguments - length, "%s", is_long ? shortened(arguments) : "");
        const outcome *result = run_under("cd '" FOLDER "' &&", arguments);
        int expected = holds(arguments, "infeasible") ? 3 : 0;
        if (holds(result->err, "libjs-three")) continue; /* a build without it says so */
        if (result->code != expected) print_error("README.md: %s\n%s", arguments, result->err);
        CHECK_INT(result->code, expected);
        if (!is_long) CHECK(holds(result->out, "1.0714")); /* 5/7 of 1.5 m/s, as the text says */
    }
    CHECK(count >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(the_comparisons_of_energy_run_and_leave_out_only_what_was_not_named),
        RUNS(the_commands_of_the_examples_are_understood),
        RUNS(the_scenes_of_the_pages_are_sound),
        RUNS(the_manual_shows_what_the_program_prints),
        RUNS(the_guide_to_orders_and_comparisons_shows_what_the_program_prints),
        RUNS(the_guide_to_the_analysis_of_scenes_shows_what_the_program_prints),
        RUNS(the_tutorials_show_what_the_program_prints),
        RUNS(the_commands_of_the_readme_run), /* last: it leaves files in the folder */
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
