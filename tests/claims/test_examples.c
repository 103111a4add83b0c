/* Every example does what its README says: the runs of examples/NAME/expected.json. */
#define _POSIX_C_SOURCE 200809L
#include "example_runs.h"

TEST(every_example_gives_the_figures_of_its_readme)
{
    int failures;
    CHECK_INT(count_examples_with("runs", &failures), find_examples().count);
    CHECK_INT(failures, 0);
}

/* The test above could pass by comparing nothing: here it must see each kind of failure. */
TEST(a_wrong_figure_is_noticed)
{
#define WARNS "warns: [energy-grows], why_it_warns: README (4)"
    static const char *const wrong[] = {
        "{" WARNS ", checks: [{value_of: x1, is: 1, within: 0.5, why: test}]}",
        "{" WARNS ", checks: [{value_of: x1', at: 0.05, is: 0.3, within: 0.1, why: test}]}",
        "{" WARNS ", checks: [{largest_of: energy, at_most: 2.7, why: test}]}",
        "{" WARNS ", checks: [{least_of: x2, from: 0.05, at_least: 0.2, why: test}]}",
        "{" WARNS
        ", checks: [{time_when: impulse.contact, rises_above: 0, is: 0.05, within: 0.04, why: test}]}",
        "{" WARNS ", checks: [{time_when: x2, rises_above: 1e9, is: 0.05, within: 1, why: test}]}",
        "{" WARNS ", checks: [{report: impacts, is: 2, within: 0.5, why: test}]}",
        "{" WARNS ", checks: [{report: no such field, at_most: 1, why: test}]}",
        "{checks: [{report: impacts, is: 1, within: 0.5, why: test}]}",
        "{warns: [energy-grows, joint-torn], why_it_warns: no, checks: [{report: impacts, is: 1, within: "
        "0.5, why: "
        "test}]}",
        "{" WARNS ", checks: [{value_of: x1, is: 1, within: 10, order: 1, why: test}]}",
        "{" WARNS ", integrators: [moreau-jean], checks: [{value_of: x1, is: 1, within: 0.5, why: test}]}",
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        tp_arena arena;
        tp_tree *tree = NULL;
        tp_message why = {""};
        tp_arena_init(&arena, NULL);
        CHECK_INT(tp_tree_read(&arena, &arena, "a wrong figure", wrong[k], strlen(wrong[k]), &tree, &why),
                  TP_OK);
        print_message("to be noticed: ");
        CHECK_INT(count_failures("sprag-clutch", tree->root), 1);
        tp_arena_clear(&arena);
    }
}

TEST_MAIN(RUNS(every_example_gives_the_figures_of_its_readme), RUNS(a_wrong_figure_is_noticed))
