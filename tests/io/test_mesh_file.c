/* Surfaces from files: three formats, their errors, and scenes that use them. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "scratch.h"
#include "tippe/mesh_file.h"
#include "tippe/scene.h"

#include <stdlib.h>
#include <string.h>

enum { BINARY_BYTES = 84 + 12 * 50 };

static const double cube_vertices[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int cube_triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                          {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static void put_float(unsigned char *bytes, double x)
{
    float value = (float)x;
    memcpy(bytes, &value, 4); /* the tests run on little-endian machines, like everything else */
}

static void cube_binary(unsigned char *bytes)
{
    memset(bytes, 0, BINARY_BYTES);
    bytes[80] = 12;
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 9; k++)
            put_float(bytes + 84 + 50 * t + 12 + 4 * k, cube_vertices[cube_triangles[t][k / 3]][k % 3]);
}

static size_t cube_text(char *text, size_t capacity)
{
    size_t at = (size_t)snprintf(text, capacity, "solid a cube\n");
    for (int t = 0; t < 12; t++) {
        at += (size_t)snprintf(text + at, capacity - at, "FACET normal nan 0 -nan\r\n outer loop");
        for (int k = 0; k < 3; k++) {
            const double *x = cube_vertices[cube_triangles[t][k]];
            at += (size_t)snprintf(text + at, capacity - at, "\n vertex %.1f %e %g", x[0], x[1],
                                   x[2] == 0.0 ? -0.0 : x[2]);
        }
        at += (size_t)snprintf(text + at, capacity - at, " endloop\nendfacet\n");
    }
    return at + (size_t)snprintf(text + at, capacity - at, "endsolid a cube\n");
}

static const char cube_obj[] = "# a cube\nmtllib x.mtl\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                               "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nvn 0 0 1\ns off\n"
                               "f 1 4 3 2\nf 5/1 6/2/3 7//4 8\nf 1 2 6 5 # front\nf 2 3 7 6\nf -6 -5 -1 -2\n"
                               "f 4 1 5 8";

static tp_status read_bytes(const char *name, const void *bytes, size_t count, tp_mesh_file **file,
                            tp_message *why)
{
    /* A copy of that length exactly: the sanitizers see every byte read beyond it. */
    void *copy = malloc(count > 0 ? count : 1);
    memcpy(copy, bytes, count);
    *why = (tp_message){""};
    tp_status status = tp_mesh_file_read_memory(NULL, name, copy, count, file, why);
    free(copy);
    return status;
}

static void check_cube(void **check_state_, const char *name, const void *bytes, size_t count)
{
    tp_mesh_file *file;
    tp_message why;
    tp_mass_properties mass;
    tp_status status = read_bytes(name, bytes, count, &file, &why);
    if (status != TP_OK) print_error("%s\n", why.text);
    CHECK_INT(status, TP_OK);
    const tp_mesh *mesh = tp_mesh_file_surface(file);
    CHECK_INT(mesh->vertex_count, 8);
    CHECK_INT(mesh->triangle_count, 12);
    CHECK_INT(tp_mesh_mass_properties(mesh, 6.0, NULL, &mass, &why), TP_OK);
    CHECK_NEAR(mass.mass, 6.0, 1e-14);
    CHECK_NEAR(mass.centre.x, 0.5, 1e-15);
    CHECK_NEAR(mass.inertia.cz.z, 1.0, 1e-14);
    tp_mesh_file_free(file);
}

TEST(a_cube_is_the_same_in_all_three_formats)
{
    unsigned char binary[BINARY_BYTES];
    char text[8000];
    cube_binary(binary);
    check_cube(check_state_, "cube.stl", binary, sizeof binary);
    memcpy(binary, "solid in binary", 15); /* the title is free */
    check_cube(check_state_, "cube.stl", binary, sizeof binary);
    check_cube(check_state_, "cube.stl", text, cube_text(text, sizeof text));
    check_cube(check_state_, "cube.obj", cube_obj, sizeof cube_obj - 1);
}

static void check_refused(void **check_state_, const char *name, const void *bytes, size_t count,
                          const char *expected)
{
    tp_mesh_file *file;
    tp_message why;
    tp_status status = read_bytes(name, bytes, count, &file, &why);
    bool is_right = status == TP_INVALID_DATA && file == NULL && strstr(why.text, expected) == why.text;
    if (!is_right) print_error("expected %s\n   found %s\n", expected, why.text);
    CHECK(is_right);
}

TEST(what_is_no_surface_is_refused_with_its_place)
{
    unsigned char binary[BINARY_BYTES + 1] = {0};
    cube_binary(binary);
    check_refused(check_state_, "a.stl", "", 0, "a.stl: the file is empty");
    check_refused(check_state_, "a.stl", binary, 83, "a.stl: byte 83: the file ends too early; a binary STL");
    check_refused(check_state_, "a.stl", binary, BINARY_BYTES - 1,
                  "a.stl: byte 683: the file ends too early; 12 triangles are announced at byte 80 and take "
                  "684 bytes");
    check_refused(check_state_, "a.stl", binary, BINARY_BYTES + 1,
                  "a.stl: byte 684: the triangles end, but not the file");
    put_float(binary + 84 + 50 * 3 + 12 + 24, NAN);
    check_refused(check_state_, "a.stl", binary, BINARY_BYTES,
                  "a.stl: byte 270: corner 2 of triangle 3 is (nan, 1, 1)");
    memset(binary + 80, 0xff, 4);
    check_refused(check_state_, "a.stl", binary, BINARY_BYTES,
                  "a.stl: byte 80: 4294967295 triangles are announced, at most 1000000 are read");
    const struct {
        const char *name, *text, *expected;
    } texts[] = {
        {"a.stl", "solid\n", "a.stl:2:1: expected 'facet' or 'endsolid', found the end of the file"},
        {"a.stl", "solid x\nfacet normal 0 0", "a.stl:2:17: expected a number (of a normal), found the end"},
        {"a.stl", "solid x\n facet normal 0 0 1\n outer lop", "a.stl:3:8: expected 'loop', found 'lop'"},
        {"a.stl", "solid x\nendsolid x\n", "a.stl: it has no triangles"},
        {"a.obj", "v 0 0\n", "a.obj:2:1: expected a finite number (entry 3 of coordinates of a vertex)"},
        {"a.obj", "v 0 0 inf\n", "a.obj:1:7: expected a finite number (entry 3"},
        {"a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj:2:5: 1 vertices are given before this line, counted from 1"},
        {"a.obj", "v 0 0 0\nf 1 0 1\n", "a.obj:2:5: 1 vertices are given"},
        {"a.obj", "v 0 0 0\nf 1 x 1\n", "a.obj:2:5: expected the number of a vertex, found 'x'"},
        {"a.obj", "\n w 0 0 0\n", "a.obj:2:2: expected v, f or another word of the OBJ format, found 'w'"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_refused(check_state_, texts[k].name, texts[k].text, strlen(texts[k].text), texts[k].expected);
}

TEST(a_file_cut_off_anywhere_is_refused)
{
    unsigned char binary[BINARY_BYTES];
    char text[8000];
    tp_mesh_file *file;
    tp_message why;
    cube_binary(binary);
    for (size_t count = 0; count < sizeof binary; count++) {
        CHECK_INT(read_bytes("a.stl", binary, count, &file, &why), TP_INVALID_DATA);
        CHECK(why.text[0] != '\0');
    }
    size_t length = cube_text(text, sizeof text), last_word = length - strlen(" a cube\n");
    for (size_t count = 0; count < last_word; count++) {
        CHECK_INT(read_bytes("a.stl", text, count, &file, &why), TP_INVALID_DATA);
        CHECK(why.text[0] != '\0');
    }
}

TEST(bytes_that_changed_are_read_or_refused_with_a_reason)
{
    check_random random = {611};
    unsigned char binary[BINARY_BYTES];
    char text[8000];
    tp_mesh_file *file;
    tp_message why;
    for (int round = 0; round < 3000; round++) {
        size_t length = cube_text(text, sizeof text);
        cube_binary(binary);
        bool is_text = round % 2 == 0;
        unsigned char *bytes = is_text ? (unsigned char *)text : binary;
        size_t count = is_text ? length : sizeof binary;
        for (int k = 0; k < 1 + round % 5; k++)
            bytes[check_random_bits(&random) % count] = (unsigned char)check_random_bits(&random);
        tp_status status = read_bytes(round % 7 == 0 ? "a.obj" : "a.stl", bytes, count, &file, &why);
        CHECK(status == TP_OK || (status == TP_INVALID_DATA && why.text[0] != '\0' && file == NULL));
        if (status == TP_OK) {
            status = tp_mesh_check(tp_mesh_file_surface(file), NULL, &why);
            CHECK(status == TP_OK || status == TP_INVALID_DATA);
            tp_mesh_file_free(file);
        }
    }
}

TEST(what_cannot_be_read_is_a_file_error)
{
    tp_mesh_file *file;
    tp_message why = {""};
    CHECK_INT(tp_mesh_file_read(NULL, TIPPE_SOURCE_DIR "/tests/io/mesh/none.stl", &file, &why),
              TP_FILE_ERROR);
    CHECK_INT(tp_mesh_file_read(NULL, TIPPE_SOURCE_DIR "/tests/io/mesh", &file, &why), TP_FILE_ERROR);
    CHECK_INT(tp_mesh_file_read(NULL, "/dev/zero", &file, &why), TP_FILE_ERROR);
}

/* README of the example, (1): two boxes of 20 x 80 x 20 mm. */
TEST(a_scene_takes_mass_and_drawing_from_a_file_beside_it)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    tp_drawer *drawer;
    tp_status status =
        tp_scene_read(NULL, TIPPE_SOURCE_DIR "/examples/bracket/scene.yaml", NULL, 0, &scene, &why);
    if (status != TP_OK) print_error("%s\n", why.text);
    CHECK_INT(status, TP_OK);
    CHECK_INT(tp_drawer_create(NULL, scene->model, &drawer), TP_OK);
    double q[7] = {0.025, 0.0, 0.035, 1.0, 0.0, 0.0, 0.0};
    int count;
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
    CHECK_INT(count, 2); /* and its hinge */
    CHECK(list[1].role == TP_ROLE_JOINT && list[1].kind == TP_PRIMITIVE_CYLINDER);
    CHECK_INT(list->kind, TP_PRIMITIVE_MESH);
    CHECK_INT(list->vertex_count, 12);
    CHECK_INT(list->triangle_count, 20);
    CHECK_NEAR(list->position.x + list->vertices[0].x, 0.0, 1e-15); /* the corner (0, -10, 0) mm */
    CHECK_NEAR(list->position.y + list->vertices[0].y, -0.01, 1e-15);
    tp_drawer_free(drawer);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_cube_is_the_same_in_all_three_formats), RUNS(what_is_no_surface_is_refused_with_its_place),
          RUNS(a_file_cut_off_anywhere_is_refused),
          RUNS(bytes_that_changed_are_read_or_refused_with_a_reason),
          RUNS(what_cannot_be_read_is_a_file_error),
          RUNS(a_scene_takes_mass_and_drawing_from_a_file_beside_it))
