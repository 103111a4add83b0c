/* Panels from text: panels are parted by ';', curves by ',', and x:y is y over x; '\' takes the meaning off.
 */
#include "choice.h"

#include <string.h>

enum { GROUP_MAX = 6 }; /* curves of a group in one panel; with several runs, in all */

typedef struct chooser {
    const tp_plot_catalogue *catalogue;
    tp_arena *arena;
    tp_plot_choice *choices;
    int count;
    int time;   /* number of the column */
    int *found; /* work [columns] */
    tp_message *why;
} chooser;

/* Groups shrink with the number of runs, so that a panel stays readable. */
static int group_limit(const chooser *c)
{
    int limit = GROUP_MAX / c->catalogue->run_count;
    return limit > 2 ? limit : 2;
}

static tp_status add_pair(chooser *c, tp_plot_choice *choice, tp_plot_pair pair)
{
    for (int k = 0; k < choice->count; k++) {
        if (choice->pairs[k].x == pair.x && choice->pairs[k].y == pair.y) return TP_OK;
    }
    if ((choice->count & (choice->count - 1)) == 0) { /* full at powers of two: twice the room */
        tp_plot_pair *more = TP_ARENA_ARRAY(c->arena, tp_plot_pair, 2 * choice->count + 1);
        if (more == NULL) return tp_fail(c->why, TP_OUT_OF_MEMORY, "no memory for the figure");
        if (choice->count > 0) memcpy(more, choice->pairs, (size_t)choice->count * sizeof *more);
        choice->pairs = more;
    }
    choice->pairs[choice->count++] = pair;
    return TP_OK;
}

/* Copies up to an unprotected stop letter (or the end) without backslashes; returns where it stopped. A
   backslash before a letter of another level stays for that level. */
static const char *cut(const char *text, char stop, bool is_last_level, char *piece_out)
{
    for (; *text != '\0' && *text != stop; text++) {
        if (*text == '\\' && text[1] != '\0') {
            if (!is_last_level) *piece_out++ = *text;
            text++;
        }
        *piece_out++ = *text;
    }
    *piece_out = '\0';
    return text;
}

static tp_status find_x(chooser *c, const char *word, int *x_out)
{
    int count;
    bool is_exact;
    TP_TRY(tp_catalogue_match(c->catalogue, word, c->found, &count, &is_exact, c->why));
    if (count != 1) {
        return tp_fail(c->why, TP_INVALID_ARGUMENT, "'%s' names %d columns; before ':' there must be one",
                       word, count);
    }
    *x_out = c->found[0];
    return TP_OK;
}

/* "y" or "x:y". */
static tp_status add_item(chooser *c, tp_plot_choice *choice, const char *item)
{
    char *word = tp_arena_take(c->arena, strlen(item) + 1, 1);
    if (word == NULL) return tp_fail(c->why, TP_OUT_OF_MEMORY, "no memory for the figure");
    int x = c->time, count;
    bool is_exact;
    const char *rest = cut(item, ':', true, word);
    if (*rest == ':') {
        TP_TRY(find_x(c, word, &x));
        rest = cut(rest + 1, '\0', true, word);
    }
    if (word[0] == '\0') {
        return tp_fail(c->why, TP_INVALID_ARGUMENT, "an empty name among the columns; expected a,b or x:y");
    }
    TP_TRY(tp_catalogue_match(c->catalogue, word, c->found, &count, &is_exact, c->why));
    int limit = is_exact ? count : group_limit(c);
    for (int k = 0; k < count && k < limit; k++) TP_TRY(add_pair(c, choice, (tp_plot_pair){x, c->found[k]}));
    if (count > limit) choice->left_out += count - limit;
    return TP_OK;
}

static tp_status begin_choice(chooser *c, tp_plot_choice **choice_out)
{
    if (c->count >= TP_PLOT_PANELS_MAX) {
        return tp_fail(c->why, TP_INVALID_ARGUMENT, "more than %d panels", TP_PLOT_PANELS_MAX);
    }
    *choice_out = &c->choices[c->count++];
    **choice_out = (tp_plot_choice){0};
    return TP_OK;
}

static tp_status add_panel(chooser *c, const char *text)
{
    char *item = tp_arena_take(c->arena, strlen(text) + 1, 1);
    if (item == NULL) return tp_fail(c->why, TP_OUT_OF_MEMORY, "no memory for the figure");
    tp_plot_choice *choice = NULL;
    TP_TRY(begin_choice(c, &choice));
    for (;; text++) {
        text = cut(text, ',', false, item);
        TP_TRY(add_item(c, choice, item));
        if (*text == '\0') return TP_OK;
    }
}

static tp_status add_text(chooser *c, const char *text)
{
    char *panel = tp_arena_take(c->arena, strlen(text) + 1, 1);
    if (panel == NULL) return tp_fail(c->why, TP_OUT_OF_MEMORY, "no memory for the figure");
    for (;; text++) {
        text = cut(text, ';', false, panel);
        if (panel[0] != '\0') TP_TRY(add_panel(c, panel)); /* "a;" is one panel */
        if (*text == '\0') return TP_OK;
    }
}

/* One panel per unit: metres and radians share no axis. */
static tp_status add_kind(chooser *c, tp_column_kind kind)
{
    int first = c->count;
    for (int k = 0; k < c->catalogue->count; k++) {
        const tp_plot_column *column = &c->catalogue->columns[k];
        if (column->kind != kind) continue;
        tp_plot_choice *choice = NULL;
        for (int p = first; p < c->count && choice == NULL; p++) {
            const char *unit = c->catalogue->columns[c->choices[p].pairs[0].y].unit;
            if (strcmp(unit, column->unit) == 0) choice = &c->choices[p];
        }
        if (choice == NULL) TP_TRY(begin_choice(c, &choice));
        if (choice->count < group_limit(c)) {
            TP_TRY(add_pair(c, choice, (tp_plot_pair){c->time, k}));
        } else {
            choice->left_out++;
        }
    }
    return TP_OK;
}

static tp_status add_defaults(chooser *c)
{
    for (tp_column_kind kind = TP_COLUMN_COORDINATE; kind <= TP_COLUMN_GAP; kind++) TP_TRY(add_kind(c, kind));
    int before = c->count;
    TP_TRY(add_kind(c, TP_COLUMN_CONTACT_FORCE));
    if (c->count == before) TP_TRY(add_kind(c, TP_COLUMN_CONTACT_PERCUSSION));
    /* A file of chosen columns may hold none of these. */
    for (tp_column_kind kind = TP_COLUMN_FORCE; kind <= TP_COLUMN_STEP && c->count == 0; kind++) {
        TP_TRY(add_kind(c, kind));
    }
    if (c->count > 0) return TP_OK;
    return tp_fail(c->why, TP_INVALID_DATA, "the run holds nothing but the time");
}

tp_status tp_choices_make(const tp_plot_catalogue *catalogue, const char *const *texts, int text_count,
                          tp_arena *arena, tp_plot_choice *choices_out, int *count_out, tp_message *why)
{
    chooser c = {.catalogue = catalogue, .arena = arena, .choices = choices_out, .why = why};
    c.time = tp_catalogue_find(catalogue, "time");
    c.found = TP_ARENA_ARRAY(arena, int, catalogue->count + 1);
    if (c.found == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
    if (c.time < 0) return tp_fail(why, TP_INVALID_DATA, "the run has no column 'time'");
    if (text_count == 0) TP_TRY(add_defaults(&c));
    for (int k = 0; k < text_count; k++) TP_TRY(add_text(&c, texts[k]));
    *count_out = c.count;
    return c.count > 0 ? TP_OK : tp_fail(why, TP_INVALID_ARGUMENT, "no columns are named");
}
