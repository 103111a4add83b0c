/* Which shapes may touch, and by which law: rules over groups of shapes. A contact is made of them only while
   two shapes are near (system/contacts.c). */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TP_DEFAULT(tp_pair_def, tp_pair_def_default, .name = "contact", .friction_kind = TP_FRICTION_BALL)

TP_DEFAULT(tp_rule_def, tp_rule_def_default, .law = tp_pair_def_default())

static const tp_model_shape *shape_at(const tp_model *model, int i)
{
    return TP_LIST_AT(model->shapes, tp_model_shape, i);
}

/* ---- the law of a rule ---- */

static tp_status check_numbers(tp_model *model, const tp_pair_def *def)
{
    TP_TRY(tp_model_check_restitution(model, def->name, "restitution", def->restitution, def->place));
    TP_TRY(tp_model_check_restitution(model, def->name, "tangential restitution", def->tangential_restitution,
                                      def->place));
    double all[] = {def->friction[0], def->friction[1], def->drilling_radius, def->rolling};
    for (int k = 0; k < 4; k++) {
        if (!(all[k] >= 0.0) || isinf(all[k]))
            return tp_model_refuse(model, def->place,
                                   "contact '%s': friction, drilling radius and rolling must be numbers >= 0",
                                   def->name);
    }
    if (def->rolling > 0.0 && def->drilling_radius > 0.0)
        return tp_model_refuse(model, def->place,
                               "contact '%s': drilling and rolling resistance cannot be combined", def->name);
    return TP_OK;
}

/* The set of one contact point and its rows: (N), (N, T), (N, T1, T2), with (tau) or (R1, R2). */
static tp_status contact_set(tp_model *model, const tp_pair_def *def, bool is_planar, tp_set *set_out)
{
    double mu = def->friction[0], parameter[3] = {mu, mu, mu};
    int tangents = is_planar ? 1 : (def->drilling_radius > 0.0 ? 3 : 2);
    if (mu == 0.0 && def->friction[1] == 0.0) {
        *set_out = tp_set_orthant(1);
        return TP_OK;
    }
    if (is_planar && (def->drilling_radius > 0.0 || def->rolling > 0.0))
        return tp_model_refuse(model, def->place,
                               "contact '%s' lies in a plane: no drilling or rolling resistance there",
                               def->name);
    bool has_two = def->friction_kind == TP_FRICTION_ELLIPSOID || def->friction_kind == TP_FRICTION_BRICK;
    if (has_two) {
        parameter[1] = def->friction[1];
        parameter[2] = fmax(mu, def->friction[1]);
    }
    *set_out = def->rolling > 0.0 ? tp_set_rolling(mu, def->rolling)
                                  : tp_set_contact(def->friction_kind, tangents + 1, parameter);
    return tp_model_check_set(model, set_out, "contact", def->name, def->place);
}

static tp_status make_law(tp_model *model, const tp_pair_def *def, const tp_contact_rule *rule,
                          bool is_planar, tp_law *law_out)
{
    tp_set set;
    double static_ratio;
    TP_TRY(contact_set(model, def, is_planar, &set));
    TP_TRY(tp_model_find_static(model, def->name, def->friction[0], def->static_friction, def->place,
                                &static_ratio));
    *law_out = (tp_law){.name = rule->name,
                        .place = rule->place,
                        .level = TP_LEVEL_GAP,
                        .source = TP_SOURCE_PAIR,
                        .element = model->rules.count,
                        .row_count = set.size,
                        .set = set,
                        .static_ratio = static_ratio};
    if (def->rolling > 0.0) law_out->angle_rows = 1u << 3 | 1u << 4; /* R1, R2; a drilling row is scaled */
    for (int k = 0; k < set.size; k++) {
        law_out->row_factor[k] = 1.0;
        law_out->restitution[k] = k == 0 ? def->restitution : def->tangential_restitution;
    }
    if (def->drilling_radius > 0.0 && set.size == 4) law_out->row_factor[3] = def->drilling_radius;
    return TP_OK;
}

/* ---- members ---- */

/* Whether a body is free to leave the plane. */
static bool is_in_space(const tp_model *model, int body)
{
    return body != TP_GROUND && !tp_model_is_planar_body(model, body);
}

static tp_status check_members(tp_model *model, const tp_rule_def *def)
{
    const char *name = def->law.name;
    tp_place place = def->law.place;
    for (int k = 0; k < def->shape_count; k++) {
        if (def->shapes[k] < 0 || def->shapes[k] >= model->shapes.count)
            return tp_model_refuse(model, place, "contact '%s': there is no shape %d", name, def->shapes[k]);
        const tp_model_shape *shape = shape_at(model, def->shapes[k]);
        if (shape->is_passive)
            return tp_model_refuse(model, place, "contact '%s': shape '%s' has no contacts", name,
                                   shape->name);
    }
    for (int k = 0; k < def->exclusion_count; k++) {
        const int two[] = {def->excluded[k].a, def->excluded[k].b};
        for (int s = 0; s < 2; s++) {
            if (two[s] < 0 || two[s] >= model->shapes.count)
                return tp_model_refuse(model, place, "contact '%s': there is no shape %d", name, two[s]);
        }
    }
    return TP_OK;
}

/* Which of the two laws its shapes need: a contact is in the plane where neither body can leave it. */
static void see_bodies(const tp_model *model, const tp_rule_def *def, bool *space_out, bool *plane_out)
{
    int planar = 0, fixed = 0;
    *space_out = false;
    for (int k = 0; k < def->shape_count; k++) {
        int body = shape_at(model, def->shapes[k])->body;
        *space_out = *space_out || is_in_space(model, body);
        planar += body != TP_GROUND && !is_in_space(model, body);
        fixed += body == TP_GROUND;
    }
    *plane_out = planar > 1 || (planar > 0 && fixed > 0);
}

static tp_status add_members(tp_model *model, const tp_rule_def *def)
{
    int rule = model->rules.count - 1;
    for (int k = 0; k < def->shape_count; k++) {
        tp_rule_member member = {def->shapes[k], rule, def->groups[k]};
        TP_TRY(TP_LIST_KEEP(model, members, member));
    }
    for (int k = 0; k < def->exclusion_count; k++) {
        tp_shape_pair two = def->excluded[k];
        bool ascends = two.a < two.b;
        tp_rule_exclusion item = {rule, ascends ? two.a : two.b, ascends ? two.b : two.a};
        TP_TRY(TP_LIST_KEEP(model, exclusions, item));
    }
    return TP_OK;
}

tp_status tp_model_add_rule(tp_model *model, const tp_rule_def *def, tp_pair_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->law.name, def->law.place));
    TP_TRY(check_numbers(model, &def->law));
    TP_TRY(check_members(model, def));
    tp_contact_rule rule = {.name = tp_model_copy_text(model, def->law.name),
                            .place = tp_model_copy_place(model, def->law.place),
                            .member_count = def->shape_count};
    bool needs_space, needs_plane;
    see_bodies(model, def, &needs_space, &needs_plane);
    if (needs_space) TP_TRY(make_law(model, &def->law, &rule, false, &rule.in_space));
    if (needs_plane) TP_TRY(make_law(model, &def->law, &rule, true, &rule.in_plane));
    if (rule.name == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(TP_LIST_KEEP(model, rules, rule));
    TP_TRY(add_members(model, def));
    TP_TRY(tp_name_index_add(&model->arena, &model->law_names, rule.name, TP_NAME_TAKEN));
    if (id_out != NULL) *id_out = (tp_pair_id){model, model->rules.count - 1};
    return TP_OK;
}

static tp_status check_two(tp_model *model, const tp_pair_def *def, const int *shapes)
{
    const char *names[] = {def->shape_a, def->shape_b};
    tp_message why;
    for (int k = 0; k < 2; k++) {
        if (shapes[k] < 0)
            return tp_model_refuse(model, def->place, "contact '%s': there is no shape '%s'", def->name,
                                   names[k] != NULL ? names[k] : "");
    }
    const tp_model_shape *a = shape_at(model, shapes[0]), *b = shape_at(model, shapes[1]);
    if (a->body == b->body)
        return tp_model_refuse(model, def->place, "contact '%s': both shapes belong to '%s'", def->name,
                               tp_model_body_name(model, a->body));
    if (tp_collide_check(a->solid.kind, b->solid.kind, &why) != TP_OK)
        return tp_model_refuse(model, def->place, "contact '%s': %.800s", def->name, why.text);
    return TP_OK;
}

tp_status tp_model_add_pair(tp_model *model, const tp_pair_def *def, tp_pair_id *id_out, tp_message *why_out)
{
    static const int groups[] = {0, 1};
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(tp_model_check_law_name(model, def->name, def->place));
    TP_TRY(check_numbers(model, def));
    const int shapes[] = {def->shape_a != NULL ? tp_name_index_find(&model->shape_names, def->shape_a) : -1,
                          def->shape_b != NULL ? tp_name_index_find(&model->shape_names, def->shape_b) : -1};
    TP_TRY(check_two(model, def, shapes));
    tp_rule_def rule = {.law = *def, .shape_count = 2, .shapes = shapes, .groups = groups};
    return tp_model_add_rule(model, &rule, id_out, why_out);
}

/* ---- asked when finished ---- */

static int compare_members(const void *one, const void *other)
{
    const tp_rule_member *a = one, *b = other;
    if (a->shape != b->shape) return a->shape < b->shape ? -1 : 1;
    if (a->rule != b->rule) return a->rule > b->rule ? -1 : 1; /* later rules first */
    return (a->group > b->group) - (a->group < b->group);
}

static int compare_exclusions(const void *one, const void *other)
{
    const tp_rule_exclusion *a = one, *b = other;
    if (a->rule != b->rule) return a->rule < b->rule ? -1 : 1;
    if (a->shape_a != b->shape_a) return a->shape_a < b->shape_a ? -1 : 1;
    return (a->shape_b > b->shape_b) - (a->shape_b < b->shape_b);
}

/* Which shapes are not alone on their body, in whatever order they were added. */
static tp_status find_several(tp_model *model)
{
    int *first =
        TP_ARENA_ARRAY(&model->arena, int, model->bodies.count + 1); /* 1 + its first shape; 0: none */
    if (first == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < model->shapes.count; i++) {
        tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        int *of_body = &first[shape->body + 1]; /* the ground is -1 */
        shape->is_one_of_several = *of_body > 0;
        if (*of_body > 0) TP_LIST_AT(model->shapes, tp_model_shape, *of_body - 1)->is_one_of_several = true;
        if (*of_body == 0) *of_body = i + 1;
    }
    return TP_OK;
}

tp_status tp_model_sort_rules(tp_model *model)
{
    int shapes = model->shapes.count;
    TP_TRY(find_several(model));
    model->member_first = TP_ARENA_ARRAY(&model->arena, int, shapes + 1);
    if (model->member_first == NULL) return TP_OUT_OF_MEMORY;
    if (model->members.count > 0)
        qsort(model->members.items, (size_t)model->members.count, sizeof(tp_rule_member), compare_members);
    if (model->exclusions.count > 0)
        qsort(model->exclusions.items, (size_t)model->exclusions.count, sizeof(tp_rule_exclusion),
              compare_exclusions);
    for (int k = 0; k < model->members.count; k++)
        model->member_first[TP_LIST_AT(model->members, tp_rule_member, k)->shape + 1]++;
    for (int i = 0; i < shapes; i++) model->member_first[i + 1] += model->member_first[i];
    return TP_OK;
}

static bool is_excluded(const tp_model *model, int rule, int one, int other)
{
    tp_rule_exclusion wanted = {rule, one < other ? one : other, one < other ? other : one};
    return model->exclusions.count > 0 &&
           bsearch(&wanted, model->exclusions.items, (size_t)model->exclusions.count, sizeof wanted,
                   compare_exclusions) != NULL;
}

static bool can_move(const tp_model *model, int body)
{
    return body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind != TP_BODY_MOVING;
}

tp_touch tp_model_touch(const tp_model *model, int shape, int other)
{
    const tp_model_shape *a = shape_at(model, shape), *b = shape_at(model, other);
    if (a->body == b->body || (!can_move(model, a->body) && !can_move(model, b->body)) ||
        tp_collide_slot_count(&a->solid, &b->solid) == 0)
        return (tp_touch){0};
    bool is_planar = !is_in_space(model, a->body) && !is_in_space(model, b->body);
    const tp_rule_member *members = model->members.items;
    int i = model->member_first[shape], i_end = model->member_first[shape + 1],
        j = model->member_first[other], j_end = model->member_first[other + 1];
    while (i < i_end && j < j_end) {
        if (members[i].rule != members[j].rule) {
            *(members[i].rule > members[j].rule ? &i : &j) += 1;
            continue;
        }
        const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, members[i].rule);
        if (members[i].group != members[j].group && !is_excluded(model, members[i].rule, shape, other)) {
            bool is_first = members[i].group < members[j].group;
            return (tp_touch){is_planar ? &rule->in_plane : &rule->in_space, is_first ? shape : other,
                              is_first ? other : shape};
        }
        i++;
        j++;
    }
    return (tp_touch){0};
}

/* The body's name where that says which shape it is. */
static const char *short_name(const tp_model *model, int i)
{
    const tp_model_shape *shape = shape_at(model, i);
    return shape->is_one_of_several ? shape->name : tp_model_body_name(model, shape->body);
}

void tp_model_contact_name(const tp_model *model, const tp_touch *touch, int feature, char *name_out,
                           size_t capacity)
{
    const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, touch->law->element);
    const tp_solid *a = &shape_at(model, touch->shape_a)->solid, *b = &shape_at(model, touch->shape_b)->solid;
    char number[32] = "";
    if (tp_collide_feature_count(a, b) > 1) snprintf(number, sizeof number, "[%d]", feature);
    if (rule->member_count == 2) {
        snprintf(name_out, capacity, "%.200s%s", rule->name, number);
    } else {
        snprintf(name_out, capacity, "%.100s.%.60s.%.60s%s", rule->name, short_name(model, touch->shape_a),
                 short_name(model, touch->shape_b), number);
    }
}

bool tp_rule_moves(const tp_model *model, int rule)
{
    for (int k = 0; k < model->members.count; k++) {
        const tp_rule_member *member = TP_LIST_AT(model->members, tp_rule_member, k);
        int body = shape_at(model, member->shape)->body;
        if (member->rule == rule && body != TP_GROUND && !can_move(model, body)) return true;
    }
    return false;
}

/* The first members of a rule of each kind of solid that are in two groups: those stand for all. */
typedef struct kind_samples {
    int shape[2], group, count;
} kind_samples;

static void find_samples(const tp_model *model, int rule, kind_samples *samples)
{
    for (int k = 0; k < model->members.count; k++) {
        const tp_rule_member *member = TP_LIST_AT(model->members, tp_rule_member, k);
        if (member->rule != rule) continue;
        kind_samples *of = &samples[shape_at(model, member->shape)->solid.kind];
        if (of->count == 2 || (of->count == 1 && of->group == member->group)) continue;
        of->group = member->group;
        of->shape[of->count++] = member->shape;
    }
}

bool tp_rule_has(const tp_model *model, int rule, bool (*is_such)(const tp_solid *a, const tp_solid *b))
{
    kind_samples samples[TP_SOLID_KIND_COUNT] = {0};
    find_samples(model, rule, samples);
    for (int a = 0; a < 2 * TP_SOLID_KIND_COUNT; a++) {
        for (int b = 0; b < a; b++) {
            const kind_samples *of_a = &samples[a / 2], *of_b = &samples[b / 2];
            if (a % 2 >= of_a->count || b % 2 >= of_b->count) continue;
            int one = of_a->shape[a % 2], other = of_b->shape[b % 2];
            tp_touch touch = tp_model_touch(model, one, other);
            if (touch.law == NULL || touch.law->element != rule) continue;
            if (is_such(&shape_at(model, one)->solid, &shape_at(model, other)->solid)) return true;
        }
    }
    return false;
}
