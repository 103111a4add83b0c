/* The default solver in scenes: no more iterations than the best one picked by hand, every step solved, and
   half of the work saved where nothing moves. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

/* What a run cost. */
typedef struct cost {
    double iterations;
    bool is_solved; /* all steps */
} cost;

static cost run_for(const char *example, const char *solver, bool warm_start, double until)
{
    tp_scene *scene = read_example(example, NULL);
    scene->options.solver = solver;
    scene->options.warm_start = warm_start;
    scene->options.end_time = until;
    tp_simulation *simulation = simulate_scene(scene);
    tp_status status = tp_simulation_run(simulation, NULL, NULL, NULL);
    const tp_run_report *report = tp_simulation_report(simulation);
    cost spent = {report->iterations_mean * (double)report->steps,
                  status == TP_OK && report->not_converged == 0};
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return spent;
}

static const struct {
    const char *example;
    double until; /* of some hundred to some thousand steps */
} scenes[] = {
    {"card-house", 0.2}, {"box-stack", 0.1}, {"dominoes", 0.12}, {"bricard", 0.1}, {"tippe-top", 0.01}};

TEST(auto_takes_no_more_iterations_than_the_best_solver_picked_by_hand)
{
    static const char *const by_hand[] = {"accelerated-gauss-seidel", "proximal-newton", "alart-curnier",
                                          "alart-curnier-global"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        cost own = run_for(scenes[i].example, "auto", true, scenes[i].until);
        CHECK(own.is_solved);
        for (size_t k = 0; k < sizeof by_hand / sizeof by_hand[0]; k++) {
            if (strcmp(scenes[i].example, "bricard") == 0 && k >= 2) continue; /* takes minutes */
            cost other = run_for(scenes[i].example, by_hand[k], true, scenes[i].until);
            if (other.is_solved && own.iterations > other.iterations)
                fail_msg("%s: %g iterations, %g with %s", scenes[i].example, own.iterations, other.iterations,
                         by_hand[k]);
        }
    }
}

TEST(a_warm_start_at_least_halves_the_work_of_scenes_at_rest)
{
    static const char *const resting[] = {"card-house", "box-stack"};
    for (size_t i = 0; i < sizeof resting / sizeof resting[0]; i++) {
        cost warm = run_for(resting[i], "auto", true, 0.1), cold = run_for(resting[i], "auto", false, 0.1);
        CHECK(warm.is_solved && cold.is_solved);
        CHECK(cold.iterations > 0.0);
        CHECK(warm.iterations <= 0.5 * cold.iterations);
    }
}

/* Impacts of many contacts at once, with step sizes that meet different ones. */
TEST(every_step_of_falling_dominoes_is_solved_whatever_its_length)
{
    static const double steps[] = {3e-4, 5e-4, 1e-3};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        tp_scene *scene = read_example("dominoes", NULL);
        scene->options.time_step = steps[i];
        scene->options.end_time = 0.45;
        tp_simulation *simulation = simulate_scene(scene);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        CHECK_INT(tp_simulation_report(simulation)->not_converged, 0);
        CHECK(tp_simulation_report(simulation)->residual_max <= 1e-11);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* A chain of 60 links has no contacts: a step is one linear solve; theory/solvers.md (28). */
TEST(a_chain_takes_one_iteration_a_step)
{
    tp_scene *scene = read_edited("hanging-chain",
                                  (const char *const[]){"parameters.n=60", "parameters.H=15",
                                                        "simulate.integrator=moreau", "simulate.until=0.05"},
                                  4);
    tp_simulation *simulation = simulate_scene(scene);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
    CHECK_INT(tp_simulation_report(simulation)->iterations_max, 1);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_chain_takes_one_iteration_a_step),
          RUNS(auto_takes_no_more_iterations_than_the_best_solver_picked_by_hand),
          RUNS(a_warm_start_at_least_halves_the_work_of_scenes_at_rest),
          RUNS(every_step_of_falling_dominoes_is_solved_whatever_its_length))
