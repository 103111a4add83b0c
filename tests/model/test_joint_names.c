/* Coordinates of joints as names in formulas: values against the joint's own coordinates, with their turns,
   rates against differences along the motion. */
#include "models.h"
#include "system/system.h"

static void add_body(tp_model *model, const char *name, tp_body_kind kind, tp_vec3 position, tp_quat turned)
{
    tp_body_def def = tp_body_def_default();
    def.name = name;
    def.kind = kind;
    def.mass = 1.0;
    def.inertia = tp_mat3_diagonal(tp_vec3_make(1.0, 1.2, 1.5));
    def.position = position;
    def.orientation = turned;
    must(model, tp_model_add_body(model, &def));
}

static void add_joint(tp_model *model, const char *name, tp_joint_kind kind, const char *a, const char *b)
{
    tp_joint_def def = tp_joint_def_default();
    def.name = name;
    def.kind = kind;
    def.is_in_world = true;
    def.A.point = tp_vec3_make(0.3, 0.2, kind == TP_JOINT_DISTANCE ? 0.9 : 0.0);
    def.A.axis = tp_vec3_make(0.0, 0.0, 1.0);
    if (kind == TP_JOINT_DISTANCE) def.has_point_B = true, def.B.point = tp_vec3_make(1.0, 0.1, 0.2);
    must(model, tp_model_add_joint(model, a, b, &def));
}

static double sensor(tp_system *system, int index)
{
    return tp_system_measure(system, index, NULL, 0.0, NULL);
}

/* Sensor 2k is coordinate k and sensor 2k + 1 its rate. Differences of fourth order: errors of 1e-3^4 and
   eps/1e-3. */
static void check_names(void **check_state_, tp_model *model, int joint, int count, unsigned seed)
{
    const double h = 1e-3, offset[] = {h, -h, 2.0 * h, -2.0 * h}, weight[] = {8.0, -8.0, -1.0, 1.0};
    tp_system *system = NULL;
    check_random random = {seed};
    CHECK_INT(tp_system_create(NULL, model, &system), TP_OK);
    for (int trial = 0; trial < 20; trial++) {
        double q[14], u[12], rate[14], moved[14];
        for (int i = 0; i < system->q_count; i++) q[i] = check_uniform(&random, -1.0, 1.0);
        for (int j = 0; j < system->u_count; j++) u[j] = check_uniform(&random, -1.0, 1.0);
        tp_system_normalise(system, q);
        for (int k = 0; k < model->angle_count; k++) /* turns back and forth */
            system->angle_reference[k] = check_uniform(&random, -60.0, 60.0);
        tp_system_move(system, 0.0, q, u);
        memcpy(rate, tp_system_rate(system), (size_t)system->q_count * sizeof(double));
        for (int k = 0; k < count; k++) {
            tp_system_move(system, 0.0, q, u);
            double value = sensor(system, 2 * k), found = sensor(system, 2 * k + 1), sum = 0.0;
            CHECK_NEAR(value, tp_system_joint_coordinate(system, joint, k), 1e-13);
            for (int s = 0; s < 4; s++) {
                for (int i = 0; i < system->q_count; i++) moved[i] = q[i] + offset[s] * rate[i];
                tp_system_move(system, 0.0, moved, u);
                sum += weight[s] * remainder(sensor(system, 2 * k) - value, 6.283185307179586);
            }
            CHECK_NEAR(found, sum / (12.0 * h), 1e-7 * (1.0 + fabs(found)));
        }
    }
    tp_system_free(system);
}

static void sensors(tp_model *model, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        must(model, tp_model_add_sensor(model, names[i], TP_FORMULA(names[i]), ""));
}

TEST(coordinates_of_a_cylindrical_joint_between_rigid_bodies)
{
    static const char *const names[] = {"hinge.angle", "hinge.angle'", "hinge.displacement",
                                        "hinge.displacement'"};
    tp_model *model = new_model();
    add_body(model, "arm", TP_BODY_RIGID, tp_vec3_make(0.1, 0.2, 0.3), tp_quat_make(0.9, 0.1, -0.2, 0.3));
    add_body(model, "leg", TP_BODY_RIGID, tp_vec3_make(-0.1, 0.4, 0.2), tp_quat_make(0.7, -0.3, 0.2, 0.1));
    add_joint(model, "hinge", TP_JOINT_CYLINDRICAL, "arm", "leg");
    sensors(model, names, 4);
    must(model, tp_model_finish(model, NULL));
    check_names(check_state_, model, 0, 2, 5);
    tp_model_free(model);
}

TEST(coordinates_between_planar_bodies_points_and_the_ground)
{
    static const char *const names[] = {"hinge.angle", "hinge.angle'"}, *const rod[] = {"rod.length",
                                                                                        "rod.length'"};
    tp_model *model = new_model();
    add_body(model, "arm", TP_BODY_PLANAR, tp_vec3_make(0.1, 0.2, 0.0), tp_quat_identity());
    add_joint(model, "hinge", TP_JOINT_REVOLUTE, "ground", "arm");
    sensors(model, names, 2);
    must(model, tp_model_finish(model, NULL));
    check_names(check_state_, model, 0, 1, 6);
    tp_model_free(model);

    model = new_model();
    add_body(model, "bob", TP_BODY_POINT, tp_vec3_make(1.0, 0.1, 0.2), tp_quat_identity());
    add_joint(model, "rod", TP_JOINT_DISTANCE, "ground", "bob");
    sensors(model, rod, 2);
    must(model, tp_model_finish(model, NULL));
    check_names(check_state_, model, 0, 1, 7);
    tp_model_free(model);
}

/* A potential of a joint's angle makes the torque of a torsion spring: theta'' = -k theta / J about the axis.
 */
TEST(a_potential_of_an_angle_is_a_torsion_spring)
{
    tp_model *model = new_model();
    add_body(model, "arm", TP_BODY_RIGID, tp_vec3_make(0.3, 0.2, 0.0), tp_quat_identity());
    add_joint(model, "hinge", TP_JOINT_REVOLUTE, "ground", "arm");
    must(model, tp_model_add_potential(model, TP_FORMULA("1/2*3*(hinge.angle - 0.5)^2")));
    must(model, tp_model_finish(model, NULL));
    tp_system *system = NULL;
    CHECK_INT(tp_system_create(NULL, model, &system), TP_OK);
    double h[6], q[7] = {0.3, 0.2, 0.0, cos(0.1), 0.0, 0.0, sin(0.1)}, u[6] = {0.0};
    tp_system_move(system, 0.0, q, u);
    tp_system_force(system, h);
    CHECK_NEAR(h[5], -3.0 * (0.2 - 0.5), 1e-14);
    CHECK_NEAR(h[3], 0.0, 1e-14);
    tp_system_free(system);
    tp_model_free(model);
}

TEST_MAIN(RUNS(coordinates_of_a_cylindrical_joint_between_rigid_bodies),
          RUNS(coordinates_between_planar_bodies_points_and_the_ground),
          RUNS(a_potential_of_an_angle_is_a_torsion_spring))
