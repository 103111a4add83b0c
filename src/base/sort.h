/* Sorting without allocation (the C library's qsort may take memory). */
#ifndef TP_BASE_SORT_H
#define TP_BASE_SORT_H

/* Ascending, in place: heapsort, or insertion for short arrays. */
void tp_sort_ints(int *values, int count);

/* Place of a value in an ascending array, or -1. */
int tp_find_int(const int *values, int count, int value);

#endif
