/* Springs in place of laws, to compare with: theory/relaxed-dai.md (16)-(19). */
#include "set/friction_set.h"
#include "set/small.h"

/* (16) */
double tp_penalty_equality(const tp_penalty *penalty, double g, double rate)
{
    return -penalty->stiffness * (g + penalty->damping_time * rate);
}

/* (17): force = P_D(K e - K beta v), e' = (force/K - e)/beta. */
void tp_penalty_friction(const tp_penalty *penalty, const tp_set *friction, double scale, const double *e,
                         const double *v, double *force_out, double *rate_out)
{
    double K = penalty->stiffness, beta = penalty->damping_time, z[TP_FRICTION_MAX];
    for (int i = 0; i < friction->size; i++) z[i] = K * (e[i] - beta * v[i]);
    tp_set_project(friction, scale, z, force_out);
    for (int i = 0; i < friction->size; i++) rate_out[i] = (force_out[i] / K - e[i]) / beta;
}

/* (18) */
double tp_penalty_contact(const tp_penalty *penalty, double gap, double e, double *rate_out)
{
    double K = penalty->stiffness, beta = penalty->damping_time;
    double force = fmax(0.0, K * e - K * beta / penalty->yielding * (gap + e));
    *rate_out = (force / K - e) / beta;
    return force;
}

/* (19): the normal row, then with its bound the tangential ones. */
void tp_penalty_contact_step(const tp_penalty *penalty, const tp_set *contact, double h, double gap,
                             const double *v, double *e_io, double *force_out)
{
    double K = penalty->stiffness, beta = penalty->damping_time, z[TP_FRICTION_MAX];
    force_out[0] = fmax(0.0, -K * (1.0 + beta / h) * gap - K * beta / h * e_io[0]);
    e_io[0] = (force_out[0] / K + beta / h * e_io[0]) / (1.0 + beta / h);
    tp_friction_set D = tp_friction_of(contact);
    for (int i = 0; i < D.dimension; i++) z[i] = K * (e_io[1 + i] - (h + beta) * v[i]);
    tp_friction_project(&D, force_out[0], z, force_out + 1);
    for (int i = 0; i < D.dimension; i++)
        e_io[1 + i] += h * (force_out[1 + i] / K - e_io[1 + i]) / (h + beta);
}
