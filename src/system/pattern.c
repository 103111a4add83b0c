/* Which velocities belong together: patterns of the mass matrix and of the derivatives of forces, columns of
   the rows of laws. Found once from what the formulas and elements depend on. */
#include "base/sort.h"
#include "math/sparse.h"
#include "parts.h"

#include <string.h>

/* A set of velocities, and the entries of a pattern that grows. */
typedef struct collector {
    tp_system *system;
    tp_arena *arena;
    unsigned char *is_marked; /* [u_count] */
    int *member, count;       /* the set   */
    int *row, *col, entries, capacity;
} collector;

static void mark(collector *c, int velocity)
{
    if (c->is_marked[velocity]) return;
    c->is_marked[velocity] = 1;
    c->member[c->count++] = velocity;
}

static void clear(collector *c)
{
    for (int k = 0; k < c->count; k++) c->is_marked[c->member[k]] = 0;
    c->count = 0;
}

static void mark_coordinate(collector *c, int i)
{
    tp_image image = tp_coordinate_image(c->system, i, 0);
    for (int k = 0; k < image.count; k++) mark(c, image.index[k]);
}

static void mark_velocity(collector *c, int j)
{
    tp_image image = tp_velocity_image(c->system, j, 0);
    for (int k = 0; k < image.count; k++) mark(c, image.index[k]);
}

static void mark_scalar(collector *c, const tp_scalar *scalar)
{
    for (int k = 0; k < scalar->slot_count; k++) {
        int slot = scalar->slots[k], i = tp_slot_index(slot);
        if (!tp_slot_is_of_motion(slot)) continue;
        if (tp_slot_kind_of(slot) == TP_SLOT_IS_VELOCITY)
            mark_velocity(c, i);
        else
            mark_coordinate(c, i);
    }
}

static void mark_body(collector *c, int body)
{
    if (body == TP_GROUND) return;
    const tp_body *b = TP_LIST_AT(c->system->model->bodies, tp_body, body);
    for (int k = 0; k < b->u_count; k++) mark(c, b->u_first + k);
}

static void add_entry(collector *c, int row, int col)
{
    if (c->entries == c->capacity) {
        int capacity = 2 * c->capacity + 64;
        int *rows = TP_ARENA_ARRAY(c->arena, int, capacity), *cols = TP_ARENA_ARRAY(c->arena, int, capacity);
        if (rows == NULL || cols == NULL) return; /* take_pattern says so */
        if (c->entries > 0) {
            memcpy(rows, c->row, (size_t)c->entries * sizeof *rows);
            memcpy(cols, c->col, (size_t)c->entries * sizeof *cols);
        }
        c->row = rows;
        c->col = cols;
        c->capacity = capacity;
    }
    c->row[c->entries] = row;
    c->col[c->entries++] = col;
}

/* All pairs of the set, which is emptied. */
static void add_square(collector *c)
{
    for (int j = 0; j < c->count; j++) {
        for (int i = 0; i < c->count; i++) add_entry(c, c->member[i], c->member[j]);
    }
    clear(c);
}

static void add_scalars(collector *c, const tp_list *scalars)
{
    for (int i = 0; i < scalars->count; i++) {
        mark_scalar(c, TP_LIST_AT(*scalars, tp_scalar, i));
        add_square(c);
    }
}

static void add_general(collector *c)
{
    for (int j = 0; j < c->system->general_u; j++) mark(c, j);
    add_square(c);
}

static void collect_jacobian(collector *c)
{
    const tp_model *model = c->system->model;
    add_general(c);
    for (int b = 0; b < model->bodies.count; b++) {
        mark_body(c, b);
        add_square(c);
    }
    add_scalars(c, &model->potential);
    add_scalars(c, &model->dissipation);
    for (int i = 0; i < model->springs.count; i++) {
        mark_scalar(c, &TP_LIST_AT(model->springs, tp_spring_contact, i)->gap);
        add_square(c);
    }
    for (int i = 0; i < model->elements.count; i++) {
        const tp_model_force *force = TP_LIST_AT(model->elements, tp_model_force, i);
        mark_body(c, force->body_a);
        mark_body(c, force->body_b);
        add_square(c);
    }
    for (int i = 0; i < model->wrenches.count; i++) {
        const tp_model_wrench *wrench = TP_LIST_AT(model->wrenches, tp_model_wrench, i);
        mark_body(c, wrench->body);
        for (int k = 0; k < 3; k++) {
            mark_scalar(c, &wrench->force[k]);
            mark_scalar(c, &wrench->moment[k]);
        }
        add_square(c);
    }
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        if (entry->on_velocity) {
            mark_velocity(c, entry->index);
        } else {
            mark_coordinate(c, entry->index);
        }
        mark_scalar(c, &entry->value);
        add_square(c);
    }
}

/* The collected entries as a pattern; the collector is emptied. */
static tp_status take_pattern(collector *c, tp_arena *arena, tp_sparse *pattern_out)
{
    int n = c->system->u_count;
    double *ones = TP_ARENA_ARRAY(c->arena, double, c->entries);
    TP_TRY(tp_arena_status(c->arena));
    for (int k = 0; k < c->entries; k++) ones[k] = 1.0;
    tp_entries entries = {n, n, c->entries, c->row, c->col, ones};
    TP_TRY(tp_sparse_compress_with(c->arena, c->arena, &entries, pattern_out));
    c->entries = 0;
    /* without values, and without room for the entries that came several times */
    pattern_out->start = tp_arena_copy(arena, pattern_out->start, (size_t)n + 1, sizeof(int));
    if (pattern_out->start == NULL) return TP_OUT_OF_MEMORY;
    pattern_out->index = tp_arena_copy(arena, pattern_out->index, (size_t)pattern_out->start[n], sizeof(int));
    pattern_out->value = NULL;
    return tp_arena_status(arena);
}

static void mark_law(collector *c, const tp_law *law)
{
    int bodies[TP_LAW_BODIES], count = tp_elements_law_bodies(c->system->model, law, bodies);
    for (int k = 0; k < count; k++) mark_body(c, bodies[k]);
    for (int k = 0; k < law->row_count && law->source == TP_SOURCE_FORMULA; k++) mark_scalar(c, &law->row[k]);
}

/* Velocities of two bodies whose shapes may touch, at most. */
static int largest_contact(const tp_model *model)
{
    int most[2] = {0, 0};
    for (int b = 0; b < model->bodies.count && model->rules.count > 0; b++) {
        int count = TP_LIST_AT(model->bodies, tp_body, b)->u_count;
        if (count > most[0]) {
            most[1] = most[0];
            most[0] = count;
        } else if (count > most[1]) {
            most[1] = count;
        }
    }
    return most[0] + most[1];
}

static tp_status find_columns(collector *c)
{
    tp_system *system = c->system;
    const tp_list *laws = &system->model->laws, *springs = &system->model->springs;
    system->column_start = TP_ARENA_ARRAY(&system->arena, int, laws->count + springs->count + 1);
    if (system->column_start == NULL) return TP_OUT_OF_MEMORY;
    for (int pass = 0, total = 0; pass < 2; pass++, total = 0) { /* count, then write */
        for (int i = 0; i < laws->count + springs->count; i++) {
            if (i < laws->count) {
                mark_law(c, TP_LIST_AT(*laws, tp_law, i));
            } else {
                mark_scalar(c, &TP_LIST_AT(*springs, tp_spring_contact, i - laws->count)->gap);
            }
            if (pass == 1) {
                tp_sort_ints(c->member, c->count);
                memcpy(system->column + total, c->member, (size_t)c->count * sizeof(int));
            }
            total += c->count;
            if (c->count > system->largest_columns) system->largest_columns = c->count;
            system->column_start[i + 1] = total;
            clear(c);
        }
        if (pass == 0) system->column = TP_ARENA_ARRAY(&system->arena, int, total);
        if (system->column == NULL) return TP_OUT_OF_MEMORY;
    }
    int columns = largest_contact(system->model);
    if (columns > system->largest_columns) system->largest_columns = columns;
    return TP_OK;
}

int tp_pattern_search(const tp_sparse *pattern, int i, int j)
{
    int start = pattern->start[j];
    return start + tp_find_int(pattern->index + start, pattern->start[j + 1] - start, i);
}

int *tp_pattern_places(tp_arena *arena, const tp_sparse *part, const tp_sparse *whole)
{
    int *place = TP_ARENA_ARRAY(arena, int, tp_sparse_count(part));
    for (int j = 0; j < part->cols && place != NULL; j++) {
        for (int k = part->start[j]; k < part->start[j + 1]; k++)
            place[k] = tp_pattern_place(whole, part->index[k], j);
    }
    return place;
}

/* Velocities of a body that its inertia couples with velocity c, ascending; returns how many. Rotations come
   last; of an affine body the same component of all three directions belongs together. */
static int coupled_velocities(const tp_body *body, int c, int *out)
{
    bool is_affine = body->kind == TP_BODY_AFFINE,
         turns = body->kind == TP_BODY_RIGID || body->kind == TP_BODY_SCALABLE;
    int single = is_affine ? 3 : turns ? body->u_count - 3 : body->u_count;
    if (c < single) {
        out[0] = body->u_first + c;
        return 1;
    }
    for (int k = 0; k < 3; k++) out[k] = body->u_first + (is_affine ? 3 + 3 * k + c % 3 : single + k);
    return 3;
}

/* Columns in order, index NULL: only where they start. */
static void write_mass_pattern(const tp_system *system, int *start, int *index)
{
    int general = system->general_u, count = 0;
    for (int j = 0; j < general; j++) {
        for (int i = 0; i < general && index != NULL; i++) index[count + i] = i;
        start[j + 1] = count += general;
    }
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        for (int c = 0; c < body->u_count; c++) {
            int rows[3], n = coupled_velocities(body, c, rows);
            for (int k = 0; k < n && index != NULL; k++) index[count + k] = rows[k];
            start[body->u_first + c + 1] = count += n;
        }
    }
}

static tp_status find_mass_pattern(tp_system *system)
{
    tp_sparse *pattern = &system->mass_pattern;
    pattern->rows = pattern->cols = system->u_count;
    pattern->start = TP_ARENA_ARRAY(&system->arena, int, system->u_count + 1);
    if (pattern->start == NULL) return TP_OUT_OF_MEMORY;
    write_mass_pattern(system, pattern->start, NULL);
    pattern->index = TP_ARENA_ARRAY(&system->arena, int, tp_sparse_count(pattern));
    if (pattern->index == NULL) return TP_OUT_OF_MEMORY;
    write_mass_pattern(system, pattern->start, pattern->index);
    return TP_OK;
}

static tp_status find_patterns(collector *c)
{
    tp_system *system = c->system;
    TP_TRY(find_mass_pattern(system));
    if (system->options.has_no_derivatives) return find_columns(c);
    collect_jacobian(c);
    TP_TRY(take_pattern(c, &system->arena, &system->jacobian_pattern));
    system->mass_place = tp_pattern_places(&system->arena, &system->mass_pattern, &system->jacobian_pattern);
    if (system->mass_place == NULL) return TP_OUT_OF_MEMORY;
    return find_columns(c);
}

/* A collector without members, with memory from the scratch arena of the system, which stays for the next. */
static collector open_collector(tp_system *system)
{
    tp_arena *scratch = &system->pattern_scratch;
    tp_arena_reset(scratch, 0);
    return (collector){.system = system,
                       .arena = scratch,
                       .is_marked = TP_ARENA_ARRAY(scratch, unsigned char, system->u_count),
                       .member = TP_ARENA_ARRAY(scratch, int, system->u_count)};
}

tp_status tp_system_find_patterns(tp_system *system)
{
    collector c = open_collector(system);
    tp_status status = tp_arena_status(c.arena);
    if (status == TP_OK) status = find_patterns(&c);
    tp_arena_clear(c.arena); /* integrators that need no pattern of their steps never use it again */
    return status;
}

/* The columns of a law with themselves. */
static void add_columns(collector *c, int law)
{
    const int *columns = tp_system_law_columns(c->system, law);
    for (int k = 0; k < tp_system_law_column_count(c->system, law); k++) mark(c, columns[k]);
    add_square(c);
}

tp_status tp_system_find_step_pattern(tp_arena *arena, tp_system *system, tp_sparse *pattern_out)
{
    collector c = open_collector(system);
    TP_TRY(tp_arena_status(c.arena));
    collect_jacobian(&c);
    for (int i = 0; i < system->fixed_count; i++) add_columns(&c, i);
    for (int i = 0; i < system->pair_count; i++) /* all points of a pair have the same */
        add_columns(&c, system->fixed_count + system->pairs[i].first);
    return take_pattern(&c, arena, pattern_out);
}
