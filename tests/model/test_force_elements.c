/* Force elements between bodies on random motions: balance, power, potentials, exact derivatives;
   docs/theory/forces.md. Stiffness and damping are of order one, springs at least 0.5 m long, rotation
   vectors of bushings below 2.5, so that third derivatives stay below 500: with the step 1e-5 differences are
   off by less than 1e-8, and by eps/h times ten from rounding. */
#include "check.h"
#include "pairs.h"

#include "model/forces/force_kinds.h"

#include <float.h>
#include <string.h>

static const double step = 1e-5, difference_tolerance = 2e-8;
static const double rounding = 1024.0 * DBL_EPSILON;
enum { ROUNDS = 300 };

/* ---- random elements ---- */

typedef enum variety {
    SPRING,
    ROPE,
    TORSION, /* coordinate springs on an angle, on a displacement, by a law */
    SLIDER,
    LAW,
    BUSHING,
    VARIETIES
} variety;

/* f = -s^3 - (1 + s^2) s' + sin t, potential s^4/4. */
static double cubic_force(void *self, double s, double rate, double t, double *d_s, double *d_rate)
{
    (void)self;
    *d_s = -3.0 * s * s - 2.0 * s * rate;
    *d_rate = -(1.0 + s * s);
    return -s * s * s - (1.0 + s * s) * rate + sin(t);
}

static double cubic_potential(void *self, double s, double t, double *d_s)
{
    (void)self, (void)t;
    *d_s = s * s * s;
    return 0.25 * s * s * s * s;
}

static tp_vec3 random_positive(check_random *random)
{
    tp_vec3 a = random_vec3(random, 1.0);
    return tp_vec3_make(fabs(a.x), fabs(a.y), fabs(a.z));
}

static tp_force_element make_bushing(check_random *random)
{
    tp_bushing_def def = tp_bushing_def_default();
    def.point_A = random_vec3(random, 0.5);
    def.point_B = random_vec3(random, 0.5);
    def.axes_A = random_rotation(random);
    def.axes_B = random_rotation(random);
    def.stiffness = random_positive(random);
    def.damping = random_positive(random);
    def.rotational_stiffness = random_positive(random);
    def.rotational_damping = random_positive(random);
    tp_force_element force;
    if (tp_force_make_bushing(&def, &force, NULL) != TP_OK) fail();
    return force;
}

static tp_force_element make_coordinate_spring(check_random *random, variety kind)
{
    tp_mat3 frame = random_rotation(random);
    tp_vec3 p = random_vec3(random, 0.5), q = random_vec3(random, 0.5);
    tp_basic_row row = kind == TORSION ? tp_basic_row_angle(frame.cx, frame.cy, random_direction(random))
                                       : tp_basic_row_along(frame.cx, p, q);
    tp_coordinate_spring_def def = tp_coordinate_spring_def_default();
    def.stiffness = 1.3;
    def.rest = 0.2;
    def.damping = 0.7;
    if (kind == LAW) def.law = (tp_coordinate_law){NULL, cubic_force, cubic_potential};
    tp_force_element force;
    if (tp_force_make_coordinate_spring(&def, &row, &force, NULL) != TP_OK) fail();
    return force;
}

static tp_force_element random_element(check_random *random, variety kind)
{
    if (kind == BUSHING) return make_bushing(random);
    if (kind != SPRING && kind != ROPE) return make_coordinate_spring(random, kind);
    tp_spring_def def = tp_spring_def_default();
    def.point_A = random_vec3(random, 0.5);
    def.point_B = random_vec3(random, 0.5);
    def.stiffness = 1.3;
    def.rest_length = 0.8;
    def.damping = 0.7;
    def.is_rope = kind == ROPE;
    tp_force_element force;
    if (tp_force_make_spring(&def, &force, NULL) != TP_OK) fail();
    return force;
}

/* Away from kinks and singularities by more than differences reach. */
static bool is_regular(const tp_force_element *force, const tp_pair_motion *m)
{
    if (force->kind == TP_FORCE_SPRING) {
        const tp_spring *spring = &force->as.spring;
        tp_basic_row row = tp_basic_row_length(spring->point_A, spring->point_B);
        double W[TP_PAIR_SIZE], u[TP_PAIR_SIZE], rate = 0.0;
        double length = tp_basic_row_rigid(&row, &m->A, &m->B, W, NULL),
               stretch = length - spring->rest_length;
        tp_pair_to_array(&m->twist_A, &m->twist_B, u);
        for (int i = 0; i < TP_PAIR_SIZE; i++) rate += W[i] * u[i];
        double tension = spring->stiffness * stretch + spring->damping * rate;
        return length > 0.5 && fabs(stretch) > 1e-3 && fabs(tension) > 1e-3;
    }
    if (force->kind == TP_FORCE_COORDINATE_SPRING) {
        const tp_basic_row *row = &force->as.coordinate_spring.row;
        if (row->kind != TP_ROW_ANGLE) return true;
        double w[2];
        for (int k = 0; k < 2; k++)
            w[k] = tp_vec3_dot(tp_frame_direction(&m->A, row->a[k]), tp_frame_direction(&m->B, row->b[k]));
        return hypot(w[0], w[1]) > 0.5 && fabs(tp_basic_row_value(row, &m->A, &m->B)) < 3.0;
    }
    const tp_bushing *bushing = &force->as.bushing;
    tp_mat3 R_A = tp_mat3_multiply(m->A.D, bushing->axes_A), R_B = tp_mat3_multiply(m->B.D, bushing->axes_B);
    return tp_vec3_norm(tp_rotation_log(tp_mat3_multiply(tp_mat3_transpose(R_A), R_B))) < 2.5;
}

static tp_pair_motion random_motion(check_random *random, const tp_force_element *force)
{
    tp_pair_motion m = {.t = check_uniform(random, 0.0, 3.0)};
    do {
        m.A = random_rigid_frame(random);
        m.B = random_rigid_frame(random);
        m.twist_A = random_twist(random);
        m.twist_B = random_twist(random);
    } while (!is_regular(force, &m));
    return m;
}

/* Bodies displaced by h times a direction of fourteen numbers, velocities kept. */
static tp_pair_motion displaced(tp_pair_motion m, const double *direction, double h)
{
    tp_wrench along_A, along_B;
    tp_pair_from_array(direction, &along_A, &along_B);
    m.A = frame_moved(m.A, along_A, h);
    m.B = frame_moved(m.B, along_B, h);
    return m;
}

static tp_pair_motion accelerated(tp_pair_motion m, const double *direction, double h)
{
    double u[TP_PAIR_SIZE];
    tp_pair_to_array(&m.twist_A, &m.twist_B, u);
    for (int i = 0; i < TP_PAIR_SIZE; i++) u[i] += h * direction[i];
    tp_pair_from_array(u, &m.twist_A, &m.twist_B);
    return m;
}

static void force_array(const tp_force_element *force, tp_pair_motion m, double *out)
{
    tp_pair_force value;
    tp_force_evaluate(force, &m, &value);
    tp_pair_to_array(&value.on_A, &value.on_B, out);
}

static void random_unit(check_random *random, double *out)
{
    double square = 0.0;
    for (int i = 0; i < TP_PAIR_SIZE; i++) {
        out[i] = check_normal(random);
        square += out[i] * out[i];
    }
    for (int i = 0; i < TP_PAIR_SIZE; i++) out[i] /= sqrt(square);
}

TEST(the_derivatives_of_all_elements_agree_with_differences)
{
    check_random random = {701};
    for (int round = 0; round < ROUNDS * VARIETIES; round++) {
        tp_force_element force = random_element(&random, (variety)(round % VARIETIES));
        tp_pair_motion m = random_motion(&random, &force);
        tp_pair_force value, alone;
        tp_pair_jacobian jacobian;
        double e[TP_PAIR_SIZE], ahead[TP_PAIR_SIZE], behind[TP_PAIR_SIZE], ahead_u[TP_PAIR_SIZE],
            behind_u[TP_PAIR_SIZE];
        random_unit(&random, e);
        tp_force_linearise(&force, &m, &value, &jacobian);
        tp_force_evaluate(&force, &m, &alone);
        CHECK(memcmp(&value, &alone, sizeof value) == 0);
        force_array(&force, displaced(m, e, step), ahead);
        force_array(&force, displaced(m, e, -step), behind);
        force_array(&force, accelerated(m, e, step), ahead_u);
        force_array(&force, accelerated(m, e, -step), behind_u);
        for (int i = 0; i < TP_PAIR_SIZE; i++) {
            double by_position = 0.0, by_velocity = 0.0;
            for (int j = 0; j < TP_PAIR_SIZE; j++) {
                by_position += jacobian.position[i + TP_PAIR_SIZE * j] * e[j];
                by_velocity += jacobian.velocity[i + TP_PAIR_SIZE * j] * e[j];
            }
            CHECK_NEAR(by_position, (ahead[i] - behind[i]) / (2.0 * step), difference_tolerance);
            CHECK_NEAR(by_velocity, (ahead_u[i] - behind_u[i]) / (2.0 * step), difference_tolerance);
        }
    }
}

TEST(action_is_reaction)
{
    check_random random = {702};
    for (int round = 0; round < ROUNDS * VARIETIES; round++) {
        tp_force_element force = random_element(&random, (variety)(round % VARIETIES));
        tp_pair_motion m = random_motion(&random, &force);
        tp_pair_force value;
        tp_force_evaluate(&force, &m, &value);
        CHECK_NEAR(imbalance(&m.A, &m.B, &value.on_A, &value.on_B), 0.0, rounding);
    }
}

/* power = -dV/dt - dissipation; passive elements dissipate. */
TEST(power_is_the_loss_of_potential_and_what_is_dissipated)
{
    check_random random = {703};
    for (int round = 0; round < ROUNDS * VARIETIES; round++) {
        variety kind = (variety)(round % VARIETIES);
        tp_force_element force = random_element(&random, kind);
        tp_pair_motion m = random_motion(&random, &force);
        tp_pair_force value, ahead, behind;
        double u[TP_PAIR_SIZE];
        tp_pair_to_array(&m.twist_A, &m.twist_B, u);
        tp_pair_motion later = displaced(m, u, step), earlier = displaced(m, u, -step);
        tp_force_evaluate(&force, &m, &value);
        tp_force_evaluate(&force, &later, &ahead);
        tp_force_evaluate(&force, &earlier, &behind);
        double power = tp_wrench_power(&value.on_A, &m.twist_A) + tp_wrench_power(&value.on_B, &m.twist_B);
        double rate = (ahead.potential - behind.potential) / (2.0 * step);
        /* |u| up to 3.5: third powers of that in the difference. */
        CHECK_NEAR(power, -rate - value.dissipation, 40.0 * difference_tolerance);
        if (kind != LAW) CHECK(value.dissipation >= 0.0);
        CHECK(value.potential >= 0.0);
    }
}

TEST(forces_turn_with_the_whole_world)
{
    check_random random = {704};
    for (int round = 0; round < ROUNDS * VARIETIES; round++) {
        tp_force_element force = random_element(&random, (variety)(round % VARIETIES));
        tp_pair_motion m = random_motion(&random, &force), c = m;
        tp_frame motion = random_rigid_frame(&random);
        c.A = frame_carried(m.A, motion);
        c.B = frame_carried(m.B, motion);
        c.twist_A = (tp_wrench){tp_mat3_apply(motion.D, m.twist_A.force),
                                tp_mat3_apply(motion.D, m.twist_A.moment), m.twist_A.stretch};
        c.twist_B = (tp_wrench){tp_mat3_apply(motion.D, m.twist_B.force),
                                tp_mat3_apply(motion.D, m.twist_B.moment), m.twist_B.stretch};
        tp_pair_force before, after;
        tp_force_evaluate(&force, &m, &before);
        tp_force_evaluate(&force, &c, &after);
        CHECK_NEAR(after.potential, before.potential, rounding);
        CHECK_NEAR(after.dissipation, before.dissipation, rounding);
        CHECK_NEAR(distance3(after.on_B.force, tp_mat3_apply(motion.D, before.on_B.force)), 0.0, rounding);
        CHECK_NEAR(distance3(after.on_A.moment, tp_mat3_apply(motion.D, before.on_A.moment)), 0.0, rounding);
        CHECK_NEAR(distance3(after.on_B.moment, tp_mat3_apply(motion.D, before.on_B.moment)), 0.0, rounding);
    }
}

/* ---- particular cases ---- */

static tp_pair_motion at_rest(tp_vec3 r_B)
{
    tp_pair_motion m = {.A = tp_frame_identity(), .B = tp_frame_identity()};
    m.B.r = r_B;
    return m;
}

static tp_force_element plain_spring(double rest_length, bool is_rope)
{
    tp_spring_def def = tp_spring_def_default();
    def.stiffness = 100.0;
    def.rest_length = rest_length;
    def.damping = 2.0;
    def.is_rope = is_rope;
    tp_force_element force;
    if (tp_force_make_spring(&def, &force, NULL) != TP_OK) fail();
    return force;
}

TEST(a_spring_without_rest_length_passes_through_zero)
{
    tp_force_element force = plain_spring(0.0, false);
    tp_pair_motion m = at_rest(tp_vec3_zero());
    m.twist_B.force = tp_vec3_make(0.0, 3.0, 0.0);
    tp_pair_force value;
    tp_pair_jacobian jacobian;
    tp_force_linearise(&force, &m, &value, &jacobian);
    CHECK_NEAR(value.on_B.force.y, -6.0, 0.0);
    CHECK_NEAR(value.dissipation, 18.0, 0.0);
    CHECK_NEAR(value.potential, 0.0, 0.0);
    for (int k = 0; k < 3; k++) CHECK_NEAR(jacobian.position[6 + k + TP_PAIR_SIZE * (6 + k)], -100.0, 0.0);
    /* The same just before and after. */
    for (double y = -1e-9; y < 2e-9; y += 2e-9) {
        m.B.r.y = y;
        tp_force_evaluate(&force, &m, &value);
        CHECK_NEAR(value.on_B.force.y, -6.0 - 100.0 * y, 1e-14);
    }
}

TEST(points_that_coincide_in_a_spring_with_rest_length_feel_no_force)
{
    tp_force_element force = plain_spring(0.5, false), rope = plain_spring(0.5, true);
    tp_pair_motion m = at_rest(tp_vec3_zero());
    tp_pair_force value;
    tp_force_evaluate(&force, &m, &value);
    CHECK_NEAR(tp_vec3_norm(value.on_B.force), 0.0, 0.0);
    CHECK_NEAR(value.potential, 12.5, 1e-14);
    tp_force_evaluate(&rope, &m, &value);
    CHECK_NEAR(value.potential, 0.0, 0.0);
}

TEST(a_rope_pulls_and_never_pushes)
{
    tp_force_element rope = plain_spring(1.0, true);
    tp_pair_force value;
    tp_pair_motion m = at_rest(tp_vec3_make(1.2, 0.0, 0.0));
    tp_force_evaluate(&rope, &m, &value);
    CHECK_NEAR(value.on_B.force.x, -20.0, 1e-13);
    CHECK_NEAR(value.potential, 2.0, 1e-13);
    m.B.r.x = 0.9;
    tp_force_evaluate(&rope, &m, &value);
    CHECK_NEAR(value.on_B.force.x, 0.0, 0.0);
    CHECK_NEAR(value.potential, 0.0, 0.0);
    /* Retreating so fast that the damper would push: no force, the stored energy is lost. */
    m.B.r.x = 1.1;
    m.twist_B.force.x = -10.0;
    tp_force_evaluate(&rope, &m, &value);
    CHECK_NEAR(value.on_B.force.x, 0.0, 0.0);
    CHECK_NEAR(value.dissipation, 100.0, 1e-12); /* k (l - l0) |l'| */
}

TEST(a_bushing_is_free_of_force_where_its_frames_coincide_and_linear_nearby)
{
    check_random random = {705};
    for (int round = 0; round < ROUNDS; round++) {
        tp_force_element force = make_bushing(&random);
        tp_bushing *bushing = &force.as.bushing;
        tp_pair_motion m = {.A = random_rigid_frame(&random)};
        const tp_basic_row *row = &bushing->translation[0].row;
        tp_mat3 R = tp_mat3_multiply(m.A.D, bushing->axes_A);
        m.B.D = tp_mat3_multiply(R, tp_mat3_transpose(bushing->axes_B));
        m.B.r = tp_vec3_sub(tp_frame_point(&m.A, row->point_A), tp_frame_direction(&m.B, row->point_B));
        tp_pair_force value;
        tp_force_evaluate(&force, &m, &value);
        CHECK_NEAR(tp_vec3_norm(value.on_B.force) + tp_vec3_norm(value.on_B.moment), 0.0, rounding);

        /* A small turn about the point of B: torque -K psi. */
        tp_vec3 psi = random_vec3(&random, 1e-6), turn = tp_mat3_apply(R, psi);
        tp_vec3 p = tp_frame_point(&m.B, row->point_B);
        m.B.D = tp_mat3_multiply(tp_rotation_exp(turn), m.B.D);
        m.B.r = tp_vec3_sub(p, tp_frame_direction(&m.B, row->point_B));
        tp_force_evaluate(&force, &m, &value);
        tp_vec3 k = bushing->rotational_stiffness;
        tp_vec3 expected = tp_vec3_make(-k.x * psi.x, -k.y * psi.y, -k.z * psi.z);
        CHECK_NEAR(distance3(tp_mat3_apply_transposed(R, value.on_B.moment), expected), 0.0, 2e-12);
    }
}

TEST(a_torsion_spring_follows_the_turns_that_the_caller_counts)
{
    tp_basic_row angle =
        tp_basic_row_angle(tp_vec3_make(1, 0, 0), tp_vec3_make(0, 1, 0), tp_vec3_make(1, 0, 0));
    tp_coordinate_spring_def def = tp_coordinate_spring_def_default();
    def.stiffness = 2.0;
    tp_force_element force;
    CHECK(tp_force_make_coordinate_spring(&def, &angle, &force, NULL) == TP_OK);
    const double two_pi = 6.28318530717958647692;
    tp_pair_motion m = at_rest(tp_vec3_zero());
    m.B.D = tp_rotation_exp(tp_vec3_make(0.0, 0.0, 1.0 + 3.0 * two_pi));
    m.winding = 3.0 * two_pi;
    tp_pair_force value;
    tp_force_evaluate(&force, &m, &value);
    CHECK_NEAR(value.on_B.moment.z, -2.0 * (1.0 + 3.0 * two_pi), 1e-13);
    CHECK_NEAR(value.on_A.moment.z, 2.0 * (1.0 + 3.0 * two_pi), 1e-13);
}

TEST(unsound_forces_are_refused_with_the_reason)
{
    tp_force_element force;
    tp_message message = {""};
    tp_spring_def spring = tp_spring_def_default();
    spring.stiffness = -1.0;
    CHECK(tp_force_make_spring(&spring, &force, &message) == TP_INVALID_DATA);
    CHECK(strstr(message.text, "stiffness is -1") != NULL);
    spring = tp_spring_def_default();
    spring.rest_length = NAN;
    CHECK(tp_force_make_spring(&spring, &force, &message) == TP_INVALID_DATA);
    CHECK(strstr(message.text, "rest length") != NULL);
    spring = tp_spring_def_default();
    spring.point_B.y = INFINITY;
    CHECK(tp_force_make_spring(&spring, &force, &message) == TP_INVALID_DATA);
    CHECK(strstr(message.text, "point on body B") != NULL);

    tp_bushing_def bushing = tp_bushing_def_default();
    bushing.rotational_damping.z = -1.0;
    CHECK(tp_force_make_bushing(&bushing, &force, &message) == TP_INVALID_DATA);
    CHECK(strstr(message.text, "rotational damping is -1") != NULL);
    bushing = tp_bushing_def_default();
    bushing.axes_B.cx.x = -1.0; /* left-handed */
    CHECK(tp_force_make_bushing(&bushing, &force, &message) == TP_INVALID_DATA);
    CHECK(strstr(message.text, "are not a rotation") != NULL);

    tp_coordinate_spring_def coordinate = tp_coordinate_spring_def_default();
    tp_basic_row row = tp_basic_row_length(tp_vec3_zero(), tp_vec3_zero());
    coordinate.rest = NAN;
    CHECK(tp_force_make_coordinate_spring(&coordinate, &row, &force, &message) == TP_INVALID_DATA);
    CHECK(strstr(message.text, "rest position") != NULL);
    CHECK(tp_force_kind_name(TP_FORCE_KIND_COUNT) == NULL);
    CHECK(strcmp(tp_force_kind_name(TP_FORCE_BUSHING), "bushing") == 0);
}

TEST_MAIN(RUNS(the_derivatives_of_all_elements_agree_with_differences), RUNS(action_is_reaction),
          RUNS(power_is_the_loss_of_potential_and_what_is_dissipated), RUNS(forces_turn_with_the_whole_world),
          RUNS(a_spring_without_rest_length_passes_through_zero),
          RUNS(points_that_coincide_in_a_spring_with_rest_length_feel_no_force),
          RUNS(a_rope_pulls_and_never_pushes),
          RUNS(a_bushing_is_free_of_force_where_its_frames_coincide_and_linear_nearby),
          RUNS(a_torsion_spring_follows_the_turns_that_the_caller_counts),
          RUNS(unsound_forces_are_refused_with_the_reason))
