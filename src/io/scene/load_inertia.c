/* Inertia and energies of a scene's coordinates: kinetic, mass, linear, potential, dissipation. */
#include <string.h>

#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- energies ------------------------------------------------------------------------------------------ */

LOADS(tp_load_kinetic, tp_model_add_kinetic(loader->model, tp_load_function(node)))
LOADS(tp_load_potential, tp_model_add_potential(loader->model, tp_load_function(node)))
LOADS(tp_load_dissipation, tp_model_add_dissipation(loader->model, tp_load_function(node)))

/* ---- mass ---------------------------------------------------------------------------------------------- */

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
tp_status tp_load_mass_rows(tp_loader *loader, const tp_node *rows, void *into)
{
    (void)into;
    int size = mass_size(loader);
    TP_TRY(check_square(loader, rows, size, "velocities"));
    const tp_node **upper = TP_ARENA_ARRAY(loader->arena, const tp_node *, (size_t)size *(size_t)size + 1);
    if (!upper) return tp_load_no_memory(loader);
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

/* False: it was named before, perhaps with its velocities exchanged. */
static bool note_entry(tp_loader *loader, int i, int j)
{
    size_t place = (size_t)(i < j ? i : j) * (size_t)mass_size(loader) + (size_t)(i < j ? j : i);
    return loader->has_mass_entry[place]++ == 0;
}

tp_status tp_load_mass_entry(tp_loader *loader, const tp_node *entry, void *into)
{
    (void)into;
    const char *names[2] = {"", ""};
    size_t size = (size_t)mass_size(loader);
    char *key = tp_arena_copy(loader->arena, entry->key, strlen(entry->key) + 1, 1);
    if (!loader->has_mass_entry) {
        loader->has_mass_entry = TP_ARENA_ARRAY(loader->arena, unsigned char, size *size + 1);
    }
    if (!key || !loader->has_mass_entry) return tp_load_no_memory(loader);
    if (tp_load_split(key, 2, names) != 2) {
        return tp_fail_at(loader->why, TP_INVALID_DATA, entry->key_place,
                          "mass: '%s' does not name an entry; write two velocities, like \"x,y\"",
                          tp_excerpt_of(entry->key).text);
    }
    int i = mass_index(loader, names[0]), j = mass_index(loader, names[1]);
    if (i >= 0 && j >= 0 && !note_entry(loader, i, j)) { /* what is unknown is refused by the model */
        return tp_fail_at(loader->why, TP_INVALID_DATA, entry->key_place,
                          "mass: the entry '%s' is given twice; the matrix is symmetric, write it once",
                          tp_excerpt_of(entry->key).text);
    }
    return tp_load_told(loader,
                        tp_model_add_mass(loader->model, names[0], names[1], tp_load_function(entry)));
}

/* ---- linear -------------------------------------------------------------------------------------------- */

typedef struct linear {
    const double *M, *C, *K; /* column by column; NULL: none */
    tp_place place;
} linear;

/* A matrix of numbers, column by column. */
static tp_status load_matrix(tp_loader *loader, const tp_node *rows, void *into)
{
    size_t n = (size_t)loader->coordinate_count, i = 0;
    static const tp_key entry_key = {.kind = TP_VALUE_QUANTITY};
    TP_TRY(check_square(loader, rows, loader->coordinate_count, "coordinates"));
    double *matrix = TP_ARENA_ARRAY(loader->arena, double, n *n + 1);
    if (!matrix) return tp_load_no_memory(loader);
    for (const tp_node *row = rows->first; row; row = row->next, i++) {
        size_t j = 0;
        for (const tp_node *entry = row->first; entry; entry = entry->next, j++) {
            TP_TRY(tp_load_value(loader, entry, &entry_key, &matrix[i + j * n]));
        }
    }
    *(const double **)into = matrix;
    return TP_OK;
}

#define ROW_MATRIX(member, ...)                                                                              \
    {                                                                                                        \
        .name = #member, .kind = TP_VALUE_QUANTITY, .form = TP_FORM_ROWS, TP_INTO(linear, member),           \
        .load = load_matrix, .text = __VA_ARGS__                                                             \
    }

static const tp_key linear_keys[] = {
    ROW_MATRIX(M, "mass matrix, symmetric", .flags = TP_KEY_REQUIRED),
    ROW_MATRIX(C, "damping and gyroscopic matrix"),
    ROW_MATRIX(K, "stiffness matrix, symmetric"),
};

static tp_status add_linear(tp_loader *loader, const tp_node *map, void *made)
{
    const linear *is = made;
    return tp_load_told(loader, tp_model_add_linear(loader->model, loader->coordinate_count, is->M, is->C,
                                                    is->K, map->place));
}

TP_BEGINS(begin_linear, linear, ((linear){.M = NULL}))
const tp_key_table tp_linear_keys =
    TABLE("linear", linear_keys,
          "M q'' + C q' + K q = other forces. Rows and columns in the order of the coordinates.",
          TP_MAKES(linear, begin_linear, add_linear));
