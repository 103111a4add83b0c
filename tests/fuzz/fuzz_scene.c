/* Any bytes as a scene: a model or a refusal with a reason. What was read can be written, read again, and
   simulated for a few steps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tippe/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { STEPS = 3, COORDINATES_MAX = 50 };

static void simulate(const tp_scene *scene)
{
    tp_simulation *simulation;
    tp_message why = {""};
    if (tp_model_summarise(scene->model).coordinate_count > COORDINATES_MAX) return;
    if (tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why) != TP_OK) {
        if (why.text[0] == '\0') abort();
        return;
    }
    for (int k = 1; k <= STEPS; k++) {
        if (tp_simulation_step(simulation, (double)k * scene->options.time_step, NULL) != TP_OK) break;
    }
    tp_simulation_free(simulation);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    tp_scene *scene, *again;
    tp_message why = {""};
    tp_status status = tp_scene_read_memory(NULL, "fuzz", bytes, count, NULL, 0, &scene, &why);
    if (status != TP_OK) {
        if (scene || why.text[0] == '\0') abort();
        if (status != TP_INVALID_DATA && status != TP_FILE_ERROR) abort(); /* a mesh may be in a file */
        return 0;
    }
    if (tp_scene_read_memory(NULL, "again", scene->text, strlen(scene->text), NULL, 0, &again, &why) != TP_OK)
        abort();
    if (strcmp(scene->text, again->text) != 0) abort();
    tp_scene_free(again);
    simulate(scene);
    tp_scene_free(scene);
    return 0;
}
