/* Edit distance between names, three rows at a time: a swap of neighbours looks two letters back. */
#include "tippe/base.h"

enum { COMPARED = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int tp_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][COMPARED + 1];
    int m = a_length < COMPARED ? (int)a_length : COMPARED,
        n = b_length < COMPARED ? (int)b_length : COMPARED;
    for (int j = 0; j <= n; j++) rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            int least = smaller(before[j], now[j - 1]) + 1;
            least = smaller(least, before[j - 1] + (a[i - 1] != b[j - 1]));
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            now[j] = is_swap ? smaller(least, two_before[j - 2] + 1) : least;
        }
    }
    return rows[m % 3][n];
}
