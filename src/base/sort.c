/* Sorting without allocation. */
#include "sort.h"

enum { SHORT_ARRAY = 24 };

static void insertion_sort(int *values, int count)
{
    for (int i = 1; i < count; i++) {
        int value = values[i], k = i;
        for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
}

static void sift_down(int *values, int root, int count)
{
    for (;;) {
        int child = 2 * root + 1;
        if (child >= count) return;
        if (child + 1 < count && values[child + 1] > values[child]) child++;
        if (values[root] >= values[child]) return;
        int swap = values[root];
        values[root] = values[child];
        values[child] = swap;
        root = child;
    }
}

void tp_sort_ints(int *values, int count)
{
    if (count <= SHORT_ARRAY) {
        insertion_sort(values, count);
        return;
    }
    for (int root = count / 2 - 1; root >= 0; root--) sift_down(values, root, count);
    for (int last = count - 1; last > 0; last--) {
        int swap = values[0];
        values[0] = values[last];
        values[last] = swap;
        sift_down(values, 0, last);
    }
}

int tp_find_int(const int *values, int count, int value)
{
    int low = 0, high = count - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (values[middle] == value) return middle;
        if (values[middle] < value) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}
