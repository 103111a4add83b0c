/* Rows of joints, limits, motors, couplers and joint friction through the system, against differences along
   random motions: gamma = W u + chi is the rate of the positions that the system itself tells. */
#include "mechanisms.h"

#include "math/analysis.h"
#include "model/pairs.h"
#include "random_point.h"
#include "rows.h"
#include "second_level.h"
#include "system/discrete.h"

#include <float.h>

enum { ROUNDS = 12, MOST = POINT_MOST };

static const double pitch = 0.25;

static tp_quat random_orientation(check_random *random, bool is_planar)
{
    if (is_planar)
        return tp_quat_from_axis_angle(tp_vec3_make(0.0, 0.0, 1.0), check_uniform(random, -3.0, 3.0));
    return tp_quat_from_matrix(random_rotation(random));
}

/* A joint of a kind between two bodies, somewhere between them; data that the kind needs. */
static void add_kind(tp_model *model, check_random *random, tp_joint_kind kind, bool is_planar,
                     const char *name, const char *a, const char *b)
{
    tp_joint_def def = tp_joint_def_default();
    def.name = name;
    def.kind = kind;
    def.is_in_world = true;
    def.A.point = random_vec3(random, 1.0);
    if (is_planar) def.A.point.z = 0.0;
    bool slides = kind == TP_JOINT_PRISMATIC || kind == TP_JOINT_POINT_ON_LINE;
    def.A.axis = is_planar ? tp_vec3_make(slides, slides ? 0.4 : 0.0, !slides) : random_direction(random);
    if (kind == TP_JOINT_DISTANCE) {
        def.has_point_B = true;
        def.B.point = tp_vec3_add(def.A.point, tp_vec3_make(0.8, -0.7, is_planar ? 0.0 : 0.5));
    }
    if (kind == TP_JOINT_UNIVERSAL) def.B.second_axis = tp_vec3_cross(def.A.axis, random_direction(random));
    if (kind == TP_JOINT_SCREW) def.pitch = pitch;
    if (kind == TP_JOINT_POINT_ON_CURVE) {
        tp_vec3 x = is_planar ? tp_vec3_make(1.0, 0.0, 0.0)
                              : tp_vec3_normalise(tp_vec3_cross(def.A.axis, random_direction(random)));
        def.A.second_axis = x;
        def.curve = (tp_curve_def){.evaluate = is_planar ? circle : helix, .begin = -3.0, .end = 3.0};
        def.curve.is_closed = false;
        def.has_point_B = true; /* c(0) = x */
        def.B.point = tp_vec3_add(def.A.point, x);
    }
    must(model, tp_model_add_joint(model, a, b, &def, NULL, &build_why));
}

/* Everything that can act on the coordinates of a joint. */
static void add_on_coordinates(tp_model *model, const char *joint, tp_joint_kind kind, const char *other)
{
    const tp_joint_info *info = tp_joint_kind_info(kind);
    for (int k = 0; k < info->coordinate_count; k++) {
        char name[64];
        tp_joint_coordinate on = {joint, info->coordinates[k]};
        if (tp_model_find_body(model, "pa") >= 0 && info->planar_row_count == 0) continue;
        tp_limit_def limit = tp_limit_def_default();
        snprintf(name, sizeof name, "limit %s %d", joint, k);
        limit.name = name;
        limit.on = on;
        limit.lower = -7.0;
        limit.upper = 8.0;
        must(model, tp_model_add_limit(model, &limit, NULL, &build_why));
        tp_motor_def motor = tp_motor_def_default();
        snprintf(name, sizeof name, "speed %s %d", joint, k);
        motor.name = name;
        motor.on = on;
        motor.speed = TP_FORMULA("0.3*t + 0.2*sin(t)");
        motor.max_force = 2.0;
        must(model, tp_model_add_motor(model, &motor, NULL, &build_why));
        tp_coupler_def coupler = tp_coupler_def_default();
        snprintf(name, sizeof name, "coupler %s %d", joint, k);
        coupler.name = name;
        coupler.term_count = 2;
        coupler.on[0] = on;
        coupler.on[1] = (tp_joint_coordinate){other, NULL};
        coupler.factor[0] = 1.0;
        coupler.factor[1] = -0.7;
        must(model, tp_model_add_coupler(model, &coupler, NULL, &build_why));
    }
}

static void add_position_motor(tp_model *model, const char *joint)
{
    tp_motor_def motor = tp_motor_def_default();
    motor.name = "drive";
    motor.on = (tp_joint_coordinate){joint, NULL};
    motor.position = TP_FORMULA("0.2*t^2");
    must(model, tp_model_add_motor(model, &motor, NULL, &build_why));
}

static void add_friction(tp_model *model, const char *joint, tp_joint_kind kind)
{
    if (kind != TP_JOINT_REVOLUTE && kind != TP_JOINT_CYLINDRICAL && kind != TP_JOINT_PRISMATIC &&
        kind != TP_JOINT_SPHERICAL)
        return;
    tp_joint_friction_def def = tp_joint_friction_def_default();
    char name[64];
    snprintf(name, sizeof name, "friction %s", joint);
    def.name = name;
    def.joint = joint;
    def.coefficient = 0.3;
    def.radius = 0.1;
    must(model, tp_model_add_joint_friction(model, &def, NULL, &build_why));
}

/* Two bodies, a driven hinge of the first, and the kind in question against the ground, between both, and
   against a moving body on either side. */
static tp_model *model_of(check_random *random, tp_joint_kind kind, tp_body_kind body)
{
    bool is_planar = body == TP_BODY_PLANAR;
    tp_model *model = new_model();
    const char *a = is_planar ? "pa" : "a", *b = is_planar ? "pb" : "b";
    tp_vec3 z = {0.0, 0.0, 1.0};
    for (int k = 0; k < 2; k++) {
        tp_vec3 r = random_vec3(random, 1.0);
        if (is_planar) r.z = 0.0;
        add_body(model, body, k == 0 ? a : b, r, random_orientation(random, is_planar));
    }
    add_moving_body(model, "m");
    add_joint(model, TP_JOINT_REVOLUTE, "hinge", "ground", a, tp_vec3_make(0.3, 0.2, 0.0), z);
    add_position_motor(model, "hinge");
    static const char *const names[] = {"j0", "j1", "j2", "j3"};
    const char *bodies[4][2] = {{"ground", a}, {a, b}, {"m", b}, {b, "m"}};
    for (int k = 0; k < 4; k++) {
        add_kind(model, random, kind, is_planar, names[k], bodies[k][0], bodies[k][1]);
        add_on_coordinates(model, names[k], kind, "hinge");
        add_friction(model, names[k], kind);
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* The positions that rows are the rates of: of laws on velocities the coordinate they act on. */
static void positions_of(tp_system *system, int index, double *g_out)
{
    const tp_law *law = tp_system_law(system, index);
    if (law->level != TP_LEVEL_VELOCITY) {
        tp_system_law_positions(system, index, g_out);
        return;
    }
    const tp_combination *c = TP_LIST_AT(system->model->combinations, tp_combination, law->element);
    g_out[0] = tp_system_joint_coordinate(system, c->joint[0], c->coordinate[0]);
}

/* The thread of a screw knows its place up to whole turns. */
static bool is_screw(const tp_system *system, int index)
{
    const tp_law *law = tp_system_law(system, index);
    return law->source == TP_SOURCE_JOINT &&
           TP_LIST_AT(system->model->joints, tp_model_joint, law->element)->joint.kind == TP_JOINT_SCREW;
}

/* In a realised model u = q'. */
static const double *rate_of(const tp_system *system)
{
    return system->argument_q == system->q_count ? tp_system_rate(system) : system->u;
}

/* Rates of positions along the motion q' = q'(q, u), by a central difference of fourth order. */
static void difference(tp_system *system, const point *p, int law, int rows, double *out)
{
    const double s = 1e-3, offsets[4] = {s, -s, 2.0 * s, -2.0 * s}, weights[4] = {8.0, -8.0, -1.0, 1.0};
    double rate[MOST], start[TP_LAW_ROWS];
    tp_system_move(system, p->t, p->q, p->u);
    positions_of(system, law, start);
    memcpy(rate, rate_of(system), (size_t)system->q_count * sizeof(double));
    memset(out, 0, (size_t)rows * sizeof(double));
    for (int k = 0; k < 4; k++) {
        double q[MOST], g[TP_LAW_ROWS];
        for (int i = 0; i < system->q_count; i++) q[i] = p->q[i] + offsets[k] * rate[i];
        tp_system_normalise(system, q);
        tp_system_move(system, p->t + offsets[k], q, p->u);
        positions_of(system, law, g);
        if (is_screw(system, law)) g[4] = start[4] + remainder(g[4] - start[4], pitch);
        for (int r = 0; r < rows; r++) out[r] += weights[k] * g[r] / (12.0 * s);
    }
    tp_system_move(system, p->t, p->q, p->u);
}

/* The truncation error is s^4 g^(5)/30 with rates below 3 rad/s and curvatures of order 1, and rounding
   eps/s: both below 1e-9; curves and atan2 at small distances are sharper. */
static const double tolerance = 2e-8;

static void check_spin(void **check_state_, tp_system *system, const tp_law *law, const double *gamma)
{
    const tp_model_joint *joint = TP_LIST_AT(system->model->joints, tp_model_joint, law->element);
    tp_vec3 w =
        tp_vec3_sub(tp_system_body(system, joint->body_b)->w, tp_system_body(system, joint->body_a)->w);
    CHECK_NEAR(gamma[0], w.x, 1e-13);
    CHECK_NEAR(gamma[1], w.y, 1e-13);
    CHECK_NEAR(gamma[2], w.z, 1e-13);
}

static int check_laws(void **check_state_, tp_system *system, const point *p)
{
    int checked = 0;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        int count = tp_system_law_column_count(system, i), rows = law->row_count;
        double W[TP_LAW_ROWS * MOST], chi[TP_LAW_ROWS], gamma[TP_LAW_ROWS], near[TP_LAW_ROWS];
        tp_system_law_rows(system, i, W, chi);
        for (int k = 0; k < rows; k++)
            gamma[k] = chi[k] + tp_row_velocity(count, tp_system_law_columns(system, i), W + k * count, p->u);
        checked += rows;
        if (law->source == TP_SOURCE_SPIN) {
            check_spin(check_state_, system, law, gamma);
            continue;
        }
        difference(system, p, i, rows, near);
        bool is_speed = law->level == TP_LEVEL_VELOCITY && law->set.kind == TP_SET_BOX;
        double target = is_speed ? 0.3 * p->t + 0.2 * sin(p->t) : 0.0;
        /* bodies that shrink to 0.8 turn and grow faster: powers of that */
        bool is_scalable = TP_LIST_AT(system->model->bodies, tp_body, 0)->kind == TP_BODY_SCALABLE;
        for (int k = 0; k < rows; k++)
            CHECK_NEAR(gamma[k], near[k] - target, is_scalable ? 10.0 * tolerance : tolerance);
    }
    return checked;
}

static void check_kind(void **check_state_, tp_joint_kind kind, tp_body_kind body)
{
    bool is_planar = body == TP_BODY_PLANAR;
    check_random random = {77u + (unsigned)kind};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = model_of(&random, kind, body);
        tp_system *system = make_system(model);
        int rows = 0;
        for (int trial = 0; trial < 5; trial++) {
            point p = random_point(system, &random);
            rows += check_laws(check_state_, system, &p);
        }
        const tp_joint_info *info = tp_joint_kind_info(kind);
        CHECK(rows >= 5 * 4 * (is_planar ? info->planar_row_count : info->row_count));
        tp_system_free(system);
        tp_model_free(model);
    }
}

TEST(rows_of_every_joint_in_space_are_rates_of_its_positions)
{
    for (int kind = 0; kind < TP_JOINT_KIND_COUNT; kind++)
        check_kind(check_state_, (tp_joint_kind)kind, TP_BODY_RIGID);
}

TEST(rows_of_every_joint_of_scalable_bodies_are_rates_of_its_positions)
{
    for (int kind = 0; kind < TP_JOINT_KIND_COUNT; kind++)
        check_kind(check_state_, (tp_joint_kind)kind, TP_BODY_SCALABLE);
}

TEST(rows_of_every_joint_in_the_plane_are_rates_of_its_positions)
{
    for (int kind = 0; kind < TP_JOINT_KIND_COUNT; kind++) {
        if (tp_joint_kind_info((tp_joint_kind)kind)->planar_row_count > 0)
            check_kind(check_state_, (tp_joint_kind)kind, TP_BODY_PLANAR);
    }
}

/* ---- the second level ---- */

/* Limits, motors, couplers and friction included; every other joint is against a moving body that
   accelerates. */
TEST(every_joint_has_the_second_level_of_its_differences)
{
    static const tp_body_kind bodies[] = {TP_BODY_RIGID, TP_BODY_SCALABLE, TP_BODY_PLANAR};
    check_random random = {79};
    second_tally drifts = {0}, rows = {0}, jacobians = {0};
    for (int k = 0; k < 3 * TP_JOINT_KIND_COUNT; k++) {
        tp_joint_kind kind = (tp_joint_kind)(k / 3);
        if (bodies[k % 3] == TP_BODY_PLANAR && tp_joint_kind_info(kind)->planar_row_count == 0) continue;
        tp_model *model = model_of(&random, kind, bodies[k % 3]);
        tp_system *system = make_system(model);
        second_subject s = make_second_subject(tp_joint_kind_info(kind)->name, system);
        for (int trial = 0; trial < 5; trial++) {
            second_choose_point(&s, system, &random, 0.2);
            second_check_drifts(&s, &drifts);
            second_check_rows(&s, &rows);
            second_check_jacobians(&s, &jacobians);
        }
        free_second_subject(&s);
        tp_system_free(system);
        tp_model_free(model);
    }
    CHECK_INT(drifts.wrong + rows.wrong + drifts.flagged + rows.flagged, 0);
    CHECK_INT(jacobians.wrong + jacobians.flagged, 0);
    CHECK(jacobians.exact > 20000 && 100 * jacobians.sharp < jacobians.exact);
    CHECK(drifts.exact > 2000 && 100 * drifts.sharp < drifts.exact);
    CHECK(rows.exact > 10000 && 100 * rows.sharp < rows.exact);
}

/* ---- affine bodies ---- */

static tp_system *affine_system(tp_arena *arena, const tp_model *model)
{
    tp_model *realised = NULL;
    tp_message why = {""};
    if (tp_model_realise_affine(arena, model, &realised, &why) != TP_OK) fail_msg("%s", why.text);
    return make_system(realised);
}

/* Column j of the derivatives of row k, by the same differences. */
static void row_change(tp_system *system, const point *p, int law, int k, int j, double *out)
{
    const double s = 1e-3, offsets[4] = {s, -s, 2.0 * s, -2.0 * s}, weights[4] = {8.0, -8.0, -1.0, 1.0};
    int count = tp_system_law_column_count(system, law);
    memset(out, 0, (size_t)count * sizeof(double));
    for (int e = 0; e < 4; e++) {
        double q[MOST], W[TP_LAW_ROWS * MOST], chi[TP_LAW_ROWS];
        memcpy(q, p->q, (size_t)system->q_count * sizeof(double));
        q[tp_system_law_columns(system, law)[j]] += offsets[e];
        tp_system_move(system, p->t, q, p->u);
        tp_system_law_rows(system, law, W, chi);
        for (int i = 0; i < count; i++) out[i] += weights[e] * W[i + k * count] / (12.0 * s);
    }
    tp_system_move(system, p->t, p->q, p->u);
}

static void check_hessians(void **check_state_, tp_system *system, const point *p)
{
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        int count = tp_system_law_column_count(system, i);
        for (int k = 0; k < law->row_count && law->level != TP_LEVEL_VELOCITY; k++) {
            double H[MOST * MOST], near[MOST];
            tp_system_law_hessian(system, i, k, H);
            for (int j = 0; j < count; j++) {
                row_change(system, p, i, k, j, near);
                /* as tolerance, one derivative more: sharper bends of curves and of atan2 */
                for (int a = 0; a < count; a++) CHECK_NEAR(H[a + j * count], near[a], 100.0 * tolerance);
            }
        }
    }
}

/* Directions are off the rigid ones by as much as 0.2: rows are gradients over all twelve numbers. */
TEST(rows_and_second_derivatives_of_every_joint_of_affine_bodies_match_differences)
{
    for (int kind = 0; kind < TP_JOINT_KIND_COUNT; kind++) {
        check_random random = {177u + (unsigned)kind};
        for (int round = 0; round < 3; round++) {
            tp_arena arena;
            tp_arena_init(&arena, tp_allocator_default());
            tp_model *model = model_of(&random, (tp_joint_kind)kind, false);
            tp_system *system = affine_system(&arena, model);
            CHECK_INT(system->u_count, 24);
            point p = random_point(system, &random);
            CHECK(check_laws(check_state_, system, &p) >=
                  4 * tp_joint_kind_info((tp_joint_kind)kind)->row_count + 12);
            check_hessians(check_state_, system, &p);
            tp_system_free(system);
            tp_model_free(model);
            tp_arena_clear(&arena);
        }
    }
}

/* Power duality: along rigid motions a row has the velocity that it has of rigid bodies, whatever P. */
TEST(rows_of_affine_bodies_have_the_power_that_those_of_rigid_bodies_have)
{
    for (int kind = 0; kind < TP_JOINT_KIND_COUNT; kind++) {
        check_random random = {277u + (unsigned)kind};
        tp_arena arena;
        tp_arena_init(&arena, tp_allocator_default());
        tp_model *model = model_of(&random, (tp_joint_kind)kind, false);
        tp_system *rigid = make_system(model), *affine = affine_system(&arena, model);
        point p = random_point(rigid, &random), same = {.t = p.t};
        tp_model_realise_state(affine->model, p.q, p.u, same.q, same.u);
        tp_system_move(affine, same.t, same.q, same.u);
        for (int i = 0; i < model->laws.count; i++) {
            double W[TP_LAW_ROWS * MOST], V[TP_LAW_ROWS * MOST], chi[TP_LAW_ROWS], chi_affine[TP_LAW_ROWS];
            full_rows(rigid, i, W, chi);
            full_rows(affine, i, V, chi_affine);
            for (int k = 0; k < TP_LIST_AT(model->laws, tp_law, i)->row_count; k++) {
                double gamma = chi[k], gamma_affine = chi_affine[k], size = 1.0;
                for (int j = 0; j < rigid->u_count; j++) gamma += W[j + k * rigid->u_count] * p.u[j];
                for (int j = 0; j < affine->u_count; j++) {
                    gamma_affine += V[j + k * affine->u_count] * same.u[j];
                    size += fabs(V[j + k * affine->u_count] * same.u[j]);
                }
                CHECK_NEAR(gamma_affine, gamma, 100.0 * DBL_EPSILON * size);
            }
        }
        tp_system_free(rigid);
        tp_system_free(affine);
        tp_model_free(model);
        tp_arena_clear(&arena);
    }
}

/* Forces W P do the power P.(gamma - chi): what a joint takes from one body it gives to the other, or to what
   moves it. With the whole system turned and shifted as one rigid body, rows do not feel it. */
TEST(joints_between_bodies_feel_no_rigid_motion_of_the_whole)
{
    check_random random = {5};
    for (int kind = 0; kind < TP_JOINT_KIND_COUNT; kind++) {
        tp_model *model = new_model();
        add_body(model, TP_BODY_RIGID, "a", random_vec3(&random, 1.0), random_orientation(&random, false));
        add_body(model, TP_BODY_RIGID, "b", random_vec3(&random, 1.0), random_orientation(&random, false));
        add_kind(model, &random, (tp_joint_kind)kind, false, "j", "a", "b");
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_system *system = make_system(model);
        point p = {.t = 0.0};
        memcpy(p.q, model->q0, 14 * sizeof(double));
        tp_system_move(system, p.t, p.q, p.u);
        tp_vec3 v = random_vec3(&random, 1.0), w = random_vec3(&random, 1.0);
        for (int k = 0; k < 2; k++) { /* velocities of one rigid motion about the origin */
            const tp_frame *frame = &tp_system_body(system, k)->frame;
            tp_vec3 body_v = tp_vec3_add(v, tp_vec3_cross(w, frame->r)),
                    body_w = tp_mat3_apply_transposed(frame->D, w);
            double all[] = {body_v.x, body_v.y, body_v.z, body_w.x, body_w.y, body_w.z};
            memcpy(p.u + 6 * k, all, sizeof all);
        }
        double W[TP_LAW_ROWS * 12], chi[TP_LAW_ROWS];
        full_rows(system, 0, W, chi);
        for (int r = 0; r < tp_joint_kind_info((tp_joint_kind)kind)->row_count; r++) {
            double gamma = chi[r];
            for (int j = 0; j < 12; j++) gamma += W[j + 12 * r] * p.u[j];
            CHECK_NEAR(gamma, 0.0, 1e-13);
        }
        tp_system_free(system);
        tp_model_free(model);
    }
}

TEST_MAIN(RUNS(every_joint_has_the_second_level_of_its_differences),
          RUNS(rows_of_every_joint_in_space_are_rates_of_its_positions),
          RUNS(rows_of_every_joint_of_scalable_bodies_are_rates_of_its_positions),
          RUNS(rows_of_every_joint_in_the_plane_are_rates_of_its_positions),
          RUNS(rows_and_second_derivatives_of_every_joint_of_affine_bodies_match_differences),
          RUNS(rows_of_affine_bodies_have_the_power_that_those_of_rigid_bodies_have),
          RUNS(joints_between_bodies_feel_no_rigid_motion_of_the_whole))
