/* What the YAML library complains about, in words that say what would be right. */
#ifndef TP_IO_SCENE_YAML_PROBLEM_H
#define TP_IO_SCENE_YAML_PROBLEM_H

#include <stdbool.h>

typedef struct tp_yaml_problem {
    const char *problem, *context; /* parts of libyaml's texts; context NULL: any       */
    const char *text;              /* what is wrong; what would be right                */
    bool began_before;             /* the context's place is worth telling: an open [ { */
} tp_yaml_problem;

/* For a problem and its context ("while parsing a flow mapping", may be NULL); NULL if it is not known. */
const tp_yaml_problem *tp_yaml_problem_find(const char *problem, const char *context);

#endif
