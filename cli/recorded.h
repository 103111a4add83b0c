/* A run that was recorded, with the model that it shows. */
#ifndef CLI_RECORDED_H
#define CLI_RECORDED_H

#include "tippe/output.h"
#include "tippe/scene.h"

typedef struct recorded {
    tp_trajectory *trajectory;
    tp_scene *scene;
} recorded;

/* Reads a trajectory, and the scene that is kept in it, or instead of that the one of scene_path (NULL:
   none). To be closed also after a failure. */
tp_status recorded_open(recorded *run, const char *path, const char *scene_path, tp_message *why_out);
void recorded_close(recorded *run);

#endif
