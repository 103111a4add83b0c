/* What acts on the coordinates of joints: limits, motors, springs, friction, and couplers between them. */
#include <stdio.h>
#include <string.h>

#include "io/common/near.h"
#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- names --------------------------------------------------------------------------------------------- */

tp_status tp_load_check_coordinate(tp_loader *loader, const tp_node *item, const char *joint,
                                   const tp_joint_info *info)
{
    const tp_node *node = tp_map_get(item, "coordinate");
    if (!node && info->coordinate_count == 1) return TP_OK;
    char all[200] = "";
    tp_near near = tp_near_begin(node ? node->text : "");
    for (int k = 0; k < info->coordinate_count; k++) {
        if (node && strcmp(info->coordinates[k], node->text) == 0) return TP_OK;
        tp_near_offer(&near, info->coordinates[k]);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", k > 0 ? ", " : "", info->coordinates[k]);
    }
    if (info->coordinate_count == 0) {
        return tp_node_fail(node ? node : item, loader->why, "the %s joint '%s' has no coordinates",
                            info->name, tp_excerpt_of(joint).text);
    }
    if (!node) {
        return tp_node_fail(item, loader->why,
                            "the %s joint '%s' has several coordinates; add coordinate: with one of %s",
                            info->name, tp_excerpt_of(joint).text, all);
    }
    return tp_node_fail(node, loader->why, "the %s joint '%s' has no coordinate '%s'%s; write one of %s",
                        info->name, tp_excerpt_of(joint).text, tp_excerpt_of(node->text).text,
                        tp_near_hint_of(&near).text, all);
}

tp_status tp_load_joint_name(tp_loader *loader, const tp_node *node, int *joint_out)
{
    *joint_out = tp_name_index_find(&loader->joint_names, node->text);
    if (*joint_out >= 0) return TP_OK;
    return tp_load_unknown(loader, node, "joint", tp_model_joint_name, NULL, "; name one of `joints`");
}

/* Which coordinate of the joint around it a part is on, and its name where none was given:
   JOINT.WHAT[.COORDINATE]. */
static tp_status place_part(tp_loader *loader, const tp_node *item, const char *what, tp_joint_coordinate *on,
                            const char **name)
{
    on->joint = loader->joint;
    TP_TRY(tp_load_check_coordinate(loader, item, loader->joint, loader->joint_info));
    if (!tp_map_get(item, "name")) *name = tp_load_join(loader, loader->joint, what, on->coordinate);
    return *name ? TP_OK : tp_load_no_memory(loader);
}

#define ROW_OWN_NAME(def, member, otherwise)                                                                 \
    ROW_TEXT("name", TP_INTO(def, member), "its name in messages and output; left out: " otherwise)
#define ROW_COORDINATE(def, member)                                                                          \
    ROW_TEXT("coordinate", TP_INTO(def, member),                                                             \
             "of the joint (`tippe list joints`); may be left out where there is only one")

/* ---- limits -------------------------------------------------------------------------------------------- */

static const tp_key limit_keys[] = {
    ROW_OWN_NAME(tp_limit_def, name, "JOINT.limit, or JOINT.limit.COORDINATE"),
    ROW_COORDINATE(tp_limit_def, on.coordinate),
    ROW_NUMBER("lower", TP_INTO(tp_limit_def, lower), "rad or m", NULL, "least value; left out: none"),
    ROW_NUMBER("upper", TP_INTO(tp_limit_def, upper), "rad or m", NULL, "largest value; left out: none"),
    ROW_FRACTION("restitution", TP_INTO(tp_limit_def, restitution), "0", "e of impacts: 0 none, 1 elastic"),
};

static tp_status add_limit(tp_loader *loader, const tp_node *item, void *made)
{
    tp_limit_def *def = made;
    TP_TRY(place_part(loader, item, "limit", &def->on, &def->name));
    if (!tp_map_get(item, "lower") && !tp_map_get(item, "upper")) {
        return tp_node_fail(item, loader->why, "a limit needs lower, upper, or both");
    }
    if (!(def->lower < def->upper)) {
        return tp_node_fail(tp_map_get(item, "upper"), loader->why, "%g is not above the lower limit %g",
                            def->upper, def->lower);
    }
    return tp_load_told(loader, tp_model_add_limit(loader->model, def, NULL, &loader->told));
}

TP_BEGINS(begin_limit, tp_limit_def, tp_limit_def_default())
const tp_key_table tp_limit_keys = TABLE("limit", limit_keys, "Stops of a joint's coordinate.",
                                         TP_MAKES(tp_limit_def, begin_limit, add_limit));

/* ---- motors -------------------------------------------------------------------------------------------- */

static const tp_key motor_keys[] = {
    ROW_OWN_NAME(tp_motor_def, name, "JOINT.motor, or JOINT.motor.COORDINATE"),
    ROW_COORDINATE(tp_motor_def, on.coordinate),
    ROW_FORMULA("position", TP_INTO(tp_motor_def, position), "rad or m", "of the coordinate, a formula of t"),
    ROW_FORMULA("speed", TP_INTO(tp_motor_def, speed), "rad/s or m/s",
                "instead: rate of the coordinate, a formula of t"),
    ROW_POSITIVE("force", TP_INTO(tp_motor_def, max_force), "N m or N", NULL,
                 "largest one, with a speed; left out: whatever it takes"),
};

static tp_status add_motor(tp_loader *loader, const tp_node *item, void *made)
{
    tp_motor_def *def = made;
    TP_TRY(place_part(loader, item, "motor", &def->on, &def->name));
    if (!def->position.formula == !def->speed.formula) {
        return tp_node_fail(item, loader->why, "a motor needs either a position or a speed");
    }
    if (def->position.formula) {
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("force"),
                                 "with a position, which is held whatever it takes; give a speed"));
    }
    return tp_load_told(loader, tp_model_add_motor(loader->model, def, NULL, &loader->told));
}

TP_BEGINS(begin_motor, tp_motor_def, tp_motor_def_default())
const tp_key_table tp_motor_keys =
    TABLE("motor", motor_keys,
          "Drives a joint's coordinate: to a position, or at a speed as far as its force suffices.",
          TP_MAKES(tp_motor_def, begin_motor, add_motor));

/* ---- friction ------------------------------------------------------------------------------------------ */

static const tp_key friction_keys[] = {
    ROW_OWN_NAME(tp_joint_friction_def, name, "JOINT.friction"),
    ROW_POSITIVE("coefficient", TP_INTO(tp_joint_friction_def, coefficient), NULL, NULL,
                 "mu: the bound is mu times the joint's own reaction force"),
    ROW_POSITIVE("radius", TP_INTO(tp_joint_friction_def, radius), "m", NULL,
                 "of the bearing, where it turns: the bound is a torque"),
    ROW_POSITIVE("bound", TP_INTO(tp_joint_friction_def, bound), "N m or N", NULL,
                 "instead: a constant bound"),
    ROW_POSITIVE("static_coefficient", TP_INTO(tp_joint_friction_def, static_coefficient), NULL, NULL,
                 "mu while the joint sticks, at least the coefficient"),
    ROW_POSITIVE("static_bound", TP_INTO(tp_joint_friction_def, static_bound), "N m or N", NULL,
                 "bound while the joint sticks, at least the bound"),
};

static tp_status add_friction(tp_loader *loader, const tp_node *item, void *made)
{
    tp_joint_friction_def *def = made;
    bool has_bound = tp_map_get(item, "bound") != NULL;
    def->joint = loader->joint;
    if (!tp_map_get(item, "name")) def->name = tp_load_join(loader, loader->joint, "friction", NULL);
    if (!def->name) return tp_load_no_memory(loader);
    if (has_bound == (tp_map_get(item, "coefficient") != NULL)) {
        return tp_node_fail(item, loader->why, "friction needs either a coefficient or a bound");
    }
    if (has_bound)
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("radius", "static_coefficient"),
                                 "with a bound; remove one of them"));
    else
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("static_bound"),
                                 "with a coefficient; give a static_coefficient"));
    return tp_load_told(loader, tp_model_add_joint_friction(loader->model, def, NULL, &loader->told));
}

TP_BEGINS(begin_friction, tp_joint_friction_def, tp_joint_friction_def_default())
const tp_key_table tp_joint_friction_keys = TABLE(
    "joint friction", friction_keys, "Dry friction in a revolute, cylindrical, prismatic or spherical joint.",
    TP_MAKES(tp_joint_friction_def, begin_friction, add_friction));

/* ---- springs ------------------------------------------------------------------------------------------- */

typedef struct joint_spring {
    tp_coordinate_spring_def def;
    tp_joint_coordinate on;
    tp_place place;
} joint_spring;

static const tp_key spring_keys[] = {
    ROW_OWN_NAME(joint_spring, def.name, "JOINT.spring, or JOINT.spring.COORDINATE"),
    ROW_COORDINATE(joint_spring, on.coordinate),
    ROW_NOT_NEGATIVE("stiffness", TP_INTO(joint_spring, def.stiffness), "N m/rad or N/m", "0",
                     "of the spring"),
    ROW_NOT_NEGATIVE("damping", TP_INTO(joint_spring, def.damping), "N m s/rad or N s/m", "0",
                     "of the damper parallel to it"),
    ROW_NUMBER("rest", TP_INTO(joint_spring, def.rest), "rad or m", "0",
               "coordinate where the spring is free of force"),
};

static tp_status add_spring(tp_loader *loader, const tp_node *item, void *made)
{
    joint_spring *is = made;
    is->def.place = is->place;
    TP_TRY(place_part(loader, item, "spring", &is->on, &is->def.name));
    return tp_load_told(loader,
                        tp_model_add_coordinate_spring(loader->model, is->on, &is->def, NULL, &loader->told));
}

TP_BEGINS(begin_spring, joint_spring, ((joint_spring){.def = tp_coordinate_spring_def_default()}))
const tp_key_table tp_joint_spring_keys =
    TABLE("joint spring", spring_keys, "Spring and damper on a coordinate of a joint.",
          TP_MAKES(joint_spring, begin_spring, add_spring));

/* ---- couplers ------------------------------------------------------------------------------------------ */

typedef struct term {
    const tp_node *joint;
    const char *coordinate;
    double factor;
} term;

static const tp_key term_keys[] = {
    ROW_TEXT("joint", TP_INTO(term, joint), "name of a joint", .flags = TP_KEY_REQUIRED),
    ROW_COORDINATE(term, coordinate),
    ROW_NUMBER("factor", TP_INTO(term, factor), NULL, "1", "of the coordinate, not 0"),
};
TP_BEGINS(begin_term, term, ((term){.factor = 1.0}))
static const tp_key_table term_table = TABLE("term", term_keys, "A coordinate of a joint, times a factor.",
                                             .size = sizeof(term), .begin = begin_term);

static tp_status load_term(tp_loader *loader, const tp_node *item, tp_coupler_def *def)
{
    int k = def->term_count++, joint;
    term is;
    begin_term(&is);
    TP_TRY(tp_load_map(loader, item, &term_table, &is));
    TP_TRY(tp_load_joint_name(loader, is.joint, &joint));
    TP_TRY(tp_load_check_coordinate(loader, item, is.joint->text,
                                    tp_joint_kind_info(tp_model_joint_kind(loader->model, joint))));
    def->on[k] = (tp_joint_coordinate){is.joint->text, is.coordinate};
    def->factor[k] = is.factor;
    if (is.factor != 0.0) return TP_OK;
    return tp_node_fail(tp_map_get(item, "factor"), loader->why, "a factor of 0 couples nothing");
}

static tp_status load_terms(tp_loader *loader, const tp_node *terms, void *into)
{
    if (terms->count < 2 || terms->count > TP_COUPLER_TERMS) {
        return tp_node_fail(terms, loader->why, "found %d terms; write 2 to %d", terms->count,
                            TP_COUPLER_TERMS);
    }
    for (const tp_node *item = terms->first; item; item = item->next) TP_TRY(load_term(loader, item, into));
    return TP_OK;
}

static const tp_key coupler_keys[] = {
    ROW_NAME(tp_coupler_def, name),
    ROW_MAPS("terms", term_table, "2 to 4 of them", .flags = TP_KEY_REQUIRED, .load = load_terms),
};

static LOADS(add_coupler, tp_model_add_coupler(loader->model, into, NULL, &loader->told))

    TP_BEGINS(begin_coupler, tp_coupler_def, tp_coupler_def_default()) const tp_key_table tp_coupler_keys =
        TABLE("coupler", coupler_keys,
              "Keeps a sum of joint coordinates times factors at what it is at the start: gears, racks, "
              "differentials.",
              TP_MAKES(tp_coupler_def, begin_coupler, add_coupler));
