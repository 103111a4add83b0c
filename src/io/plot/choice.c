/* Panels from text: panels are parted by ';', curves by ',', and x:y is y over x; '\' takes the meaning off.
 */
#include "choice.h"

#include <string.h>

typedef struct chooser {
    const tp_plot_catalogue *catalogue;
    tp_arena *arena;
    tp_plot_choice *choices;
    int count;
    int *found; /* work [columns] */
    tp_message *why;
} chooser;

int tp_choice_limit(const tp_plot_catalogue *catalogue)
{
    int limit = TP_PLOT_GROUP_MAX / catalogue->run_count;
    return limit > 2 ? limit : 2;
}

tp_status tp_choice_add(tp_arena *arena, tp_plot_choice *choice, tp_plot_pair pair, tp_message *why)
{
    for (int k = 0; k < choice->count; k++) {
        if (choice->pairs[k].x == pair.x && choice->pairs[k].y == pair.y) return TP_OK;
    }
    if ((choice->count & (choice->count - 1)) == 0) { /* full at powers of two: twice the room */
        tp_plot_pair *more = TP_ARENA_ARRAY(arena, tp_plot_pair, 2 * choice->count + 1);
        if (more == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
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
    int x = c->catalogue->time, count;
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
    int limit = is_exact ? count : tp_choice_limit(c->catalogue);
    for (int k = 0; k < count && k < limit; k++)
        TP_TRY(tp_choice_add(c->arena, choice, (tp_plot_pair){x, c->found[k]}, c->why));
    if (count > limit) choice->left_out += count - limit;
    return TP_OK;
}

static tp_status add_panel(chooser *c, const char *text)
{
    char *item = tp_arena_take(c->arena, strlen(text) + 1, 1);
    if (item == NULL) return tp_fail(c->why, TP_OUT_OF_MEMORY, "no memory for the figure");
    if (c->count >= TP_PLOT_PANELS_MAX)
        return tp_fail(c->why, TP_INVALID_ARGUMENT, "more than %d panels", TP_PLOT_PANELS_MAX);
    tp_plot_choice *choice = &c->choices[c->count++];
    *choice = (tp_plot_choice){0};
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

tp_status tp_choices_make(const tp_plot_catalogue *catalogue, const char *const *texts, int text_count,
                          tp_arena *arena, tp_plot_choice *choices_out, int *count_out, tp_message *why)
{
    chooser c = {.catalogue = catalogue, .arena = arena, .choices = choices_out, .why = why};
    c.found = TP_ARENA_ARRAY(arena, int, catalogue->count + 1);
    if (c.found == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
    if (catalogue->time < 0) return tp_fail(why, TP_INVALID_DATA, "the run has no column 'time'");
    for (int k = 0; k < text_count; k++) TP_TRY(add_text(&c, texts[k]));
    *count_out = c.count;
    return c.count > 0 ? TP_OK : tp_fail(why, TP_INVALID_ARGUMENT, "no columns are named");
}
