/* The manual page and the completions of shells have every verb and every option of the help pages. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-manual-" /* files beside the program */
#include "program_run.h"

enum { TEXT_MAX = 1 << 17, VERBS_MAX = 32 };

static char page[TEXT_MAX], bash[TEXT_MAX], zsh[TEXT_MAX], verbs[VERBS_MAX][32];
static int verb_count;

/* The output of a command, whole. */
static void take(const char *command, char *text)
{
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) fail_msg("%s", command);
    size_t length = fread(text, 1, TEXT_MAX - 1, pipe);
    text[length] = '\0';
    if (pclose(pipe) != 0 || length == TEXT_MAX - 1) fail_msg("%s", command);
}

static int take_all(void **state)
{
    (void)state;
    static char help[TEXT_MAX];
    take(TIPPE_PROGRAM " man", page);
    take(TIPPE_PROGRAM " completion bash", bash);
    take(TIPPE_PROGRAM " completion zsh", zsh);
    take(TIPPE_PROGRAM " help", help);
    for (const char *line = help; (line = strstr(line, "\n  ")) != NULL; line++) {
        if (line[3] >= 'a' && line[3] <= 'z' && verb_count < VERBS_MAX)
            sscanf(line, " %31[a-z]", verbs[verb_count++]);
    }
    return verb_count >= 12 ? 0 : 1;
}

/* From the line that begins with `start` to the one that begins with `end`. */
static const char *section(const char *text, const char *start, const char *end)
{
    static char part[TEXT_MAX];
    const char *first = strstr(text, start);
    if (first == NULL) fail_msg("there is no %s", start);
    const char *last = strstr(first + 1, end);
    snprintf(part, sizeof part, "%.*s", last != NULL ? (int)(last - first) : (int)strlen(first), first);
    return part;
}

/* A word as troff has it: every - is \-. */
static const char *troff(const char *word)
{
    static char text[128];
    size_t n = 0;
    for (; *word != '\0' && n + 3 < sizeof text; word++) {
        if (*word == '-') text[n++] = '\\';
        text[n++] = *word;
    }
    text[n] = '\0';
    return text;
}

TEST(every_verb_and_option_is_in_the_page_and_in_both_completions)
{
    int options = 0;
    for (int v = 0; v < verb_count; v++) {
        static char help[TEXT_MAX];
        char start[64], command[256];
        snprintf(command, sizeof command, TIPPE_PROGRAM " help %s", verbs[v]);
        take(command, help);
        for (const char *at = strstr(help, "\noptions:");
             at != NULL && (at = strstr(at + 1, "\n  -")) != NULL;) {
            char name[64];
            const char *dashes = strstr(at, "--");
            CHECK(dashes != NULL && sscanf(dashes, "%63[-a-z]", name) == 1);
            snprintf(start, sizeof start, ".SS %s\n", verbs[v]);
            if (!holds(section(page, start, "\n.SS "), troff(name))) fail_msg("man: %s %s", verbs[v], name);
            snprintf(start, sizeof start, "\n    %s)\n", verbs[v]);
            if (!holds(section(bash, start, " ;;\n    "), name)) fail_msg("bash: %s %s", verbs[v], name);
            if (!holds(section(zsh, start, " ;;\n    "), name)) fail_msg("zsh: %s %s", verbs[v], name);
            options++;
        }
        snprintf(start, sizeof start, "\n    %s)\n", verbs[v]);
        CHECK(holds(bash, start) && holds(zsh, start));
    }
    CHECK(options >= 60);
}

/* Completes the last of some words with bash itself. */
static const char *completed(const char *words)
{
    static char out[TEXT_MAX];
    char command[1024];
    snprintf(command, sizeof command,
             "bash -c 'source <(" TIPPE_PROGRAM " completion bash); COMP_WORDS=(%s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tippe; echo \" ${COMPREPLY[@]} \"'",
             words);
    take(command, out);
    return out;
}

TEST(bash_completes_verbs_options_and_words)
{
    if (system("bash -c true") != 0) skip();
    CHECK(strcmp(completed("tippe co"), " converge compare cones completion \n") == 0);
    CHECK(strcmp(completed("tippe run --inp"), " --input \n") == 0);
    CHECK(strcmp(completed("tippe run s.yaml --integrator moreau-"), " moreau-jean \n") == 0);
    CHECK(strcmp(completed("tippe converge --norm m"), " max \n") == 0);
    CHECK(strcmp(completed("tippe list sol"), " solvers \n") == 0);
    CHECK(strcmp(completed("tippe help che"), " check \n") == 0);
}

/* Requests of troff stand at the start of lines: nothing else may begin with a dot. */
TEST(the_page_has_no_request_but_its_own)
{
    for (const char *line = page; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (line[0] != '.' && line[0] != '\'') continue;
        CHECK(strncmp(line, ".TH ", 4) == 0 || strncmp(line, ".SH ", 4) == 0 ||
              strncmp(line, ".SS ", 4) == 0 || strncmp(line, ".TP\n", 4) == 0 ||
              strncmp(line, ".PP\n", 4) == 0 || strncmp(line, ".nf\n", 4) == 0 ||
              strncmp(line, ".fi\n", 4) == 0);
    }
    CHECK_INT(run("man x")->code, 2);
    CHECK_INT(run("completion fish")->code, 2);
    CHECK_INT(run("completion")->code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(every_verb_and_option_is_in_the_page_and_in_both_completions),
        RUNS(bash_completes_verbs_options_and_words),
        RUNS(the_page_has_no_request_but_its_own),
    };
    return cmocka_run_group_tests(tests, take_all, NULL);
}
