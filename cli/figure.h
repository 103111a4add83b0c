/* What the verbs that draw have in common: the size and the name of their file. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "program.h"
#include "tippe/picture.h"

enum { FIGURE_PATH_MAX = 4096 };

/* "480x300" in points; 0 for either, or no text: by itself. False after a complaint. */
bool figure_size(const cli_verb *self, const char *text, double *width_out, double *height_out);

/* --view: a word such as "xz", or a direction "1,-2,0.5"; no text: automatic. False after a complaint. */
bool figure_view(const cli_verb *self, const char *text, tp_picture_options *options);

/* -o (NULL: none was given), or the first run's path with another ending (".svg"); path_out
   [FIGURE_PATH_MAX]. The runs themselves must survive. False after a complaint. */
bool figure_path(const cli_verb *self, const char *output, const char *ending, const positionals *runs,
                 char *path_out);

#endif
