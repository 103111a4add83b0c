/* The names of open families, as nearest_name wants them: NULL past the end. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

const char *solver_name_at(const void *context, int index);
const char *integrator_name_at(const void *context, int index);

#endif
