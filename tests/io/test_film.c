/* Films: both formats hold the same frames, and last as long as the run says. */
#define _XOPEN_SOURCE 700
#include <stdbool.h>

#include "check.h"
#include "io/film_reader.h"
#include "io/scratch.h"
#include "models.h"
#include "tippe/picture.h"

enum { ROWS = 21 };

/* A disc that moves to the right in front of a filled wall; the run is made by hand. */
static tp_model *moving_disc(void)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
    tp_drawing_vertex wall[3] = {{{TP_FORMULA("-1"), TP_FORMULA("-1")}},
                                 {{TP_FORMULA("3"), TP_FORMULA("-1")}},
                                 {{TP_FORMULA("1"), TP_FORMULA("1")}}};
    tp_drawing_vertex at = {{TP_FORMULA("x")}};
    tp_drawing_def def = tp_drawing_def_default();
    def.name = "wall", def.kind = TP_PRIMITIVE_POLYGON, def.vertices = wall, def.vertex_count = 3;
    def.is_filled = true;
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    def.name = "disc", def.kind = TP_PRIMITIVE_CIRCLE, def.vertices = &at, def.vertex_count = 1;
    def.radius = TP_FORMULA("0.3");
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

typedef struct motion {
    tp_table_column columns[2];
    double time[ROWS], x[ROWS];
    const double *values[2];
    tp_trajectory run;
} motion;

static void make_motion(motion *m)
{
    *m = (motion){.columns = {{"time", "s", ""}, {"q/x", "m", ""}}, .values = {m->time, m->x}};
    for (int k = 0; k < ROWS; k++) m->time[k] = 0.1 * k, m->x[k] = 0.1 * k;
    m->run = (tp_trajectory){
        .column_count = 2, .row_count = ROWS, .columns = m->columns, .values = m->values, .scene_text = ""};
}

static tp_film_options small_film(void)
{
    tp_film_options options = tp_film_options_default();
    options.picture.width = 120.0, options.picture.dots_per_inch = 72.0;
    options.frames_per_second = 10.0, options.speed = 2.0;
    return options;
}

static unsigned char *write_and_read(scratch_folder *folder, const char *name, int *count_out)
{
    motion m;
    make_motion(&m);
    tp_model *model = moving_disc();
    tp_film_options options = small_film();
    tp_message why = {""};
    const char *path = scratch_file(folder, name);
    if (tp_film_write(NULL, model, &m.run, &options, path, count_out, &why) != TP_OK)
        fail_msg("%s", why.text);
    tp_model_free(model);
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = calloc(1, 1 << 22);
    if (file == NULL || bytes == NULL || fread(bytes, 1, 1 << 22, file) == 0) fail();
    fclose(file);
    return bytes;
}

static int most_difference(unsigned a, unsigned b)
{
    int most = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        int one = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
        most = one > most ? one : most;
    }
    return most;
}

/* 2 s at double speed and 10 frames a second: 11 frames, of which the last lasts one of them. The palette has
   five bits of each colour, and this film fewer than 256 colours: 4 of 255 to either side, and rounding. */
TEST(both_formats_hold_the_same_frames)
{
    scratch_folder folder;
    scratch_open(&folder);
    int gif_count = 0, png_count = 0, promised = 0;
    unsigned char *gif_bytes = write_and_read(&folder, "film.gif", &gif_count),
                  *png_bytes = write_and_read(&folder, "film.png", &png_count);
    read_film gif = read_gif(gif_bytes), png = read_png(png_bytes, &promised);
    CHECK_INT(gif.count, 11);
    CHECK_INT(png.count, 11);
    CHECK_INT(gif_count, 11);
    CHECK_INT(promised, 11);
    CHECK(gif.width == 120 && gif.width == png.width && gif.height == png.height);
    double gif_time = 0.0, png_time = 0.0;
    for (int k = 0; k < gif.count; k++) {
        gif_time += gif.seconds[k], png_time += png.seconds[k];
        int changed = 0, worst = 0;
        for (int i = 0; i < gif.width * gif.height; i++) {
            int difference = most_difference(gif.frames[k][i], png.frames[k][i]);
            worst = difference > worst ? difference : worst;
            changed += k > 0 && png.frames[k][i] != png.frames[k - 1][i];
        }
        CHECK(worst <= 8);
        CHECK(k == 0 || changed > 20); /* the disc goes on */
    }
    CHECK_NEAR(gif_time, 1.1, 0.005); /* half a tick: rounding does not add up */
    CHECK_NEAR(png_time, 1.1, 0.0005);
    release_film(&gif), release_film(&png);
    free(gif_bytes), free(png_bytes);
    scratch_close(&folder);
}

TEST(frames_go_to_a_folder)
{
    scratch_folder folder;
    scratch_open(&folder);
    motion m;
    make_motion(&m);
    tp_model *model = moving_disc();
    tp_film_options options = small_film();
    tp_message why = {""};
    int count = 0;
    char place[800];
    snprintf(place, sizeof place, "%s", scratch_file(&folder, ""));
    CHECK_INT(tp_film_write(NULL, model, &m.run, &options, place, &count, &why), TP_OK);
    CHECK_INT(count, 11);
    CHECK_INT(scratch_count(&folder), 11);
    CHECK_INT(tp_film_write(NULL, model, &m.run, &options, "film.avi", &count, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, ".gif or .png") != NULL);
    options.speed = 1e-9;
    CHECK_INT(tp_film_write(NULL, model, &m.run, &options, place, &count, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "choose a higher speed") != NULL);
    tp_model_free(model);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(both_formats_hold_the_same_frames), RUNS(frames_go_to_a_folder))
