/* Claim: the exact motions that examples give are those of their models; docs/guide/converge-compare.md. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "tippe/study.h"

enum { LEVELS = 4 };

/* An error of first order shrinks to an eighth over three halvings; the place of impacts in their steps may
   change it by up to a factor of three on the way. A wrong formula leaves a part that does not shrink. */
static bool shrinks(const tp_study *study, const tp_model *model, bool of_u)
{
    const tp_study_run *coarse = tp_study_run_at(study, 0), *fine = tp_study_run_at(study, LEVELS - 1);
    if (of_u && tp_model_summarise(model).velocity_count == 0) return true; /* first-order states alone */
    const tp_study_error *before = of_u ? &coarse->u : &coarse->q, *after = of_u ? &fine->u : &fine->q;
    return after->mean <= tp_study_rounding(after) || after->mean <= 3.0 / 8.0 * before->mean;
}

TEST(runs_of_examples_approach_the_exact_motion_as_the_step_shrinks)
{
    example_list examples = find_examples();
    int measured = 0;
    for (int i = 0; i < examples.count; i++) {
        tp_scene *scene = read_example(examples.name[i], NULL);
        if (tp_model_has_exact(scene->model)) {
            tp_simulation_options runs[LEVELS], coarsest = scene->options;
            tp_study_def def = tp_study_def_default();
            tp_study *study = NULL;
            tp_message why = {""};
            coarsest.time_step *= 8.0;
            coarsest.end_time = fmin(coarsest.end_time, 2.0);
            def.model = scene->model;
            def.runs = tp_study_ladder(&coarsest, LEVELS, runs);
            def.run_count = LEVELS;
            if (tp_study_create(NULL, &def, &study, &why) != TP_OK) fail_msg("%s", why.text);
            bool is_right = tp_study_reference_of(study)->status == TP_OK &&
                            shrinks(study, scene->model, false) && shrinks(study, scene->model, true);
            if (!is_right) print_error("%s: %s\n", examples.name[i], tp_study_reference_of(study)->reason);
            CHECK(is_right);
            tp_study_free(study);
            measured++;
        }
        tp_scene_free(scene);
    }
    CHECK(measured >= 7);
}

TEST_MAIN(RUNS(runs_of_examples_approach_the_exact_motion_as_the_step_shrinks))
