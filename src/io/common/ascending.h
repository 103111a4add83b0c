/* Places in lists of numbers that ascend, and values between them. */
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

/* The value at a time on straight lines between rows; that of the first or last row outside. */
static inline double tp_between_rows(const double *time, const double *value, long long count, double t)
{
    long long next = tp_ascending_count(time, count, t);
    if (next == 0) return value[0];
    if (next == count) return value[count - 1];
    double share = (t - time[next - 1]) / (time[next] - time[next - 1]);
    return value[next - 1] + share * (value[next] - value[next - 1]);
}

#endif
