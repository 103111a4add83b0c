/* A run that is watched in a browser while it goes on. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "program.h"
#include "tippe/scene.h"

typedef struct live_settings {
    const char *page_path; /* the page is also written there at the end; NULL: not */
    int port;              /* 0: any                                               */
    bool is_quiet;
} live_settings;

/* Simulates a scene with these options and answers a browser until Ctrl-C. */
exit_code live_run(const cli_verb *self, const tp_scene *scene, const tp_simulation_options *options,
                   const live_settings *settings);

#endif
