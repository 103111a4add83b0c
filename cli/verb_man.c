/* tippe man: the manual page of the program, from the tables of its verbs and options. */
#include <string.h>

#include "program.h"

/* A text of the page: nothing in it is a request to troff. */
static void print_escaped(FILE *file, const char *text, size_t length)
{
    if (length > 0 && (text[0] == '.' || text[0] == '\'')) fputs("\\&", file);
    for (size_t k = 0; k < length; ++k) {
        if (text[k] == '\\') {
            fputs("\\e", file);
        } else if (text[k] == '-') {
            fputs("\\-", file);
        } else {
            fputc(text[k], file);
        }
    }
}

static void print_text(FILE *file, const char *text)
{
    print_escaped(file, text, strlen(text));
}

/* Lines as they are; an empty one begins a paragraph. */
static void print_paragraphs(FILE *file, const char *text)
{
    for (const char *line = text; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (length == 0) {
            fputs(".PP", file);
        } else {
            print_escaped(file, line, length);
        }
        fputc('\n', file);
        line += length + (line[length] == '\n');
    }
}

static void print_options(FILE *file, const cli_option *options)
{
    for (const cli_option *o = options; o != NULL && o->name != NULL; ++o) {
        fputs(".TP\n\\fB", file);
        if (o->letter != NULL) {
            print_text(file, o->letter);
            fputs("\\fR, \\fB", file);
        }
        print_text(file, o->name);
        fputs("\\fR", file);
        if (o->value != NULL) {
            fputs(" \\fI", file);
            print_text(file, o->value);
            fputs("\\fR", file);
        }
        fputc('\n', file);
        print_text(file, o->text);
        fputc('\n', file);
    }
}

static void print_verb(FILE *file, const cli_verb *verb)
{
    fprintf(file, ".SS %s\n.nf\n\\fBtippe %s\\fR ", verb->name, verb->name);
    print_text(file, verb->usage);
    fputs("\n.fi\n.PP\n", file);
    print_text(file, verb->summary);
    fputs(".\n", file);
    if (verb->text != NULL) {
        fputs(".PP\n", file);
        print_paragraphs(file, verb->text);
    }
    print_options(file, verb->options);
}

static exit_code run_man(const cli_verb *self, int argument_count, char **arguments)
{
    positionals given;
    if (!options_parse(self, argument_count, arguments, NULL, &given)) return PROGRAM_BAD_INPUT;
    printf(".TH TIPPE 1 \"\" \"tippe %s\" \"User commands\"\n", tp_version());
    fputs(".SH NAME\ntippe \\- nonsmooth mechanics with contact, exact Coulomb friction, joints and impacts\n"
          ".SH SYNOPSIS\n\\fBtippe\\fR \\fIVERB\\fR ...\n.SH VERBS\n",
          stdout);
    for (int k = 0; program_verbs[k] != NULL; ++k) print_verb(stdout, program_verbs[k]);
    fputs(".SH EXIT STATUS\n", stdout);
    print_paragraphs(stdout, program_exit_codes);
    return PROGRAM_DONE;
}

const cli_verb verb_man = {
    .name = "man",
    .summary = "Prints the manual page (troff); tippe man | man -l - shows it",
    .usage = "",
    .positionals = "nothing",
    .run = run_man,
};
