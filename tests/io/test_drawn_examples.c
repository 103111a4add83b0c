/* Every example that has something to draw gives frames that read back whole, and pictures. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "io/vtp_reader.h"
#include "tippe/paraview.h"
#include "tippe/picture.h"

/* Every frame has the same number of figures, and its numbers are those of the run. */
static void check_frame(void *context, int k, const vtp_file *frame)
{
    void **check_state_ = context;
    (void)k;
    CHECK(frame->points > 0);
    CHECK(isfinite(vtp_field(frame, "energy")) && vtp_field(frame, "time") == vtp_field(frame, "TimeValue"));
}

static void check_picture(void **check_state_, const tp_scene *scene, const char *run, const char *path)
{
    tp_trajectory *trajectory = NULL;
    tp_message why = {""};
    CHECK_INT(tp_trajectory_read(NULL, run, &trajectory, &why), TP_OK);
    tp_picture_options options = tp_picture_options_default();
    int count = 0;
    for (int k = 0; k < 2; k++) {
        options.is_side_by_side = k == 1;
        options.frame_count = 4;
        tp_status status = tp_picture_write(NULL, scene->model, trajectory, &options, path, &count, &why);
        if (status != TP_OK) print_error("%s: %s\n", scene->name, why.text);
        CHECK_INT(status, TP_OK);
        CHECK_INT(count, 4);
    }
    tp_trajectory_free(trajectory);
}

static int figure_count(const tp_model *model)
{
    tp_drawer *drawer = NULL;
    if (tp_drawer_create(NULL, model, &drawer) != TP_OK) fail();
    int count = tp_drawer_count(drawer);
    tp_drawer_free(drawer);
    return count;
}

static void check_example(void **check_state_, const char *name)
{
    tp_scene *scene = read_example(name, NULL);
    int coordinates = tp_model_summarise(scene->model).coordinate_count;
    double steps = coordinates > 500 ? 8.0 : 100.0; /* of heaps a few frames */
    scene->options.end_time = fmin(scene->options.end_time, steps * scene->options.time_step);
    if (coordinates == 0) { /* states alone have no shape */
        tp_scene_free(scene);
        return;
    }
    if (figure_count(scene->model) == 0) fail_msg("%s draws nothing", name);
    tp_simulation *simulation = simulate_scene(scene);
    scratch_folder folder, frames;
    CHECK(scratch_open(&folder));
    char run[800], film[800], picture[800];
    snprintf(run, sizeof run, "%s", scratch_file(&folder, "run.h5"));
    snprintf(film, sizeof film, "%s", scratch_file(&folder, "film.pvd"));
    snprintf(picture, sizeof picture, "%s", scratch_file(&folder, "picture.svg"));
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = run, options.paraview_path = film;
    options.frame_every = scene->options.end_time / 5.0;
    tp_output *output = NULL;
    tp_message why = {""};
    if (tp_output_create(NULL, simulation, &options, &output, &why) != TP_OK)
        fail_msg("%s: %s", name, why.text);
    CHECK_INT(tp_simulation_run(simulation, tp_output_observe, output, NULL), TP_OK);
    CHECK_INT(tp_output_close(output, &why), TP_OK);
    int count = vtp_check_index(film, check_frame, check_state_);
    CHECK(count >= 4 && count <= 8);
    check_picture(check_state_, scene, run, picture);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    snprintf(frames.path, sizeof frames.path, "%.200s/film", folder.path);
    scratch_close(&frames);
    scratch_close(&folder);
}

TEST(every_example_is_drawn)
{
    example_list list = find_examples();
    for (int k = 0; k < list.count; k++) check_example(check_state_, list.name[k]);
}

TEST_MAIN(RUNS(every_example_is_drawn))
