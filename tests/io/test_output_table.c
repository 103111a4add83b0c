/* Tables of columns: HDF5 files are written and read back, CSV files parse to the same bits, names and sizes
   at the edge. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "io/scratch.h"
#include "tippe/output.h"

static const tp_table_column few[] = {
    {"time", "s", "time"},
    {"q/x", "m", "coordinate x"},
    {"u/x'", "m/s", "velocity of x"},
    {"law/beak, or \"nose\"/gap", "m", "gap, open if positive"},
    {"energy", "J", ""},
};
enum { FEW = sizeof few / sizeof few[0] };

/* Known content: every kind of double, times that do not decrease. */
static double content(int column, long long row)
{
    if (column == 0) return 1e-3 * (double)(row / 2);
    check_random random = {(uint64_t)row * 1000003u + (uint64_t)column};
    uint64_t bits = check_random_bits(&random);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isnan(value) ? NAN : value;
}

static tp_status write_table(const char *path, const tp_table_column *columns, int column_count,
                             long long row_count, int flush_rows, tp_message *why)
{
    const tp_table_attribute attributes[] = {{"scene_name", "beak.yaml", 0.0}, {"time_step", NULL, 1e-3}};
    const tp_table_attribute summary[] = {{"status", "ok", 0.0}, {"steps", NULL, 17.0}};
    tp_table_def def = tp_table_def_default();
    def.path = path;
    def.columns = columns;
    def.column_count = column_count;
    def.scene_text = "name: beak\ncoordinates: [x]\n";
    def.attributes = attributes;
    def.attribute_count = 2;
    def.flush_rows = flush_rows;
    def.flush_seconds = 1e9;
    tp_trajectory_writer *writer;
    TP_TRY(tp_trajectory_writer_create(NULL, &def, &writer, why));
    double *row = malloc((size_t)column_count * sizeof *row);
    tp_status status = row ? TP_OK : TP_OUT_OF_MEMORY;
    for (long long k = 0; k < row_count && status == TP_OK; k++) {
        for (int i = 0; i < column_count; i++) row[i] = content(i, k);
        status = tp_trajectory_writer_append(writer, row);
    }
    free(row);
    tp_status closed = tp_trajectory_writer_close(writer, summary, 2, why);
    return status != TP_OK ? status : closed;
}

static bool has_same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static long long count_differences(const tp_trajectory *t)
{
    long long differences = 0;
    for (int i = 0; i < t->column_count; i++) {
        for (long long k = 0; k < t->row_count; k++)
            differences += !has_same_bits(t->values[i][k], content(i, k));
    }
    return differences;
}

TEST(what_is_written_to_hdf5_is_read_back_bit_by_bit_with_names_units_and_texts)
{
    const long long row_counts[] = {0, 1, 2, 255, 256, 257, 1000, 5000};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    for (size_t n = 0; n < sizeof row_counts / sizeof row_counts[0]; n++) {
        const char *path = scratch_file(&folder, "run.h5");
        tp_message why = {""};
        tp_trajectory *t;
        CHECK_INT(write_table(path, few, FEW, row_counts[n], 100, &why), TP_OK);
        CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_OK);
        CHECK_INT(t->row_count, row_counts[n]);
        CHECK_INT(t->column_count, FEW);
        for (int i = 0; i < FEW; i++) {
            CHECK(strcmp(t->columns[i].name, few[i].name) == 0);
            CHECK(strcmp(t->columns[i].unit, few[i].unit) == 0);
            CHECK(strcmp(t->columns[i].text, few[i].text) == 0);
            CHECK_INT(tp_trajectory_find(t, few[i].name), i);
        }
        CHECK_INT(tp_trajectory_find(t, "q/y"), -1);
        CHECK_INT(count_differences(t), 0);
        CHECK(t->is_finished);
        CHECK(strcmp(t->scene_text, "name: beak\ncoordinates: [x]\n") == 0);
        tp_trajectory_free(t);
    }
    CHECK_INT(scratch_count(&folder), 1); /* no temporary file is left */
    scratch_close(&folder);
}

TEST(attributes_and_the_summary_come_back_in_their_order)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "run.h5");
    tp_message why = {""};
    tp_trajectory *t;
    CHECK_INT(write_table(path, few, FEW, 3, 1, &why), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_OK);
    int n = t->attribute_count;
    CHECK(n >= 3);
    CHECK(strcmp(t->attributes[0].name, "format") == 0);
    CHECK(strcmp(t->attributes[2].name, "program_version") == 0);
    CHECK(strcmp(t->attributes[2].text, tp_version()) == 0);
    CHECK(strcmp(t->attributes[n - 2].name, "scene_name") == 0);
    CHECK(strcmp(t->attributes[n - 2].text, "beak.yaml") == 0);
    CHECK(strcmp(t->attributes[n - 1].name, "time_step") == 0);
    CHECK(t->attributes[n - 1].text == NULL);
    CHECK_NEAR(t->attributes[n - 1].number, 1e-3, 0.0);
    CHECK_INT(t->summary_count, 2);
    CHECK(strcmp(t->summary[0].text, "ok") == 0);
    CHECK_NEAR(t->summary[1].number, 17.0, 0.0);
    tp_trajectory_free(t);
    scratch_close(&folder);
}

TEST(the_same_rows_give_the_same_bytes_whenever_they_were_written_and_flushed)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    unsigned char *bytes[2];
    size_t counts[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        tp_message why = {""};
        CHECK_INT(write_table(scratch_file(&folder, k ? "b.h5" : "a.h5"), few, FEW, 3000, k ? 7 : 700, &why),
                  TP_OK);
        bytes[k] = scratch_read(folder.file, &counts[k]);
        if (k == 0) sleep(1); /* time stamps count seconds */
    }
    CHECK_INT(counts[0], counts[1]);
    CHECK(memcmp(bytes[0], bytes[1], counts[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
    scratch_close(&folder);
}

TEST(three_hundred_columns_and_long_names_are_no_problem)
{
    enum { MANY = 300, LONG = 1900 };
    static char names[MANY][LONG + 40];
    tp_table_column columns[MANY] = {{"time", "s", ""}};
    for (int i = 1; i < MANY; i++) {
        int length = sprintf(names[i], "law/%d'", i);
        if (i % 50 == 0) {
            for (; length < LONG; length++) names[i][length] = (char)('a' + length % 26);
        }
        sprintf(names[i] + length, "/impulse_%d", i % 3);
        columns[i] = (tp_table_column){names[i], "N s", ""};
    }
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    const char *path = scratch_file(&folder, "many.h5");
    tp_message why = {""};
    tp_trajectory *t;
    CHECK_INT(write_table(path, columns, MANY, 1100, 500, &why), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, path, &t, &why), TP_OK);
    CHECK_INT(t->column_count, MANY);
    CHECK_INT(count_differences(t), 0);
    for (int i = 0; i < MANY; i++) CHECK(strcmp(t->columns[i].name, columns[i].name) == 0);
    tp_trajectory_free(t);
    scratch_close(&folder);
}

TEST(a_scene_text_of_a_megabyte_is_kept)
{
    enum { LENGTH = 1000000 };
    char *scene = malloc(LENGTH + 1);
    CHECK(scene != NULL);
    for (int i = 0; i < LENGTH; i++) scene[i] = (char)('a' + i % 23);
    scene[LENGTH] = 0;
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_table_def def = tp_table_def_default();
    def.path = scratch_file(&folder, "run.h5");
    def.columns = few;
    def.column_count = FEW;
    def.scene_text = scene;
    tp_trajectory_writer *writer;
    tp_message why = {""};
    tp_trajectory *t;
    CHECK_INT(tp_trajectory_writer_create(NULL, &def, &writer, &why), TP_OK);
    CHECK_INT(tp_trajectory_writer_close(writer, NULL, 0, &why), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, def.path, &t, &why), TP_OK);
    CHECK(strcmp(t->scene_text, scene) == 0);
    tp_trajectory_free(t);
    free(scene);
    scratch_close(&folder);
}

TEST(names_survive_escaping_whatever_they_contain)
{
    const char *const pairs[][2] = {{"x'", "x'"},
                                    {"a/b", "a%2Fb"},
                                    {".", "%2E"},
                                    {"..", "%2E%2E"},
                                    {"a.b", "a.b"},
                                    {"100%", "100%25"},
                                    {"", "%"},
                                    {"%", "%25"},
                                    {"%2F", "%252F"},
                                    {"/", "%2F"},
                                    {"\xc3\xa4", "\xc3\xa4"}};
    char text[64];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        CHECK_INT(tp_column_escape(pairs[i][0], text, sizeof text), strlen(pairs[i][1]));
        CHECK(strcmp(text, pairs[i][1]) == 0);
        tp_column_unescape(text);
        CHECK(strcmp(text, pairs[i][0]) == 0);
    }
    check_random random = {42};
    for (int n = 0; n < 10000; n++) {
        char name[16], back[64];
        int length = (int)(check_random_bits(&random) % 12);
        for (int i = 0; i < length; i++) name[i] = "/%.2Fa'5E"[check_random_bits(&random) % 9];
        name[length] = 0;
        tp_column_escape(name, back, sizeof back);
        CHECK(strchr(back, '/') == NULL && back[0] != 0 && strcmp(back, ".") != 0);
        tp_column_unescape(back);
        CHECK(strcmp(name, back) == 0);
    }
    CHECK_INT(tp_column_escape("a/b/c", text, 5), 9); /* cut, but the length is told */
    CHECK(strcmp(text, "a%2F") == 0);
}

TEST(impossible_columns_are_refused_and_nothing_is_written)
{
    const tp_table_column bad[][3] = {
        {{"t", "s", ""}, {"q/x", "m", ""}, {"q/y", "m", ""}},
        {{"time", "s", ""}, {"q/x", "m", ""}, {"q/x", "m", ""}},
        {{"time", "s", ""}, {"q/./x", "m", ""}, {"q/y", "m", ""}},
        {{"time", "s", ""}, {"/q/x", "m", ""}, {"q/y", "m", ""}},
        {{"time", "s", ""}, {"", "m", ""}, {"q/y", "m", ""}},
        {{"time", "s", ""}, {"rows", "m", ""}, {"q/y", "m", ""}},
        {{"time", "s", ""}, {"law/a", "m", ""}, {"law/a/gap", "m", ""}},
        {{"time", "s", ""}, {"summary/x", "m", ""}, {"q/y", "m", ""}},
        {{"time", "s", ""}, {"1/2/3/4/5/6/7/8/9", "m", ""}, {"q/y", "m", ""}},
    };
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tp_message why = {""};
        CHECK_INT(write_table(scratch_file(&folder, "a.h5"), bad[i], 3, 1, 1, &why), TP_INVALID_ARGUMENT);
        CHECK(why.text[0] != 0);
        CHECK_INT(write_table(scratch_file(&folder, "a.csv"), bad[i], 3, 1, 1, &why), TP_INVALID_ARGUMENT);
    }
    CHECK_INT(scratch_count(&folder), 0);
    scratch_close(&folder);
}

TEST(a_time_that_decreases_is_refused_and_the_table_goes_on)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_table_def def = tp_table_def_default();
    def.path = scratch_file(&folder, "run.h5");
    def.columns = few;
    def.column_count = 1;
    tp_trajectory_writer *writer;
    tp_message why = {""};
    tp_trajectory *t;
    const double times[] = {0.0, 1.0, 0.5, NAN, INFINITY, 1.0, 2.0};
    CHECK_INT(tp_trajectory_writer_create(NULL, &def, &writer, &why), TP_OK);
    for (int i = 0; i < 7; i++) {
        bool is_good = i < 2 || i > 4;
        CHECK_INT(tp_trajectory_writer_append(writer, &times[i]), is_good ? TP_OK : TP_INVALID_ARGUMENT);
    }
    CHECK(strstr(tp_trajectory_writer_message(writer), "row 3") != NULL);
    CHECK_INT(tp_trajectory_writer_row_count(writer), 4);
    CHECK_INT(tp_trajectory_writer_close(writer, NULL, 0, &why), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, def.path, &t, &why), TP_OK);
    CHECK_INT(t->row_count, 4);
    CHECK_NEAR(t->values[0][3], 2.0, 0.0);
    tp_trajectory_free(t);
    scratch_close(&folder);
}

/* One cell of RFC 4180; returns where the next begins. */
static const char *parse_cell(const char *c, char *out)
{
    bool is_quoted = *c == '"';
    if (is_quoted) c++;
    while (*c && (is_quoted || (*c != ',' && *c != '\n'))) {
        if (is_quoted && *c == '"') {
            if (c[1] != '"') break;
            c++;
        }
        *out++ = *c++;
    }
    *out = 0;
    if (is_quoted) c++;
    return *c ? c + 1 : c;
}

TEST(a_csv_file_parses_back_to_the_same_bits)
{
    enum { ROWS = 3000 };
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_message why = {""};
    size_t count = 0;
    CHECK_INT(write_table(scratch_file(&folder, "run.csv"), few, FEW, ROWS, 100, &why), TP_OK);
    char *text = (char *)scratch_read(folder.file, &count);
    CHECK(text != NULL && count > 0);
    text[count] = 0;
    CHECK_INT(text[count - 1], '\n');
    const char *at = text;
    char cell[256];
    for (int i = 0; i < FEW; i++) {
        at = parse_cell(at, cell);
        CHECK(strcmp(cell, few[i].name) == 0);
    }
    CHECK(strncmp(at, "# ", 2) == 0);
    at += 2;
    for (int i = 0; i < FEW; i++) {
        at = parse_cell(at, cell);
        CHECK(strcmp(cell, few[i].unit) == 0);
    }
    for (int k = 0; k < ROWS; k++) {
        for (int i = 0; i < FEW; i++) {
            at = parse_cell(at, cell);
            CHECK(has_same_bits(strtod(cell, NULL), content(i, k)));
        }
    }
    CHECK_INT(*at, 0);
    free(text);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(what_is_written_to_hdf5_is_read_back_bit_by_bit_with_names_units_and_texts),
          RUNS(attributes_and_the_summary_come_back_in_their_order),
          RUNS(the_same_rows_give_the_same_bytes_whenever_they_were_written_and_flushed),
          RUNS(three_hundred_columns_and_long_names_are_no_problem), RUNS(a_scene_text_of_a_megabyte_is_kept),
          RUNS(names_survive_escaping_whatever_they_contain),
          RUNS(impossible_columns_are_refused_and_nothing_is_written),
          RUNS(a_time_that_decreases_is_refused_and_the_table_goes_on),
          RUNS(a_csv_file_parses_back_to_the_same_bits))
