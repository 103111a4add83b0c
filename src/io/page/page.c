/* A page is collected: figures of each frame, forces and events as single-precision numbers. */
#include "page.h"

#include <math.h>
#include <string.h>

#include "assets.h"
#include "io/plot/sight.h"
#include "tippe/body.h"
#include "tippe/states.h"

/* ---- records ------------------------------------------------------------------------------------------- */

long long tp_records_count(const tp_records *records)
{
    return (long long)(records->bytes.count / sizeof(float)) / records->length;
}

float tp_records_at(const tp_records *records, long long record, int k)
{
    float value;
    memcpy(&value, records->bytes.bytes + sizeof value * (size_t)(record * records->length + k),
           sizeof value);
    return value;
}

static void add(tp_records *records, double value)
{
    float single = (float)value;
    tp_text_add_bytes(&records->bytes, &single, sizeof single);
}

static void add_point(tp_records *records, tp_vec3 point)
{
    add(records, point.x), add(records, point.y), add(records, point.z);
}

/* A time in two parts, whose sum has the digits of a double. */
static void add_time(tp_records *records, double time)
{
    add(records, time);
    add(records, time - (double)(float)time);
}

static tp_status status_of(const tp_records *records)
{
    return records->bytes.has_failed ? TP_OUT_OF_MEMORY : TP_OK;
}

/* ---- figures ------------------------------------------------------------------------------------------- */

bool tp_page_shows_vertices(const tp_primitive *figure)
{
    return figure->vertex_count > 0 && figure->kind != TP_PRIMITIVE_MESH;
}

int tp_page_figure_length(const tp_primitive *figure)
{
    if (tp_page_shows_vertices(figure)) return 3 * figure->vertex_count;
    return figure->kind == TP_PRIMITIVE_CIRCLE || figure->grows ? 8 : 7;
}

static void add_figure(tp_records *records, const tp_primitive *figure)
{
    tp_quat turn = figure->orientation;
    for (int k = 0; k < figure->vertex_count && tp_page_shows_vertices(figure); k++) {
        tp_vec3 arm = tp_vec3_scale(figure->scale, figure->vertices[k]);
        add_point(records, tp_vec3_add(figure->position, tp_quat_rotate(turn, arm)));
    }
    if (tp_page_shows_vertices(figure)) return;
    add_point(records, figure->position);
    add_point(records, tp_quat_vector(turn));
    add(records, turn.w);
    if (figure->kind == TP_PRIMITIVE_CIRCLE)
        add(records, figure->scale * figure->size[0]);
    else if (figure->grows)
        add(records, figure->scale);
}

static tp_status check_memory(const tp_arena *arena, tp_message *why)
{
    return arena->has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the page") : TP_OK;
}

/* Against gravity; else z, or what is upwards in the picture if one looks along z. */
static tp_vec3 up_of(const tp_model *model, const tp_sight *sight)
{
    tp_vec3 gravity = tp_model_gravity(model);
    if (tp_vec3_norm(gravity) > 0.0) return tp_vec3_negate(tp_vec3_normalise(gravity));
    return fabs(sight->toward.z) < 0.99 ? tp_vec3_make(0.0, 0.0, 1.0) : sight->up;
}

static tp_status look(tp_page *page, const tp_page_def *def, tp_message *why)
{
    tp_picture_options options = tp_picture_options_default();
    tp_moments moments = {.model = page->model, .trajectory = def->trajectory, .may_be_empty = true};
    if (def->trajectory == NULL) {
        int q_count = tp_model_summarise(page->model).coordinate_count,
            x_count = tp_model_state_count(page->model);
        moments.q = tp_arena_copy(&page->arena, def->q, (size_t)q_count, sizeof *def->q);
        moments.x = TP_ARENA_ARRAY(&page->arena, double, x_count);
        TP_TRY(check_memory(&page->arena, why));
        for (int i = 0; i < x_count && def->x; i++) moments.x[i] = def->x[i];
    }
    tp_sight sight = {.right = {1.0, 0.0, 0.0}, .up = {0.0, 1.0, 0.0}, .toward = {0.0, 0.0, 1.0}};
    tp_status status = tp_moments_choose(&moments, &page->arena, &options, why);
    if (status == TP_OK && tp_drawer_count(moments.drawer) > 0)
        status = tp_sight_choose(&moments, &page->arena, &options, &sight, why);
    tp_drawer_free(page->drawer);
    page->drawer = moments.drawer;
    page->right = sight.right, page->toward = sight.toward;
    page->up = up_of(page->model, &sight);
    return status;
}

static tp_status lay_out(tp_page *page, tp_message *why)
{
    const double *q =
        TP_ARENA_ARRAY(&page->arena, double, tp_model_summarise(page->model).coordinate_count + 1);
    page->first = TP_ARENA_ARRAY(&page->arena, int, tp_drawer_count(page->drawer) + 1);
    TP_TRY(check_memory(&page->arena, why));
    const tp_primitive *figures = tp_drawer_draw(page->drawer, 0.0, q, NULL, &page->figure_count);
    page->frames.length = 2;
    for (int i = 0; i < page->figure_count; i++) {
        page->first[i] = page->frames.length - 2;
        page->frames.length += tp_page_figure_length(&figures[i]);
    }
    page->frames.length += page->column_count;
    page->forces.length = TP_PAGE_FORCE, page->events.length = TP_PAGE_EVENT;
    return TP_OK;
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static tp_status copy_def(tp_page *page, const tp_page_def *def, tp_message *why)
{
    page->title = tp_arena_text(&page->arena, def->title ? def->title : "Tippe");
    page->columns = TP_ARENA_ARRAY(&page->arena, tp_table_column, def->column_count + 1);
    page->column_count = def->column_count;
    page->curves = tp_arena_copy(&page->arena, def->curves, (size_t)def->curve_count, sizeof *def->curves);
    page->curve_count = def->curve_count;
    for (int i = 0; i < def->column_count && page->columns; i++) {
        page->columns[i] = (tp_table_column){tp_arena_text(&page->arena, def->columns[i].name),
                                             tp_arena_text(&page->arena, def->columns[i].unit),
                                             tp_arena_text(&page->arena, def->columns[i].text)};
    }
    return check_memory(&page->arena, why);
}

static tp_status check_assets(tp_message *why)
{
    for (const tp_asset *asset = tp_assets; asset->name; asset++) {
        if (asset->count > 0) continue;
        return tp_fail(why, TP_UNSUPPORTED,
                       "this program was built without three.js, which the page needs: install libjs-three "
                       "(Debian), or name the file with -DTIPPE_THREE_JS=, and build again");
    }
    return TP_OK;
}

tp_status tp_page_create(const tp_allocator *allocator, const tp_page_def *def, tp_page **page_out,
                         tp_message *why_out)
{
    *page_out = NULL;
    TP_TRY(check_assets(why_out));
    tp_page *page = TP_ARENA_OBJECT(tp_page, allocator);
    if (!page) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the page");
    page->model = def->model;
    page->last_time = -INFINITY;
    tp_status status = copy_def(page, def, why_out);
    if (status == TP_OK) status = look(page, def, why_out);
    if (status == TP_OK) status = lay_out(page, why_out);
    if (status != TP_OK) tp_page_free(page);
    *page_out = status == TP_OK ? page : NULL;
    return status;
}

void tp_page_free(tp_page *page)
{
    if (!page) return;
    tp_text *const texts[] = {&page->frames.bytes, &page->forces.bytes, &page->events.bytes,
                              &page->report,       &page->text,         &page->news};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) tp_text_clear(texts[k]);
    tp_drawer_free(page->drawer);
    tp_arena_clear(&page->arena);
}

long long tp_page_frame_count(const tp_page *page)
{
    return tp_records_count(&page->frames);
}

tp_status tp_page_add_frame(tp_page *page, double time, const double *q, const double *x,
                            const double *values)
{
    int count;
    if (!(time >= page->last_time)) return TP_INVALID_ARGUMENT;
    page->last_time = time;
    const tp_primitive *figures = tp_drawer_draw(page->drawer, time, q, x, &count);
    add_time(&page->frames, time);
    for (int i = 0; i < count; i++) add_figure(&page->frames, &figures[i]);
    for (int i = 0; i < page->column_count; i++) add(&page->frames, values[i]);
    return status_of(&page->frames);
}

tp_status tp_page_add_force(tp_page *page, tp_vec3 point, tp_vec3 force)
{
    add(&page->forces, (double)(tp_page_frame_count(page) - 1));
    add_point(&page->forces, point);
    add_point(&page->forces, force);
    return status_of(&page->forces);
}

/* With one tangent the contact is planar. */
tp_status tp_page_add_contact(tp_page *page, const tp_contact_info *contact, double seconds)
{
    tp_vec3 point = tp_vec3_from_array(contact->point), normal = tp_vec3_from_array(contact->normal);
    const double *impulse = contact->impulse;
    if (!(seconds > 0.0 && impulse[0] > 0.0) || isnan(point.x)) return TP_OK;
    tp_vec3 total = tp_vec3_scale(impulse[0], normal);
    if (contact->row_count == 2) {
        tp_vec2 tangent = tp_frame_planar_tangent((tp_vec2){normal.x, normal.y});
        total = tp_vec3_add_scaled(total, impulse[1], tp_vec3_make(tangent.x, tangent.y, 0.0));
    } else if (contact->row_count > 2) {
        tp_mat3 axes = tp_frame_from_normal(normal);
        total = tp_vec3_add_scaled(total, impulse[1], axes.cy);
        total = tp_vec3_add_scaled(total, impulse[2], axes.cz);
    }
    return tp_page_add_force(page, point, tp_vec3_scale(1.0 / seconds, total));
}

tp_status tp_page_add_event(tp_page *page, const tp_event *event)
{
    tp_records *events = &page->events;
    bool is_between_shapes = event->shape_a >= 0;
    add_time(events, event->time);
    add(events, event->kind);
    add(events, is_between_shapes ? -1 : event->law);
    add(events, event->shape_a), add(events, event->shape_b);
    add_point(events, tp_vec3_from_array(event->point));
    add(events, event->impulse[0]);
    return status_of(events);
}
