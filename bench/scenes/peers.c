/* The engines of this build, in the order of the tables. */
#include "peer.h"

#include <stddef.h>

const bench_peer *const bench_peers[] = {
#ifdef BENCH_ODE
    &bench_peer_ode,
#endif
#ifdef BENCH_BULLET
    &bench_peer_bullet,
#endif
#ifdef BENCH_MUJOCO
    &bench_peer_mujoco,
#endif
    &bench_peer_tippe, NULL};
