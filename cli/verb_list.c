/* tippe list TOPIC: what this version knows, one line each. A topic is a function that gives the items. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "examples.h"
#include "json.h"
#include "program.h"
#include "reproduce_list.h"
#include "tippe/multibody.h"
#include "tippe/scene.h"
#include "tippe/set.h"
#include "tippe/simulation.h"
#include "tippe/solver.h"
#include "tippe/states.h"

typedef struct list_item {
    const char *name, *text;
    bool is_approximate;            /* solvers: the answer obeys another law than the problem's */
    const char *path;               /* examples: the scene; else NULL                           */
    const char *use;                /* shapes: "body" or "friction"; else NULL                  */
    const tp_joint_info *joint;     /* joints; else NULL */
    const tp_body_info *body;       /* bodies; else NULL */
    const tp_warning_info *warning; /* warnings; else NULL */
} list_item;

typedef struct list_topic {
    const char *name;
    /* False past the end. The examples are those that were found. */
    bool (*item_at)(const example_list *examples, int index, list_item *item_out);
    bool has_exactness; /* JSON says "exact" for each item */
} list_topic;

static bool integrator_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    if (index >= tp_integrator_count()) return false;
    const tp_integrator_info *info = tp_integrator_info_at(index);
    *item_out = (list_item){.name = info->name, .text = info->text};
    return true;
}

static bool example_at(const example_list *examples, int index, list_item *item_out)
{
    if (index >= examples->count) return false;
    const example *found = &examples->items[index];
    *item_out = (list_item){.name = found->name, .text = found->about, .path = found->path};
    return true;
}

/* Experiments of the catalogue, as a list of the same shape. */
static bool experiment_at(const example_list *examples, int index, list_item *item_out)
{
    return example_at(examples, index, item_out);
}

static char *experiment_text(const tp_experiment *experiment)
{
    char text[1024];
    snprintf(text, sizeof text, "%s, %s: %s", experiment->document, experiment->where, experiment->title);
    return strdup(text);
}

static example_list experiments_find(void)
{
    example_list list = {0};
    tp_catalogue *catalogue = NULL;
    tp_message why = {""};
    if (reproduce_catalogue(NULL, &catalogue, &why) != TP_OK) {
        complain("list: %s", why.text);
        return list;
    }
    list.items = calloc((size_t)catalogue->count + 1, sizeof *list.items);
    for (int k = 0; k < catalogue->count && list.items != NULL; ++k) {
        const tp_experiment *experiment = &catalogue->experiments[k];
        example item = {strdup(experiment->name), NULL, experiment_text(experiment)};
        list.items[list.count++] = item;
        if (item.name == NULL || item.about == NULL) examples_free(&list);
    }
    tp_catalogue_free(catalogue);
    return list;
}

static bool solver_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    if (index >= tp_solver_count()) return false;
    const tp_solver_info *info = tp_solver_info_at(index);
    *item_out = (list_item){.name = info->name, .text = info->text, .is_approximate = !info->is_exact};
    return true;
}

/* Words of scenes, from the tables of their reader. */
static bool word_at(tp_scene_topic topic, int index, const char *use, list_item *item_out)
{
    tp_scene_word word;
    if (!tp_scene_word_at(topic, index, &word)) return false;
    *item_out = (list_item){.name = word.word, .text = word.text, .use = use};
    return true;
}

static bool law_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    return word_at(TP_SCENE_LAWS, index, NULL, item_out);
}

static bool drawing_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    return word_at(TP_SCENE_DRAWINGS, index, NULL, item_out);
}

/* Shapes of bodies first, then those of friction sets. */
static bool shape_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    if (word_at(TP_SCENE_SHAPES, index, "body", item_out)) return true;
    int solids = 0;
    while (word_at(TP_SCENE_SHAPES, solids, "body", item_out)) solids++;
    return word_at(TP_SCENE_FRICTION, index - solids, "friction", item_out);
}

/* Sets of one-step problems: what their rows may be. */
static bool set_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    static const struct {
        tp_set_kind kind;
        const char *text;
    } sets[] = {
        {TP_SET_FREE, "joint: the relative velocity xi of its rows is zero, P is any"},
        {TP_SET_ZERO, "law switched off: P = 0, xi is any"},
        {TP_SET_ORTHANT, "complementarity row by row: P >= 0, xi >= 0, P xi = 0"},
        {TP_SET_BOX, "bounds row by row, l <= P <= u: limits, saturated motors, relays"},
        {TP_SET_FRICTION,
         "P in a friction set (ball, ellipsoid, cylinder, contensou, brick), of fixed size or "
         "growing with other multipliers"},
        {TP_SET_CONTACT, "unilateral contact with exact Coulomb friction: Signorini and -xi_T in N(P_T)"},
        {TP_SET_CONE, "convex relaxation of contact: the associated law, which lifts sliding contacts"},
        {TP_SET_DUAL_CONE, "P in the dual of the friction cone"},
    };
    if (index >= (int)(sizeof sets / sizeof sets[0])) return false;
    *item_out = (list_item){.name = tp_set_kind_name(sets[index].kind), .text = sets[index].text};
    return true;
}

/* Laws of relations between first-order states and multipliers. */
static bool relation_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    static const char *const texts[] = {
        [TP_RELATION_COMPLEMENTARITY] = "0 <= y, lambda >= 0, one of them 0: an ideal diode, a check valve",
        [TP_RELATION_EQUALITY] = "y = 0, lambda is any",
        [TP_RELATION_BOX] = "lower <= lambda <= upper; y >= 0 at lower, y <= 0 at upper, else y = 0",
        [TP_RELATION_RELAY] = "lambda = -sign(y), anything between -1 and 1 at y = 0",
        [TP_RELATION_BALL] = "|lambda| <= radius, against y where y is not 0; two or three outputs",
    };
    if (index >= TP_RELATION_KIND_COUNT) return false;
    *item_out = (list_item){.name = tp_relation_kind_name(index), .text = texts[index]};
    return true;
}

static bool joint_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    const tp_joint_info *info = tp_joint_kind_info((tp_joint_kind)index);
    if (info == NULL) return false;
    *item_out = (list_item){.name = info->name, .text = info->text, .joint = info};
    return true;
}

static bool body_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    const tp_body_info *info = tp_body_kind_info((tp_body_kind)index);
    if (info == NULL) return false;
    *item_out = (list_item){.name = info->name, .text = info->text, .body = info};
    return true;
}

static bool warning_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    const tp_warning_info *info = tp_warning_info_at((tp_warning_kind)index);
    if (info == NULL) return false;
    *item_out = (list_item){.name = info->name, .text = info->text, .warning = info};
    return true;
}

/* What `tippe check` examines, with the words of its options, and the toolbox of forms over formulas. */
static bool analysis_at(const example_list *examples, int index, list_item *item_out)
{
    (void)examples;
    static const char *const examined[] = {"--holonomy", "--forces", "--viability", "--reduce", "--painleve"};
    static const struct {
        const char *name, *text;
    } toolbox[] = {
        {"exterior-derivative", "d of a form, tp_form_d"},
        {"wedge", "product of two forms, tp_form_wedge"},
        {"interior-product", "a vector field put into a form, tp_form_interior"},
        {"lie-derivative", "of a form along a vector field, tp_form_lie"},
        {"lie-bracket", "of two vector fields, tp_vector_bracket"},
        {"pull-back", "of a form along a map of charts, tp_form_pull_back"},
        {"levi-civita", "the connection of a metric, tp_connection_levi_civita"},
        {"galilean-connection", "of a mass matrix that depends on time, tp_connection_galilean"},
        {"covariant-derivative", "of a vector field, tp_connection_derivative"},
        {"torsion", "of a connection, tp_connection_torsion"},
        {"gyroscopic-terms", "accelerations from T and forces, tp_motion_accelerations"},
        {"force-form", "closed where forces have a potential, tp_force_form"},
        {"action-form", "its kernel is the motion, tp_action_form, tp_form_kernel"},
        {"observer-change", "positions and velocities in a moving frame, tp_observer_change_compose"},
        {"interaction", "sums of forces and moments between points, tp_interaction_residual"},
    };
    enum { EXAMINED = sizeof examined / sizeof examined[0], TOOLS = sizeof toolbox / sizeof toolbox[0] };
    if (index >= EXAMINED + TOOLS) return false;
    if (index >= EXAMINED) {
        *item_out =
            (list_item){.name = toolbox[index - EXAMINED].name, .text = toolbox[index - EXAMINED].text};
        return true;
    }
    for (const cli_option *option = verb_check.options; option->name != NULL; ++option) {
        if (strcmp(option->name, examined[index]) == 0)
            *item_out = (list_item){.name = option->name, .text = option->text};
    }
    return true;
}

static const list_topic topics[] = {
    {"integrators", integrator_at, false},
    {"solvers", solver_at, true},
    {"laws", law_at, false},
    {"relations", relation_at, false},
    {"joints", joint_at, false},
    {"bodies", body_at, false},
    {"shapes", shape_at, false},
    {"drawings", drawing_at, false},
    {"sets", set_at, false},
    {"warnings", warning_at, false},
    {"analyses", analysis_at, false},
    {"examples", example_at, false},
    {"experiments", experiment_at, false},
    {NULL, NULL, false},
};

typedef struct list_settings {
    bool as_json;
} list_settings;

static const cli_option list_options[] = {
    {"--json", NULL, OPTION_FLAG, offsetof(list_settings, as_json), NULL,
     "an array of objects with name and text", 0, 0, NULL},
    {.name = NULL},
};

static const char *topic_name_at(const void *context, int index)
{
    (void)context;
    return topics[index].name;
}

static const list_topic *find_topic(const char *name)
{
    for (const list_topic *t = topics; t->name != NULL; ++t) {
        if (strcmp(t->name, name) == 0) return t;
    }
    const char *near = nearest_name(name, topic_name_at, NULL);
    if (near != NULL) {
        complain("list: unknown topic %s; did you mean %s?", name, near);
    } else {
        complain("list: unknown topic %s; there are integrators, solvers, laws, relations, joints, bodies, "
                 "shapes, "
                 "drawings, sets, warnings, analyses, examples, experiments",
                 name);
    }
    return NULL;
}

/* What only joints and bodies have. */
static void write_counts(json_writer *json, const list_item *item)
{
    if (item->body != NULL) {
        json_integer_at(json, "coordinates", item->body->coordinate_count);
        json_integer_at(json, "velocities", item->body->velocity_count);
    }
    if (item->joint == NULL) return;
    json_integer_at(json, "rows", item->joint->row_count);
    json_integer_at(json, "planar_rows", item->joint->planar_row_count);
    json_open_at(json, "coordinates", '[');
    for (int k = 0; k < item->joint->coordinate_count; ++k) {
        json_text(json, item->joint->coordinates[k]);
    }
    json_close(json, ']');
}

static void print_json(const list_topic *topic, const example_list *examples)
{
    json_writer writer = json_begin(stdout);
    list_item item;
    json_open(&writer, '[');
    for (int k = 0; topic->item_at(examples, k, &item); ++k) {
        json_open(&writer, '{');
        json_text_at(&writer, "name", item.name);
        json_text_at(&writer, "text", item.text);
        if (topic->has_exactness) {
            json_bool_at(&writer, "exact", !item.is_approximate);
        }
        if (item.use != NULL) json_text_at(&writer, "use", item.use);
        if (item.warning != NULL) {
            json_text_at(&writer, "unit", item.warning->unit);
            json_text_at(&writer, "remedy", item.warning->remedy);
        }
        write_counts(&writer, &item);
        if (item.path != NULL) {
            json_text_at(&writer, "path", item.path);
        }
        json_close(&writer, '}');
    }
    json_close(&writer, ']');
    json_end(&writer);
}

/* Rows that are held, and coordinates that stay. */
static void print_joint(const tp_joint_info *info)
{
    printf("; %d row%s", info->row_count, info->row_count == 1 ? "" : "s");
    if (info->planar_row_count > 0) printf(" (%d in the plane)", info->planar_row_count);
    for (int k = 0; k < info->coordinate_count; ++k) {
        printf("%s%s", k == 0 ? "; coordinates " : ", ", info->coordinates[k]);
    }
}

static void print_lines(const list_topic *topic, const example_list *examples)
{
    list_item item;
    size_t width = 0;
    for (int k = 0; topic->item_at(examples, k, &item); ++k) {
        if (strlen(item.name) > width) width = strlen(item.name);
    }
    for (int k = 0; topic->item_at(examples, k, &item); ++k) {
        printf("%-*s  ", (int)width, item.name);
        if (item.use != NULL) printf("of %s: ", strcmp(item.use, "body") == 0 ? "a body" : item.use);
        printf("%s%s", item.text, item.is_approximate ? " [approximate]" : "");
        if (item.joint != NULL) print_joint(item.joint);
        printf("\n");
    }
}

static exit_code run_list(const cli_verb *self, int argument_count, char **arguments)
{
    list_settings settings = {0};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    const list_topic *topic = find_topic(given.text[0]);
    if (topic == NULL) return PROGRAM_BAD_INPUT;

    example_list examples = {0};
    if (topic->item_at == example_at) examples = examples_find();
    if (topic->item_at == experiment_at) examples = experiments_find();
    if (settings.as_json) {
        print_json(topic, &examples);
    } else {
        print_lines(topic, &examples);
    }
    examples_free(&examples);
    return PROGRAM_DONE;
}

const cli_verb verb_list = {
    .name = "list",
    .summary = "Lists what this version knows",
    .usage =
        "integrators|solvers|laws|relations|joints|bodies|shapes|drawings|sets|warnings|analyses|examples|"
        "experiments [--json]",
    .text =
        "One line for each item: its name and what it is. Solvers marked [approximate] solve another law\n"
        "than the exact one and say so in their output.\n",
    .options = list_options,
    .positionals = "a topic",
    .positional_count = 1,
    .run = run_list,
};
