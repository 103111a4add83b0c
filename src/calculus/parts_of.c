/* Which laws constrain the motion, and which of them share velocities. */
#include "parts_of.h"

#include "tolerances.h"

#include <math.h>

typedef struct search {
    tp_system *system;
    tp_arena *arena;
    bool with_contacts;
    double tolerance;
    tp_part_law *chosen;
    int chosen_count;
    int *parent;   /* [u_count] a forest: velocities of one part have one root */
    bool *is_held; /* [u_count] a law touches it                              */
    double *W;
} search;

static bool rests(search *s, int law, int from, int to)
{
    tp_system *system = s->system;
    double chi[TP_LAW_ROWS];
    const int *columns, count = tp_system_columns_of(system, law, &columns);
    tp_system_law_rows(system, law, s->W, chi);
    for (int k = from; k < to; k++) {
        double velocity = tp_row_velocity(count, columns, s->W + k * count, system->u) + chi[k],
               size = tp_row_size(count, columns, s->W + k * count, system->u) + fabs(chi[k]) +
                      system->model->summary.size;
        if (!(fabs(velocity) <= tp_moving_row * size)) return false;
    }
    return true;
}

/* How many rows of a law constrain the motion; 0: none. */
static int constraining_rows(search *s, int index)
{
    tp_system *system = s->system;
    const tp_law *law = tp_system_law(system, index);
    if (law->set.kind == TP_SET_FREE) return law->row_count;
    if (!s->with_contacts) return 0;
    if (law->level == TP_LEVEL_GAP) {
        double gap = tp_system_law_position(system, index);
        if (!(gap <= tp_law_closing_gap(system->model, law, s->tolerance)) || !rests(s, index, 0, 1))
            return 0;
        return law->row_count > 1 && rests(s, index, 1, law->row_count) ? law->row_count : 1;
    }
    bool can_hold = law->set.kind == TP_SET_FRICTION || law->set.kind == TP_SET_BOX;
    return can_hold && rests(s, index, 0, law->row_count) ? law->row_count : 0;
}

static int root_of(const search *s, int j)
{
    while (s->parent[j] != j) j = s->parent[j];
    return j;
}

static void join(search *s, int a, int b)
{
    int i = root_of(s, a), j = root_of(s, b);
    s->parent[i < j ? j : i] = i < j ? i : j;
}

static void choose_laws(search *s)
{
    tp_system *system = s->system;
    for (int k = 0; k < system->law_count; k++) {
        int rows = constraining_rows(s, k), count = tp_system_law_column_count(system, k);
        if (rows == 0 || count == 0) continue;
        const int *columns = tp_system_law_columns(system, k);
        s->chosen[s->chosen_count++] = (tp_part_law){k, rows};
        for (int c = 0; c < count; c++) {
            s->is_held[columns[c]] = true;
            join(s, columns[0], columns[c]);
        }
    }
}

/* The parts by their roots, with room for what they hold. */
static tp_status begin_parts(search *s, tp_parts_of *out, int *part_of)
{
    int m = s->system->u_count;
    for (int j = 0; j < m; j++) part_of[j] = -1;
    for (int j = 0; j < m; j++) {
        int root = root_of(s, j);
        if (s->is_held[j] && part_of[root] < 0) part_of[root] = out->count++;
    }
    out->list = TP_ARENA_ARRAY(s->arena, tp_part_of, out->count + 1);
    if (out->list == NULL) return TP_OUT_OF_MEMORY;
    for (int j = 0; j < m; j++)
        if (part_of[root_of(s, j)] >= 0) out->list[part_of[root_of(s, j)]].velocity_count++;
    for (int k = 0; k < s->chosen_count; k++) {
        int first = tp_system_law_columns(s->system, s->chosen[k].law)[0];
        out->list[part_of[root_of(s, first)]].law_count++;
    }
    for (int p = 0; p < out->count; p++) {
        tp_part_of *part = &out->list[p];
        part->laws = TP_ARENA_ARRAY(s->arena, tp_part_law, part->law_count + 1);
        part->velocities = TP_ARENA_ARRAY(s->arena, int, part->velocity_count + 1);
        part->law_count = part->velocity_count = 0;
    }
    return tp_arena_status(s->arena);
}

static tp_status make_parts(search *s, tp_parts_of *out)
{
    int m = s->system->u_count, *part_of = TP_ARENA_ARRAY(s->arena, int, m + 1);
    if (part_of == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(begin_parts(s, out, part_of));
    for (int j = 0; j < m; j++) {
        int p = part_of[root_of(s, j)];
        if (p >= 0) out->list[p].velocities[out->list[p].velocity_count++] = j;
    }
    for (int k = 0; k < s->chosen_count; k++) {
        int first = tp_system_law_columns(s->system, s->chosen[k].law)[0];
        tp_part_of *part = &out->list[part_of[root_of(s, first)]];
        part->laws[part->law_count++] = s->chosen[k];
    }
    return TP_OK;
}

tp_status tp_parts_find(tp_arena *arena, tp_system *system, bool with_contacts, double tolerance,
                        tp_parts_of *out)
{
    const tp_model *model = system->model;
    bool changed;
    *out = (tp_parts_of){0};
    tp_system_move(system, 0.0, model->q0, model->u0);
    if (with_contacts) {
        tp_contact_reach reach = {.margin = tolerance * model->summary.size};
        TP_TRY(tp_system_find_contacts(system, &reach, NULL, &changed));
        tp_system_move(system, 0.0, model->q0, model->u0);
    }
    int m = system->u_count;
    search s = {.system = system,
                .arena = arena,
                .with_contacts = with_contacts,
                .tolerance = tolerance,
                .chosen = TP_ARENA_ARRAY(arena, tp_part_law, system->law_count + 1),
                .parent = TP_ARENA_ARRAY(arena, int, m + 1),
                .is_held = TP_ARENA_ARRAY(arena, bool, m + 1),
                .W = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS *(m + 1))};
    TP_TRY(tp_arena_status(arena));
    for (int j = 0; j < m; j++) s.parent[j] = j;
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        for (int k = 1; k < body->u_count; k++) join(&s, body->u_first, body->u_first + k);
    }
    for (int j = 1; j < system->general_u && system->own_velocities; j++) join(&s, 0, j);
    if (system->own_velocities && system->general_u > 0) s.is_held[0] = system->general_u < system->general_q;
    choose_laws(&s);
    return make_parts(&s, out);
}
