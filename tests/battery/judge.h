/* One run of a random scene with one integrator, and what is wrong with it. A defect is whatever the scheme
   promises and does not keep, or what no scheme may do, and that the report of the run does not warn of. */
#ifndef TESTS_BATTERY_JUDGE_H
#define TESTS_BATTERY_JUDGE_H

#include "random_scene.h"
#include "tippe/tippe.h"

typedef enum run_end { RUN_DONE, RUN_REFUSED, RUN_STOPPED } run_end;

/* One line makes a defect and its words. */
#define DEFECT_LIST(X)                                                                                       \
    X(DEFECT_NOT_FINITE, "a number is not finite")                                                           \
    X(DEFECT_ENERGY_GREW, "energy grew without work")                                                        \
    X(DEFECT_ENERGY_LOST, "energy vanished where nothing takes it")                                          \
    X(DEFECT_ENERGY_NOT_EXACT, "energy is not exact")                                                        \
    X(DEFECT_ENERGY_WRONG, "the reported energy is not that of the state")                                   \
    X(DEFECT_JOINT_OPEN, "a joint is open")                                                                  \
    X(DEFECT_JOINT_VELOCITY, "the points of a joint move apart")                                             \
    X(DEFECT_PENETRATION, "bodies overlap")                                                                  \
    X(DEFECT_PENETRATION_UNSAID, "the report says less penetration than there is")                           \
    X(DEFECT_FELL_THROUGH, "a body is below the floor")                                                      \
    X(DEFECT_RESIDUAL, "an unsolved step counts as solved")                                                  \
    X(DEFECT_IMPULSE, "a contact pulls or its friction is outside its disc")                                 \
    X(DEFECT_MOMENTUM, "momentum is not constant")                                                           \
    X(DEFECT_NOT_AT_REST, "it moves where friction must hold it")                                            \
    X(DEFECT_SLIDE, "it does not slide or roll as the closed form says")                                     \
    X(DEFECT_OTHER_MOTION, "it moves otherwise than under another integrator")                               \
    X(DEFECT_BITS, "a second run gives other bits")                                                          \
    X(DEFECT_RESTART, "a restart gives other bits")                                                          \
    X(DEFECT_UNSAID, "a failed or unsolved step is not in the report")                                       \
    X(DEFECT_REFUSAL, "a refusal names no integrator that can, or one that cannot")

typedef enum run_defect {
#define DEFECT_ENTRY(name, text) name,
    DEFECT_LIST(DEFECT_ENTRY)
#undef DEFECT_ENTRY
        DEFECT_COUNT
} run_defect;

const char *defect_text(run_defect defect);

/* Positions of bodies, and coordinates of formulas, early in the run. */
enum { PLACES_MAX = 64, PLACES_STEP = 30 };

typedef struct early_places {
    bool is_smooth; /* joints alone: all integrators must move alike */
    int count;
    double at[PLACES_MAX], way; /* way: the farthest that one has come */
} early_places;

typedef struct run_verdict {
    run_end end;
    char reason[600];          /* of a refusal or a stop                            */
    int warning_count;         /* of the run                                        */
    bool found[DEFECT_COUNT];  /* what is wrong and was not warned of               */
    double size[DEFECT_COUNT]; /* how far off: the quantity over what is allowed    */
    double residual;           /* largest                                           */
    double seconds;            /* of the processor, for the first run               */
    long long steps;
    early_places places;
} run_verdict;

/* Runs the scene for so many steps (at most its own number): once whole, once to a random step and from there
   on as a restart. */
run_verdict judge_run(const random_scene *random, const tp_scene *scene, const char *integrator, int steps);
/* Compares a run with another integrator's: DEFECT_OTHER_MOTION. */
void judge_motion(const random_scene *random, const run_verdict *reference, run_verdict *verdict);
bool has_defect(const run_verdict *verdict);

#endif
