/* The only file that knows MPI. */
#include "ranks.h"

#ifdef TIPPE_MPI

#include <mpi.h>
#include <stdlib.h>

/* Only under a launcher: a plain run would wait for daemons and print their complaints. */
static bool is_launched(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"};
    for (int k = 0; k < 4; ++k) {
        if (getenv(signs[k]) != NULL) return true;
    }
    return false;
}

void ranks_begin(int *argument_count, char ***arguments)
{
    if (is_launched()) MPI_Init(argument_count, arguments);
}

static bool is_running(void)
{
    int has_begun = 0;
    MPI_Initialized(&has_begun);
    return has_begun != 0;
}

void ranks_end(void)
{
    if (is_running()) MPI_Finalize();
}

int ranks_number(void)
{
    int number = 0;
    if (is_running()) MPI_Comm_rank(MPI_COMM_WORLD, &number);
    return number;
}

int ranks_count(void)
{
    int count = 1;
    if (is_running()) MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

bool ranks_all_agree(bool is_well)
{
    int mine = is_well, all = is_well;
    if (is_running()) MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

#else

void ranks_begin(int *argument_count, char ***arguments)
{
    (void)argument_count, (void)arguments;
}

void ranks_end(void)
{
}

int ranks_number(void)
{
    return 0;
}

int ranks_count(void)
{
    return 1;
}

bool ranks_all_agree(bool is_well)
{
    return is_well;
}

#endif
