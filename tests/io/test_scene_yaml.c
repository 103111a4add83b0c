/* Scene files as trees: what is read, what is refused and how; docs/scene-files.md. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>

#include "check.h"
#include "node_equal.h"
#include "scene_text.h"
#include "scratch.h"

typedef struct refusal {
    const char *text, *place, *fragment;
} refusal;

/* Malformed files with the place and a part of the message. */
static const refusal refusals[] = {
    {"", "1:1", "the file is empty"},
    {"# only a comment\n", "1:1", "the file is empty"},
    {"---\n", "1:1", "the file is empty"},
    {"a: 1\nb: &x 2\n", "2:4", "an anchor"},
    {"&x [1]", "1:1", "an anchor"},
    {"a: &x {b: 1}", "1:4", "an anchor"},
    {"a: & 1", "1:5", "an anchor"},
    {"a: 1\nb: *x\n", "2:4", "an alias"},
    {"a: * b", "1:5", "an alias"},
    {"a: !!float 1", "1:4", "a tag"},
    {"a: !mine [1]", "1:4", "a tag"},
    {"a: !<x 1", "1:7", "a tag"},
    {"a: 1\n---\nb: 2\n", "2:1", "a second document"},
    {"a: 1\n...\nb: 2\n", "3:1", "the document has ended here"},
    {"{a: 1} x", "1:8", "the document has ended here"},
    {"a: 1\nb: 2\na: 3\n", "3:1", "the key 'a' is given twice, in line 1 and in line 3"},
    {"x:\n  - {a: 1, b: 2,\n     a: 2}\n", "3:6", "in line 2 and in line 3"},
    {"a: 1\n\"a\": 2\n", "2:1", "given twice"},
    {"b: 1\na: 1\nb: 2\na: 2\nb: 3\n", "3:1", "the key 'b' is given twice, in line 1 and in line 3"},
    {"? [1, 2]\n: 3\n", "1:3", "a key that is a list or map"},
    {"{a: 1}: 2", "1:1", "a key that is a list or map"},
    {"\"\": 1\n", "1:1", "a key is missing"},
    {": 3\n", "1:1", "expected a key"},
    {"a: [1, 2\nb: 3\n", "2:2", "the list is not closed"},
    {"a: [1, 2", "2:1", "it begins in line 1, column 4"},
    {"a: {b: 1, c: 2\n", "2:1", "the map is not closed"},
    {"a: [1}", "1:6", "the list is not closed"},
    {"a: [1, 2]]\n", "1:10", "expected a key"},
    {"a: }\n", "1:4", "expected a value"},
    {"a: [1,, 2]", "1:7", "expected a value"},
    {"a: [, 1]", "1:5", "expected a value"},
    {"a: \"never closed\n\nb: 2\n", "4:1",
     "the quote is not closed; end the text with the same quote (it begins in line 1, column 4)"},
    {"a: 'never closed", "1:17", "the quote is not closed"},
    {"a: \"x\n---\ny\"", "2:1", "the quote is still open"},
    {"a: \"x\" y\n", "1:8", "expected a key"},
    {"a: \"\\q\"", "1:5", "no such escape"},
    {"a: \"\\u12\"", "1:7", "an escape without its digits"},
    {"a: \"\\uD800\"", "1:7", "an escape that is not a character"},
    {"a: \"x\\0y\"", "1:4", "\\0"},
    {"a: b: c\n", "1:5", "a second ': '"},
    {"a: 1\n  b: 2\n", "2:4", "an indentation that does not fit"},
    {"a:\n  b: 1\n c: 2\n", "3:2", "in the column of the other keys"},
    {"- a\nb: 1\n", "2:1", "expected a list item"},
    {"a: 1\n- b\n", "2:1", "expected a key"},
    {"a: - 1\n", "1:4", "a '- ' where no list can begin"},
    {"a:\n\tb: 1\n", "2:1", "indent with spaces"},
    {"\ta: 1\n", "1:1", "indent with spaces"},
    {"a: @x\n", "1:4", "put texts in quotes"},
    {"a: `x`\n", "1:4", "put texts in quotes"},
    {"a: %x\n", "1:4", "put texts in quotes"},
    {"a: |0\n x\n", "1:5", "indentation 0"},
    {"a: | x\n", "1:6", "begin the text on the next line"},
    {"%YAML 2.0\n---\na: 1\n", "1:1", "another version of YAML"},
    {"%FOO x\n---\na: 1\n", "1:5", "a directive"},
    {"a: \x07\n", "1:4", "a control character"},
    {"a: 1\nb: \xff\n", "2:4", "not UTF-8"},
    {"\xff\xfe"
     "a",
     "1:1", "not UTF-8"},
    {"caf\xc3\xa9: \xc3(\n", "1:8", "not UTF-8"},
    {"caf\xc3\xa9: @\n", "1:7", "put texts in quotes"}, /* columns count characters */
};

TEST(every_malformed_file_is_refused_with_its_place_and_a_way_out)
{
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        scene_text scene;
        char begin[64];
        scene_open(&scene, refusals[k].text);
        snprintf(begin, sizeof begin, "s.yaml:%s: ", refusals[k].place);
        bool is_right = scene.status == TP_INVALID_DATA && scene.tree == NULL &&
                        strncmp(scene.why.text, begin, strlen(begin)) == 0 &&
                        strstr(scene.why.text, refusals[k].fragment) != NULL &&
                        strchr(scene.why.text, ';') != NULL;
        if (!is_right) print_error("%s\n-> %s\n", refusals[k].text, scene.why.text);
        CHECK(is_right);
        scene_close(&scene);
    }
}

TEST(a_zero_byte_is_refused_where_it_is)
{
    scene_text scene;
    scene_open_bytes(&scene, "a: 1\nb: \0\n", 10);
    CHECK_INT(scene.status, TP_INVALID_DATA);
    CHECK(strncmp(scene.why.text, "s.yaml:2:4: a control character", 31) == 0);
    scene_close(&scene);
}

static char *repeated(const char *piece, size_t count, size_t *length_out)
{
    size_t length = strlen(piece);
    char *text = malloc(count * length + 1);
    for (size_t k = 0; k < count; k++) memcpy(text + k * length, piece, length);
    *length_out = count * length;
    text[*length_out] = '\0';
    return text;
}

/* Without a limit on depth the library takes half a minute for each; the limit is what is tested. */
TEST(a_hundred_thousand_open_brackets_are_refused_at_once)
{
    static const char *const pieces[] = {"[", "{a: ", "- ", "? ", "{? ", "[{a: "};
    for (size_t k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
        scene_text scene;
        size_t length;
        char *text = repeated(pieces[k], 100000, &length);
        scene_open_bytes(&scene, text, length);
        CHECK_INT(scene.status, TP_INVALID_DATA);
        CHECK(strstr(scene.why.text, "64 deep") || strstr(scene.why.text, "a key that is a list or map"));
        scene_close(&scene);
        free(text);
    }
}

TEST(a_depth_of_64_is_read_and_65_refused)
{
    for (int depth = 64; depth <= 65; depth++) {
        char text[256];
        scene_text scene;
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        scene_open_bytes(&scene, text, 2 * (size_t)depth);
        CHECK_INT(scene.status, depth == 64 ? TP_OK : TP_INVALID_DATA);
        if (depth == 65) CHECK(strstr(scene.why.text, "s.yaml:1:65: ") != NULL);
        scene_close(&scene);
    }
}

TEST(four_million_values_are_read_and_one_more_refused)
{
    size_t length;
    char *text = repeated("- 0\n", TP_TREE_NODES_MAX, &length); /* with the list itself one too many */
    scene_text scene;
    scene_open_bytes(&scene, text, length - 4);
    CHECK_INT(scene.status, TP_OK);
    CHECK_INT(scene.tree->root->count, TP_TREE_NODES_MAX - 1);
    CHECK_INT(scene.tree->node_count, TP_TREE_NODES_MAX);
    scene_close(&scene);
    scene_open_bytes(&scene, text, length);
    CHECK_INT(scene.status, TP_INVALID_DATA);
    CHECK(strncmp(scene.why.text, "s.yaml:4000000:3: more than 4000000 values", 42) == 0);
    scene_close(&scene);
    free(text);
}

/* 200000 keys: a quadratic search for duplicates would run into the time limit of the test. */
TEST(a_map_with_very_many_keys_is_checked_for_duplicates)
{
    size_t capacity = 200000 * 12, at = 0;
    char *text = malloc(capacity);
    for (int k = 0; k < 200000; k++) at += (size_t)snprintf(text + at, capacity - at, "k%d: 1\n", k % 199999);
    scene_text scene;
    scene_open_bytes(&scene, text, at);
    CHECK(strncmp(scene.why.text,
                  "s.yaml:200000:1: the key 'k0' is given twice, in line 1 and in line 200000", 70) == 0);
    scene_close(&scene);
    free(text);
}

TEST(a_file_above_64_mebibytes_is_refused_and_a_long_text_below_is_read)
{
    size_t length;
    char *text = repeated("x", TP_TREE_BYTES_MAX + 1, &length);
    memcpy(text, "a: ", 3);
    scene_text scene;
    scene_open_bytes(&scene, text, length);
    CHECK(strstr(scene.why.text, "s.yaml:1:1: the file is larger than 64 MiB") != NULL);
    scene_close(&scene);
    scene_open_bytes(&scene, text, length - 1);
    CHECK_INT(scene.status, TP_OK);
    CHECK_INT(strlen(scene_at(&scene, "a")->text), TP_TREE_BYTES_MAX - 3);
    scene_close(&scene);
    free(text);
}

TEST(a_key_of_128_bytes_is_read_and_129_refused)
{
    for (int bytes = 128; bytes <= 129; bytes++) {
        char text[200];
        scene_text scene;
        memset(text, 'k', 200);
        strcpy(text + bytes, ": 1");
        scene_open(&scene, text);
        CHECK_INT(scene.status, bytes == 128 ? TP_OK : TP_INVALID_DATA);
        scene_close(&scene);
    }
}

static void check_place(void **check_state_, tp_place place, int line, int column)
{
    CHECK(place.file && strcmp(place.file, "s.yaml") == 0);
    CHECK_INT(place.line, line);
    CHECK_INT(place.column, column);
}

TEST(every_node_and_key_knows_its_place_and_formulas_where_their_text_begins)
{
    scene_text scene;
    scene_open(&scene, "name: bird\n"
                       "list:\n"
                       "  - {gap: \"x + 1\", slip: 'y', plain: 2*z}\n"
                       "  - |\n"
                       "\n"
                       "    block\n"
                       "    more\n"
                       "  - >-\n"
                       "      folded\n");
    CHECK_INT(scene.status, TP_OK);
    check_place(check_state_, scene.tree->root->place, 1, 1);
    check_place(check_state_, scene_at(&scene, "name")->key_place, 1, 1);
    check_place(check_state_, scene_at(&scene, "name")->place, 1, 7);
    check_place(check_state_, scene_at(&scene, "list")->place, 3, 3);
    check_place(check_state_, scene_at(&scene, "list/0/gap")->key_place, 3, 6);
    check_place(check_state_, scene_at(&scene, "list/0/gap")->place, 3, 11);
    check_place(check_state_, scene_at(&scene, "list/0/gap")->text_place, 3, 12);
    check_place(check_state_, scene_at(&scene, "list/0/slip")->text_place, 3, 27);
    check_place(check_state_, scene_at(&scene, "list/0/plain")->text_place, 3, 38);
    check_place(check_state_, scene_at(&scene, "list/1")->place, 4, 5);
    check_place(check_state_, scene_at(&scene, "list/1")->text_place, 6, 5);
    check_place(check_state_, scene_at(&scene, "list/2")->text_place, 9, 7);
    scene_close(&scene);
}

TEST(quotes_and_blocks_are_told_from_plain_scalars)
{
    scene_text scene;
    scene_open(&scene, "[1, '1', \"1\"]");
    CHECK(!scene_at(&scene, "0")->is_quoted);
    CHECK(scene_at(&scene, "1")->is_quoted && scene_at(&scene, "2")->is_quoted);
    scene_close(&scene);
    scene_open(&scene, "a: |\n  1\n");
    CHECK(scene_at(&scene, "a")->is_quoted);
    CHECK(strcmp(scene_at(&scene, "a")->text, "1\n") == 0);
    scene_close(&scene);
}

TEST(json_is_read_as_it_is)
{
    scene_text scene;
    scene_open(&scene, "{\n\t\"name\": \"b\\u00e9\",\n  \"q\": [1, -2.5e-3, true, null],\n  \"o\": "
                       "{\"k\":{}, \"l\": []}\n}\n");
    CHECK_INT(scene.status, TP_OK);
    CHECK(strcmp(scene_at(&scene, "name")->text, "b\xc3\xa9") == 0);
    CHECK_INT(scene_at(&scene, "q")->count, 4);
    CHECK(strcmp(scene_at(&scene, "q/1")->text, "-2.5e-3") == 0);
    CHECK_INT(scene_at(&scene, "o/k")->kind, TP_NODE_MAP);
    CHECK_INT(scene_at(&scene, "o/l")->kind, TP_NODE_LIST);
    scene_close(&scene);
}

TEST(line_ends_of_dos_and_a_byte_order_mark_change_nothing)
{
    scene_text dos, plain;
    scene_open(&dos, "\xEF\xBB\xBF"
                     "a: 1\r\nb:\r\n  - {c: \"x\"}\r\n  - |\r\n    t\r\n");
    scene_open(&plain, "a: 1\nb:\n  - {c: \"x\"}\n  - |\n    t\n");
    CHECK_INT(dos.status, TP_OK);
    CHECK(node_equal(dos.tree->root, plain.tree->root));
    check_place(check_state_, scene_at(&dos, "a")->key_place, 1, 1);
    check_place(check_state_, scene_at(&dos, "b/0/c")->text_place, 3, 10);
    check_place(check_state_, scene_at(&dos, "b/1")->text_place, 5, 5);
    scene_close(&dos);
    scene_close(&plain);
}

TEST(merge_keys_and_apostrophes_are_keys_like_others)
{
    scene_text scene;
    scene_open(&scene, "<<: {y': 1, y'': 2, arm.x: 3, \"Stra\xc3\x9f"
                       "e\": 4}\nnull: 1\ntrue: 2\n");
    CHECK_INT(scene.status, TP_OK);
    CHECK(strcmp(scene_at(&scene, "<</y'")->text, "1") == 0);
    CHECK(strcmp(scene_at(&scene, "<</y''")->text, "2") == 0);
    CHECK(strcmp(scene_at(&scene, "<</arm.x")->text, "3") == 0);
    CHECK(strcmp(scene_at(&scene, "<</Stra\xc3\x9f"
                                  "e")
                     ->text,
                 "4") == 0);
    CHECK(strcmp(scene_at(&scene, "null")->text, "1") == 0);
    scene_close(&scene);
}

TEST(files_are_read_and_those_that_cannot_be_are_named)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    FILE *file = fopen(scratch_file(&folder, "a.yaml"), "wb");
    CHECK(file != NULL);
    fputs("a: 1\nb: [2\n", file);
    fclose(file);
    tp_arena arena;
    tp_tree *tree = NULL;
    tp_message why = {""};
    tp_arena_init(&arena, NULL);
    CHECK_INT(tp_tree_read_file(&arena, &arena, folder.file, &tree, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "a.yaml:3:1: the list is not closed") != NULL);
    CHECK_INT(tp_tree_read_file(&arena, &arena, scratch_file(&folder, "none.yaml"), &tree, &why),
              TP_FILE_ERROR);
    CHECK(strstr(why.text, "none.yaml") != NULL);
    CHECK_INT(tp_tree_read_file(&arena, &arena, folder.path, &tree, &why), TP_FILE_ERROR);
    tp_arena_clear(&arena);
    scratch_close(&folder);
}

/* Gives memory a number of times, then none. */
typedef struct rationed {
    int left, live;
} rationed;

static void *rationed_allocate(void *context, size_t bytes)
{
    rationed *ration = context;
    if (ration->left-- <= 0) return NULL;
    ration->live++;
    return malloc(bytes);
}

static void rationed_release(void *context, void *memory)
{
    ((rationed *)context)->live--;
    free(memory);
}

TEST(memory_that_runs_out_is_told_and_nothing_is_lost)
{
    size_t length;
    char *text = repeated("- {a: some text, b: [1, 2, 3]}\n", 2000, &length);
    int successes = 0;
    for (int given = 0; given < 3000 && successes == 0; given += 1 + given / 8) {
        rationed ration = {given, 0};
        tp_allocator allocator = {&ration, rationed_allocate, rationed_release};
        tp_arena arena;
        tp_tree *tree = NULL;
        tp_message why = {""};
        tp_arena_init(&arena, &allocator);
        tp_status status = tp_tree_read(&arena, &arena, "s", text, length, &tree, &why);
        CHECK(status == TP_OK || (status == TP_OUT_OF_MEMORY && why.text[0]));
        successes += status == TP_OK;
        tp_arena_clear(&arena);
        CHECK_INT(ration.live, 0);
    }
    CHECK_INT(successes, 1);
    free(text);
}

TEST_MAIN(RUNS(every_malformed_file_is_refused_with_its_place_and_a_way_out),
          RUNS(a_zero_byte_is_refused_where_it_is),
          RUNS(a_hundred_thousand_open_brackets_are_refused_at_once),
          RUNS(a_depth_of_64_is_read_and_65_refused), RUNS(four_million_values_are_read_and_one_more_refused),
          RUNS(a_map_with_very_many_keys_is_checked_for_duplicates),
          RUNS(a_file_above_64_mebibytes_is_refused_and_a_long_text_below_is_read),
          RUNS(a_key_of_128_bytes_is_read_and_129_refused),
          RUNS(every_node_and_key_knows_its_place_and_formulas_where_their_text_begins),
          RUNS(quotes_and_blocks_are_told_from_plain_scalars), RUNS(json_is_read_as_it_is),
          RUNS(line_ends_of_dos_and_a_byte_order_mark_change_nothing),
          RUNS(merge_keys_and_apostrophes_are_keys_like_others),
          RUNS(files_are_read_and_those_that_cannot_be_are_named),
          RUNS(memory_that_runs_out_is_told_and_nothing_is_lost))
