/* HDF5 files with changed bytes through the program: exit code 0 or 2, never a crash. The allocator fills
   memory that was not written to, so that the HDF5 library shows what it would do on a bad day. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         "test_hostile_files."
#include "program_run.h"

#include "io/hdf5_problem.h"
#include "io/hdf5_run.h"

enum { FLIPS = 250, PROBLEM_FLIPS = 15, FILE_MAX = 1 << 18 };

typedef struct image {
    size_t count;
    unsigned char bytes[FILE_MAX];
} image;

static void load_image(const char *path, image *out)
{
    FILE *file = fopen(path, "rb");
    out->count = file != NULL ? fread(out->bytes, 1, FILE_MAX, file) : 0;
    if (file != NULL) fclose(file);
}

static void store_image(const char *path, const image *from, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(from->bytes, 1, count, file) != count || fclose(file) != 0) fail();
}

/* What the program makes of a file. */
typedef struct tally {
    int read, refused, crashed;
} tally;

static void try_file(const char *arguments, tally *all)
{
    const outcome *o = run_under("MALLOC_PERTURB_=165 MALLOC_CHECK_=3", arguments);
    if (o->code != 0 && (o->code != 2 || !holds(o->err, SCRATCH "h5"))) {
        print_error("exit code %d: %s\n", o->code, o->err);
        fail();
    }
    all->read += o->code == 0;
    all->refused += o->code == 2;
    all->crashed += holds(o->err, "the HDF5 library crashed");
}

/* One changed bit each, anywhere in the file. */
static tally flip_bits(const char *arguments, uint64_t seed)
{
    static image file;
    tally all = {0};
    check_random random = {seed};
    load_image(SCRATCH "h5", &file);
    if (file.count == 0 || file.count == FILE_MAX) fail();
    for (int k = 0; k < FLIPS; k++) {
        size_t place = check_random_bits(&random) % file.count;
        unsigned char kept = file.bytes[place];
        file.bytes[place] ^= (unsigned char)(1u << check_random_bits(&random) % 8);
        store_image(SCRATCH "h5", &file, file.count);
        try_file(arguments, &all);
        file.bytes[place] = kept;
    }
    print_message("%zu bytes, %d flips: %d read, %d refused, of these %d crashes of the library\n",
                  file.count, FLIPS, all.read, all.refused, all.crashed);
    return all;
}

static const char plot[] = "plot " SCRATCH "h5 -o " SCRATCH "svg --quiet",
                  solve[] = "solve " SCRATCH "h5 >/dev/null";

TEST(one_changed_bit_of_a_run_is_read_or_refused)
{
    CHECK(put_run(SCRATCH "h5", RUN_PACKED)); /* the older format, which has no check sums */
    tally all = flip_bits(plot, 2);
    CHECK(all.read > 0 && all.refused > 0);
    remove(SCRATCH "svg");
    remove(SCRATCH "h5");
}

/* A flipped bit of a number gives another problem, which may have no solution: exit code 3. */
TEST(one_changed_bit_of_a_problem_is_read_or_refused)
{
    static image file;
    tally all = {0};
    for (int style = 0; style < STYLE_COUNT; style += 5) {
        check_random random = {(uint64_t)style};
        CHECK(put_problem_file(SCRATCH "h5", style));
        load_image(SCRATCH "h5", &file);
        for (int k = 0; k < PROBLEM_FLIPS; k++) {
            size_t place = check_random_bits(&random) % file.count;
            unsigned char kept = file.bytes[place];
            file.bytes[place] ^= (unsigned char)(1u << check_random_bits(&random) % 8);
            store_image(SCRATCH "h5", &file, file.count);
            const outcome *o = run_under("MALLOC_PERTURB_=165 MALLOC_CHECK_=3", solve);
            if (o->code != 0 && o->code != 2 && o->code != 3)
                print_error("exit code %d: %s\n", o->code, o->err);
            CHECK(o->code == 0 || o->code == 2 || o->code == 3);
            all.read += o->code != 2;
            all.refused += o->code == 2;
            file.bytes[place] = kept;
        }
    }
    CHECK(all.read > 0 && all.refused > 0);
    remove(SCRATCH "h5");
}

TEST(a_cut_run_is_refused)
{
    static image file;
    tally all = {0};
    CHECK(put_run(SCRATCH "h5", RUN_LATEST));
    load_image(SCRATCH "h5", &file);
    for (size_t count = 1; count < file.count; count += file.count / 12) {
        store_image(SCRATCH "h5", &file, count);
        try_file(plot, &all);
    }
    CHECK_INT(all.read, 0);
    remove(SCRATCH "h5");
}

/* Places in old files that make HDF5 1.10.8 divide by zero or run for ever. */
static size_t find_bytes(const image *file, const void *bytes, size_t count)
{
    for (size_t i = 0; i + count <= file->count; i++) {
        if (memcmp(file->bytes + i, bytes, count) == 0) return i;
    }
    return file->count;
}

TEST(chunks_without_size_and_trees_that_contain_themselves_are_refused)
{
    static image file;
    static const unsigned char chunk[] = {2, 0, 0, 0, 8, 0, 0, 0}; /* two values of eight bytes */
    tally all = {0};
    CHECK(put_problem_file(SCRATCH "h5", 0));
    load_image(SCRATCH "h5", &file);
    size_t place = find_bytes(&file, chunk, sizeof chunk);
    for (; place < file.count; place = find_bytes(&file, chunk, sizeof chunk)) file.bytes[place] = 0;
    store_image(SCRATCH "h5", &file, file.count);
    try_file(solve, &all);
    CHECK_INT(all.refused, 1);

    CHECK(put_problem_file(SCRATCH "h5", 0));
    load_image(SCRATCH "h5", &file);
    place = find_bytes(&file, "TREE", 5); /* and a zero: of a group */
    uint64_t address = place;
    CHECK(place < file.count);
    file.bytes[place + 5] = 1; /* its children are nodes, of which it is one */
    memcpy(file.bytes + place + 32, &address, sizeof address);
    store_image(SCRATCH "h5", &file, file.count);
    try_file(solve, &all);
    CHECK_INT(all.refused, 2);
    remove(SCRATCH "h5");
}

/* Every verb, also those to come: only the child may call what loads in its own process. */
TEST(the_program_loads_no_hdf5_file_in_its_own_process)
{
    char found[1024] = "";
    FILE *pipe = popen("cd '" TIPPE_SOURCE_DIR "/cli' && grep -lE "
                       "'tp_(trajectory_read|problem_read|output_restore|solution_read|hdf5_load) ?\\(' *.c",
                       "r");
    CHECK(pipe != NULL);
    size_t length = fread(found, 1, sizeof found - 1, pipe);
    found[length] = '\0';
    pclose(pipe);
    CHECK(strcmp(found, "hdf5_child.c\n") == 0);
}

TEST(a_file_that_cannot_be_read_is_another_matter)
{
    const outcome *o = run("plot " SCRATCH "none.h5 -o " SCRATCH "svg");
    CHECK_INT(o->code, 4);
    CHECK(holds(o->err, "cannot open " SCRATCH "none.h5"));
    CHECK_INT(run("solve " SCRATCH "none.h5")->code, 4);
    CHECK_INT(run("plot . -o " SCRATCH "svg")->code, 4);
}

TEST(runs_in_pages_and_packed_are_drawn)
{
    for (int style = 0; style < RUN_STYLES; style += 5) {
        CHECK(put_run(SCRATCH "h5", style));
        CHECK_INT(run(plot)->code, 0);
    }
    remove(SCRATCH "svg");
    remove(SCRATCH "h5");
}

TEST_MAIN(RUNS(one_changed_bit_of_a_run_is_read_or_refused),
          RUNS(one_changed_bit_of_a_problem_is_read_or_refused), RUNS(a_cut_run_is_refused),
          RUNS(chunks_without_size_and_trees_that_contain_themselves_are_refused),
          RUNS(the_program_loads_no_hdf5_file_in_its_own_process),
          RUNS(a_file_that_cannot_be_read_is_another_matter), RUNS(runs_in_pages_and_packed_are_drawn))
