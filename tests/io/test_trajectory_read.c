/* The reader of trajectories, on files that the HDF5 library writes as the format says (docs/output.md). */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "hdf5_run.h"
#include "scratch.h"
#include "tippe/output.h"

static void check_columns(void **check_state_, const tp_trajectory *t)
{
    static const char *const names[] = {"time", "q/x", "q/y%2Fz", "law/beak/gap", "energy"};
    static const char *const units[] = {"s", "m", "m", "m", "J"}, *const texts[] = {"text", "a", "b", "a",
                                                                                    "text"};
    static const double first[] = {0.0, 10.0, 10.1, 20.0, 100.0};
    CHECK_INT(t->column_count, 5);
    CHECK_INT(t->row_count, RUN_ROWS);
    for (int i = 0; i < 5; i++) {
        CHECK(strcmp(t->columns[i].name, names[i]) == 0);
        CHECK(strcmp(t->columns[i].unit, units[i]) == 0);
        CHECK(strcmp(t->columns[i].text, texts[i]) == 0);
        CHECK_INT(tp_trajectory_find(t, names[i]), i);
        for (int k = 0; k < RUN_ROWS; k++) CHECK_NEAR(t->values[i][k], first[i] + k, 1e-13 * (first[i] + k));
    }
}

static void check_table(void **check_state_, const tp_trajectory *t)
{
    CHECK_INT(t->table_count, 1);
    const tp_table *table = tp_trajectory_table(t, "contacts");
    CHECK(table != NULL);
    CHECK_INT(table->row_count, 4);
    CHECK_INT(table->column_count, 2);
    CHECK_INT(tp_table_find(table, "depth"), 1);
    CHECK(table->labels[1] == NULL);
    CHECK_INT(table->labels[0]->count, 3);
    CHECK(strcmp(table->labels[0]->name, "shapes") == 0);
    CHECK(strcmp(table->labels[0]->words[1], "") == 0);
    CHECK(strcmp(table->labels[0]->words[2], "floor \xc3\xa4") == 0);
    CHECK(table->values[0][2] == 2.0 && table->values[0][3] == -1.0 && table->values[1][1] == 0.25);
}

TEST(a_trajectory_is_read_however_the_library_stores_it)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "run.h5");
    for (int style = 0; style < RUN_STYLES; style++) {
        tp_trajectory *t = NULL;
        tp_message why = {""};
        CHECK(put_run(path, style));
        if (tp_trajectory_read(NULL, path, &t, &why) != TP_OK) print_error("style %d: %s\n", style, why.text);
        CHECK(t != NULL);
        check_columns(check_state_, t);
        check_table(check_state_, t);
        CHECK(strcmp(t->scene_text, "name: none\n") == 0);
        CHECK_INT(t->attribute_count, 4);
        CHECK(t->is_finished);
        CHECK_INT(t->summary_count, 1);
        CHECK(strcmp(t->summary[0].name, "status") == 0 && strcmp(t->summary[0].text, "done") == 0);
        tp_trajectory_free(t);
    }
    scratch_close(&folder);
}

/* A change of a sound file, and what a reader says of it. */
typedef struct change {
    void (*apply)(hid_t file);
    const char *reason;
} change;

static void without_rows(hid_t file)
{
    H5Ldelete(file, "/rows", H5P_DEFAULT);
}

static void put_rows(hid_t file, hsize_t count, unsigned long long first, hid_t type)
{
    const unsigned long long rows[] = {first, 4};
    without_rows(file);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t data = H5Dcreate2(file, "/rows", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_ULLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);
    H5Dclose(data);
    H5Sclose(space);
}

static void too_many_rows(hid_t file)
{
    put_rows(file, 2, RUN_STORED + 1, H5T_STD_U64LE);
}

static void rows_beyond_all_numbers(hid_t file)
{
    put_rows(file, 2, ~0ull, H5T_STD_U64LE);
}

static void rows_of_no_table(hid_t file)
{
    put_rows(file, 1, 3, H5T_STD_U64LE);
}

static void rows_as_reals(hid_t file)
{
    put_rows(file, 2, 3, H5T_IEEE_F64LE);
}

static void without_format(hid_t file)
{
    H5Adelete(file, "format");
}

static void without_time(hid_t file)
{
    H5Ldelete(file, "/time", H5P_DEFAULT);
}

static void without_law(hid_t file)
{
    H5Ldelete(file, "/law", H5P_DEFAULT);
}

static void without_names(hid_t file)
{
    H5Adelete_by_name(file, "/q", "names", H5P_DEFAULT);
}

static void too_few_names(hid_t file)
{
    static const char *const names[] = {"x"};
    const run_file run = {file, 0, 2};
    hid_t data = H5Dopen2(file, "/q", H5P_DEFAULT);
    H5Adelete(data, "names");
    run_texts(&run, data, "names", 1, names);
    H5Dclose(data);
}

static void numbered_twice(hid_t file)
{
    hid_t data = H5Dopen2(file, "/law", H5P_DEFAULT);
    H5Adelete(data, "first_column");
    run_number(data, "first_column", 2.0);
    H5Dclose(data);
}

static void numbered_by_a_half(hid_t file)
{
    hid_t data = H5Dopen2(file, "/law", H5P_DEFAULT);
    H5Adelete(data, "first_column");
    run_number(data, "first_column", 2.5);
    H5Dclose(data);
}

static void decreasing_time(hid_t file)
{
    const double time[RUN_STORED] = {0, 1, 0.5};
    hid_t data = H5Dopen2(file, "/time", H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time);
    H5Dclose(data);
}

static void word_that_is_not_there(hid_t file)
{
    const double values[RUN_STORED][2] = {{0, 0}, {3, 0}};
    hid_t data = H5Dopen2(file, "/tables/contacts", H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
}

static void without_words(hid_t file)
{
    H5Ldelete(file, "/labels/shapes", H5P_DEFAULT);
}

static void time_elsewhere(hid_t file)
{
    H5Ldelete(file, "/time", H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/time", file, "/time", H5P_DEFAULT, H5P_DEFAULT);
}

/* Instead of /time, with its attributes: a data set of these sizes that holds nothing. */
static void empty_time(hid_t file, int rank, const hsize_t *size, hid_t type, hid_t creation)
{
    const run_file run = {file, 0, 2};
    H5Ldelete(file, "/time", H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t data = H5Dcreate2(file, "/time", type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    run_number(data, "first_column", 0.0);
    run_text(&run, data, "unit", "s");
    H5Dclose(data);
    H5Sclose(space);
}

static void huge_time(hid_t file)
{
    const hsize_t size = 1ull << 40, chunk = 1000;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    empty_time(file, 1, &size, H5T_IEEE_F64LE, creation);
    H5Pclose(creation);
}

static void time_of_three_dimensions(hid_t file)
{
    const hsize_t size[] = {RUN_ROWS, 1, 1};
    empty_time(file, 3, size, H5T_IEEE_F64LE, H5P_DEFAULT);
}

static void time_in_another_file(hid_t file)
{
    const hsize_t size = RUN_ROWS;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, "/etc/hostname", 0, 8 * RUN_ROWS);
    empty_time(file, 1, &size, H5T_IEEE_F64LE, creation);
    H5Pclose(creation);
}

static void time_scaled_by_a_filter(hid_t file)
{
    const hsize_t size = RUN_ROWS;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &size);
    H5Pset_scaleoffset(creation, H5Z_SO_INT, 4);
    empty_time(file, 1, &size, H5T_STD_I32LE, creation);
    H5Pclose(creation);
}

static void time_of_references(hid_t file)
{
    const hsize_t size = RUN_ROWS;
    empty_time(file, 1, &size, H5T_STD_REF_OBJ, H5P_DEFAULT);
}

static void group_in_itself(hid_t file)
{
    H5Lcreate_hard(file, "/", file, "/again", H5P_DEFAULT, H5P_DEFAULT);
}

TEST(what_is_wrong_is_refused_with_its_place)
{
    static const change changes[] = {
        {without_rows, "the data set /rows is missing"},
        {too_many_rows, "/time: has 8 rows, but there are 9"},
        {rows_beyond_all_numbers, "/rows: 1.84467e+19 rows"},
        {rows_of_no_table, "/rows: must count the rows of the columns and of every table"},
        {rows_as_reals, "/rows: must count the rows"},
        {without_format, "not a Tippe trajectory"},
        {without_time, "columns are missing or double: /q begins with number 1, expected 0"},
        {without_law, "columns are missing or double: /energy begins with number 4, expected 3"},
        {without_names, "/q: the attribute \"names\" is missing"},
        {too_few_names, "/q: the attribute \"names\" must be 2 texts"},
        {numbered_twice, "columns are missing or double: /law begins with number 2, expected 3"},
        {numbered_by_a_half, "/law: its first_column is 2.5"},
        {decreasing_time, "/time: 0.5 in row 3, but time never decreases"},
        {word_that_is_not_there,
         "/tables/contacts: shape is 3 in row 2, but there are 3 words in /labels/shapes"},
        {without_words, "/labels/shapes: is missing"},
        {time_elsewhere, "expected 0"},
        {huge_time, "/time: announces 1099511627776 values, more than the file can hold"},
        {time_of_three_dimensions, "/time: has 3 dimensions"},
        {time_in_another_file, "/time: is stored in a way that is not accepted"},
        {time_scaled_by_a_filter, "/time: is packed in a way that is not accepted"},
        {time_of_references, "/time: holds neither numbers nor texts"},
        {group_in_itself, "groups lie deeper than 8 levels"},
    };
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "run.h5");
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        tp_trajectory *t = NULL;
        tp_message why = {""};
        CHECK(put_run(path, 0));
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        changes[k].apply(file);
        H5Fclose(file);
        CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_INVALID_DATA);
        if (!strstr(why.text, changes[k].reason))
            print_error("expected '%s', found '%s'\n", changes[k].reason, why.text);
        CHECK(strstr(why.text, changes[k].reason) != NULL);
        CHECK(t == NULL);
    }
    scratch_close(&folder);
}

TEST(other_versions_are_refused_with_what_to_do)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "run.h5");
    static const char *const reasons[] = {
        "older Tippe (format version 1, this one reads 2): run its scene again",
        "newer Tippe (format version 3, this one reads 2)"};
    for (int k = 0; k < 2; k++) {
        tp_trajectory *t;
        tp_message why = {""};
        CHECK(put_run_version(path, 0, 2 * k + 1, ""));
        CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_INVALID_DATA);
        CHECK(strstr(why.text, reasons[k]) != NULL);
    }
    scratch_close(&folder);
}

/* The summary is written when the run ends: without it, or with a damaged one, the rows are there all the
 * same. */
TEST(rows_are_read_without_a_summary)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "run.h5");
    tp_trajectory *t = NULL;
    CHECK(put_run(path, RUN_LATEST));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Adelete_by_name(file, "/summary", "finished", H5P_DEFAULT);
    H5Fclose(file);
    CHECK_INT(tp_trajectory_read(NULL, path, &t, NULL), TP_OK);
    CHECK(!t->is_finished && t->summary_count == 0 && t->row_count == RUN_ROWS);
    tp_trajectory_free(t);
    scratch_close(&folder);
}

/* More names than an object header holds (64 KB), and a long scene. */
TEST(wide_groups_and_long_scenes_are_read)
{
    enum { WIDTH = 20000, SCENE_LENGTH = 200000 };
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "wide.h5");
    char *scene = malloc(SCENE_LENGTH + 1), (*buffer)[32] = malloc(WIDTH * sizeof *buffer);
    const char **names = malloc(WIDTH * sizeof *names);
    memset(scene, '#', SCENE_LENGTH);
    scene[SCENE_LENGTH] = 0;
    for (int i = 0; i < WIDTH; i++) {
        snprintf(buffer[i], sizeof buffer[i], "body-%d/N", i);
        names[i] = buffer[i];
    }
    CHECK(put_run_version(path, RUN_LATEST, 2, scene));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const run_file run = {file, RUN_LATEST, 2};
    const hsize_t size[] = {RUN_ROWS, WIDTH};
    double *values = calloc((size_t)RUN_ROWS * WIDTH, sizeof *values);
    for (int i = 0; i < RUN_ROWS * WIDTH; i++) values[i] = (double)i;
    hid_t space = H5Screate_simple(2, size, NULL);
    hid_t data = H5Dcreate2(file, "/wide", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    run_number(data, "first_column", 5.0);
    run_texts(&run, data, "names", WIDTH, names);
    H5Dclose(data);
    H5Sclose(space);
    data = H5Dopen2(file, "/rows", H5P_DEFAULT);
    H5Adelete(data, "columns");
    run_number(data, "columns", 5.0 + WIDTH);
    H5Dclose(data);
    H5Fclose(file);
    tp_trajectory *t = NULL;
    CHECK_INT(tp_trajectory_read(NULL, path, &t, NULL), TP_OK);
    CHECK_INT(t->column_count, 5 + WIDTH);
    CHECK(strcmp(t->columns[5 + WIDTH - 1].name, "wide/body-19999/N") == 0);
    CHECK(t->values[5 + 77][3] == 3.0 * WIDTH + 77.0);
    CHECK(strcmp(t->scene_text, scene) == 0);
    tp_trajectory_free(t);
    free(values);
    free(names);
    free(buffer);
    free(scene);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(a_trajectory_is_read_however_the_library_stores_it),
          RUNS(what_is_wrong_is_refused_with_its_place), RUNS(other_versions_are_refused_with_what_to_do),
          RUNS(rows_are_read_without_a_summary), RUNS(wide_groups_and_long_scenes_are_read))
