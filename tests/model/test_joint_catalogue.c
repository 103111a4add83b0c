/* The catalogue of joints: every kind at random placements and random poses within the joint; rows vanish,
   coordinates tell the pose, rows are independent, wrenches are in balance; docs/theory/joints.md (18)-(20).
 */
#include "check.h"
#include "pairs.h"

#include "math/analysis.h"
#include "model/joints/joint_kinds.h"

#include <float.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
/* Products of rotations that are orthogonal to a few units, on lengths of a few metres. */
static const double rounding = 256.0 * DBL_EPSILON;
enum { ROUNDS = 60 };

static bool has_planar(tp_joint_kind kind)
{
    return tp_joint_kind_info(kind)->planar_row_count > 0;
}

/* ---- poses ---- */

/* Pose of B's joint frame in A's, and the coordinates that say so. */
typedef struct relative_pose {
    tp_vec3 p;
    tp_mat3 R;
    double coordinate[TP_JOINT_COORDINATES];
} relative_pose;

static tp_mat3 about(int axis, double angle)
{
    tp_vec3 a = {axis == 0 ? angle : 0.0, axis == 1 ? angle : 0.0, axis == 2 ? angle : 0.0};
    return tp_rotation_exp(a);
}

static const double pitch = 0.25, rod = 1.7;

static relative_pose random_pose(check_random *random, tp_joint_kind kind)
{
    double angle = check_uniform(random, -3.0, 3.0), other = check_uniform(random, -3.0, 3.0);
    double x = check_uniform(random, -1.0, 1.0), y = check_uniform(random, -1.0, 1.0);
    tp_mat3 any = random_rotation(random), none = tp_mat3_identity();
    tp_vec3 anywhere = random_vec3(random, 1.0), origin = tp_vec3_zero(), c[4];
    switch (kind) {
    case TP_JOINT_FIXED: return (relative_pose){origin, none, {0}};
    case TP_JOINT_SPHERICAL: return (relative_pose){origin, any, {0}};
    case TP_JOINT_UNIVERSAL:
        return (relative_pose){origin, tp_mat3_multiply(about(2, angle), about(0, other)), {angle, other}};
    case TP_JOINT_REVOLUTE: return (relative_pose){origin, about(2, angle), {angle}};
    case TP_JOINT_CYLINDRICAL: return (relative_pose){{0.0, 0.0, x}, about(2, angle), {angle, x}};
    case TP_JOINT_PRISMATIC: return (relative_pose){{0.0, 0.0, x}, none, {x}};
    case TP_JOINT_PLANAR: return (relative_pose){{x, y, 0.0}, about(2, angle), {x, y, angle}};
    case TP_JOINT_DISTANCE: return (relative_pose){tp_vec3_scale(rod, random_direction(random)), any, {rod}};
    case TP_JOINT_SCREW:
        x = pitch * 7.0 * angle / (2.0 * pi);
        return (relative_pose){{0.0, 0.0, x}, about(2, 7.0 * angle), {remainder(7.0 * angle, 2.0 * pi), x}};
    case TP_JOINT_POINT_ON_LINE: return (relative_pose){{0.0, 0.0, x}, any, {x}};
    case TP_JOINT_POINT_ON_PLANE: return (relative_pose){{x, y, 0.0}, any, {x, y}};
    case TP_JOINT_POINT_ON_CURVE: helix(NULL, angle, c); return (relative_pose){c[0], any, {angle}};
    case TP_JOINT_ORIENTATION: return (relative_pose){anywhere, none, {0}};
    case TP_JOINT_PARALLEL_AXES: return (relative_pose){anywhere, about(2, angle), {angle}};
    case TP_JOINT_KIND_COUNT: break;
    }
    fail_msg("a kind of joint has no poses here");
    return (relative_pose){origin, none, {0}};
}

static relative_pose random_planar_pose(check_random *random, tp_joint_kind kind)
{
    double angle = check_uniform(random, -3.0, 3.0), x = check_uniform(random, -1.0, 1.0);
    double direction = check_uniform(random, -3.0, 3.0), y = check_uniform(random, -1.0, 1.0);
    tp_mat3 none = tp_mat3_identity(), turned = about(2, angle);
    switch (kind) {
    case TP_JOINT_FIXED: return (relative_pose){{0.0, 0.0, 0.0}, none, {0}};
    case TP_JOINT_REVOLUTE: return (relative_pose){{0.0, 0.0, 0.0}, turned, {angle}};
    case TP_JOINT_PRISMATIC: return (relative_pose){{x, 0.0, 0.0}, none, {x}};
    case TP_JOINT_DISTANCE:
        return (relative_pose){{rod * cos(direction), rod * sin(direction), 0.0}, turned, {rod}};
    case TP_JOINT_POINT_ON_LINE: return (relative_pose){{x, 0.0, 0.0}, turned, {x}};
    case TP_JOINT_POINT_ON_CURVE:
        return (relative_pose){{cos(direction), sin(direction), 0.0}, turned, {direction}};
    case TP_JOINT_ORIENTATION: return (relative_pose){{x, y, 0.0}, none, {0}};
    default: fail_msg("joint %s has no poses in the plane here", tp_joint_kind_info(kind)->name);
    }
    return (relative_pose){{0.0, 0.0, 0.0}, none, {0}};
}

/* The frame of B for a pose, with the joint frames on both bodies. */
static tp_frame frame_at(const tp_frame *A, const tp_joint_frame *on_A, const tp_joint_frame *on_B,
                         const relative_pose *pose)
{
    tp_mat3 axes = tp_mat3_multiply(tp_mat3_multiply(A->D, on_A->axes), pose->R);
    tp_frame B = {.D = tp_mat3_multiply(axes, tp_mat3_transpose(on_B->axes))};
    tp_vec3 p = tp_frame_point(A, tp_vec3_add(on_A->point, tp_mat3_apply(on_A->axes, pose->p)));
    B.r = tp_vec3_sub(p, tp_frame_direction(&B, on_B->point));
    return B;
}

/* ---- random definitions ---- */

static tp_frame planar_frame(check_random *random)
{
    tp_vec3 r = random_vec3(random, 1.0);
    r.z = 0.0;
    return (tp_frame){r, about(2, check_uniform(random, -3.0, 3.0))};
}

static tp_vec3 in_plane(tp_vec3 a, bool is_planar)
{
    if (is_planar) a.z = 0.0;
    return a;
}

static tp_joint_def random_def(check_random *random, tp_joint_kind kind, bool is_planar)
{
    tp_joint_def def = tp_joint_def_default();
    tp_mat3 axes = random_rotation(random), axes_B = random_rotation(random);
    double size = check_uniform(random, 0.5, 2.0); /* axes need not be unit vectors */
    def.name = "test";
    def.kind = kind;
    def.is_planar = is_planar;
    def.length = rod;
    def.pitch = pitch;
    def.curve = (tp_curve_def){.evaluate = helix, .begin = -4.0, .end = 4.0};
    if (is_planar) def.curve = (tp_curve_def){.evaluate = circle, .begin = -pi, .end = pi, .is_closed = true};
    def.A.point = in_plane(random_vec3(random, 0.5), is_planar);
    def.A.axis = in_plane(tp_vec3_scale(size, axes.cz), is_planar);
    if (check_random_bits(random) % 2 && !is_planar) def.A.second_axis = tp_vec3_scale(size, axes.cx);
    def.has_point_B = true;
    def.B.point = in_plane(random_vec3(random, 0.5), is_planar);
    def.B.axis = in_plane(tp_vec3_scale(size, axes_B.cz), is_planar);
    if (!is_planar) def.B.second_axis = axes_B.cx;
    return def;
}

static void build(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_arena *arena,
                  tp_joint *joint)
{
    tp_message message = {""};
    if (tp_joint_build(def, A, B, arena, joint, &message) != TP_OK) {
        print_error("%s: %s\n", tp_joint_kind_info(def->kind)->name, message.text);
        fail();
    }
}

/* Rank of the rows as columns of wrenches on both bodies, or on B alone. */
static int row_rank(const tp_joint *joint, const tp_frame *A, const tp_frame *B, bool is_B_alone)
{
    double W[TP_PAIR_SIZE * TP_JOINT_ROWS], WB[6 * TP_JOINT_ROWS];
    int rank = -1, n = joint->row_count;
    for (int k = 0; k < n; k++) {
        tp_basic_row_rigid(&joint->row[k], A, B, W + TP_PAIR_SIZE * k, NULL);
        memcpy(WB + 6 * k, W + TP_PAIR_SIZE * k + 6, 6 * sizeof(double));
    }
    tp_analysis_rank(NULL, is_B_alone ? 6 : TP_PAIR_SIZE, n, is_B_alone ? WB : W, 1e-6, &rank);
    return rank;
}

TEST(rows_vanish_and_coordinates_tell_the_pose_everywhere_within_a_joint)
{
    check_random random = {601};
    for (int round = 0; round < ROUNDS * TP_JOINT_KIND_COUNT; round++) {
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_joint_kind kind = (tp_joint_kind)(round % TP_JOINT_KIND_COUNT);
        const tp_joint_info *info = tp_joint_kind_info(kind);
        tp_joint_def def = random_def(&random, kind, false);
        tp_frame A0 = random_rigid_frame(&random), B0 = random_rigid_frame(&random);
        tp_joint joint;
        tp_joint_frame on_A, on_B;
        build(&def, &A0, &B0, &arena, &joint);
        CHECK(tp_joint_place(&def, &A0, &B0, &on_A, &on_B, NULL) == TP_OK);
        CHECK_INT(joint.row_count, info->row_count);
        CHECK_INT(joint.coordinate_count, info->coordinate_count);

        tp_frame A = random_rigid_frame(&random);
        relative_pose pose = random_pose(&random, kind);
        tp_frame B = frame_at(&A, &on_A, &on_B, &pose);
        for (int k = 0; k < joint.row_count; k++) {
            CHECK_NEAR(tp_basic_row_value(&joint.row[k], &A, &B), 0.0, rounding);
            CHECK((joint.angle_rows >> k & 1u) == (joint.row[k].kind == TP_ROW_AXES));
        }
        for (int k = 0; k < joint.coordinate_count; k++) {
            CHECK(strcmp(joint.coordinate_name[k], info->coordinates[k]) == 0);
            CHECK_NEAR(tp_basic_row_value(&joint.coordinate[k], &A, &B), pose.coordinate[k], rounding);
        }
        /* Rows are independent, also when A does not move. */
        CHECK_INT(row_rank(&joint, &A, &B, false), joint.row_count);
        CHECK_INT(row_rank(&joint, &A, &B, true), joint.row_count);
        for (int k = 0; k < joint.row_count; k++) {
            tp_wrench on_A_wrench, on_B_wrench;
            tp_basic_row_wrenches(&joint.row[k], &A, &B, &on_A_wrench, &on_B_wrench);
            CHECK_NEAR(imbalance(&A, &B, &on_A_wrench, &on_B_wrench), 0.0, rounding);
        }
        tp_arena_clear(&arena);
    }
}

/* Motion along each free direction leaves the rows at rest: rows and coordinates together span all six. */
TEST(rows_and_coordinates_of_lower_pairs_span_all_motions)
{
    static const tp_joint_kind pairs[] = {TP_JOINT_FIXED,       TP_JOINT_UNIVERSAL, TP_JOINT_REVOLUTE,
                                          TP_JOINT_CYLINDRICAL, TP_JOINT_PRISMATIC, TP_JOINT_PLANAR};
    enum { PAIRS = sizeof pairs / sizeof pairs[0] };
    check_random random = {602};
    for (int round = 0; round < ROUNDS * PAIRS; round++) {
        tp_joint_def def = random_def(&random, pairs[round % PAIRS], false);
        tp_frame A = random_rigid_frame(&random), B0 = random_rigid_frame(&random);
        tp_joint joint;
        tp_joint_frame on_A, on_B;
        build(&def, &A, &B0, NULL, &joint);
        CHECK(tp_joint_place(&def, &A, &B0, &on_A, &on_B, NULL) == TP_OK);
        relative_pose pose = random_pose(&random, def.kind);
        tp_frame B = frame_at(&A, &on_A, &on_B, &pose);
        CHECK_INT(joint.row_count + joint.coordinate_count, 6);
        for (int k = 0; k < joint.coordinate_count; k++) {
            joint.row[joint.row_count + k] = joint.coordinate[k];
        }
        joint.row_count = 6;
        CHECK_INT(row_rank(&joint, &A, &B, true), 6);
    }
}

TEST(planar_joints_keep_only_the_rows_of_the_plane)
{
    check_random random = {603};
    for (int round = 0; round < ROUNDS * TP_JOINT_KIND_COUNT; round++) {
        tp_joint_kind kind = (tp_joint_kind)(round % TP_JOINT_KIND_COUNT);
        if (!has_planar(kind)) continue;
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_joint_def def = random_def(&random, kind, true);
        tp_frame A0 = planar_frame(&random), B0 = planar_frame(&random), A = planar_frame(&random);
        tp_joint joint;
        tp_joint_frame on_A, on_B;
        build(&def, &A0, &B0, &arena, &joint);
        CHECK(tp_joint_place(&def, &A0, &B0, &on_A, &on_B, NULL) == TP_OK);
        CHECK_INT(joint.row_count, tp_joint_kind_info(kind)->planar_row_count);
        relative_pose pose = random_planar_pose(&random, kind);
        tp_frame B = frame_at(&A, &on_A, &on_B, &pose);
        double W[6 * 3]; /* on B: x, y, angle */
        for (int k = 0; k < joint.row_count; k++) {
            tp_wrench wrench_A, wrench_B;
            double value = tp_basic_row_wrenches(&joint.row[k], &A, &B, &wrench_A, &wrench_B);
            CHECK_NEAR(value, 0.0, rounding);
            CHECK_NEAR(imbalance(&A, &B, &wrench_A, &wrench_B), 0.0, rounding);
            W[3 * k] = wrench_B.force.x;
            W[3 * k + 1] = wrench_B.force.y;
            W[3 * k + 2] = wrench_B.moment.z;
        }
        int rank = -1;
        tp_analysis_rank(NULL, 3, joint.row_count, W, 1e-6, &rank);
        CHECK_INT(rank, joint.row_count);
        for (int k = 0; k < joint.coordinate_count; k++) {
            CHECK_NEAR(tp_basic_row_value(&joint.coordinate[k], &A, &B), pose.coordinate[k], rounding);
        }
        tp_arena_clear(&arena);
    }
}

/* What is not given for B is taken from where A's is: rows and angles begin at zero. */
TEST(a_joint_placed_in_the_world_begins_at_zero)
{
    check_random random = {604};
    for (int round = 0; round < ROUNDS * TP_JOINT_KIND_COUNT; round++) {
        tp_joint_def def = random_def(&random, (tp_joint_kind)(round % TP_JOINT_KIND_COUNT), false);
        if (def.kind == TP_JOINT_POINT_ON_CURVE) continue; /* the point must be put on the curve */
        def.is_in_world = round % 2 == 0;
        def.B = (tp_joint_side){.point = def.B.point};
        def.has_point_B = def.kind == TP_JOINT_DISTANCE;
        def.length = 0.0;
        tp_frame A = random_rigid_frame(&random), B = random_rigid_frame(&random);
        tp_joint joint;
        build(&def, &A, &B, NULL, &joint);
        for (int k = 0; k < joint.row_count; k++) {
            CHECK_NEAR(tp_basic_row_value(&joint.row[k], &A, &B), 0.0, rounding);
        }
        for (int k = 0; k < joint.coordinate_count && def.kind != TP_JOINT_DISTANCE; k++) {
            CHECK_NEAR(tp_basic_row_value(&joint.coordinate[k], &A, &B), 0.0, rounding);
        }
    }
}

TEST(world_data_and_body_data_make_the_same_joint)
{
    check_random random = {605};
    for (int round = 0; round < ROUNDS * TP_JOINT_KIND_COUNT; round++) {
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_joint_def def = random_def(&random, (tp_joint_kind)(round % TP_JOINT_KIND_COUNT), false),
                     world = def;
        tp_frame A = random_rigid_frame(&random), B = random_rigid_frame(&random);
        world.is_in_world = true;
        world.A = (tp_joint_side){tp_frame_point(&A, def.A.point), tp_frame_direction(&A, def.A.axis),
                                  tp_frame_direction(&A, def.A.second_axis)};
        world.B = (tp_joint_side){tp_frame_point(&B, def.B.point), tp_frame_direction(&B, def.B.axis),
                                  tp_frame_direction(&B, def.B.second_axis)};
        tp_joint local, global;
        build(&def, &A, &B, &arena, &local);
        build(&world, &A, &B, &arena, &global);
        A = random_rigid_frame(&random);
        B.r = tp_vec3_add_scaled(B.r, 0.1, random_direction(&random));
        for (int k = 0; k < local.row_count; k++) {
            CHECK_NEAR(tp_basic_row_value(&global.row[k], &A, &B), tp_basic_row_value(&local.row[k], &A, &B),
                       rounding);
        }
        tp_arena_clear(&arena);
    }
}

/* The rows of a fixed joint are, near the placement, the six small displacements and rotations themselves. */
TEST(the_rows_of_a_fixed_joint_are_perfectly_conditioned)
{
    check_random random = {606};
    for (int round = 0; round < ROUNDS; round++) {
        tp_joint_def def = random_def(&random, TP_JOINT_ORIENTATION, false);
        def.B = def.A = (tp_joint_side){0};
        tp_frame A = random_rigid_frame(&random), B = random_rigid_frame(&random);
        tp_joint joint;
        build(&def, &A, &B, NULL, &joint);
        tp_vec3 turn = random_vec3(&random, 1e-6);
        B.D = tp_mat3_multiply(tp_rotation_exp(tp_frame_direction(&A, turn)), B.D);
        double expected[3] = {turn.x, turn.y, turn.z};
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(tp_basic_row_value(&joint.row[k], &A, &B), expected[k], 2e-12); /* second order */
        }
    }
}

TEST(friction_is_bounded_by_the_rows_that_press)
{
    static const struct {
        tp_joint_kind kind;
        int first, count;
    } expected[] = {{TP_JOINT_REVOLUTE, 0, 3},      {TP_JOINT_SPHERICAL, 0, 3},  {TP_JOINT_CYLINDRICAL, 2, 2},
                    {TP_JOINT_PRISMATIC, 3, 2},     {TP_JOINT_PLANAR, 2, 1},     {TP_JOINT_SCREW, 2, 3},
                    {TP_JOINT_POINT_ON_LINE, 0, 2}, {TP_JOINT_FIXED, 0, 0},      {TP_JOINT_DISTANCE, 0, 0},
                    {TP_JOINT_PARALLEL_AXES, 0, 0}, {TP_JOINT_ORIENTATION, 0, 0}};
    check_random random = {607};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        tp_joint_def def = random_def(&random, expected[i].kind, false);
        tp_frame A = tp_frame_identity(), B = random_rigid_frame(&random);
        tp_joint joint;
        build(&def, &A, &B, NULL, &joint);
        CHECK_INT(joint.friction_first, expected[i].first);
        CHECK_INT(joint.friction_count, expected[i].count);
    }
}

TEST(kinds_are_found_by_their_names)
{
    for (int k = 0; k < TP_JOINT_KIND_COUNT; k++) {
        CHECK_INT(tp_joint_kind_find(tp_joint_kind_info((tp_joint_kind)k)->name), k);
    }
    CHECK_INT(tp_joint_kind_find("hinge"), TP_JOINT_KIND_COUNT);
    CHECK(tp_joint_kind_info(TP_JOINT_KIND_COUNT) == NULL);
}

static const tp_vec3 z_axis = {0.0, 0.0, 1.0}, oblique = {1.0, 0.0, 1.0};

TEST(unsound_joints_are_refused_with_the_reason)
{
    const struct {
        tp_joint_def def;
        const char *says;
    } cases[] = {
        {{.kind = TP_JOINT_REVOLUTE}, "axis has length 0"},
        {{.kind = TP_JOINT_PRISMATIC, .is_planar = true}, "axis has length 0"},
        {{.kind = TP_JOINT_REVOLUTE, .A = {.axis = {NAN, 0.0, 1.0}}}, "axis on body A is not finite"},
        {{.kind = TP_JOINT_REVOLUTE, .A = {.axis = {1e300, 1e300, 0.0}}}, "too large"},
        {{.kind = TP_JOINT_SPHERICAL, .B = {.point = {0.0, INFINITY, 0.0}}}, "point on body B"},
        {{.kind = TP_JOINT_REVOLUTE, .A = {.axis = z_axis, .second_axis = oblique}}, "must be orthogonal"},
        {{.kind = TP_JOINT_REVOLUTE, .A = {.axis = z_axis}, .B = {.axis = z_axis, .second_axis = oblique}},
         "must be orthogonal"},
        {{.kind = TP_JOINT_UNIVERSAL, .A = {.axis = z_axis}, .B = {.second_axis = z_axis}}, "parallel"},
        {{.kind = TP_JOINT_DISTANCE}, "both points are the same"},
        {{.kind = TP_JOINT_DISTANCE, .length = -1.0}, "length is -1"},
        {{.kind = TP_JOINT_DISTANCE, .length = NAN}, "length is"},
        {{.kind = TP_JOINT_SCREW, .A = {.axis = z_axis}}, "pitch is 0"},
        {{.kind = TP_JOINT_SPHERICAL, .is_planar = true}, "there are: fixed, revolute, prismatic"},
        {{.kind = TP_JOINT_PRISMATIC, .is_planar = true, .A = {.axis = oblique}}, "leaves the plane"},
        {{.kind = TP_JOINT_REVOLUTE, .is_planar = true, .A = {.point = z_axis}}, "z = 1 m"},
        {{.kind = TP_JOINT_POINT_ON_CURVE}, "either points or a function"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        tp_joint_def def = cases[i].def;
        tp_frame A = tp_frame_identity(), B = A;
        tp_joint joint;
        tp_message message = {""};
        def.name = "hinge";
        def.place = (tp_place){"scene.yaml", 7, 3};
        CHECK(tp_joint_build(&def, &A, &B, &arena, &joint, &message) == TP_INVALID_DATA);
        if (strstr(message.text, cases[i].says) == NULL) print_error("%s\n", message.text);
        CHECK(strstr(message.text, cases[i].says) != NULL);
        CHECK(strstr(message.text, "scene.yaml:7:3: joint 'hinge'") == message.text);
        tp_arena_clear(&arena);
    }
}

TEST_MAIN(RUNS(rows_vanish_and_coordinates_tell_the_pose_everywhere_within_a_joint),
          RUNS(rows_and_coordinates_of_lower_pairs_span_all_motions),
          RUNS(planar_joints_keep_only_the_rows_of_the_plane),
          RUNS(a_joint_placed_in_the_world_begins_at_zero),
          RUNS(world_data_and_body_data_make_the_same_joint),
          RUNS(the_rows_of_a_fixed_joint_are_perfectly_conditioned),
          RUNS(friction_is_bounded_by_the_rows_that_press), RUNS(kinds_are_found_by_their_names),
          RUNS(unsound_joints_are_refused_with_the_reason))
