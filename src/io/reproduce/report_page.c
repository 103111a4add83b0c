/* The page of a reproduction, Markdown: what documents report, what was measured, verdicts, figures. */
#include <math.h>
#include <string.h>

#include "io/common/text.h"
#include "reproduce.h"

typedef struct page_of {
    tp_text text;
    const tp_experiment_result *const *results;
    const bool *has_figure;
    int count;
    const char *figures;
} page_of;

static void add(page_of *page, const char *text)
{
    tp_text_add_bytes(&page->text, text, strlen(text));
}

/* In a cell of a table. */
static void add_cell(page_of *page, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '|') add(page, "\\");
        tp_text_add_bytes(&page->text, *c == '\n' ? " " : c, 1);
    }
}

/* One sentence a line, as it came from the catalogue. */
static void add_paragraph(page_of *page, const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') length--;
    tp_text_add_bytes(&page->text, text, length);
    add(page, "\n\n");
}

/* To a heading of this page: its name is the heading in small letters, without punctuation, with hyphens for
   spaces. */
static void add_link(page_of *page, const char *heading)
{
    tp_text_add(&page->text, "[%s](#", heading);
    for (const char *c = heading; *c; c++) {
        char small = *c == ' ' ? '-' : *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        bool is_kept = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') || small == '-';
        if (is_kept) tp_text_add_bytes(&page->text, &small, 1);
    }
    add(page, ")");
}

/* ---- the overview -------------------------------------------------------------------------------------- */

static bool is_first_of_document(const page_of *page, int k)
{
    return k == 0 ||
           strcmp(page->results[k]->experiment->document, page->results[k - 1]->experiment->document) != 0;
}

static const char *verdict_of(const tp_experiment_result *result)
{
    bool is_open = !result->is_done && !result->experiment->missing;
    return is_open ? "not finished" : tp_verdict_name(result->verdict);
}

/* How many of a document have this verdict, from its first one on; -1: all. */
static int count_of(const page_of *page, int first, int verdict)
{
    int count = 0;
    for (int k = first; k < page->count && (k == first || !is_first_of_document(page, k)); k++)
        count += verdict < 0 || (int)page->results[k]->verdict == verdict;
    return count;
}

static void add_overview(page_of *page)
{
    add(page, "| document | experiments | agree | agree after an erratum | differ, with reason | missing |\n"
              "|---|---|---|---|---|---|\n");
    for (int k = 0; k < page->count; k++) {
        if (!is_first_of_document(page, k)) continue;
        const tp_experiment *e = page->results[k]->experiment;
        add(page, "| ");
        add_link(page, e->document_title);
        add(page, " ");
        tp_text_add(&page->text, "| %d | %d | %d | %d | %d |\n", count_of(page, k, -1),
                    count_of(page, k, TP_VERDICT_AGREES), count_of(page, k, TP_VERDICT_AFTER_ERRATUM),
                    count_of(page, k, TP_VERDICT_DIFFERS), count_of(page, k, TP_VERDICT_MISSING));
    }
    add(page, "\n");
}

static void add_document(page_of *page, int first)
{
    const tp_experiment *e = page->results[first]->experiment;
    tp_text_add(&page->text, "## %s\n\n", e->document_title);
    add(page, "| experiment | in the document | verdict |\n|---|---|---|\n");
    for (int k = first; k < page->count && (k == first || !is_first_of_document(page, k)); k++) {
        e = page->results[k]->experiment;
        add(page, "| ");
        add_link(page, e->title);
        add(page, " | ");
        add_cell(page, e->where);
        tp_text_add(&page->text, " | %s |\n", verdict_of(page->results[k]));
    }
    add(page, "\n");
}

/* ---- one experiment ------------------------------------------------------------------------------------ */

static void add_unit(page_of *page, const tp_check *check)
{
    if (check->unit) tp_text_add(&page->text, " %s", check->unit);
}

static void add_reported(page_of *page, const tp_check *check, const tp_measured *m)
{
    if (check->reported) {
        add_cell(page, check->reported);
        if (!isnan(m->allowed)) tp_text_add(&page->text, " ± %.2g", m->allowed);
    }
    if (!isnan(check->above)) tp_text_add(&page->text, "at least %.6g", check->above);
    if (!isnan(check->above) && !isnan(check->below)) add(page, ", ");
    if (!isnan(check->below)) tp_text_add(&page->text, "at most %.6g", check->below);
    add_unit(page, check);
    if (check->corrected) {
        add(page, "; corrected ");
        add_cell(page, check->corrected);
        add_unit(page, check);
    }
}

static void add_check(page_of *page, const tp_check *check, const tp_measured *m)
{
    add(page, "| ");
    add_cell(page, check->what);
    add(page, " | ");
    add_reported(page, check, m);
    tp_text_add(&page->text, " | ");
    if (!m->is_measured) add(page, "not measured: ");
    if (isnan(m->number)) {
        add_cell(page, m->text);
    } else {
        tp_text_add(&page->text, "%.7g", m->number);
        add_unit(page, check);
    }
    add(page, " | ");
    add_cell(page, check->source ? check->source : "text");
    tp_text_add(&page->text, " | %s |\n", tp_verdict_name(m->verdict));
}

static void add_note(page_of *page, const char *head, const tp_check *check, const char *note)
{
    add(page, "* ");
    add(page, head);
    if (check) add(page, ", ");
    if (check) add_cell(page, check->what);
    add(page, ": ");
    add_cell(page, note);
    add(page, "\n");
}

/* Where tolerances come from, each once, and why something differs. */
static void add_notes(page_of *page, const tp_experiment_result *result)
{
    const tp_check *checks = result->experiment->checks;
    size_t before = page->text.count;
    for (int k = 0; k < result->experiment->check_count; k++) {
        bool is_new = checks[k].because != NULL;
        for (int i = 0; i < k && is_new; i++)
            is_new = !checks[i].because || strcmp(checks[i].because, checks[k].because) != 0;
        if (is_new) add_note(page, "tolerance", NULL, checks[k].because);
    }
    for (int k = 0; k < result->experiment->check_count; k++) {
        tp_verdict verdict = result->measured[k].verdict;
        if (verdict == TP_VERDICT_AFTER_ERRATUM) add_note(page, "erratum", &checks[k], checks[k].erratum);
        if (verdict == TP_VERDICT_DIFFERS)
            add_note(page, "differs", &checks[k], checks[k].reason ? checks[k].reason : "not explained");
    }
    if (page->text.count > before) add(page, "\n");
}

static void add_commands(page_of *page, const tp_experiment *e)
{
    for (int k = 0; k < e->step_count; k++) {
        add(page, "    tippe ");
        add_cell(page, e->steps[k].text);
        if (strncmp(e->steps[k].text, "run ", 4) == 0)
            tp_text_add(&page->text, " -o %s.h5", e->steps[k].name);
        add(page, "\n");
    }
    add(page, "\n");
}

static void add_experiment(page_of *page, int k)
{
    const tp_experiment_result *result = page->results[k];
    const tp_experiment *e = result->experiment;
    tp_text_add(&page->text, "### %s\n\n", e->title);
    tp_text_add(&page->text, "`%s`, %s: **%s**.\n\n", e->name, e->where, verdict_of(result));
    if (e->about) add_paragraph(page, e->about);
    if (e->missing) {
        add(page, "Missing: ");
        add_paragraph(page, e->missing);
        return;
    }
    add_commands(page, e);
    if (!result->is_done) return;
    add(page, "| what | document | Tippe | reported by | verdict |\n|---|---|---|---|---|\n");
    for (int i = 0; i < e->check_count; i++) add_check(page, &e->checks[i], &result->measured[i]);
    add(page, "\n");
    add_notes(page, result);
    if (page->has_figure[k])
        tp_text_add(&page->text, "![%s](%s/%s.svg)\n\n", e->name, page->figures, e->name);
}

tp_status tp_reproduction_page(const tp_experiment_result *const *results, const bool *has_figure, int count,
                               const char *figures, const char *path, tp_message *why_out)
{
    page_of page = {.results = results, .has_figure = has_figure, .count = count, .figures = figures};
    add(&page,
        "# Experiments of the literature, reproduced\n\n"
        "Written by `tippe reproduce`; verdicts are computed from what the document reports and what was "
        "measured.\n"
        "A value agrees if it lies within half a unit of the last printed digit, or within a tolerance whose "
        "origin is given.\n"
        "`reproduce/` in commands is the folder of the catalogue, `data/reproduce` of the source.\n"
        "\"Reported by\" says who states a value: the document's text or a table, or a closed form or "
        "reference solution of the document's equations where its figure is all that it shows.\n\n");
    add_overview(&page);
    for (int k = 0; k < count; k++) {
        if (is_first_of_document(&page, k)) add_document(&page, k);
        add_experiment(&page, k);
    }
    tp_status status = page.text.has_failed
                           ? tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the page")
                           : tp_file_write(path, page.text.bytes, page.text.count - 1, why_out);
    tp_text_clear(&page.text);
    return status;
}
