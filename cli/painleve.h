/* tippe check --painleve: how friction couples normal forces, at the start of a scene, along a recorded run,
   or over two parameters; docs/guide/painleve.md. */
#ifndef CLI_PAINLEVE_H
#define CLI_PAINLEVE_H

#include "command_options.h"
#include "program.h"

typedef struct painleve_request {
    const char *path;          /* a scene, or a run that ends in .h5                        */
    const option_texts *edits; /* of the scene                                              */
    const option_texts *axes;  /* NAME=LOW:HIGH:COUNT, none or two: a map                    */
    const char *output;        /* of a map: .svg, .png or .csv; NULL: printed alone         */
    bool as_json;
} painleve_request;

exit_code painleve_check(const cli_verb *self, const painleve_request *request);

#endif
