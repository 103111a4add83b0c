/* Contacts of pairs of shapes, summed over their points. */
#include "column_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/output/column_path.h"

/* The columns of the table that are read, in the order of `names`. */
typedef enum contact_part {
    PART_ROW,
    PART_A,
    PART_B,
    PART_NORMAL,
    PART_TANGENT1,
    PART_TANGENT2,
    PART_NORMAL_X,
    PART_NORMAL_Y,
    PART_NORMAL_Z,
    PART_COUNT
} contact_part;

typedef struct contact_table {
    long long count;
    const double *values[PART_COUNT];
    const tp_table_labels *shapes;
} contact_table;

static bool open_table(const tp_trajectory *trajectory, contact_table *out)
{
    static const char *const names[PART_COUNT] = {"row",       "shape_a",    "shape_b",
                                                  "impulse_N", "impulse_T1", "impulse_T2",
                                                  "normal_x",  "normal_y",   "normal_z"};
    const tp_table *table = tp_trajectory_table(trajectory, "contacts");
    *out = (contact_table){0};
    if (table == NULL) return false;
    out->count = table->row_count;
    if (!tp_table_values(table, names, PART_COUNT, out->values) || table->labels == NULL) return false;
    out->shapes = table->labels[tp_table_find(table, names[PART_A])];
    return out->shapes != NULL;
}

/* The name of a shape; NULL for a number that is none. */
static const char *shape_name(const contact_table *table, double number)
{
    bool is_there = number >= 0.0 && number < (double)table->shapes->count && number == floor(number);
    return is_there ? table->shapes->words[(int)number] : NULL;
}

static int compare_keys(const void *a, const void *b)
{
    unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;
    return x < y ? -1 : x > y;
}

/* Whether a contact point transmits friction. */
static bool has_friction(const contact_table *table, long long k)
{
    return fabs(table->values[PART_TANGENT1][k]) > 0.0 || fabs(table->values[PART_TANGENT2][k]) > 0.0;
}

/* One number for each contact, that of its pair of shapes and whether it transmits friction: sorted, contacts
   of a pair stand together, those with friction last. */
static size_t make_keys(const contact_table *table, unsigned long long *keys)
{
    size_t count = 0;
    unsigned long long shapes = (unsigned long long)table->shapes->count;
    for (long long k = 0; k < table->count; k++) {
        double a = table->values[PART_A][k], b = table->values[PART_B][k];
        if (shape_name(table, a) == NULL || shape_name(table, b) == NULL) continue;
        unsigned long long pair = (unsigned long long)a * shapes + (unsigned long long)b;
        keys[count++] = 2 * pair + (has_friction(table, k) ? 1 : 0);
    }
    qsort(keys, count, sizeof keys[0], compare_keys);
    return count;
}

tp_status tp_pairs_find(const tp_trajectory *trajectory, tp_arena *arena, tp_contact_pair *pairs_out,
                        int *count_out, int *all_count_out)
{
    contact_table table;
    *count_out = *all_count_out = 0;
    if (!open_table(trajectory, &table)) return TP_OK;
    unsigned long long *keys = TP_ARENA_ARRAY(arena, unsigned long long, (size_t)table.count + 1);
    if (keys == NULL) return TP_OUT_OF_MEMORY;
    size_t count = make_keys(&table, keys), shapes = (size_t)table.shapes->count;
    for (size_t k = 0; k < count; k++) {
        unsigned long long pair = keys[k] / 2;
        if (k + 1 < count && keys[k + 1] / 2 == pair) continue; /* the last of a pair stands for it */
        (*all_count_out)++;
        if (*count_out == TP_PLOT_PAIRS_MAX) continue;
        pairs_out[(*count_out)++] = (tp_contact_pair){.shape_a = table.shapes->words[pair / shapes],
                                                      .shape_b = table.shapes->words[pair % shapes],
                                                      .has_friction = keys[k] % 2 == 1};
    }
    return TP_OK;
}

static bool is_of_pair(const contact_table *table, const tp_contact_pair *pair, long long k)
{
    const char *a = shape_name(table, table->values[PART_A][k]),
               *b = shape_name(table, table->values[PART_B][k]);
    return a != NULL && b != NULL && strcmp(a, pair->shape_a) == 0 && strcmp(b, pair->shape_b) == 0;
}

bool tp_pair_is_there(const tp_trajectory *trajectory, const tp_contact_pair *pair)
{
    contact_table table;
    if (!open_table(trajectory, &table)) return false;
    for (long long k = 0; k < table.count; k++) {
        if (is_of_pair(&table, pair, k)) return true;
    }
    return false;
}

/* Tangential impulse of a contact as a vector in the world: the frames of docs/theory/contacts-geometry.md.
 */
static tp_vec3 friction_at(const contact_table *table, long long k)
{
    double first = table->values[PART_TANGENT1][k], second = table->values[PART_TANGENT2][k];
    tp_vec3 n = tp_vec3_make(table->values[PART_NORMAL_X][k], table->values[PART_NORMAL_Y][k],
                             table->values[PART_NORMAL_Z][k]);
    if (isnan(first)) return tp_vec3_zero();
    if (isnan(second)) return tp_vec3_scale(first, tp_vec3_make(n.y, -n.x, 0.0)); /* planar bodies */
    tp_mat3 axes = tp_frame_from_normal(n);
    return tp_vec3_add(tp_vec3_scale(first, axes.cy), tp_vec3_scale(second, axes.cz));
}

double *tp_pair_values(const tp_trajectory *trajectory, const tp_contact_pair *pair, tp_arena *arena)
{
    contact_table table;
    size_t count = (size_t)trajectory->row_count;
    const double *time = trajectory->values[0];
    double *force = TP_ARENA_ARRAY(arena, double, count + 1);
    tp_vec3 *sum = TP_ARENA_ARRAY(arena, tp_vec3, count + 1); /* x alone for normal forces */
    if (force == NULL || sum == NULL || !open_table(trajectory, &table)) return NULL;
    for (size_t r = 0; r < count; r++) sum[r] = tp_vec3_zero();
    for (long long k = 0; k < table.count; k++) {
        double row = table.values[PART_ROW][k];
        if (!(row >= 0.0 && row < (double)count) || !is_of_pair(&table, pair, k)) continue;
        tp_vec3 impulse = tp_vec3_make(table.values[PART_NORMAL][k], 0.0, 0.0);
        if (pair->is_friction) impulse = friction_at(&table, k);
        sum[(size_t)row] = tp_vec3_add(sum[(size_t)row], impulse);
    }
    for (size_t r = 0; r < count; r++) {
        double passed = r > 0 ? time[r] - time[r - 1] : 0.0;
        double impulse = pair->is_friction ? tp_vec3_norm(sum[r]) : sum[r].x;
        force[r] = passed > 0.0 ? impulse / passed : NAN;
    }
    return force;
}
