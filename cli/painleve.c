/* Painleve's region of a scene, a run or a map; docs/guide/painleve.md. */
#include "painleve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "recorded.h"
#include "tippe/output.h"
#include "tippe/painleve.h"
#include "tippe/plot.h"
#include "tippe/scene.h"

/* Time steps leave gaps of contacts at rest of the size of their errors. */
static const double run_tolerance = 1e-6;

static exit_code fail(const cli_verb *self, tp_status status, const tp_message *why)
{
    complain("%s: %s", self->name, why->text[0] != '\0' ? why->text : tp_status_text(status));
    return exit_code_of(status);
}

/* ---- one state ---- */

static void print_slip(const tp_slip *s)
{
    printf("  %-20s %s", s->name, tp_slip_kind_name((int)s->kind));
    if (s->speed > 0.0) printf(" at %.6g m/s", s->speed);
    printf(", friction %.6g\n", s->friction);
    printf("    coupling           %.6g 1/kg while it slides, %.6g without friction: distance %.4g\n",
           s->coupling, s->uncoupled, s->distance);
    if (isfinite(s->critical_friction))
        printf("    critical friction  %.6g\n", s->critical_friction);
    else
        printf("    critical friction  none: friction does not jam this direction\n");
    printf("    free acceleration  %.6g m/s^2: %s\n", s->free_acceleration,
           s->free_acceleration < 0.0 ? "it is pressed" : "it opens without force");
    if (s->speed == 0.0) return;
    if (isfinite(s->slip_force)) printf("    force of sliding   %.6g N\n", s->slip_force);
    printf("    jam impulse        N %.6g", s->jam_impulse[0]);
    for (int k = 1; k < s->row_count; ++k) printf(", T%d %.6g", k, s->jam_impulse[k]);
    printf(" N s: %s\n", s->jam_is_possible ? "possible" : "not in the friction cone");
    printf("    solutions          %d\n", s->solution_count);
}

static void write_slip(json_writer *json, const tp_slip *s)
{
    json_open(json, '{');
    json_text_at(json, "name", s->name);
    json_text_at(json, "kind", tp_slip_kind_name((int)s->kind));
    json_real_at(json, "speed", s->speed);
    json_real_at(json, "friction", s->friction);
    json_real_at(json, "coupling", s->coupling);
    json_real_at(json, "uncoupled", s->uncoupled);
    json_real_at(json, "distance", s->distance);
    json_real_at(json, "critical_friction", s->critical_friction);
    json_real_at(json, "free_acceleration", s->free_acceleration);
    json_real_at(json, "slip_force", s->slip_force);
    json_reals_at(json, "jam_impulse", s->jam_impulse, s->row_count);
    json_bool_at(json, "jam_is_possible", s->jam_is_possible);
    json_integer_at(json, "solutions", s->solution_count);
    json_close(json, '}');
}

/* What all closed contacts may do together. */
static void write_count(json_writer *json, const tp_painleve *painleve)
{
    tp_slip_count solutions;
    if (tp_painleve_count(painleve, 0.0, &solutions, NULL) != TP_OK) return;
    json_integer_at(json, "solutions", solutions.count);
    json_bool_at(json, "solutions_are_all", solutions.is_all);
    json_real_at(json, "relaxation_time", solutions.delta);
}

static void print_count(const tp_painleve *painleve)
{
    tp_slip_count solutions;
    if (tp_painleve_count(painleve, 0.0, &solutions, NULL) != TP_OK) return;
    if (solutions.count >= 0)
        printf("solutions %s%d of all contacts together: opening, sliding, sticking\n",
               solutions.is_all ? "" : "at least ", solutions.count);
    else
        printf("solutions not counted: %s\n", solutions.why);
}

static void write_state(const tp_painleve *painleve, const tp_slip_summary *summary, const char *path)
{
    json_writer json = json_begin_object(stdout);
    json_text_at(&json, "scene", path);
    json_integer_at(&json, "closed", summary->contact_count);
    json_integer_at(&json, "sliding", summary->sliding_count);
    json_integer_at(&json, "slip_solutions", summary->solution_count);
    json_bool_at(&json, "unique_for_every_load", summary->is_unique);
    write_count(&json, painleve);
    json_open_at(&json, "contacts", '[');
    for (int c = 0; tp_painleve_slip(painleve, c) != NULL; ++c)
        write_slip(&json, tp_painleve_slip(painleve, c));
    json_close(&json, ']');
    json_end_object(&json);
}

static void print_state(const tp_painleve *painleve, const tp_slip_summary *summary, const char *path)
{
    printf("scene    %s\n", path);
    printf("closed   %d contact%s with friction, %d slide%s\n", summary->contact_count,
           summary->contact_count == 1 ? "" : "s", summary->sliding_count,
           summary->sliding_count == 1 ? "s" : "");
    for (int c = 0; tp_painleve_slip(painleve, c) != NULL; ++c) print_slip(tp_painleve_slip(painleve, c));
    if (summary->contact_count > 1) print_count(painleve);
    if (summary->sliding_count < 2) return;
    printf("together %s",
           summary->is_unique ? "one solution for every load" : "not one solution for every load");
    if (summary->solution_count >= 0) printf("; here %d of sliding and opening", summary->solution_count);
    printf("\n");
}

/* The analysis at the initial state of a scene. */
static tp_status find_start(const tp_scene *scene, tp_painleve **painleve_out, tp_slip_summary *summary_out,
                            tp_message *why)
{
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    options.integrator = "moreau"; /* takes every model: only its initial state is asked for */
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, why);
    if (status == TP_OK)
        status = tp_painleve_create(NULL, scene->model, options.contact_tolerance, painleve_out, why);
    if (status == TP_OK)
        status = tp_painleve_find(*painleve_out, 0.0, tp_simulation_q(simulation),
                                  tp_simulation_u(simulation), summary_out, why);
    tp_simulation_free(simulation);
    return status;
}

static exit_code check_start(const cli_verb *self, const painleve_request *request)
{
    tp_scene *scene = NULL;
    tp_painleve *painleve = NULL;
    tp_slip_summary summary;
    tp_message why = {""};
    tp_status status =
        tp_scene_read(NULL, request->path, request->edits->text, request->edits->count, &scene, &why);
    if (status == TP_OK) status = find_start(scene, &painleve, &summary, &why);
    if (status == TP_OK) (request->as_json ? write_state : print_state)(painleve, &summary, request->path);
    tp_painleve_free(painleve);
    tp_scene_free(scene);
    return status == TP_OK ? PROGRAM_DONE : fail(self, status, &why);
}

/* ---- a run ---- */

enum { RUN_CONTACTS = 64 };

/* What a contact met along the run. */
typedef struct contact_course {
    char name[TP_SLIP_NAME];
    double least, least_time;            /* distance */
    double first[TP_SLIP_UNDECIDED + 1]; /* time at which it was first of this kind; NaN: never */
} contact_course;

typedef struct run_course {
    contact_course contact[RUN_CONTACTS];
    int count;
    long long rows, sliding_rows;
    int most_solutions; /* of all contacts together; 0: never counted */
    double most_time;
} run_course;

static contact_course *course_of(run_course *course, const char *name)
{
    for (int c = 0; c < course->count; ++c)
        if (strcmp(course->contact[c].name, name) == 0) return &course->contact[c];
    if (course->count == RUN_CONTACTS) return NULL;
    contact_course *made = &course->contact[course->count++];
    snprintf(made->name, sizeof made->name, "%s", name);
    made->least = INFINITY;
    for (int k = 0; k <= TP_SLIP_UNDECIDED; ++k) made->first[k] = NAN;
    return made;
}

static void note_row(run_course *course, const tp_painleve *painleve, double t)
{
    for (int c = 0; tp_painleve_slip(painleve, c) != NULL; ++c) {
        const tp_slip *s = tp_painleve_slip(painleve, c);
        contact_course *at = course_of(course, s->name);
        if (at == NULL) continue;
        course->sliding_rows += s->speed > 0.0;
        if (isnan(at->first[s->kind])) at->first[s->kind] = t;
        if (s->speed > 0.0 && s->distance < at->least) {
            at->least = s->distance;
            at->least_time = t;
        }
    }
}

/* Rows of contacts in a state of a run up to which its solutions are counted: three contacts in a plane, two
   in space. */
enum { RUN_COUNTED_ROWS = 6 };

static void count_row(run_course *course, const tp_painleve *painleve, double t)
{
    int rows = 0;
    bool slides = false;
    for (int c = 0; tp_painleve_slip(painleve, c) != NULL; ++c) {
        rows += tp_painleve_slip(painleve, c)->row_count;
        slides = slides || tp_painleve_slip(painleve, c)->speed > 0.0;
    }
    tp_slip_count solutions = {.count = -1};
    if (!slides || rows > RUN_COUNTED_ROWS) return;
    if (tp_painleve_count(painleve, 0.0, &solutions, NULL) != TP_OK) return;
    if (solutions.count <= course->most_solutions) return;
    course->most_solutions = solutions.count;
    course->most_time = t;
}

/* q or u of a row from the columns "q/NAME", "u/NAME". */
static tp_status take_row(const tp_trajectory *run, const tp_model *model, const char *group, int count,
                          const char *(*name_at)(const tp_model *, int), long long row, double *out,
                          tp_message *why)
{
    for (int i = 0; i < count; ++i) {
        char column[512];
        snprintf(column, sizeof column, "%s/%s", group, name_at(model, i));
        int index = tp_trajectory_find(run, column);
        if (index < 0) {
            snprintf(why->text, sizeof why->text, "the run has no column \"%.400s\"", column);
            return TP_INVALID_DATA;
        }
        out[i] = run->values[index][row];
    }
    return TP_OK;
}

static tp_status follow_run(const recorded *run, run_course *course, tp_message *why)
{
    const tp_model *model = run->scene->model;
    tp_model_summary counts = tp_model_summarise(model);
    double *q = calloc((size_t)counts.coordinate_count + 1, sizeof *q),
           *u = calloc((size_t)counts.velocity_count + 1, sizeof *u);
    tp_painleve *painleve = NULL;
    tp_status status = q != NULL && u != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK)
        status = tp_painleve_create(NULL, model, fmax(run_tolerance, run->scene->options.contact_tolerance),
                                    &painleve, why);
    int time = tp_trajectory_find(run->trajectory, "time");
    for (long long k = 0; k < run->trajectory->row_count && status == TP_OK; ++k, ++course->rows) {
        tp_slip_summary summary;
        double t = run->trajectory->values[time][k];
        status = take_row(run->trajectory, model, "q", counts.coordinate_count, tp_model_coordinate_name, k,
                          q, why);
        if (status == TP_OK)
            status = take_row(run->trajectory, model, "u", counts.velocity_count, tp_model_velocity_name, k,
                              u, why);
        if (status == TP_OK) status = tp_painleve_find(painleve, t, q, u, &summary, why);
        if (status == TP_OK) note_row(course, painleve, t);
        if (status == TP_OK) count_row(course, painleve, t);
    }
    tp_painleve_free(painleve);
    free(q);
    free(u);
    return status;
}

static void print_course(const run_course *course, const char *path)
{
    printf("run      %s\nrows     %lld\n", path, course->rows);
    for (int c = 0; c < course->count; ++c) {
        const contact_course *at = &course->contact[c];
        printf("  %-20s", at->name);
        if (isfinite(at->least))
            printf(" least distance %.4g at %.6g s", at->least, at->least_time);
        else
            printf(" never slides");
        for (int k = TP_SLIP_JAMS; k <= TP_SLIP_UNDECIDED; ++k)
            if (!isnan(at->first[k])) printf(", %s from %.6g s on", tp_slip_kind_name(k), at->first[k]);
        printf("\n");
    }
    if (course->count == 0) printf("  no contact with friction was closed\n");
    if (course->most_solutions > 0)
        printf("most solutions %d, at %.6g s\n", course->most_solutions, course->most_time);
}

static void write_course(const run_course *course, const char *path)
{
    json_writer json = json_begin_object(stdout);
    json_text_at(&json, "run", path);
    json_integer_at(&json, "rows", course->rows);
    json_integer_at(&json, "most_solutions", course->most_solutions);
    json_real_at(&json, "most_solutions_time", course->most_solutions > 0 ? course->most_time : NAN);
    json_open_at(&json, "contacts", '[');
    for (int c = 0; c < course->count; ++c) {
        const contact_course *at = &course->contact[c];
        json_open(&json, '{');
        json_text_at(&json, "name", at->name);
        json_real_at(&json, "least_distance", at->least);
        json_real_at(&json, "least_distance_time", isfinite(at->least) ? at->least_time : NAN);
        for (int k = 0; k <= TP_SLIP_UNDECIDED; ++k) json_real_at(&json, tp_slip_kind_name(k), at->first[k]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end_object(&json);
}

static exit_code check_run(const cli_verb *self, const painleve_request *request)
{
    static run_course course; /* large */
    recorded run;
    tp_message why = {""};
    course = (run_course){.count = 0};
    tp_status status = recorded_open(&run, request->path, NULL, &why);
    if (status == TP_OK) status = follow_run(&run, &course, &why);
    if (status == TP_OK) (request->as_json ? write_course : print_course)(&course, request->path);
    recorded_close(&run);
    return status == TP_OK ? PROGRAM_DONE : fail(self, status, &why);
}

/* ---- a map ---- */

enum { MAP_MOST = 400, MAP_NONE = TP_SLIP_UNDECIDED + 1, MAP_KINDS };

static const char *kind_name(int kind)
{
    return kind == MAP_NONE ? "no contact closed" : tp_slip_kind_name(kind);
}

typedef struct map_axis {
    char name[256];
    double low, high;
    int count;
} map_axis;

typedef struct map_cell {
    int kind, solutions;
    double distance;
} map_cell;

static bool read_axis(const cli_verb *self, const char *text, map_axis *axis)
{
    int end = 0;
    bool is_read =
        sscanf(text, "%255[^=]=%lf:%lf:%d%n", axis->name, &axis->low, &axis->high, &axis->count, &end) == 4;
    if (is_read && text[end] == '\0' && axis->high > axis->low && axis->count >= 2 && axis->count <= MAP_MOST)
        return true;
    complain("%s: --map %s: it is NAME=LOW:HIGH:COUNT with LOW below HIGH and 2 to %d values, for example "
             "theta=0.2:1.4:60",
             self->name, text, (int)MAP_MOST);
    return false;
}

static double axis_value(const map_axis *axis, int k)
{
    return axis->low + (axis->high - axis->low) * k / (axis->count - 1);
}

/* The scene with both values, and the contact that is nearest to trouble. */
static tp_status find_cell(const painleve_request *request, const map_axis *axes, int i, int k,
                           map_cell *cell, tp_message *why)
{
    const char *edits[OPTION_TEXTS_MAX + 2];
    char text[2][640];
    int count = request->edits->count, at[2] = {i, k};
    memcpy(edits, request->edits->text, (size_t)count * sizeof *edits);
    for (int a = 0; a < 2; ++a) {
        snprintf(text[a], sizeof text[a], "%s%s=%.17g",
                 strchr(axes[a].name, '.') != NULL ? "" : "parameters.", axes[a].name,
                 axis_value(&axes[a], at[a]));
        edits[count++] = text[a];
    }
    tp_scene *scene = NULL;
    tp_painleve *painleve = NULL;
    tp_slip_summary summary;
    *cell = (map_cell){.kind = MAP_NONE, .distance = NAN};
    tp_status status = tp_scene_read(NULL, request->path, edits, count, &scene, why);
    if (status == TP_OK) status = find_start(scene, &painleve, &summary, why);
    for (int c = 0; status == TP_OK && tp_painleve_slip(painleve, c) != NULL; ++c) {
        const tp_slip *s = tp_painleve_slip(painleve, c);
        if (cell->kind == MAP_NONE || (int)s->kind > cell->kind) cell->kind = (int)s->kind;
        if (!(s->distance >= cell->distance)) cell->distance = s->distance;
        cell->solutions = s->solution_count > cell->solutions ? s->solution_count : cell->solutions;
    }
    tp_slip_count together = {.count = -1};
    if (status == TP_OK && summary.contact_count > 1)
        status = tp_painleve_count(painleve, 0.0, &together, why);
    if (together.count >= 0) cell->solutions = together.count;
    tp_painleve_free(painleve);
    tp_scene_free(scene);
    return status;
}

/* Three strokes for each value of a kind, with gaps between values. */
static tp_status draw_map(const map_axis *axes, const map_cell *cells, const char *path, tp_message *why)
{
    enum { STROKES = 3, POINTS = 3 * STROKES };
    size_t most = (size_t)axes[0].count * (size_t)axes[1].count * POINTS;
    double *x = calloc(most * MAP_KINDS, sizeof *x), *y = calloc(most * MAP_KINDS, sizeof *y);
    if (x == NULL || y == NULL) {
        free(x);
        free(y);
        return TP_OUT_OF_MEMORY;
    }
    double dx = (axes[0].high - axes[0].low) / (axes[0].count - 1),
           dy = (axes[1].high - axes[1].low) / (axes[1].count - 1);
    tp_plot_series series[MAP_KINDS];
    tp_plot_key keys[MAP_KINDS];
    int used = 0;
    for (int kind = 0; kind < MAP_KINDS; ++kind) {
        double *px = x + most * (size_t)kind, *py = y + most * (size_t)kind;
        long long n = 0;
        for (int i = 0; i < axes[0].count; ++i) {
            for (int k = 0; k < axes[1].count; ++k) {
                if (cells[i * axes[1].count + k].kind != kind) continue;
                for (int s = 0; s < STROKES; ++s) {
                    double height = axis_value(&axes[1], k) + 0.3 * dy * (s - 1);
                    px[n] = axis_value(&axes[0], i) - 0.4 * dx, py[n++] = height;
                    px[n] = axis_value(&axes[0], i) + 0.4 * dx, py[n++] = height;
                    px[n] = NAN, py[n++] = NAN;
                }
            }
        }
        if (n == 0) continue;
        keys[used] = (tp_plot_key){kind_name(kind), {kind, 0}};
        series[used++] = (tp_plot_series){.x = px, .y = py, .count = n, .style = {kind, 0}};
    }
    const tp_plot_panel panel = {.title = "contacts that slide",
                                 .x_label = axes[0].name,
                                 .y_label = axes[1].name,
                                 .series = series,
                                 .series_count = used,
                                 .keys = keys,
                                 .key_count = used,
                                 .has_margin = true};
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = &panel;
    figure.panel_count = 1;
    tp_status status = tp_plot_write(NULL, &figure, path, why);
    free(x);
    free(y);
    return status;
}

/* A table as `tippe sweep` writes it, so that `tippe plot` makes maps of it. */
static tp_status write_table(const map_axis *axes, const map_cell *cells, const char *path, tp_message *why)
{
    enum { COLUMNS = 6, NAME_ROOM = 3 * sizeof axes[0].name + 8 };
    char name[2][NAME_ROOM];
    for (int a = 0; a < 2; ++a) {
        int used = snprintf(name[a], NAME_ROOM, "vary/");
        tp_column_escape(axes[a].name, name[a] + used, NAME_ROOM - (size_t)used);
    }
    const tp_table_column columns[COLUMNS] = {
        {"run", "", "number of the state"},
        {name[0], "", axes[0].name},
        {name[1], "", axes[1].name},
        {"result/kind", "", "0 sticks, 1 slides, 2 opens, 3 jams, 4 undecided, 5 no contact closed"},
        {"result/solutions", "", "number of solutions"},
        {"result/distance", "", "coupling over that without friction"}};
    tp_table_def def = tp_table_def_default();
    tp_trajectory_writer *writer = NULL;
    def.path = path, def.columns = columns, def.column_count = COLUMNS;
    tp_status status = tp_trajectory_writer_create(NULL, &def, &writer, why);
    if (status != TP_OK) return status;
    for (int n = 0; n < axes[0].count * axes[1].count && status == TP_OK; ++n) {
        const double row[COLUMNS] = {n,
                                     axis_value(&axes[0], n / axes[1].count),
                                     axis_value(&axes[1], n % axes[1].count),
                                     cells[n].kind,
                                     cells[n].solutions,
                                     cells[n].distance};
        status = tp_trajectory_writer_append(writer, row);
    }
    tp_status closed = tp_trajectory_writer_close(writer, NULL, 0, why);
    return status != TP_OK ? status : closed;
}

static tp_status write_map(const map_axis *axes, const map_cell *cells, const char *path, tp_message *why)
{
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcmp(dot, ".h5") == 0) return write_table(axes, cells, path, why);
    if (dot == NULL || strcmp(dot, ".csv") != 0) return draw_map(axes, cells, path, why);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        snprintf(why->text, sizeof why->text, "%.400s cannot be written", path);
        return TP_FILE_ERROR;
    }
    fprintf(file, "%s,%s,kind,solutions,distance\n", axes[0].name, axes[1].name);
    for (int i = 0; i < axes[0].count; ++i) {
        for (int k = 0; k < axes[1].count; ++k) {
            const map_cell *cell = &cells[i * axes[1].count + k];
            fprintf(file, "%.15g,%.15g,%s,%d,%.9g\n", axis_value(&axes[0], i), axis_value(&axes[1], k),
                    kind_name(cell->kind), cell->solutions, cell->distance);
        }
    }
    bool is_written = ferror(file) == 0;
    is_written = fclose(file) == 0 && is_written;
    return is_written ? TP_OK : TP_FILE_ERROR;
}

static void print_map(const painleve_request *request, const map_axis *axes, const map_cell *cells)
{
    int count[MAP_KINDS] = {0}, all = axes[0].count * axes[1].count;
    for (int n = 0; n < all; ++n) count[cells[n].kind]++;
    printf("scene    %s\nmap      %s, %s: %d states\n", request->path, axes[0].name, axes[1].name, all);
    for (int kind = 0; kind < MAP_KINDS; ++kind)
        if (count[kind] > 0) printf("  %-20s %d\n", kind_name(kind), count[kind]);
    if (request->output != NULL) printf("%s\n", request->output);
}

static exit_code check_map(const cli_verb *self, const painleve_request *request)
{
    map_axis axes[2];
    for (int a = 0; a < 2; ++a)
        if (!read_axis(self, request->axes->text[a], &axes[a])) return PROGRAM_BAD_INPUT;
    map_cell *cells = calloc((size_t)axes[0].count * (size_t)axes[1].count, sizeof *cells);
    tp_message why = {""};
    tp_status status = cells != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    for (int i = 0; i < axes[0].count && status == TP_OK; ++i) {
        for (int k = 0; k < axes[1].count && status == TP_OK; ++k)
            status = find_cell(request, axes, i, k, &cells[i * axes[1].count + k], &why);
    }
    if (status == TP_OK && request->output != NULL) status = write_map(axes, cells, request->output, &why);
    if (status == TP_OK) print_map(request, axes, cells);
    free(cells);
    return status == TP_OK ? PROGRAM_DONE : fail(self, status, &why);
}

exit_code painleve_check(const cli_verb *self, const painleve_request *request)
{
    size_t length = strlen(request->path);
    bool is_run = length > 3 && strcmp(request->path + length - 3, ".h5") == 0;
    if (request->axes->count != 0 && (request->axes->count != 2 || is_run || request->as_json)) {
        complain(
            "%s: --map needs a scene and two parameters, and prints no JSON (-o FILE.csv has all values)",
            self->name);
        return PROGRAM_BAD_INPUT;
    }
    if (request->output != NULL && request->axes->count == 0) {
        complain("%s: -o is the file of a map: add --map NAME=LOW:HIGH:COUNT twice", self->name);
        return PROGRAM_BAD_INPUT;
    }
    if (request->axes->count == 2) return check_map(self, request);
    return is_run ? check_run(self, request) : check_start(self, request);
}
