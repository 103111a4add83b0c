/* Recorded runs. */
#include "recorded.h"

#include <string.h>

#include "hdf5_child.h"

tp_status recorded_open(recorded *run, const char *path, const char *scene_path, tp_message *why_out)
{
    *run = (recorded){.trajectory = NULL};
    TP_TRY(tp_trajectory_read_from(NULL, &hdf5_child, path, &run->trajectory, why_out));
    if (scene_path != NULL) return tp_scene_read(NULL, scene_path, NULL, 0, &run->scene, why_out);
    const char *text = run->trajectory->scene_text;
    if (text[0] == '\0') {
        return tp_fail(why_out, TP_INVALID_DATA, "%s holds no scene; name it with --scene", path);
    }
    tp_message why = {""};
    tp_status status = tp_scene_read_memory(NULL, path, text, strlen(text), NULL, 0, &run->scene, &why);
    return status == TP_OK ? TP_OK : tp_fail(why_out, status, "the scene in %s", why.text);
}

void recorded_close(recorded *run)
{
    tp_scene_free(run->scene);
    tp_trajectory_free(run->trajectory);
}
