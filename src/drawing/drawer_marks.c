/* Figures of joints, springs, motors, limits and couplers. A mark by kind stands where the joint is: a ball,
   a cylinder along the axis of a hinge, a block on a guide, ...; springs are coils between their ends. Sizes
   are in units of the mark's size, which follows from the size of the model and of the bodies that meet
   there. */
#include "drawer.h"

#include <math.h>

/* A mark is this part of the whole model, but no more than that part of the smaller body. */
static const double part_of_model = 0.012, part_of_body = 0.12;
/* Radius of a coil in units of the mark's size, and as part of its length at the start. */
static const double coil_most = 2.0, coil_least = 0.6, coil_part = 0.12;
enum { SPIRAL_POINTS = 41, ARROW_POINTS = 5, PARTS = 2 };

static const tp_colour joint_colour = {0.25, 0.25, 0.25}, spring_colour = {0.40, 0.40, 0.40},
                       motor_colour = {0.80, 0.10, 0.10}, limit_colour = {0.45, 0.20, 0.55},
                       coupler_colour = {0.10, 0.45, 0.20};
/* A stop of an angle reaches from one to the other radius, one of a displacement so far to both sides; in
   units of the mark's size. */
static const double stop_inner = 1.2, stop_outer = 2.8, stop_side = 1.6;

/* One figure of a joint. */
typedef struct mark_part {
    bool is_there;
    tp_primitive_kind kind;
    tp_mark_way way;
    double size[3];
} mark_part;

#define PART(kind, way, ...)                                                                                 \
    {                                                                                                        \
        true, TP_PRIMITIVE_##kind, TP_MARK_##way,                                                            \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
static const mark_part joint_parts[TP_JOINT_KIND_COUNT][PARTS] = {
    [TP_JOINT_FIXED] = {PART(BOX, ON_B, 0.8, 0.8, 0.8)},
    [TP_JOINT_SPHERICAL] = {PART(SPHERE, ON_B, 1.0)},
    [TP_JOINT_UNIVERSAL] = {PART(CYLINDER, ON_A, 0.5, 1.6), PART(BOX, ON_B, 1.6, 0.4, 0.4)},
    [TP_JOINT_REVOLUTE] = {PART(CYLINDER, ON_B, 0.8, 1.2)},
    [TP_JOINT_CYLINDRICAL] = {PART(CYLINDER, ON_B, 0.8, 2.4), PART(LINE, BETWEEN, 0.0)},
    [TP_JOINT_PRISMATIC] = {PART(BOX, ON_B, 0.8, 0.8, 1.8), PART(LINE, BETWEEN, 0.0)},
    [TP_JOINT_PLANAR] = {PART(BOX, ON_B, 1.8, 1.8, 0.2)},
    [TP_JOINT_DISTANCE] = {PART(LINE, BETWEEN, 0.0)},
    [TP_JOINT_SCREW] = {PART(CYLINDER, ON_B, 0.8, 2.4), PART(COIL, BETWEEN, 0.8)},
    [TP_JOINT_POINT_ON_LINE] = {PART(SPHERE, ON_B, 0.8), PART(LINE, BETWEEN, 0.0)},
};

/* For all other kinds that have a point. */
static const mark_part plain_part = PART(SPHERE, ON_B, 0.8);
#undef PART

/* ---- the list ------------------------------------------------------------------------------------------ */

/* What is being listed: figures of one joint, spring or motor. */
typedef struct lister {
    tp_marks *marks;
    tp_mark mark;           /* bodies and frames */
    tp_primitive primitive; /* name, role and colour */
    double size;            /* [m] */
} lister;

/* Adds a figure; the vertices it gets are its own. NULL: they are only counted. */
static tp_primitive *add(lister *l, tp_primitive_kind kind, tp_mark_way way, int vertex_count)
{
    tp_marks *marks = l->marks;
    int place = marks->count++, first = marks->vertex_count;
    marks->vertex_count += vertex_count;
    if (marks->marks == NULL) return NULL;
    marks->marks[place] = l->mark;
    marks->marks[place].way = way;
    tp_primitive *primitive = &marks->primitives[place];
    *primitive = l->primitive;
    primitive->kind = kind;
    if (vertex_count > 0)
        primitive->vertices = &marks->vertices[first], primitive->vertex_count = vertex_count;
    return primitive;
}

/* The vertices of a figure that the list owns. */
static tp_vec3 *own_vertices(const lister *l, const tp_primitive *primitive)
{
    return &l->marks->vertices[primitive->vertices - l->marks->vertices];
}

static void add_between(lister *l, tp_primitive_kind kind, double radius)
{
    tp_primitive *primitive = add(l, kind, TP_MARK_BETWEEN, 2);
    if (primitive != NULL) primitive->size[0] = radius;
}

static double smaller(double size, const tp_body_look *looks, int body)
{
    bool is_small = body != TP_GROUND && looks[body].reach > 0.0;
    return is_small ? fmin(size, part_of_body * looks[body].reach) : size;
}

static lister begin(const tp_body_look *looks, tp_marks *marks, tp_mark mark, double size)
{
    lister l = {.marks = marks, .mark = mark, .primitive = tp_primitive_default()};
    l.size = smaller(smaller(size, looks, mark.body_a), looks, mark.body_b);
    return l;
}

/* ---- joints -------------------------------------------------------------------------------------------- */

/* Bodies and frames of a joint, z along its axis: in the plane the frames have the axis of sliding as x. */
static tp_mark mark_of_joint(const tp_model *model, const tp_model_joint *joint)
{
    tp_mark mark = {
        .body_a = joint->body_a, .body_b = joint->body_b, .on_A = joint->on_A, .on_B = joint->on_B};
    tp_joint_kind kind = joint->joint.kind;
    bool slides = kind == TP_JOINT_PRISMATIC || kind == TP_JOINT_POINT_ON_LINE;
    bool is_planar =
        tp_model_is_planar_body(model, joint->body_a) || tp_model_is_planar_body(model, joint->body_b);
    if (slides && is_planar) {
        tp_mat3 A = mark.on_A.axes, B = mark.on_B.axes;
        mark.on_A.axes = tp_mat3_from_columns(A.cy, A.cz, A.cx);
        mark.on_B.axes = tp_mat3_from_columns(B.cy, B.cz, B.cx);
    }
    bool is_along = kind == TP_JOINT_PRISMATIC || kind == TP_JOINT_CYLINDRICAL;
    if (is_along && joint->body_b != TP_GROUND) {
        /* Any point of the axis would do: the one next to the centre of the body that slides. */
        tp_vec3 axis = mark.on_B.axes.cz;
        mark.on_B.point = tp_vec3_add_scaled(mark.on_B.point, -tp_vec3_dot(mark.on_B.point, axis), axis);
    }
    return mark;
}

/* The curve itself, fixed to A; its samples are borrowed. */
static void add_curve(lister *l, const tp_curve *curve)
{
    tp_primitive *primitive =
        add(l, curve->is_closed ? TP_PRIMITIVE_POLYGON : TP_PRIMITIVE_LINE, TP_MARK_ON_A, 0);
    if (primitive != NULL)
        primitive->vertices = curve->samples, primitive->vertex_count = curve->sample_count;
}

static void list_joint(const tp_model *model, const tp_model_joint *joint, const tp_body_look *looks,
                       double size, tp_marks *io)
{
    lister l = begin(looks, io, mark_of_joint(model, joint), size);
    l.primitive.name = joint->name;
    l.primitive.role = TP_ROLE_JOINT;
    l.primitive.colour = joint_colour;
    for (int k = 0; k < PARTS; k++) {
        const mark_part *part = &joint_parts[joint->joint.kind][k];
        if (k == 0 && !part->is_there && tp_joint_has_point(&joint->joint)) part = &plain_part;
        if (!part->is_there) continue;
        tp_primitive *primitive = add(&l, part->kind, part->way, part->way == TP_MARK_BETWEEN ? 2 : 0);
        for (int j = 0; j < 3 && primitive != NULL; j++) primitive->size[j] = l.size * part->size[j];
    }
    if (joint->joint.kind == TP_JOINT_POINT_ON_CURVE) add_curve(&l, joint->joint.row[0].curve);
}

/* ---- springs ------------------------------------------------------------------------------------------- */

static double length_at_start(const tp_model *model, const tp_mark *mark)
{
    tp_frame A = tp_model_frame_at_start(model, mark->body_a),
             B = tp_model_frame_at_start(model, mark->body_b);
    return tp_vec3_norm(
        tp_vec3_sub(tp_frame_point(&B, mark->on_B.point), tp_frame_point(&A, mark->on_A.point)));
}

static void add_coil(const tp_model *model, lister *l)
{
    double radius = coil_part * length_at_start(model, &l->mark);
    add_between(l, TP_PRIMITIVE_COIL, fmin(fmax(radius, coil_least * l->size), coil_most * l->size));
}

/* A rope is a line, a damper alone a line with its cylinder. */
static void add_spring(const tp_model *model, lister *l, const tp_spring *spring)
{
    if (spring->stiffness > 0.0 && !spring->is_rope) {
        add_coil(model, l);
        return;
    }
    add_between(l, TP_PRIMITIVE_LINE, 0.0);
    if (spring->is_rope) return;
    tp_primitive *cylinder = add(l, TP_PRIMITIVE_CYLINDER, TP_MARK_MIDWAY, 0);
    if (cylinder != NULL) cylinder->size[0] = l->size, cylinder->size[1] = 2.0 * l->size;
}

/* A spiral around the axis. */
static void add_spiral(lister *l)
{
    static const double inner = 0.8, outer = 2.4, turns = 2.5, two_pi = 6.283185307179586;
    tp_primitive *spiral = add(l, TP_PRIMITIVE_LINE, TP_MARK_ON_A, SPIRAL_POINTS);
    for (int k = 0; k < SPIRAL_POINTS && spiral != NULL; k++) {
        double part = (double)k / (SPIRAL_POINTS - 1), angle = two_pi * turns * part;
        double radius = l->size * (inner + (outer - inner) * part);
        own_vertices(l, spiral)[k] = tp_vec3_make(radius * cos(angle), radius * sin(angle), 0.0);
    }
}

static void list_force(const tp_model *model, const tp_model_force *force, const tp_body_look *looks,
                       double size, tp_marks *io)
{
    tp_mark mark = {.body_a = force->body_a, .body_b = force->body_b};
    bool is_on_joint = force->element.kind == TP_FORCE_COORDINATE_SPRING;
    const tp_model_joint *joint =
        is_on_joint ? TP_LIST_AT(model->joints, tp_model_joint, force->joint) : NULL;
    if (joint != NULL) mark = mark_of_joint(model, joint);
    lister l = begin(looks, io, mark, size);
    l.primitive.name = force->name;
    l.primitive.role = TP_ROLE_SPRING;
    l.primitive.colour = spring_colour;
    switch (force->element.kind) {
    case TP_FORCE_SPRING:
        l.mark.on_A.point = force->element.as.spring.point_A;
        l.mark.on_B.point = force->element.as.spring.point_B;
        add_spring(model, &l, &force->element.as.spring);
        break;
    case TP_FORCE_COORDINATE_SPRING:
        if (joint->joint.coordinate_is_angle[force->coordinate]) {
            add_spiral(&l);
        } else {
            add_coil(model, &l);
        }
        break;
    case TP_FORCE_BUSHING: {
        const tp_bushing *bushing = &force->element.as.bushing;
        l.mark.on_A = (tp_joint_frame){bushing->translation[0].row.point_A, bushing->axes_A};
        l.mark.on_B = (tp_joint_frame){bushing->translation[0].row.point_B, bushing->axes_B};
        tp_primitive *block = add(&l, TP_PRIMITIVE_BOX, TP_MARK_ON_B, 0);
        for (int k = 0; k < 3 && block != NULL; k++) block->size[k] = 1.2 * l.size;
        break;
    }
    case TP_FORCE_KIND_COUNT: break;
    }
}

/* ---- motors, limits and couplers ----------------------------------------------------------------------- */

/* An arrow along the axis of sliding. */
static void add_arrow(lister *l)
{
    static const double along[ARROW_POINTS] = {2.0, 6.0, 5.0, 6.0, 5.0},
                        across[ARROW_POINTS] = {0.0, 0.0, 0.7, 0.0, -0.7};
    tp_primitive *arrow = add(l, TP_PRIMITIVE_LINE, TP_MARK_ON_B, ARROW_POINTS);
    for (int k = 0; k < ARROW_POINTS && arrow != NULL; k++)
        own_vertices(l, arrow)[k] = tp_vec3_make(l->size * across[k], 0.0, l->size * along[k]);
}

/* A motor drives one coordinate to a target: a ring around the axis, or an arrow along it. */
static void add_motor(lister *l, const tp_combination *row, const tp_model_joint *joint)
{
    if (!joint->joint.coordinate_is_angle[row->coordinate[0]]) {
        add_arrow(l);
        return;
    }
    tp_primitive *ring = add(l, TP_PRIMITIVE_CIRCLE, TP_MARK_ON_B, 0);
    if (ring != NULL) ring->size[0] = 1.8 * l->size;
}

/* A limit is a stop in the frame on A: a line across the path of the point on B, or a radius in the direction
   of its x axis, where the coordinate is at its bound. The second angle of a universal joint turns about an
   axis that moves, and has none. */
static void add_limit(const tp_model *model, lister *l, const tp_combination *row,
                      const tp_model_joint *joint)
{
    int k = row->coordinate[0];
    tp_joint_kind kind = joint->joint.kind;
    if (kind == TP_JOINT_UNIVERSAL && k == 1) return;
    tp_primitive *stop = add(l, TP_PRIMITIVE_LINE, TP_MARK_ON_A, 2);
    if (stop == NULL) return;
    tp_frame A = tp_model_frame_at_start(model, joint->body_a),
             B = tp_model_frame_at_start(model, joint->body_b);
    tp_mat3 axes = tp_mat3_multiply(tp_frame_rotation(&A), l->mark.on_A.axes);
    double way = row->factor[0] * row->constant - tp_basic_row_value(&joint->joint.coordinate[k], &A, &B);
    tp_vec3 from_A =
                tp_vec3_sub(tp_frame_point(&B, joint->on_B.point), tp_frame_point(&A, l->mark.on_A.point)),
            centre = tp_mat3_apply_transposed(axes, from_A), *ends = own_vertices(l, stop);
    if (joint->joint.coordinate_is_angle[k]) {
        tp_vec3 x_B = tp_mat3_apply(tp_frame_rotation(&B), joint->on_B.axes.cx);
        double angle = atan2(tp_vec3_dot(x_B, axes.cy), tp_vec3_dot(x_B, axes.cx)) + way;
        tp_vec3 radius = tp_vec3_make(l->size * cos(angle), l->size * sin(angle), 0.0);
        ends[0] = tp_vec3_add_scaled(centre, stop_inner, radius);
        ends[1] = tp_vec3_add_scaled(centre, stop_outer, radius);
        return;
    }
    bool is_in_plane = kind == TP_JOINT_PLANAR || kind == TP_JOINT_POINT_ON_PLANE;
    int axis = is_in_plane ? k : 2; /* along x, y or z */
    centre = tp_vec3_add(centre,
                         tp_vec3_make(axis == 0 ? way : 0.0, axis == 1 ? way : 0.0, axis == 2 ? way : 0.0));
    tp_vec3 side = axis == 0 ? tp_vec3_make(0.0, l->size, 0.0) : tp_vec3_make(l->size, 0.0, 0.0);
    ends[0] = tp_vec3_add_scaled(centre, -stop_side, side);
    ends[1] = tp_vec3_add_scaled(centre, stop_side, side);
}

/* A coupler is a line from joint to joint. */
static void add_coupler(const tp_model *model, lister *l, const tp_combination *row)
{
    for (int k = 0; k < row->term_count; k++) {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, row->joint[k]);
        tp_mark before = l->mark, at = mark_of_joint(model, joint);
        l->mark =
            (tp_mark){.body_a = before.body_b, .on_A = before.on_B, .body_b = at.body_b, .on_B = at.on_B};
        if (k > 0) add_between(l, TP_PRIMITIVE_LINE, 0.0);
    }
}

/* What acts on coordinates of joints; dry friction has no mark. */
static void list_law(const tp_model *model, const tp_law *law, const tp_body_look *looks, double size,
                     tp_marks *io)
{
    if (law->source != TP_SOURCE_COMBINATION) return;
    const tp_combination *row = TP_LIST_AT(model->combinations, tp_combination, law->element);
    const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, row->joint[0]);
    lister l = begin(looks, io, mark_of_joint(model, joint), size);
    l.primitive.name = law->name;
    if (row->has_target) {
        l.primitive.role = TP_ROLE_MOTOR, l.primitive.colour = motor_colour;
        add_motor(&l, row, joint);
    } else if (law->level == TP_LEVEL_GAP) {
        l.primitive.role = TP_ROLE_LIMIT, l.primitive.colour = limit_colour;
        add_limit(model, &l, row, joint);
    } else if (row->term_count > 1) {
        l.primitive.role = TP_ROLE_COUPLER, l.primitive.colour = coupler_colour;
        add_coupler(model, &l, row);
    }
}

void tp_marks_list(const tp_model *model, const tp_body_look *looks, tp_marks *io)
{
    double size = part_of_model * tp_model_size_at_start(model);
    io->count = io->vertex_count = 0;
    for (int i = 0; i < model->elements.count; i++)
        list_force(model, TP_LIST_AT(model->elements, tp_model_force, i), looks, size, io);
    for (int i = 0; i < model->joints.count; i++)
        list_joint(model, TP_LIST_AT(model->joints, tp_model_joint, i), looks, size, io);
    for (int i = 0; i < model->laws.count; i++)
        list_law(model, TP_LIST_AT(model->laws, tp_law, i), looks, size, io);
}

/* ---- at a state ---------------------------------------------------------------------------------------- */

static void follow(const tp_frame *body, const tp_joint_frame *on_body, tp_primitive *primitive)
{
    primitive->position = tp_frame_point(body, on_body->point);
    primitive->orientation = tp_quat_from_matrix(tp_mat3_multiply(tp_frame_rotation(body), on_body->axes));
}

static void stand_midway(tp_vec3 from, tp_vec3 to, tp_primitive *primitive)
{
    tp_vec3 along = tp_vec3_sub(to, from);
    primitive->position = tp_vec3_scale(0.5, tp_vec3_add(from, to));
    if (!(tp_vec3_norm(along) > 0.0)) return; /* as it was */
    tp_mat3 axes = tp_frame_from_normal(tp_vec3_normalise(along));
    primitive->orientation = tp_quat_from_matrix(tp_mat3_from_columns(axes.cy, axes.cz, axes.cx));
}

void tp_marks_move(const tp_model *model, const tp_arguments *at, const tp_marks *marks)
{
    for (int i = 0; i < marks->count; i++) {
        const tp_mark *mark = &marks->marks[i];
        tp_primitive *primitive = &marks->primitives[i];
        tp_frame A = tp_model_frame_at(model, mark->body_a, at),
                 B = tp_model_frame_at(model, mark->body_b, at);
        tp_vec3 from = tp_frame_point(&A, mark->on_A.point), to = tp_frame_point(&B, mark->on_B.point);
        switch (mark->way) {
        case TP_MARK_ON_A: follow(&A, &mark->on_A, primitive); break;
        case TP_MARK_ON_B: follow(&B, &mark->on_B, primitive); break;
        case TP_MARK_MIDWAY: stand_midway(from, to, primitive); break;
        case TP_MARK_BETWEEN: {
            tp_vec3 *ends = &marks->vertices[primitive->vertices - marks->vertices];
            ends[0] = from, ends[1] = to;
            break;
        }
        }
    }
}
