/* The program: finds the verb, runs it, and makes sure that what was printed has arrived. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "program.h"
#include "ranks.h"

const cli_verb *const program_verbs[] = {
    &verb_run,        &verb_check,  &verb_converge, &verb_compare, &verb_sweep, &verb_reproduce,
    &verb_new,        &verb_solve,  &verb_view,     &verb_plot,    &verb_draw,  &verb_film,
    &verb_export,     &verb_events, &verb_poincare, &verb_orbit,   &verb_cones, &verb_list,
    &verb_completion, &verb_man,    &verb_help,     NULL};

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("tippe: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

exit_code exit_code_of(tp_status status)
{
    switch (status) {
    case TP_OK: return PROGRAM_DONE;
    case TP_INVALID_ARGUMENT:
    case TP_INVALID_DATA:
    case TP_UNSUPPORTED: return PROGRAM_BAD_INPUT;
    case TP_NOT_CONVERGED:
    case TP_INFEASIBLE:
    case TP_WARNED:
    case TP_SINGULAR: return PROGRAM_NO_SOLUTION;
    case TP_FILE_ERROR:
    case TP_OUT_OF_MEMORY: return PROGRAM_NO_RESOURCE;
    case TP_INTERRUPTED: return PROGRAM_INTERRUPTED;
    case TP_INTERNAL: return PROGRAM_OTHER;
    }
    return PROGRAM_OTHER;
}

exit_code end_with(const cli_verb *verb, tp_status status, const tp_message *why)
{
    if (status != TP_OK)
        complain("%s: %s", verb->name, why->text[0] != '\0' ? why->text : tp_status_text(status));
    return exit_code_of(status);
}

const cli_verb *program_find_verb(const char *name)
{
    for (int k = 0; program_verbs[k] != NULL; ++k) {
        if (strcmp(program_verbs[k]->name, name) == 0) return program_verbs[k];
    }
    return NULL;
}

static const char *verb_name_at(const void *context, int index)
{
    (void)context;
    return program_verbs[index] != NULL ? program_verbs[index]->name : NULL;
}

exit_code program_unknown_verb(const char *name)
{
    const char *near = nearest_name(name, verb_name_at, NULL);
    if (near != NULL) {
        complain("unknown verb %s; did you mean %s?", name, near);
    } else {
        complain("unknown verb %s; tippe help lists them", name);
    }
    return PROGRAM_BAD_INPUT;
}

static bool asks_for_help(int argument_count, char **arguments)
{
    for (int k = 0; k < argument_count && strcmp(arguments[k], "--") != 0; ++k) {
        if (strcmp(arguments[k], "--help") == 0 || strcmp(arguments[k], "-h") == 0) return true;
    }
    return false;
}

static exit_code run(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        help_print_program(stderr);
        return PROGRAM_BAD_INPUT;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--version") == 0) {
        printf("tippe %s\n", tp_version());
        return PROGRAM_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_print_program(stdout);
        return PROGRAM_DONE;
    }
    const cli_verb *verb = program_find_verb(name);
    if (verb == NULL) return program_unknown_verb(name);
    if (asks_for_help(argument_count - 2, arguments + 2)) {
        help_print_verb(stdout, verb);
        return PROGRAM_DONE;
    }
    return verb->run(verb, argument_count - 2, arguments + 2);
}

/* Nothing needs saving: small files appear whole or not at all, and the writing of one is not interrupted;
   a run, whose file grows, has a handler of its own (interrupt.c). */
static void leave_at_once(int signal_number)
{
    (void)signal_number;
    _exit(PROGRAM_INTERRUPTED);
}

/* Pieces of a mebibyte and more go back to the system where they are freed. By itself the C library of GNU
   keeps what is freed for others of that size: lists that grow while a scene is read, of which nothing of
   that size follows. */
static void give_back_large_pieces(void)
{
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int main(int argument_count, char **arguments)
{
    give_back_large_pieces();
    struct sigaction action = {0};
    action.sa_handler = leave_at_once;
    sigaction(SIGINT, &action, NULL);

    ranks_begin(&argument_count, &arguments);
    exit_code code = run(argument_count, arguments);
    ranks_end();
    /* A full disk shows itself here at the latest. */
    bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    if (!is_written) complain("cannot write to standard output");
    return !is_written && code == PROGRAM_DONE ? PROGRAM_NO_RESOURCE : code;
}
