/* Forces on bodies through the system: derivatives against central differences along velocities, and the
   power of conservative forces against the rate of the potential energy; docs/theory/forces.md, models.md
   (13)-(17). */
#include "mechanisms.h"

#include "model/pairs.h"
#include "random_point.h"

enum { ROUNDS = 10, MOST = POINT_MOST };

static tp_quat random_orientation(check_random *random)
{
    return tp_quat_from_matrix(random_rotation(random));
}

/* Two bodies in space, a planar one, a point mass and one whose motion is given. In odd rounds those in space
   are scalable. */
static tp_model *five_bodies(check_random *random, int round)
{
    tp_model *model = new_model();
    tp_body_kind spatial = round % 2 == 0 ? TP_BODY_RIGID : TP_BODY_SCALABLE;
    tp_vec3 planar = {0.7, -0.4, 0.0};
    add_body(model, spatial, "a", random_vec3(random, 1.0), random_orientation(random));
    add_body(model, spatial, "b", random_vec3(random, 1.0), random_orientation(random));
    add_body(model, TP_BODY_PLANAR, "p", planar, tp_quat_from_axis_angle(tp_vec3_make(0, 0, 1), 0.6));
    add_body(model, TP_BODY_POINT, "m", tp_vec3_make(0.3, 1.4, -0.2), tp_quat_identity());
    add_moving_body(model, "drive");
    must(model, tp_model_set_gravity(model, tp_vec3_make(0.5, -9.81, 0.3), &build_why));
    return model;
}

static void add_spring(tp_model *model, check_random *random, const char *name, const char *a, const char *b,
                       double damping, bool is_rope)
{
    tp_spring_def def = tp_spring_def_default();
    def.name = name;
    def.point_A = random_vec3(random, 0.5);
    def.point_B = random_vec3(random, 0.5);
    def.stiffness = 30.0;
    def.rest_length = 0.1; /* below all distances: a rope pulls */
    def.damping = damping;
    def.is_rope = is_rope;
    must(model, tp_model_add_spring(model, a, b, &def, NULL, &build_why));
}

static void add_bushing(tp_model *model, check_random *random, const char *name, const char *a, const char *b,
                        double damping)
{
    tp_bushing_def def = tp_bushing_def_default();
    def.name = name;
    def.point_A = random_vec3(random, 0.5);
    def.point_B = random_vec3(random, 0.5);
    int of_a = tp_model_find_body(model, a), of_b = tp_model_find_body(model, b);
    tp_mat3 D_a = tp_model_frame_at_start(model, of_a).D, D_b = tp_model_frame_at_start(model, of_b).D,
            turned = tp_rotation_exp(tp_vec3_make(0.4, -0.3, 0.5)); /* far from a turn by pi */
    def.axes_A = tp_mat3_multiply(tp_mat3_transpose(D_a), turned);
    def.axes_B = tp_mat3_transpose(D_b);
    def.stiffness = tp_vec3_make(20.0, 30.0, 50.0);
    def.rotational_stiffness = tp_vec3_make(4.0, 6.0, 9.0);
    def.damping = tp_vec3_make(damping, 2.0 * damping, 0.5 * damping);
    def.rotational_damping = tp_vec3_make(0.3 * damping, 0.2 * damping, 0.1 * damping);
    must(model, tp_model_add_bushing(model, a, b, &def, NULL, &build_why));
}

static void add_coordinate_springs(tp_model *model, double damping)
{
    static const struct {
        tp_joint_kind kind;
        const char *joint, *a, *b, *coordinate;
    } all[] = {{TP_JOINT_REVOLUTE, "hinge", "a", "b", "angle"},
               {TP_JOINT_CYLINDRICAL, "sleeve", "ground", "a", "displacement"},
               {TP_JOINT_PRISMATIC, "rail", "drive", "b", "displacement"},
               {TP_JOINT_PLANAR, "table", "drive", "a", "displacement2"}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char name[32];
        add_joint(model, all[k].kind, all[k].joint, all[k].a, all[k].b, tp_vec3_make(0.1, 0.3, -0.2),
                  tp_vec3_make(0.3, -0.4, 0.8));
        tp_coordinate_spring_def def = tp_coordinate_spring_def_default();
        snprintf(name, sizeof name, "spring %zu", k);
        def.name = name;
        def.stiffness = 12.0;
        def.rest = 0.4;
        def.damping = damping;
        must(model,
             tp_model_add_coordinate_spring(model, (tp_joint_coordinate){all[k].joint, all[k].coordinate},
                                            &def, NULL, &build_why));
    }
}

/* A force and a moment, given along the world or the body, at a point, of time, positions and velocities. */
static void add_wrench(tp_model *model, check_random *random, const char *name, const char *body,
                       bool is_in_body, bool is_planar)
{
    tp_wrench_def def = tp_wrench_def_default();
    def.name = name;
    def.body = body;
    def.is_in_body = is_in_body;
    def.point = random_vec3(random, 0.5);
    if (is_planar) def.point.z = 0.0;
    def.force[0] = TP_FORMULA("3 + t - 2*a.x*b.omega.y + sin(a.p2)");
    def.force[1] = TP_FORMULA("p.phi*p.omega - 0.5*m.v.x^2");
    if (!is_planar) {
        def.force[2] = TP_FORMULA("b.v.z*b.p0 + m.y");
        def.moment[0] = TP_FORMULA("1 - a.omega.x*a.omega.z");
        def.moment[1] = TP_FORMULA("cos(t)*b.p3*p.x");
    }
    def.moment[2] = TP_FORMULA("2*p.v.y - a.z");
    must(model, tp_model_add_wrench(model, &def, NULL, &build_why));
}

static const double step = 1e-3;
static const double offsets[4] = {1.0, -1.0, 2.0, -2.0}, weights[4] = {8.0, -8.0, -1.0, 1.0};

/* dh along velocity j: the positions go along it, or the velocity itself changes; fourth order. A quaternion
   that goes s along its tangent turns by 2 atan(s/2) = s - s^3/12: a motion like any other. */
static void difference(tp_system *system, const point *p, int j, bool of_position, double *out)
{
    memset(out, 0, (size_t)system->u_count * sizeof(double));
    for (int k = 0; k < 4; k++) {
        point moved = *p;
        double h[MOST], x[MOST] = {0.0}, s = offsets[k] * step;
        tp_system_move(system, p->t, p->q, p->u);
        if (of_position) {
            x[j] = 1.0;
            tp_system_change(system, x, s, moved.q);
        } else {
            moved.u[j] += s;
        }
        tp_system_move(system, moved.t, moved.q, moved.u);
        tp_system_force(system, h);
        for (int i = 0; i < system->u_count; i++) out[i] += weights[k] * h[i] / (12.0 * step);
    }
}

/* Truncation is s^4/30 of fifth derivatives along that motion: k (s/L)^4 = 3e-7 N for springs as short as L =
   0.1 m, much less for all others; rounding eps |h|/s = 1e-11. */
static void check_derivatives(void **check_state_, tp_system *system, const point *p)
{
    const tp_sparse *pattern = &system->jacobian_pattern;
    int m = system->u_count, entries = tp_sparse_count(pattern);
    double *of_q = calloc((size_t)entries, sizeof(double)), *of_u = calloc((size_t)entries, sizeof(double));
    double h[MOST];
    tp_system_move(system, p->t, p->q, p->u);
    tp_system_force(system, h); /* the derivatives take forces of formulas from it */
    tp_system_force_jacobian(system, of_q, of_u);
    for (int j = 0; j < m; j++) {
        double near[2][MOST], full[2][MOST] = {{0.0}};
        difference(system, p, j, true, near[0]);
        difference(system, p, j, false, near[1]);
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            full[0][pattern->index[k]] = of_q[k];
            full[1][pattern->index[k]] = of_u[k];
        }
        for (int d = 0; d < 2; d++) {
            for (int i = 0; i < m; i++) CHECK_NEAR(full[d][i], near[d][i], 1e-6);
        }
    }
    free(of_q);
    free(of_u);
}

static void check_model(void **check_state_, tp_model *model, check_random *random)
{
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_system *system = make_system(model);
    for (int trial = 0; trial < 4; trial++) {
        point p = random_point(system, random);
        check_derivatives(check_state_, system, &p);
    }
    tp_system_free(system);
    tp_model_free(model);
}

TEST(springs_dampers_and_ropes)
{
    check_random random = {21};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = five_bodies(&random, round);
        add_spring(model, &random, "s1", "a", "b", 0.0, false);
        add_spring(model, &random, "s2", "ground", "a", 3.0, false);
        add_spring(model, &random, "s3", "drive", "b", 2.0, false);
        add_spring(model, &random, "s4", "m", "a", 1.0, true);
        check_model(check_state_, model, &random);
    }
}

TEST(bushings)
{
    check_random random = {22};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = five_bodies(&random, round);
        add_bushing(model, &random, "b1", "a", "b", 0.0);
        add_bushing(model, &random, "b2", "ground", "a", 1.5);
        add_bushing(model, &random, "b3", "b", "drive", 2.0);
        check_model(check_state_, model, &random);
    }
}

TEST(springs_on_coordinates_of_joints)
{
    check_random random = {23};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = five_bodies(&random, round);
        add_coordinate_springs(model, 1.5);
        check_model(check_state_, model, &random);
    }
}

TEST(applied_forces_and_moments_of_the_state)
{
    check_random random = {24};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = five_bodies(&random, round);
        add_wrench(model, &random, "w1", "a", false, false);
        add_wrench(model, &random, "w2", "b", true, false);
        add_wrench(model, &random, "w3", "p", true, true);
        add_wrench(model, &random, "w4", "p", false, true);
        check_model(check_state_, model, &random);
    }
}

/* Potentials, dissipation, forces and wrenches over coordinates of joints and their rates. */
TEST(formulas_over_coordinates_of_joints)
{
    static const struct {
        tp_joint_kind kind;
        const char *name, *a, *b;
    } joints[] = {{TP_JOINT_REVOLUTE, "hinge", "a", "b"},
                  {TP_JOINT_CYLINDRICAL, "sleeve", "ground", "a"},
                  {TP_JOINT_UNIVERSAL, "cross", "b", "ground"},
                  {TP_JOINT_POINT_ON_PLANE, "table", "a", "m"}};
    check_random random = {27};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = five_bodies(&random, round);
        for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
            add_joint(model, joints[k].kind, joints[k].name, joints[k].a, joints[k].b,
                      tp_vec3_make(0.1, 0.3, -0.2), tp_vec3_make(0.3, -0.4, 0.8));
        }
        must(model,
             tp_model_add_potential(
                 model, TP_FORMULA("0.2*hinge.angle^2*sleeve.displacement + cos(cross.angle1)"), &build_why));
        must(model,
             tp_model_add_dissipation(
                 model, TP_FORMULA("0.1*(hinge.angle' - 0.5*sleeve.angle'*cross.angle2)^2"), &build_why));
        must(model, tp_model_add_force(model, "a.omega.y",
                                       TP_FORMULA("0.3*table.displacement1*cross.angle2'"), &build_why));
        tp_wrench_def wrench = tp_wrench_def_default();
        wrench.name = "w";
        wrench.body = "b";
        wrench.force[0] = TP_FORMULA("sin(hinge.angle)*table.displacement2'");
        wrench.moment[2] = TP_FORMULA("hinge.angle*hinge.angle'");
        must(model, tp_model_add_wrench(model, &wrench, NULL, &build_why));
        check_model(check_state_, model, &random);
    }
}

/* Forces -dR/du and -dR/dq' of functions that mix positions, velocities and rates, and given forces on
   velocities. */
TEST(dissipation_over_velocities_and_rates_of_bodies)
{
    check_random random = {26};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = five_bodies(&random, round);
        must(model, tp_model_add_dissipation(
                        model, TP_FORMULA("1/2*(1 + a.x^2)*(a.omega.x - 2*b.omega.y*b.p1 + p.omega)^2"),
                        &build_why));
        must(model, tp_model_add_dissipation(model, TP_FORMULA("(a.v.x - m.v.y)^4 + t*p.v.y^2*b.v.z^2"),
                                             &build_why));
        must(model,
             tp_model_add_dissipation(model, TP_FORMULA("0.2*(a.x' - p.phi'*b.omega.z)^2"), &build_why));
        must(model,
             tp_model_add_dissipation(model, TP_FORMULA("0.7*(a.p1' - 2*b.p0'*a.p3 + m.v.x)^2"), &build_why));
        must(model,
             tp_model_add_force(model, "a.omega.y", TP_FORMULA("0.3*a.p2*b.omega.x - a.p0'"), &build_why));
        check_model(check_state_, model, &random);
    }
}

/* dV/dt = -h.u for forces that come from a potential, at zero rates (without gyroscopic terms and dampers).
 */
TEST(conservative_forces_do_the_work_that_the_potential_energy_loses)
{
    check_random random = {25};
    for (int round = 0; round < ROUNDS; round++) {
        tp_model *model = five_bodies(&random, round);
        add_spring(model, &random, "s1", "a", "b", 0.0, false);
        add_spring(model, &random, "s2", "m", "b", 0.0, true);
        add_bushing(model, &random, "b1", "ground", "a", 0.0);
        add_coordinate_springs(model, 0.0);
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_system *system = make_system(model);
        point p = random_point(system, &random);
        double h[MOST], none[MOST] = {0.0}, power = 0.0, rate = 0.0;
        tp_system_move(system, p.t, p.q, none);
        tp_system_force(system, h);
        for (int j = 0; j < system->u_count; j++) power += h[j] * p.u[j];
        for (int k = 0; k < 4; k++) { /* time stands still: what moves the drive does no work here */
            double q[MOST];
            memcpy(q, p.q, sizeof q);
            tp_system_move(system, p.t, p.q, none);
            tp_system_change(system, p.u, offsets[k] * step, q);
            tp_system_move(system, p.t, q, none);
            rate += weights[k] * tp_system_potential_energy(system) / (12.0 * step);
        }
        CHECK_NEAR(rate, -power, 1e-7 * (1.0 + fabs(power)));
        tp_system_free(system);
        tp_model_free(model);
    }
}

TEST_MAIN(RUNS(springs_dampers_and_ropes), RUNS(bushings), RUNS(springs_on_coordinates_of_joints),
          RUNS(applied_forces_and_moments_of_the_state), RUNS(formulas_over_coordinates_of_joints),
          RUNS(dissipation_over_velocities_and_rates_of_bodies),
          RUNS(conservative_forces_do_the_work_that_the_potential_energy_loses))
