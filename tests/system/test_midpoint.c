/* The domain of mean velocities: docs/theory/consistent.md (23), (35), (47). */
#include "simulations.h"
#include "system/midpoint.h"

#include <math.h>

static const char bodies[] = "bodies:\n"
                             "  - {name: a, mass: 1, inertia: [1, 2, 2.5]}\n"
                             "  - {name: b, type: scalable, mass: 1, inertia: [1, 2, 2.5]}\n"
                             "  - {name: c, type: point, mass: 1}\n";
enum { Q_COUNT = 7 + 7 + 3, U_COUNT = 6 + 7 + 3 };

typedef struct bench {
    tp_scene *scene;
    tp_system *system;
    tp_arena arena;
    tp_midpoint *midpoint;
    double q[Q_COUNT];
} bench;

static bench open_bench(tp_turning turning)
{
    bench b = {.scene = scene_of(bodies)};
    tp_arena_init(&b.arena, tp_allocator_default());
    if (tp_system_create(NULL, b.scene->model, &b.system) != TP_OK) fail();
    if (b.system->q_count != Q_COUNT || b.system->u_count != U_COUNT) fail();
    if (tp_midpoint_create(&b.arena, b.system, turning, &b.midpoint) != TP_OK) fail();
    memcpy(b.q, b.scene->model->q0, sizeof b.q);
    return b;
}

static void close_bench(bench *b)
{
    tp_arena_clear(&b->arena);
    tp_system_free(b->system);
    tp_scene_free(b->scene);
}

/* Above 0 where the body has an end: 1 - |w dt/2|^2, and 1 + dt nu/s - |w dt/(2 s)|^2. */
static double room_of(const bench *b, int k, const double *u, double dt)
{
    const tp_body *body = TP_LIST_AT(b->scene->model->bodies, tp_body, k);
    const double *turn = u + body->u_first + 3, *p = b->q + body->q_first + 3;
    bool is_rigid = body->kind == TP_BODY_RIGID;
    double s = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], nu = is_rigid ? 0.0 : turn[0];
    const double *w = is_rigid ? turn : turn + 1;
    double half = 0.5 * dt / s;
    return 1.0 + 2.0 * half * nu - half * half * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

static bool has_end(const bench *b, const double *u, double dt)
{
    tp_midpoint_move(b->midpoint, b->q, u, dt);
    for (int i = 0; i < Q_COUNT; i++) {
        if (!isfinite(b->midpoint->q_end[i]) || !isfinite(b->midpoint->q_middle[i])) return false;
    }
    return true;
}

static void random_velocity(check_random *random, double size, double *u)
{
    for (int j = 0; j < U_COUNT; j++) u[j] = check_uniform(random, -size, size);
}

/* A tenth of the room is left to every body, no more than needed is cut off, and the body that needs most is
   named. */
TEST(a_step_of_mean_velocities_goes_as_far_as_a_tenth_of_the_room_is_left)
{
    check_random random = {7};
    bench b = open_bench(TP_TURN_SCALABLE);
    const double dt = 0.5;
    int cut = 0, whole = 0;
    for (int trial = 0; trial < 500; trial++) {
        double u[U_COUNT], u_new[U_COUNT], at[U_COUNT];
        for (int i = 10; i < 14; i++) b.q[i] = check_uniform(&random, 0.3, 0.9); /* any size */
        random_velocity(&random, 4.0, u);
        random_velocity(&random, 8.0, u_new);
        tp_midpoint_bring_inside(b.midpoint, b.q, dt, u);
        CHECK(has_end(&b, u, dt));
        tp_reach reach = tp_midpoint_reach(b.midpoint, b.q, dt, u, u_new);
        CHECK(reach.part > 0.0 && reach.part <= 1.0 && (reach.body < 0) == (reach.part == 1.0));
        for (int j = 0; j < U_COUNT; j++) at[j] = u[j] + reach.part * (u_new[j] - u[j]);
        CHECK(has_end(&b, at, dt));
        for (int k = 0; k < 2; k++) CHECK(room_of(&b, k, at, dt) >= 0.1 * room_of(&b, k, u, dt) - 1e-13);
        if (reach.body >= 0)
            CHECK_NEAR(room_of(&b, reach.body, at, dt), 0.1 * room_of(&b, reach.body, u, dt), 1e-13);
        cut += reach.body >= 0;
        whole += reach.body < 0;
    }
    CHECK(cut > 100 && whole > 5); /* both occur */
    close_bench(&b);
}

TEST(velocities_with_room_enough_and_points_stay_as_they_are)
{
    bench b = open_bench(TP_TURN_SCALABLE);
    double u[U_COUNT] = {0.0}, before[U_COUNT];
    for (int j = 0; j < 3; j++) u[j] = u[U_COUNT - 1 - j] = 1e6; /* translations and the point */
    u[3] = 1.8;                                                  /* 1 - 0.81 */
    memcpy(before, u, sizeof u);
    CHECK_INT(tp_midpoint_bring_inside(b.midpoint, b.q, 1.0, u), -1);
    CHECK(memcmp(before, u, sizeof u) == 0);
    u[3] = 1.95; /* 1 - 0.95 is below a tenth */
    CHECK_INT(tp_midpoint_bring_inside(b.midpoint, b.q, 1.0, u), 0);
    CHECK_NEAR(u[3], 2.0 * sqrt(0.9), 1e-14);
    CHECK_NEAR(u[0], 1e6, 0.0);
    close_bench(&b);
}

/* (22) has an end at any speed. */
TEST(turns_by_the_cayley_map_have_no_limit)
{
    tp_scene *scene = scene_of("bodies: [{name: a, mass: 1, inertia: [1, 2, 2.5]}]\n");
    tp_system *system = NULL;
    tp_arena arena;
    tp_midpoint *midpoint = NULL;
    tp_arena_init(&arena, tp_allocator_default());
    CHECK_INT(tp_system_create(NULL, scene->model, &system), TP_OK);
    CHECK_INT(tp_midpoint_create(&arena, system, TP_TURN_CAYLEY, &midpoint), TP_OK);
    const double rest[6] = {0.0}, fast[6] = {0.0, 0.0, 0.0, 1e3, 0.0, 0.0};
    tp_reach reach = tp_midpoint_reach(midpoint, scene->model->q0, 1.0, rest, fast);
    CHECK_NEAR(reach.part, 1.0, 0.0);
    CHECK_INT(reach.body, -1);
    tp_arena_clear(&arena);
    tp_system_free(system);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_step_of_mean_velocities_goes_as_far_as_a_tenth_of_the_room_is_left),
          RUNS(velocities_with_room_enough_and_points_stay_as_they_are),
          RUNS(turns_by_the_cayley_map_have_no_limit))
