/* Files named on the command line. */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include <stdbool.h>

/* True if both names lead to one regular file, or are the same text. */
bool are_same_file(const char *a, const char *b);

#endif
