/* All solutions of one planar contact, rows N, T: three linear cases; docs/theory/one-contact.md (1)-(2). */
#include "solver/sweeps/one_contact.h"
#include "solver/tolerances.h"

#include <math.h>

static void set_velocity(const double *G, const double *c, tp_contact_solution *s)
{
    for (int i = 0; i < 2; i++) s->xi[i] = c[i] + G[i] * s->P[0] + G[i + 2] * s->P[1];
}

/* G P = -c by Cramer's rule with one refinement; false when G is singular. */
static bool solve_stick(const double *G, const double *c, tp_contact_solution *s)
{
    double det = G[0] * G[3] - G[1] * G[2];
    double size = fabs(G[0] * G[3]) + fabs(G[1] * G[2]);
    if (!(fabs(det) > tp_contact_singular * size)) return false;
    s->P[0] = s->P[1] = 0.0;
    for (int round = 0; round < 2; round++) {
        set_velocity(G, c, s);
        s->P[0] -= (G[3] * s->xi[0] - G[2] * s->xi[1]) / det;
        s->P[1] -= (G[0] * s->xi[1] - G[1] * s->xi[0]) / det;
    }
    set_velocity(G, c, s);
    return true;
}

/* Slip with P_T = side mu P_N, xi_T = -side sigma, xi_N = epsilon mu sigma, sigma >= 0. */
static bool solve_slip(const double *G, const double *c, double mu, double epsilon, double side,
                       tp_contact_solution *s)
{
    double factor = G[0] + side * mu * G[2] + epsilon * mu * (side * G[1] + mu * G[3]);
    double size = fabs(G[0]) + mu * fabs(G[2]) + epsilon * mu * (fabs(G[1]) + mu * fabs(G[3]));
    if (!(fabs(factor) > tp_contact_singular * size)) return false;
    s->P[0] = -(c[0] + epsilon * mu * side * c[1]) / factor;
    s->P[1] = side * mu * s->P[0];
    if (!(s->P[0] > 0.0)) return false;
    set_velocity(G, c, s);
    double sigma = -side * s->xi[1];
    /* sigma = 0 is the edge of sticking; a singular G sticks there only. */
    double rounding = tp_contact_edge * (fabs(c[1]) + (fabs(G[1]) + mu * fabs(G[3])) * s->P[0]);
    if (mu > 0.0 && fabs(sigma) <= rounding) s->mode = TP_CONTACT_STICK;
    s->alpha = mu > 0.0 && sigma > rounding ? sigma / (mu * s->P[0]) : 0.0;
    return sigma >= -rounding || mu == 0.0;
}

int tp_planar_contact_all_solutions(const double *G, const double c[2], double mu, double epsilon,
                                    tp_contact_solution out[TP_CONTACT_MAX_SOLUTIONS])
{
    int count = 0;
    tp_contact_solution stick = {.mode = TP_CONTACT_STICK};
    if (mu > 0.0 && solve_stick(G, c, &stick) && stick.P[0] > 0.0 && fabs(stick.P[1]) <= mu * stick.P[0])
        out[count++] = stick;
    for (int side = 1; side >= (mu > 0.0 ? -1 : 1); side -= 2) {
        tp_contact_solution slip = {.mode = TP_CONTACT_SLIP};
        if (!solve_slip(G, c, mu, epsilon, side, &slip)) continue;
        double distance = count > 0 ? fabs(out[0].P[0] - slip.P[0]) + fabs(out[0].P[1] - slip.P[1]) : 1.0;
        if (count == 0 || distance > tp_contact_contradiction * slip.P[0]) out[count++] = slip;
    }
    if (c[0] >= epsilon * mu * fabs(c[1]))
        out[count++] = (tp_contact_solution){.mode = TP_CONTACT_OPEN, .xi = {c[0], c[1], 0.0}};
    return count;
}
