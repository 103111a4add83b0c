/* Telling the kind of a problem from its sets. */
#include "io/exchange/layout.h"

#include <string.h>

typedef struct census {
    int free_rows, orthant_rows, box_rows;
    int planar, spatial, rolling; /* contacts */
    int other;
} census;

static void count_contact(const tp_set *set, census *found)
{
    bool is_ball = set->friction_kind == TP_FRICTION_BALL;
    found->planar += is_ball && set->size == 2;
    found->spatial += is_ball && set->size == 3;
    bool is_rolling = set->friction_kind == TP_FRICTION_CYLINDER && set->size == 5;
    found->rolling += is_rolling;
    found->other += !(is_ball && (set->size == 2 || set->size == 3)) && !is_rolling;
}

static census count_sets(const tp_problem *problem)
{
    census found = {0};
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        switch (set->kind) {
        case TP_SET_FREE: found.free_rows += set->size; break;
        case TP_SET_ORTHANT: found.orthant_rows += set->size; break;
        case TP_SET_BOX: found.box_rows += set->size; break;
        case TP_SET_CONTACT: count_contact(set, &found); break;
        default: found.other++;
        }
    }
    return found;
}

/* D is what the .dat and FCLIB formats of global problems cannot hold. */
static bool has_D(const tp_problem *problem)
{
    const tp_block_matrix *D = &problem->D;
    if (D->block_count == 0) return false;
    for (size_t k = 0; k < D->offset[D->block_count]; k++) {
        if (D->value[k] != 0.0) return true;
    }
    return false;
}

static bool is_named(const tp_problem *problem, const char *kind)
{
    return strcmp(problem->kind, kind) == 0;
}

/* The kind by the sets; of several that fit, the one the problem is named after, else the plainest. */
static tp_layout_kind kind_of(const tp_problem *problem, const census *found)
{
    int contacts = found->planar + found->spatial + found->rolling;
    bool is_uniform = (found->planar > 0) + (found->spatial > 0) + (found->rolling > 0) <= 1;
    bool is_local = problem->x_count == 0;
    bool can_friction =
        found->orthant_rows + found->box_rows == 0 && is_uniform && (contacts > 0 || !is_local);
    bool can_mlcp = is_local && contacts + found->box_rows == 0;
    bool can_lcp = can_mlcp && found->free_rows == 0;
    bool can_relay = is_local && contacts + found->free_rows + found->orthant_rows == 0;
    bool can_generic = is_local && found->planar + found->rolling + found->box_rows == 0;
    bool is_empty = problem->row_count == 0;

    if (can_generic && is_named(problem, "generic")) return TP_LAYOUT_GENERIC;
    if (can_mlcp && is_named(problem, "mlcp")) return TP_LAYOUT_MLCP;
    if (can_friction) return TP_LAYOUT_FRICTION;
    if (is_empty && is_local) return is_named(problem, "lcp") ? TP_LAYOUT_LCP : TP_LAYOUT_FRICTION;
    if (can_lcp) return TP_LAYOUT_LCP;
    if (can_relay) return TP_LAYOUT_RELAY;
    if (can_mlcp) return TP_LAYOUT_MLCP;
    return can_generic ? TP_LAYOUT_GENERIC : TP_LAYOUT_NONE;
}

tp_layout tp_layout_of(const tp_problem *problem)
{
    census found = count_sets(problem);
    tp_layout layout = {.kind = TP_LAYOUT_NONE,
                        .is_global = problem->x_count > 0,
                        .contact_count = found.planar + found.spatial + found.rolling,
                        .dimension = found.planar > 0 ? 2 : (found.rolling > 0 ? 5 : 3),
                        .equality_count = found.free_rows,
                        .complementarity_count = found.orthant_rows};
    if (found.other > 0) {
        layout.problem =
            "it has laws other than equality, complementarity, bounds, Coulomb friction in 2D and 3D "
            "and rolling friction";
    } else if (layout.is_global && !problem->is_mechanical) {
        layout.problem = "C is not the transpose of A (reduce the problem to its local form first)";
    } else if (layout.is_global && has_D(problem)) {
        layout.problem = "it has both x and a matrix D (reduce the problem to its local form first)";
    } else {
        layout.kind = kind_of(problem, &found);
        layout.problem = layout.is_global
                             ? "it has x and laws other than friction and equality (reduce the problem "
                               "to its local form first)"
                             : "its laws do not go together in one file";
    }
    return layout;
}
