/* What tippe check found, printed for a person or as JSON. */
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "tippe/scene.h"
#include "tippe/topology.h"

typedef struct integrator_verdict {
    const char *name;
    bool is_accepted;
    char reason[1024];         /* why not                                    */
    tp_simulation *simulation; /* at the initial state; NULL if not accepted */
} integrator_verdict;

typedef struct check_result {
    const tp_scene *scene;
    bool is_sound;
    char reason[256]; /* why not */
    tp_topology *topology;
    int verdict_count;
    integrator_verdict *verdicts; /* of all integrators, in their order */
} check_result;

void check_result_print(const check_result *result, bool as_json);

/* The scene could not be read. */
void check_failure_print_json(const char *path, tp_status status, const char *reason);

#endif
