/* Law of interaction: forces between bodies do no work on motions of all of them as one rigid body;
   docs/theory/holonomy.md (17). */
#include "tippe/analysis.h"

#include "system/system.h"
#include "tolerances.h"

#include <math.h>

/* Net force and moment of a row over all velocities, and the sums of their sizes. */
typedef struct resultant {
    tp_vec3 force, moment; /* about the origin */
    double force_size, moment_size;
    int body_count;
} resultant;

static void add_body(const tp_system *system, int index, const double *row, resultant *sum)
{
    const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, index);
    const tp_frame *frame = &tp_system_body(system, index)->frame;
    const double *own = row + body->u_first;
    bool acts = false, is_planar = body->kind == TP_BODY_PLANAR;
    for (int k = 0; k < body->u_count; k++) acts |= own[k] != 0.0;
    if (!acts) return;
    tp_vec3 f = tp_vec3_make(own[0], own[1], is_planar ? 0.0 : own[2]), m = tp_vec3_zero();
    if (is_planar) m = tp_vec3_make(0.0, 0.0, own[2]);
    if (body->kind == TP_BODY_RIGID) m = tp_mat3_apply(frame->D, tp_vec3_from_array(own + 3));
    if (body->kind == TP_BODY_SCALABLE) /* R times s: its velocities are s times the angular velocity */
        m = tp_mat3_apply(frame->D, tp_vec3_from_array(own + 4));
    tp_vec3 moment = tp_vec3_add(m, tp_vec3_cross(frame->r, f));
    sum->force = tp_vec3_add(sum->force, f);
    sum->moment = tp_vec3_add(sum->moment, moment);
    sum->force_size += tp_vec3_norm(f);
    sum->moment_size += tp_vec3_norm(m) + tp_vec3_norm(frame->r) * tp_vec3_norm(f);
    sum->body_count++;
}

static resultant resultant_of(const tp_system *system, const double *row)
{
    resultant sum = {.force = {0.0, 0.0, 0.0}};
    for (int b = 0; b < system->model->bodies.count; b++) add_body(system, b, row, &sum);
    return sum;
}

/* Adds what a row leaves to the test of its law. */
static void note(const tp_system *system, const double *row, tp_interaction_test *test)
{
    resultant sum = resultant_of(system, row);
    double size = system->model->summary.size, forces = sum.force_size + sum.moment_size / size;
    if (sum.body_count > test->body_count) test->body_count = sum.body_count;
    if (forces == 0.0) return;
    test->force = fmax(test->force, tp_vec3_norm(sum.force) / forces);
    test->moment = fmax(test->moment, tp_vec3_norm(sum.moment) / (forces * size));
}

static bool test_law(tp_system *system, int law, double *W, double *row, tp_interaction_test *out)
{
    double chi[TP_LAW_ROWS];
    const int *columns, count = tp_system_columns_of(system, law, &columns);
    *out = (tp_interaction_test){.name = tp_system_law(system, law)->name};
    for (int c = 0; c < count; c++)
        if (columns[c] < system->general_u) return false; /* where they act is not known */
    tp_system_law_rows(system, law, W, chi);
    for (int k = 0; k < tp_system_law(system, law)->row_count; k++) {
        for (int c = 0; c < count; c++) row[columns[c]] = W[k * count + c];
        note(system, row, out);
        for (int c = 0; c < count; c++) row[columns[c]] = 0.0;
    }
    out->is_internal = out->force <= tp_interaction_rest && out->moment <= tp_interaction_rest;
    return out->body_count > 1;
}

int tp_interaction_test_model(const tp_allocator *allocator, const tp_model *model, int capacity,
                              tp_interaction_test *tests_out)
{
    tp_system *system = NULL;
    int count = -1;
    tp_arena arena = tp_arena_make(allocator);
    if (tp_system_create(allocator, model, &system) == TP_OK) {
        double *W = TP_ARENA_ARRAY(&arena, double, TP_LAW_ROWS *(system->u_count + 1)),
               *row = TP_ARENA_ARRAY(&arena, double, system->u_count + 1);
        tp_system_move(system, 0.0, model->q0, model->u0);
        if (tp_arena_status(&arena) == TP_OK) count = 0;
        for (int law = 0; law < system->fixed_count && count >= 0; law++) {
            tp_interaction_test test;
            if (!test_law(system, law, W, row, &test)) continue;
            if (count < capacity) tests_out[count] = test;
            count++;
        }
    }
    tp_system_free(system);
    tp_arena_clear(&arena);
    return count;
}
