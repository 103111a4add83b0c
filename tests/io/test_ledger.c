/* Sums between rows against those of all steps, and against the balance of energy. */
#include "io/output/ledger.h"
#include "simulations.h"

#define BALL                                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies: [{name: ball, mass: 2, position: [0, 0, 0.35], velocity: [0.3, 0, 0], "                         \
    "shapes: [{type: sphere, radius: 0.1}]}]\n"                                                              \
    "ground: {shapes: [{name: floor, type: plane}]}\n"                                                       \
    "contacts: [{name: hits, between: [floor, ball], restitution: 0.5, friction: 0.3}]\n"
#define MASS                                                                                                 \
    "coordinates: [y]\nkinetic: y'^2\npotential: 19.62*y\ninitial: {y: 0.25}\n"                              \
    "contacts: [{name: hits, gap: y, restitution: 0.5}]\n"

typedef struct sums {
    double impulse[TP_IMPULSE_ROWS], impact[TP_IMPULSE_ROWS], dissipation, applied;
} sums;

/* What the last step adds, asked of the simulation. */
static void add_step(const tp_simulation *simulation, sums *to)
{
    double rows[TP_IMPULSE_ROWS];
    for (int law = 0; law < tp_simulation_law_count(simulation); law++) {
        int count = tp_simulation_impulse(simulation, law, rows);
        for (int k = 0; k < count; k++) to->impulse[k] += rows[k];
        count = tp_simulation_kept_force(simulation, law, TP_FORCE_IMPACT, rows);
        for (int k = 0; k < count; k++) to->impact[k] += rows[k];
        to->dissipation += tp_simulation_dissipation(simulation, law);
        to->applied += tp_simulation_applied_work(simulation, law);
    }
}

static sums of_ledger(const tp_ledger *ledger)
{
    sums result = {.dissipation = ledger->all_dissipation};
    for (int law = 0; law < ledger->now.law_count; law++) result.applied += ledger->applied[law];
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) {
        for (int law = 0; law < ledger->now.law_count; law++) {
            result.impulse[k] += ledger->impulse[TP_IMPULSE_ROWS * law + k];
            result.impact[k] += ledger->impact[TP_IMPULSE_ROWS * law + k];
        }
        for (int i = 0; i < ledger->contact_count; i++) {
            result.impulse[k] += ledger->contacts[i].impulse[k];
            result.impact[k] += ledger->contacts[i].impact[k];
        }
    }
    return result;
}

typedef struct watcher {
    void **check_state_;
    tp_ledger ledger, bare; /* bare: without a list of contacts */
    sums expected;
    double lost, hits, applied;
    int steps;
} watcher;

/* Rows of eleven steps: sums are those of their steps, to the rounding of a few additions. */
static bool watch(void *context, const tp_simulation *simulation)
{
    watcher *w = context;
    void **check_state_ = w->check_state_;
    bool is_step = tp_ledger_add(&w->bare);
    CHECK_INT(tp_ledger_add(&w->ledger), is_step);
    if (!is_step) return true; /* the initial state */
    add_step(simulation, &w->expected);
    if (++w->steps % 11 != 0) return true;
    sums found = of_ledger(&w->ledger);
    CHECK_NEAR(found.dissipation, w->expected.dissipation, 1e-14);
    CHECK_NEAR(w->bare.all_dissipation, w->expected.dissipation, 1e-14);
    CHECK_INT(w->bare.contact_count, 0);
    CHECK_NEAR(found.applied, w->expected.applied, 1e-13);
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) {
        CHECK_NEAR(found.impulse[k], w->expected.impulse[k], 1e-13);
        CHECK_NEAR(found.impact[k], w->expected.impact[k], 1e-13);
    }
    w->lost += found.dissipation;
    w->hits += found.impact[0];
    w->applied += found.applied;
    tp_ledger_clear(&w->ledger);
    tp_ledger_clear(&w->bare);
    w->expected = (sums){.dissipation = 0.0};
    return true;
}

/* A ball of shapes and a mass of formulas bounce and come to rest: some rows hold a flight, some an impact or
   the end of one. What the laws took is all that the midpoint rule and event-driven, which know gravity
   exactly, lose of the energy. The rest at the end loses nothing, so that steps past the last row do not
   count. */
TEST(sums_of_a_row_are_those_of_its_steps)
{
    static const char *const scenes[] = {BALL, MASS}, *const integrators[] = {"moreau", "generalized-alpha",
                                                                              "event-driven"};
    for (int run = 0; run < 6; run++) {
        tp_scene *scene = scene_of(scenes[run % 2]);
        tp_simulation *simulation = simulate_with(scene->model, integrators[run / 2], 1e-3, 1.5);
        tp_arena arena;
        watcher w = {.check_state_ = check_state_};
        tp_arena_init(&arena, NULL);
        CHECK_INT(tp_ledger_create(&arena, simulation, true, &w.ledger), TP_OK);
        CHECK_INT(tp_ledger_create(&arena, simulation, false, &w.bare), TP_OK);
        double start = tp_simulation_report(simulation)->energy_final;
        CHECK_INT(tp_simulation_run(simulation, watch, &w, NULL), TP_OK);
        CHECK(w.lost > 1.0);
        CHECK((w.hits > 1.0) == (run >= 2)); /* the midpoint rule keeps no impacts apart */
        double lost = start - tp_simulation_report(simulation)->energy_final;
        if (run / 2 != 1) CHECK_NEAR(w.lost, lost, 1e-10);
        tp_arena_clear(&arena);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* A mass on a table that goes up and down: what the table does, less what the contact takes (the mass
   follows in steps), is the change of the mass's energy. */
TEST(work_of_a_moving_support_is_that_of_the_steps_of_a_row)
{
    static const char lift[] = "coordinates: [y]\nkinetic: y'^2\npotential: 19.62*y\n"
                               "initial: {y: 0, y': 0.2}\n"
                               "contacts: [{name: table, gap: \"y - 0.1*sin(2*t)\"}]\n";
    tp_scene *scene = scene_of(lift);
    tp_simulation *simulation = simulate_with(scene->model, "moreau", 1e-3, 0.55); /* 50 rows */
    tp_arena arena;
    watcher w = {.check_state_ = check_state_};
    tp_arena_init(&arena, NULL);
    CHECK_INT(tp_ledger_create(&arena, simulation, true, &w.ledger), TP_OK);
    CHECK_INT(tp_ledger_create(&arena, simulation, false, &w.bare), TP_OK);
    double start = tp_simulation_report(simulation)->energy_final;
    CHECK_INT(tp_simulation_run(simulation, watch, &w, NULL), TP_OK);
    CHECK(w.applied > 1.0);
    CHECK_NEAR(w.applied - w.lost, tp_simulation_report(simulation)->energy_final - start, 1e-10);
    tp_arena_clear(&arena);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(work_of_a_moving_support_is_that_of_the_steps_of_a_row),
          RUNS(sums_of_a_row_are_those_of_its_steps))
