/* Results of experiments: measured, kept as result.json, read again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/common/text.h"
#include "io/scene/scalar.h"
#include "reproduce.h"

typedef struct made_result {
    tp_experiment_result result; /* first: what users have */
    tp_arena arena;
} made_result;

static made_result *new_result(const tp_allocator *allocator, const tp_experiment *experiment)
{
    made_result *made = TP_ARENA_OBJECT(made_result, allocator);
    if (!made) return NULL;
    tp_measured *measured = TP_ARENA_ARRAY(&made->arena, tp_measured, experiment->check_count + 1);
    made->result = (tp_experiment_result){.experiment = experiment, .measured = measured};
    if (!measured) tp_arena_clear(&made->arena);
    return measured ? made : NULL;
}

void tp_experiment_result_free(tp_experiment_result *result)
{
    if (result) tp_arena_clear(&((made_result *)result)->arena);
}

/* All verdicts from what was measured. */
static void judge(tp_experiment_result *result)
{
    const tp_experiment *e = result->experiment;
    result->verdict = e->missing ? TP_VERDICT_MISSING : TP_VERDICT_AGREES;
    result->is_explained = true;
    for (int k = 0; k < e->check_count; k++) {
        tp_measured *m = &result->measured[k];
        m->verdict = m->is_measured ? tp_check_judge(&e->checks[k], m->number, m->text, &m->allowed)
                                    : TP_VERDICT_DIFFERS;
        if (m->verdict > result->verdict) result->verdict = m->verdict;
        if (m->verdict == TP_VERDICT_DIFFERS && !e->checks[k].reason) result->is_explained = false;
    }
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

tp_status tp_experiment_measure(const tp_allocator *allocator, const tp_hdf5_source *source,
                                const tp_experiment *experiment, const char *folder, const int *exit_codes,
                                double seconds, tp_experiment_result **result_out, tp_message *why_out)
{
    tp_left left = {.allocator = allocator,
                    .source = source,
                    .experiment = experiment,
                    .folder = folder,
                    .exit_codes = exit_codes};
    *result_out = NULL;
    made_result *made = new_result(allocator, experiment);
    tp_arena_init(&left.arena, allocator);
    left.runs = TP_ARENA_ARRAY(&left.arena, tp_trajectory *, experiment->step_count + 1);
    left.texts = TP_ARENA_ARRAY(&left.arena, tp_tree *, experiment->step_count + 1);
    bool has_room = made && tp_arena_status(&left.arena) == TP_OK;
    for (int k = 0; k < experiment->check_count && has_room; k++) {
        tp_message why = {""};
        tp_measured *m = &made->result.measured[k];
        if (tp_measure_take(&left, &experiment->checks[k], m, &why) == TP_OK) continue;
        *m = (tp_measured){.number = NAN};
        snprintf(m->text, sizeof m->text, "%.150s", why.text);
    }
    for (int k = 0; k < experiment->step_count && has_room; k++) tp_trajectory_free(left.runs[k]);
    tp_arena_clear(&left.arena);
    if (!has_room) {
        if (made) tp_experiment_result_free(&made->result);
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the results of %s", experiment->name);
    }
    made->result.is_done = true;
    made->result.seconds = seconds;
    judge(&made->result);
    *result_out = &made->result;
    return TP_OK;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void add_quoted(tp_text *text, const char *bytes)
{
    tp_text_add(text, "\"");
    for (const char *c = bytes; *c; c++) {
        if (*c == '"' || *c == '\\') tp_text_add(text, "\\");
        if ((unsigned char)*c >= ' ') tp_text_add_bytes(text, c, 1);
    }
    tp_text_add(text, "\"");
}

tp_status tp_experiment_keep(const tp_experiment_result *result, const char *folder, tp_message *why_out)
{
    char path[4096];
    tp_text text = {.bytes = NULL};
    tp_text_add(&text, "{\"fingerprint\": \"%s\", \"seconds\": %.3f, \"measured\": [",
                result->experiment->fingerprint, result->seconds);
    for (int k = 0; k < result->experiment->check_count; k++) {
        const tp_measured *m = &result->measured[k];
        tp_text_add(&text, "%s\n{\"is_measured\": %s, \"number\": ", k > 0 ? "," : "",
                    m->is_measured ? "true" : "false");
        if (isfinite(m->number)) {
            tp_text_add(&text, "%.17g", m->number);
        } else {
            tp_text_add(&text, "null");
        }
        tp_text_add(&text, ", \"text\": ");
        add_quoted(&text, m->text);
        tp_text_add(&text, "}");
    }
    tp_text_add(&text, "]}\n");
    snprintf(path, sizeof path, "%s/result.json", folder);
    tp_status status = text.has_failed ? tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for %s", path)
                                       : tp_file_write(path, text.bytes, text.count, why_out);
    tp_text_clear(&text);
    return status;
}

static tp_status recall_one(const tp_node *item, tp_measured *m, tp_message *why)
{
    const tp_node *is_measured = tp_map_get(item, "is_measured"), *number = tp_map_get(item, "number"),
                  *text = tp_map_get(item, "text");
    if (!is_measured || !number || !text || text->kind != TP_NODE_SCALAR || number->kind != TP_NODE_SCALAR)
        return TP_INVALID_DATA;
    TP_TRY(tp_node_boolean(is_measured, &m->is_measured, why));
    m->number = NAN;
    if (tp_node_meaning(number) == TP_MEANS_NUMBER) TP_TRY(tp_node_number(number, NULL, &m->number, why));
    snprintf(m->text, sizeof m->text, "%s", text->text);
    return TP_OK;
}

/* TP_OK only for a whole result of this entry. */
static tp_status recall(tp_arena *arena, tp_experiment_result *result, const char *path, tp_message *why)
{
    tp_tree *tree = NULL;
    TP_TRY(tp_tree_read_file(arena, arena, path, &tree, why));
    const tp_node *fingerprint = tp_map_get(tree->root, "fingerprint"),
                  *seconds = tp_map_get(tree->root, "seconds"), *list = tp_map_get(tree->root, "measured");
    if (!fingerprint || !fingerprint->text || !seconds || !list) return TP_INVALID_DATA;
    if (strcmp(fingerprint->text, result->experiment->fingerprint) != 0) return TP_INVALID_DATA;
    if (list->kind != TP_NODE_LIST || list->count != result->experiment->check_count) return TP_INVALID_DATA;
    TP_TRY(tp_node_number(seconds, "s", &result->seconds, why));
    int k = 0;
    for (const tp_node *item = list->first; item; item = item->next)
        TP_TRY(recall_one(item, &result->measured[k++], why));
    return TP_OK;
}

tp_status tp_experiment_recall(const tp_allocator *allocator, const tp_experiment *experiment,
                               const char *folder, tp_experiment_result **result_out, tp_message *why_out)
{
    char path[4096];
    tp_message why = {""};
    *result_out = NULL;
    made_result *made = new_result(allocator, experiment);
    if (!made) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the results of %s", experiment->name);
    snprintf(path, sizeof path, "%s/result.json", folder);
    tp_arena arena = tp_arena_make(allocator);
    made->result.is_done = !experiment->missing && recall(&arena, &made->result, path, &why) == TP_OK;
    tp_arena_clear(&arena);
    judge(&made->result);
    *result_out = &made->result;
    return TP_OK;
}
