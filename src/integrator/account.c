/* The account of a step; theory/simulation.md (6)-(9). */
#include "account.h"

#include <string.h>

tp_status tp_account_create(tp_arena *arena, int u_count, int law_capacity, tp_account *account_out)
{
    *account_out = (tp_account){.u_count = u_count,
                                .forces = TP_ARENA_ARRAY(arena, double, u_count),
                                .laws = TP_ARENA_ARRAY(arena, double, u_count),
                                .dissipation = TP_ARENA_ARRAY(arena, double, law_capacity),
                                .applied = TP_ARENA_ARRAY(arena, double, law_capacity)};
    return tp_arena_status(arena);
}

void tp_account_begin(tp_account *account, tp_pool *pool, int law_count)
{
    account->law_count = law_count;
    size_t u_bytes = (size_t)account->u_count * sizeof(double),
           law_bytes = (size_t)law_count * sizeof(double);
    tp_pool_clear(pool, account->forces, u_bytes);
    tp_pool_clear(pool, account->laws, u_bytes);
    tp_pool_clear(pool, account->dissipation, law_bytes);
    tp_pool_clear(pool, account->applied, law_bytes);
}

tp_account_row tp_account_law_row(const tp_system *system, int law, int k, const double *W, double chi)
{
    int count = tp_system_law_column_count(system, law);
    return (tp_account_row){law, count, tp_system_law_columns(system, law), W + (size_t)k * (size_t)count,
                            chi};
}

void tp_account_push(tp_account *account, const tp_account_row *row, double P)
{
    double *to = row->law < account->law_count ? account->laws : account->forces;
    if (P == 0.0) return;
    for (int j = 0; j < row->count; j++) to[row->columns[j]] += row->W[j] * P;
}

void tp_account_take(tp_account *account, const tp_account_row *row, double P, const double *u_from,
                     const double *u_to)
{
    double velocity = 0.0;
    if (P == 0.0 || row->law >= account->law_count || u_from == NULL) return;
    for (int j = 0; j < row->count; j++) {
        int column = row->columns[j];
        velocity += row->W[j] * 0.5 * (u_from[column] + u_to[column]);
    }
    account->dissipation[row->law] -= P * (velocity + row->chi);
    account->applied[row->law] -= P * row->chi;
}

void tp_account_add(tp_account *account, const tp_account_row *row, double P, const double *u_from,
                    const double *u_to)
{
    tp_account_push(account, row, P);
    tp_account_take(account, row, P, u_from, u_to);
}

void tp_account_add_forces(tp_account *account, double time, const double *force)
{
    for (int j = 0; j < account->u_count; j++) account->forces[j] += time * force[j];
}
