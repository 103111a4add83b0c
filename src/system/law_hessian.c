/* Second derivatives of position rows over the columns of their law, for models with u = q';
   docs/theory/consistent.md (5). */
#include "base/sort.h"
#include "discrete.h"
#include "parts.h"

#include <string.h>

/* The matrix of one row that is being filled. */
typedef struct hessian {
    tp_system *system;
    int count;
    const int *columns;
    double *H; /* [count * count] */
} hessian;

static void formula_hessian(const hessian *h, const tp_scalar *g)
{
    tp_system *system = h->system;
    for (int s = 0; s < g->slot_count; s++) {
        if (tp_slot_kind_of(g->slots[s]) != TP_SLOT_IS_COORDINATE) continue;
        int j = tp_find_int(h->columns, h->count, tp_slot_index(g->slots[s]));
        system->direction[g->slots[s]] = 1.0;
        tp_scalar_hessian_vector(g, &system->at, system->direction, system->gradient, system->product);
        system->direction[g->slots[s]] = 0.0;
        for (int k = 0; k < g->slot_count; k++) {
            if (tp_slot_kind_of(g->slots[k]) != TP_SLOT_IS_COORDINATE) continue;
            int i = tp_find_int(h->columns, h->count, tp_slot_index(g->slots[k]));
            h->H[i + j * h->count] += system->product[k];
        }
    }
}

/* Velocities of a body as places in the twelve numbers of a pair, and as columns of the law; their number. */
static int places_of(const hessian *h, int body, int side, int *twelve, int *column)
{
    static const int planar[] = {0, 1, 5}, spatial[] = {0, 1, 2};
    if (body == TP_GROUND) return 0;
    const tp_body *b = TP_LIST_AT(h->system->model->bodies, tp_body, body);
    const int *place = b->kind == TP_BODY_PLANAR ? planar : spatial;
    for (int k = 0; k < b->u_count; k++) {
        twelve[k] = 6 * side + place[k];
        column[k] = tp_find_int(h->columns, h->count, b->u_first + k);
    }
    return b->u_count;
}

/* Adds factor times the second derivatives of a row between the bodies of a joint. */
static void add_basic_row(const hessian *h, const tp_model_joint *joint, const tp_basic_row *row,
                          double factor)
{
    double W[TP_PAIR_SIZE], H[TP_PAIR_SIZE * TP_PAIR_SIZE];
    int twelve[12], column[12];
    tp_basic_row_rigid(row, &tp_system_body(h->system, joint->body_a)->frame,
                       &tp_system_body(h->system, joint->body_b)->frame, W, H);
    int count = places_of(h, joint->body_a, 0, twelve, column);
    count += places_of(h, joint->body_b, 1, twelve + count, column + count);
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < count; i++)
            h->H[column[i] + column[j] * h->count] += factor * H[twelve[i] + TP_PAIR_SIZE * twelve[j]];
    }
}

static void combination_hessian(const hessian *h, const tp_combination *c)
{
    for (int k = 0; k < c->term_count; k++) {
        const tp_model_joint *joint = TP_LIST_AT(h->system->model->joints, tp_model_joint, c->joint[k]);
        add_basic_row(h, joint, &joint->joint.coordinate[c->coordinate[k]], c->factor[k]);
    }
}

void tp_system_law_hessian(tp_system *system, int index, int k, double *H)
{
    const tp_model *model = system->model;
    const tp_law *law = TP_LIST_AT(model->laws, tp_law, index);
    hessian h = {system, tp_system_law_column_count(system, index), tp_system_law_columns(system, index), H};
    memset(H, 0, (size_t)h.count * (size_t)h.count * sizeof(double));
    if (law->level == TP_LEVEL_VELOCITY) return;
    if (law->source == TP_SOURCE_FORMULA && k == 0) formula_hessian(&h, &law->row[0]);
    if (law->source == TP_SOURCE_COMBINATION)
        combination_hessian(&h, TP_LIST_AT(model->combinations, tp_combination, law->element));
    if (law->source == TP_SOURCE_JOINT) {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, law->element);
        add_basic_row(&h, joint, &joint->joint.row[k], 1.0);
    }
}

static bool lacks_second(const tp_scalar *scalar)
{
    return scalar->formula == NULL && scalar->function.hessian_vector == NULL;
}

tp_status tp_system_check_discrete(const tp_model *model, tp_message *why_out)
{
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (law->source == TP_SOURCE_FORMULA && law->level != TP_LEVEL_VELOCITY && lacks_second(&law->row[0]))
            return tp_fail(why_out, TP_UNSUPPORTED,
                           "the position of '%s' is given by C functions without second derivatives "
                           "(hessian_vector), which consistent steps need",
                           law->name);
    }
    return tp_system_check_force_jacobian(model, why_out);
}
