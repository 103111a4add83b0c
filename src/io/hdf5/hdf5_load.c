/* Loads an HDF5 file into a tree: opens it, walks its groups along hard links, keeps what is wrong with
   single objects as faults for the reader to judge. */
#define _POSIX_C_SOURCE 200809L
#include "io/hdf5/hdf5_load.h"

#include "io/common/text.h"
#include "io/common/whole_file.h"
#include "io/common/words.h"
#include "io/hdf5/quiet.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 8,      /* of groups in groups                                                       */
    MEMBER_BYTES = 16,  /* that a member of a group takes at least: a group may contain itself       */
    VISITS_ALWAYS = 64, /* small files                                                               */
    ATTEMPTS = 10,      /* of metadata that a writer may be changing, and of opening a growing file  */
    PATH_MAX_LENGTH = 4096
};

/* A node without values, but with the reason. */
static void set_fault(tp_hdf5_node *node, tp_hdf5_kind kind, const char *const *reason)
{
    *node = (tp_hdf5_node){.name = node->name,
                           .is_attribute = node->is_attribute,
                           .kind = kind,
                           .count = 1,
                           .texts = reason,
                           .text_bytes = strlen(reason[0]) + 1};
}

static void set_damaged(tp_hdf5_node *node)
{
    static const char *const damaged[] = {"is damaged"};
    set_fault(node, TP_HDF5_DAMAGED, damaged);
}

/* Adds a node, by default a fault ("is damaged") that is replaced when its values are loaded; NULL: no
   memory, loader->status is set. */
static tp_hdf5_node *add_node(tp_hdf5_loader *loader, const char *name, bool is_attribute)
{
    if ((double)++loader->visits > loader->file_bytes / MEMBER_BYTES + VISITS_ALWAYS) {
        loader->status =
            tp_fail(loader->why, TP_INVALID_DATA,
                    "%s: groups contain each other, or there are too many members", loader->request->path);
        return NULL;
    }
    const char *kept = tp_arena_text(&loader->tree->arena, name);
    tp_hdf5_node *node = kept ? tp_hdf5_tree_add(loader->tree) : NULL;
    if (!node) {
        tp_hdf5_loader_no_memory(loader);
        return NULL;
    }
    node->name = kept;
    node->is_attribute = is_attribute;
    set_damaged(node);
    return node;
}

bool tp_hdf5_loader_refuse(tp_hdf5_loader *loader, tp_hdf5_node *node, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char **reason = TP_ARENA_ARRAY(&loader->tree->arena, const char *, 1);
    if (reason) reason[0] = tp_arena_text(&loader->tree->arena, text);
    if (reason && reason[0]) set_fault(node, TP_HDF5_FOREIGN, reason);
    return false;
}

static herr_t take_attribute(hid_t object, const char *name, const H5A_info_t *info, void *self)
{
    tp_hdf5_loader *loader = self;
    (void)info;
    tp_hdf5_node *node = add_node(loader, name, true);
    if (!node) return -1;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute >= 0) {
        tp_hdf5_load_values(loader, attribute, node);
        H5Aclose(attribute);
    }
    return loader->status == TP_OK ? 0 : -1;
}

/* In the order they were made; in that of their names where the file does not know it. False if the list of
   attributes is damaged. */
static bool load_attributes(tp_hdf5_loader *loader, hid_t object)
{
    int first = loader->tree->count;
    hsize_t start = 0;
    H5E_auto2_t handler;
    void *context;
    H5Eget_auto2(H5E_DEFAULT, &handler, &context); /* an order that is not known is not a failure */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    herr_t result = H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, &start, take_attribute, loader);
    H5Eset_auto2(H5E_DEFAULT, handler, context);
    if (result >= 0 || loader->status != TP_OK) return result >= 0;
    start = 0;
    loader->tree->count = first;
    return H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &start, take_attribute, loader) >= 0;
}

static herr_t take_link(hid_t group, const char *name, const H5L_info_t *info, void *self);

/* False if the group is damaged. */
static bool load_members(tp_hdf5_loader *loader, hid_t group, const char *path)
{
    char prefix[PATH_MAX_LENGTH];
    const char *before = loader->group;
    hsize_t start = 0;
    int length = snprintf(prefix, sizeof prefix, "%s%s", path, strcmp(path, "/") == 0 ? "" : "/");
    if (length >= PATH_MAX_LENGTH || loader->depth >= DEPTH_MAX) {
        loader->status = tp_fail(loader->why, TP_INVALID_DATA, "%s: %s: groups lie deeper than %d levels",
                                 loader->request->path, path, DEPTH_MAX);
        return false;
    }
    loader->depth++;
    loader->group = prefix;
    herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &start, take_link, loader);
    loader->group = before;
    loader->depth--;
    return result >= 0;
}

/* An object that was opened, with its attributes and members. Adding nodes moves nodes: found by number. */
static void load_object(tp_hdf5_loader *loader, hid_t object, const char *path)
{
    int place = loader->tree->count;
    tp_hdf5_node *node = add_node(loader, path, false);
    if (!node || object < 0) return;
    H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_GROUP) {
        *node = (tp_hdf5_node){.name = node->name, .kind = TP_HDF5_GROUP};
    } else if (kind == H5I_DATASET) {
        tp_hdf5_load_values(loader, object, node);
    } else {
        tp_hdf5_loader_refuse(loader, node, "is neither a group nor a data set");
        return;
    }
    bool is_sound = loader->status == TP_OK && load_attributes(loader, object);
    if (loader->status == TP_OK && kind == H5I_GROUP)
        is_sound = load_members(loader, object, path) && is_sound;
    if (loader->status == TP_OK && !is_sound) set_damaged(&loader->tree->nodes[place]);
}

/* Nothing outside of this file: only hard links are followed. */
static void load_link(tp_hdf5_loader *loader, hid_t group, const char *name, const char *path,
                      H5L_type_t type)
{
    if (type != H5L_TYPE_HARD) {
        tp_hdf5_node *node = add_node(loader, path, false);
        if (node) tp_hdf5_loader_refuse(loader, node, "is a link to another place, which is not followed");
        return;
    }
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    load_object(loader, object, path);
    if (object >= 0) H5Oclose(object);
}

static herr_t take_link(hid_t group, const char *name, const H5L_info_t *info, void *self)
{
    tp_hdf5_loader *loader = self;
    char path[PATH_MAX_LENGTH];
    int length = snprintf(path, sizeof path, "%s%s", loader->group, name);
    if (length >= PATH_MAX_LENGTH) return 0; /* no reader asks for such a name */
    bool is_loaded =
        loader->request->part_count > 0 &&
        tp_find_name(loader->request->parts, sizeof *loader->request->parts, loader->part, path) >= 0;
    if (!is_loaded) load_link(loader, group, name, path, info->type); /* else an earlier part was it */
    return loader->status == TP_OK ? 0 : -1;
}

/* A file that is being written grows. */
static void measure_file(tp_hdf5_loader *loader)
{
    struct stat info;
    if (!loader->request->bytes && stat(loader->request->path, &info) == 0) {
        loader->file_bytes = fmax(loader->file_bytes, (double)info.st_size);
    }
}

/* The path of a part, link by link: nothing if it is not there. */
static void load_part(tp_hdf5_loader *loader, const char *path)
{
    char before[PATH_MAX_LENGTH];
    H5L_info_t info = {.type = H5L_TYPE_HARD};
    for (const char *slash = path; path[1] != 0 && slash; slash = strchr(slash + 1, '/')) {
        const char *end = strchr(slash + 1, '/');
        snprintf(before, sizeof before, "%.*s", end ? (int)(end - path) : (int)strlen(path), path);
        if (H5Lexists(loader->file, before, H5P_DEFAULT) <= 0) return;
        if (H5Lget_info(loader->file, before, &info, H5P_DEFAULT) < 0) return;
        if (info.type != H5L_TYPE_HARD) break;
    }
    load_link(loader, loader->file, path, path, info.type);
}

static tp_status load_parts(tp_hdf5_loader *loader)
{
    static const char *const whole[] = {"/"};
    const tp_hdf5_request *request = loader->request;
    int count = request->part_count > 0 ? request->part_count : 1;
    const char *const *parts = request->part_count > 0 ? request->parts : whole;
    for (loader->part = 0; loader->part < count && loader->status == TP_OK; loader->part++) {
        measure_file(loader);
        load_part(loader, parts[loader->part]);
    }
    return loader->status;
}

/* A file that is being written, or was when its writer died, opens only for readers of that mode; older files
   and copies made by other programs only without it. */
static hid_t open_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return access;
    H5Pset_metadata_read_attempts(access, ATTEMPTS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (file < 0) file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Pclose(access);
    return file;
}

/* If the writer closes the file just now, the library compares an old size with a new head and calls the file
   cut: then once more. */
static hid_t open_patiently(const char *path)
{
    struct stat before, after;
    hid_t file = H5I_INVALID_HID;
    for (int attempt = 0; attempt < ATTEMPTS && file < 0; attempt++) {
        if (stat(path, &before) != 0) break;
        file = open_file(path);
        bool is_same =
            stat(path, &after) == 0 && after.st_size == before.st_size && after.st_ino == before.st_ino;
        if (is_same) break;
    }
    return file;
}

static hid_t open_bytes(const tp_hdf5_request *request)
{
    char name[64]; /* its own: the driver takes files of the same name for the same file */
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access < 0) return file;
    snprintf(name, sizeof name, "/dev/null/tippe-%p", (const void *)request);
    void *bytes = (void *)(uintptr_t)request->bytes; /* copied by the library */
    if (H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
        H5Pset_file_image(access, bytes, request->byte_count) >= 0) {
        file = H5Fopen(name, H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    return file;
}

/* The operating system is asked first: its reasons are clearer than the library's. */
static tp_status look_at_file(tp_hdf5_loader *loader)
{
    const char *path = loader->request->path;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return tp_file_fail(loader->why, "open", path);
    struct stat info;
    unsigned char start[8] = {0};
    tp_status status = TP_OK;
    if (fstat(file, &info) != 0 || (S_ISREG(info.st_mode) && pread(file, start, sizeof start, 0) < 0)) {
        status = tp_file_fail(loader->why, "read", path);
    } else if (!S_ISREG(info.st_mode)) {
        status = tp_fail(loader->why, TP_FILE_ERROR, "cannot read %s: it is %s, and HDF5 needs a file", path,
                         S_ISDIR(info.st_mode) ? "a directory" : "a device or a pipe");
    } else if (!tp_hdf5_is(start, sizeof start)) {
        status = tp_fail(loader->why, TP_INVALID_DATA, "%s: is not an HDF5 file", path);
    }
    loader->file_bytes = (double)info.st_size;
    close(file);
    return status;
}

static tp_status load_file(tp_hdf5_loader *loader)
{
    const tp_hdf5_request *request = loader->request;
    loader->file_bytes = (double)request->byte_count;
    if (!request->bytes) TP_TRY(look_at_file(loader));
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    loader->file = request->bytes ? open_bytes(request) : open_patiently(request->path);
    tp_status status = loader->file >= 0 ? load_parts(loader)
                                         : tp_fail(loader->why, TP_INVALID_DATA,
                                                   "%s: damaged or cut HDF5 file (%.0f bytes): %s",
                                                   request->path, loader->file_bytes, quiet.text);
    if (loader->file >= 0) H5Fclose(loader->file);
    tp_hdf5_quiet_leave(&quiet);
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)quiet.printer, quiet.context); /* also after a failure */
    return status;
}

tp_status tp_hdf5_load(const tp_allocator *allocator, const tp_hdf5_request *request, tp_hdf5_tree **tree_out,
                       tp_message *why_out)
{
    *tree_out = NULL;
    tp_hdf5_tree *tree = tp_hdf5_tree_make(allocator, request->path);
    if (!tree) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to read %s", request->path);
    tp_hdf5_loader loader = {
        .tree = tree, .request = request, .file = H5I_INVALID_HID, .group = "/", .why = why_out};
    tp_status status = load_file(&loader);
    if (status != TP_OK) tp_hdf5_free(tree);
    *tree_out = status == TP_OK ? tree : NULL;
    return status;
}
