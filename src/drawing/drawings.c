/* Drawings of a model: figures whose coordinates are functions of (t, q), and the drawer that evaluates them.
 */
#include "drawer.h"

/* ---- adding -------------------------------------------------------------------------------------------- */

TP_DEFAULT(tp_drawing_def, tp_drawing_def_default, .name = "drawing", .kind = TP_PRIMITIVE_POINT)

static tp_status check_name(tp_model *model, const tp_drawing_def *def)
{
    if (def->name == NULL || def->name[0] == '\0')
        return tp_model_refuse(model, def->place, "a drawing has no name");
    if (tp_name_index_find(&model->drawing_names, def->name) == -1) return TP_OK;
    return tp_model_refuse(model, def->place, "there are two drawings named '%s'", def->name);
}

/* Kind, number of vertices, radius. */
static tp_status check_form(tp_model *model, const tp_drawing_def *def)
{
    static const struct {
        int least, most;
    } counts[] = {{1, 1}, {2, -1}, {1, 1}, {3, -1}}; /* POINT, LINE, CIRCLE, POLYGON; -1: any */
    int kind = (int)def->kind;
    if (kind < TP_PRIMITIVE_POINT || kind > TP_PRIMITIVE_POLYGON) {
        return tp_fail_at(model->message, TP_INVALID_ARGUMENT, def->place,
                          "drawing '%s': a drawing is a point, a line, a circle or a polygon", def->name);
    }
    const char *word = tp_primitive_kind_name(def->kind);
    int count = def->vertex_count, least = counts[kind].least, most = counts[kind].most;
    if (count < least || (most >= 0 && count > most) || def->vertices == NULL) {
        return tp_model_refuse(model, def->place, "drawing '%s': a %s has %s%d point%s, found %d", def->name,
                               word, most < 0 ? "at least " : "", least, least == 1 ? "" : "s", count);
    }
    bool is_circle = def->kind == TP_PRIMITIVE_CIRCLE;
    if (tp_function_is_given(&def->radius) != is_circle) {
        return tp_model_refuse(model, def->place, "drawing '%s': a %s %s a radius", def->name, word,
                               is_circle ? "needs" : "does not take");
    }
    return TP_OK;
}

static tp_status find_law(tp_model *model, const tp_drawing_def *def, int *law_out)
{
    *law_out = -1;
    if (def->law == NULL) return TP_OK;
    *law_out = tp_name_index_find(&model->law_names, def->law);
    if (*law_out >= 0) return TP_OK;
    return tp_model_refuse(model, def->law_place,
                           "drawing '%s': there is no constraint, rigid contact or law '%s'", def->name,
                           def->law);
}

/* What a run does not record at every row, or what only a step knows, would be drawn as 0. */
static tp_status compile_position(tp_model *model, const tp_function *function, const char *name,
                                  const char *what, tp_scalar *out)
{
    TP_TRY(tp_model_compile_position(model, function, name, what, out));
    if (!tp_scalar_depends_on_kind(out, TP_SLOT_IS_MULTIPLIER)) return TP_OK;
    return tp_model_refuse(
        model, function->place,
        "the %s of '%.200s' depends on the multiplier of a relation; drawings are formulas of time, "
        "coordinates and states",
        what, name);
}

static tp_status compile_vertices(tp_model *model, const tp_drawing_def *def, tp_drawing *drawing)
{
    static const char *const axes[3] = {"coordinate x", "coordinate y", "coordinate z"};
    drawing->vertex_count = def->vertex_count;
    drawing->coordinates = TP_ARENA_ARRAY(&model->arena, tp_scalar, 3 * (size_t)def->vertex_count);
    if (drawing->coordinates == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < 3 * def->vertex_count; k++) {
        const tp_function *coordinate = &def->vertices[k / 3].coordinate[k % 3];
        if (!tp_function_is_given(coordinate)) continue;
        TP_TRY(compile_position(model, coordinate, def->name, axes[k % 3], &drawing->coordinates[k]));
    }
    return TP_OK;
}

tp_status tp_model_add_drawing(tp_model *model, const tp_drawing_def *def, tp_drawing_id *id_out,
                               tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(check_name(model, def));
    TP_TRY(check_form(model, def));
    tp_drawing drawing = {
        .kind = def->kind, .is_filled = def->is_filled, .place = tp_model_copy_place(model, def->place)};
    TP_TRY(find_law(model, def, &drawing.law));
    TP_TRY(compile_vertices(model, def, &drawing));
    if (def->kind == TP_PRIMITIVE_CIRCLE)
        TP_TRY(compile_position(model, &def->radius, def->name, "radius", &drawing.radius));
    drawing.colour = def->has_colour ? def->colour : tp_palette_colour(model->drawings.count);
    drawing.name = tp_model_copy_text(model, def->name);
    tp_drawing *item = tp_list_add(&model->arena, &model->drawings, sizeof *item);
    if (item == NULL || drawing.name == NULL) return TP_OUT_OF_MEMORY;
    *item = drawing;
    int index = model->drawings.count - 1;
    TP_TRY(tp_name_index_add(&model->arena, &model->drawing_names, item->name, index));
    if (id_out != NULL) *id_out = (tp_drawing_id){model, index};
    return TP_OK;
}

TP_MODEL_TEXT(tp_model_drawing_name, drawings, tp_drawing, name)

/* ---- at the start -------------------------------------------------------------------------------------- */

tp_status tp_model_check_drawings(tp_model *model)
{
    if (model->drawings.count == 0) return TP_OK;
    tp_drawer *drawer;
    double *x0 = TP_ARENA_ARRAY(&model->arena, double, model->states.count + 1);
    if (x0 == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < model->states.count; i++)
        x0[i] = TP_LIST_AT(model->states, tp_state_variable, i)->initial;
    TP_TRY(tp_drawer_create(model->allocator, model, &drawer));
    tp_status status = TP_OK;
    int count;
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, model->q0, x0, &count);
    for (int i = 0; i < model->drawings.count && status == TP_OK;
         i++) { /* shapes were checked by themselves */
        tp_place place = TP_LIST_AT(model->drawings, tp_drawing, i)->place;
        if (list[i].size[0] < 0.0) {
            status = tp_model_refuse(model, place,
                                     "drawing '%s': the radius is %g m at the start; it must not be negative",
                                     list[i].name, list[i].size[0]);
        } else if (!tp_primitive_is_sound(&list[i])) {
            status = tp_model_refuse(
                model, place, "drawing '%s': a coordinate or the radius is not a finite number at the start",
                list[i].name);
        }
    }
    tp_drawer_free(drawer);
    return status;
}
