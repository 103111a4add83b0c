/* What tippe check --holonomy, --forces, --viability and --reduce find, for a person or as JSON. */
#ifndef CLI_ANALYSIS_REPORT_H
#define CLI_ANALYSIS_REPORT_H

#include "tippe/analysis.h"
#include "tippe/scene.h"

typedef struct analysis_choice {
    bool holonomy, forces, viability, reduce;
} analysis_choice;

static inline bool analysis_is_chosen(const analysis_choice *choice)
{
    return choice->holonomy || choice->forces || choice->viability || choice->reduce;
}

/* Computes and prints what is chosen. What cannot be examined is reported and is not a failure; others are
   out of memory. */
tp_status analysis_print(const tp_scene *scene, const analysis_choice *choice, bool as_json);

#endif
