/* The drawer: what a model looks like at a state, and where its shapes touch. */
#include "drawer.h"

#include <math.h>

/* Half length of the piece of a plane or tube that is shown: times what is around it; [m] if nothing is. */
static const double piece_air = 1.5, piece_alone = 1.0;

static const tp_colour ground_colour = {0.85, 0.85, 0.85};

struct tp_drawer {
    tp_arena arena; /* the drawer itself lies in it */
    const tp_model *model;
    tp_arguments at;
    int count;
    tp_primitive *primitives; /* drawings, then shapes, surfaces, sticks and marks */
    int stick_count;
    int *stick_body; /* [stick_count] bodies without a shape or surface */
    int *body_work;  /* [2 bodies] */
    tp_body_look *looks;
    tp_marks marks;
    tp_vec3 *vertices; /* of all drawings, then of sticks and marks, one after the other */
};

static void measure(int *work, const tp_scalar *scalar, int n, int m)
{
    int needed = tp_scalar_work_size(scalar, n, m);
    if (needed > *work) *work = needed;
}

static int largest_work(const tp_model *model, int n, int m)
{
    int work = 1;
    for (int i = 0; i < model->drawings.count; i++) {
        const tp_drawing *drawing = TP_LIST_AT(model->drawings, tp_drawing, i);
        for (int k = 0; k < 3 * drawing->vertex_count; k++) measure(&work, &drawing->coordinates[k], n, m);
        measure(&work, &drawing->radius, n, m);
    }
    for (int i = 0; i < model->bodies.count; i++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, i);
        for (int k = 0; k < 4 && body->kind == TP_BODY_MOVING; k++)
            measure(&work, &body->given->motion[k], n, m);
    }
    return work;
}

static int first_surface(const tp_model *model)
{
    return model->drawings.count + model->shapes.count;
}

static int first_stick(const tp_model *model)
{
    return first_surface(model) + model->surfaces.count;
}

static int first_mark(const tp_drawer *drawer)
{
    return first_stick(drawer->model) + drawer->stick_count;
}

/* A body without a shape is a line from joint to joint through its centre, the box of its inertia, or a
   point. */
static tp_primitive_kind stick_kind(const tp_body_look *look)
{
    if (look->reach > 0.0) return TP_PRIMITIVE_LINE;
    return tp_vec3_norm(look->box) > 0.0 ? TP_PRIMITIVE_BOX : TP_PRIMITIVE_POINT;
}

static int stick_vertex_count(const tp_body_look *look)
{
    const tp_primitive_kind kind = stick_kind(look);
    if (kind == TP_PRIMITIVE_LINE) return 2 * look->attachment_count;
    return kind == TP_PRIMITIVE_POINT ? 1 : 0;
}

static tp_status take_memory(tp_drawer *drawer)
{
    const tp_model *model = drawer->model;
    int n = tp_model_coordinate_count(model), m = tp_model_velocity_count(model);
    size_t slots = tp_model_slot_count(model), vertices = 1;
    for (int i = 0; i < model->drawings.count; i++)
        vertices += (size_t)TP_LIST_AT(model->drawings, tp_drawing, i)->vertex_count;
    drawer->stick_body = TP_ARENA_ARRAY(&drawer->arena, int, model->bodies.count + 1);
    drawer->looks = TP_ARENA_ARRAY(&drawer->arena, tp_body_look, model->bodies.count + 1);
    drawer->body_work = TP_ARENA_ARRAY(&drawer->arena, int, 2 * model->bodies.count + 1);
    TP_TRY(tp_arena_status(&drawer->arena));
    tp_body_looks_find(model, drawer->looks);
    for (int i = 0; i < model->bodies.count; i++) {
        if (drawer->looks[i].has_shape) continue;
        drawer->stick_body[drawer->stick_count++] = i;
        vertices += (size_t)stick_vertex_count(&drawer->looks[i]);
    }
    tp_marks_list(model, drawer->looks, &drawer->marks);
    vertices += (size_t)drawer->marks.vertex_count;
    drawer->count = first_mark(drawer) + drawer->marks.count;
    drawer->at = (tp_arguments){.coordinate_count = n, .velocity_count = m};
    drawer->at.z = TP_ARENA_ARRAY(&drawer->arena, double, slots);
    drawer->at.q = TP_ARENA_ARRAY(&drawer->arena, double, n + 1);
    drawer->at.u = TP_ARENA_ARRAY(&drawer->arena, double, m + 1); /* C functions of (t, q) see u = 0 */
    drawer->at.work = TP_ARENA_ARRAY(&drawer->arena, double, largest_work(model, n, m));
    drawer->primitives = TP_ARENA_ARRAY(&drawer->arena, tp_primitive, drawer->count + 1);
    drawer->vertices = TP_ARENA_ARRAY(&drawer->arena, tp_vec3, vertices);
    drawer->marks.marks = TP_ARENA_ARRAY(&drawer->arena, tp_mark, drawer->marks.count + 1);
    return tp_arena_status(&drawer->arena);
}

/* ---- what does not change from state to state ---------------------------------------------------------- */

/* A figure of a body, or of the ground, which is grey; figures of one body have one colour. */
static tp_primitive *begin_figure(tp_drawer *drawer, int place, const char *name, int body)
{
    tp_primitive *primitive = &drawer->primitives[place];
    *primitive = tp_primitive_default();
    primitive->name = name;
    primitive->role = TP_ROLE_BODY;
    primitive->colour =
        body == TP_GROUND ? ground_colour : tp_palette_colour(drawer->model->drawings.count + body);
    primitive->grows =
        body != TP_GROUND && TP_LIST_AT(drawer->model->bodies, tp_body, body)->kind == TP_BODY_SCALABLE;
    return primitive;
}

static tp_vec3 *prepare_drawings(tp_drawer *drawer)
{
    tp_vec3 *vertices = drawer->vertices;
    for (int i = 0; i < drawer->model->drawings.count; i++) {
        const tp_drawing *drawing = TP_LIST_AT(drawer->model->drawings, tp_drawing, i);
        tp_primitive *primitive = &drawer->primitives[i];
        *primitive = tp_primitive_default();
        primitive->kind = drawing->kind;
        primitive->name = drawing->name;
        primitive->colour = drawing->colour;
        primitive->is_filled = drawing->is_filled;
        primitive->law = drawing->law;
        primitive->vertex_count = drawing->kind == TP_PRIMITIVE_CIRCLE ? 0 : drawing->vertex_count;
        primitive->vertices = vertices;
        vertices += drawing->vertex_count;
    }
    return vertices;
}

/* Half the length of the piece of an endless plane or tube that is shown: it reaches beyond the bodies where
   they are at the start. */
static double piece_length(const tp_model *model, const tp_body_look *looks, const tp_model_shape *shape)
{
    double length = 0.0;
    tp_frame at = tp_model_frame_at_start(model, shape->body);
    tp_vec3 origin = tp_frame_point(&at, shape->pose.origin);
    for (int i = 0; i < model->bodies.count; i++) {
        tp_vec3 away = tp_vec3_sub(tp_model_frame_at_start(model, i).r, origin);
        length = fmax(length, tp_vec3_norm(away) + looks[i].reach);
    }
    return length > 0.0 ? piece_air * length : piece_alone;
}

/* Without memory there is nothing of it. */
static void draw_surface(tp_arena *arena, const tp_surface *surface, tp_primitive *primitive)
{
    int vertex_count, triangle_count;
    tp_surface_sizes(surface, &vertex_count, &triangle_count);
    tp_vec3 *vertices = TP_ARENA_ARRAY(arena, tp_vec3, vertex_count);
    int *triangles = TP_ARENA_ARRAY(arena, int, 3 * (size_t)triangle_count);
    primitive->kind = TP_PRIMITIVE_MESH;
    if (vertices == NULL || triangles == NULL) return;
    tp_surface_fill(surface, vertices, triangles);
    primitive->vertices = vertices, primitive->vertex_count = vertex_count;
    primitive->triangles = triangles, primitive->triangle_count = triangle_count;
}

/* Kind and sizes of a solid. What is endless is shown by a piece. */
static void shape_solid(tp_drawer *drawer, const tp_model_shape *shape, tp_primitive *primitive)
{
    static const tp_vec3 origin = {0.0, 0.0, 0.0};
    const tp_solid *solid = &shape->solid;
    primitive->size[0] = solid->radius;
    switch (solid->kind) {
    case TP_SOLID_SPHERE: primitive->kind = TP_PRIMITIVE_SPHERE; break;
    case TP_SOLID_PLANE:
        primitive->kind = TP_PRIMITIVE_PLANE;
        primitive->size[0] = primitive->size[1] = piece_length(drawer->model, drawer->looks, shape);
        break;
    case TP_SOLID_BOX:
        primitive->kind = TP_PRIMITIVE_BOX;
        tp_vec3_to_array(solid->half_extents, primitive->size);
        break;
    case TP_SOLID_CAPSULE:
    case TP_SOLID_CYLINDER:
        primitive->kind = solid->kind == TP_SOLID_CAPSULE ? TP_PRIMITIVE_CAPSULE : TP_PRIMITIVE_CYLINDER;
        primitive->size[1] = solid->half_length;
        break;
    case TP_SOLID_INSIDE_CYLINDER:
        primitive->kind = TP_PRIMITIVE_TUBE, primitive->is_filled = true;
        primitive->size[1] = piece_length(drawer->model, drawer->looks, shape);
        break;
    case TP_SOLID_INSIDE_SPHERE: primitive->kind = TP_PRIMITIVE_SHELL, primitive->is_filled = true; break;
    case TP_SOLID_HULL:
        primitive->kind = TP_PRIMITIVE_MESH;
        primitive->vertices = solid->hull->vertices, primitive->vertex_count = solid->hull->vertex_count;
        primitive->triangles = solid->hull->triangles;
        primitive->triangle_count = solid->hull->triangle_count;
        break;
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD: draw_surface(&drawer->arena, solid->surface, primitive); break;
    case TP_SOLID_POINT:
    case TP_SOLID_KIND_COUNT: /* none */
        primitive->kind = TP_PRIMITIVE_POINT;
        primitive->size[0] = 0.0;
        primitive->vertices = &origin, primitive->vertex_count = 1;
        break;
    }
}

static void prepare_shapes(tp_drawer *drawer)
{
    const tp_model *model = drawer->model;
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        shape_solid(drawer, shape, begin_figure(drawer, model->drawings.count + i, shape->name, shape->body));
    }
}

static void prepare_surfaces(tp_drawer *drawer)
{
    const tp_model *model = drawer->model;
    for (int i = 0; i < model->surfaces.count; i++) {
        const tp_model_surface *surface = TP_LIST_AT(model->surfaces, tp_model_surface, i);
        tp_primitive *primitive =
            begin_figure(drawer, first_surface(model) + i, surface->name, surface->body);
        primitive->kind = TP_PRIMITIVE_MESH;
        primitive->vertex_count = surface->mesh.vertex_count;
        primitive->vertices = surface->mesh.vertices;
        primitive->triangle_count = surface->mesh.triangle_count;
        primitive->triangles = surface->mesh.triangles;
    }
}

/* Vertices from joint or spring to the centre and on, in the frames of the bodies. */
static tp_vec3 *prepare_sticks(tp_drawer *drawer, tp_vec3 *vertices)
{
    const tp_model *model = drawer->model;
    for (int i = 0; i < drawer->stick_count; i++) {
        int body = drawer->stick_body[i];
        const char *name = TP_LIST_AT(model->bodies, tp_body, body)->name;
        tp_primitive *primitive = begin_figure(drawer, first_stick(model) + i, name, body);
        primitive->vertex_count = stick_vertex_count(&drawer->looks[body]);
        primitive->kind = stick_kind(&drawer->looks[body]);
        tp_vec3_to_array(drawer->looks[body].box, primitive->size);
        primitive->vertices = vertices;
        for (int k = 0; k < primitive->vertex_count; k++) vertices[k] = tp_vec3_zero();
        vertices += primitive->vertex_count;
    }
    return vertices;
}

/* Every second vertex of a stick is an attachment of its body, the others its centre. */
static void prepare_stick_ends(tp_drawer *drawer, int *stick_of_body, int *used)
{
    const tp_model *model = drawer->model;
    for (int i = 0; i < model->bodies.count; i++) stick_of_body[i] = -1, used[i] = 0;
    for (int i = 0; i < drawer->stick_count; i++) stick_of_body[drawer->stick_body[i]] = i;
    tp_attachment at;
    for (int k = 0; k < tp_attachment_count(model); k++) {
        if (!tp_attachment_at(model, k, &at) || at.body == TP_GROUND || stick_of_body[at.body] < 0) continue;
        const tp_primitive *stick = &drawer->primitives[first_stick(model) + stick_of_body[at.body]];
        if (stick->kind != TP_PRIMITIVE_LINE) continue;
        drawer->vertices[stick->vertices - drawer->vertices + 2 * used[at.body]++] = at.point;
    }
}

static void prepare(tp_drawer *drawer)
{
    tp_vec3 *vertices = prepare_drawings(drawer);
    prepare_shapes(drawer);
    prepare_surfaces(drawer);
    vertices = prepare_sticks(drawer, vertices);
    prepare_stick_ends(drawer, drawer->body_work, drawer->body_work + drawer->model->bodies.count);
    drawer->marks.primitives = drawer->primitives + first_mark(drawer);
    drawer->marks.vertices = vertices;
    tp_marks_list(drawer->model, drawer->looks, &drawer->marks);
}

tp_status tp_drawer_create(const tp_allocator *allocator, const tp_model *model, tp_drawer **drawer_out)
{
    *drawer_out = NULL;
    tp_drawer *drawer = TP_ARENA_OBJECT(tp_drawer, allocator);
    if (drawer == NULL) return TP_OUT_OF_MEMORY;
    drawer->model = model;
    tp_status status = take_memory(drawer);
    if (status == TP_OK) prepare(drawer);
    if (status != TP_OK) tp_drawer_free(drawer);
    *drawer_out = status == TP_OK ? drawer : NULL;
    return status;
}

void tp_drawer_free(tp_drawer *drawer)
{
    if (drawer != NULL) tp_arena_clear(&drawer->arena);
}

int tp_drawer_count(const tp_drawer *drawer)
{
    return drawer->count;
}

/* ---- at a state ---------------------------------------------------------------------------------------- */

static double value_or_zero(const tp_scalar *scalar, const tp_arguments *at)
{
    return scalar->formula != NULL || scalar->function.value != NULL ? tp_scalar_value(scalar, at) : 0.0;
}

static void move_drawings(tp_drawer *drawer)
{
    tp_vec3 *vertex = drawer->vertices;
    for (int i = 0; i < drawer->model->drawings.count; i++) {
        const tp_drawing *drawing = TP_LIST_AT(drawer->model->drawings, tp_drawing, i);
        tp_primitive *primitive = &drawer->primitives[i];
        const tp_vec3 *first = vertex;
        for (int k = 0; k < drawing->vertex_count; k++, vertex++) {
            const tp_scalar *coordinate = &drawing->coordinates[3 * k];
            *vertex = tp_vec3_make(value_or_zero(&coordinate[0], &drawer->at),
                                   value_or_zero(&coordinate[1], &drawer->at),
                                   value_or_zero(&coordinate[2], &drawer->at));
        }
        if (drawing->kind != TP_PRIMITIVE_CIRCLE) continue;
        primitive->position = *first;
        primitive->size[0] = value_or_zero(&drawing->radius, &drawer->at);
    }
}

static void move_shapes(tp_drawer *drawer)
{
    const tp_model *model = drawer->model;
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        tp_primitive *primitive = &drawer->primitives[model->drawings.count + i];
        tp_frame frame = tp_model_frame_at(model, shape->body, &drawer->at);
        const tp_pose body = {frame.r, tp_quat_from_matrix(frame.D)};
        tp_pose pose = tp_pose_compose(&body, &shape->pose);
        primitive->position = pose.origin;
        primitive->orientation = pose.orientation;
    }
}

/* Surfaces and sticks are in the frames of their bodies, which they grow with. */
static void move_with_body(tp_drawer *drawer, int place, int body)
{
    tp_primitive *primitive = &drawer->primitives[place];
    tp_frame frame = tp_model_frame_at(drawer->model, body, &drawer->at);
    primitive->position = frame.r;
    primitive->orientation = tp_quat_from_matrix(tp_frame_rotation(&frame));
    if (primitive->grows) primitive->scale = tp_vec3_norm(frame.D.cx);
    if (primitive->kind == TP_PRIMITIVE_BOX)
        primitive->orientation = tp_quat_multiply(primitive->orientation, drawer->looks[body].box_turn);
}

const tp_primitive *tp_drawer_draw(tp_drawer *drawer, double t, const double *q, const double *x,
                                   int *count_out)
{
    drawer->at.z[TP_SLOT_TIME] = t;
    for (int i = 0; i < tp_model_state_count(drawer->model) && x != NULL; i++)
        drawer->at.z[tp_slot_state(i)] = x[i];
    for (int i = 0; i < drawer->at.coordinate_count; i++)
        drawer->at.q[i] = drawer->at.z[tp_slot_coordinate(i)] = q[i];
    move_drawings(drawer);
    move_shapes(drawer);
    for (int i = 0; i < drawer->model->surfaces.count; i++)
        move_with_body(drawer, first_surface(drawer->model) + i,
                       TP_LIST_AT(drawer->model->surfaces, tp_model_surface, i)->body);
    for (int i = 0; i < drawer->stick_count; i++)
        move_with_body(drawer, first_stick(drawer->model) + i, drawer->stick_body[i]);
    tp_marks_move(drawer->model, &drawer->at, &drawer->marks);
    *count_out = drawer->count;
    return drawer->primitives;
}

bool tp_drawer_contact(const tp_drawer *drawer, int shape_a, int shape_b, int feature,
                       tp_contact_place *place_out)
{
    const tp_model *model = drawer->model;
    int count = model->shapes.count;
    if (shape_a < 0 || shape_b < 0 || shape_a >= count || shape_b >= count) return false;
    tp_touch touch = tp_model_touch(model, shape_a, shape_b);
    if (touch.law == NULL || touch.shape_a != shape_a) return false;
    const tp_primitive *shapes = drawer->primitives + model->drawings.count, *a = &shapes[shape_a],
                       *b = &shapes[shape_b];
    const tp_pose pose_a = {a->position, a->orientation}, pose_b = {b->position, b->orientation};
    tp_contact_point found[TP_CONTACT_SLOTS_MAX];
    const tp_solid *solid_a = &TP_LIST_AT(model->shapes, tp_model_shape, shape_a)->solid,
                   *solid_b = &TP_LIST_AT(model->shapes, tp_model_shape, shape_b)->solid;
    if (feature < 0 || feature >= tp_collide_feature_count(solid_a, solid_b)) return false;
    int slots = tp_collide_slot_count(solid_a, solid_b), k = 0;
    int found_count = tp_collide_part(solid_a, &pose_a, solid_b, &pose_b, feature / slots, INFINITY, found);
    while (k < found_count && found[k].slot != feature % slots) k++;
    if (k == found_count) return false;
    const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, touch.law->element);
    bool is_planar = touch.law == &rule->in_plane; /* rows (N, T), else (N, T1, T2): docs/theory/bodies.md */
    int most = is_planar ? 2 : 3;
    tp_mat3 axes = tp_frame_from_normal(found[k].normal);
    if (is_planar) axes.cy = tp_vec3_make(found[k].normal.y, -found[k].normal.x, 0.0);
    *place_out =
        (tp_contact_place){.rule = touch.law->element,
                           .point = tp_vec3_scale(0.5, tp_vec3_add(found[k].point_a, found[k].point_b)),
                           .direction = {axes.cx, axes.cy, axes.cz},
                           .direction_count = touch.law->row_count < most ? touch.law->row_count : most};
    return true;
}
