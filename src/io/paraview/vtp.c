/* VTK's XML format: every array is one base64 stream of a 64-bit length and the numbers as they lie in
   memory. The cells of all data arrays come in the order verts, lines, polygons. */
#include "vtp.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io/common/base64.h"
#include "io/common/utf8.h"

const char *tp_vtk_byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? "LittleEndian" : "BigEndian";
}

void tp_xml_add(tp_text *text, const char *value)
{
    while (*value != '\0') {
        size_t count;
        const char *character = tp_utf8_next(&value, &count);
        switch (*character) {
        case '&': tp_text_add(text, "&amp;"); break;
        case '<': tp_text_add(text, "&lt;"); break;
        case '>': tp_text_add(text, "&gt;"); break;
        case '"': tp_text_add(text, "&quot;"); break;
        default: tp_text_add_bytes(text, character, count);
        }
    }
}

void tp_vtp_init(tp_vtp *vtp, const tp_allocator *allocator)
{
    *vtp = (tp_vtp){.text = {.bytes = NULL}};
    tp_arena_init(&vtp->arena, allocator);
}

void tp_vtp_clear(tp_vtp *vtp)
{
    tp_text_clear(&vtp->text);
    tp_arena_clear(&vtp->arena);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Frames of one model are of one size: the old arrays of a smaller one may stay in the arena. */
static bool make_room(tp_vtp *vtp, const tp_vtk_frame *frame)
{
    const tp_vec3 *before = vtp->cells.surface.points;
    if (!tp_figure_cells_reserve(&vtp->cells, &vtp->arena, frame->primitives, frame->primitive_count,
                                 frame->contact_count, frame->segments))
        return false;
    if (before == vtp->cells.surface.points && vtp->name_capacity > frame->primitive_count) return true;
    size_t points = (size_t)vtp->cells.capacity[0], cells = 0;
    for (int k = 0; k < TP_CELL_KINDS; k++) cells += (size_t)vtp->cells.capacity[1 + 2 * k];
    vtp->name_capacity = frame->primitive_count + 1;
    vtp->point_forces = TP_ARENA_ARRAY(&vtp->arena, double, 3 * points);
    vtp->column = TP_ARENA_ARRAY(&vtp->arena, unsigned char, cells * sizeof(double));
    vtp->names = TP_ARENA_ARRAY(&vtp->arena, int, vtp->name_capacity);
    vtp->name_texts = TP_ARENA_ARRAY(&vtp->arena, const char *, vtp->name_capacity);
    bool is_there = vtp->point_forces && vtp->column && vtp->names && vtp->name_texts;
    if (!is_there) vtp->name_capacity = 0; /* to be tried again */
    return is_there;
}

/* ---- geometry ------------------------------------------------------------------------------------------ */

static void build_surface(tp_vtp *vtp, const tp_vtk_frame *frame)
{
    tp_tessellation *surface = &vtp->cells.surface;
    tp_figure_cells_clear(&vtp->cells);
    for (int i = 0; i < frame->primitive_count; i++) {
        tp_primitive figure = frame->primitives[i];
        bool is_hollow = figure.kind == TP_PRIMITIVE_TUBE || figure.kind == TP_PRIMITIVE_SHELL;
        if (is_hollow) figure.is_filled = false; /* a wall would hide what moves in it */
        tp_figure_cells_add(&vtp->cells, &figure, frame->segments, i);
    }
    memset(vtp->point_forces, 0, 3 * (size_t)surface->point_count * sizeof(double));
    for (int c = 0; c < frame->contact_count; c++) {
        const tp_contact_mark *mark = &frame->contacts[c];
        tp_primitive point = tp_primitive_default();
        point.vertices = &mark->point, point.vertex_count = 1;
        int at = surface->point_count;
        tp_figure_cells_add(&vtp->cells, &point, frame->segments, frame->primitive_count + c);
        if (at < surface->point_count) tp_vec3_to_array(mark->force, vtp->point_forces + 3 * at);
    }
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

typedef enum number_type { UINT8, INT32, INT64, FLOAT64 } number_type;
static const struct {
    const char *name;
    size_t bytes;
} types[] = {{"UInt8", 1}, {"Int32", 4}, {"Int64", 8}, {"Float64", 8}};

/* The length in front of an array. */
static tp_base64 begin_data(tp_text *text, size_t bytes)
{
    tp_base64 stream = {.text = text};
    const uint64_t length = bytes;
    tp_base64_add(&stream, &length, sizeof length);
    return stream;
}

static void end_data(tp_base64 *stream, const char *element)
{
    tp_base64_end(stream);
    tp_text_add(stream->text, "</%s>\n", element);
}

/* Everything of an array's element before its data. VTK counts the tuples by the cells or points; a single
   number has its own count. */
static void begin_array(tp_text *text, number_type type, const char *name, int components, bool is_single)
{
    tp_text_add(text, "<DataArray type=\"%s\" Name=\"", types[type].name);
    tp_xml_add(text, name);
    tp_text_add(text, "\"");
    if (components > 1) tp_text_add(text, " NumberOfComponents=\"%d\"", components);
    tp_text_add(text, "%s format=\"binary\">", is_single ? " NumberOfTuples=\"1\"" : "");
}

static void add_data(tp_text *text, const void *numbers, size_t bytes)
{
    tp_base64 stream = begin_data(text, bytes);
    tp_base64_add(&stream, numbers, bytes);
    end_data(&stream, "DataArray");
}

static void add_array(tp_text *text, number_type type, const char *name, int components, int count,
                      const void *numbers)
{
    begin_array(text, type, name, components, false);
    add_data(text, numbers, (size_t)count * (size_t)components * types[type].bytes);
}

/* Places in lists are 64-bit numbers in VTK. */
static void add_places(tp_text *text, const char *name, const int *places, int count)
{
    begin_array(text, INT64, name, 1, false);
    tp_base64 stream = begin_data(text, (size_t)count * sizeof(int64_t));
    for (int i = 0; i < count; i++) {
        const int64_t place = places[i];
        tp_base64_add(&stream, &place, sizeof place);
    }
    end_data(&stream, "DataArray");
}

static void add_cells(tp_text *text, const char *element, const tp_cells *cells)
{
    tp_text_add(text, "<%s>\n", element);
    add_places(text, "connectivity", cells->indices, cells->index_count);
    add_places(text, "offsets", cells->ends, cells->count);
    tp_text_add(text, "</%s>\n", element);
}

/* ---- data ---------------------------------------------------------------------------------------------- */

/* Data of the cells of a primitive or contact. */
typedef struct cell_data {
    int32_t drawing, role, name, law; /* -1: none */
    double force;                     /* [N] of the law; NaN: none or not known */
    unsigned char colour[3];
} cell_data;

static double force_of(const tp_vtk_frame *frame, int law)
{
    return law >= 0 && frame->law_forces ? frame->law_forces[law] : NAN;
}

static unsigned char colour_byte(double part)
{
    return (unsigned char)lround(255.0 * fmin(fmax(part, 0.0), 1.0));
}

static cell_data data_of(const tp_vtp *vtp, const tp_vtk_frame *frame, int owner)
{
    if (owner >= frame->primitive_count) {
        const tp_contact_mark *contact = &frame->contacts[owner - frame->primitive_count];
        return (cell_data){-1, -1, -1, contact->law, contact->normal_force, {0, 0, 0}};
    }
    const tp_primitive *primitive = &frame->primitives[owner];
    const tp_colour colour = primitive->colour;
    return (cell_data){owner,
                       (int)primitive->role,
                       vtp->names[owner],
                       primitive->law,
                       force_of(frame, primitive->law),
                       {colour_byte(colour.red), colour_byte(colour.green), colour_byte(colour.blue)}};
}

static const struct {
    const char *name;
    number_type type;
    int components;
    size_t offset; /* in cell_data */
} cell_arrays[] = {
    {"drawing", INT32, 1, offsetof(cell_data, drawing)},   {"role", INT32, 1, offsetof(cell_data, role)},
    {"name", INT32, 1, offsetof(cell_data, name)},         {"law", INT32, 1, offsetof(cell_data, law)},
    {"law_force", FLOAT64, 1, offsetof(cell_data, force)}, {"colour", UINT8, 3, offsetof(cell_data, colour)}};
enum { CELL_ARRAYS = sizeof cell_arrays / sizeof cell_arrays[0] };

static void add_cell_data(tp_vtp *vtp, const tp_vtk_frame *frame)
{
    tp_text_add(&vtp->text, "<CellData Scalars=\"drawing\">\n");
    for (int array = 0; array < CELL_ARRAYS; array++) {
        size_t bytes = types[cell_arrays[array].type].bytes * (size_t)cell_arrays[array].components;
        unsigned char *to = vtp->column;
        for (int kind = 0; kind < TP_CELL_KINDS; kind++) {
            for (int i = 0; i < tp_figure_cells_of(&vtp->cells, kind)->count; i++, to += bytes) {
                cell_data data = data_of(vtp, frame, vtp->cells.owners[kind][i]);
                memcpy(to, (const char *)&data + cell_arrays[array].offset, bytes);
            }
        }
        add_array(&vtp->text, cell_arrays[array].type, cell_arrays[array].name, cell_arrays[array].components,
                  (int)((size_t)(to - vtp->column) / bytes), vtp->column);
    }
    tp_text_add(&vtp->text, "</CellData>\n");
}

/* Figures of one thing follow each other: a name is new if it differs from the one before. */
static int number_names(tp_vtp *vtp, const tp_vtk_frame *frame)
{
    int count = 0;
    for (int i = 0; i < frame->primitive_count; i++) {
        bool is_new = i == 0 || strcmp(frame->primitives[i].name, frame->primitives[i - 1].name) != 0;
        if (is_new) vtp->name_texts[count++] = frame->primitives[i].name;
        vtp->names[i] = count - 1;
    }
    return count;
}

/* Texts are one stream of letters with a zero after each text. */
static void add_texts(tp_text *text, const char *name, int count, const char *const *texts)
{
    size_t bytes = 0;
    for (int k = 0; k < count; k++) bytes += strlen(texts[k]) + 1;
    tp_text_add(text, "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"binary\">", name,
                count);
    tp_base64 stream = begin_data(text, bytes);
    for (int k = 0; k < count; k++) tp_base64_add(&stream, texts[k], strlen(texts[k]) + 1);
    end_data(&stream, "Array");
}

static void add_number(tp_text *text, const char *name, double number)
{
    begin_array(text, FLOAT64, name, 1, true);
    add_data(text, &number, sizeof number);
}

/* ParaView takes the time of a file from TimeValue. */
static void add_field_data(tp_vtp *vtp, const tp_vtk_frame *frame)
{
    tp_text *text = &vtp->text;
    int name_count = number_names(vtp, frame);
    tp_text_add(text, "<FieldData>\n");
    if (frame->column_count > 0) add_number(text, "TimeValue", frame->row[0]);
    if (name_count > 0) add_texts(text, "names", name_count, vtp->name_texts);
    if (frame->law_count > 0) add_texts(text, "law_names", frame->law_count, frame->law_names);
    for (int i = 0; i < frame->column_count; i++) add_number(text, frame->columns[i].name, frame->row[i]);
    tp_text_add(text, "</FieldData>\n");
}

static void add_piece(tp_vtp *vtp, const tp_vtk_frame *frame)
{
    tp_text *text = &vtp->text;
    const tp_tessellation *surface = &vtp->cells.surface;
    tp_text_add(text,
                "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" NumberOfStrips=\"0\" "
                "NumberOfPolys=\"%d\">\n",
                surface->point_count, surface->verts.count, surface->lines.count, surface->polygons.count);
    tp_text_add(text, "<PointData Vectors=\"contact_force\">\n");
    add_array(text, FLOAT64, "contact_force", 3, surface->point_count, vtp->point_forces);
    tp_text_add(text, "</PointData>\n");
    add_cell_data(vtp, frame);
    tp_text_add(text, "<Points>\n");
    add_array(text, FLOAT64, "Points", 3, surface->point_count, surface->points);
    tp_text_add(text, "</Points>\n");
    add_cells(text, "Verts", &surface->verts);
    add_cells(text, "Lines", &surface->lines);
    add_cells(text, "Polys", &surface->polygons);
    tp_text_add(text, "</Piece>\n");
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static tp_status check_frame(const tp_vtk_frame *frame, tp_message *why)
{
    if (frame->segments < 8 || frame->segments % 4 != 0 || frame->segments > 4096) {
        return tp_fail(why, TP_INVALID_ARGUMENT,
                       "%d segments to a circle: must be a multiple of 4 between 8 and 4096",
                       frame->segments);
    }
    for (int i = 0; i < frame->primitive_count + frame->contact_count; i++) {
        int law = i < frame->primitive_count ? frame->primitives[i].law
                                             : frame->contacts[i - frame->primitive_count].law;
        if (law < -1 || law >= frame->law_count) {
            return tp_fail(why, TP_INVALID_ARGUMENT, "figure %d names law %d, but there are %d laws", i + 1,
                           law, frame->law_count);
        }
    }
    return TP_OK;
}

tp_status tp_vtp_encode(tp_vtp *vtp, const tp_vtk_frame *frame, tp_message *why_out)
{
    TP_TRY(check_frame(frame, why_out));
    if (!make_room(vtp, frame)) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a frame");
    build_surface(vtp, frame);
    tp_text *text = &vtp->text;
    text->count = 0;
    text->has_failed = false;
    tp_text_add(text,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
                "header_type=\"UInt64\">\n<PolyData>\n",
                tp_vtk_byte_order());
    add_field_data(vtp, frame);
    add_piece(vtp, frame);
    tp_text_add(text, "</PolyData>\n</VTKFile>\n");
    return text->has_failed ? tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a frame") : TP_OK;
}
