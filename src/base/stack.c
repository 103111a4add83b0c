/* The scratch stack: a list of chunks; taking moves forward through it, releasing moves back. */
#include "stack.h"

/* The first chunk is larger than what small scenes need in any stage of a solver, so that a rare stage in a
   warm step stays within it; pages that are not used take no memory. */
enum { SMALLEST_CHUNK = 1 << 20, SETTLE_MOST = 32 << 20, LARGE_CHUNK = 4 << 20 };

void tp_stack_init(tp_stack *stack, const tp_allocator *allocator)
{
    *stack = (tp_stack){.allocator = allocator != NULL ? allocator : tp_allocator_default()};
}

void tp_stack_clear(tp_stack *stack)
{
    while (stack->first != NULL) {
        tp_stack_chunk *chunk = stack->first;
        stack->first = chunk->next;
        stack->allocator->release(stack->allocator->context, chunk);
    }
    tp_stack_init(stack, stack->allocator);
}

static tp_stack_chunk *new_chunk(tp_stack *stack, size_t bytes)
{
    size_t capacity = bytes > SMALLEST_CHUNK ? bytes : SMALLEST_CHUNK;
    if (capacity < stack->high_water / 2) capacity = stack->high_water / 2; /* few chunks, not many */
    if (capacity > SIZE_MAX / 2) return NULL;
    tp_stack_chunk *chunk =
        stack->allocator->allocate(stack->allocator->context, sizeof *chunk + capacity + TP_STACK_ALIGNMENT);
    if (chunk == NULL) return NULL;
    uintptr_t address = (uintptr_t)(chunk + 1);
    chunk->memory =
        (unsigned char *)((address + TP_STACK_ALIGNMENT - 1) / TP_STACK_ALIGNMENT * TP_STACK_ALIGNMENT);
    chunk->capacity = capacity;
    chunk->used = 0;
    chunk->next = NULL;
    return chunk;
}

/* Makes `current` a chunk with room for `bytes`: the next spare one if it fits, else a new one before it. A
   large one that does not fit is given back: work that grows from step to step would leave chunk after chunk
   behind. */
static tp_status advance(tp_stack *stack, size_t bytes)
{
    tp_stack_chunk *spare = stack->current != NULL ? stack->current->next : stack->first;
    if (spare != NULL && spare->capacity < bytes && spare->capacity >= LARGE_CHUNK) {
        tp_stack_chunk *small = spare;
        spare = small->next;
        if (stack->current != NULL)
            stack->current->next = spare;
        else
            stack->first = spare;
        stack->allocator->release(stack->allocator->context, small);
    }
    if (spare == NULL || spare->capacity < bytes) {
        tp_stack_chunk *chunk = new_chunk(stack, bytes);
        if (chunk == NULL) return TP_OUT_OF_MEMORY;
        chunk->next = spare;
        if (stack->current != NULL) {
            stack->current->next = chunk;
        } else {
            stack->first = chunk;
        }
        spare = chunk;
    }
    if (stack->current != NULL) stack->used_before += stack->current->used;
    spare->used = 0;
    stack->current = spare;
    return TP_OK;
}

static bool has_room(const tp_stack *stack, size_t bytes)
{
    return stack->current != NULL && stack->current->capacity - stack->current->used >= bytes;
}

tp_status tp_stack_reserve(tp_stack *stack, size_t bytes)
{
    if (bytes > stack->reserved) stack->reserved = bytes;
    if (has_room(stack, bytes)) return TP_OK;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_status status = advance(stack, bytes);
    tp_stack_release(stack, mark);
    return status;
}

void tp_stack_settle(tp_stack *stack)
{
    const tp_stack_chunk *first = stack->first, *current = stack->current;
    bool is_empty = current == NULL || (current == first && current->used == 0);
    if (!is_empty || first == NULL) return;
    size_t high_water = stack->high_water, reserved = stack->reserved;
    bool is_large = high_water > SETTLE_MOST;
    bool has_spare = first->next == NULL && (is_large || first->capacity >= high_water + high_water / 4);
    if (has_spare && first->capacity >= reserved) return;
    size_t room = is_large ? high_water + high_water / 8 : 2 * high_water;
    if (is_large) tp_stack_clear(stack); /* never both at once: it begins anew where there is no memory */
    tp_stack_chunk *whole = new_chunk(stack, room + reserved);
    if (whole == NULL) return; /* what there is will do */
    tp_stack_clear(stack);
    stack->first = whole;
    stack->high_water = high_water;
    stack->reserved = reserved;
}

tp_stack_mark tp_stack_mark_now(const tp_stack *stack)
{
    return (tp_stack_mark){stack->current, stack->current != NULL ? stack->current->used : 0,
                           stack->used_before};
}

void tp_stack_release(tp_stack *stack, tp_stack_mark mark)
{
    stack->current = mark.chunk;
    if (stack->current != NULL) stack->current->used = mark.used;
    stack->used_before = mark.used_before;
    stack->failed = false;
}

void *tp_stack_take_more(tp_stack *stack, size_t bytes)
{
    if (!has_room(stack, bytes) && advance(stack, bytes) != TP_OK) {
        stack->failed = true;
        return NULL;
    }
    void *memory = stack->current->memory + stack->current->used;
    stack->current->used += bytes;
    size_t in_use = stack->used_before + stack->current->used;
    if (in_use > stack->high_water) stack->high_water = in_use;
    return memory;
}

void tp_stack_take_doubles(tp_stack *stack, size_t count, double **const *arrays)
{
    for (; *arrays != NULL; arrays++) **arrays = tp_stack_take(stack, count, sizeof(double));
}

void tp_stack_take_ints(tp_stack *stack, size_t count, int **const *arrays)
{
    for (; *arrays != NULL; arrays++) **arrays = tp_stack_take(stack, count, sizeof(int));
}
