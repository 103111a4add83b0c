/* Names and their numbers. */
#include "base/name_index.h"
#include "check.h"

#include <string.h>

TEST(an_empty_index_has_no_names)
{
    tp_name_index index = {0};
    CHECK_INT(tp_name_index_find(&index, "a"), -1);
    CHECK_INT(tp_name_index_find(&index, ""), -1);
}

TEST(names_have_the_numbers_of_a_search_through_the_list)
{
    enum { NAMES = 3000, LENGTH = 4 };
    static char names[NAMES][LENGTH];
    check_random random = {71};
    tp_arena arena;
    tp_name_index index = {0};
    tp_arena_init(&arena, NULL);
    for (int i = 0; i < NAMES; i++) {
        /* short words of few letters: many come twice */
        for (int k = 0; k < LENGTH - 1; k++) names[i][k] = (char)('a' + check_random_bits(&random) % 11);
        names[i][check_random_bits(&random) % LENGTH] = '\0';
        names[i][LENGTH - 1] = '\0';
        int first = 0;
        while (strcmp(names[first], names[i]) != 0) first++;
        CHECK_INT(tp_name_index_find(&index, names[i]), first < i ? first : -1);
        CHECK_INT(tp_name_index_add(&arena, &index, names[i], i), TP_OK);
        CHECK_INT(tp_name_index_find(&index, names[i]), first); /* the first one keeps its number */
    }
    CHECK(index.count > 500 && index.count < NAMES);
    CHECK(2 * index.count <= index.size);
    tp_arena_clear(&arena);
}

TEST(a_name_that_could_not_be_copied_is_told)
{
    tp_arena arena;
    tp_name_index index = {0};
    tp_arena_init(&arena, NULL);
    CHECK_INT(tp_name_index_add(&arena, &index, NULL, 0), TP_OUT_OF_MEMORY);
    tp_arena_clear(&arena);
}

TEST_MAIN(RUNS(an_empty_index_has_no_names), RUNS(names_have_the_numbers_of_a_search_through_the_list),
          RUNS(a_name_that_could_not_be_copied_is_told))
