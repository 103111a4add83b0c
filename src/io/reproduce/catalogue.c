/* The catalogue as files: documents.yaml lists the documents, one file has the experiments of each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/common/words.h"
#include "io/scene/rows.h"
#include "io/scene/scalar.h"
#include "reproduce.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */

#define TEXT(word, member, ...)   ROW_TEXT(word, TP_INTO(tp_check, member), __VA_ARGS__)
#define NUMBER(word, member, ...) ROW(word, TP_VALUE_NUMBER, TP_INTO(tp_check, member), __VA_ARGS__)
/* As it is printed: digits matter. */
#define PRINTED(word, member, ...) ROW(word, TP_VALUE_ANY, TP_INTO(tp_check, member), __VA_ARGS__)

static const tp_key check_keys[] = {
    TEXT("what", what, "what is compared, in words", .flags = TP_KEY_REQUIRED),
    TEXT("unit", unit, "of both values"),
    TEXT("source", source, "who reports it; default: the document's text"),
    TEXT("of", of, "the step that is measured", .flags = TP_KEY_REQUIRED),
    TEXT("take", take, "the measure", .flags = TP_KEY_REQUIRED),
    TEXT("column", column, "of the run"),
    TEXT("against", against, "a step whose column is subtracted"),
    TEXT("against_column", against_column, "if it has another name there"),
    TEXT("over", over, "a step by whose figure it is divided"),
    TEXT("path", path, "in the JSON of the step"),
    TEXT("event", event, "kind of the events"),
    TEXT("law", law, "of the events"),
    TEXT("field", field, "of the table of events; default: time"),
    NUMBER("from", from, "time from which on it is measured"),
    NUMBER("until", until, "time until which it is measured"),
    NUMBER("at", at, "time of a value"),
    NUMBER("level", level, "what the column passes"),
    ROW("number", TP_VALUE_INTEGER, TP_INTO(tp_check, number), "of the event or of the passage, from 1",
        .flags = TP_KEY_POSITIVE),
    PRINTED("reported", reported, "a number as printed, or a word"),
    NUMBER("above", above, "it is reported to be above"),
    NUMBER("below", below, "it is reported to be below"),
    NUMBER("tolerance", tolerance, "default: half a unit of the last printed digit"),
    TEXT("because", because, "where the tolerance comes from"),
    PRINTED("corrected", corrected, "the right value where the printed one is wrong"),
    TEXT("erratum", erratum, "why the printed value is wrong"),
    TEXT("reason", reason, "why it differs here"),
};
static const tp_key_table check_table = {
    .name = "check", .text = "What a document reports.", .TP_KEYS_OF(check_keys)};

#define OWN_TEXT(word, member, ...) ROW_TEXT(word, TP_INTO(tp_experiment, member), __VA_ARGS__)

static const tp_key experiment_keys[] = {
    OWN_TEXT("name", name, "of the experiment", .flags = TP_KEY_REQUIRED),
    OWN_TEXT("title", title, "a heading", .flags = TP_KEY_REQUIRED),
    OWN_TEXT("where", where, "in the document", .flags = TP_KEY_REQUIRED),
    OWN_TEXT("about", about, "what the document says and what was assumed"),
    OWN_TEXT("missing", missing, "why it is not done"),
    {.name = "steps", .kind = TP_VALUE_TEXT, .form = TP_FORM_NAMED, .text = "commands"},
    {.name = "figure", .kind = TP_VALUE_TEXT, .text = "the command that draws it"},
    {.name = "checks", .kind = TP_VALUE_MAP, .form = TP_FORM_LIST, .table = &check_table, .text = "checks"},
};
static const tp_key_table experiment_table = {
    .name = "experiment", .text = "An experiment.", .TP_KEYS_OF(experiment_keys)};

static const tp_key document_keys[] = {
    {.name = "title", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED, .text = "of the document"},
    ROW_MAPS("experiments", experiment_table, "experiments", .flags = TP_KEY_REQUIRED),
};
static const tp_key_table document_table = {
    .name = "document", .text = "A document.", .TP_KEYS_OF(document_keys)};

static const tp_key list_keys[] = {
    {.name = "documents",
     .kind = TP_VALUE_TEXT,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_REQUIRED,
     .text = "names of the documents' files, without .yaml"},
};
static const tp_key_table list_table = {
    .name = "list of documents", .text = "The documents.", .TP_KEYS_OF(list_keys)};

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct made_catalogue {
    tp_catalogue catalogue; /* first: what users have */
    tp_arena arena;
    tp_roots roots;
    tp_experiment *experiments;
} made_catalogue;

/* The fields of a struct from the keys of a map; those that have none are read apart. */
static tp_status fill(void *def, const tp_key_table *table, const tp_node *map, tp_message *why)
{
    for (const tp_node *entry = map->first; entry; entry = entry->next) {
        const tp_field *field = &tp_keys_find(table, map, entry->key)->field;
        void *into = (char *)def + field->at;
        if (field->fill == TP_FILLS_NOTHING) continue;
        if (entry->kind != TP_NODE_SCALAR) return tp_node_fail(entry, why, "expected a number or a word");
        if (field->fill == TP_FILLS_TEXT) *(const char **)into = entry->text;
        if (field->fill == TP_FILLS_NUMBER) TP_TRY(tp_node_number(entry, NULL, into, why));
        if (field->fill == TP_FILLS_INTEGER) TP_TRY(tp_node_integer(entry, 1, 1000000, into, why));
    }
    return TP_OK;
}

/* What is reported must be something that a verdict can be computed from. */
static tp_status check_reported(const tp_check *c, const tp_node *map, tp_message *why)
{
    if (!c->reported && isnan(c->above) && isnan(c->below))
        return tp_node_fail(map, why, "expected reported, above or below");
    if (c->reported && (!isnan(c->above) || !isnan(c->below)))
        return tp_node_fail(map, why, "expected reported, or above and below, not both");
    if (!isnan(c->tolerance) && !c->because)
        return tp_node_fail(map, why, "a tolerance of its own needs 'because'");
    if ((c->corrected != NULL) != (c->erratum != NULL))
        return tp_node_fail(map, why, "corrected and erratum belong together");
    return TP_OK;
}

static tp_status check_steps(const tp_experiment *e, const tp_check *check, const tp_node *map,
                             tp_message *why)
{
    const char *const names[] = {check->of, check->against, check->over};
    for (int k = 0; k < 3; k++) {
        if (names[k] && tp_step_find(e, names[k]) < 0)
            return tp_node_fail(map, why, "there is no step '%s'", names[k]);
    }
    return TP_OK;
}

static tp_status read_checks(made_catalogue *made, tp_experiment *e, const tp_node *list, tp_message *why)
{
    tp_check *checks = TP_ARENA_ARRAY(&made->arena, tp_check, list ? list->count + 1 : 1);
    if (!checks) return TP_OUT_OF_MEMORY;
    e->checks = checks;
    for (const tp_node *map = list ? list->first : NULL; map; map = map->next) {
        tp_check *check = &checks[e->check_count];
        *check = (tp_check){.from = NAN, .until = NAN, .at = NAN, .level = NAN, .number = 1};
        check->above = check->below = check->tolerance = NAN;
        TP_TRY(fill(check, &check_table, map, why));
        TP_TRY(check_reported(check, map, why));
        TP_TRY(tp_measure_check(map, check, why));
        TP_TRY(check_steps(e, check, map, why));
        e->check_count++;
    }
    return TP_OK;
}

static tp_status read_steps(made_catalogue *made, tp_experiment *e, const tp_node *map, tp_message *why)
{
    const tp_node *steps = tp_map_get(map, "steps"), *figure = tp_map_get(map, "figure");
    tp_experiment_step *made_steps =
        TP_ARENA_ARRAY(&made->arena, tp_experiment_step, steps ? steps->count + 2 : 2);
    if (!made_steps) return TP_OUT_OF_MEMORY;
    e->steps = made_steps;
    for (const tp_node *step = steps ? steps->first : NULL; step; step = step->next)
        TP_TRY(tp_step_read(&made->arena, step, step->key, &made->roots, &made_steps[e->step_count++], why));
    if (!figure) return TP_OK;
    e->figure = &made_steps[e->step_count + 1];
    return tp_step_read(&made->arena, figure, "figure", &made->roots, &made_steps[e->step_count + 1], why);
}

static tp_status read_experiment(made_catalogue *made, const tp_node *map, const char *document,
                                 const char *title, tp_message *why)
{
    tp_experiment *e = &made->experiments[made->catalogue.count];
    *e = (tp_experiment){.document = document, .document_title = title};
    TP_TRY(fill(e, &experiment_table, map, why));
    if (e->name[strspn(e->name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
        return tp_node_fail(map, why, "a name has small letters, digits and - only: it is a folder's");
    if (TP_FIND(made->experiments, made->catalogue.count, name, e->name) >= 0)
        return tp_node_fail(map, why, "there is another experiment '%s'", e->name);
    TP_TRY(read_steps(made, e, map, why));
    TP_TRY(read_checks(made, e, tp_map_get(map, "checks"), why));
    if ((e->missing != NULL) == (e->step_count > 0 && e->check_count > 0))
        return tp_node_fail(map, why, "an experiment has steps and checks, or says why it is missing");
    tp_fingerprint(&made->arena, map, e, e->fingerprint);
    made->catalogue.count++;
    return TP_OK;
}

/* NAME.yaml of the catalogue, with the keys of a table. */
static tp_status read_file(made_catalogue *made, const char *name, const tp_key_table *table,
                           const tp_node **root_out, tp_message *why)
{
    char path[4096];
    tp_tree *tree = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", made->roots.catalogue, name);
    TP_TRY(tp_tree_read_file(&made->arena, &made->arena, path, &tree, why));
    *root_out = tree->root;
    return tp_keys_check(tree->root, table, why);
}

static tp_status read_document(made_catalogue *made, const char *name, tp_message *why)
{
    const tp_node *root;
    TP_TRY(read_file(made, name, &document_table, &root, why));
    const tp_node *list = tp_map_get(root, "experiments");
    int needed = made->catalogue.count + list->count;
    tp_experiment *larger = TP_ARENA_ARRAY(&made->arena, tp_experiment, needed + 1);
    if (!larger) return TP_OUT_OF_MEMORY;
    if (made->catalogue.count > 0)
        memcpy(larger, made->experiments, sizeof *larger * (size_t)made->catalogue.count);
    made->experiments = larger;
    made->catalogue.experiments = larger;
    for (const tp_node *map = list->first; map; map = map->next)
        TP_TRY(read_experiment(made, map, name, tp_map_get(root, "title")->text, why));
    return TP_OK;
}

static tp_status read_all(made_catalogue *made, tp_message *why)
{
    const tp_node *root;
    TP_TRY(read_file(made, "documents", &list_table, &root, why));
    for (const tp_node *item = tp_map_get(root, "documents")->first; item; item = item->next)
        TP_TRY(read_document(made, item->text, why));
    return TP_OK;
}

tp_status tp_catalogue_read(const tp_allocator *allocator, const char *folder, const char *examples_folder,
                            tp_catalogue **catalogue_out, tp_message *why_out)
{
    *catalogue_out = NULL;
    made_catalogue *made = TP_ARENA_OBJECT(made_catalogue, allocator);
    if (made == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the catalogue");
    made->roots = (tp_roots){examples_folder, folder};
    tp_status status = read_all(made, why_out);
    if (status != TP_OK) tp_catalogue_free(&made->catalogue);
    *catalogue_out = status == TP_OK ? &made->catalogue : NULL;
    return status;
}

void tp_catalogue_free(tp_catalogue *catalogue)
{
    if (catalogue) tp_arena_clear(&((made_catalogue *)catalogue)->arena);
}
