/* Joints, springs and motors in drawings: what stands for them, where, and how it follows the bodies. */
#include "models.h"

static const double pi = 3.141592653589793;

static void add_bar(tp_model *model, const char *name, double x)
{
    tp_body_def body = tp_body_def_default();
    body.name = name, body.kind = TP_BODY_RIGID, body.mass = 1.0;
    body.inertia = tp_mat3_diagonal(tp_vec3_make(1.0, 1.0, 1.0));
    body.position = tp_vec3_make(x, 0.0, 0.0);
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
}

static tp_joint_def joint_between(const char *name, tp_joint_kind kind, tp_vec3 point, tp_vec3 axis)
{
    tp_joint_def def = tp_joint_def_default();
    def.name = name, def.kind = kind, def.is_in_world = true;
    def.A.point = point, def.A.axis = axis;
    return def;
}

/* Two bars of 2 m in a row on a hinge at the origin, a spring at their end, a motor at the hinge. */
static tp_model *chain(void)
{
    const tp_vec3 y = {0.0, 1.0, 0.0};
    tp_model *model = new_model();
    add_bar(model, "upper", 1.0);
    add_bar(model, "lower", 3.0);
    tp_joint_def hinge = joint_between("hinge", TP_JOINT_REVOLUTE, tp_vec3_zero(), y);
    must(model, tp_model_add_joint(model, "ground", "upper", &hinge, NULL, &build_why));
    tp_joint_def ball = joint_between("ball", TP_JOINT_SPHERICAL, tp_vec3_make(2.0, 0.0, 0.0), y);
    must(model, tp_model_add_joint(model, "upper", "lower", &ball, NULL, &build_why));
    tp_spring_def spring = tp_spring_def_default();
    spring.name = "spring", spring.stiffness = 1.0, spring.is_rest_as_placed = true;
    spring.point_A = tp_vec3_make(5.0, 0.0, 0.0), spring.point_B = tp_vec3_make(1.0, 0.0, 0.0);
    must(model, tp_model_add_spring(model, "ground", "lower", &spring, NULL, &build_why));
    tp_motor_def motor = tp_motor_def_default();
    motor.name = "motor", motor.on.joint = "hinge", motor.speed = TP_FORMULA("1"), motor.max_force = 2.0;
    must(model, tp_model_add_motor(model, &motor, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static const tp_primitive *find(const tp_primitive *list, int count, const char *name)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(list[k].name, name) == 0) return &list[k];
    }
    fail_msg("no figure of '%s'", name);
    return NULL;
}

static double distance(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(a, b));
}

/* The bars turned about the hinge by an angle; the second one turns with the first. */
static void turn(double angle, double *q)
{
    for (int i = 0; i < 2; i++) {
        double along = i == 0 ? 1.0 : 3.0, *pose = q + 7 * i;
        pose[0] = along * cos(angle), pose[1] = 0.0, pose[2] = -along * sin(angle);
        pose[3] = cos(0.5 * angle), pose[4] = 0.0, pose[5] = sin(0.5 * angle), pose[6] = 0.0;
    }
}

TEST(marks_stand_where_joints_and_springs_hold_the_bodies)
{
    const double angle = pi / 3.0, tolerance = 1e-15 * 8;
    tp_model *model = chain();
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    double q[14];
    int count = 0;
    turn(angle, q);
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
    CHECK_INT(count, 2 + 1 + 2 + 1); /* bars, spring, joints, motor */
    const tp_primitive *hinge = find(list, count, "hinge"), *ball = find(list, count, "ball"),
                       *spring = find(list, count, "spring"), *motor = find(list, count, "motor");
    CHECK(hinge->kind == TP_PRIMITIVE_CYLINDER && hinge->role == TP_ROLE_JOINT);
    CHECK(ball->kind == TP_PRIMITIVE_SPHERE && ball->role == TP_ROLE_JOINT);
    CHECK(spring->kind == TP_PRIMITIVE_COIL && spring->role == TP_ROLE_SPRING);
    CHECK(motor->kind == TP_PRIMITIVE_CIRCLE && motor->role == TP_ROLE_MOTOR);
    const tp_vec3 middle = {2.0 * cos(angle), 0.0, -2.0 * sin(angle)},
                  tip = {4.0 * cos(angle), 0.0, -4.0 * sin(angle)};
    CHECK_NEAR(tp_vec3_norm(hinge->position), 0.0, tolerance);
    CHECK_NEAR(distance(ball->position, middle), 0.0, tolerance);
    CHECK_INT(spring->vertex_count, 2);
    CHECK_NEAR(distance(spring->vertices[0], tp_vec3_make(5.0, 0.0, 0.0)), 0.0, 0.0);
    CHECK_NEAR(distance(spring->vertices[1], tip), 0.0, tolerance);
    /* The axis of the hinge is y, whatever the angle. */
    for (int k = 0; k < 2; k++) {
        const tp_primitive *mark = k == 0 ? hinge : motor;
        CHECK_NEAR(fabs(tp_quat_rotate(mark->orientation, tp_vec3_make(0.0, 0.0, 1.0)).y), 1.0, tolerance);
    }
    CHECK(motor->size[0] > hinge->size[0]); /* a ring around it */
    tp_drawer_free(drawer);
    tp_model_free(model);
}

/* A bar without shape is a line through all that holds it. */
TEST(a_body_without_shape_reaches_from_joint_to_spring)
{
    tp_model *model = chain();
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    double q[14];
    int count = 0;
    turn(0.0, q);
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count),
                       *bar = find(list, count, "lower");
    CHECK(bar->kind == TP_PRIMITIVE_LINE && bar->role == TP_ROLE_BODY);
    CHECK_INT(bar->vertex_count, 4);
    CHECK_NEAR(distance(bar->vertices[0], tp_vec3_make(-1.0, 0.0, 0.0)), 0.0, 1e-15);
    CHECK_NEAR(distance(bar->vertices[2], tp_vec3_make(1.0, 0.0, 0.0)), 0.0, 1e-15);
    CHECK(tp_vec3_norm(bar->vertices[1]) == 0.0 && tp_vec3_norm(bar->vertices[3]) == 0.0);
    tp_drawer_free(drawer);
    tp_model_free(model);
}

/* Every kind of joint has the figures that the guide lists, and marks grow with the model. */
TEST(every_kind_of_joint_has_its_mark)
{
    static const struct {
        tp_joint_kind kind;
        int count;
        tp_primitive_kind first;
    } expected[] = {
        {TP_JOINT_FIXED, 1, TP_PRIMITIVE_BOX},
        {TP_JOINT_SPHERICAL, 1, TP_PRIMITIVE_SPHERE},
        {TP_JOINT_UNIVERSAL, 2, TP_PRIMITIVE_CYLINDER},
        {TP_JOINT_REVOLUTE, 1, TP_PRIMITIVE_CYLINDER},
        {TP_JOINT_CYLINDRICAL, 2, TP_PRIMITIVE_CYLINDER},
        {TP_JOINT_PRISMATIC, 2, TP_PRIMITIVE_BOX},
        {TP_JOINT_PLANAR, 1, TP_PRIMITIVE_BOX},
        {TP_JOINT_DISTANCE, 1, TP_PRIMITIVE_LINE},
        {TP_JOINT_SCREW, 2, TP_PRIMITIVE_CYLINDER},
        {TP_JOINT_POINT_ON_LINE, 2, TP_PRIMITIVE_SPHERE},
        {TP_JOINT_POINT_ON_PLANE, 1, TP_PRIMITIVE_SPHERE},
        {TP_JOINT_ORIENTATION, 0, TP_PRIMITIVE_POINT},
        {TP_JOINT_PARALLEL_AXES, 0, TP_PRIMITIVE_POINT},
    };
    double size[2] = {0.0, 0.0};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        for (int larger = 0; larger < 2; larger++) {
            double scale = larger == 1 ? 1000.0 : 1.0;
            tp_model *model = new_model();
            add_bar(model, "bar", scale);
            tp_joint_def def =
                joint_between("joint", expected[k].kind, tp_vec3_zero(), tp_vec3_make(0, 1, 0));
            def.pitch = 1.0;
            if (expected[k].kind == TP_JOINT_UNIVERSAL) def.B.second_axis = tp_vec3_make(0, 0, 1);
            def.has_point_B = expected[k].kind == TP_JOINT_DISTANCE;
            def.B.point = tp_vec3_make(scale, 0.0, 0.0);
            must(model, tp_model_add_joint(model, "ground", "bar", &def, NULL, &build_why));
            must(model, tp_model_finish(model, NULL, &build_why));
            tp_drawer *drawer = NULL;
            CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
            const double q[7] = {scale, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
            int count = 0;
            const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
            CHECK_INT(count, 1 + expected[k].count);
            if (expected[k].count > 0) CHECK_INT(list[1].kind, expected[k].first);
            for (int i = 0; i < count; i++) CHECK(tp_primitive_is_sound(&list[i]));
            if (count > 1) size[larger] = list[1].size[0];
            tp_drawer_free(drawer);
            tp_model_free(model);
        }
        CHECK_NEAR(size[1], 1000.0 * size[0], 1e-12 * size[1]); /* a distance has no size */
    }
}

/* Springs without stiffness are dampers, ropes are lines, springs on an angle are spirals. */
TEST(dampers_ropes_and_torsion_springs_look_different)
{
    tp_model *model = new_model();
    add_bar(model, "bar", 1.0);
    tp_joint_def hinge = joint_between("hinge", TP_JOINT_REVOLUTE, tp_vec3_zero(), tp_vec3_make(0, 1, 0));
    must(model, tp_model_add_joint(model, "ground", "bar", &hinge, NULL, &build_why));
    tp_spring_def spring = tp_spring_def_default();
    spring.point_A = tp_vec3_make(1.0, 0.0, 2.0), spring.is_rest_as_placed = true;
    spring.name = "damper", spring.damping = 1.0;
    must(model, tp_model_add_spring(model, "ground", "bar", &spring, NULL, &build_why));
    spring.name = "rope", spring.damping = 0.0, spring.stiffness = 1.0, spring.is_rope = true;
    must(model, tp_model_add_spring(model, "ground", "bar", &spring, NULL, &build_why));
    tp_coordinate_spring_def torsion = tp_coordinate_spring_def_default();
    torsion.name = "torsion", torsion.stiffness = 1.0;
    must(model, tp_model_add_coordinate_spring(model, (tp_joint_coordinate){"hinge", NULL}, &torsion, NULL,
                                               &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    const double q[7] = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    int count = 0;
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
    const tp_primitive *damper = find(list, count, "damper"), *rope = find(list, count, "rope"),
                       *spiral = find(list, count, "torsion");
    CHECK(damper[0].kind == TP_PRIMITIVE_LINE && damper[1].kind == TP_PRIMITIVE_CYLINDER);
    CHECK(strcmp(damper[1].name, "damper") == 0);
    CHECK_NEAR(distance(damper[1].position, tp_vec3_make(1.0, 0.0, 1.0)), 0.0, 1e-15);
    CHECK(rope->kind == TP_PRIMITIVE_LINE && rope->vertex_count == 2);
    CHECK(spiral->kind == TP_PRIMITIVE_LINE && spiral->vertex_count > 20);
    for (int k = 0; k < spiral->vertex_count; k++) { /* in the plane of the hinge */
        tp_vec3 at = tp_quat_rotate(spiral->orientation, spiral->vertices[k]);
        CHECK_NEAR(at.y, 0.0, 1e-15);
    }
    tp_drawer_free(drawer);
    tp_model_free(model);
}

/* World places of the ends of a line. */
static tp_vec3 end_of(const tp_primitive *line, int k)
{
    return tp_vec3_add(line->position, tp_quat_rotate(line->orientation, line->vertices[k]));
}

/* At the bound of an angle the stop points along the x axis of the hinge's mark, which turns with B; at the
   bound of a displacement the slider's point lies in the middle of the stop. */
TEST(limits_stand_where_coordinates_are_at_their_bounds)
{
    const double bounds[2] = {-0.3, 0.5}, tolerance = 1e-14;
    static const char *const angle_stops[2] = {"door.lower", "door.upper"}, *const way_stops[2] = {
                                                                                "rail.lower", "rail.upper"};
    tp_model *model = new_model();
    add_bar(model, "leaf", 1.0);
    add_bar(model, "slider", 3.0);
    tp_joint_def hinge = joint_between("hinge", TP_JOINT_REVOLUTE, tp_vec3_zero(), tp_vec3_make(0, 1, 0));
    must(model, tp_model_add_joint(model, "ground", "leaf", &hinge, NULL, &build_why));
    tp_joint_def guide =
        joint_between("guide", TP_JOINT_PRISMATIC, tp_vec3_make(3, 0, 0), tp_vec3_make(0, 0, 1));
    must(model, tp_model_add_joint(model, "ground", "slider", &guide, NULL, &build_why));
    tp_limit_def limit = tp_limit_def_default();
    limit.lower = bounds[0], limit.upper = bounds[1];
    limit.name = "door", limit.on.joint = "hinge";
    must(model, tp_model_add_limit(model, &limit, NULL, &build_why));
    limit.name = "rail", limit.on.joint = "guide";
    must(model, tp_model_add_limit(model, &limit, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    for (int k = 0; k < 2; k++) {
        double b = bounds[k];
        const double q[14] = {cos(b), 0.0, -sin(b), cos(0.5 * b), 0.0, sin(0.5 * b), 0.0, 3.0, 0.0, b, 1.0};
        int count = 0;
        const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count);
        CHECK_INT(count, 2 + 1 + 2 + 4); /* bars, marks of the two joints, stops */
        const tp_primitive *mark = find(list, count, "hinge"), *stop = find(list, count, angle_stops[k]),
                           *across = find(list, count, way_stops[k]);
        CHECK(stop->kind == TP_PRIMITIVE_LINE && stop->role == TP_ROLE_LIMIT && stop->vertex_count == 2);
        tp_vec3 along = tp_vec3_normalise(tp_vec3_sub(end_of(stop, 1), end_of(stop, 0))),
                x_B = tp_quat_rotate(mark->orientation, tp_vec3_make(1.0, 0.0, 0.0));
        CHECK_NEAR(distance(along, x_B), 0.0, tolerance);
        tp_vec3 middle = tp_vec3_scale(0.5, tp_vec3_add(end_of(across, 0), end_of(across, 1)));
        CHECK_NEAR(distance(middle, tp_vec3_make(3.0, 0.0, b)), 0.0, tolerance);
    }
    tp_drawer_free(drawer);
    tp_model_free(model);
}

TEST(a_coupler_is_a_line_from_joint_to_joint)
{
    tp_model *model = new_model();
    add_bar(model, "wheel", 0.0);
    add_bar(model, "rack", 3.0);
    tp_joint_def hinge = joint_between("hinge", TP_JOINT_REVOLUTE, tp_vec3_zero(), tp_vec3_make(0, 1, 0));
    must(model, tp_model_add_joint(model, "ground", "wheel", &hinge, NULL, &build_why));
    tp_joint_def guide =
        joint_between("guide", TP_JOINT_PRISMATIC, tp_vec3_make(3, 0, 0), tp_vec3_make(0, 0, 1));
    must(model, tp_model_add_joint(model, "ground", "rack", &guide, NULL, &build_why));
    tp_coupler_def coupler = tp_coupler_def_default();
    coupler.name = "mesh", coupler.term_count = 2;
    coupler.on[0].joint = "guide", coupler.factor[0] = 1.0;
    coupler.on[1].joint = "hinge", coupler.factor[1] = -0.5;
    must(model, tp_model_add_coupler(model, &coupler, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    const double q[14] = {0.0, 0.0, 0.0, cos(0.2), 0.0, sin(0.2), 0.0, 3.0, 0.0, 0.2, 1.0};
    int count = 0;
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, q, NULL, &count),
                       *line = find(list, count, "mesh");
    CHECK(line->kind == TP_PRIMITIVE_LINE && line->role == TP_ROLE_COUPLER);
    CHECK_NEAR(distance(line->vertices[0], tp_vec3_make(3.0, 0.0, 0.2)), 0.0, 1e-15);
    CHECK_NEAR(distance(line->vertices[1], tp_vec3_zero()), 0.0, 1e-15);
    tp_drawer_free(drawer);
    tp_model_free(model);
}

TEST_MAIN(RUNS(limits_stand_where_coordinates_are_at_their_bounds),
          RUNS(a_coupler_is_a_line_from_joint_to_joint),
          RUNS(marks_stand_where_joints_and_springs_hold_the_bodies),
          RUNS(a_body_without_shape_reaches_from_joint_to_spring), RUNS(every_kind_of_joint_has_its_mark),
          RUNS(dampers_ropes_and_torsion_springs_look_different))
