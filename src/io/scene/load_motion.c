/* Sections of a scene that say what moves: parameters, coordinates, velocities, definitions, initial values,
   inertia, forces. */
#include <string.h>

#include "io/scene/loader.h"

/* ---- names --------------------------------------------------------------------------------------------- */

static tp_status load_parameters(tp_loader *loader, const tp_node *section)
{
    const tp_key *key = tp_keys_find(&tp_scene_keys, NULL, "parameters");
    for (const tp_node *entry = section->first; entry; entry = entry->next) {
        double value;
        TP_TRY(tp_load_value(loader, entry, &tp_scene_keys, key, &value));
        TP_TRY(tp_load_told(
            loader, tp_model_add_parameter_value(loader->model, entry->key, value, entry->key_place)));
    }
    return TP_OK;
}

/* The name of an item: a field, or the item itself. */
static const tp_node *name_of(const tp_node *item)
{
    return item->kind == TP_NODE_SCALAR ? item : tp_map_get(item, "name");
}

static tp_status load_coordinates(tp_loader *loader, const tp_node *section)
{
    if (section->count > TP_SCENE_COORDINATES_MAX) {
        return tp_node_fail(section, loader->why, "found %d coordinates; at most %d are possible",
                            section->count, TP_SCENE_COORDINATES_MAX);
    }
    if (section->count == 0) {
        return tp_node_fail(section, loader->why, "found an empty list; a scene has at least one coordinate");
    }
    for (const tp_node *item = section->first; item; item = item->next) {
        const tp_node *name = name_of(item), *velocity = tp_map_get(item, "velocity");
        double initial, initial_velocity;
        if (velocity && loader->velocity_count > 0) {
            return tp_node_fail(velocity, loader->why,
                                "the scene has velocities of their own; give their initial values instead");
        }
        TP_TRY(tp_load_number(loader, item, &tp_coordinate_keys, "initial", &initial));
        TP_TRY(tp_load_number(loader, item, &tp_coordinate_keys, "velocity", &initial_velocity));
        TP_TRY(tp_load_told(loader, tp_model_add_coordinate(
                                        loader->model, name->text, initial, initial_velocity,
                                        tp_keys_text(item, &tp_coordinate_keys, "unit"), name->text_place)));
    }
    return TP_OK;
}

static tp_status load_velocities(tp_loader *loader, const tp_node *section)
{
    for (const tp_node *item = section->first; item; item = item->next) {
        const tp_node *name = name_of(item);
        double initial;
        TP_TRY(tp_load_number(loader, item, &tp_velocity_keys, "initial", &initial));
        TP_TRY(tp_load_told(loader, tp_model_add_velocity(loader->model, name->text, initial,
                                                          tp_keys_text(item, &tp_velocity_keys, "unit"),
                                                          name->text_place)));
    }
    return TP_OK;
}

/* ---- definitions --------------------------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 32 }; /* more are refused by the model */

/* Cuts white space off both ends, in place. */
static char *trimmed(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) text[--length] = '\0';
    return text;
}

/* Cuts "x, y" at its commas, in place. Returns how many parts there are; fills at most `capacity`. */
static int split(char *text, int capacity, const char **parts_out)
{
    int count = 0;
    for (char *next = text; next; text = next) {
        next = strchr(text, ',');
        if (next) *next++ = '\0';
        if (count < capacity) parts_out[count] = trimmed(text);
        count++;
    }
    return count;
}

/* "name" or "name(x, y)". */
static tp_status load_definition(tp_loader *loader, const tp_node *entry)
{
    char *name = tp_arena_copy(loader->arena, entry->key, strlen(entry->key) + 1, 1);
    if (!name) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a definition");
    const char *arguments[ARGUMENTS_MAX + 1];
    int argument_count = 0;
    char *open = strchr(name, '(');
    if (open) {
        char *close = strrchr(open, ')');
        if (!close || *trimmed(close + 1) != '\0') {
            return tp_fail_at(loader->why, TP_INVALID_DATA, entry->key_place,
                              "definitions: '%s' has no ')' at its end; write it like f(x, y)",
                              tp_excerpt_of(entry->key).text);
        }
        *open = *close = '\0';
        argument_count = split(open + 1, ARGUMENTS_MAX + 1, arguments);
    }
    return tp_load_told(loader, tp_model_add_definition(loader->model, trimmed(name), open ? arguments : NULL,
                                                        argument_count, entry->text, entry->text_place));
}

/* The text may name a joint. */
static bool may_use_joints(const tp_loader *loader, const char *text)
{
    const tp_node *joints = tp_map_get(loader->root, "joints");
    for (const tp_node *item = joints ? joints->first : NULL; item; item = item->next) {
        const tp_node *name = tp_map_get(item, "name");
        if (name && strstr(text, name->text)) return true;
    }
    return false;
}

/* Definitions may use joints; curves of joints and initial values may use definitions. So those before the
   first that uses a joint come before the joints, the others after them. */
static tp_status load_some_definitions(tp_loader *loader, const tp_node *section, bool is_after_joints)
{
    bool is_late = false;
    for (const tp_node *entry = section->first; entry; entry = entry->next) {
        is_late = is_late || may_use_joints(loader, entry->text);
        if (is_late == is_after_joints) TP_TRY(load_definition(loader, entry));
    }
    return TP_OK;
}

static tp_status load_definitions(tp_loader *loader, const tp_node *section)
{
    return load_some_definitions(loader, section, false);
}

static tp_status load_late_definitions(tp_loader *loader, const tp_node *section)
{
    return load_some_definitions(loader, section, true);
}

static tp_status load_rates(tp_loader *loader, const tp_node *section)
{
    for (const tp_node *entry = section->first; entry; entry = entry->next) {
        TP_TRY(tp_load_told(loader, tp_model_set_rate(loader->model, entry->key, tp_load_function(entry))));
    }
    return TP_OK;
}

/* ---- inertia ------------------------------------------------------------------------------------------- */

/* One formula or a list of them. */
static tp_status load_sum(tp_loader *loader, const tp_node *section,
                          tp_status (*add)(tp_model *model, tp_function function))
{
    if (section->kind == TP_NODE_SCALAR)
        return tp_load_told(loader, add(loader->model, tp_load_function(section)));
    for (const tp_node *item = section->first; item; item = item->next) {
        TP_TRY(tp_load_told(loader, add(loader->model, tp_load_function(item))));
    }
    return TP_OK;
}

static tp_status load_kinetic(tp_loader *loader, const tp_node *section)
{
    return load_sum(loader, section, tp_model_add_kinetic);
}

static tp_status load_potential(tp_loader *loader, const tp_node *section)
{
    return load_sum(loader, section, tp_model_add_potential);
}

static tp_status load_dissipation(tp_loader *loader, const tp_node *section)
{
    return load_sum(loader, section, tp_model_add_dissipation);
}

/* Velocities of the mass matrix; where u = q' the name of a coordinate stands for its rate. */
static int mass_size(const tp_loader *loader)
{
    return loader->velocity_count > 0 ? loader->velocity_count : loader->coordinate_count;
}

static const char *mass_name(const tp_loader *loader, int i)
{
    return loader->velocity_count > 0 ? tp_model_velocity_name(loader->model, i)
                                      : tp_model_coordinate_name(loader->model, i);
}

/* Index of "x" or "x'"; -1: unknown. */
static int mass_index(const tp_loader *loader, const char *name)
{
    size_t length = strlen(name);
    bool is_rate = loader->velocity_count == 0 && length > 0 && name[length - 1] == '\'';
    for (int i = 0; i < mass_size(loader); i++) {
        const char *known = mass_name(loader, i);
        if (strcmp(known, name) == 0) return i;
        if (is_rate && strlen(known) == length - 1 && strncmp(known, name, length - 1) == 0) return i;
    }
    return -1;
}

/* A matrix must have as many rows and columns as there are of `what`. */
static tp_status check_square(tp_loader *loader, const tp_node *rows, int size, const char *what)
{
    if (rows->count != size) {
        return tp_node_fail(rows, loader->why, "found %d rows, but there are %d %s", rows->count, size, what);
    }
    for (const tp_node *row = rows->first; row; row = row->next) {
        if (row->count == size) continue;
        return tp_node_fail(row, loader->why, "found a row of %d, but there are %d %s", row->count, size,
                            what);
    }
    return TP_OK;
}

/* Same number, or same text but for spaces. */
static bool is_same_entry(const tp_node *a, const tp_node *b)
{
    tp_quantity qa, qb;
    if (tp_node_quantity(a, NULL, &qa, NULL) != TP_OK || tp_node_quantity(b, NULL, &qb, NULL) != TP_OK)
        return false;
    if (qa.is_number && qb.is_number) return qa.number == qb.number;
    const char *x = a->text, *y = b->text;
    for (;; x++, y++) {
        while (*x == ' ') x++;
        while (*y == ' ') y++;
        if (*x != *y) return false;
        if (*x == '\0') return true;
    }
}

static bool is_zero(const tp_node *entry)
{
    tp_quantity quantity;
    return tp_node_quantity(entry, NULL, &quantity, NULL) == TP_OK && quantity.is_number &&
           quantity.number == 0.0;
}

/* The upper triangle goes to the model; the lower one must agree with it. Entries 0 say nothing. */
static tp_status load_mass_rows(tp_loader *loader, const tp_node *rows)
{
    int size = mass_size(loader);
    TP_TRY(check_square(loader, rows, size, "velocities"));
    const tp_node **upper = TP_ARENA_ARRAY(loader->arena, const tp_node *, (size_t)size *(size_t)size + 1);
    if (!upper) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for the mass matrix");
    const tp_node *row = rows->first;
    for (int i = 0; i < size; i++, row = row->next) {
        const tp_node *entry = row->first;
        for (int j = 0; j < size; j++, entry = entry->next) {
            upper[i + (size_t)j * (size_t)size] = entry;
            if (j < i && !is_same_entry(upper[j + (size_t)i * (size_t)size], entry)) {
                return tp_node_fail(entry, loader->why,
                                    "the mass matrix must be symmetric, but row %d, column %d is '%s'; "
                                    "write the same text in both places",
                                    j + 1, i + 1,
                                    tp_excerpt_of(upper[j + (size_t)i * (size_t)size]->text).text);
            }
            if (j < i || is_zero(entry)) continue;
            TP_TRY(tp_load_told(loader, tp_model_add_mass(loader->model, mass_name(loader, i),
                                                          mass_name(loader, j), tp_load_function(entry))));
        }
    }
    return TP_OK;
}

static tp_status load_mass_entry(tp_loader *loader, const tp_node *entry, unsigned char *is_given)
{
    const char *names[2] = {"", ""};
    char *key = tp_arena_copy(loader->arena, entry->key, strlen(entry->key) + 1, 1);
    if (!key) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for the mass matrix");
    if (split(key, 2, names) != 2) {
        return tp_fail_at(loader->why, TP_INVALID_DATA, entry->key_place,
                          "mass: '%s' does not name an entry; write two velocities, like \"x,y\"",
                          tp_excerpt_of(entry->key).text);
    }
    int i = mass_index(loader, names[0]), j = mass_index(loader, names[1]);
    if (i >= 0 && j >= 0) { /* what is unknown is refused by the model */
        size_t place = (size_t)(i < j ? i : j) * (size_t)mass_size(loader) + (size_t)(i < j ? j : i);
        if (is_given[place]) {
            return tp_fail_at(loader->why, TP_INVALID_DATA, entry->key_place,
                              "mass: the entry '%s' is given twice; the matrix is symmetric, write it once",
                              tp_excerpt_of(entry->key).text);
        }
        is_given[place] = 1;
    }
    return tp_load_told(loader,
                        tp_model_add_mass(loader->model, names[0], names[1], tp_load_function(entry)));
}

static tp_status load_mass(tp_loader *loader, const tp_node *section)
{
    if (section->kind == TP_NODE_LIST) return load_mass_rows(loader, section);
    size_t size = (size_t)mass_size(loader);
    unsigned char *is_given = TP_ARENA_ARRAY(loader->arena, unsigned char, size *size + 1);
    if (!is_given) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for the mass matrix");
    for (const tp_node *entry = section->first; entry; entry = entry->next) {
        TP_TRY(load_mass_entry(loader, entry, is_given));
    }
    return TP_OK;
}

/* A matrix of numbers, column by column; NULL if it is not there. */
static tp_status load_matrix(tp_loader *loader, const tp_node *linear, const char *name, double **matrix_out)
{
    const tp_node *rows = tp_map_get(linear, name);
    const tp_key *key = tp_keys_find(&tp_linear_keys, NULL, name);
    size_t n = (size_t)loader->coordinate_count, i = 0;
    *matrix_out = NULL;
    if (!rows) return TP_OK;
    TP_TRY(check_square(loader, rows, loader->coordinate_count, "coordinates"));
    double *matrix = TP_ARENA_ARRAY(loader->arena, double, n *n + 1);
    if (!matrix) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for the matrix %s", name);
    for (const tp_node *row = rows->first; row; row = row->next, i++) {
        size_t j = 0;
        for (const tp_node *entry = row->first; entry; entry = entry->next, j++) {
            TP_TRY(tp_load_value(loader, entry, &tp_linear_keys, key, &matrix[i + j * n]));
        }
    }
    *matrix_out = matrix;
    return TP_OK;
}

static tp_status load_linear(tp_loader *loader, const tp_node *section)
{
    double *M, *C, *K;
    TP_TRY(load_matrix(loader, section, "M", &M));
    TP_TRY(load_matrix(loader, section, "C", &C));
    TP_TRY(load_matrix(loader, section, "K", &K));
    return tp_load_told(
        loader, tp_model_add_linear(loader->model, loader->coordinate_count, M, C, K, section->place));
}

/* ---- forces, initial values ---------------------------------------------------------------------------- */

static tp_status load_forces(tp_loader *loader, const tp_node *section)
{
    for (const tp_node *entry = section->first; entry; entry = entry->next) {
        if (section->kind == TP_NODE_LIST) {
            TP_TRY(tp_load_force(loader, entry));
            continue;
        }
        TP_TRY(tp_load_told(loader, tp_model_add_force(loader->model, entry->key, tp_load_function(entry))));
    }
    return TP_OK;
}

static tp_status load_initial(tp_loader *loader, const tp_node *section)
{
    const tp_key *key = tp_keys_find(&tp_scene_keys, NULL, "initial");
    for (const tp_node *entry = section->first; entry; entry = entry->next) {
        double value;
        TP_TRY(tp_load_value(loader, entry, &tp_scene_keys, key, &value));
        TP_TRY(
            tp_load_told(loader, tp_model_set_initial(loader->model, entry->key, value, entry->key_place)));
    }
    return TP_OK;
}

/* ---- sections ------------------------------------------------------------------------------------------ */

typedef struct section_loader {
    const char *name;
    tp_status (*load)(tp_loader *loader, const tp_node *section);
} section_loader;

static tp_status load_sections(tp_loader *loader, const section_loader *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const tp_node *section = tp_map_get(loader->root, list[k].name);
        if (section) TP_TRY(list[k].load(loader, section));
    }
    return TP_OK;
}

/* A formula knows the names of the sections before its own. */
tp_status tp_load_names(tp_loader *loader)
{
    static const section_loader list[] = {
        {"parameters", load_parameters}, {"coordinates", load_coordinates}, {"velocities", load_velocities},
        {"inputs", tp_load_inputs},      {"gravity", tp_load_gravity},      {"bodies", tp_load_bodies},
        {"ground", tp_load_ground},      {"definitions", load_definitions}, {"initial", load_initial},
    };
    return load_sections(loader, list, sizeof list / sizeof list[0]);
}

tp_status tp_load_motion(tp_loader *loader)
{
    static const section_loader list[] = {
        {"definitions", load_late_definitions},
        {"rates", load_rates},
        {"kinetic", load_kinetic},
        {"mass", load_mass},
        {"linear", load_linear},
        {"potential", load_potential},
        {"dissipation", load_dissipation},
        {"forces", load_forces},
    };
    return load_sections(loader, list, sizeof list / sizeof list[0]);
}
