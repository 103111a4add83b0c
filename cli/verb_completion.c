/* tippe completion bash|zsh: what a shell completes, from the tables of verbs and options. */
#include <string.h>

#include "program.h"
#include "tippe/integrator.h"
#include "tippe/solver.h"

/* The words that a value may be: choices, integrators, solvers; nothing for others. */
static void print_values(const char *name, const char *value, char between)
{
    bool is_integrator = strcmp(name, "--integrator") == 0, is_solver = strcmp(name, "--solver") == 0;
    for (int k = 0; is_integrator && k < tp_integrator_count(); ++k) {
        printf("%s%c", tp_integrator_info_at(k)->name, between);
    }
    for (int k = 0; is_solver && k < tp_solver_count(); ++k) {
        printf("%s%c", tp_solver_info_at(k)->name, between);
    }
    for (const char *c = value; !is_integrator && !is_solver && *c != '\0'; ++c) {
        putchar(*c == '|' ? between : *c);
    }
}

static bool has_values(const cli_option *o)
{
    if (o->value == NULL) return false;
    return o->kind == OPTION_CHOICE || strcmp(o->name, "--integrator") == 0 ||
           strcmp(o->name, "--solver") == 0;
}

/* The topics of a verb whose argument is one of some words, "a|b|c [options]"; 0: it takes files. */
static int topic_length(const cli_verb *verb)
{
    size_t length = strcspn(verb->usage, " ");
    return memchr(verb->usage, '|', length) != NULL ? (int)length : 0;
}

static void print_verb_names(void)
{
    for (int k = 0; program_verbs[k] != NULL; ++k) printf("%s ", program_verbs[k]->name);
}

/* ---- bash ---------------------------------------------------------------------------------------------- */

static void print_bash_verb(const cli_verb *verb)
{
    char topics[256];
    printf("    %s)\n        options=\"--help", verb->name);
    for (const cli_option *o = verb->options; o != NULL && o->name != NULL; ++o) {
        printf(" %s%s%s", o->name, o->letter != NULL ? " " : "", o->letter != NULL ? o->letter : "");
    }
    printf("\"\n");
    if (topic_length(verb) > 0) {
        snprintf(topics, sizeof topics, "%.*s", topic_length(verb), verb->usage);
        printf("        words=\"");
        print_values("", topics, ' ');
        printf("\"\n");
    }
    if (strcmp(verb->name, "help") == 0) {
        printf("        words=\"");
        print_verb_names();
        printf("\"\n");
    }
    printf("        case $before in\n");
    for (const cli_option *o = verb->options; o != NULL && o->name != NULL; ++o) {
        if (!has_values(o)) continue;
        printf("        %s) words=\"", o->name);
        print_values(o->name, o->value, ' ');
        printf("\" ;;\n");
    }
    printf("        esac ;;\n");
}

static void print_bash(void)
{
    printf("# bash completion for tippe; made by tippe completion bash\n"
           "_tippe()\n{\n"
           "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= words=\n"
           "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W \"");
    print_verb_names();
    printf("--help --version\" -- \"$now\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (int k = 0; program_verbs[k] != NULL; ++k) print_bash_verb(program_verbs[k]);
    printf("    esac\n"
           "    if [[ $now == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$now\"))\n"
           "    elif [[ -n $words ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
           "    else\n"
           "        COMPREPLY=($(compgen -f -- \"$now\"))\n"
           "    fi\n}\n"
           "complete -o filenames -F _tippe tippe\n");
}

/* ---- zsh ----------------------------------------------------------------------------------------------- */

/* A text between single quotes, in which [, ], : and \ mean something to _arguments. */
static void print_zsh_text(const char *text)
{
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr("[]:\\", *c) != NULL) putchar('\\');
        putchar(*c);
    }
}

/* '--name[text]:VALUE:action' */
static void print_zsh_spec(const cli_option *o, const char *name)
{
    printf("            '%s%s[", o->kind == OPTION_TEXTS ? "*" : "", name);
    print_zsh_text(o->text);
    putchar(']');
    if (o->value != NULL) {
        putchar(':');
        print_zsh_text(o->value);
        putchar(':');
        if (has_values(o)) {
            putchar('(');
            print_values(o->name, o->value, ' ');
            putchar(')');
        } else {
            printf("_files");
        }
        if (o->kind == OPTION_TIMED) printf(":file:_files");
    }
    printf("' \\\n");
}

static void print_zsh_verb(const cli_verb *verb)
{
    char topics[256];
    printf("    %s)\n        _arguments \\\n", verb->name);
    for (const cli_option *o = verb->options; o != NULL && o->name != NULL; ++o) {
        print_zsh_spec(o, o->name);
        if (o->letter != NULL) print_zsh_spec(o, o->letter);
    }
    printf("            '*:argument:");
    if (topic_length(verb) > 0) {
        snprintf(topics, sizeof topics, "%.*s", topic_length(verb), verb->usage);
        putchar('(');
        print_values("", topics, ' ');
        putchar(')');
    } else if (strcmp(verb->name, "help") == 0) {
        putchar('(');
        print_verb_names();
        putchar(')');
    } else {
        printf("_files");
    }
    printf("' ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef tippe\n# made by tippe completion zsh\n_tippe()\n{\n    local -a verbs\n    verbs=(\n");
    for (int k = 0; program_verbs[k] != NULL; ++k) {
        printf("        '%s:", program_verbs[k]->name);
        print_zsh_text(program_verbs[k]->summary);
        printf("'\n");
    }
    printf("    )\n    if ((CURRENT == 2)); then\n        _describe verb verbs\n        return\n    fi\n"
           "    shift words\n    ((CURRENT--))\n    case $words[1] in\n");
    for (int k = 0; program_verbs[k] != NULL; ++k) print_zsh_verb(program_verbs[k]);
    printf("    esac\n}\n_tippe \"$@\"\n");
}

static exit_code run_completion(const cli_verb *self, int argument_count, char **arguments)
{
    positionals given;
    if (!options_parse(self, argument_count, arguments, NULL, &given)) return PROGRAM_BAD_INPUT;
    if (strcmp(given.text[0], "bash") == 0) {
        print_bash();
    } else if (strcmp(given.text[0], "zsh") == 0) {
        print_zsh();
    } else {
        complain("%s: there is no completion for %s; there is one for bash and for zsh", self->name,
                 given.text[0]);
        return PROGRAM_BAD_INPUT;
    }
    return PROGRAM_DONE;
}

const cli_verb verb_completion = {
    .name = "completion",
    .summary = "Prints what a shell needs to complete verbs and options",
    .usage = "bash|zsh",
    .text = "make install puts both where the shells find them. For this shell alone:\n"
            "    source <(tippe completion bash)\n",
    .positionals = "bash or zsh",
    .positional_count = 1,
    .run = run_completion,
};
