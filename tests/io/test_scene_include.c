/* Scenes in scenes: the joined scene is the one that an author would have written as one file. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "expanded.h"
#include "scratch.h"
#include "tippe/multibody.h"
#include "tippe/scene.h"

/* ---- scenes that are given themselves ------------------------------------------------------------------ */

TEST(entries_of_included_scenes_come_first_and_values_of_this_one_win)
{
    CHECK(expands_to(
        "include: {scene: {name: part, about: x, parameters: {g: 1, h: 2*g}, bodies: [{name: a}], "
        "gravity: [0, 0, 1], simulate: {dt: 1, until: 3}, output: {every: 1}}}\n"
        "parameters: {g: 9.81, k: h}\nbodies: [{name: b}]\ngravity: [0, 1]\nsimulate: {dt: 2}\nname: all",
        "parameters: {g: 9.81, h: 2*g, k: h}\nbodies: [{name: a}, {name: b}]\ngravity: [0, 1]\n"
        "simulate: {dt: 2, until: 3}\nname: all"));
    CHECK(expands_to(
        "include: [{scene: {potential: x, ground: {shapes: [{name: p}]}}}, {scene: {potential: [y, z]}}]\n"
        "potential: u\nground: {shapes: [{name: q}]}",
        "potential: [x, y, z, u]\nground: {shapes: [{name: p}, {name: q}]}"));
    CHECK(expands_to("include: {scene: {sensors: {a: x, b: y}}}\nsensors: {b: z, c: x}",
                     "sensors: {a: x, b: z, c: x}"));
    CHECK(is_refused_with("include: {scene: {sensors: {a: x}}}\nsensors: [{name: b, value: x}]",
                          "sensors: is a list here and a map in s.yaml; write both as lists"));
}

/* Names that the scene defines, wherever they are used; nothing else. */
TEST(a_prefix_stands_before_all_names_of_the_included_scene)
{
    CHECK(expands_to(
        "include: {prefix: l_, scene: {parameters: {a: 1, b: 2*a + sin(pi)}, coordinates: [x, {name: y, "
        "initial: b}],"
        " definitions: {\"f(s)\": \"a*s + x'\", s: 3}, bodies: [{name: hub, type: rigid, mass: a, shapes: "
        "[{name: "
        "rim, type: sphere, radius: b}]}], ground: {shapes: [{name: floor, type: plane}]},"
        " joints: [{name: pin, type: revolute, bodies: [ground, hub], axis: [0, 0, a], limits: {name: stop, "
        "lower: "
        "-a}}], contacts: [{name: c, between: [floor, hub], friction: a}, {name: d, gap: \"f(x) + hub.x + "
        "pin.angle' "
        "+ other.x + t\"}], sensors: [{name: w, joint: pin, quantity: coordinate}], initial: {x': a, "
        "hub.v.z: "
        "2}, forces: {x: \"-a*x\"}, draw: [{name: hub_mark, kind: point, at: [hub.x, y], colour: red}]}}",
        "parameters: {l_a: 1, l_b: 2*l_a + sin(pi)}\ncoordinates: [l_x, {name: l_y, initial: l_b}]\n"
        "definitions: {\"l_f(l_s)\": \"l_a*l_s + l_x'\", l_s: 3}\nbodies: [{name: l_hub, type: rigid, mass: "
        "l_a, "
        "shapes: [{name: l_rim, type: sphere, radius: l_b}]}]\nground: {shapes: [{name: l_floor, type: "
        "plane}]}\n"
        "joints: [{name: l_pin, type: revolute, bodies: [ground, l_hub], axis: [0, 0, l_a], limits: {name: "
        "l_stop, "
        "lower: -l_a}}]\ncontacts: [{name: l_c, between: [l_floor, l_hub], friction: l_a}, {name: l_d, gap: "
        "\"l_f(l_x) + l_hub.x + l_pin.angle' + other.x + t\"}]\nsensors: [{name: l_w, joint: l_pin, "
        "quantity: "
        "coordinate}]\ninitial: {l_x': l_a, l_hub.v.z: 2}\nforces: {l_x: \"-l_a*l_x\"}\n"
        "draw: [{name: l_hub_mark, kind: point, at: [l_hub.x, l_y], colour: red}]"));
    CHECK(is_refused_with("include: {prefix: 2a, scene: {}}", "include[0].prefix: '2a' cannot begin a name"));
    CHECK(is_refused_with("include: {prefix: \"a b\", scene: {}}", "cannot begin a name"));
}

TEST(repeats_of_an_included_scene_are_its_own_and_get_the_prefix)
{
    CHECK(expands_to(
        "parameters: {m: 4}\n"
        "include: {prefix: p_, parameters: {n: m/2}, scene: {parameters: {n: 9, l: 1}, bodies: [{repeat: "
        "{i: n}, name: \"b{i}\", mass: l*i}], contacts: [{repeat: {i: [1, n - 1]}, name: \"c{i}\", "
        "between: [\"b{i - 1}\", \"b{i}\"]}]}}",
        "parameters: {p_n: 2, p_l: 1, m: 4}\nbodies: [{name: p_b0, mass: \"p_l*0\"}, {name: p_b1, mass: "
        "\"p_l*1\"}]\ncontacts: [{name: p_c1, between: [p_b0, p_b1]}]"));
    CHECK(expands_to(
        "include: [{repeat: {k: 2}, prefix: \"c{k}_\", parameters: {x: 3*k}, scene: {parameters: {x: 1}, "
        "bodies: [{name: car, position: [x, 0, 0]}]}}]",
        "parameters: {c0_x: 0, c1_x: 3}\nbodies: [{name: c0_car, position: [c0_x, 0, 0]}, {name: c1_car, "
        "position: [c1_x, 0, 0]}]"));
}

TEST(scenes_are_included_by_included_scenes)
{
    CHECK(expands_to(
        "include: {prefix: a_, parameters: {x: 2}, scene: {parameters: {x: 1}, include: {prefix: b_, "
        "parameters: {y: 10*x}, scene: {parameters: {y: 0}, bodies: [{name: c, mass: y}]}}}}",
        "parameters: {a_b_y: 20, a_x: 2}\nbodies: [{name: a_b_c, mass: a_b_y}]"));
}

/* A scene that could just be read must not become one whose stored text cannot. */
TEST(included_scenes_are_not_nested_deeper_than_files)
{
    char text[400] = "include: {scene: {notes: ";
    for (int k = 0; k < 61; k++) strcat(text, "[");
    for (int k = 0; k < 61; k++) strcat(text, "]");
    strcat(text, "}}");
    CHECK(is_refused_with(text, "nested more than 64 deep"));
}

TEST(what_is_wrong_with_an_include_is_refused)
{
    CHECK(is_refused_with("include: [{prefix: a_}]", "include[0]: the key 'file' is missing"));
    CHECK(is_refused_with("include: [{fiel: a}]", "did you mean 'file'"));
    CHECK(is_refused_with("include: [[a]]", "include[0]: found a list"));
    CHECK(is_refused_with("include: {scene: 3}", "a scene is a map"));
    CHECK(
        is_refused_with("include: {parameters: {heigt: 1}, scene: {parameters: {height: 2}}}",
                        "include[0].parameters.heigt: the included scene has no such parameter; did you mean "
                        "'height'?"));
    CHECK(
        is_refused_with("include: {parameters: {h: q}, scene: {parameters: {h: 2}}}", "unknown name \"q\""));
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void write_file(scratch_folder *folder, const char *name, const char *text)
{
    FILE *file = fopen(scratch_file(folder, name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static tp_status read_file(scratch_folder *folder, const char *name, const char *edit, tp_scene **scene_out,
                           tp_message *why)
{
    *scene_out = NULL;
    return tp_scene_read(NULL, scratch_file(folder, name), &edit, edit ? 1 : 0, scene_out, why);
}

#define WHEEL                                                                                                \
    "parameters: {y: 0}\n"                                                                                   \
    "bodies: [{name: hub, mass: 1, inertia: [1, 1, 1], position: [0, y, 0]}]\n"

/* The folder of a name is that of the file where it stands; the stored scene needs none of the files. */
TEST(files_are_found_beside_the_file_that_names_them_and_stored_with_the_scene)
{
    scratch_folder folder;
    tp_scene *scene, *again = NULL;
    tp_message why = {""};
    CHECK(scratch_open(&folder));
    CHECK_INT(mkdir(scratch_file(&folder, "parts"), 0777), 0);
    write_file(&folder, "parts/wheel.yaml", WHEEL);
    write_file(&folder, "parts/axle.yaml",
               "parameters: {w: 1}\ninclude: [{file: wheel.yaml, prefix: l_, parameters: {y: w}}, {file: "
               "wheel.yaml, "
               "prefix: r_, parameters: {y: -w}}]\n");
    write_file(&folder, "car.yaml",
               "include:\n- {file: parts/axle.yaml, prefix: f_}\n- {file: parts/axle.yaml, prefix: b_}\n");
    if (read_file(&folder, "car.yaml", "include[0].parameters.w=3", &scene, &why) == TP_OK)
        fail_msg("missing key");
    if (read_file(&folder, "car.yaml", "include[0].parameters={w: 3}", &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    CHECK_INT(tp_model_body_count(scene->model), 4);
    CHECK(strcmp(tp_model_body_name(scene->model, 1), "f_r_hub") == 0);
    CHECK_INT(scene->file_count, 6); /* each time that it is read */
    unlink(scratch_file(&folder, "parts/wheel.yaml"));
    unlink(scratch_file(&folder, "parts/axle.yaml"));
    scratch_close(&folder);
    if (tp_scene_read_memory(NULL, "again", scene->text, strlen(scene->text), NULL, 0, &again, &why) != TP_OK)
        fail_msg("%s", why.text);
    CHECK_INT(tp_model_body_count(again->model), 4);
    CHECK(strcmp(scene->text, again->text) == 0);
    CHECK_INT(again->file_count, 0);
    tp_scene_free(scene);
    tp_scene_free(again);
}

TEST(messages_name_the_included_file)
{
    scratch_folder folder;
    tp_scene *scene;
    tp_message why = {""};
    CHECK(scratch_open(&folder));
    write_file(&folder, "wheel.yaml",
               "bodies:\n  - {name: hub, mass: 1, inertia: [1, 1, 1], positoin: [0, 0, 0]}\n");
    write_file(&folder, "car.yaml", "include: wheel.yaml\n");
    CHECK_INT(read_file(&folder, "car.yaml", NULL, &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "/wheel.yaml:2:46: bodies.hub: unknown key 'positoin'") != NULL);
    write_file(&folder, "wheel.yaml", "bodies:\n  - {name: hub, mass: 2*m, inertia: [1, 1, 1]}\n");
    CHECK_INT(read_file(&folder, "car.yaml", NULL, &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "/wheel.yaml:2:25: unknown name \"m\"") != NULL);
    CHECK(strstr(why.text, "car.yaml") == NULL);
    write_file(&folder, "car.yaml", "include: whel.yaml\n");
    CHECK_INT(read_file(&folder, "car.yaml", NULL, &scene, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "car.yaml:1:10: ") != NULL && strstr(why.text, "whel.yaml") != NULL);
    write_file(&folder, "car.yaml", "include: /dev/zero\n");
    CHECK_INT(read_file(&folder, "car.yaml", NULL, &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "not a plain file") != NULL);
    scratch_close(&folder);
}

/* Circles, towers and files that double at every level end in a refusal. */
TEST(hostile_includes_are_refused)
{
    scratch_folder folder;
    tp_scene *scene;
    tp_message why = {""};
    CHECK(scratch_open(&folder));
    write_file(&folder, "a.yaml", "include: b.yaml\n");
    write_file(&folder, "b.yaml", "include: [./a.yaml]\n");
    CHECK_INT(read_file(&folder, "a.yaml", NULL, &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "b.yaml:1:11: ") != NULL && strstr(why.text, "includes itself") != NULL);
    for (int k = 0; k < 12; k++) {
        char name[20], text[200];
        snprintf(name, sizeof name, "t%d.yaml", k);
        snprintf(text, sizeof text, "include: t%d.yaml\n", k + 1);
        write_file(&folder, name, text);
        snprintf(name, sizeof name, "d%d.yaml", k);
        snprintf(text, sizeof text, "include: [{repeat: {i: 5}, file: d%d.yaml}]\n", k + 1);
        write_file(&folder, name, text);
    }
    CHECK_INT(read_file(&folder, "t0.yaml", NULL, &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "more than 8 deep") != NULL);
    write_file(&folder, "d5.yaml", WHEEL);
    CHECK_INT(read_file(&folder, "d0.yaml", NULL, &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "more than 1000 scenes") != NULL);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(entries_of_included_scenes_come_first_and_values_of_this_one_win),
          RUNS(a_prefix_stands_before_all_names_of_the_included_scene),
          RUNS(repeats_of_an_included_scene_are_its_own_and_get_the_prefix),
          RUNS(scenes_are_included_by_included_scenes),
          RUNS(included_scenes_are_not_nested_deeper_than_files),
          RUNS(what_is_wrong_with_an_include_is_refused),
          RUNS(files_are_found_beside_the_file_that_names_them_and_stored_with_the_scene),
          RUNS(messages_name_the_included_file), RUNS(hostile_includes_are_refused))
