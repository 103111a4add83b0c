/* A tree written as text reads back as an equal tree. */
#include <stdlib.h>

#include "check.h"
#include "io/scene/scalar.h"
#include "node_equal.h"
#include "scene_tables.h"
#include "scene_text.h"

/* Writes, reads, compares, and writes again: the text is a fixed point. */
static void check_round_trip(void **check_state_, const tp_node *root)
{
    tp_text first = {.bytes = NULL}, second = {.bytes = NULL};
    scene_text again;
    tp_tree_write(root, &first);
    CHECK(!first.has_failed);
    scene_open_bytes(&again, first.bytes, first.count);
    if (again.status != TP_OK) print_error("%s\n%.*s\n", again.why.text, (int)first.count, first.bytes);
    CHECK_INT(again.status, TP_OK);
    if (!node_equal(root, again.tree->root)) print_error("%.*s\n", (int)first.count, first.bytes);
    CHECK(node_equal(root, again.tree->root));
    tp_tree_write(again.tree->root, &second);
    CHECK(first.count == second.count && memcmp(first.bytes, second.bytes, first.count) == 0);
    tp_text_clear(&first);
    tp_text_clear(&second);
    scene_close(&again);
}

static const char *const texts[] = {
    WOODPECKER,
    "1",
    "'1'",
    "~",
    "[]",
    "{}",
    "x y",
    "[[], {}, [[]], [{}], {a: []}]",
    "- - - 1\n    - 2\n  - [3, [4]]\n- {a: {b: {c: [1, {d: 2}]}}}\n",
    "a: \"tab\\t line\\n quote\\\" back\\\\slash \\x07 \\x7f \\x85 \\u2028 \\ufeff \\U0001F600 \\uFFFE "
    "\\U0001FFFF\"\n",
    "a: ' leading and trailing '\nb: ''\nc: '# no comment'\nd: 'a: b'\ne: '- x'\nf: '[x]'\ng: '{'\nh: '*'\n",
    "a: 'true'\nb: 'null'\nc: '1e5'\nd: '~'\ne: true\nf: null\ng: 1e5\nh:\ni: Null\n",
    "'true': 1\n'~': 2\n'a b': 3\n'x: y': 4\n\"tab\\t\": 5\ny'': 6\n\"'\": 7\n'-': 8\n'? x': 9\n1.5: 10\n-3: "
    "11\n",
    "a: |\n  two\n  lines\n\nb: >-\n  folded\n  text\n\n  more\nc: plain over\n  two lines\n\n  and a gap\n",
    "stra\xc3\x9f"
    "e: \xe2\x82\xac 5\nz: \xf0\x9f\x98\x80\n",
    "? a\n: ? b\n  : ? c\n    : [d]\n",
    "[-5, +5, .5, 5., -a, a-, -, ---, '---', ..., '- ']",
    "[no, off, 0x10, 1_0, =, <<, .inf, 2024-01-01, 12:30:45]",
};

TEST(texts_of_all_kinds_survive_the_round_trip)
{
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        scene_text scene;
        scene_open(&scene, texts[k]);
        if (scene.status != TP_OK) print_error("%s\n%s\n", texts[k], scene.why.text);
        CHECK_INT(scene.status, TP_OK);
        check_round_trip(check_state_, scene.tree->root);
        scene_close(&scene);
    }
}

TEST(canonical_text_is_lines_of_keys_with_quotes_where_needed)
{
    scene_text scene;
    tp_text out = {.bytes = NULL};
    scene_open(&scene,
               "{name: b, q: ['x', y', 1.0], m: {k: {}, 'l l': ~}, c: [{gap: 2*x, e: '3'}, {f: []}]}");
    tp_tree_write(scene.tree->root, &out);
    tp_text_add(&out, "%c", '\0');
    CHECK(strcmp(out.bytes, "name: b\n"
                            "q: [x, \"y'\", 1.0]\n"
                            "m:\n"
                            "  k: {}\n"
                            "  \"l l\": null\n"
                            "c:\n"
                            "  - gap: \"2*x\"\n"
                            "    e: \"3\"\n"
                            "  - f: []\n") == 0);
    tp_text_clear(&out);
    scene_close(&scene);
}

/* Characters that quoting must get right are as frequent as all others together. */
static size_t random_character(check_random *random, char *out)
{
    static const char *const special[] = {"\"",
                                          "\\",
                                          "'",
                                          ":",
                                          ": ",
                                          " ",
                                          "#",
                                          " #",
                                          "-",
                                          "- ",
                                          "\n",
                                          "\t",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          ",",
                                          "&",
                                          "*",
                                          "!",
                                          "|",
                                          ">",
                                          "%",
                                          "@",
                                          "`",
                                          "?",
                                          "~",
                                          "\r",
                                          "\x01",
                                          "\x7f",
                                          "\xc2\x85",
                                          "\xe2\x80\xa8",
                                          "\xef\xbb\xbf",
                                          "\xef\xbf\xbe",
                                          "\xf0\x9f\x98\x80",
                                          "\xc3\xa9"};
    uint64_t bits = check_random_bits(random);
    if (bits & 1) {
        const char *chosen = special[(bits >> 1) % (sizeof special / sizeof special[0])];
        strcpy(out, chosen);
        return strlen(chosen);
    }
    out[0] = (char)("abcxyzE019.+e'"[(bits >> 1) % 14]);
    return 1;
}

static const char *random_text(tp_tree *tree, check_random *random, size_t least)
{
    char text[128];
    size_t length = 0, goal = least + check_random_bits(random) % 12;
    while (length < goal) length += random_character(random, text + length);
    return tp_tree_copy_text(tree, text, length);
}

static tp_node *random_node(tp_tree *tree, check_random *random, int depth)
{
    const tp_place place = {"r", 1, 1};
    uint64_t choice = check_random_bits(random) % 4;
    tp_node_kind kind = depth >= 6 || choice < 2 ? TP_NODE_SCALAR : choice == 2 ? TP_NODE_LIST : TP_NODE_MAP;
    if (depth == 0) kind = TP_NODE_MAP;
    tp_node *node = tp_tree_new_node(tree, kind, place);
    if (kind == TP_NODE_SCALAR) {
        node->text = random_text(tree, random, 0);
        node->is_quoted = check_random_bits(random) & 1;
        return node;
    }
    int count = (int)(check_random_bits(random) % 5);
    for (int k = 0; k < count; k++) {
        tp_node *child = random_node(tree, random, depth + 1);
        if (kind == TP_NODE_MAP) child->key = random_text(tree, random, 1);
        if (kind == TP_NODE_LIST || !tp_map_get(node, child->key)) tp_node_append(node, child);
    }
    return node;
}

TEST(random_trees_survive_the_round_trip)
{
    check_random random = {7};
    for (int k = 0; k < 3000; k++) {
        tp_arena arena;
        tp_tree *tree;
        tp_arena_init(&arena, NULL);
        CHECK_INT(tp_tree_create(&arena, &arena, "r", &tree, NULL), TP_OK);
        check_round_trip(check_state_, random_node(tree, &random, 0));
        tp_arena_clear(&arena);
    }
}

TEST(a_depth_of_64_survives_the_round_trip)
{
    static const char *const pieces[][3] = {{"[", "1, [2]", "]"}, {"{a: ", "1", "}"}, {"[x, ", "{}", "]"}};
    for (size_t k = 0; k < 3; k++) {
        char text[1000] = "";
        scene_text scene;
        for (int i = 0; i < 63; i++) strcat(text, pieces[k][0]);
        strcat(text, pieces[k][1]);
        for (int i = 0; i < 63; i++) strcat(text, pieces[k][2]);
        scene_open(&scene, text);
        CHECK_INT(scene.status, TP_OK);
        check_round_trip(check_state_, scene.tree->root);
        scene_close(&scene);
    }
}

TEST(equality_sees_kinds_keys_order_texts_and_meaning)
{
    static const char *const pairs[][2] = {
        {"[1]", "['1']"},  {"{a: 1}", "{b: 1}"}, {"{a: 1, b: 2}", "{b: 2, a: 1}"},
        {"[1]", "[1, 2]"}, {"[]", "{}"},         {"[true]", "['true']"},
        {"[1]", "[1.0]"},  {"[x]", "[y]"}};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        scene_text a, b;
        scene_open(&a, pairs[k][0]);
        scene_open(&b, pairs[k][1]);
        CHECK(!node_equal(a.tree->root, b.tree->root));
        CHECK(node_equal(a.tree->root, a.tree->root));
        scene_close(&a);
        scene_close(&b);
    }
}

TEST_MAIN(RUNS(texts_of_all_kinds_survive_the_round_trip),
          RUNS(canonical_text_is_lines_of_keys_with_quotes_where_needed),
          RUNS(random_trees_survive_the_round_trip), RUNS(a_depth_of_64_survives_the_round_trip),
          RUNS(equality_sees_kinds_keys_order_texts_and_meaning))
