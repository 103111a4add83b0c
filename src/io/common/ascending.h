/* Places in lists of numbers that ascend. */
#ifndef TP_IO_COMMON_ASCENDING_H
#define TP_IO_COMMON_ASCENDING_H

/* How many of the first values are not above `last`. */
static inline long long tp_ascending_count(const double *values, long long count, double last)
{
    long long low = 0, high = count;
    while (low < high) {
        long long middle = low + (high - low) / 2;
        if (values[middle] <= last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
