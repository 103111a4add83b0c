/* The processes of mpirun, in a build with MPI (TIPPE_MPI); else there is one. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>

void ranks_begin(int *argument_count, char ***arguments); /* before anything else, and ... */
void ranks_end(void);                                     /* ... at the end                */
int ranks_number(void);                                   /* of this one, from 0           */
int ranks_count(void);

/* Waits for all, and says whether all are well. */
bool ranks_all_agree(bool is_well);

#endif
