/* The arena and the scratch stack. */
#include "base/arena.h"
#include "base/stack.h"
#include "check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct counter {
    int live, total;
} counter;

static void *counted_allocate(void *context, size_t bytes)
{
    counter *c = context;
    c->live++;
    c->total++;
    return malloc(bytes);
}

static void counted_release(void *context, void *memory)
{
    ((counter *)context)->live--;
    free(memory);
}

TEST(an_arena_gives_aligned_zeroed_memory_and_releases_all_of_it)
{
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    tp_arena arena;
    tp_arena_init(&arena, &allocator);
    for (int i = 1; i < 200; i++) {
        unsigned char *memory = tp_arena_take(&arena, (size_t)i, 97);
        CHECK(memory != NULL);
        CHECK_INT((uintptr_t)memory % (97 * i < 256 ? 16 : 64), 0);
        for (int k = 0; k < 97 * i; k++) CHECK_INT(memory[k], 0);
    }
    CHECK(tp_arena_take(&arena, SIZE_MAX / 2, 16) == NULL);
    tp_arena_clear(&arena);
    CHECK_INT(count.live, 0);
}

TEST(arrays_of_doubles_of_one_length_are_zeroed_and_apart_or_leave_their_failure)
{
    tp_arena arena;
    double *a = NULL, *b = NULL, *c = NULL;
    tp_arena_init(&arena, NULL);
    TP_ARENA_DOUBLES(&arena, 50, &a, &b, &c);
    CHECK_INT(tp_arena_status(&arena), TP_OK);
    for (int k = 0; k < 50; k++) {
        CHECK_NEAR(fabs(a[k]) + fabs(b[k]) + fabs(c[k]), 0.0, 0.0);
        a[k] = 1.0, b[k] = 2.0, c[k] = 3.0;
    }
    for (int k = 0; k < 50; k++) CHECK(a[k] == 1.0 && b[k] == 2.0 && c[k] == 3.0);
    TP_ARENA_DOUBLES(&arena, SIZE_MAX / 4, &a, &b);
    CHECK(a == NULL && b == NULL && tp_arena_status(&arena) == TP_OUT_OF_MEMORY);
    tp_arena_clear(&arena);
}

typedef struct housed {
    int number;
    tp_arena arena;
    double *values;
} housed;

TEST(an_object_in_its_own_arena_begins_zeroed_and_ends_with_it)
{
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    housed *object = TP_ARENA_OBJECT(housed, &allocator);
    CHECK(object != NULL && object->number == 0 && object->values == NULL);
    object->values = TP_ARENA_ARRAY(&object->arena, double, 1000000); /* a chunk of its own */
    CHECK(object->values != NULL && tp_arena_status(&object->arena) == TP_OK);
    CHECK_INT(count.live, 2);
    tp_arena_clear(&object->arena);
    CHECK_INT(count.live, 0);
}

/* Lists that double would else keep all their older copies. */
TEST(a_large_piece_can_be_given_back_and_a_small_one_stays)
{
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    tp_arena arena;
    tp_arena_init(&arena, &allocator);
    char *small = tp_arena_take(&arena, 10, 10), *beside = tp_arena_take(&arena, 10, 10);
    double *large = TP_ARENA_ARRAY(&arena, double, 20000);
    char *text = tp_arena_copy(&arena, "abc", 4, 1), *next = tp_arena_copy(&arena, "de", 3, 1);
    CHECK_INT(next - text, 4); /* text is packed */
    int live = count.live;
    tp_arena_release(&arena, large, 20000 * sizeof(double));
    CHECK_INT(count.live, live - 1);
    beside[0] = 7;
    tp_arena_release(&arena, small, 100);
    tp_arena_release(&arena, NULL, 0);
    CHECK_INT(count.live, live - 1);
    CHECK_INT(beside[0], 7);
    CHECK(TP_ARENA_ARRAY(&arena, double, 20000) != NULL);
    tp_arena_clear(&arena);
    CHECK_INT(count.live, 0);
}

TEST(a_stack_that_repeats_its_work_allocates_nothing)
{
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    tp_stack stack;
    tp_stack_init(&stack, &allocator);
    int after_first = 0;
    for (int round = 0; round < 5; round++) {
        tp_stack_mark outer = tp_stack_mark_now(&stack);
        double *a = TP_STACK_ARRAY(&stack, double, 5000);
        tp_stack_mark inner = tp_stack_mark_now(&stack);
        double *b = TP_STACK_ARRAY(&stack, double, 50000);
        CHECK(a != NULL && b != NULL);
        a[0] = a[4999] = b[0] = b[49999] = 1.0;
        tp_stack_release(&stack, inner);
        double *c = TP_STACK_ARRAY(&stack, double, 60000);
        CHECK(c != NULL);
        c[59999] = 2.0;
        CHECK_NEAR(a[4999], 1.0, 0.0);
        tp_stack_release(&stack, outer);
        if (round == 0) after_first = count.total;
    }
    CHECK_INT(count.total, after_first);
    tp_stack_clear(&stack);
    CHECK_INT(count.live, 0);
}

TEST(a_reserved_stack_does_not_grow)
{
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    tp_stack stack;
    tp_stack_init(&stack, &allocator);
    CHECK_INT(tp_stack_reserve(&stack, 1000000), TP_OK);
    int before = count.total;
    CHECK(tp_stack_take(&stack, 1, 400000) != NULL);
    CHECK(tp_stack_take(&stack, 1, 500000) != NULL);
    CHECK_INT(count.total, before);
    CHECK(tp_stack_take(&stack, SIZE_MAX / 8, 16) == NULL);
    CHECK(stack.failed);
    tp_stack_clear(&stack);
    CHECK_INT(count.live, 0);
}

/* A factorisation whose pivots wander needs some percent more in one step than in all before. */
TEST(a_settled_stack_has_room_for_work_that_is_somewhat_larger)
{
    counter count = {0, 0};
    tp_allocator allocator = {&count, counted_allocate, counted_release};
    tp_stack stack;
    tp_stack_init(&stack, &allocator);
    int after_first = 0;
    for (size_t bytes = 300000; bytes < 600000; bytes += 10000) {
        tp_stack_mark mark = tp_stack_mark_now(&stack);
        for (int part = 0; part < 5; part++) {
            CHECK(tp_stack_take(&stack, bytes / 5, 1) != NULL);
            tp_stack_settle(&stack); /* in use: nothing happens */
        }
        tp_stack_release(&stack, mark);
        tp_stack_settle(&stack);
        if (after_first == 0) after_first = count.total;
        CHECK_INT(count.live, 1);
        CHECK(stack.high_water >= bytes && stack.high_water < bytes + 5 * 64);
        if (bytes == 400000) CHECK_INT(count.total, after_first);
    }
    CHECK(count.total <= after_first + 1); /* 480000 bytes are four fifths of the room: doubled once */
    tp_stack_clear(&stack);
    CHECK_INT(count.live, 0);
}

TEST(a_message_is_cut_not_overrun)
{
    tp_message message;
    char big[3000];
    for (int i = 0; i < 2999; i++) big[i] = 'x';
    big[2999] = 0;
    CHECK_INT(tp_fail(&message, TP_INVALID_DATA, "%s", big), TP_INVALID_DATA);
    CHECK_INT(message.text[sizeof message.text - 1], 0);
    CHECK_INT(tp_fail(NULL, TP_OUT_OF_MEMORY, "nothing to write to"), TP_OUT_OF_MEMORY);
}

TEST_MAIN(RUNS(an_arena_gives_aligned_zeroed_memory_and_releases_all_of_it),
          RUNS(an_object_in_its_own_arena_begins_zeroed_and_ends_with_it),
          RUNS(arrays_of_doubles_of_one_length_are_zeroed_and_apart_or_leave_their_failure),
          RUNS(a_large_piece_can_be_given_back_and_a_small_one_stays),
          RUNS(a_stack_that_repeats_its_work_allocates_nothing), RUNS(a_reserved_stack_does_not_grow),
          RUNS(a_settled_stack_has_room_for_work_that_is_somewhat_larger), RUNS(a_message_is_cut_not_overrun))
