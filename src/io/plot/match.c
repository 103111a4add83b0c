/* Words of a command line and the columns they name. */
#include <string.h>

#include "io/common/near.h"
#include "io/common/text.h"
#include "plot_columns.h"

/* The ways to understand a word, from the strictest on; the first that finds something is taken. */
typedef enum match_way {
    MATCH_NAME,
    MATCH_GROUP,
    MATCH_PATTERN,
    MATCH_SHORT,
    MATCH_LOOSE,
    MATCH_WAYS
} match_way;

/* With * for any letters; loosely a dot is a slash too. */
static bool fits_pattern(const char *pattern, const char *name, bool is_loose)
{
    const char *star = NULL, *retry = NULL; /* last star, and how far it reaches */
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern != '\0' && (*pattern == *name || (is_loose && *pattern == '.' && *name == '/'))) {
            pattern++, name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

static bool is_in_group(const char *group, const char *name)
{
    size_t length = strlen(group);
    return strncmp(group, name, length) == 0 && name[length] == '/';
}

static bool fits(const char *word, const tp_plot_column *column, match_way way)
{
    bool is_plain = column->kind != TP_COLUMN_OTHER && strncmp(column->name, "law/", 4) != 0;
    const char *slash = strchr(column->name, '/');
    switch (way) {
    case MATCH_NAME: return strcmp(word, column->name) == 0;
    case MATCH_GROUP: return is_in_group(word, column->name);
    case MATCH_PATTERN: return strchr(word, '*') != NULL && fits_pattern(word, column->name, false);
    case MATCH_SHORT: return is_plain && slash != NULL && strcmp(word, slash + 1) == 0;
    case MATCH_LOOSE: return fits_pattern(word, column->name, true);
    case MATCH_WAYS: break;
    }
    return false;
}

/* Names the nearest column, or the first few there are. */
static tp_status fail_unknown(const tp_plot_catalogue *catalogue, const char *word, tp_message *why)
{
    tp_near near = tp_near_begin(word);
    for (int k = 0; k < catalogue->count; k++) {
        const char *name = catalogue->columns[k].name, *slash = strchr(name, '/');
        tp_near_offer(&near, name);
        if (slash != NULL) tp_near_offer(&near, slash + 1);
    }
    tp_near_hint hint = tp_near_hint_of(&near);
    if (hint.text[0] != '\0') return tp_fail(why, TP_INVALID_ARGUMENT, "no column '%s'%s", word, hint.text);
    char list[512] = "";
    for (int k = 0; k < catalogue->count; k++) {
        const char *name = catalogue->columns[k].name;
        bool is_full = strlen(list) + strlen(name) + 8 > sizeof list;
        tp_append(list, sizeof list, "%s%s", k > 0 ? ", " : "", is_full ? "..." : name);
        if (is_full) break;
    }
    return tp_fail(why, TP_INVALID_ARGUMENT, "no column '%s'; there are %s", word, list);
}

tp_status tp_catalogue_match(const tp_plot_catalogue *catalogue, const char *word, int *found_out,
                             int *found_count_out, bool *is_exact_out, tp_message *why)
{
    /* A group or pattern means what the file holds; forces made here want to be called by name. */
    bool wants_forces = strstr(word, "force") != NULL;
    *found_count_out = 0;
    for (match_way way = MATCH_NAME; way < MATCH_WAYS && *found_count_out == 0; way++) {
        for (int k = 0; k < catalogue->count; k++) {
            const tp_plot_column *column = &catalogue->columns[k];
            if (!fits(word, column, way) || (column->impulse != NULL && !wants_forces)) continue;
            if (strcmp(column->name, "time") == 0 && way != MATCH_NAME) continue;
            found_out[(*found_count_out)++] = k;
            if (way == MATCH_SHORT) break; /* a coordinate before a sensor of the same name */
        }
        *is_exact_out = way == MATCH_NAME || way == MATCH_SHORT;
    }
    return *found_count_out > 0 ? TP_OK : fail_unknown(catalogue, word, why);
}
