/* Frames of a motion and the index that ParaView opens. A frame is renamed into place before the index names
   it, so that the index never names what is not there. */
#define _XOPEN_SOURCE 700
#include "tippe/paraview.h"
#include "tippe/multibody.h"
#include "tippe/states.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/common/c_locale.h"
#include "io/common/whole_file.h"
#include "io/common/words.h"
#include "io/output/column_path.h"
#include "io/output/format.h"
#include "io/output/recorder.h"
#include "io/output/run_tables.h"
#include "vtp.h"

/* The index is written with every frame up to so many, then when a part of them is new or so much time has
   passed: otherwise its bytes would grow with the square of the number of frames. */
enum { FRAMES_ALWAYS_NAMED = 1000, NAMED_PART = 64, FRAMES_MAX = 1000000, SEGMENTS = 32, NAME_LENGTH = 32 };
static const double index_seconds = 1.0;

struct tp_paraview {
    tp_arena arena; /* the writer itself lies in it */
    const tp_model *model;
    tp_drawer *drawer;
    tp_vtp vtp;
    char *folder, *index_path, *frame_path; /* frame_path: of the last frame, with room for its name */
    const char *folder_name;                /* as the index names it, "" or ending in a slash      */
    tp_text index;                          /* without its last lines                                */
    long long frame_count, named_count;
    double named_at; /* [s] */
    int coordinate_count, state_count;
    int *q_columns, *x_columns; /* of each coordinate and of each first-order state */
    double *q, *x;
    int law_count, *law_columns; /* [3 laws] of each one's impulses in the last step; -1: not there */
    int step_column;             /* -1: not there                                         */
    const char **law_names;      /* [laws, then rules] */
    double *law_forces;
    int rule_count;
    tp_contact_mark *marks; /* [mark_capacity] */
    int mark_capacity;
    tp_table_column *columns;
    int column_count;
    tp_status status; /* of the first failure */
    tp_message message;
};

static const char index_end[] = "</Collection>\n</VTKFile>\n";

tp_vtk_frame tp_vtk_frame_default(void)
{
    return (tp_vtk_frame){.segments = SEGMENTS};
}

tp_status tp_vtk_frame_write(const tp_vtk_frame *frame, const char *path, tp_message *why_out)
{
    tp_vtp vtp;
    tp_vtp_init(&vtp, NULL);
    tp_status status = tp_vtp_encode(&vtp, frame, why_out);
    if (status == TP_OK) status = tp_file_write(path, vtp.text.bytes, vtp.text.count, why_out);
    tp_vtp_clear(&vtp);
    return status;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

static tp_status copy_columns(tp_paraview *p, const tp_table_column *columns, int count, tp_message *why)
{
    if (count < 1 || strcmp(columns[0].name, "time") != 0)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the first column must be \"time\"");
    p->columns = TP_ARENA_ARRAY(&p->arena, tp_table_column, count);
    for (int i = 0; i < count && p->columns; i++)
        p->columns[i] = (tp_table_column){.name = tp_arena_text(&p->arena, columns[i].name)};
    p->column_count = count;
    return p->arena.has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the columns") : TP_OK;
}

static tp_status find_column(const tp_name_index *names, const char *group, const char *name, int *column_out,
                             tp_message *why)
{
    *column_out = tp_column_find(names, group, name, "");
    if (*column_out >= 0) return TP_OK;
    return tp_fail(why, TP_INVALID_ARGUMENT,
                   "there is no column \"%s/%.400s\": drawing needs all coordinates and states of the model",
                   group, name);
}

static tp_status find_columns(tp_paraview *p, tp_message *why)
{
    static const char *const directions[3] = {"last_impulse_N", "last_impulse_T1", "last_impulse_T2"};
    static const char *const rows[3] = {"last_impulse_1", "last_impulse_2", "last_impulse_3"};
    tp_model_summary summary = tp_model_summarise(p->model);
    p->coordinate_count = summary.coordinate_count, p->state_count = tp_model_state_count(p->model);
    p->law_count = summary.law_count;
    p->q_columns = TP_ARENA_ARRAY(&p->arena, int, p->coordinate_count + 1);
    p->q = TP_ARENA_ARRAY(&p->arena, double, p->coordinate_count + 1);
    p->x_columns = TP_ARENA_ARRAY(&p->arena, int, p->state_count + 1);
    p->x = TP_ARENA_ARRAY(&p->arena, double, p->state_count + 1);
    p->rule_count = summary.rule_count;
    p->law_columns = TP_ARENA_ARRAY(&p->arena, int, 3 * p->law_count + 1);
    p->law_names = TP_ARENA_ARRAY(&p->arena, const char *, p->law_count + p->rule_count + 1);
    p->law_forces = TP_ARENA_ARRAY(&p->arena, double, p->law_count + p->rule_count + 1);
    tp_name_index names;
    tp_status status = tp_column_index(&p->arena, p->columns, p->column_count, &names);
    if (status != TP_OK || tp_arena_status(&p->arena) != TP_OK)
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the columns");
    for (int i = 0; i < p->coordinate_count; i++)
        TP_TRY(find_column(&names, "q", tp_model_coordinate_name(p->model, i), &p->q_columns[i], why));
    for (int i = 0; i < p->state_count; i++)
        TP_TRY(find_column(&names, "x", tp_model_state_name(p->model, i), &p->x_columns[i], why));
    p->step_column = tp_column_find(&names, "step", "size", "");
    for (int i = 0; i < p->law_count; i++) {
        p->law_names[i] = tp_model_law_name(p->model, i);
        for (int k = 0; k < 3; k++) {
            int *column = &p->law_columns[3 * i + k];
            *column = tp_column_find(&names, "law", p->law_names[i], directions[k]);
            if (*column < 0) *column = tp_column_find(&names, "law", p->law_names[i], rows[k]);
        }
    }
    for (int i = 0; i < p->rule_count; i++) p->law_names[p->law_count + i] = tp_model_rule_name(p->model, i);
    return TP_OK;
}

/* ---- places -------------------------------------------------------------------------------------------- */

/* The index and the folder of the frames. */
static tp_status choose_paths(tp_paraview *p, const char *path, tp_message *why)
{
    bool is_index = tp_path_ends(path, ".pvd");
    size_t length = strlen(path), stem = is_index ? length - strlen(".pvd") : length;
    while (!is_index && stem > 1 && path[stem - 1] == '/') stem--;
    p->folder = tp_arena_format(&p->arena, "%.*s", (int)stem, path);
    const char *last = p->folder ? tp_last_part(p->folder) : path;
    if (*last == '\0')
        return tp_fail(why, TP_INVALID_ARGUMENT, "'%s' names no folder and no index NAME.pvd", path);
    p->frame_path = TP_ARENA_ARRAY(&p->arena, char, length + 2 * NAME_LENGTH);
    p->index_path =
        is_index ? tp_arena_text(&p->arena, path) : tp_arena_format(&p->arena, "%s/motion.pvd", p->folder);
    p->folder_name = is_index ? tp_arena_format(&p->arena, "%s/", last) : "";
    return p->arena.has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the path") : TP_OK;
}

/* frame-000123.vtp */
static bool is_frame_name(const char *name)
{
    static const char before[] = "frame-", after[] = ".vtp";
    if (strncmp(name, before, sizeof before - 1) != 0) return false;
    size_t digits = strspn(name + sizeof before - 1, "0123456789");
    return digits >= 6 && strcmp(name + sizeof before - 1 + digits, after) == 0;
}

/* Frames of an earlier motion would otherwise be taken for the end of this one. */
static tp_status clear_folder(const tp_paraview *p, tp_message *why)
{
    char path[4096];
    DIR *folder = opendir(p->folder);
    if (!folder) return tp_file_fail(why, "read", p->folder);
    tp_status status = TP_OK;
    for (struct dirent *entry; status == TP_OK && (entry = readdir(folder)) != NULL;) {
        if (!is_frame_name(entry->d_name)) continue;
        int length = snprintf(path, sizeof path, "%s/%s", p->folder, entry->d_name);
        if (length >= (int)sizeof path) {
            status = tp_fail(why, TP_FILE_ERROR, "the path %s is too long", p->folder);
        } else if (unlink(path) != 0) {
            status = tp_file_fail(why, "replace", path);
        }
    }
    closedir(folder);
    return status;
}

static tp_status write_index(tp_paraview *p, tp_message *why)
{
    size_t count = p->index.count;
    tp_text_add(&p->index, "%s", index_end);
    if (p->index.has_failed) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the index");
    tp_status status = tp_file_write_quickly(p->index_path, p->index.bytes, p->index.count, why);
    p->index.count = count;
    p->named_count = p->frame_count;
    p->named_at = tp_wall_seconds();
    return status;
}

static tp_status open_places(tp_paraview *p, tp_message *why)
{
    if (mkdir(p->folder, 0777) != 0 && errno != EEXIST)
        return tp_file_fail(why, "make the folder", p->folder);
    tp_text_add(&p->index,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"%s\">\n"
                "<Collection>\n",
                tp_vtk_byte_order());
    TP_TRY(write_index(p, why)); /* an empty one: the old frames go next */
    return clear_folder(p, why);
}

/* ---- the writer ---------------------------------------------------------------------------------------- */

static void release(tp_paraview *p)
{
    tp_arena arena = p->arena;
    tp_drawer_free(p->drawer);
    tp_vtp_clear(&p->vtp);
    tp_text_clear(&p->index);
    tp_arena_clear(&arena);
}

static tp_status set_up(tp_paraview *p, const tp_allocator *allocator, const char *path,
                        const tp_table_column *columns, int column_count, tp_message *why)
{
    if (tp_drawer_create(allocator, p->model, &p->drawer) != TP_OK)
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory to draw the model");
    if (tp_drawer_count(p->drawer) == 0) {
        return tp_fail(
            why, TP_INVALID_ARGUMENT,
            "nothing to draw: the model has no drawings (section `draw` of a scene) and no bodies");
    }
    TP_TRY(copy_columns(p, columns, column_count, why));
    TP_TRY(find_columns(p, why));
    TP_TRY(choose_paths(p, path, why));
    return open_places(p, why);
}

tp_status tp_paraview_create(const tp_allocator *allocator, const tp_model *model, const char *path,
                             const tp_table_column *columns, int column_count, tp_paraview **paraview_out,
                             tp_message *why_out)
{
    *paraview_out = NULL;
    tp_paraview *p = TP_ARENA_OBJECT(tp_paraview, allocator);
    if (p == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a writer");
    p->model = model;
    tp_vtp_init(&p->vtp, allocator);
    tp_status status = set_up(p, allocator, path, columns, column_count, why_out);
    if (status != TP_OK) release(p);
    *paraview_out = status == TP_OK ? p : NULL;
    return status;
}

/* Force of a law's row k; NaN: not known. */
static double force_in(const tp_paraview *p, const double *row, int law, int k)
{
    double step = p->step_column >= 0 ? row[p->step_column] : NAN;
    int column = p->law_columns[3 * law + k];
    return step > 0.0 && column >= 0 ? row[column] / step : NAN;
}

static void read_row(tp_paraview *p, const double *row)
{
    for (int i = 0; i < p->coordinate_count; i++) p->q[i] = row[p->q_columns[i]];
    for (int i = 0; i < p->state_count; i++) p->x[i] = row[p->x_columns[i]];
    for (int i = 0; i < p->law_count; i++) p->law_forces[i] = force_in(p, row, i, 0);
    for (int i = 0; i < p->rule_count; i++)
        p->law_forces[p->law_count + i] = NAN; /* each contact has its own */
}

static bool has_room(tp_paraview *p, int count)
{
    if (count <= p->mark_capacity) return true;
    p->mark_capacity = 2 * count;
    p->marks = TP_ARENA_ARRAY(&p->arena, tp_contact_mark, p->mark_capacity);
    return p->marks != NULL;
}

/* Contact points of shapes that press on each other; returns their number. */
static int mark_contacts(tp_paraview *p, const double *row, const tp_restart_contact *contacts, int count)
{
    double step = p->step_column >= 0 ? row[p->step_column] : NAN;
    int marked = 0;
    for (int i = 0; i < count && step > 0.0; i++) {
        tp_contact_place place;
        if (!(contacts[i].impulse[0] > 0.0) ||
            !tp_drawer_contact(p->drawer, contacts[i].shape_a, contacts[i].shape_b, contacts[i].feature,
                               &place))
            continue;
        tp_contact_mark mark = {.law = p->law_count + place.rule,
                                .point = place.point,
                                .normal_force = contacts[i].impulse[0] / step};
        for (int k = 0; k < place.direction_count; k++)
            mark.force = tp_vec3_add_scaled(mark.force, contacts[i].impulse[k] / step, place.direction[k]);
        p->marks[marked++] = mark;
    }
    return marked;
}

static tp_status write_frame(tp_paraview *p, const double *row, const tp_restart_contact *contacts, int count)
{
    if (p->frame_count >= FRAMES_MAX) {
        return tp_fail(&p->message, TP_INVALID_ARGUMENT,
                       "more than %d frames for ParaView: choose a longer time between frames", FRAMES_MAX);
    }
    if (!has_room(p, count)) return tp_fail(&p->message, TP_OUT_OF_MEMORY, "no memory for the contacts");
    read_row(p, row);
    tp_vtk_frame frame = tp_vtk_frame_default();
    frame.primitives = tp_drawer_draw(p->drawer, row[0], p->q, p->x, &frame.primitive_count);
    frame.contacts = p->marks, frame.contact_count = mark_contacts(p, row, contacts, count);
    frame.law_names = p->law_names, frame.law_forces = p->law_forces,
    frame.law_count = p->law_count + p->rule_count;
    frame.columns = p->columns, frame.row = row, frame.column_count = p->column_count;
    TP_TRY(tp_vtp_encode(&p->vtp, &frame, &p->message));
    char name[NAME_LENGTH];
    snprintf(name, sizeof name, "frame-%06lld.vtp", p->frame_count);
    snprintf(p->frame_path, strlen(p->folder) + NAME_LENGTH + 2, "%s/%s", p->folder, name);
    TP_TRY(tp_file_write_quickly(p->frame_path, p->vtp.text.bytes, p->vtp.text.count, &p->message));
    p->frame_count++;
    tp_text_add(&p->index, "<DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"", row[0]);
    tp_xml_add(&p->index, p->folder_name);
    tp_text_add(&p->index, "%s\"/>\n", name);
    return TP_OK;
}

static bool is_index_due(const tp_paraview *p)
{
    return p->frame_count <= FRAMES_ALWAYS_NAMED ||
           (p->frame_count - p->named_count) * NAMED_PART >= p->frame_count ||
           tp_wall_seconds() - p->named_at >= index_seconds;
}

tp_status tp_paraview_append(tp_paraview *p, const double *row, const tp_restart_contact *contacts,
                             int contact_count)
{
    if (p->status != TP_OK) return p->status;
    tp_c_locale locale;
    p->status = tp_c_locale_enter(&locale, &p->message);
    if (p->status != TP_OK) return p->status;
    p->status = write_frame(p, row, contacts, contact_count);
    if (p->status == TP_OK && is_index_due(p)) p->status = write_index(p, &p->message);
    tp_c_locale_leave(&locale);
    return p->status;
}

long long tp_paraview_frame_count(const tp_paraview *paraview)
{
    return paraview->frame_count;
}

const char *tp_paraview_index_path(const tp_paraview *paraview)
{
    return paraview->index_path;
}

tp_status tp_paraview_close(tp_paraview *p, tp_message *why_out)
{
    if (!p) return TP_OK;
    tp_status status = p->status;
    if (p->named_count < p->frame_count) { /* also after a failure: what is there is named */
        tp_message why = {""};
        tp_status written = write_index(p, &why);
        if (status == TP_OK && written != TP_OK) status = tp_fail(&p->message, written, "%s", why.text);
    }
    if (status != TP_OK) tp_fail(why_out, status, "%s", p->message.text);
    release(p);
    return status;
}

/* ---- from a file --------------------------------------------------------------------------------------- */

/* The contacts of a row from their table, where the run has one. */
static tp_status read_contacts(tp_paraview *p, const tp_trajectory *trajectory, long long row,
                               tp_arena *scratch, const tp_restart_contact **contacts_out, int *count_out)
{
    const tp_table *contacts = tp_trajectory_table(trajectory, "contacts");
    *count_out = 0;
    if (contacts == NULL) return TP_OK;
    return tp_output_tables_restore(scratch, contacts, row, contacts_out, count_out, &p->message);
}

static tp_status export_rows(tp_paraview *p, const tp_trajectory *trajectory, double every, double *row,
                             tp_arena *scratch)
{
    const double *time = trajectory->values[0];
    long long count = trajectory->row_count;
    tp_schedule frames = {.every = every};
    for (long long k = 0; k < count; k++) {
        double step = k + 1 < count ? time[k + 1] - time[k] : 0.0;
        const tp_restart_contact *contacts = NULL;
        int contact_count;
        if (!tp_schedule_is_due(&frames, time[k], step) && k + 1 < count) continue;
        for (int i = 0; i < trajectory->column_count; i++) row[i] = trajectory->values[i][k];
        tp_arena_reset(scratch, 0);
        TP_TRY(read_contacts(p, trajectory, k, scratch, &contacts, &contact_count));
        TP_TRY(tp_paraview_append(p, row, contacts, contact_count));
    }
    return TP_OK;
}

tp_status tp_paraview_export(const tp_allocator *allocator, const tp_trajectory *trajectory,
                             const tp_model *model, const char *path, double every,
                             long long *frame_count_out, tp_message *why_out)
{
    *frame_count_out = 0;
    if (!(every >= 0.0 && isfinite(every)))
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "a frame every %g s: must be 0 or positive", every);
    tp_paraview *p;
    TP_TRY(tp_paraview_create(allocator, model, path, trajectory->columns, trajectory->column_count, &p,
                              why_out));
    double *row = TP_ARENA_ARRAY(&p->arena, double, trajectory->column_count);
    if (!row) {
        p->status = tp_fail(&p->message, TP_OUT_OF_MEMORY, "no memory for a row");
    } else {
        tp_arena scratch = tp_arena_make(allocator);
        tp_status status = export_rows(p, trajectory, every, row, &scratch);
        tp_arena_clear(&scratch);
        if (p->status == TP_OK) p->status = status;
    }
    *frame_count_out = p->frame_count;
    return tp_paraview_close(p, why_out);
}
