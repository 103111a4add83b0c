/* Frames for ParaView: what they hold, where they go, and that a death loses nothing. */
#define _XOPEN_SOURCE 700
#include "io/vtp_reader.h"
#include "models.h"
#include "tippe/paraview.h"

#include <signal.h>
#include <sys/wait.h>

#include "io/common/base64.h"
#include "io/paraview/vtp.h"

/* The vectors of RFC 4648. */
TEST(base64_is_that_of_the_standard_whatever_the_pieces)
{
    static const char *const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (size_t length = 0; length <= 6; length++) {
        for (size_t cut = 0; cut <= length; cut++) {
            tp_text text = {.bytes = NULL};
            tp_base64 stream = {.text = &text};
            tp_base64_add(&stream, "foobar", cut);
            tp_base64_add(&stream, &"foobar"[cut], length - cut);
            tp_base64_end(&stream);
            CHECK_INT(text.count, strlen(expected[length]));
            CHECK(text.count == 0 || memcmp(text.bytes, expected[length], text.count) == 0);
            tp_text_clear(&text);
        }
    }
}

TEST(names_are_escaped_for_xml)
{
    tp_text text = {.bytes = NULL};
    tp_xml_add(&text, "a<b>&\"c'\xC3\xA9\x01\xFF");
    static const char expected[] = "a&lt;b&gt;&amp;&quot;c'\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD";
    CHECK_INT(text.count, sizeof expected - 1);
    CHECK(memcmp(text.bytes, expected, sizeof expected - 1) == 0);
    tp_text_clear(&text);
}

/* All kinds of figures, and two contacts. */
TEST(a_frame_reads_back_as_it_was_written)
{
    static const tp_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}};
    static const int triangle[3] = {0, 1, 2};
    static const tp_contact_mark contacts[2] = {{1, {1, 2, 3}, {0, 0, 9.5}, 9.25},
                                                {-1, {4, 5, 6}, {-1, 0.25, 0}, NAN}};
    static const char *const laws[2] = {"floor", "wall & door"};
    static const double forces[2] = {7.25, NAN}, row[2] = {0.125, -3.0};
    static const tp_table_column columns[2] = {{"time", "s", ""}, {"q/x\"<>&", "m", ""}};
    tp_primitive list[TP_PRIMITIVE_KINDS];
    for (int k = 0; k < TP_PRIMITIVE_KINDS; k++) {
        list[k] = tp_primitive_default();
        list[k].kind = (tp_primitive_kind)k;
        list[k].name = k < 2 ? "both" : tp_primitive_kind_name(list[k].kind); /* two figures of one thing */
        list[k].colour = (tp_colour){1.0, 0.5, 0.0};
        list[k].vertices = vertices, list[k].vertex_count = 3;
        list[k].triangles = triangle, list[k].triangle_count = 1;
        list[k].size[0] = list[k].size[1] = list[k].size[2] = 0.5;
    }
    list[3].law = 0;
    list[1].role = TP_ROLE_JOINT;
    list[TP_PRIMITIVE_TUBE].is_filled = list[TP_PRIMITIVE_SHELL].is_filled = true; /* yet they hide nothing */
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_vtk_frame frame = tp_vtk_frame_default();
    frame.primitives = list, frame.primitive_count = TP_PRIMITIVE_KINDS;
    frame.contacts = contacts, frame.contact_count = 2;
    frame.law_names = laws, frame.law_forces = forces, frame.law_count = 2;
    frame.columns = columns, frame.row = row, frame.column_count = 2;
    tp_message why = {""};
    const char *path = scratch_file(&folder, "one.vtp");
    CHECK_INT(tp_vtk_frame_write(&frame, path, &why), TP_OK);
    vtp_file *file = vtp_open(path);
    CHECK_INT(file->verts, 3 + 2);
    CHECK_INT(file->lines, 1 + 1 + 1 + 1 + 2 + 3); /* line, circle, polygon: not filled; coil, tube, shell */
    CHECK(vtp_field(file, "TimeValue") == 0.125 && vtp_field(file, "q/x&quot;&lt;&gt;&amp;") == -3.0);
    CHECK_INT(vtp_find(file, "FieldData", "names")->bytes,
              strlen("both circle polygon sphere box cylinder "
                     "capsule plane mesh coil tube shell ")); /* a zero for each space */
    const vtp_array *drawing = vtp_find(file, "CellData", "drawing"),
                    *role = vtp_find(file, "CellData", "role"), *law = vtp_find(file, "CellData", "law"),
                    *force = vtp_find(file, "CellData", "law_force"),
                    *name = vtp_find(file, "CellData", "name"),
                    *colour = vtp_find(file, "CellData", "colour"),
                    *vector = vtp_find(file, "PointData", "contact_force");
    CHECK(vtp_int32(drawing, 0) == 0 && vtp_int32(drawing, 3) == -1); /* a point, a contact */
    CHECK(vtp_int32(law, 3) == 1 && vtp_int32(law, 4) == -1 && vtp_double(force, 3) == 9.25 &&
          isnan(vtp_double(force, 4)));
    CHECK(vtp_int32(role, 0) == TP_ROLE_DRAWING && vtp_int32(role, 3) == -1 &&
          vtp_int32(role, 5) == TP_ROLE_JOINT);
    CHECK(vtp_int32(drawing, 5) == 1 && vtp_int32(name, 5) == 0); /* the line shares the point's name */
    CHECK(vtp_int32(drawing, 7) == 3 && vtp_int32(law, 7) == 0 && vtp_double(force, 7) == 7.25);
    CHECK(colour->components == 3 && colour->data[0] == 255 && colour->data[1] == 128 &&
          colour->data[2] == 0);
    size_t last = vector->value_count / 3 - 2; /* contacts come last */
    CHECK(vtp_double(vector, 3 * last + 2) == 9.5 && vtp_double(vector, 3 * last + 4) == 0.25);
    CHECK(vtp_double(vtp_find(file, "Points", "Points"), 3 * last + 1) == 2.0);
    vtp_close(file);

    frame.segments = 10;
    CHECK_INT(tp_vtk_frame_write(&frame, path, &why), TP_INVALID_ARGUMENT);
    frame.segments = 8, list[0].law = 2;
    CHECK_INT(tp_vtk_frame_write(&frame, path, &why), TP_INVALID_ARGUMENT);
    list[0].law = -1;
    CHECK_INT(tp_vtk_frame_write(&frame, scratch_file(&folder, "none/one.vtp"), &why), TP_FILE_ERROR);
    scratch_close(&folder);
}

static const tp_table_column fall_columns[] = {
    {"time", "s", ""}, {"q/z", "m", ""}, {"law/floor/last_impulse_N", "N s", ""}, {"step/size", "s", ""}};
enum { FALL_COLUMNS = 4 };

/* A ball above a floor. */
static tp_model *ball(bool is_drawn)
{
    tp_model *model = new_model();
    coordinate(model, "z", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    contact(model, "floor", "z", NULL, 0.0, 0.5);
    tp_drawing_vertex centre = {.coordinate = {TP_FORMULA("0"), TP_FORMULA("z")}};
    tp_drawing_def def = tp_drawing_def_default();
    def.name = "ball", def.kind = TP_PRIMITIVE_CIRCLE, def.vertices = &centre, def.vertex_count = 1;
    def.radius = TP_FORMULA("0.1"), def.law = "floor", def.is_filled = true;
    if (is_drawn) must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static tp_paraview *open_ball(const tp_model *model, const char *path)
{
    tp_paraview *paraview = NULL;
    tp_message why = {""};
    if (tp_paraview_create(NULL, model, path, fall_columns, FALL_COLUMNS, &paraview, &why) != TP_OK)
        fail_msg("%s", why.text);
    return paraview;
}

static void remove_all(scratch_folder *folder, const char *inner)
{
    scratch_folder below;
    snprintf(below.path, sizeof below.path, "%.200s/%s", folder->path, inner);
    scratch_close(&below);
    scratch_close(folder);
}

static void check_ball(void *context, int k, const vtp_file *frame)
{
    void **check_state_ = context;
    const vtp_array *points = vtp_find(frame, "Points", "Points");
    double z = 1.0 - 0.01 * k;
    CHECK_INT(frame->points, 32);
    CHECK_INT(frame->polygons, 1);
    CHECK(vtp_field(frame, "q/z") == z);
    CHECK_NEAR(vtp_double(points, 0), 0.1, 1e-16);
    CHECK_NEAR(vtp_double(points, 1), z, 0.0);
    CHECK_NEAR(vtp_double(vtp_find(frame, "CellData", "law_force"), 0), 2.0 * k, 1e-13);
}

TEST(frames_and_index_go_to_a_folder_or_beside_an_index_and_replace_older_ones)
{
    static const char *const places[2] = {"film", "film.pvd"}, *const indices[2] = {"film/motion.pvd",
                                                                                    "film.pvd"};
    for (int k = 0; k < 2; k++) {
        scratch_folder folder;
        CHECK(scratch_open(&folder));
        tp_model *model = ball(true);
        for (int round = 0; round < 2; round++) { /* the second motion is shorter */
            tp_paraview *paraview = open_ball(model, scratch_file(&folder, places[k]));
            for (int i = 0; i < 7 - 3 * round; i++) {
                const double row[FALL_COLUMNS] = {0.5 * i, 1.0 - 0.01 * i, 0.002 * i, 0.001};
                CHECK_INT(tp_paraview_append(paraview, row, NULL, 0), TP_OK);
                CHECK_INT(vtp_check_index(scratch_file(&folder, indices[k]), NULL, NULL), i + 1);
            }
            CHECK_INT(tp_paraview_frame_count(paraview), 7 - 3 * round);
            CHECK(strcmp(tp_paraview_index_path(paraview), scratch_file(&folder, indices[k])) == 0);
            CHECK_INT(tp_paraview_close(paraview, NULL), TP_OK);
            CHECK_INT(vtp_check_index(scratch_file(&folder, indices[k]), check_ball, check_state_),
                      7 - 3 * round);
            scratch_folder frames;
            snprintf(frames.path, sizeof frames.path, "%.200s/film", folder.path);
            CHECK_INT(scratch_count(&frames), 7 - 3 * round + (k == 0)); /* and the index */
        }
        tp_model_free(model);
        remove_all(&folder, "film");
    }
}

TEST(what_cannot_be_drawn_or_written_is_refused)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_model *plain = ball(false), *drawn = ball(true);
    tp_paraview *paraview = NULL;
    tp_message why = {""};
    const char *path = scratch_file(&folder, "film");
    CHECK_INT(tp_paraview_create(NULL, plain, path, fall_columns, FALL_COLUMNS, &paraview, &why),
              TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "nothing to draw") != NULL && paraview == NULL);
    CHECK_INT(tp_paraview_create(NULL, drawn, path, fall_columns, 1, &paraview, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "q/z") != NULL);
    CHECK_INT(tp_paraview_create(NULL, drawn, path, fall_columns + 1, 1, &paraview, &why),
              TP_INVALID_ARGUMENT);
    CHECK_INT(scratch_count(&folder), 0);
    CHECK_INT(tp_paraview_create(NULL, drawn, scratch_file(&folder, "none/film"), fall_columns, FALL_COLUMNS,
                                 &paraview, &why),
              TP_FILE_ERROR);
    CHECK_INT(tp_paraview_create(NULL, drawn, "/dev/full", fall_columns, FALL_COLUMNS, &paraview, &why),
              TP_FILE_ERROR);
    CHECK_INT(tp_paraview_create(NULL, drawn, scratch_file(&folder, ".pvd"), fall_columns, FALL_COLUMNS,
                                 &paraview, &why),
              TP_INVALID_ARGUMENT);

    /* The folder vanishes: the first failure stays. */
    paraview = open_ball(drawn, scratch_file(&folder, "film"));
    const double row[FALL_COLUMNS] = {0.0, 1.0, 0.0, 0.001};
    char index[800];
    snprintf(index, sizeof index, "%s", tp_paraview_index_path(paraview));
    CHECK_INT(remove(index) + remove(scratch_file(&folder, "film")), 0);
    CHECK_INT(tp_paraview_append(paraview, row, NULL, 0), TP_FILE_ERROR);
    CHECK_INT(tp_paraview_append(paraview, row, NULL, 0), TP_FILE_ERROR);
    CHECK_INT(tp_paraview_close(paraview, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "frame-000000.vtp") != NULL);
    tp_model_free(plain);
    tp_model_free(drawn);
    scratch_close(&folder);
}

/* Writes frames for ever and tells of each. */
static void write_until_killed(const char *path, int pipe_end)
{
    tp_model *model = ball(true);
    tp_paraview *paraview = open_ball(model, path);
    for (int k = 0;; k++) {
        const double row[FALL_COLUMNS] = {0.5 * k, 1.0 - 0.01 * k, 0.002 * k, 0.001};
        if (tp_paraview_append(paraview, row, NULL, 0) != TP_OK || write(pipe_end, &k, sizeof k) != sizeof k)
            _exit(1);
    }
}

TEST(a_killed_run_leaves_every_frame_it_told_of_in_a_whole_index)
{
    check_random random = {99};
    for (int death = 0; death < 10; death++) {
        scratch_folder folder;
        int ends[2], told = 0, k;
        CHECK(scratch_open(&folder) && pipe(ends) == 0);
        pid_t child = fork();
        if (child == 0) write_until_killed(scratch_file(&folder, "film"), ends[1]);
        close(ends[1]);
        int patience = 1 + (int)(check_random_bits(&random) % 60);
        while (told < patience && read(ends[0], &k, sizeof k) == sizeof k) told++;
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        while (read(ends[0], &k, sizeof k) == sizeof k) told++;
        close(ends[0]);
        CHECK(vtp_check_index(scratch_file(&folder, "film/motion.pvd"), check_ball, check_state_) >= told);
        remove_all(&folder, "film");
    }
}

/* A run to a file and to frames, and the file as frames: the same bytes. */
TEST(a_trajectory_gives_the_same_frames_as_its_run)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_model *model = ball(true);
    tp_simulation *simulation = simulate(model, 1e-3, 0.5);
    tp_output_options options = tp_output_options_default();
    char run[800], film[800];
    snprintf(run, sizeof run, "%s", scratch_file(&folder, "run.h5"));
    snprintf(film, sizeof film, "%s", scratch_file(&folder, "film"));
    options.hdf5_path = run, options.paraview_path = film;
    options.output_every = 0.01, options.frame_every = 0.1;
    tp_output *output = NULL;
    tp_message why = {""};
    CHECK_INT(tp_output_create(NULL, simulation, &options, &output, &why), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, tp_output_observe, output, NULL), TP_OK);
    CHECK_INT(tp_output_close(output, &why), TP_OK);
    CHECK_INT(vtp_check_index(scratch_file(&folder, "film/motion.pvd"), NULL, NULL), 6);

    tp_trajectory *trajectory = NULL;
    long long count = 0;
    CHECK_INT(tp_trajectory_read(NULL, run, &trajectory, &why), TP_OK);
    CHECK_INT(
        tp_paraview_export(NULL, trajectory, model, scratch_file(&folder, "again.pvd"), 0.1, &count, &why),
        TP_OK);
    CHECK_INT(count, 6);
    for (int k = 0; k < 6; k++) {
        char name[2][64];
        snprintf(name[0], sizeof name[0], "film/frame-%06d.vtp", k);
        snprintf(name[1], sizeof name[1], "again/frame-%06d.vtp", k);
        size_t size[2] = {0, 0};
        unsigned char *bytes[2];
        for (int i = 0; i < 2; i++) bytes[i] = scratch_read(scratch_file(&folder, name[i]), &size[i]);
        CHECK(bytes[0] != NULL && bytes[1] != NULL && size[0] == size[1] && size[0] > 0);
        CHECK(memcmp(bytes[0], bytes[1], size[0]) == 0);
        free(bytes[0]);
        free(bytes[1]);
    }
    CHECK_INT(
        tp_paraview_export(NULL, trajectory, model, scratch_file(&folder, "again.pvd"), 0.0, &count, &why),
        TP_OK);
    CHECK_INT(count, trajectory->row_count);
    CHECK_INT(tp_paraview_export(NULL, trajectory, model, scratch_file(&folder, "a.pvd"), NAN, &count, &why),
              TP_INVALID_ARGUMENT);
    tp_trajectory_free(trajectory);
    tp_simulation_free(simulation);
    tp_model_free(model);
    scratch_folder again;
    snprintf(again.path, sizeof again.path, "%.200s/again", folder.path);
    scratch_close(&again);
    remove_all(&folder, "film");
}

TEST_MAIN(RUNS(base64_is_that_of_the_standard_whatever_the_pieces), RUNS(names_are_escaped_for_xml),
          RUNS(a_frame_reads_back_as_it_was_written),
          RUNS(frames_and_index_go_to_a_folder_or_beside_an_index_and_replace_older_ones),
          RUNS(what_cannot_be_drawn_or_written_is_refused),
          RUNS(a_killed_run_leaves_every_frame_it_told_of_in_a_whole_index),
          RUNS(a_trajectory_gives_the_same_frames_as_its_run))
