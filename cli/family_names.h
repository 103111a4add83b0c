/* The names of open families, as nearest_name wants them: NULL past the end. */
#ifndef CLI_FAMILY_NAMES_H
#define CLI_FAMILY_NAMES_H

#include <stdbool.h>

const char *solver_name_at(const void *context, int index);
const char *integrator_name_at(const void *context, int index);

struct cli_verb;

/* False, with a complaint and the nearest name, if there is no such integrator or solver; NULL: not asked
 * for. */
bool check_names(const struct cli_verb *verb, const char *integrator, const char *solver);

#endif
