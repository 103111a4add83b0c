/* Rows of contacts between balls; theory/large-heaps.md (3). */
#include "ball_rows.h"

#include "body_maker.h"

void tp_ball_to_world(const double *turn, const double *x, double *y)
{
    for (int d = 0; d < 3; d++) y[d] = tp_dot3(turn + 3 * d, x);
}

void tp_ball_to_own(const double *turn, const double *x, double *y)
{
    for (int d = 0; d < 3; d++) y[d] = turn[d] * x[0] + turn[3 + d] * x[1] + turn[6 + d] * x[2];
}

void tp_ball_velocity(const tp_ball_contact *c, const double *v_a, const double *w_a, const double *v_b,
                      const double *w_b, double *u_out)
{
    double v[3], s[3], turned[3];
    for (int d = 0; d < 3; d++) {
        v[d] = v_b[d] - (v_a != NULL ? v_a[d] : 0.0);
        s[d] = c->arm_b * w_b[d] + (w_a != NULL ? c->arm_a * w_a[d] : 0.0);
    }
    tp_cross3(s, c->frame, turned);
    for (int d = 0; d < 3; d++) v[d] -= turned[d];
    for (int k = 0; k < 3; k++) u_out[k] = tp_dot3(c->frame + 3 * k, v);
}

/* Entries of one body, zeros left out. */
static int append(int first, const double *values, int count, int *index, double *value)
{
    for (int d = 0; d < 3; d++) {
        if (values[d] == 0.0) continue;
        index[count] = first + d;
        value[count++] = values[d];
    }
    return count;
}

/* S = -arm n x e, in the axes of the body. */
static int append_spin(const tp_ball_rows *rows, const tp_ball_contact *c, int k, int body, double arm,
                       int count, int *index, double *value)
{
    double across[3], own[3];
    tp_cross3(c->frame, c->frame + 3 * k, across);
    tp_ball_to_own(rows->turn[body], across, own);
    for (int d = 0; d < 3; d++) own[d] *= -arm;
    return append(6 * body + 3, own, count, index, value);
}

int tp_ball_row(const tp_ball_rows *rows, int set, int k, int *index, double *value)
{
    const tp_ball_contact *c = &rows->contact[set];
    const double *e = c->frame + 3 * k, against[3] = {-e[0], -e[1], -e[2]};
    int count = append(6 * c->body_b, e, 0, index, value);
    if (k > 0) count = append_spin(rows, c, k, c->body_b, c->arm_b, count, index, value);
    if (c->body_a < 0) return count;
    count = append(6 * c->body_a, against, count, index, value);
    return k > 0 ? append_spin(rows, c, k, c->body_a, c->arm_a, count, index, value) : count;
}
