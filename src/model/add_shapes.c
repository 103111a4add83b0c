/* Shapes of bodies, and pairs of them that may touch: each contact point that a pair can have is a law. */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Laws exist for every triangle of a surface. */
static const int most_parts = 4096;

tp_shape_def tp_shape_def_default(void)
{
    return (tp_shape_def){.name = "shape", .body = "ground", .pose = tp_pose_identity()};
}

tp_pair_def tp_pair_def_default(void)
{
    return (tp_pair_def){.name = "contact", .friction_kind = TP_FRICTION_BALL};
}

static int find_shape(const tp_model *model, const char *name)
{
    return tp_name_index_find(&model->shape_names, name);
}

/* The data of a hull or surface moves into the memory of the model. */
static tp_status copy_solid(tp_model *model, tp_solid *solid)
{
    bool is_hull = solid->kind == TP_SOLID_HULL;
    if (!is_hull && solid->surface == NULL) return TP_OK;
    size_t bytes = is_hull ? tp_hull_bytes(solid->hull) : tp_surface_bytes(solid->surface);
    void *memory = tp_arena_take(&model->arena, bytes, 1);
    if (memory == NULL) return TP_OUT_OF_MEMORY;
    if (is_hull)
        solid->hull = tp_hull_copy(solid->hull, memory);
    else
        solid->surface = tp_surface_copy(solid->surface, memory);
    return TP_OK;
}

tp_status tp_model_add_shape(tp_model *model, const tp_shape_def *def, tp_shape_id *id_out,
                             tp_message *why_out)
{
    tp_message why;
    int body;
    TP_TRY(tp_model_open(model, def, why_out));
    if (def->name == NULL || def->name[0] == '\0')
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place, "a shape has no name");
    if (find_shape(model, def->name) >= 0)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place, "there are two shapes named '%s'",
                          def->name);
    TP_TRY(tp_model_body_by_name(model, def->body, def->place, &body));
    if (body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind == TP_BODY_SCALABLE)
        return tp_fail_at(
            model->message, TP_INVALID_DATA, def->place,
            "shape '%s': shapes do not change their size, and body '%s' does; write its contacts "
            "as gaps over its coordinates",
            def->name, def->body);
    if (tp_solid_check(&def->solid, &why) != TP_OK || tp_pose_check(&def->pose, &why) != TP_OK)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place, "shape '%s': %.800s", def->name,
                          why.text);
    tp_model_shape *shape = tp_list_add(&model->arena, &model->shapes, sizeof *shape);
    if (shape == NULL) return TP_OUT_OF_MEMORY;
    *shape =
        (tp_model_shape){tp_model_copy_text(model, def->name), body, def->solid, def->pose, def->is_passive};
    TP_TRY(copy_solid(model, &shape->solid));
    shape->pose.origin = tp_vec3_sub(def->pose.origin, tp_model_center_of(model, body));
    TP_TRY(tp_name_index_add(&model->arena, &model->shape_names, shape->name, model->shapes.count - 1));
    if (id_out != NULL) *id_out = (tp_shape_id){model, model->shapes.count - 1};
    return TP_OK;
}

static tp_status check_numbers(tp_model *model, const tp_pair_def *def)
{
    TP_TRY(tp_model_check_restitution(model, def->name, "restitution", def->restitution, def->place));
    TP_TRY(tp_model_check_restitution(model, def->name, "tangential restitution", def->tangential_restitution,
                                      def->place));
    double all[] = {def->friction[0], def->friction[1], def->drilling_radius, def->rolling};
    for (int k = 0; k < 4; k++) {
        if (!(all[k] >= 0.0) || isinf(all[k]))
            return tp_fail_at(model->message, TP_INVALID_DATA, def->place,
                              "contact '%s': friction, drilling radius and rolling must be numbers >= 0",
                              def->name);
    }
    if (def->rolling > 0.0 && def->drilling_radius > 0.0)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place,
                          "contact '%s': drilling and rolling resistance cannot be combined", def->name);
    return TP_OK;
}

/* The set of one contact point and its rows: (N), (N, T), (N, T1, T2), with (tau) or (R1, R2). */
static tp_status pair_set(tp_model *model, const tp_pair_def *def, bool is_planar, tp_set *set_out)
{
    double mu = def->friction[0], parameter[3] = {mu, mu, mu};
    int tangents = is_planar ? 1 : (def->drilling_radius > 0.0 ? 3 : 2);
    tp_message why;
    if (mu == 0.0 && def->friction[1] == 0.0) {
        *set_out = tp_set_orthant(1);
        return TP_OK;
    }
    if (is_planar && (def->drilling_radius > 0.0 || def->rolling > 0.0))
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place,
                          "contact '%s' lies in a plane: no drilling or rolling resistance there", def->name);
    bool has_two = def->friction_kind == TP_FRICTION_ELLIPSOID || def->friction_kind == TP_FRICTION_BRICK;
    if (has_two) {
        parameter[1] = def->friction[1];
        parameter[2] = fmax(mu, def->friction[1]);
    }
    *set_out = def->rolling > 0.0 ? tp_set_rolling(mu, def->rolling)
                                  : tp_set_contact(def->friction_kind, tangents + 1, parameter);
    if (tp_set_check(set_out, &why) != TP_OK)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place, "contact '%s': %.800s", def->name,
                          why.text);
    return TP_OK;
}

static tp_status find_shapes(tp_model *model, const tp_pair_def *def, tp_pair *pair)
{
    const char *names[] = {def->shape_a, def->shape_b};
    int *found[] = {&pair->shape_a, &pair->shape_b};
    tp_message why;
    for (int k = 0; k < 2; k++) {
        *found[k] = names[k] != NULL ? find_shape(model, names[k]) : -1;
        if (*found[k] < 0)
            return tp_fail_at(model->message, TP_INVALID_DATA, def->place,
                              "contact '%s': there is no shape '%s'", def->name,
                              names[k] != NULL ? names[k] : "");
    }
    const tp_model_shape *a = TP_LIST_AT(model->shapes, tp_model_shape, pair->shape_a),
                         *b = TP_LIST_AT(model->shapes, tp_model_shape, pair->shape_b);
    if (a->is_passive || b->is_passive)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place,
                          "contact '%s': shape '%s' has no contacts", def->name,
                          a->is_passive ? a->name : b->name);
    if (a->body == b->body)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place,
                          "contact '%s': both shapes belong to '%s'", def->name,
                          tp_model_body_name(model, a->body));
    if (tp_collide_check(a->solid.kind, b->solid.kind, &why) != TP_OK)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place, "contact '%s': %.800s", def->name,
                          why.text);
    int parts = tp_solid_part_count(&a->solid) * tp_solid_part_count(&b->solid);
    pair->slot_count = tp_collide_slot_count(&a->solid, &b->solid);
    if (parts > most_parts)
        return tp_fail_at(model->message, TP_INVALID_DATA, def->place,
                          "contact '%s': a surface of %d triangles, at most %d can touch", def->name, parts,
                          most_parts);
    pair->slot_count *= parts;
    bool a_free = a->body != TP_GROUND && !tp_model_is_planar_body(model, a->body),
         b_free = b->body != TP_GROUND && !tp_model_is_planar_body(model, b->body);
    pair->is_planar = !a_free && !b_free;
    return TP_OK;
}

tp_status tp_model_add_pair(tp_model *model, const tp_pair_def *def, tp_pair_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    tp_set set;
    tp_pair pair = {.first_law = model->laws.count};
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    TP_TRY(check_numbers(model, def));
    TP_TRY(find_shapes(model, def, &pair));
    TP_TRY(pair_set(model, def, pair.is_planar, &set));
    pair.name = tp_model_copy_text(model, def->name);
    tp_pair *item = tp_list_add(&model->arena, &model->pairs, sizeof *item);
    if (pair.name == NULL || item == NULL) return TP_OUT_OF_MEMORY;
    *item = pair;
    for (int slot = 0; slot < pair.slot_count; slot++) {
        char name[256];
        if (pair.slot_count > 1)
            snprintf(name, sizeof name, "%.200s[%d]", def->name, slot);
        else
            snprintf(name, sizeof name, "%.200s", def->name);
        tp_law *law = tp_model_new_law(model, name, def->place);
        if (law == NULL) return TP_OUT_OF_MEMORY;
        law->level = TP_LEVEL_GAP;
        law->source = TP_SOURCE_PAIR;
        law->element = model->pairs.count - 1;
        law->slot = slot;
        law->row_count = set.size;
        if (def->rolling > 0.0) law->angle_rows = 1u << 3 | 1u << 4; /* R1, R2; a drilling row is scaled */
        law->set = set;
        for (int k = 0; k < set.size; k++)
            law->restitution[k] = k == 0 ? def->restitution : def->tangential_restitution;
        if (def->drilling_radius > 0.0 && set.size == 4) law->row_factor[3] = def->drilling_radius;
    }
    model->contact_count += pair.slot_count;
    TP_TRY(tp_name_index_add(&model->arena, &model->law_names, pair.name, TP_NAME_TAKEN));
    if (id_out != NULL) *id_out = (tp_pair_id){model, model->pairs.count - 1};
    return TP_OK;
}
