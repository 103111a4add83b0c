/* HDF5 files that would make the HDF5 library crash or run for ever are refused before it sees them; what
   other programs write is read. The edits were found by fuzzing, or made after weaknesses of the library. */
#define _XOPEN_SOURCE 700
#include "base/arena.h"
#include "check.h"
#include "hdf5_problem.h"
#include "scratch.h"
#include "tippe/exchange.h"
#include "tippe/output.h"

typedef struct image {
    unsigned char *bytes;
    size_t count;
    size_t data; /* address of the header of /fclib_local/spacedim */
} image;

static image image_of(int style)
{
    image made = {NULL, 0, 0};
    H5O_info_t info;
    scratch_folder folder;
    if (!scratch_open(&folder)) return made;
    const char *path = scratch_file(&folder, "problem.hdf5");
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (style & NEW_FORMAT) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    put_problem(file, style);
    H5Oget_info_by_name(file, "/fclib_local/spacedim", &info, H5P_DEFAULT);
    H5Fclose(file);
    H5Pclose(access);
    made.data = (size_t)info.addr;
    made.bytes = scratch_read(path, &made.count);
    scratch_close(&folder);
    return made;
}

/* The message of a refusal, "" if the file is read. */
static const char *refusal(const image *file, tp_message *why)
{
    tp_problem *problem = NULL;
    *why = (tp_message){""};
    tp_status status = tp_problem_read_memory(NULL, "FILE", file->bytes, file->count, &problem, why);
    tp_problem_free(problem);
    return status == TP_OK ? "" : status == TP_INVALID_DATA ? why->text : "another status";
}

/* Refused for this reason. */
static bool is_refused(const image *file, const char *reason)
{
    tp_message why;
    const char *text = refusal(file, &why);
    if (!strstr(text, reason)) print_error("expected '%s', found '%s'\n", reason, text);
    return strstr(text, reason) != NULL;
}

static size_t find(const image *file, const void *pattern, size_t length, size_t from)
{
    for (size_t i = from; i + length <= file->count; i++) {
        if (memcmp(file->bytes + i, pattern, length) == 0) return i;
    }
    return file->count;
}

static uint64_t number_at(const image *file, size_t at)
{
    uint64_t value;
    memcpy(&value, file->bytes + at, sizeof value);
    return value;
}

TEST(chunked_and_packed_files_of_both_formats_are_read)
{
    for (int style = 0; style < STYLE_COUNT; style++) {
        image file = image_of(style);
        tp_message why;
        const char *text = refusal(&file, &why);
        if (text[0] != 0) print_error("style %d: %s\n", style, text);
        CHECK(text[0] == 0);
        free(file.bytes);
    }
}

/* Bytes that follow each other somewhere in the file, and what one of them is changed to. The first two crash
   HDF5 1.10.8 with a division by zero when the data set is opened. */
typedef struct edit {
    int style, length;
    unsigned char pattern[12];
    int at;
    unsigned char value;
    const char *reason;
} edit;

static const edit edits[] = {
    {0, 8, {2, 0, 0, 0, 8, 0, 0, 0}, 0, 0, "chunks have a side of 0"},
    {NEW_FORMAT, 7, {4, 2, 0, 2, 1, 2, 8}, 5, 0, "chunks have a side of 0"},
    {0, 8, {2, 0, 0, 0, 8, 0, 0, 0}, 4, 0, "chunks have a side of 0"},
    {0, 8, {2, 0, 0, 0, 8, 0, 0, 0}, 4, 4, "chunks do not have the shape of their data"},
    {0, 8, {2, 0, 0, 0, 8, 0, 0, 0}, 0, 3, "a chunk has not the size of a chunk"},
    {NEW_FORMAT, 7, {4, 2, 0, 2, 1, 2, 8}, 3, 200, "chunks have 199 dimensions"},
    {NEW_FORMAT, 7, {4, 2, 0, 2, 1, 2, 8}, 3, 1, "chunks have 0 dimensions"},
    {NEW_FORMAT, 7, {4, 2, 0, 2, 1, 2, 8}, 4, 0, "dimensions"},
    {NEW_FORMAT, 7, {4, 2, 0, 2, 1, 2, 8}, 1, 3, "stored in a way that is not accepted (version 4, class 3)"},
    {NEW_FORMAT, 7, {4, 2, 0, 2, 1, 2, 8}, 0, 1, "stored in a way that is not accepted (version 1"},
    {NEW_FORMAT, 8, {4, 2, 0, 2, 1, 2, 8, 3}, 7, 2, "chunks are found in a way that is not accepted"},
    {NEW_FORMAT, 8, {'F', 'A', 'H', 'D', 0, 0, 8, 10}, 7, 64, "the list of chunks is damaged"},
    {NEW_FORMAT, 9, {'F', 'A', 'H', 'D', 0, 0, 8, 10, 2}, 8, 1, "the list of chunks is damaged"},
    {NEW_FORMAT | GROWING, 8, {'E', 'A', 'H', 'D', 0, 0, 8, 32}, 7, 255, "growing list of chunks"},
    {NEW_FORMAT | GROWING, 9, {'E', 'A', 'H', 'D', 0, 0, 8, 32, 4}, 8, 0, "growing list of chunks"},
    {PACKED, 10, {1, 3, 0, 0, 0, 0, 0, 0, 2, 0}, 8, 32, "packed in a way that is not accepted"},
    {PACKED, 10, {1, 3, 0, 0, 0, 0, 0, 0, 2, 0}, 8, 1, "packed in a way that is not accepted"},
    {PACKED, 10, {1, 3, 0, 0, 0, 0, 0, 0, 2, 0}, 1, 33, "packed in a way that is not accepted"},
    {0, 12, {8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 0, 4, "fill value"},
};

/* The last place where the pattern stands is edited: that of a value that every reader needs. */
TEST(damaged_data_sets_are_refused_before_the_library_opens_them)
{
    for (size_t k = 0; k < sizeof edits / sizeof edits[0]; k++) {
        const edit *e = &edits[k];
        image file = image_of(e->style);
        size_t at = file.count, next = find(&file, e->pattern, (size_t)e->length, 0);
        while (next < file.count) {
            file.bytes[next + (size_t)e->at] = e->value;
            at = next;
            next = find(&file, e->pattern, (size_t)e->length, next + 1);
        }
        CHECK(at < file.count);
        CHECK(is_refused(&file, e->reason));
        free(file.bytes);
    }
}

TEST(a_chunk_that_unpacks_to_less_than_a_chunk_is_refused)
{
    for (int style = 0; style < STYLE_COUNT; style++) {
        if (!(style & PACKED)) continue;
        image file = image_of(style | SHORT_CHUNK);
        CHECK(is_refused(&file, "a chunk has not the size of a chunk"));
        free(file.bytes);
    }
}

TEST(a_group_whose_tree_contains_itself_is_refused)
{
    image file = image_of(0);
    size_t at = find(&file, "TREE", 5, 0); /* and a zero: of a group */
    uint64_t address = at;
    CHECK(at < file.count);
    file.bytes[at + 5] = 1; /* its children are nodes */
    memcpy(file.bytes + at + 32, &address, sizeof address);
    CHECK(is_refused(&file, "the tree of a group is damaged"));
    free(file.bytes);
}

TEST(names_whose_free_places_form_a_circle_are_refused)
{
    image file = image_of(0);
    size_t at = find(&file, "HEAP", 4, 0);
    CHECK(at < file.count);
    uint64_t first = number_at(&file, at + 16), data = number_at(&file, at + 24);
    CHECK(first != 1 && data + first + 16 <= file.count);
    memcpy(file.bytes + data + first, &first, sizeof first);
    CHECK(is_refused(&file, "the names of a group are damaged"));
    free(file.bytes);
}

TEST(an_object_header_that_continues_in_itself_is_refused)
{
    image file = image_of(0);
    unsigned char *header = file.bytes + file.data;
    uint64_t start = file.data + 16, length = number_at(&file, file.data + 8) & 0xffffffff;
    CHECK_INT(header[0], 1);
    CHECK(header[18] >= 16);
    header[16] = 16; /* the first message: continued at, so many bytes */
    memcpy(header + 24, &start, 8);
    memcpy(header + 32, &length, 8);
    CHECK(is_refused(&file, "an object header"));
    free(file.bytes);
}

TEST(any_bytes_of_a_chunked_file_may_be_changed_without_harm)
{
    enum { ROUNDS = 400 };
    check_random random = {7};
    H5Eset_auto2(H5E_DEFAULT, NULL,
                 NULL); /* the library keeps parts of damaged files, and would say so at the end */
    for (int style = 0; style < STYLE_COUNT; style++) {
        image good = image_of(style), file = {malloc(good.count), good.count, 0};
        int refused = 0;
        for (int k = 0; k < ROUNDS; k++) {
            memcpy(file.bytes, good.bytes, good.count);
            for (int change = 0; change <= k % 8; change++) {
                static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
                file.bytes[8 + check_random_bits(&random) % (good.count - 8)] =
                    values[check_random_bits(&random) % 5];
            }
            tp_message why;
            const char *text = refusal(&file, &why);
            CHECK(strcmp(text, "another status") != 0);
            refused += text[0] != 0;
        }
        CHECK(refused > 0 && refused < ROUNDS);
        free(file.bytes);
        free(good.bytes);
    }
}

/* Trajectories: thousands of columns in one group need heaps with blocks of blocks and trees of several
   levels, long scenes lie outside of the heap of attributes. */
static tp_status write_wide(const char *path, int column_count, const char *scene)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    tp_table_column *columns = TP_ARENA_ARRAY(&arena, tp_table_column, column_count);
    char(*names)[64] = tp_arena_take(&arena, (size_t)column_count, sizeof *names);
    for (int i = 0; i < column_count; i++) {
        snprintf(names[i], sizeof names[i], "q/a-body-with-a-rather-long-name-%d", i);
        columns[i] = (tp_table_column){i == 0 ? "time" : names[i], "m", "a coordinate"};
    }
    tp_table_attribute notes[12];
    char note_names[12][8];
    for (int i = 0; i < 12; i++) {
        snprintf(note_names[i], sizeof note_names[i], "note%d", i);
        notes[i] = (tp_table_attribute){.name = note_names[i], .number = (double)i};
    }
    tp_table_def def = tp_table_def_default();
    def.path = path;
    def.format = "hdf5";
    def.columns = columns;
    def.column_count = column_count;
    def.scene_text = scene;
    def.attributes = notes;
    def.attribute_count = 12;
    tp_trajectory_writer *writer;
    tp_status status = tp_trajectory_writer_create(NULL, &def, &writer, NULL);
    if (status == TP_OK) status = tp_trajectory_writer_close(writer, notes, 12, NULL);
    tp_arena_clear(&arena);
    return status;
}

TEST(wide_trajectories_with_long_scenes_are_read)
{
    static const int column_counts[] = {2, 9, 40, 700, 12000};
    static const int scene_lengths[] = {0, 3000, 5000, 60000, 200000};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "wide.h5");
    for (int k = 0; k < 5; k++) {
        char *scene = malloc((size_t)scene_lengths[k] + 1);
        memset(scene, '#', (size_t)scene_lengths[k]);
        scene[scene_lengths[k]] = 0;
        CHECK_INT(write_wide(path, column_counts[k], scene), TP_OK);
        tp_trajectory *t;
        tp_message why = {""};
        tp_status status = tp_trajectory_read(NULL, path, &t, &why);
        if (status != TP_OK) print_error("%s\n", why.text);
        CHECK_INT(status, TP_OK);
        CHECK_INT(t->column_count, column_counts[k]);
        CHECK(strcmp(t->scene_text, scene) == 0);
        CHECK(t->is_finished);
        CHECK_INT(t->summary_count, 12);
        tp_trajectory_free(t);
        free(scene);
    }
    scratch_close(&folder);
}

TEST_MAIN(RUNS(chunked_and_packed_files_of_both_formats_are_read),
          RUNS(damaged_data_sets_are_refused_before_the_library_opens_them),
          RUNS(a_chunk_that_unpacks_to_less_than_a_chunk_is_refused),
          RUNS(a_group_whose_tree_contains_itself_is_refused),
          RUNS(names_whose_free_places_form_a_circle_are_refused),
          RUNS(an_object_header_that_continues_in_itself_is_refused),
          RUNS(any_bytes_of_a_chunked_file_may_be_changed_without_harm),
          RUNS(wide_trajectories_with_long_scenes_are_read))
