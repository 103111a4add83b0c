/* HDF5 files as trees: what other programs write is read, and trees survive their way as bytes. (What hostile
   files do to the HDF5 library, and the program to them: tests/cli/test_hostile_files.c.) */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "hdf5_problem.h"
#include "hdf5_run.h"
#include "io/hdf5/hdf5_tree.h"
#include "scratch.h"
#include "tippe/exchange.h"
#include "tippe/output.h"

TEST(problems_are_read_however_the_library_stores_them)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "problem.hdf5");
    for (int style = 0; style < STYLE_COUNT; style++) {
        tp_problem *problem = NULL;
        tp_message why = {""};
        CHECK(put_problem_file(path, style));
        if (tp_problem_read(NULL, path, &problem, &why) != TP_OK)
            print_error("style %d: %s\n", style, why.text);
        CHECK(problem != NULL);
        CHECK(problem->row_count == 3 && problem->b[1] == 0.25);
        tp_problem_free(problem);
    }
    scratch_close(&folder);
}

/* Bytes that grow. */
typedef struct packed {
    unsigned char *bytes;
    size_t count;
} packed;

static bool append(void *context, const void *bytes, size_t count)
{
    packed *to = context;
    unsigned char *larger = realloc(to->bytes, to->count + count);
    if (!larger) return false;
    memcpy(larger + to->count, bytes, count);
    to->bytes = larger;
    to->count += count;
    return true;
}

static bool nothing_more(void *context, const void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return --*(int *)context > 0;
}

static tp_hdf5_tree *tree_of_run(void)
{
    scratch_folder folder;
    tp_hdf5_tree *tree = NULL;
    if (!scratch_open(&folder)) return NULL;
    const tp_hdf5_request request = {.path = scratch_file(&folder, "run.h5")};
    if (put_run(request.path, RUN_LATEST)) (void)tp_hdf5_load(NULL, &request, &tree, NULL);
    scratch_close(&folder);
    return tree;
}

static bool are_equal(const tp_hdf5_node *a, const tp_hdf5_node *b)
{
    bool is_same = strcmp(a->name, b->name) == 0 && a->is_attribute == b->is_attribute &&
                   a->kind == b->kind && a->rank == b->rank && a->count == b->count &&
                   !a->numbers == !b->numbers && !a->texts == !b->texts;
    for (int i = 0; i < a->rank && is_same; i++) is_same = a->size[i] == b->size[i];
    if (is_same && a->numbers)
        is_same = memcmp(a->numbers, b->numbers, (size_t)a->count * sizeof(double)) == 0;
    for (long long i = 0; is_same && a->texts && i < a->count; i++)
        is_same = strcmp(a->texts[i], b->texts[i]) == 0;
    return is_same;
}

TEST(a_tree_survives_packing)
{
    tp_hdf5_tree *tree = tree_of_run(), *again = NULL;
    packed bytes = {NULL, 0};
    CHECK(tree != NULL && tree->count > 30);
    CHECK_INT(tp_hdf5_pack(tree, append, &bytes), TP_OK);
    CHECK_INT(bytes.count, tp_hdf5_packed_size(tree));
    CHECK_INT(tp_hdf5_unpack(NULL, "FILE", bytes.bytes, bytes.count, free, &again, NULL), TP_OK);
    CHECK_INT(again->count, tree->count);
    for (int i = 0; i < tree->count; i++) {
        CHECK(are_equal(&tree->nodes[i], &again->nodes[i]));
    }
    int puts = 7;
    CHECK_INT(tp_hdf5_pack(tree, nothing_more, &puts), TP_FILE_ERROR);
    CHECK_INT(puts, 0);
    tp_hdf5_free(again);
    tp_hdf5_free(tree);
}

/* Uses all that a tree offers. */
static double look_at(const tp_hdf5_tree *tree)
{
    double sum = 0.0;
    for (int i = 0; i < tree->count; i++) {
        const tp_hdf5_node *node = &tree->nodes[i];
        sum += (double)strlen(node->name);
        for (long long k = 0; k < node->count && node->numbers; k++) sum += node->numbers[k];
        for (long long k = 0; k < node->count && node->texts; k++) sum += (double)strlen(node->texts[k]);
    }
    return sum;
}

TEST(packed_bytes_that_were_cut_or_changed_are_refused_or_make_a_sound_tree)
{
    enum { ROUNDS = 20000 };
    static const unsigned char values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    tp_hdf5_tree *tree = tree_of_run(), *again = NULL;
    packed good = {NULL, 0};
    check_random random = {3};
    CHECK(tree != NULL);
    CHECK_INT(tp_hdf5_pack(tree, append, &good), TP_OK);
    tp_hdf5_free(tree);
    unsigned char *bytes = malloc(good.count);
    volatile double sum = 0.0;
    int refused = 0;
    for (size_t cut = 0; cut < good.count; cut += 8) {
        memcpy(bytes, good.bytes, cut);
        CHECK_INT(tp_hdf5_unpack(NULL, "FILE", bytes, cut, NULL, &again, NULL), TP_INVALID_DATA);
    }
    for (int k = 0; k < ROUNDS; k++) {
        memcpy(bytes, good.bytes, good.count);
        for (int i = 0; i <= k % 4; i++) {
            bytes[check_random_bits(&random) % good.count] = values[check_random_bits(&random) % 6];
        }
        tp_status status = tp_hdf5_unpack(NULL, "FILE", bytes, good.count, NULL, &again, NULL);
        CHECK(status == TP_OK || status == TP_INVALID_DATA);
        if (status == TP_OK) sum = sum + look_at(again);
        refused += status != TP_OK;
        tp_hdf5_free(again);
    }
    CHECK(refused > 100 && refused < ROUNDS - 100);
    free(bytes);
    free(good.bytes);
}

/* What was asked for, and answers with any tree. */
typedef struct fake_source {
    tp_hdf5_request request;
    int calls;
} fake_source;

static tp_status load_fake(void *context, const tp_allocator *allocator, const tp_hdf5_request *request,
                           tp_hdf5_tree **tree_out, tp_message *why_out)
{
    fake_source *fake = context;
    fake->request = *request;
    fake->calls++;
    return tp_hdf5_load(allocator, request, tree_out, why_out);
}

TEST(readers_take_their_trees_from_the_source)
{
    fake_source fake = {.calls = 0};
    const tp_hdf5_source source = {load_fake, &fake};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "file.h5");
    tp_trajectory *run = NULL;
    CHECK(put_run(path, 0));
    CHECK_INT(tp_trajectory_read_from(NULL, &source, path, &run, NULL), TP_OK);
    CHECK(fake.calls == 1 && fake.request.bytes == NULL);
    CHECK(strcmp(fake.request.parts[0], "/rows") == 0); /* before what may grow */
    tp_trajectory_free(run);
    tp_problem *problem = NULL;
    CHECK(put_problem_file(path, PACKED));
    CHECK_INT(tp_problem_read_from(NULL, &source, path, &problem, NULL), TP_OK);
    CHECK(fake.calls == 2 && fake.request.bytes != NULL);
    tp_problem_free(problem);
    scratch_close(&folder);
}

TEST(only_the_parts_that_were_asked_for_are_loaded_once_and_in_order)
{
    static const char *const parts[] = {"/q", "/summary", "/no/such/part", "/tables/contacts", "/tables"};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const tp_hdf5_request request = {
        .path = scratch_file(&folder, "run.h5"), .parts = parts, .part_count = 5};
    tp_hdf5_tree *tree = NULL;
    CHECK(put_run(request.path, 0));
    CHECK_INT(tp_hdf5_load(NULL, &request, &tree, NULL), TP_OK);
    static const char *const expected[] = {"/q", "/summary", "/tables/contacts", "/tables"};
    const tp_hdf5_node *node = NULL;
    for (int i = 0; i < 4; i++) {
        node = tp_hdf5_next(tree, node);
        CHECK(node && strcmp(node->name, expected[i]) == 0);
    }
    CHECK(tp_hdf5_next(tree, node) == NULL);
    tp_hdf5_free(tree);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(problems_are_read_however_the_library_stores_them), RUNS(a_tree_survives_packing),
          RUNS(packed_bytes_that_were_cut_or_changed_are_refused_or_make_a_sound_tree),
          RUNS(readers_take_their_trees_from_the_source),
          RUNS(only_the_parts_that_were_asked_for_are_loaded_once_and_in_order))
