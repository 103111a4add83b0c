/* The commands that docs/guide/energy.md shows can be run as they stand there, and treat what they name. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-guides-" /* files beside the program */
#include "program_run.h"

enum { COMMAND_MAX = 1024 };

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

TEST_MAIN(RUNS(the_comparisons_of_energy_run_and_leave_out_only_what_was_not_named))
