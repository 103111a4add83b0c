/* Commands of the catalogue: their words, and what the runner adds. */
#include <string.h>

#include "io/common/text.h"
#include "io/common/words.h"
#include "reproduce.h"

enum { WORDS_MAX = 96, WORD_MAX = 2048 };

/* What the verbs that a catalogue may use take besides: J --json, Q --quiet, 1 --jobs 1, O -o NAME.h5, F -o
   NAME.svg. */
static const struct {
    const char *verb, *adds;
} verbs[] = {{"run", "OJQ"},   {"check", "J"},  {"converge", "JQ1"}, {"compare", "JQ1"},
             {"solve", "J"},   {"events", "J"}, {"poincare", "J"},   {"cones", "FJ"},
             {"sweep", "OQ1"}, {"plot", "FQ"},  {"draw", "FQ"}};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

typedef struct word_list {
    tp_arena *arena;
    const char **words;
    int count;
    bool has_failed;
} word_list;

/* Words live as long as the arena; NULL: there was no memory. */
static void add_word(word_list *list, const char *word)
{
    if (!word || list->count == WORDS_MAX) {
        list->has_failed = true;
        return;
    }
    list->words[list->count++] = word;
}

/* examples/..., reproduce/... and @NAME as files. */
static void add_resolved(word_list *list, const tp_roots *roots, const char *word)
{
    if (strncmp(word, "examples/", 9) == 0) {
        add_word(list, tp_arena_format(list->arena, "%s/%s", roots->examples, word + 9));
    } else if (strncmp(word, "reproduce/", 10) == 0) {
        add_word(list, tp_arena_format(list->arena, "%s/%s", roots->catalogue, word + 10));
    } else if (word[0] == '@') {
        add_word(list, tp_arena_format(list->arena, "%s.h5", word + 1));
    } else {
        add_word(list, tp_arena_text(list->arena, word));
    }
}

/* The next word; false at the end. */
static bool next_word(const char **at, char *word_out, bool *is_open_out)
{
    size_t length = 0;
    char quote = '\0';
    while (**at == ' ' || **at == '\n') (*at)++;
    if (**at == '\0') return false;
    for (; **at != '\0' && (quote || (**at != ' ' && **at != '\n')); (*at)++) {
        if (quote ? **at == quote : **at == '\'' || **at == '"') {
            quote = quote ? '\0' : **at;
            continue;
        }
        if (length + 1 < WORD_MAX) word_out[length++] = **at;
    }
    word_out[length] = '\0';
    *is_open_out = quote != '\0';
    return true;
}

static void add_additions(word_list *list, const char *adds, const char *name)
{
    bool is_map = tp_find_name(list->words, sizeof *list->words, list->count, "--map") >= 0;
    for (const char *what = adds; *what; what++) {
        if (*what == 'J' && !is_map) add_word(list, "--json"); /* a map prints none */
        if (*what == 'Q') add_word(list, "--quiet");
        if (*what == '1') add_word(list, "--jobs=1");
        if (*what != 'O' && *what != 'F') continue;
        add_word(list, "-o");
        add_word(list, tp_arena_format(list->arena, "%s.%s", name, *what == 'O' ? "h5" : "svg"));
    }
}

tp_status tp_step_read(tp_arena *arena, const tp_node *node, const char *name, const tp_roots *roots,
                       tp_experiment_step *step_out, tp_message *why)
{
    char word[WORD_MAX];
    bool is_open = false;
    word_list list = {.arena = arena, .words = TP_ARENA_ARRAY(arena, const char *, WORDS_MAX)};
    const char *at = node->text;
    if (!list.words) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the catalogue");
    while (next_word(&at, word, &is_open)) add_resolved(&list, roots, word);
    if (is_open) return tp_node_fail(node, why, "a quote is not closed");
    int verb = list.count > 0 ? TP_FIND(verbs, VERBS, verb, list.words[0]) : -1;
    if (verb < 0) return tp_node_fail(node, why, "expected a command such as 'run examples/NAME/scene.yaml'");
    add_additions(&list, verbs[verb].adds, name);
    if (list.has_failed) return tp_node_fail(node, why, "a command has at most %d words", WORDS_MAX);
    *step_out = (tp_experiment_step){name, node->text, list.words, list.count};
    return TP_OK;
}
