/* Files that a run is continued from: what is missing, damaged or foreign in them. */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"
#include "models.h"
#include "restarts.h"

enum { COLUMNS_MAX = 64, ROWS_MAX = 32 };

/* A file that another one is rewritten from, with changes. */
typedef struct rewriting {
    const tp_trajectory *source;
    long long row_count;
    const char *left_out;    /* column, or NULL                          */
    const char *changed;     /* column whose last value is replaced      */
    double value;            /* by this one                              */
    bool without_attributes; /* neither integrator nor options           */
} rewriting;

static void rewrite(void **check_state_, const rewriting *w, const char *path)
{
    tp_table_column columns[COLUMNS_MAX];
    int from[COLUMNS_MAX];
    tp_table_def def = tp_table_def_default();
    def.path = path;
    def.columns = columns;
    def.attributes = w->source->attributes;
    for (int i = 0; i < w->source->attribute_count && !w->without_attributes; i++) {
        if (strncmp(def.attributes->name, "format", 6) == 0 || strcmp(def.attributes->name, "scene") == 0 ||
            strncmp(def.attributes->name, "program", 7) == 0)
            def.attributes++; /* the writer's own come first */
        else
            def.attribute_count++;
    }
    for (int i = 0; i < w->source->column_count; i++) {
        if (w->left_out != NULL && strcmp(w->source->columns[i].name, w->left_out) == 0) continue;
        from[def.column_count] = i;
        columns[def.column_count++] = w->source->columns[i];
    }
    tp_trajectory_writer *writer = NULL;
    tp_message why = {""};
    tp_status status = tp_trajectory_writer_create(NULL, &def, &writer, &why);
    if (status != TP_OK) print_error("%s\n", why.text);
    CHECK_INT(status, TP_OK);
    for (long long row = 0; row < w->row_count; row++) {
        double values[COLUMNS_MAX];
        for (int i = 0; i < def.column_count; i++) {
            bool is_changed =
                w->changed != NULL && row + 1 == w->row_count && strcmp(columns[i].name, w->changed) == 0;
            values[i] = is_changed ? w->value : w->source->values[from[i]][row];
        }
        CHECK_INT(tp_trajectory_writer_append(writer, values), TP_OK);
    }
    CHECK_INT(tp_trajectory_writer_close(writer, NULL, 0, &why), TP_OK);
}

/* A short run of the bird to play with. */
typedef struct bench {
    scratch_folder folder;
    tp_model *model;
    run_kind kind;
    tp_trajectory *rows;
    char path[800]; /* of rewritten files */
} bench;

static void open_bench(void **check_state_, bench *b)
{
    CHECK(scratch_open(&b->folder));
    b->model = woodpecker_model();
    b->kind = (run_kind){.model = b->model, .options = tp_simulation_options_default()};
    b->kind.options.time_step = 1e-4;
    const char *path = scratch_file(&b->folder, "source.h5");
    tp_simulation_free(run_to_file(&b->kind, 1.0, NULL, path, ROWS_MAX - 1));
    b->rows = read_rows(path);
    CHECK_INT(b->rows->row_count, ROWS_MAX);
    snprintf(b->path, sizeof b->path, "%s", scratch_file(&b->folder, "changed.h5"));
}

static void close_bench(bench *b)
{
    tp_trajectory_free(b->rows);
    tp_model_free(b->model);
    scratch_close(&b->folder);
}

static tp_status restore_from(const bench *b, tp_simulation *simulation, tp_message *why)
{
    return tp_output_restore(NULL, simulation, b->path, NULL, why);
}

static void check_refusal(void **check_state_, const bench *b, const rewriting *w, const char *part)
{
    tp_message why = {""};
    rewrite(check_state_, w, b->path);
    tp_simulation *simulation = make_run(&b->kind, 1.0);
    tp_status status = restore_from(b, simulation, &why);
    if (status != TP_INVALID_DATA || !strstr(why.text, part)) print_error("%d %s\n", status, why.text);
    CHECK_INT(status, TP_INVALID_DATA);
    CHECK(strstr(why.text, part) != NULL && strstr(why.text, "changed.h5") != NULL);
    CHECK_NEAR(tp_simulation_time(simulation), 0.0, 0.0);
    tp_simulation_free(simulation);
}

TEST(every_row_is_a_checkpoint)
{
    bench b;
    open_bench(check_state_, &b);
    tp_simulation *whole = run_to_file(&b.kind, 0.01, NULL, NULL, -1);
    for (int rows = 1; rows <= ROWS_MAX; rows++) {
        rewriting w = {.source = b.rows, .row_count = rows};
        rewrite(check_state_, &w, b.path);
        tp_simulation *continued = run_to_file(&b.kind, 0.01, b.path, NULL, -1);
        CHECK(are_same_states(whole, continued));
        CHECK_INT(tp_simulation_report(continued)->start_count, rows - 1);
        CHECK_INT(tp_simulation_report(continued)->warning_count, 0);
        tp_simulation_free(continued);
    }
    tp_simulation_free(whole);
    close_bench(&b);
}

TEST(a_file_without_rows_or_without_a_needed_column_is_refused)
{
    static const char *const needed[] = {"q/phi",
                                         "u/y'",
                                         "law/beak/closed",
                                         "law/lower edge/last_impulse_N",
                                         "law/beak/last_impulse_T1",
                                         "step/count",
                                         "step/origin",
                                         "step/size"};
    bench b;
    open_bench(check_state_, &b);
    rewriting w = {.source = b.rows, .row_count = 0};
    check_refusal(check_state_, &b, &w, "no row");
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        w = (rewriting){.source = b.rows, .row_count = ROWS_MAX, .left_out = needed[i]};
        check_refusal(check_state_, &b, &w, needed[i]);
    }
    close_bench(&b);
}

TEST(columns_that_follow_from_the_state_are_not_needed)
{
    static const char *const more[] = {"energy", "law/beak/gap", "step/residual", "step/penetration"};
    bench b;
    open_bench(check_state_, &b);
    tp_simulation *whole = run_to_file(&b.kind, 0.01, NULL, NULL, -1);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        rewriting w = {.source = b.rows, .row_count = ROWS_MAX, .left_out = more[i]};
        rewrite(check_state_, &w, b.path);
        tp_simulation *continued = run_to_file(&b.kind, 0.01, b.path, NULL, -1);
        CHECK(are_same_states(whole, continued));
        tp_simulation_free(continued);
    }
    tp_simulation_free(whole);
    close_bench(&b);
}

TEST(a_file_that_does_not_tell_its_options_is_continued_with_a_warning)
{
    bench b;
    open_bench(check_state_, &b);
    rewriting w = {.source = b.rows, .row_count = ROWS_MAX, .without_attributes = true};
    rewrite(check_state_, &w, b.path);
    tp_simulation *continued = run_to_file(&b.kind, 0.01, b.path, NULL, -1);
    const tp_run_report *report = tp_simulation_report(continued);
    CHECK(report->warning_count > 0 && strstr(report->warnings[0].text, "not recorded") != NULL);
    CHECK_INT(report->start_count, ROWS_MAX - 1);
    tp_simulation_free(continued);
    close_bench(&b);
}

TEST(impossible_values_are_refused)
{
    static const struct {
        const char *column;
        double value;
        const char *part;
    } wrong[] = {
        {"q/phi", NAN, "entry 3 of q"},
        {"u/y'", INFINITY, "entry 1 of u"},
        {"law/beak/last_impulse_T1", NAN, "impulses"},
        {"law/beak/closed", 0.5, "law/beak/closed"},
        {"law/beak/closed", -1.0, "law/beak/closed"},
        {"step/size", 0.0, "last step"},
        {"time", 1e300, "already reached"},
    };
    bench b;
    open_bench(check_state_, &b);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        rewriting w = {.source = b.rows, .row_count = ROWS_MAX};
        w.changed = wrong[i].column;
        w.value = wrong[i].value;
        check_refusal(check_state_, &b, &w, wrong[i].part);
    }
    close_bench(&b);
}

/* Whatever the last row holds: an answer, and steps from what was accepted. */
TEST(no_value_of_any_column_is_a_surprise)
{
    static const double values[] = {0.0,  -1.0,  0.5,    1e15,     2e15,      9e18,
                                    1e19, 1e300, -1e300, INFINITY, -INFINITY, NAN};
    bench b;
    int accepted = 0;
    open_bench(check_state_, &b);
    for (int i = 1; i < b.rows->column_count; i++) {
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            rewriting w = {.source = b.rows, .row_count = 3};
            w.changed = b.rows->columns[i].name;
            w.value = values[k];
            tp_message why = {""};
            rewrite(check_state_, &w, b.path);
            tp_simulation *simulation = make_run(&b.kind, 4e-4);
            tp_status status = restore_from(&b, simulation, &why);
            CHECK(status == TP_OK || (status == TP_INVALID_DATA && why.text[0] != 0));
            accepted += status == TP_OK;
            if (status == TP_OK) {
                status = tp_simulation_run(simulation, NULL, NULL);
                CHECK(status == TP_OK || status == TP_NOT_CONVERGED || status == TP_INFEASIBLE);
            }
            tp_simulation_free(simulation);
        }
    }
    CHECK(accepted > 0);
    close_bench(&b);
}

TEST_MAIN(RUNS(every_row_is_a_checkpoint), RUNS(a_file_without_rows_or_without_a_needed_column_is_refused),
          RUNS(columns_that_follow_from_the_state_are_not_needed),
          RUNS(a_file_that_does_not_tell_its_options_is_continued_with_a_warning),
          RUNS(impossible_values_are_refused), RUNS(no_value_of_any_column_is_a_surprise))
