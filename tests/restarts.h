/* Runs that are stopped and continued, compared with one that was not: shared by several tests. */
#ifndef TESTS_RESTARTS_H
#define TESTS_RESTARTS_H

#include "check.h"
#include "tippe/tippe.h"

#include <stdlib.h>
#include <string.h>

/* How a simulation is made, so that several can be made alike. */
typedef struct run_kind {
    const tp_model *model;
    tp_simulation_options options;
    double output_every; /* [s] */
    tp_status (*create)(const struct run_kind *kind, tp_simulation **simulation_out, tp_message *why_out);
} run_kind;

static inline tp_simulation *make_run(const run_kind *kind, double end_time)
{
    run_kind own = *kind;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    own.options.end_time = end_time;
    tp_status status = own.create != NULL
                           ? own.create(&own, &simulation, &why)
                           : tp_simulation_create(NULL, own.model, &own.options, &simulation, &why);
    if (status != TP_OK) {
        print_error("%s\n", why.text);
        fail();
    }
    return simulation;
}

/* Stops after so many steps (negative: never). */
typedef struct step_limit {
    tp_output *output;
    long long steps_left;
} step_limit;

static inline bool observe_steps(void *context, const tp_simulation *simulation)
{
    step_limit *limit = context;
    bool is_written = limit->output == NULL || tp_output_observe(limit->output, simulation);
    return is_written && limit->steps_left-- != 0;
}

/* Runs from the start, or from the file of another run, with rows in `path` (NULL: none). */
static inline tp_simulation *run_to_file(const run_kind *kind, double end_time, const char *restart,
                                         const char *path, long long step_limit_count)
{
    tp_simulation *simulation = make_run(kind, end_time);
    tp_output_options options = tp_output_options_default();
    tp_message why = {""};
    options.hdf5_path = path;
    options.output_every = kind->output_every;
    step_limit limit = {NULL, step_limit_count};
    bool ok = restart == NULL || tp_output_restore(NULL, simulation, restart, NULL, &why) == TP_OK;
    ok = ok && (path == NULL || tp_output_create(NULL, simulation, &options, &limit.output, &why) == TP_OK);
    if (ok) {
        tp_status status = tp_simulation_run(simulation, observe_steps, &limit, NULL);
        ok = status == TP_OK || status == TP_INTERRUPTED;
        if (!ok) print_error("%s\n", tp_simulation_report(simulation)->reason);
        ok = tp_output_close(limit.output, &why) == TP_OK && ok;
    }
    if (!ok) {
        print_error("%s\n", why.text);
        fail();
    }
    return simulation;
}

static inline tp_trajectory *read_rows(const char *path)
{
    tp_trajectory *trajectory = NULL;
    tp_message why = {""};
    if (tp_trajectory_read(NULL, path, &trajectory, &why) != TP_OK) {
        print_error("%s\n", why.text);
        fail();
    }
    return trajectory;
}

/* Everything that the next step depends on, bit for bit. */
static inline bool are_same_states(const tp_simulation *a, const tp_simulation *b)
{
    tp_restart x, y;
    tp_simulation_checkpoint(a, &x);
    tp_simulation_checkpoint(b, &y);
    bool same = memcmp(&x.time, &y.time, sizeof x.time) == 0 &&
                memcmp(&x.step_size, &y.step_size, sizeof x.step_size) == 0;
    same = same && x.count == y.count && memcmp(&x.origin, &y.origin, sizeof x.origin) == 0;
    same = same && memcmp(x.q, y.q, (size_t)x.q_count * sizeof(double)) == 0;
    same = same && memcmp(x.u, y.u, (size_t)x.u_count * sizeof(double)) == 0;
    same = same && memcmp(x.impulse, y.impulse, (size_t)x.law_count * TP_IMPULSE_ROWS * sizeof(double)) == 0;
    same = same && x.contact_count == y.contact_count &&
           memcmp(x.contacts, y.contacts, (size_t)x.contact_count * sizeof *x.contacts) == 0;
    same = same && memcmp(x.is_closed, y.is_closed, (size_t)x.law_count) == 0;
    for (int i = 0; same && i < x.memory_count; i++) {
        same =
            x.memory[i].count == y.memory[i].count &&
            memcmp(x.memory[i].values, y.memory[i].values, (size_t)x.memory[i].count * sizeof(double)) == 0;
    }
    return same;
}

/* Sums and maxima since the row before: they depend on where that was. */
static inline bool is_since_row_before(const char *name)
{
    static const char *const since[] = {"/impulse_",  "/impact_",  "/dissipation",  "/applied_work",
                                        "step/steps", "step/iter", "step/residual", "step/impacts",
                                        "_error",     "step/pene", "supply"};
    for (size_t k = 0; k < sizeof since / sizeof since[0]; k++) {
        if (strstr(name, since[k]) != NULL) return true;
    }
    return false;
}

/* All columns of two rows, bit for bit; has_same_past: also what is told of the time since the row before. */
static inline bool are_same_rows(const tp_trajectory *a, long long row_a, const tp_trajectory *b,
                                 long long row_b, bool has_same_past)
{
    if (a->column_count != b->column_count) return false;
    for (int i = 0; i < a->column_count; i++) {
        if (!has_same_past && is_since_row_before(a->columns[i].name)) continue;
        if (memcmp(&a->values[i][row_a], &b->values[i][row_b], sizeof(double)) == 0) continue;
        print_error("%s: %.17g at t = %.17g, %.17g at t = %.17g\n", a->columns[i].name, a->values[i][row_a],
                    a->values[0][row_a], b->values[i][row_b], b->values[0][row_b]);
        return false;
    }
    return true;
}

/* The rows after the first one of the continued run are the last rows of the whole run. */
static inline bool are_later_rows_same(const char *whole_path, const char *continued_path)
{
    tp_trajectory *whole = read_rows(whole_path), *continued = read_rows(continued_path);
    long long later = continued->row_count - 1, skipped = whole->row_count - later;
    double start = continued->values[0][0];
    bool same = later > 0 && skipped > 0 && whole->values[0][skipped] > start &&
                whole->values[0][skipped - 1] <= start;
    if (!same) print_error("%lld later rows of %lld, from t = %.17g\n", later, whole->row_count, start);
    for (long long k = 0; same && k < later; k++) {
        bool has_same_past = whole->values[0][skipped + k - 1] == continued->values[0][k];
        same = are_same_rows(whole, skipped + k, continued, k + 1, has_same_past);
    }
    tp_trajectory_free(whole);
    tp_trajectory_free(continued);
    return same;
}

#endif
