/* Reads the command line by the table of a verb. */
#include "command_options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { HELP_COLUMN = 26 }; /* where the texts of the options start */

/* The place in the settings that an option writes. */
static void *field_of(const cli_option *option, void *settings)
{
    return (char *)settings + option->offset;
}

/* True when the word of the given length is the option's name or letter. */
static bool is_named(const cli_option *option, const char *word, size_t length)
{
    if (strlen(option->name) == length && strncmp(option->name, word, length) == 0) return true;
    return option->letter != NULL && strlen(option->letter) == length &&
           strncmp(option->letter, word, length) == 0;
}

static const cli_option *find_option(const cli_option *options, const char *word, size_t length)
{
    for (const cli_option *o = options; o != NULL && o->name != NULL; ++o) {
        if (is_named(o, word, length)) return o;
    }
    return NULL;
}

/* "--no-recovering" clears the flag "--recovering". */
static const cli_option *find_negated_flag(const cli_option *options, const char *word)
{
    if (strncmp(word, "--no-", 5) != 0) return NULL;
    for (const cli_option *o = options; o != NULL && o->name != NULL; ++o) {
        if (o->kind == OPTION_FLAG && strcmp(o->name + 2, word + 5) == 0) return o;
    }
    return NULL;
}

static const char *option_name_at(const void *context, int index)
{
    const cli_option *options = context;
    return options == NULL ? NULL : options[index].name;
}

static bool complain_unknown(const cli_verb *verb, const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
    const char *near = nearest_name(name, option_name_at, verb->options);
    if (near != NULL) {
        complain("%s: unknown option %s; did you mean %s?", verb->name, name, near);
    } else {
        complain("%s: unknown option %s; see tippe help %s", verb->name, name, verb->name);
    }
    return false;
}

bool complain_unknown_name(const cli_verb *verb, const char *what, const char *name,
                           const char *(*known_at)(const void *context, int index))
{
    const char *near = nearest_name(name, known_at, NULL);
    if (near != NULL) {
        complain("%s: unknown %s %s; did you mean %s?", verb->name, what, name, near);
    } else {
        complain("%s: unknown %s %s; tippe list %ss names them", verb->name, what, name, what);
    }
    return false;
}

static bool complain_value(const cli_verb *verb, const cli_option *option, const char *value)
{
    const char *expected = option->expected != NULL ? option->expected : option->value;
    if (value[0] == '\0') {
        complain("%s: %s needs a value: %s", verb->name, option->name, expected);
        return false;
    }
    complain("%s: %s %s: expected %s", verb->name, option->name, value, expected);
    return false;
}

static bool read_real(const cli_option *option, const char *value, double *field)
{
    char *end = NULL;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number)) return false;
    if (number < option->minimum || number > option->maximum) return false;
    *field = number;
    return true;
}

static bool read_count(const cli_option *option, const char *value, int *field)
{
    char *end = NULL;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) return false;
    if ((double)number < option->minimum || (double)number > option->maximum) return false;
    *field = (int)number;
    return true;
}

static bool read_choice(const cli_option *option, const char *value, int *field)
{
    size_t length = strlen(value);
    int index = 0;
    for (const char *word = option->value; word != NULL; ++index) {
        const char *bar = strchr(word, '|');
        size_t word_length = bar != NULL ? (size_t)(bar - word) : strlen(word);
        if (word_length == length && strncmp(word, value, length) == 0) {
            *field = index;
            return true;
        }
        word = bar != NULL ? bar + 1 : NULL;
    }
    return false;
}

static bool add_text(const char *value, option_texts *field)
{
    if (value[0] == '\0' || field->count >= OPTION_TEXTS_MAX) return false;
    field->text[field->count++] = value;
    return true;
}

static bool read_value(const cli_option *option, const char *value, void *settings)
{
    void *field = field_of(option, settings);
    switch (option->kind) {
    case OPTION_FLAG: return false;
    case OPTION_TEXT: *(const char **)field = value; return value[0] != '\0';
    case OPTION_REAL: return read_real(option, value, field);
    case OPTION_COUNT: return read_count(option, value, field);
    case OPTION_TEXTS: return add_text(value, field);
    case OPTION_CHOICE: return read_choice(option, value, field);
    case OPTION_TIMED: return read_real(option, value, &((option_timed *)field)->time);
    }
    return false;
}

/* Reads the option at arguments[*index]; leaves *index at the last word that belongs to it. */
static bool parse_option(const cli_verb *verb, int argument_count, char **arguments, int *index,
                         void *settings)
{
    const char *word = arguments[*index];
    const char *equals = word[1] == '-' ? strchr(word, '=') : NULL; /* --tol=1e-8 */
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);

    const cli_option *negated = find_negated_flag(verb->options, word);
    if (negated != NULL) {
        *(bool *)field_of(negated, settings) = false;
        return true;
    }
    const cli_option *option = find_option(verb->options, word, length);
    if (option == NULL) return complain_unknown(verb, word, length);
    if (option->kind == OPTION_FLAG) {
        if (equals != NULL) {
            complain("%s: %s takes no value", verb->name, option->name);
            return false;
        }
        *(bool *)field_of(option, settings) = true;
        return true;
    }
    if (equals == NULL && *index + 1 >= argument_count) {
        complain("%s: %.*s needs a value: %s", verb->name, (int)length, word, option->value);
        return false;
    }
    const char *value = equals != NULL ? equals + 1 : arguments[++*index];
    if (equals == NULL && find_option(verb->options, value, strlen(value)) != NULL) { /* it was forgotten */
        complain("%s: %s needs a value: %s; found the option %s", verb->name, option->name, option->value,
                 value);
        return false;
    }
    if (!read_value(option, value, settings)) return complain_value(verb, option, value);
    if (option->kind != OPTION_TIMED) return true;
    if (*index + 1 >= argument_count || arguments[*index + 1][0] == '\0') {
        complain("%s: %s needs two values: %s", verb->name, option->name, option->value);
        return false;
    }
    ((option_timed *)field_of(option, settings))->text = arguments[++*index];
    return true;
}

static bool check_positionals(const cli_verb *verb, const positionals *given)
{
    if (given->count < verb->positional_count) {
        complain("%s: missing %s; usage: tippe %s %s", verb->name, verb->positionals, verb->name,
                 verb->usage);
        return false;
    }
    int most = verb->positional_count + verb->positional_more;
    if (given->count > most) {
        complain("%s: one argument too many: %s; usage: tippe %s %s", verb->name, given->text[most],
                 verb->name, verb->usage);
        return false;
    }
    return true;
}

bool options_parse(const cli_verb *verb, int argument_count, char **arguments, void *settings,
                   positionals *positionals_out)
{
    bool only_positionals = false; /* after -- */
    positionals_out->count = 0;
    for (int k = 0; k < argument_count; ++k) {
        const char *word = arguments[k];
        if (!only_positionals && strcmp(word, "--") == 0) {
            only_positionals = true;
        } else if (!only_positionals && word[0] == '-' && word[1] != '\0') {
            if (!parse_option(verb, argument_count, arguments, &k, settings)) return false;
        } else if (positionals_out->count < POSITIONAL_MAX) {
            positionals_out->text[positionals_out->count++] = word;
        }
    }
    return check_positionals(verb, positionals_out);
}

void options_print(FILE *file, const cli_option *options)
{
    for (const cli_option *o = options; o != NULL && o->name != NULL; ++o) {
        char left[80];
        snprintf(left, sizeof left, "%s%s%s%s%s", o->letter != NULL ? o->letter : "",
                 o->letter != NULL ? ", " : "", o->name, o->value != NULL ? " " : "",
                 o->value != NULL ? o->value : "");
        if (strlen(left) < HELP_COLUMN - 3) {
            fprintf(file, "  %-*s%s\n", HELP_COLUMN - 2, left, o->text);
        } else {
            fprintf(file, "  %s\n%*s%s\n", left, HELP_COLUMN, "", o->text);
        }
    }
}
