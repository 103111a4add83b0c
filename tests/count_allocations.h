/* Counts every call of the C library's allocator in the program that includes this, while is_counting is 1.
   Not under sanitizers, which have an allocator of their own: CAN_COUNT_ALLOCATIONS is then not defined.
   COUNTING_TEST_MAIN is for programs that do nothing but count: its tests stand between #if and #endif. */
#ifndef TESTS_COUNT_ALLOCATIONS_H
#define TESTS_COUNT_ALLOCATIONS_H

#include "check.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)
#define CAN_COUNT_ALLOCATIONS 1

static volatile int is_counting, allocation_count;

/* The library's own names of its allocator: no look-up, so nothing recurses. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

void *malloc(size_t bytes)
{
    allocation_count += is_counting;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    allocation_count += is_counting;
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    allocation_count += is_counting;
    return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    allocation_count += is_counting;
    return __libc_memalign(alignment, bytes);
}

void free(void *memory)
{
    allocation_count += is_counting && memory != NULL;
    __libc_free(memory);
}

#define COUNTING_TEST_MAIN(...) TEST_MAIN(__VA_ARGS__)

#else

/* The body of a test that counts: it reports itself as skipped. */
#define SKIP_WITHOUT_COUNTING                                                                                \
    do {                                                                                                     \
        UNUSED_STATE;                                                                                        \
        print_message("a sanitizer owns the allocator, or the C library is not glibc\n");                    \
        skip();                                                                                              \
    } while (0)

#define COUNTING_TEST_MAIN(...)                                                                              \
    TEST(the_allocator_cannot_be_counted_here)                                                               \
    {                                                                                                        \
        SKIP_WITHOUT_COUNTING;                                                                               \
    }                                                                                                        \
    TEST_MAIN(RUNS(the_allocator_cannot_be_counted_here))

#endif

#endif
