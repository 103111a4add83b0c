/* Contacts and laws on velocities in a model of minimal coordinates: their rows are C functions that ask a
   reduction; docs/theory/holonomy.md (14a). */
#include "math/dense.h"
#include "math/differences.h"
#include "reduction.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Contacts of shapes come and go, and sets that follow reactions have none here. */
static bool keeps(const tp_law *law)
{
    return law->set.kind != TP_SET_FREE && law->source != TP_SOURCE_PAIR && law->master_count == 0;
}

/* The row over the velocities at t, y, y'; the system stands there. Its velocity; NaN: the coordinates fail.
 */
static double row_at(tp_reduction *r, const tp_reduced_row *own, double t, const double *y,
                     const double *rate)
{
    double chi[TP_LAW_ROWS];
    if (tp_reduction_lift(r, t, y, rate, r->lifted_q, r->lifted_u) != TP_OK) return NAN;
    tp_system_move(r->system, t, r->lifted_q, r->lifted_u);
    const int *columns, count = tp_system_columns_of(r->system, own->law, &columns);
    tp_system_law_rows(r->system, own->law, r->W, chi);
    memset(r->row, 0, (size_t)r->m * sizeof(double));
    for (int j = 0; j < count; j++) r->row[columns[j]] = r->W[own->row * count + j];
    return chi[own->row] + tp_dense_dot(r->m, r->row, r->lifted_u);
}

static double value(void *self, double t, const double *y, const double *rate)
{
    const tp_reduced_row *own = self;
    tp_reduction *r = own->reduction;
    double velocity = row_at(r, own, t, y, own->is_position ? r->no_rate : rate);
    return own->is_position && isfinite(velocity) ? tp_system_law_position(r->system, own->law) : velocity;
}

/* Velocities change with y and t by differences of four points. */
static double slope(const tp_reduced_row *own, double t, const double *y, const double *rate, int along)
{
    tp_reduction *r = own->reduction;
    double sum = 0.0;
    for (int e = 0; e < TP_DIFFERENCE_POINTS; e++) {
        memcpy(r->beside, y, (size_t)r->count * sizeof(double));
        double by = tp_difference_offset[e] * tp_difference_step;
        if (along > 0) r->beside[along - 1] += by;
        sum += tp_difference_weight[e] * row_at(r, own, along == 0 ? t + by : t, r->beside, rate);
    }
    return sum / (12.0 * tp_difference_step);
}

static void gradient(void *self, double t, const double *y, const double *rate, double *d_t, double *d_q,
                     double *d_u)
{
    const tp_reduced_row *own = self;
    tp_reduction *r = own->reduction;
    int m = r->m;
    double still = row_at(r, own, t, y, r->no_rate), *along = own->is_position ? d_q : d_u;
    bool is_there = isfinite(still); /* then K has its factors there */
    for (int k = 0; k < r->count; k++) {
        d_q[k] = d_u[k] = 0.0;
        memset(r->S, 0, (size_t)m * sizeof(double));
        r->S[r->row_count + k] = 1.0;
        if (is_there) tp_dense_lu_solve(m, r->K, m, r->pivot, r->S);
        along[k] = is_there ? tp_dense_dot(m, r->row, r->S) : NAN;
    }
    *d_t = still; /* of a position: its velocity while only time runs */
    if (own->is_position) return;
    *d_t = slope(own, t, y, rate, 0);
    for (int k = 0; k < r->count; k++) d_q[k] = slope(own, t, y, rate, 1 + k);
}

static tp_status add_contact(tp_model *model, const tp_law *law, const tp_function *rows, tp_law_id *id,
                             tp_message *why)
{
    tp_contact_def def = tp_contact_def_default();
    def.name = law->name;
    def.gap = rows[0];
    def.slip_count = law->row_count - 1;
    def.drilling_radius = 1.0; /* rows are scaled already */
    for (int k = 1; k < law->row_count; k++) def.slip[k - 1] = rows[k];
    return tp_model_add_contact(model, &def, id, why);
}

static tp_status add_velocity_law(tp_model *model, const tp_law *law, const tp_function *rows, tp_law_id *id,
                                  tp_message *why)
{
    tp_law_def def = tp_law_def_default();
    def.name = law->name;
    def.kind = TP_LAW_FRICTION;
    def.velocity_count = law->row_count;
    for (int k = 0; k < law->row_count; k++) def.velocity[k] = rows[k];
    return tp_model_add_law(model, &def, id, why);
}

tp_status tp_reduction_add_laws(tp_reduction *r, tp_model *model, tp_message *why)
{
    int used = 0, laws = r->model->laws.count;
    tp_reduced_row *rows = TP_ARENA_ARRAY(&r->arena, tp_reduced_row, laws * TP_LAW_ROWS + 1);
    if (rows == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < laws; i++) {
        const tp_law *law = TP_LIST_AT(r->model->laws, tp_law, i);
        tp_function functions[TP_LAW_ROWS];
        tp_law_id id;
        if (!keeps(law)) continue;
        for (int k = 0; k < law->row_count; k++) {
            rows[used] = (tp_reduced_row){r, i, k, k == 0 && law->level == TP_LEVEL_GAP};
            functions[k] = (tp_function){.self = &rows[used++], .value = value, .gradient = gradient};
        }
        TP_TRY(law->level == TP_LEVEL_GAP ? add_contact(model, law, functions, &id, why)
                                          : add_velocity_law(model, law, functions, &id, why));
        tp_law *own = TP_LIST_AT(model->laws, tp_law, model->laws.count - 1); /* the same law on other rows */
        own->set = law->set;
        own->is_force_bound = law->is_force_bound;
        own->angle_rows = law->angle_rows;
        memcpy(own->restitution, law->restitution, sizeof own->restitution);
    }
    return TP_OK;
}

const char *tp_reduction_left_out(const tp_reduction *reduction, int i)
{
    const tp_model *model = reduction->model;
    for (int k = 0; k < model->laws.count; k++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, k);
        if (law->set.kind != TP_SET_FREE && !keeps(law) && i-- == 0) return law->name;
    }
    return i >= 0 && i < model->rules.count ? TP_LIST_AT(model->rules, tp_contact_rule, i)->name : NULL;
}
