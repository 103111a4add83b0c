/* The catalogue of experiments that comes with the program. */
#ifndef CLI_REPRODUCE_LIST_H
#define CLI_REPRODUCE_LIST_H

#include "tippe/reproduce.h"

/* Reads it, or the one in a folder (NULL: the program's). */
tp_status reproduce_catalogue(const char *folder, tp_catalogue **catalogue_out, tp_message *why);

#endif
