/* tippe help [VERB]. */

#include "program.h"

const char program_exit_codes[] =
    "0 done; 2 malformed content, unsound model or bad option; 3 not converged\n"
    "or infeasible; 4 a file cannot be read or written; 130 interrupted; 1 anything\n"
    "else.\n";

void help_print_program(FILE *file)
{
    fprintf(file,
            "tippe %s: nonsmooth mechanics with contact, exact Coulomb friction, joints and impacts\n\n",
            tp_version());
    fprintf(file, "usage: tippe VERB ...\n\n");
    for (int k = 0; program_verbs[k] != NULL; ++k) {
        fprintf(file, "  %-12s%s\n", program_verbs[k]->name, program_verbs[k]->summary);
    }
    fprintf(file, "\n  --version   prints the version\n  --help      prints this page\n\n");
    fprintf(file, "tippe help VERB describes one of them.\n\n");
    fprintf(file, "Exit codes: %s", program_exit_codes);
}

void help_print_verb(FILE *file, const cli_verb *verb)
{
    fprintf(file, "usage: tippe %s %s\n\n%s.\n", verb->name, verb->usage, verb->summary);
    if (verb->text != NULL) fprintf(file, "\n%s", verb->text);
    if (verb->options != NULL) {
        fprintf(file, "\noptions:\n");
        options_print(file, verb->options);
    }
}

static exit_code run_help(const cli_verb *self, int argument_count, char **arguments)
{
    positionals given;
    if (!options_parse(self, argument_count, arguments, NULL, &given)) return PROGRAM_BAD_INPUT;
    if (given.count == 0) {
        help_print_program(stdout);
        return PROGRAM_DONE;
    }
    const cli_verb *verb = program_find_verb(given.text[0]);
    if (verb == NULL) return program_unknown_verb(given.text[0]);
    help_print_verb(stdout, verb);
    return PROGRAM_DONE;
}

const cli_verb verb_help = {
    .name = "help",
    .summary = "Explains what a verb does and which options it takes",
    .usage = "[VERB]",
    .positionals = "VERB",
    .positional_more = 1,
    .run = run_help,
};
