/* Constraints and laws on velocities; words that contacts and laws share. */

#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- words --------------------------------------------------------------------------------------------- */

/* With three rows the drilling row is scaled, and the ellipsoid of a contact is a ball in scaled rows. */
const tp_friction_word tp_friction_words[] = {
    {"disc",
     "interval, disc or ball; the same in all directions",
     {TP_FRICTION_BALL, 1, 3, 1},
     {TP_FRICTION_BALL, 1, 3, 1}},
    {"ellipse",
     "two coefficients, along the two slips; orthotropic",
     {TP_FRICTION_ELLIPSOID, 2, 3, 2},
     {TP_FRICTION_ELLIPSOID, 2, 2, 0}},
    {"cylinder",
     "disc times interval; drilling apart from sliding",
     {TP_FRICTION_CYLINDER, 3, 3, 1},
     {TP_FRICTION_CYLINDER, 3, 3, 2}},
    {"contensou",
     "exact body of sliding and drilling under Hertz pressure",
     {TP_FRICTION_CONTENSOU, 3, 3, 1},
     {TP_FRICTION_CONTENSOU, 3, 3, 2}},
    {"ellipsoid",
     "sliding and drilling in one ellipsoid",
     {TP_FRICTION_BALL, 3, 3, 1},
     {TP_FRICTION_ELLIPSOID, 3, 3, 0}},
    {"box",
     "interval for each direction; independent dry friction",
     {TP_FRICTION_BRICK, 1, 3, 2},
     {TP_FRICTION_BRICK, 1, 3, 0}},
    {.word = NULL},
};

tp_word tp_friction_word_at(int k)
{
    return (tp_word){.word = tp_friction_words[k].word, .value = k, .text = tp_friction_words[k].text};
}

TP_WORDS(measures, TP_WORD("m", TP_LAW_IS_LENGTH), TP_WORD("rad", TP_LAW_IS_ANGLE))

tp_word tp_measure_word_at(int k)
{
    return measures(k);
}

tp_status tp_load_check_rows(tp_loader *loader, const tp_node *item, const char *word,
                             const tp_friction_body *is, int rows, const char *what)
{
    if (rows >= is->least && rows <= is->most) return TP_OK;
    const tp_node *shape = tp_map_get(item, "shape");
    if (is->least == is->most) {
        return tp_node_fail(shape ? shape : item, loader->why, "shape: %s needs %d %s, found %d", word,
                            is->least, what, rows);
    }
    return tp_node_fail(shape ? shape : item, loader->why, "shape: %s needs %d to %d %s, found %d", word,
                        is->least, is->most, what, rows);
}

/* ---- constraints --------------------------------------------------------------------------------------- */

static const tp_key constraint_keys[] = {
    ROW_NAME(tp_constraint_def, name),
    ROW_FORMULA("position", TP_INTO(tp_constraint_def, position), "m or rad",
                "g(t,q), kept at 0; a constraint has a position or a velocity"),
    ROW_FORMULA("velocity", TP_INTO(tp_constraint_def, velocity), "m/s or rad/s",
                "gamma(t,q,u), kept at 0, linear in the velocities and perhaps not integrable"),
    ROW_MEASURE(tp_constraint_def, measure, "of the position, or of that whose rate the velocity is"),
};

static LOADS(add_constraint, tp_model_add_constraint(loader->model, into, NULL, &loader->told))

    TP_BEGINS(begin_constraint, tp_constraint_def,
              tp_constraint_def_default()) const tp_key_table tp_constraint_keys =
        TABLE("constraint", constraint_keys,
              "An equation that always holds: a joint, a rolling condition, a prescribed motion.",
              TP_MAKES(tp_constraint_def, begin_constraint, add_constraint));

/* ---- laws ---------------------------------------------------------------------------------------------- */

typedef struct law {
    tp_law_def def;
    int shape, bound_count;
    tp_place place;
} law;

static const tp_key friction_keys[] = {
    ROW_NUMBER("bound", TP_INTO_COUNTED(law, def.bound, bound_count), "N or N m", NULL,
               "largest force: one for disc, one for each velocity for ellipse, ellipsoid and box, two "
               "(sliding, drilling) for cylinder and contensou",
               .form = TP_FORM_LIST, .flags = TP_KEY_REQUIRED | TP_KEY_OR_ONE | TP_KEY_NOT_NEGATIVE),
    ROW_POSITIVE(
        "static_bound", TP_INTO(law, def.static_bound), "N or N m", NULL,
        "largest force while it sticks, at least the (first) bound; all bounds are larger by the ratio"),
    ROW_WORD("shape", TP_INTO(law, shape), tp_friction_word_at, "disc",
             "set of friction forces; cylinder and contensou have 3 velocities"),
};
static const tp_key_table friction_table =
    TABLE("friction law", friction_keys, "Dry friction whose bound does not depend on a contact.");

static const tp_key limited_keys[] = {
    ROW_NUMBER("lower", TP_INTO(law, def.lower), "N or N m", NULL, "least force along the velocity",
               .flags = TP_KEY_REQUIRED),
    ROW_NUMBER("upper", TP_INTO(law, def.upper), "N or N m", NULL,
               "largest force along the velocity, not below `lower`", .flags = TP_KEY_REQUIRED),
};
static const tp_key_table limited_table =
    TABLE("limited law", limited_keys,
          "A motor or brake that holds its velocity at 0 as far as its force suffices.");

static const tp_key_table one_way_table = {
    .name = "one-way law",
    .text = "A one-way clutch: the velocity does not become negative; no further keys."};

TP_WORDS(law_kinds,
         {"one-way", TP_LAW_ONE_WAY,
          "one-way clutch: the velocity does not become negative, the force is not negative", &one_way_table},
         {"friction", TP_LAW_FRICTION, "dry friction of 1 to 3 velocities with given bounds on the force",
          &friction_table},
         {"limited", TP_LAW_LIMITED,
          "motor or brake: the velocity is held at 0 as far as a force between two bounds suffices",
          &limited_table})

static const tp_key law_keys[] = {
    ROW_NAME(law, def.name),
    ROW_WORD("kind", TP_INTO(law, def.kind), law_kinds, NULL, "what the law is", .flags = TP_KEY_REQUIRED),
    ROW_FORMULA("velocity", TP_INTO_COUNTED(law, def.velocity, def.velocity_count), "m/s or rad/s",
                "what the force acts along, linear in the velocities; kind: friction may have up to 3",
                .form = TP_FORM_LIST, .flags = TP_KEY_REQUIRED | TP_KEY_OR_ONE),
    ROW_MEASURE(law, def.measure, "of that whose rate the velocity is"),
    ROW_FRACTION("restitution", TP_INTO(law, def.restitution), "0", "e of impacts: 0 none, 1 elastic"),
};

static tp_status check_bound(tp_loader *loader, const tp_node *item, law *is)
{
    const tp_friction_word *shape = &tp_friction_words[is->shape];
    int rows = is->def.velocity_count, wanted = shape->law.count > 0 ? shape->law.count : rows;
    is->def.friction_kind = shape->law.body;
    TP_TRY(tp_load_check_rows(loader, item, shape->word, &shape->law, rows, "velocities"));
    if (is->bound_count == wanted) return TP_OK;
    return tp_node_fail(tp_map_get(item, "bound"), loader->why, "shape: %s needs %d bound%s, found %d",
                        shape->word, wanted, wanted > 1 ? "s" : "", is->bound_count);
}

static tp_status add_law(tp_loader *loader, const tp_node *item, void *made)
{
    law *is = made;
    is->def.place = is->place;
    if (is->def.kind == TP_LAW_FRICTION) TP_TRY(check_bound(loader, item, is));
    if (is->def.kind == TP_LAW_LIMITED && is->def.lower > is->def.upper) {
        return tp_node_fail(tp_map_get(item, "upper"), loader->why, "%g is below the lower limit %g",
                            is->def.upper, is->def.lower);
    }
    return tp_load_told(loader, tp_model_add_law(loader->model, &is->def, NULL, &loader->told));
}

TP_BEGINS(begin_law, law, ((law){.def = tp_law_def_default()}))
const tp_key_table tp_law_keys = TABLE("law", law_keys, "A law on velocities alone, which is always active.",
                                       .selector = "kind", TP_MAKES(law, begin_law, add_law));
