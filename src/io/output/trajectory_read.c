/* Reads HDF5 trajectories of version 2, also of writers that still write or were killed; docs/output.md. The
   file comes as a tree, of which nothing is trusted. */
#define _POSIX_C_SOURCE 200809L
#include "io/output/trajectory_parts.h"

#include "io/common/words.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    FORMAT_VERSION = 2,
    ATTEMPTS = 10, /* of a whole file that a writer has open, and the time between them */
    PAUSE_NANOSECONDS = 2000000,
    RECENT_SECONDS = 2
};

tp_status tp_reading_no_memory(const tp_reading *r)
{
    return tp_fail(r->why, TP_OUT_OF_MEMORY, "no memory to read %s", r->path);
}

bool tp_reading_number(const tp_reading *r, const tp_hdf5_node *object, const char *name, double *number_out)
{
    const tp_hdf5_node *found = tp_hdf5_attribute(r->tree, object, name);
    if (!found || !tp_hdf5_is_numeric(found) || found->count != 1) return false;
    *number_out = found->numbers[0];
    return true;
}

const char *tp_reading_text(const tp_reading *r, const tp_hdf5_node *object, const char *name)
{
    const tp_hdf5_node *found = tp_hdf5_attribute(r->tree, object, name);
    return found && found->kind == TP_HDF5_TEXTS && found->count == 1 ? found->texts[0] : "";
}

static tp_status read_format(const tp_reading *r, const tp_hdf5_node *root)
{
    double version = 0.0;
    if (strcmp(tp_reading_text(r, root, "format"), "tippe trajectory") != 0) {
        return tp_reading_fail(r, "not a Tippe trajectory: the attribute \"format\" is missing");
    }
    if (!tp_reading_number(r, root, "format_version", &version)) {
        return tp_reading_fail(r, "not a Tippe trajectory: the attribute \"format_version\" is missing");
    }
    if (version == FORMAT_VERSION) return TP_OK;
    if (version < FORMAT_VERSION) {
        return tp_reading_fail(
            r, "was written by an older Tippe (format version %g, this one reads %d): run its scene again",
            version, FORMAT_VERSION);
    }
    return tp_reading_fail(r, "was written by a newer Tippe (format version %g, this one reads %d)", version,
                           FORMAT_VERSION);
}

/* All attributes that are one text or one number, in their order, but for one. */
static tp_status read_attributes(const tp_reading *r, const tp_hdf5_node *object, const char *without,
                                 const tp_table_attribute **list_out, int *count_out)
{
    int count = 0;
    for (const tp_hdf5_node *a = object; (a = tp_hdf5_next_attribute(r->tree, a));) count++;
    tp_table_attribute *list = TP_ARENA_ARRAY(r->arena, tp_table_attribute, count);
    if (!list) return tp_reading_no_memory(r);
    count = 0;
    for (const tp_hdf5_node *a = object; (a = tp_hdf5_next_attribute(r->tree, a));) {
        bool is_number = tp_hdf5_is_numeric(a), is_text = a->kind == TP_HDF5_TEXTS;
        if (a->count != 1 || !(is_number || is_text) || strcmp(a->name, without) == 0) continue;
        list[count] = (tp_table_attribute){.name = tp_arena_text(r->arena, a->name),
                                           .text = is_text ? tp_arena_text(r->arena, a->texts[0]) : NULL,
                                           .number = is_number ? a->numbers[0] : 0.0};
        if (!list[count].name || (is_text && !list[count].text)) return tp_reading_no_memory(r);
        count++;
    }
    *list_out = list;
    *count_out = count;
    return TP_OK;
}

/* The summary is written last: if it cannot be read, the writer was killed on the way. */
static tp_status read_summary(const tp_reading *r, tp_trajectory *trajectory)
{
    double finished = 0.0;
    const tp_hdf5_node *group = tp_hdf5_find(r->tree, "/summary");
    if (!group || group->kind != TP_HDF5_GROUP) return TP_OK;
    trajectory->is_finished = tp_reading_number(r, group, "finished", &finished) && finished == 1.0;
    if (!trajectory->is_finished) return TP_OK;
    return read_attributes(r, group, "finished", &trajectory->summary, &trajectory->summary_count);
}

/* /rows counts columns and tables: one that damage has hidden is noticed. */
static tp_status check_counts(const tp_reading *r, const tp_trajectory *trajectory)
{
    double columns = 0.0;
    const tp_hdf5_node *rows = tp_hdf5_find(r->tree, "/rows");
    if (!rows || !tp_reading_number(r, rows, "columns", &columns))
        return tp_reading_fail(r, "damaged: the number of columns is missing");
    if (columns == trajectory->column_count && rows->count == 1 + trajectory->table_count) return TP_OK;
    return tp_reading_fail(r, "damaged: %d of %g columns and %d of %lld tables are there",
                           trajectory->column_count, columns, trajectory->table_count, rows->count - 1);
}

static tp_status read_tree(const tp_reading *r, tp_trajectory *trajectory)
{
    const tp_hdf5_node *root = tp_hdf5_find(r->tree, "/");
    if (!root || root->kind != TP_HDF5_GROUP) return tp_reading_fail(r, "the root group is damaged");
    TP_TRY(read_format(r, root));
    TP_TRY(tp_reading_columns(r, trajectory));
    TP_TRY(tp_reading_tables(r, trajectory));
    TP_TRY(check_counts(r, trajectory));
    TP_TRY(read_attributes(r, root, "", &trajectory->attributes, &trajectory->attribute_count));
    trajectory->scene_text = tp_arena_text(r->arena, tp_reading_text(r, root, "scene"));
    if (!trajectory->scene_text) return tp_reading_no_memory(r);
    return read_summary(r, trajectory);
}

/* The public struct and the memory it lies in. */
typedef struct whole {
    tp_trajectory trajectory;
    tp_arena arena;
} whole;

static tp_status read_once(const tp_allocator *allocator, const tp_hdf5_source *source, const char *path,
                           tp_trajectory **trajectory_out, tp_message *why_out)
{
    static const char *const parts[] = {"/rows", "/"}; /* the rest may grow after the rows were counted */
    const tp_hdf5_request request = {.path = path, .parts = parts, .part_count = 2};
    tp_hdf5_tree *tree;
    *trajectory_out = NULL;
    TP_TRY(tp_hdf5_load_from(source, allocator, &request, &tree, why_out));
    whole *all = TP_ARENA_OBJECT(whole, allocator);
    tp_reading r = {.arena = all ? &all->arena : NULL, .tree = tree, .path = path, .why = why_out};
    tp_status status = all ? read_tree(&r, &all->trajectory) : tp_reading_no_memory(&r);
    tp_hdf5_free(tree);
    if (status == TP_OK)
        *trajectory_out = &all->trajectory;
    else if (all)
        tp_arena_clear(&all->arena);
    return status;
}

/* The head of a file says whether a writer has it open (or died with it open): the flags after version and
   sizes. Only a file that was written to just now can be in between. */
static bool is_being_written(const char *path)
{
    unsigned char head[12] = {0};
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    bool is_recent = fstat(fileno(file), &info) == 0 && info.st_mtime >= time(NULL) - RECENT_SECONDS;
    size_t count = fread(head, 1, sizeof head, file);
    fclose(file);
    return is_recent && tp_hdf5_is(head, count) && head[8] >= 3 && head[11] != 0;
}

/* A file that grows while it is read may look damaged for a moment, between two writes that belong together.
 */
tp_status tp_trajectory_read_from(const tp_allocator *allocator, const tp_hdf5_source *source,
                                  const char *path, tp_trajectory **trajectory_out, tp_message *why_out)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NANOSECONDS};
    tp_status status = read_once(allocator, source, path, trajectory_out, why_out);
    for (int k = 0; k < ATTEMPTS && status == TP_INVALID_DATA && is_being_written(path); k++) {
        nanosleep(&pause, NULL);
        status = read_once(allocator, source, path, trajectory_out, why_out);
    }
    return status;
}

tp_status tp_trajectory_read(const tp_allocator *allocator, const char *path, tp_trajectory **trajectory_out,
                             tp_message *why_out)
{
    return tp_trajectory_read_from(allocator, NULL, path, trajectory_out, why_out);
}

void tp_trajectory_free(tp_trajectory *trajectory)
{
    if (trajectory) tp_arena_clear(&((whole *)trajectory)->arena);
}

int tp_trajectory_find(const tp_trajectory *trajectory, const char *name)
{
    return TP_FIND(trajectory->columns, trajectory->column_count, name, name);
}

const tp_table *tp_trajectory_table(const tp_trajectory *trajectory, const char *name)
{
    int found = TP_FIND(trajectory->tables, trajectory->table_count, name, name);
    return found >= 0 ? &trajectory->tables[found] : NULL;
}

int tp_table_find(const tp_table *table, const char *name)
{
    return TP_FIND(table->columns, table->column_count, name, name);
}
