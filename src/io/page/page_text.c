/* A page as text: viewer/page.html with its parts put in; numbers are packed, see viewer/data.js. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "assets.h"
#include "io/common/base64.h"
#include "io/common/c_locale.h"
#include "io/common/gzip.h"
#include "page.h"
#include "tippe/multibody.h"

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* A text in quotes, for JSON that stands in HTML. */
static void add_quoted(tp_text *text, const char *words)
{
    tp_text_add(text, "\"");
    for (const unsigned char *c = (const unsigned char *)words; *c; c++) {
        if (*c < 0x20 || *c == '"' || *c == '\\' || *c == '<' || *c == '>' || *c == '&') {
            tp_text_add(text, "\\u%04x", *c); /* no end of a script */
        } else {
            tp_text_add_bytes(text, c, 1);
        }
    }
    tp_text_add(text, "\"");
}

/* null: not finite */
static void add_number(tp_text *text, double value)
{
    if (isfinite(value)) {
        tp_text_add(text, "%.9g", value);
    } else {
        tp_text_add(text, "null");
    }
}

static void add_vector(tp_text *text, const char *name, tp_vec3 v)
{
    tp_text_add(text, "\"%s\":[%.9g,%.9g,%.9g]", name, v.x, v.y, v.z);
}

static void add_mesh(tp_text *text, const tp_primitive *figure)
{
    tp_text_add(text, ",\"vertices\":[");
    for (int k = 0; k < figure->vertex_count; k++) {
        tp_vec3 v = figure->vertices[k];
        tp_text_add(text, "%s%.7g,%.7g,%.7g", k > 0 ? "," : "", v.x, v.y, v.z);
    }
    tp_text_add(text, "],\"triangles\":[");
    for (int k = 0; k < 3 * figure->triangle_count; k++) {
        tp_text_add(text, "%s%d", k > 0 ? "," : "", figure->triangles[k]);
    }
    tp_text_add(text, "]");
}

static void add_figure(tp_text *text, const tp_page *page, const tp_primitive *figure, int i)
{
    static const char *const names[] = {"red", "green", "blue"};
    const double colour[] = {figure->colour.red, figure->colour.green, figure->colour.blue};
    tp_text_add(text, "%s\n{\"kind\":\"%s\",\"role\":\"%s\",\"name\":", i > 0 ? "," : "",
                tp_primitive_kind_name(figure->kind), tp_primitive_role_name(figure->role));
    add_quoted(text, figure->name);
    for (int k = 0; k < 3; k++) tp_text_add(text, ",\"%s\":%.4g", names[k], colour[k]);
    tp_text_add(text,
                ",\"filled\":%s,\"grows\":%s,\"law\":%d,\"first\":%d,\"points\":%d,\"size\":[%.9g,%.9g,%.9g]",
                figure->is_filled ? "true" : "false", figure->grows ? "true" : "false", figure->law,
                page->first[i], tp_page_shows_vertices(figure) ? figure->vertex_count : 0, figure->size[0],
                figure->size[1], figure->size[2]);
    if (figure->kind == TP_PRIMITIVE_MESH) add_mesh(text, figure);
    tp_text_add(text, "}");
}

static void add_columns(tp_text *text, const tp_page *page)
{
    tp_text_add(text, "],\n\"columns\":[");
    for (int i = 0; i < page->column_count; i++) {
        tp_text_add(text, "%s\n{\"name\":", i > 0 ? "," : "");
        add_quoted(text, page->columns[i].name);
        tp_text_add(text, ",\"unit\":");
        add_quoted(text, page->columns[i].unit);
        tp_text_add(text, ",\"text\":");
        add_quoted(text, page->columns[i].text);
        tp_text_add(text, "}");
    }
}

static void add_curves(tp_text *text, const tp_page *page)
{
    tp_text_add(text, "],\n\"curves\":[");
    for (int i = 0; i < page->curve_count; i++) {
        const tp_page_curve *curve = &page->curves[i];
        tp_text_add(text, "%s[%d,%d,%d]", i > 0 ? "," : "", curve->panel, curve->x, curve->y);
    }
}

/* Words that events and figures count in. */
static void add_names(tp_text *text, const tp_page *page)
{
    tp_text_add(text, "],\n\"kinds\":[");
    for (int i = 0; tp_event_kind_name(i); i++)
        tp_text_add(text, "%s\"%s\"", i ? "," : "", tp_event_kind_name(i));
    tp_text_add(text, "],\n\"laws\":[");
    for (int i = 0; i < tp_model_summarise(page->model).law_count; i++) {
        if (i > 0) tp_text_add(text, ",");
        add_quoted(text, tp_model_law_name(page->model, i));
    }
    tp_text_add(text, "],\n\"shapes\":[");
    for (int i = 0; i < tp_model_shape_count(page->model); i++) {
        if (i > 0) tp_text_add(text, ",");
        add_quoted(text, tp_model_shape_at(page->model, i).name);
    }
    tp_text_add(text, "]");
}

/* ---- packed numbers ------------------------------------------------------------------------------------ */

/* Number k of all records, then k + 1 of all: neighbours are alike and pack well; of each the four bytes
   apart, for the same reason. */
static void spread(const tp_records *records, unsigned char *planes, size_t plane, size_t *at)
{
    long long count = tp_records_count(records);
    for (int k = 0; k < records->length; k++) {
        for (long long r = 0; r < count; r++, (*at)++) {
            float value = tp_records_at(records, r, k);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (size_t b = 0; b < 4; b++) planes[b * plane + *at] = (unsigned char)(bits >> (8 * b));
        }
    }
}

static tp_status add_packed(tp_text *text, const tp_page *page, tp_message *why)
{
    const tp_records *const lists[] = {&page->frames, &page->forces, &page->events};
    size_t plane = 0, at = 0, packed_count = 0;
    for (int k = 0; k < 3; k++) plane += lists[k]->bytes.count / sizeof(float);
    tp_arena arena = tp_arena_make(page->arena.allocator);
    unsigned char *planes = TP_ARENA_ARRAY(&arena, unsigned char, 4 * plane + 1), *packed = NULL;
    for (int k = 0; k < 3 && planes; k++) spread(lists[k], planes, plane, &at);
    tp_status status = planes ? tp_gzip_pack(&arena, planes, 4 * plane, &packed, &packed_count, why)
                              : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the page");
    tp_base64 stream = {.text = text};
    if (status == TP_OK) tp_base64_add(&stream, packed, packed_count), tp_base64_end(&stream);
    tp_arena_clear(&arena);
    return status;
}

static tp_status add_data(tp_text *text, tp_page *page, bool is_live, tp_message *why)
{
    int count;
    double *q = TP_ARENA_ARRAY(&page->arena, double, tp_model_summarise(page->model).coordinate_count + 1);
    if (!q) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the page");
    const tp_primitive *figures = tp_drawer_draw(page->drawer, 0.0, q, NULL, &count);
    tp_text_add(text, "{\"title\":");
    add_quoted(text, page->title);
    tp_text_add(text, ",\"live\":%s,\"frames\":%lld,\"forces\":%lld,\"events\":%lld,\n",
                is_live ? "true" : "false", is_live ? 0 : tp_records_count(&page->frames),
                is_live ? 0 : tp_records_count(&page->forces), is_live ? 0 : tp_records_count(&page->events));
    tp_text_add(text, "\"frameLength\":%d,\"forceLength\":%d,\"eventLength\":%d,\n", page->frames.length,
                page->forces.length, page->events.length);
    add_vector(text, "right", page->right), tp_text_add(text, ",");
    add_vector(text, "up", page->up), tp_text_add(text, ",");
    add_vector(text, "toward", page->toward);
    tp_text_add(text, ",\n\"figures\":[");
    for (int i = 0; i < count; i++) add_figure(text, page, &figures[i], i);
    add_columns(text, page);
    add_curves(text, page);
    add_names(text, page);
    tp_text_add(text, ",\n\"report\":");
    tp_text_add_bytes(text, page->report.bytes, page->report.count);
    if (page->report.count == 0) tp_text_add(text, "{}");
    tp_text_add(text, ",\n\"packed\":\"");
    if (!is_live) TP_TRY(add_packed(text, page, why));
    tp_text_add(text, "\"}");
    return TP_OK;
}

tp_status tp_page_set_report(tp_page *page, const tp_table_attribute *report, int count)
{
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, NULL));
    tp_text *text = &page->report;
    text->count = 0;
    tp_text_add(text, "{");
    for (int i = 0; i < count; i++) {
        if (i > 0) tp_text_add(text, ",");
        add_quoted(text, report[i].name);
        tp_text_add(text, ":");
        if (report[i].text) {
            add_quoted(text, report[i].text);
        } else {
            add_number(text, report[i].number);
        }
    }
    tp_text_add(text, "}");
    tp_c_locale_leave(&locale);
    return text->has_failed ? TP_OUT_OF_MEMORY : TP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static const tp_asset *find_asset(const char *name, size_t length)
{
    for (const tp_asset *asset = tp_assets; asset->name; asset++) {
        if (strlen(asset->name) == length && strncmp(asset->name, name, length) == 0) return asset;
    }
    return NULL;
}

/* viewer/page.html, where @name@ alone stands for a part. */
static tp_status fill_template(tp_page *page, bool is_live, tp_message *why)
{
    const tp_asset *frame = find_asset("page", 4);
    const char *at = (const char *)frame->bytes, *end = at + frame->count;
    while (at < end) {
        const char *mark = memchr(at, '@', (size_t)(end - at));
        const char *close = mark ? memchr(mark + 1, '@', (size_t)(end - mark - 1)) : NULL;
        tp_text_add_bytes(&page->text, at, (size_t)((close ? mark : end) - at));
        if (!close) break;
        size_t length = (size_t)(close - mark - 1);
        const tp_asset *part = find_asset(mark + 1, length);
        if (part) tp_text_add_bytes(&page->text, part->bytes, part->count);
        if (!part && length == 4 && strncmp(mark + 1, "data", 4) == 0)
            TP_TRY(add_data(&page->text, page, is_live, why));
        at = close + 1;
    }
    return page->text.has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the page") : TP_OK;
}

tp_status tp_page_text(tp_page *page, bool is_live, const char **text_out, size_t *count_out,
                       tp_message *why_out)
{
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, why_out));
    page->text.count = 0;
    tp_status status = fill_template(page, is_live, why_out);
    tp_c_locale_leave(&locale);
    *text_out = page->text.bytes, *count_out = page->text.count;
    return status;
}

tp_status tp_page_write(tp_page *page, const char *path, tp_message *why_out)
{
    const char *text;
    size_t count;
    TP_TRY(tp_page_text(page, false, &text, &count, why_out));
    return tp_file_write(path, text, count, why_out);
}

/* Records of a list from a number on; returns how many. */
static long long add_records(tp_text *text, const tp_records *records, long long from)
{
    long long count = tp_records_count(records);
    if (from < 0 || from > count) from = count;
    size_t begin = sizeof(float) * (size_t)(from * records->length);
    tp_text_add_bytes(text, records->bytes.bytes + begin, records->bytes.count - begin);
    return count - from;
}

tp_status tp_page_news(tp_page *page, tp_page_place from, bool is_finished, const void **bytes_out,
                       size_t *count_out)
{
    tp_text *news = &page->news;
    float head[4] = {0.0f, 0.0f, 0.0f, is_finished ? 1.0f : 0.0f};
    news->count = 0;
    tp_text_add_bytes(news, head, sizeof head);
    head[0] = (float)add_records(news, &page->frames, from.frame);
    head[1] = (float)add_records(news, &page->forces, from.force);
    head[2] = (float)add_records(news, &page->events, from.event);
    tp_text_add_bytes(news, page->report.bytes, page->report.count);
    if (news->has_failed) return TP_OUT_OF_MEMORY;
    memcpy(news->bytes, head, sizeof head);
    *bytes_out = news->bytes, *count_out = news->count;
    return TP_OK;
}
