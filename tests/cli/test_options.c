/* Options of all verbs, as their help pages list them: each stands in the manual, and absurd values are
   refused with what would be right. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-options-" /* files beside the program */
#include "program_run.h"

static const char *const verbs[] = {"run",   "check", "converge", "compare", "new",
                                    "solve", "plot",  "draw",     "export",  "list"};
enum { VERBS = sizeof verbs / sizeof verbs[0], NAME_MAX_LENGTH = 64 };

typedef struct listed_option {
    char name[NAME_MAX_LENGTH];
    char value[NAME_MAX_LENGTH]; /* what the page calls it; "": a flag */
} listed_option;

static size_t copy_word(const char *from, char *to)
{
    size_t length = strcspn(from, " \n");
    if (length >= NAME_MAX_LENGTH) fail();
    memcpy(to, from, length);
    to[length] = '\0';
    return length;
}

/* The next option of a page, from a line such as "  -o, --output FILE     text"; NULL: there is none. */
static const char *next_option(const char *at, listed_option *option_out)
{
    while ((at = strstr(at, "\n  -")) != NULL) {
        const char *name = strstr(++at, "--");
        if (name == NULL) return NULL;
        const char *behind = name + copy_word(name, option_out->name);
        option_out->value[0] = '\0';
        if (behind[0] == ' ' && behind[1] != ' ') copy_word(behind + 1, option_out->value);
        return at;
    }
    return NULL;
}

static const char *options_of_page(const char *verb)
{
    static char page[OUTPUT_MAX];
    char arguments[NAME_MAX_LENGTH];
    snprintf(arguments, sizeof arguments, "help %s", verb);
    snprintf(page, sizeof page, "%s", run(arguments)->out);
    const char *options = strstr(page, "\noptions:");
    if (options == NULL) fail_msg("%s has no options", verb);
    return options;
}

static void check_refused(void **check_state_, const char *verb, const listed_option *option,
                          const char *value, const char *part)
{
    char arguments[4 * NAME_MAX_LENGTH];
    snprintf(arguments, sizeof arguments, "%s no-such-file %s='%s'", verb, option->name, value);
    const outcome *r = run(arguments);
    if (r->code != 2 || !holds(r->err, part)) print_error("%s: %d, %s\n", arguments, r->code, r->err);
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, part) && holds(r->err, option->name));
    CHECK(r->out[0] == '\0');
}

/* Numbers are read before files are. */
static bool is_number(const listed_option *option)
{
    static const char *const names[] = {"S", "N", "T", "W", "ALPHA", "EPS"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(option->value, names[k]) == 0) return true;
    return false;
}

TEST(absurd_values_of_every_option_are_refused_with_what_would_be_right)
{
    static const char *const absurd[] = {"nan", "1e999"};
    int count = 0, numbers = 0;
    for (int v = 0; v < VERBS; v++) {
        listed_option option;
        for (const char *at = options_of_page(verbs[v]); (at = next_option(at, &option)) != NULL; count++) {
            if (option.value[0] == '\0') {
                check_refused(check_state_, verbs[v], &option, "1", "takes no value");
                continue;
            }
            check_refused(check_state_, verbs[v], &option, "", "needs a value");
            for (size_t k = 0; k < sizeof absurd / sizeof absurd[0] && is_number(&option); k++)
                check_refused(check_state_, verbs[v], &option, absurd[k], "expected a");
            numbers += is_number(&option);
        }
    }
    CHECK(count >= 60 && numbers >= 15); /* the pages were understood */
}

/* `-o --json` once wrote a file named --json. */
TEST(an_option_is_not_taken_for_the_value_of_another)
{
    const outcome *r = run("run no-such-file -o --json");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "--output needs a value") && holds(r->err, "--json"));
}

TEST(every_option_stands_in_the_manual_and_in_the_section_of_its_verb)
{
    static char manual[1 << 17];
    FILE *file = fopen(TIPPE_SOURCE_DIR "/docs/command-line.md", "rb");
    CHECK(file != NULL);
    size_t length = fread(manual, 1, sizeof manual - 1, file);
    fclose(file);
    CHECK(length < sizeof manual - 1);
    manual[length] = '\0';
    for (int v = 0; v < VERBS; v++) {
        char title[NAME_MAX_LENGTH];
        snprintf(title, sizeof title, "\n## tippe %s\n", verbs[v]);
        char *section = strstr(manual, title);
        if (section == NULL) fail_msg("no section%s", title);
        char *end = strstr(section + 1, "\n## ");
        if (end != NULL) *end = '\0';
        listed_option option;
        for (const char *at = options_of_page(verbs[v]); (at = next_option(at, &option)) != NULL;) {
            if (!holds(section, option.name)) fail_msg("%s of %s is not there", option.name, verbs[v]);
        }
        if (end != NULL) *end = '\n';
    }
}

TEST_MAIN(RUNS(absurd_values_of_every_option_are_refused_with_what_would_be_right),
          RUNS(an_option_is_not_taken_for_the_value_of_another),
          RUNS(every_option_stands_in_the_manual_and_in_the_section_of_its_verb))
