/* The long runs of examples, as their READMEs tell them: the list `long` of examples/NAME/expected.json. */
#define _POSIX_C_SOURCE 200809L
#include "example_runs.h"

TEST(long_runs_of_examples_give_the_figures_of_their_readmes)
{
    int failures;
    CHECK(count_examples_with("long", &failures) > 0);
    CHECK_INT(failures, 0);
}

TEST_MAIN(RUNS(long_runs_of_examples_give_the_figures_of_their_readmes))
