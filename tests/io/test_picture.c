/* Pictures of a motion: size, repeatability, and that moments do not hide each other. */
#define _XOPEN_SOURCE 700
#include <stdbool.h>

#include "check.h"
#include "io/scratch.h"
#include "models.h"
#include "tippe/picture.h"

/* A point that falls in front of a filled wall. */
static tp_model *falling_point(void)
{
    tp_model *model = new_model();
    coordinate(model, "z", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    tp_drawing_vertex wall[3] = {{{TP_FORMULA("-1"), TP_FORMULA("-5")}},
                                 {{TP_FORMULA("1"), TP_FORMULA("-5")}},
                                 {{TP_FORMULA("0"), TP_FORMULA("2")}}};
    tp_drawing_vertex at = {{TP_FORMULA("0"), TP_FORMULA("z")}};
    tp_drawing_def def = tp_drawing_def_default();
    def.name = "wall", def.kind = TP_PRIMITIVE_POLYGON, def.vertices = wall, def.vertex_count = 3;
    def.is_filled = true;
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    def.name = "point", def.kind = TP_PRIMITIVE_POINT, def.vertices = &at, def.vertex_count = 1;
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static tp_trajectory *fall(const char *path)
{
    tp_model *same = falling_point();
    tp_simulation *simulation = simulate(same, 0.01, 1.0);
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = path;
    tp_output *output = NULL;
    tp_trajectory *trajectory = NULL;
    tp_message why = {""};
    if (tp_output_create(NULL, simulation, &options, &output, &why) != TP_OK) fail_msg("%s", why.text);
    if (tp_simulation_run(simulation, tp_output_observe, output, NULL) != TP_OK) fail();
    if (tp_output_close(output, &why) != TP_OK) fail_msg("%s", why.text);
    if (tp_trajectory_read(NULL, path, &trajectory, &why) != TP_OK) fail_msg("%s", why.text);
    tp_simulation_free(simulation);
    tp_model_free(same);
    return trajectory;
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) count++;
    return count;
}

/* The picture as text, to be freed. */
static char *draw(void **check_state_, scratch_folder *folder, const tp_model *model,
                  const tp_trajectory *run, const tp_picture_options *options, int expected)
{
    int moments = 0;
    size_t count = 0;
    tp_message why = {""};
    const char *path = scratch_file(folder, "picture.svg");
    CHECK_INT(tp_picture_write(NULL, model, run, options, path, &moments, &why), TP_OK);
    CHECK_INT(moments, expected);
    char *text = (char *)scratch_read(path, &count);
    CHECK(text != NULL);
    text[count] = '\0';
    return text;
}

/* Points are strokes of 4 pt: in a style, or from cairo 1.17 on in an attribute. */
static int points(const char *svg)
{
    return occurrences(svg, "stroke-width:4") + occurrences(svg, "stroke-width=\"4");
}

/* Filled surfaces are paths of their own. */
TEST(every_moment_is_there_and_what_stands_still_is_painted_once)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_model *model = falling_point();
    tp_trajectory *run = fall(scratch_file(&folder, "run.h5"));
    tp_picture_options options = tp_picture_options_default();
    options.frame_count = 7;
    char *over = draw(check_state_, &folder, model, run, &options, 7);
    CHECK_INT(points(over), 7);
    options.is_side_by_side = true;
    char *beside = draw(check_state_, &folder, model, run, &options, 7);
    CHECK_INT(points(beside), 7);
    CHECK_INT(occurrences(beside, "fill-rule") - occurrences(over, "fill-rule"), 6); /* six walls more */
    /* Letters of "0 s", "0.17 s", "0.33 s", "0.5 s", "0.67 s", "0.83 s", "1 s", and of the bar ("0.5 m"). */
    int letters = occurrences(beside, "<use");
    CHECK(letters >= 35 + 3 && letters <= 35 + 6);
    options.is_side_by_side = false;
    char *again = draw(check_state_, &folder, model, run, &options, 7);
    CHECK(strcmp(over, again) == 0);
    options.from = -1e300, options.until = 1e300; /* no more than there is */
    free(again);
    again = draw(check_state_, &folder, model, run, &options, 7);
    CHECK(strcmp(over, again) == 0);
    options.frame_count = 200; /* the run has 101 rows */
    char *all = draw(check_state_, &folder, model, run, &options, 101);
    options.frame_count = 1, options.from = options.until = 0.5;
    char *one = draw(check_state_, &folder, model, run, &options, 1);
    CHECK_INT(points(one), 1);
    free(over), free(beside), free(again), free(all), free(one);
    tp_trajectory_free(run);
    tp_model_free(model);
    scratch_close(&folder);
}

TEST(impossible_pictures_are_refused)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_model *model = falling_point(), *other = double_pendulum_model(false);
    tp_trajectory *run = fall(scratch_file(&folder, "run.h5"));
    tp_message why = {""};
    tp_picture_options bad[6];
    for (int k = 0; k < 6; k++) bad[k] = tp_picture_options_default();
    bad[0].frame_count = 0, bad[1].frame_count = TP_PICTURE_FRAMES_MAX + 1, bad[2].look = TP_LOOK_FROM;
    bad[3].look = TP_LOOK_FROM, bad[3].view.x = NAN, bad[4].from = 7.0, bad[5].width = 1e9;
    const char *path = scratch_file(&folder, "picture.png");
    for (int k = 0; k < 6; k++)
        CHECK_INT(tp_picture_write(NULL, model, run, &bad[k], path, NULL, &why), TP_INVALID_ARGUMENT);
    tp_picture_options options = tp_picture_options_default();
    CHECK_INT(tp_picture_write(NULL, other, run, &options, path, NULL, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "nothing to draw") != NULL);
    CHECK_INT(scratch_count(&folder), 1); /* the run alone */
    tp_trajectory_free(run);
    tp_model_free(other);
    tp_model_free(model);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(every_moment_is_there_and_what_stands_still_is_painted_once),
          RUNS(impossible_pictures_are_refused))
