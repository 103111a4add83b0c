/* A step that is taken in parts goes on from the velocity that the step would have gone on from;
   docs/theory/simulation.md. */
#include "models.h"
#include "simulation/inside.h"

static const double step = 1.0 / 128.0, restitution = 0.5;

/* A point that flies against a wall with the velocity -1, and nothing else. */
static tp_simulation *point_on_a_wall(tp_model **model_out)
{
    tp_model *model = new_model();
    coordinate(model, "y", 0.25, -1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("y'^2/2"), &build_why));
    contact(model, "wall", "y", NULL, 0.0, restitution);
    must(model, tp_model_finish(model, NULL, &build_why));
    *model_out = model;
    return simulate_with(model, "schatzman-paoli", step, 1.0);
}

/* Schatzman and Paoli's scheme, q_next + e q_before >= 0, shows the mean of the velocities before and after
   an impulse and goes on with the one after it, its first memory: e after the last impulse of an impact, at
   q = -e step. Two parts h = step/2 from there, with q_before = q - h e: q_1 = -e q_before = 3/4 h, and
   q_2 = 5/2 h without an impulse. All numbers are short, so that nothing is rounded but in the solver. */
TEST(parts_after_an_impact_start_with_the_velocity_after_it)
{
    tp_model *model;
    tp_simulation *s = point_on_a_wall(&model);
    double impulse[TP_IMPULSE_ROWS] = {0.0};
    for (int k = 1; k < 100 && !(s->state[s->present].memory[0][0] > 0.0); k++)
        CHECK_INT(tp_simulation_step(s, k * step, NULL), TP_OK);
    const tp_state *from = &s->state[s->present];
    tp_state *to = &s->state[1 - s->present];
    tp_step_report report = {0};
    CHECK_INT(tp_simulation_last_impulse(s, 0, impulse), 1);
    CHECK_NEAR(from->u[0], restitution - 0.5 * impulse[0], 1e-14);
    CHECK(impulse[0] > 0.1);
    CHECK_NEAR(from->q[0], -restitution * step, 1e-15);
    to->t = from->t + step;
    CHECK_INT(tp_simulation_divide_step(s, from, to, &report), TP_OK);
    CHECK_INT(report.part_count, 2);
    CHECK_NEAR(to->q[0], 1.25 * step, 1e-15);
    CHECK_NEAR(to->u[0], 1.75, 1e-13);
    tp_simulation_free(s);
    tp_model_free(model);
}

/* A mass of 1 kg at rest on a table: each part takes its share of the weight, the step the whole; the account
   says the same. */
TEST(the_impulse_of_a_step_in_parts_is_the_sum_of_theirs)
{
    const double weight = 8.0;
    tp_model *model = new_model();
    coordinate(model, "y", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("y'^2/2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("8*y"), &build_why));
    contact(model, "table", "y", NULL, 0.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_simulation *s = simulate_with(model, "consistent-two-step", step, 1.0);
    CHECK_INT(tp_simulation_step(s, step, NULL), TP_OK);
    const tp_state *from = &s->state[s->present];
    tp_state *to = &s->state[1 - s->present];
    tp_step_report report = {0};
    to->t = from->t + step;
    CHECK_INT(tp_simulation_divide_step(s, from, to, &report), TP_OK);
    CHECK_INT(report.part_count, 2);
    CHECK_NEAR(to->impulse[0], weight * step, 1e-15);
    CHECK_NEAR(s->stepper.account.laws[0], weight * step, 1e-15);
    CHECK_NEAR(s->stepper.account.forces[0], -weight * step, 1e-15);
    CHECK_INT(to->is_closed[0], 1);
    tp_simulation_free(s);
    tp_model_free(model);
}

static bool asks(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

/* Went wrong: SIGTERM waited for the end of a step that was divided into 64 parts, each with hard problems:
   minutes (a chain that slid over a moving table, under relaxed-dai). */
TEST(a_divided_step_asks_between_its_parts_whether_it_is_still_wanted)
{
    tp_model *model;
    tp_simulation *s = point_on_a_wall(&model);
    const tp_state *from = &s->state[s->present];
    tp_state *to = &s->state[1 - s->present];
    tp_step_report report = {0};
    int left = 1; /* one part */
    tp_simulation_set_interrupt(s, asks, &left);
    to->t = from->t + step;
    CHECK_INT(tp_simulation_divide_step(s, from, to, &report), TP_INTERRUPTED);
    CHECK_INT(left, -1);
    tp_simulation_free(s);
    tp_model_free(model);
}

TEST_MAIN(RUNS(the_impulse_of_a_step_in_parts_is_the_sum_of_theirs),
          RUNS(a_divided_step_asks_between_its_parts_whether_it_is_still_wanted),
          RUNS(parts_after_an_impact_start_with_the_velocity_after_it))
