/* Random one-step problems of chains and trees of bodies whose M couples neighbours, as curvature of joints
   does. */
#ifndef TESTS_MECHANISM_PROBLEMS_H
#define TESTS_MECHANISM_PROBLEMS_H

#include "problems.h"

enum { BODY_ROWS = 6, JOINT_ROWS = 5, MOST_ENTRIES = 60000, MOST_LAWS = 400 };

typedef struct entry_list {
    int count;
    int row[MOST_ENTRIES], col[MOST_ENTRIES];
    double value[MOST_ENTRIES];
} entry_list;

/* What a random mechanism is made of. */
typedef struct mechanism_kind {
    int bodies, contacts;
    bool is_chain;         /* else a tree with random parents                                     */
    bool is_uncoupled;     /* M is block diagonal                                                 */
    bool is_general;       /* C is not A^T, and D couples laws of all kinds                       */
    bool has_limits;       /* every second contact is a limit or a motor instead                  */
    bool has_twin;         /* the last joint is there twice                                       */
    int follower_of_joint; /* friction that follows this joint; 0: none                          */
} mechanism_kind;

typedef struct mechanism {
    mechanism_kind kind;
    int rows, set_count;
    tp_set sets[MOST_LAWS];
    entry_list M, A, C, D;
    double *f, *b;
} mechanism;

static inline void mechanism_put(entry_list *list, int row, int col, double value)
{
    if (list->count >= MOST_ENTRIES) fail_msg("too many entries");
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->value[list->count++] = value;
}

/* A diagonally dominant block for each body, and a weak unsymmetric one with its parent. */
static inline void mechanism_mass(mechanism *m, check_random *random, int body, int parent)
{
    for (int i = 0; i < BODY_ROWS; i++) {
        for (int j = 0; j < BODY_ROWS; j++) {
            double value = i == j ? check_uniform(random, 1.0, 3.0) : 0.1 * check_uniform(random, -1.0, 1.0);
            mechanism_put(&m->M, BODY_ROWS * body + i, BODY_ROWS * body + j, value);
            if (parent < 0 || m->kind.is_uncoupled) continue;
            mechanism_put(&m->M, BODY_ROWS * body + i, BODY_ROWS * parent + j, 0.05 * check_normal(random));
            mechanism_put(&m->M, BODY_ROWS * parent + i, BODY_ROWS * body + j, 0.05 * check_normal(random));
        }
    }
}

/* Directions of one row on one body, near the axis `axis` so that joints are far from redundant. */
static inline void mechanism_row(mechanism *m, check_random *random, int row, int body, int axis, double side)
{
    for (int i = 0; i < BODY_ROWS; i++) {
        double value = side * ((i == axis ? 1.0 : 0.0) + 0.1 * check_normal(random));
        mechanism_put(&m->A, BODY_ROWS * body + i, row, value);
        if (m->kind.is_general) value += 0.02 * check_normal(random);
        mechanism_put(&m->C, row, BODY_ROWS * body + i, value);
    }
}

static inline int mechanism_law(mechanism *m, tp_set set)
{
    if (m->set_count >= MOST_LAWS) fail_msg("too many laws");
    int first = m->rows;
    m->sets[m->set_count++] = set;
    m->rows += set.size;
    return first;
}

static inline void mechanism_joint(mechanism *m, check_random *random, int body, int parent)
{
    int first = mechanism_law(m, tp_set_free(JOINT_ROWS));
    for (int k = 0; k < JOINT_ROWS; k++) {
        mechanism_row(m, random, first + k, body, k, 1.0);
        if (parent >= 0) mechanism_row(m, random, first + k, parent, k, -0.5);
    }
}

/* Contacts, limits and motors on random bodies. */
static inline void mechanism_contact(mechanism *m, check_random *random, int number)
{
    int body = (int)(check_uniform(random, 0.0, 1.0) * m->kind.bodies), first;
    tp_set set = tp_set_coulomb(3, check_uniform(random, 0.1, 0.6));
    if (m->kind.has_limits && number % 4 == 1) set = tp_set_orthant(1);
    if (m->kind.has_limits && number % 4 == 3) set = tp_set_interval(-0.3, 0.2);
    first = mechanism_law(m, set);
    for (int k = 0; k < set.size; k++) mechanism_row(m, random, first + k, body, BODY_ROWS - 1 - k, 1.0);
}

/* The entries of the last joint again, in rows of its own. */
static inline void mechanism_twin(mechanism *m)
{
    int first = mechanism_law(m, tp_set_free(JOINT_ROWS)), from = first - JOINT_ROWS;
    for (int k = 0, count = m->A.count; k < count; k++) {
        if (m->A.col[k] < from) continue;
        mechanism_put(&m->A, m->A.row[k], m->A.col[k] + JOINT_ROWS, m->A.value[k]);
        mechanism_put(&m->C, m->C.row[k] + JOINT_ROWS, m->C.col[k], m->C.value[k]);
    }
}

/* Contacts come between joints, so that rows change their places. */
static inline void mechanism_laws(mechanism *m, check_random *random)
{
    mechanism_kind kind = m->kind;
    int made = 0;
    for (int i = 0; i < kind.bodies; i++) {
        int parent = kind.is_chain || i == 0 ? i - 1 : (int)(check_uniform(random, 0.0, 1.0) * i);
        mechanism_mass(m, random, i, parent);
        for (; made * kind.bodies < kind.contacts * i; made++) mechanism_contact(m, random, made);
        mechanism_joint(m, random, i, parent);
    }
    if (kind.has_twin) mechanism_twin(m);
    for (; made < kind.contacts; made++) mechanism_contact(m, random, made);
    if (kind.follower_of_joint == 0) return;
    int seen = 0, master = 0;
    for (int i = 0, first = 0; i < m->set_count; first += m->sets[i++].size) {
        if (m->sets[i].kind == TP_SET_FREE && seen++ == kind.follower_of_joint) master = first;
    }
    int first = mechanism_law(m, tp_set_following(tp_set_ball(1, 0.3), master, JOINT_ROWS));
    mechanism_row(m, random, first, kind.follower_of_joint, BODY_ROWS - 1, 1.0);
}

static inline tp_problem *random_mechanism(check_random *random, mechanism_kind kind)
{
    mechanism *m = calloc(1, sizeof *m);
    m->kind = kind;
    mechanism_laws(m, random);
    m->f = calloc((size_t)(BODY_ROWS * kind.bodies), sizeof(double));
    m->b = calloc((size_t)m->rows, sizeof(double));
    for (int i = 0; i < BODY_ROWS * kind.bodies; i++) m->f[i] = check_normal(random);
    for (int i = 0; i < m->rows; i++) m->b[i] = kind.has_twin ? 0.0 : 0.3 * check_normal(random);
    for (int i = 0; i < m->rows && kind.is_general; i++) {
        mechanism_put(&m->D, i, i, 0.01);
        mechanism_put(&m->D, i, (7 * i + 3) % m->rows, 0.01 * check_normal(random));
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = BODY_ROWS * kind.bodies, def.row_count = m->rows, def.set_count = m->set_count;
    def.sets = m->sets, def.f = m->f, def.b = m->b;
    def.M = (tp_entries){def.x_count, def.x_count, m->M.count, m->M.row, m->M.col, m->M.value};
    def.A = (tp_entries){def.x_count, m->rows, m->A.count, m->A.row, m->A.col, m->A.value};
    if (kind.is_general) {
        def.C = (tp_entries){m->rows, def.x_count, m->C.count, m->C.row, m->C.col, m->C.value};
        def.D = (tp_entries){m->rows, m->rows, m->D.count, m->D.row, m->D.col, m->D.value};
    }
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    free(m->f), free(m->b), free(m);
    return problem;
}

#endif
