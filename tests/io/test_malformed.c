/* Malformed files are refused with a status and a message that says where and why; nothing crashes or leaks.
 */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "io/common/gzip.h"
#include "io/hdf5/hdf5_write.h"
#include "scratch.h"
#include "tippe/exchange.h"

#include <hdf5.h>

/* True if the bytes are refused as malformed with the fragment in the message. */
static bool is_refused(const char *label, const void *bytes, size_t count, const char *fragment)
{
    tp_problem *problem = NULL;
    tp_message why = {""};
    tp_status status = tp_problem_read_memory(NULL, "FILE", bytes, count, &problem, &why);
    bool is_right = status == TP_INVALID_DATA && !problem && strstr(why.text, fragment) &&
                    strncmp(why.text, "FILE:", 5) == 0;
    if (!is_right)
        print_error("%s: status %d, message '%s', expected '%s'\n", label, status, why.text, fragment);
    tp_problem_free(problem);
    return is_right;
}

typedef struct malformed {
    const char *text, *fragment;
} malformed;

#define BANNER "CSparse Version 3.1.9 "

static const malformed texts[] = {
    /* not a problem at all */
    {"", "empty"},
    {" \n\t\r\n ", "empty"},
    {"hello world", "FILE:1:1: not a problem that is known here"},
    {"\x7f\x45\x4c\x46\x02\x01", "not a problem"},
    {"-3 1 0 3 3", "not a problem"},
    {"0 1 3 3", "number of equalities n: 3 numbers are announced"},
    {"7 9 0 3 3 3 3", "not a problem"},
    {"2000000000", "not a problem"},
    /* friction: heads and counts */
    {"3", "FILE:1:2: expected an integer (number of contacts), found the end of the file"},
    {"3\n1.5 0 3 3", "FILE:2:1: expected an integer (number of contacts), found '1.5'"},
    {"3 -1 0 3 3", "number of contacts must be at least 0, found '-1'"},
    {"3 2000000000 0 3 3", "number of contacts: 6000000000 numbers are announced"},
    {"3 99999999999999999999 0 3 3", "expected an integer (number of contacts)"},
    {"4 1 0 4 4", "not a problem"},
    {"3 1 7 3 3",
     "storage of the first matrix (W or M) (0 dense, 1 sparse blocks, 2 print-out) must be between"},
    {"3 1 0", "number of contacts: 3 numbers are announced, but only 2 bytes are left"},
    {"3 1 0 3", "columns of the first matrix"},
    {"3 1 0 x 3", "expected an integer (rows of the first matrix (W or M)), found 'x'"},
    {"3 1 0 3 3 3 2 1", "columns of the dense matrix, again"},
    {"3 1 0 3 3 4 3 1", "rows of the dense matrix, again"},
    {"3 1 0 2000000000 2000000000 2000000000 2000000000 1 2 3", "numbers are announced, but only"},
    {"3 1 0 3 4 3 4 1 0 0 0 1 0 0 0 1 0 0 0 -1 0 0 0.5", "matrix W is 3 x 4, but 3 x 3 is needed"},
    /* friction: numbers */
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 abc 1 -1 0 0 0.5", "expected a finite number (entry 8 of the first matrix"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 nan 1 -1 0 0 0.5", "found 'nan'"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 inf 1 -1 0 0 0.5", "found 'inf'"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0x10 1 -1 0 0 0.5", "found '0x10'"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 1e999 1 -1 0 0 0.5", "too large for a double"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 1e 1 -1 0 0 0.5", "found '1e'"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 1,5 1 -1 0 0 0.5", "found '1,5'"},
    {"3 1 0 3 3 3 3\n1 0 0\n0 1 0\n0 0 1\n-1 nan 0\n0.5",
     "FILE:5:4: expected a finite number (entry 2 of q)"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0", "friction mu"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0", "entry 3 of q"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1", "q: 3 numbers are announced"},
    {"3 1 0 3 3 3 3 1 0 0 0 1", "numbers are announced"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 -0.5", "friction mu of contact 1 must not be negative"},
    {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 0.5 1 2", "expected the end of the file"},
    {"5 1 0 5 5 5 5 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 -1",
     "rolling friction mu_r"},
    /* friction: sparse blocks */
    {"3 1 1 3 3 2000000000 1 1", "number of blocks: 4000000000 numbers"},
    {"3 1 1 3 3 1 2000000000 1", "number of block rows"},
    {"3 1 1 3 3 1 1 1 4 3 2 1 0 1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "ends of the block rows must increase up to 3"},
    {"3 2 1 6 6 2 2 2 3 3 3 6 3 2 0 1 2 0 1 0 1 2 3 4 5 6 7 8 9", "ends of the block rows must increase"},
    {"3 1 1 3 3 1 1 1 2 3 2 1 0 1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1", "the last one must be 3"},
    {"3 1 1 3 3 1 1 1 3 3 9 1 0 1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1", "number of starts of block rows"},
    {"3 1 1 3 3 1 1 1 3 3 2 7 0 1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1", "number of block column indices"},
    {"3 1 1 3 3 1 1 1 3 3 2 1 1 1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "first block of block row 1 must be between 0"},
    {"3 1 1 3 3 1 1 1 3 3 2 1 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1", "the block rows hold 0 blocks"},
    {"3 1 1 3 3 1 1 1 3 3 2 1 0 1 5 0 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "entry 1 of the block columns must be between 0"},
    {"3 1 1 3 3 1 1 1 3 3 2 1 0 1 0 4 1 1 1 1 1 1 1 1 1 1 1 1 1", "number of the block"},
    {"3 1 1 3 3 1 1 1 3 3 2 1 0 1 0 0 1 1 1 1", "numbers are announced"},
    /* friction: print-outs */
    {"2 1 2 2 2 4 " BANNER "x", "origin of the print-out"},
    {"2 1 2 2 2 1 " BANNER "triplet: 2-by-2, nzmax: 2", "expected a sparse print-out with 'nnz: COUNT'"},
    {"2 1 2 2 2 1 " BANNER "triplet: 3-by-2, nzmax: 2 nnz: 2 0 0 : 1", "the print-out must be 2-by-2"},
    {"2 1 2 2 2 1 " BANNER "triplet: 2-by-2, nzmax: 2 nnz: x", "expected the number of entries"},
    {"2 1 2 2 2 1 " BANNER "triplet: 2-by-2, nzmax: 2 nnz: 2000000000 0 0 : 1",
     "6000000000 numbers are announced"},
    {"2 1 2 2 2 1 " BANNER "triplet: 2-by-2, nzmax: 2 nnz: 2 0 2 : 1 1 1 : 1 0 0 0.5",
     "column of an entry must be"},
    {"2 1 2 2 2 1 " BANNER "triplet: 2-by-2, nzmax: 2 nnz: 2 -1 0 : 1 1 1 : 1 0 0 0.5",
     "row of an entry must be"},
    {"2 1 2 2 2 1 " BANNER "triplet: 2-by-2, nzmax: 2 nnz: 2 0 0 1 1 1 : 1 0 0 0.5",
     "expected ':', found '1'"},
    {"2 1 2 2 2 2 " BANNER "2-by-2, nzmax: 2 nnz: 1, 1-norm: 1 row 0 : locations 0 to 0", "expected 'col'"},
    {"2 1 2 2 2 2 " BANNER "2-by-2, nzmax: 2 nnz: 1, 1-norm: 1 col 1 : locations 0 to 0",
     "number of the column"},
    {"2 1 2 2 2 2 " BANNER "2-by-2, nzmax: 2 nnz: 1, 1-norm: 1 col 0 : locations 0 to 7 0 : 1",
     "last location"},
    {"2 1 2 2 2 2 " BANNER
     "2-by-2, nzmax: 2 nnz: 1, 1-norm: 1 col 0 : locations 0 to -1 col 1 : locations 0 to -1",
     "the columns hold 0 entries, but nnz is 1"},
    /* global friction */
    {"3 1 0 2 2 2 2 1 0 0 1 0 2 4 2 4 1 0 0 0 0 0 0 0 0 0 1 1 1 0.5",
     "matrix H is 2 x 4, but 2 x 3 is needed"},
    {"3 1 0 2 1 2 1 1 1 0 2 3 2 3 1 0 0 0 0 0 0 0 1 1 1 0.5", "matrix M is 2 x 1"},
    {"3 1 0 2 2 2 2 1 0 0 1 0 2 3 2 3 1 0 0 1 0 0 0 0", "w: 3 numbers are announced"},
    {"3 1 0 2 2 2 2 1 0 0 1", "storage of matrix H"},
    /* LCP and relay */
    {"2 0 2 2 2 2 1 0 0 1 1", "entry 2 of q"},
    {"2 0 2 2 2 2 1 0 0 1 1 x", "entry 2 of q"},
    {"7 0 6 6 6 6 1", "numbers are announced"},
    {"4 0 2 2 2 2 1 0 0 1 1 1 1 1", "the matrix is 2 x 2, but 4 x 4 is needed"},
    {"2 0 2 2 2 2 1 0 0 1 1 1 0 0 1", "4 bounds (relay) may follow, but there are 3 numbers"},
    {"2 0 2 2 2 2 1 0 0 1 1 1 0 2 1 1", "upper bound 2 must not be below the lower bound 2"},
    /* MLCP */
    {"1 0 1 1 0 1 1", "ends of the blocks must increase from 1 up to n + m = 2"},
    {"1 0 1 1 0 3", "ends of the blocks must increase"},
    {"1 0 1 1 0 1 2 0 2", "the kinds of the blocks"},
    {"1 0 1 1 0 1 2 0 1 0 3 2 3 2 1 0 0 0 1 0 1 1", "the matrix is 3 x 2, but 2 x 2 is needed"},
    {"0 1 1 1 1 1 1", "matrices A, B, C, D: 6 numbers are announced"},
    {"0 1 1 1 1.0 1.0 x 1.0 0 0", "entry 1 of matrix C"},
    {"0 1 1 1 1.0 1.0 1.0 1.0 0", "b"},
    {"0 1 2000000000 2000000000 1", "number of equalities n: 2000000000 numbers"},
    /* generic */
    {"0 2 2 2 2 1 0 0 1 1 1 2", "needs a matrix in sparse blocks"},
    {"1 2 2 1 1 1 2 2 2 1 0 1 0 0 1 0 0 1 1 1", "type of a block"},
    {"1 2 2 1 1 1 2 2 2 1 0 1 0 0 1 0 0 1 1 1 3",
     "must be 0 (complementarity), 2 (equality) or 4 (friction)"},
    {"1 2 2 1 1 1 2 2 2 1 0 1 0 0 1 0 0 1 1 1 4 0.5", "a friction block must have 3 rows, not 2"},
    {"1 3 3 1 1 1 3 3 2 1 0 1 0 0 1 0 0 0 1 0 0 0 1 1 1 1 4 -0.5",
     "friction mu of contact 1 must not be negative"},
};

TEST(malformed_texts_are_refused_with_place_and_reason)
{
    int wrong = 0;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        wrong += !is_refused(texts[k].text, texts[k].text, strlen(texts[k].text), texts[k].fragment);
    }
    CHECK_INT(wrong, 0);
}

static const char *const sound_texts[] = {
    "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 0.5 1",
    "3 1 1 3 3 1 1 1 3 3 2 1 0 1 0 0 1 0 0 0 1 0 0 0 1 -1 0 0 0.5",
    "3 1 0 2 2 2 2 1 0 0 1 0 2 3 2 3 1 0 0 1 0 0 1 1 0 0 0 0.5",
    "2 1 2 2 2 1 " BANNER "triplet: 2-by-2, nzmax: 2 nnz: 2 0 0 : 1 1 1 : 1 -1 0 0.5",
    "2 1 2 2 2 2 " BANNER
    "2-by-2, nzmax: 2 nnz: 1, 1-norm: 1 col 0 : locations 0 to 0 1 : 2 col 1 : locations 1 to 0 "
    "-1 0 0.5",
    "2 1 2 2 2 3 " BANNER
    "2-by-2, nzmax: 2 nnz: 1, 1-norm: 1 col 0 : locations 0 to 0 1 : 2 col 1 : locations 1 to 0 "
    "-1 0 0.5",
    "5 1 0 5 5 5 5 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0.1",
    "2 0 2 2 2 2 1 0 0 1 1 1 a remark",
    "1 1 1 1 1 1 1 1 1 2 1 0 1 0 0 2.5 -1",
    "2 0 2 2 2 2 1 0 0 1 1 1 0 -inf 1 inf",
    "1 1 1 1 0 1 2 0 1 0 2 2 2 2 1 -1 1 1 0 -1 1.0 1.0 -1.0 1.0 0 -1 rest",
    "0 1 1 1 1.0 1.0 -1.0 1.0 0 -1",
    "1 2 2 1 1 1 2 2 2 1 0 1 0 0 1 0 0 1 1 1 0",
    "1 1 1 1 1 1 1 1 2 1 0 1 0 0 2.5 -1 0",
    "3 0 0 0 0 0 0",
};

enum { SOUND_COUNT = sizeof sound_texts / sizeof sound_texts[0] };

static tp_status read_text(const char *text, size_t count, tp_problem **problem, tp_message *why)
{
    char *copy =
        malloc(count > 0 ? count : 1); /* of the exact size: reading beyond is seen by the sanitizer */
    memcpy(copy, text, count);
    tp_status status = tp_problem_read_memory(NULL, "FILE", copy, count, problem, why);
    free(copy);
    return status;
}

TEST(a_sound_text_cut_at_any_byte_reads_or_is_refused)
{
    for (int k = 0; k < SOUND_COUNT; k++) {
        size_t length = strlen(sound_texts[k]);
        for (size_t cut = 0; cut <= length; cut++) {
            tp_problem *problem = NULL;
            tp_message why = {""};
            tp_status status = read_text(sound_texts[k], cut, &problem, &why);
            if (cut == length && status != TP_OK) print_error("%s: %s\n", sound_texts[k], why.text);
            CHECK(status == TP_OK || (cut < length && status == TP_INVALID_DATA && why.text[0] != 0));
            CHECK((status == TP_OK) == (problem != NULL));
            tp_problem_free(problem);
        }
    }
}

TEST(every_byte_of_a_sound_text_may_be_changed_without_harm)
{
    check_random random = {99};
    for (int trial = 0; trial < 20000; trial++) {
        char text[512];
        const char *from = sound_texts[trial % SOUND_COUNT];
        size_t length = strlen(from);
        memcpy(text, from, length);
        for (int changes = 1 + trial % 3; changes > 0; changes--) {
            text[check_random_bits(&random) % length] =
                "0123456789-+.e :\n\xff"[check_random_bits(&random) % 18];
        }
        tp_problem *problem = NULL;
        tp_status status = read_text(text, length, &problem, NULL);
        CHECK(status == TP_OK || status == TP_INVALID_DATA);
        tp_problem_free(problem);
    }
}

TEST(compressed_rows_are_the_transpose_of_compressed_columns)
{
    tp_problem *columns, *rows;
    CHECK_INT(read_text(sound_texts[4], strlen(sound_texts[4]), &columns, NULL), TP_OK);
    CHECK_INT(read_text(sound_texts[5], strlen(sound_texts[5]), &rows, NULL), TP_OK);
    CHECK_NEAR(columns->D.value[1], 2.0, 0.0);
    CHECK_NEAR(columns->D.value[2], 0.0, 0.0);
    CHECK_NEAR(rows->D.value[1], 0.0, 0.0);
    CHECK_NEAR(rows->D.value[2], 2.0, 0.0);
    tp_problem_free(columns);
    tp_problem_free(rows);
}

/* gzip */

static unsigned char *packed(tp_arena *arena, const char *text, size_t *count)
{
    unsigned char *bytes = NULL;
    tp_gzip_pack(arena, (const unsigned char *)text, strlen(text), &bytes, count, NULL);
    return bytes;
}

TEST(damaged_gzip_is_refused)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    size_t count;
    unsigned char *bytes = packed(&arena, sound_texts[0], &count);
    tp_problem *problem;
    CHECK_INT(tp_problem_read_memory(NULL, "FILE", bytes, count, &problem, NULL), TP_OK);
    tp_problem_free(problem);
    for (size_t cut = 2; cut < count; cut++) CHECK(is_refused("cut gzip", bytes, cut, "end too early"));
    unsigned char *changed = tp_arena_take(&arena, count + 4, 1);
    memcpy(changed, bytes, count);
    CHECK(is_refused("tail", changed, count + 4, "bytes after the end of the gzip data"));
    changed[count / 2] ^= 0x55;
    CHECK(is_refused("changed", changed, count, "gzip data"));
    memset(changed + 10, 0xff, count - 10);
    CHECK(is_refused("garbage", changed, count, "the gzip data are damaged"));
    tp_arena_clear(&arena);
}

TEST(several_gzip_members_are_one_text)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    size_t first_count, second_count;
    unsigned char *first = packed(&arena, "3 1 0 3 3 3 3 1 0 0 0 1 0 ", &first_count);
    unsigned char *second = packed(&arena, "0 0 1 -1 0 0 0.5", &second_count);
    unsigned char *both = tp_arena_take(&arena, first_count + second_count, 1);
    memcpy(both, first, first_count);
    memcpy(both + first_count, second, second_count);
    tp_problem *problem;
    CHECK_INT(tp_problem_read_memory(NULL, "FILE", both, first_count + second_count, &problem, NULL), TP_OK);
    CHECK_INT(problem->row_count, 3);
    tp_problem_free(problem);
    tp_arena_clear(&arena);
}

TEST(a_gzip_bomb_takes_no_more_memory_than_allowed)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    size_t count = (size_t)1 << 24, packed_count, unpacked_count;
    unsigned char *zeros = tp_arena_take(&arena, count, 1), *bytes, *out;
    CHECK_INT(tp_gzip_pack(&arena, zeros, count, &bytes, &packed_count, NULL), TP_OK);
    CHECK(packed_count < count / 900);
    tp_message why = {""};
    CHECK_INT(tp_gzip_unpack(&arena, "FILE", bytes, packed_count, count - 1, &out, &unpacked_count, &why),
              TP_INVALID_DATA);
    CHECK(strstr(why.text, "unpacks to more") != NULL);
    CHECK_INT(tp_gzip_unpack(&arena, "FILE", bytes, packed_count, count, &out, &unpacked_count, &why), TP_OK);
    CHECK(unpacked_count == count);
    tp_arena_clear(&arena);
}

/* Files and memory */

TEST(files_that_cannot_be_read_are_file_errors)
{
    tp_problem *problem;
    tp_message why = {""};
    CHECK_INT(tp_problem_read(NULL, "/nonexistent/problem.dat", &problem, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "No such file") != NULL);
    CHECK_INT(tp_problem_read(NULL, "/", &problem, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "directory") != NULL);
    CHECK_INT(tp_problem_read(NULL, "/dev/zero", &problem, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "neither a file nor a pipe") != NULL);
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    FILE *file = fopen(scratch_file(&folder, "empty.dat"), "w");
    CHECK(file != NULL);
    fclose(file);
    CHECK_INT(tp_problem_read(NULL, folder.file, &problem, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "empty") != NULL);
    scratch_close(&folder);
}

typedef struct limited {
    int left, live;
} limited;

static void *limited_allocate(void *context, size_t bytes)
{
    limited *limit = context;
    if (limit->left-- <= 0) return NULL;
    limit->live++;
    return malloc(bytes);
}

static void limited_release(void *context, void *memory)
{
    ((limited *)context)->live--;
    free(memory);
}

/* Every allocation fails once. */
TEST(running_out_of_memory_is_told_and_nothing_leaks)
{
    static const char *const files[] = {"/data/problems/fc3d/GFC3D_TwoRods1.dat.gz",
                                        "/data/problems/fc3d/CubeH8.hdf5", "/data/problems/mlcp/PD_mlcp.dat"};
    for (int k = 0; k < 3; k++) {
        char path[1024];
        snprintf(path, sizeof path, TIPPE_SOURCE_DIR "%s", files[k]);
        tp_status status = TP_OUT_OF_MEMORY;
        for (int allowed = 0; status != TP_OK; allowed++) {
            limited limit = {allowed, 0};
            tp_allocator allocator = {&limit, limited_allocate, limited_release};
            tp_problem *problem = NULL;
            tp_message why = {""};
            status = tp_problem_read(&allocator, path, &problem, &why);
            CHECK(status == TP_OK || (status == TP_OUT_OF_MEMORY && !problem && why.text[0] != 0));
            tp_problem_free(problem);
            CHECK_INT(limit.live, 0);
            CHECK(allowed < 1000);
        }
    }
}

/* HDF5: a sound file of one contact, from which single members are left out or replaced. */

typedef struct member {
    const char *path;
    char type; /* 'g' group, 'i' integers, 'd' numbers, 't' text */
    int count;
    int integers[4];
    double numbers[9];
} member;

#define LOCAL_MEMBERS                                                                                        \
    {"/fclib_local", 'g', 0, {0}, {0}}, {"/fclib_local/W", 'g', 0, {0}, {0}},                                \
        {"/fclib_local/vectors", 'g', 0, {0}, {0}}, {"/fclib_local/spacedim", 'i', 1, {3}, {0}},             \
        {"/fclib_local/W/m", 'i', 1, {3}, {0}}, {"/fclib_local/W/n", 'i', 1, {3}, {0}},                      \
        {"/fclib_local/W/nz", 'i', 1, {3}, {0}}, {"/fclib_local/W/nzmax", 'i', 1, {3}, {0}},                 \
        {"/fclib_local/W/p", 'i', 3, {0, 1, 2}, {0}}, {"/fclib_local/W/i", 'i', 3, {0, 1, 2}, {0}},          \
        {"/fclib_local/W/x", 'd', 3, {0}, {1, 2, 3}}, {"/fclib_local/vectors/q", 'd', 3, {0}, {-1, 0, 0}},   \
    {                                                                                                        \
        "/fclib_local/vectors/mu", 'd', 1, {0},                                                              \
        {                                                                                                    \
            0.5                                                                                              \
        }                                                                                                    \
    }

static const member local_members[] = {LOCAL_MEMBERS};
enum { MEMBER_COUNT = sizeof local_members / sizeof local_members[0] };

static void write_member(int64_t file, const member *m)
{
    switch (m->type) {
    case 'g': tp_hdf5_close(tp_hdf5_add_group(file, m->path, false)); break;
    case 'i': tp_hdf5_add_data(file, m->path, TP_HDF5_INT, m->count, m->integers); break;
    case 'd': tp_hdf5_add_data(file, m->path, TP_HDF5_REAL, m->count, m->numbers); break;
    default: tp_hdf5_add_data(file, m->path, TP_HDF5_ASCII, TP_HDF5_SINGLE, "text");
    }
}

/* The members, with `instead` in place of its namesake ('-': left out), or added. */
static tp_status write_members(void *self, int64_t file)
{
    const member *instead = self;
    bool is_added = instead != NULL;
    for (int k = 0; k < MEMBER_COUNT; k++) {
        bool is_replaced = instead && strcmp(instead->path, local_members[k].path) == 0;
        if (is_replaced) is_added = false;
        const member *m = is_replaced ? instead : &local_members[k];
        if (m->type != '-') write_member(file, m);
    }
    if (is_added) write_member(file, instead);
    return TP_OK;
}

static unsigned char *image_with(tp_arena *arena, const member *instead, size_t *count)
{
    member copy = instead ? *instead : (member){0};
    void *bytes = NULL;
    tp_hdf5_make_image(arena, write_members, instead ? &copy : NULL, &bytes, count, NULL);
    return bytes;
}

typedef struct wrong_member {
    member instead;
    const char *fragment;
} wrong_member;

static const wrong_member wrong_members[] = {
    {{"/fclib_local/spacedim", '-', 0, {0}, {0}}, "/fclib_local/spacedim: is missing"},
    {{"/fclib_local/spacedim", 'i', 1, {4}, {0}}, "/fclib_local/spacedim: is 4, but must be 2 or 3"},
    {{"/fclib_local/spacedim", 'i', 1, {0}, {0}}, "/fclib_local/spacedim: is 0"},
    {{"/fclib_local/spacedim", 'i', 1, {2}, {0}}, "/fclib_local/W: is 3 x 3, but 2 x 2 is needed"},
    {{"/fclib_local/spacedim", 'd', 1, {0}, {3}}, "/fclib_local/spacedim: must hold integers"},
    {{"/fclib_local/spacedim", 't', 1, {0}, {0}}, "/fclib_local/spacedim: must hold integers"},
    {{"/fclib_local/spacedim", 'g', 1, {0}, {0}}, "/fclib_local/spacedim: is not a data set"},
    {{"/fclib_local/spacedim", 'i', 2, {3, 3}, {0}}, "/fclib_local/spacedim: has 2 values, but 1 are needed"},
    {{"/fclib_local/W/m", '-', 0, {0}, {0}}, "/fclib_local/W/m: is missing"},
    {{"/fclib_local/W/m", 'i', 1, {-3}, {0}}, "/fclib_local/W: has the impossible size -3 x 3"},
    {{"/fclib_local/W/m", 'i', 1, {2000000000}, {0}}, "/fclib_local/W: is 2000000000 x 3"},
    {{"/fclib_local/W/n", 'i', 1, {4}, {0}}, "/fclib_local/W: is 3 x 4, but 3 x 3 is needed"},
    {{"/fclib_local/W/nz", 'i', 1, {-7}, {0}}, "nz is -7; known are triplets"},
    {{"/fclib_local/W/nz", 'i', 1, {2000000000}, {0}},
     "/fclib_local/W/p: has 3 values, but the matrix has 2000000000"},
    {{"/fclib_local/W/nz", 'i', 1, {-1}, {0}}, "/fclib_local/W/p: has 3 values, but 4 are needed"},
    {{"/fclib_local/W/nz", 'i', 1, {-2}, {0}}, "/fclib_local/W/p: has 3 values, but 4 are needed"},
    {{"/fclib_local/W/p", 'i', 3, {0, 1, 3}, {0}}, "/fclib_local/W/p: entry 3 is 3, outside of 0 to 2"},
    {{"/fclib_local/W/p", 'i', 2, {0, 1}, {0}}, "/fclib_local/W/p: has 2 values"},
    {{"/fclib_local/W/i", 'i', 3, {0, -1, 2}, {0}}, "/fclib_local/W/i: entry 2 is -1, outside of 0 to 2"},
    {{"/fclib_local/W/i", 'd', 3, {0}, {0, 1, 2}}, "/fclib_local/W/i: must hold integers"},
    {{"/fclib_local/W/x", 'd', 2, {0}, {1, 2}},
     "/fclib_local/W/x: has 2 values, but the matrix has 3 entries"},
    {{"/fclib_local/W/x", 'd', 3, {0}, {1, NAN, 2}}, "/fclib_local/W/x: entry 2 is not a finite number"},
    {{"/fclib_local/W/x", 'i', 3, {1, 2, 3}, {0}}, "/fclib_local/W/x: must hold floating-point numbers"},
    {{"/fclib_local/vectors/q", '-', 0, {0}, {0}}, "/fclib_local/vectors/q: is missing"},
    {{"/fclib_local/vectors/q", 'd', 2, {0}, {-1, 0}},
     "/fclib_local/vectors/q: has 2 values, but 3 are needed"},
    {{"/fclib_local/vectors/q", 'd', 3, {0}, {INFINITY, 0, 0}},
     "/fclib_local/vectors/q: entry 1 is not a finite"},
    {{"/fclib_local/vectors/mu", '-', 0, {0}, {0}}, "/fclib_local/vectors/mu: is missing"},
    {{"/fclib_local/vectors/mu", 'd', 1, {0}, {-0.5}}, "/fclib_local/vectors/mu: entry 1 is negative"},
    {{"/fclib_local/vectors/mu", 'd', 2, {0}, {0.5, 0.5}}, "/fclib_local/W: is 3 x 3, but 6 x 6 is needed"},
    {{"/fclib_local/vectors/mu_r", 'd', 2, {0}, {0.5, 0.5}},
     "/fclib_local/vectors/mu_r: has 2 values, but 1"},
    {{"/fclib_local/V", 'g', 0, {0}, {0}}, "/fclib_local/V/m: is missing"},
    {{"/fclib_global", 'g', 0, {0}, {0}}, "is a second problem in the same file"},
};

TEST(malformed_hdf5_files_are_refused_with_the_path_of_the_data_set)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    size_t count;
    unsigned char *bytes = image_with(&arena, NULL, &count);
    tp_problem *problem;
    CHECK_INT(tp_problem_read_memory(NULL, "FILE", bytes, count, &problem, NULL), TP_OK);
    tp_problem_free(problem);
    for (size_t k = 0; k < sizeof wrong_members / sizeof wrong_members[0]; k++) {
        bytes = image_with(&arena, &wrong_members[k].instead, &count);
        CHECK(is_refused(wrong_members[k].fragment, bytes, count, wrong_members[k].fragment));
    }
    tp_arena_clear(&arena);
}

static tp_status write_something(void *self, int64_t file)
{
    (void)self;
    return tp_hdf5_close(tp_hdf5_add_group(file, "/something", false)) ? TP_OK : TP_OUT_OF_MEMORY;
}

TEST(an_hdf5_file_without_a_problem_is_refused)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    void *bytes;
    size_t count;
    CHECK_INT(tp_hdf5_make_image(&arena, write_something, NULL, &bytes, &count, NULL), TP_OK);
    CHECK(is_refused("no problem", bytes, count, "no FCLIB problem: expected a group fclib_local"));
    tp_arena_clear(&arena);
}

TEST(an_hdf5_file_cut_anywhere_reads_or_is_refused)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    size_t count;
    unsigned char *bytes = image_with(&arena, NULL, &count);
    int refused = 0;
    for (size_t cut = 0; cut < count; cut += cut < 128 ? 1 : 61) {
        tp_problem *problem = NULL;
        tp_message why = {""};
        tp_status status = read_text((const char *)bytes, cut, &problem, &why);
        CHECK(status == TP_OK || status == TP_INVALID_DATA);
        refused += status == TP_INVALID_DATA;
        tp_problem_free(problem);
    }
    CHECK(refused > 100);
    tp_arena_clear(&arena);
}

/* Data sets that the file does not hold: no values stored, values of another file, a link to another file. */
static unsigned char *image_of_trick(tp_arena *arena, int trick, size_t *count)
{
    const member without = {
        trick == 2 ? "/fclib_local/spacedim" : "/fclib_local/vectors/mu", '-', 0, {0}, {0}};
    unsigned char *bytes = image_with(arena, &without, count);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fapl_core(access, 65536, 0);
    H5Pset_file_image(access, bytes, *count);
    hid_t file = H5Fopen("/dev/null/trick", H5F_ACC_RDWR, access);
    hsize_t size = trick == 0 ? 200000000 : 1, chunk = 1000;
    if (trick == 0) H5Pset_chunk(creation, 1, &chunk);
    if (trick == 1) H5Pset_external(creation, "/etc/hostname", 0, 8);
    if (trick < 2) {
        hid_t space = H5Screate_simple(1, &size, NULL);
        hid_t data =
            H5Dcreate2(file, without.path, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
        H5Dclose(data);
        H5Sclose(space);
    } else {
        H5Lcreate_external("/etc/hostname", "/x", file, without.path, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    *count = (size_t)H5Fget_file_image(file, NULL, 0);
    bytes = tp_arena_take(arena, *count, 1);
    H5Fget_file_image(file, bytes, *count);
    H5Fclose(file);
    H5Pclose(creation);
    H5Pclose(access);
    return bytes;
}

TEST(hdf5_data_sets_that_are_not_in_the_file_are_refused)
{
    static const char *const fragments[] = {"announces 200000000 values, more than the file can hold",
                                            "is stored in a way that is not accepted",
                                            "spacedim: is a link to another place, which is not followed"};
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    for (int trick = 0; trick < 3; trick++) {
        size_t count;
        unsigned char *bytes = image_of_trick(&arena, trick, &count);
        CHECK(is_refused(fragments[trick], bytes, count, fragments[trick]));
    }
    tp_arena_clear(&arena);
}

static herr_t silent(hid_t stack, void *context)
{
    (void)stack;
    (void)context;
    return 0;
}

TEST(the_error_handler_of_the_hdf5_library_is_left_as_it_was)
{
    int context;
    H5E_auto2_t handler;
    void *data;
    tp_problem *problem;
    H5Eset_auto2(H5E_DEFAULT, silent, &context);
    CHECK_INT(tp_problem_read_memory(NULL, "FILE", "\x89HDF\r\n\x1a\nrest", 12, &problem, NULL),
              TP_INVALID_DATA);
    H5Eget_auto2(H5E_DEFAULT, &handler, &data);
    CHECK(handler == silent && data == &context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

TEST_MAIN(RUNS(malformed_texts_are_refused_with_place_and_reason),
          RUNS(a_sound_text_cut_at_any_byte_reads_or_is_refused),
          RUNS(every_byte_of_a_sound_text_may_be_changed_without_harm),
          RUNS(compressed_rows_are_the_transpose_of_compressed_columns), RUNS(damaged_gzip_is_refused),
          RUNS(several_gzip_members_are_one_text), RUNS(a_gzip_bomb_takes_no_more_memory_than_allowed),
          RUNS(files_that_cannot_be_read_are_file_errors),
          RUNS(running_out_of_memory_is_told_and_nothing_leaks),
          RUNS(malformed_hdf5_files_are_refused_with_the_path_of_the_data_set),
          RUNS(an_hdf5_file_without_a_problem_is_refused),
          RUNS(an_hdf5_file_cut_anywhere_reads_or_is_refused),
          RUNS(hdf5_data_sets_that_are_not_in_the_file_are_refused),
          RUNS(the_error_handler_of_the_hdf5_library_is_left_as_it_was))
