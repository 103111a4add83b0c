/* Malformed scenes: tests/io/bad/NAME.yaml begins with "# expect: LINE:COLUMN: part of the message" (without
   LINE:COLUMN where the model as a whole is at fault). Every one is refused with that message. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tippe/scene.h"

static const char folder[] = TIPPE_SOURCE_DIR "/tests/io/bad";

/* "LINE:COLUMN: " at the beginning of a text, or 0. */
static size_t place_length(const char *text)
{
    size_t line = strspn(text, "0123456789");
    if (line == 0 || text[line] != ':') return 0;
    size_t column = strspn(text + line + 1, "0123456789");
    return column > 0 && text[line + 1 + column] == ':' ? line + column + 3 : 0;
}

/* The message must be "FILE:LINE:COLUMN: ...part..." */
static bool is_expected(const char *message, const char *path, const char *expected)
{
    size_t length = strlen(path), place = place_length(expected);
    if (strncmp(message, path, length) != 0 || message[length] != ':') return false;
    if (place == 0) return strstr(message + length, expected) != NULL;
    return strncmp(message + length + 1, expected, place) == 0 &&
           strstr(message + length + 1 + place, expected + place) != NULL;
}

static void check_file(const char *name, void **check_state_)
{
    char path[1024], first[512] = "";
    static const char mark[] = "# expect: ";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fgets(first, sizeof first, file) != NULL);
    fclose(file);
    first[strcspn(first, "\r\n")] = '\0';
    CHECK(strncmp(first, mark, sizeof mark - 1) == 0);

    tp_scene *scene = NULL;
    tp_message why = {""};
    tp_status status = tp_scene_read(NULL, path, NULL, 0, &scene, &why);
    bool is_right =
        status == TP_INVALID_DATA && scene == NULL && is_expected(why.text, path, first + sizeof mark - 1);
    if (!is_right)
        print_error("%s: expected %s\n   found %s (%s)\n", name, first + sizeof mark - 1, why.text,
                    tp_status_text(status));
    CHECK(is_right);
}

TEST(every_malformed_scene_is_refused_with_its_message)
{
    DIR *directory = opendir(folder);
    CHECK(directory != NULL);
    int count = 0;
    for (const struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        if (!strstr(entry->d_name, ".yaml")) continue;
        check_file(entry->d_name, check_state_);
        count++;
    }
    if (directory) closedir(directory);
    CHECK(count >= 60);
}

/* Reads text made of many equal parts. */
static tp_status read_many(const char *before, const char *part, int count, const char *after,
                           tp_message *why)
{
    size_t length = strlen(part), total = strlen(before) + strlen(after) + (size_t)count * (length + 12) + 1;
    char *text = malloc(total), *at = text;
    assert_non_null(text);
    at += snprintf(at, total, "%s", before);
    for (int k = 0; k < count; k++) at += snprintf(at, length + 12, part, k);
    snprintf(at, strlen(after) + 1, "%s", after);
    tp_scene *scene;
    tp_status status = tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, why);
    if (status == TP_OK) tp_scene_free(scene);
    free(text);
    return status;
}

TEST(what_is_huge_is_refused_before_it_costs_much)
{
    tp_message why = {""};
    CHECK_INT(read_many("kinetic: 1\ncoordinates: [", "x%d, ", 4097, "y]", &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "s.yaml:2:14: coordinates: found 4098 coordinates; at most 4096") != NULL);
    CHECK_INT(read_many("coordinates: [x]\nparameters: {", "p%d: 1, ", 200000, "z: 1}", &why),
              TP_INVALID_DATA);
    CHECK(strstr(why.text, "parameters: found 200001 entries; at most 200000") != NULL);
    CHECK_INT(read_many("coordinates: [x]\nkinetic: ", "[", 100, "", &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "64") != NULL);
}

/* Each definition is twice the one before: no formula may grow to 2^100 terms. */
TEST(definitions_that_multiply_are_refused_or_shared)
{
    tp_message why = {""};
    char text[16384] = "coordinates: [x]\nkinetic: \"x'^2\"\ndefinitions:\n  d0(a): \"a + x\"\n";
    for (int k = 1; k <= 100; k++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "  d%d(a): \"d%d(a + 1)*d%d(a*2)\"\n", k, k - 1, k - 1);
    }
    tp_scene *scene;
    CHECK_INT(tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why),
              TP_INVALID_DATA);
    CHECK(strstr(why.text, "too many operations") != NULL);
}

TEST(bytes_that_are_no_scene_are_refused)
{
    static const char *const texts[] = {"",       "\n\n",     "# only a comment\n", "---\n...\n", "5",
                                        "[1, 2]", "\xff\xfe", "a: \"\\x00\"",       "%"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        tp_scene *scene;
        tp_message why = {""};
        CHECK_INT(tp_scene_read_memory(NULL, "s.yaml", texts[k], strlen(texts[k]), NULL, 0, &scene, &why),
                  TP_INVALID_DATA);
        CHECK(strncmp(why.text, "s.yaml:", 7) == 0 && scene == NULL);
    }
}

TEST_MAIN(RUNS(every_malformed_scene_is_refused_with_its_message),
          RUNS(what_is_huge_is_refused_before_it_costs_much),
          RUNS(definitions_that_multiply_are_refused_or_shared), RUNS(bytes_that_are_no_scene_are_refused))
