/* Many random scenes with every integrator, and a table of what came of them. */
#ifndef TESTS_BATTERY_BATTERY_H
#define TESTS_BATTERY_BATTERY_H

#include "judge.h"

typedef struct battery_plan {
    int first, count;   /* scenes by number                                            */
    int steps_max;      /* of a run, 0: all of the scene's                             */
    const char *only;   /* integrators, with commas between; NULL: all                                   */
    const char *folder; /* for the scenes of failed runs; made if it is not there    */
} battery_plan;

typedef struct battery_row {
    long long runs, refused, stopped, warned, steps; /* runs: those that were not refused */
    long long silent;                                /* runs with a defect                 */
    long long defects[DEFECT_COUNT];
    double residual, slowest; /* largest E; longest run [s] */
} battery_row;

enum { BATTERY_INTEGRATORS_MAX = 32 };

typedef struct battery_table {
    battery_row rows[BATTERY_INTEGRATORS_MAX]; /* by number of the integrator */
} battery_table;

/* Values of the environment win: TIPPE_BATTERY_FIRST, _COUNT, _STEPS, _ONLY (an integrator), _FOLDER. */
void battery_read_environment(battery_plan *plan);
/* Prints every failed run with the command that repeats it. */
battery_table battery_run(const battery_plan *plan);
void battery_print(const battery_table *table);
/* At most 0.2 % of the runs of every integrator stopped, and no silent defect. */
bool battery_passes(const battery_table *table);

#endif
