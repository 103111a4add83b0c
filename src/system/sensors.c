/* Sensors of joints and contacts at the present point, with the impulses of the last step. Forces act on
   B; docs/guide/bodies.md. */
#include "parts.h"

#include <math.h>

/* ---- vectors ---- */

static double component_of(tp_vec3 v, tp_along along)
{
    switch (along) {
    case TP_ALONG_X: return v.x;
    case TP_ALONG_Y: return v.y;
    case TP_ALONG_Z: return v.z;
    case TP_ALONG_ALL: return tp_vec3_norm(v);
    case TP_ALONG_NORMAL:
    case TP_ALONG_TANGENT1:
    case TP_ALONG_TANGENT2: break; /* of contacts */
    }
    return NAN;
}

/* ---- joints ---- */

/* Force and moment about B's centre of mass that the rows of a joint exert on B, in the world. */
static tp_wrench reaction(const tp_system *system, const tp_model_joint *joint, const double *impulse,
                          double step)
{
    const tp_frame *A = &tp_system_body(system, joint->body_a)->frame,
                   *B = &tp_system_body(system, joint->body_b)->frame;
    tp_wrench sum = {0};
    for (int k = 0; k < joint->joint.row_count; k++) {
        tp_frame dA, dB;
        tp_basic_row_gradient(&joint->joint.row[k], A, B, &dA, &dB);
        tp_wrench unit = tp_frame_wrench(B, &dB);
        sum.force = tp_vec3_add_scaled(sum.force, impulse[k] / step, unit.force);
        sum.moment = tp_vec3_add_scaled(sum.moment, impulse[k] / step, unit.moment);
    }
    return sum;
}

/* The moment about the joint's point on B. */
static tp_vec3 moment_at_joint(const tp_system *system, const tp_model_joint *joint, tp_wrench on_B)
{
    const tp_frame *B = &tp_system_body(system, joint->body_b)->frame;
    tp_vec3 arm = tp_frame_direction(B, joint->on_B.point);
    return tp_vec3_sub(on_B.moment, tp_vec3_cross(arm, on_B.force));
}

static double rate_of(const tp_system *system, const tp_model_joint *joint, int k)
{
    const tp_body_state *A = tp_system_body(system, joint->body_a),
                        *B = tp_system_body(system, joint->body_b);
    tp_frame dA, dB;
    tp_basic_row_gradient(&joint->joint.coordinate[k], &A->frame, &B->frame, &dA, &dB);
    tp_wrench a = tp_frame_wrench(&A->frame, &dA), b = tp_frame_wrench(&B->frame, &dB);
    tp_wrench twist_A = {A->v, A->w, A->stretch}, twist_B = {B->v, B->w, B->stretch};
    return tp_wrench_power(&a, &twist_A) + tp_wrench_power(&b, &twist_B);
}

/* The force of the motor on a coordinate; 0 without one. */
static double drive_of(const tp_model_joint *joint, int k, const double *impulse, double step)
{
    return joint->motor[k] >= 0 ? impulse[(size_t)joint->motor[k] * TP_LAW_ROWS] / step : 0.0;
}

static double measure_joint(const tp_system *system, const tp_sensor *sensor, const double *impulse,
                            double step)
{
    const tp_model_joint *joint = TP_LIST_AT(system->model->joints, tp_model_joint, sensor->joint);
    if (sensor->joint_quantity == TP_JOINT_SENSES_COORDINATE)
        return tp_system_joint_coordinate(system, sensor->joint, sensor->coordinate);
    if (sensor->joint_quantity == TP_JOINT_SENSES_RATE) return rate_of(system, joint, sensor->coordinate);
    if (sensor->joint_quantity == TP_JOINT_SENSES_DRIVE)
        return drive_of(joint, sensor->coordinate, impulse, step);
    tp_wrench on_B = reaction(system, joint, impulse + (size_t)joint->law * TP_LAW_ROWS, step);
    bool is_force = sensor->joint_quantity == TP_JOINT_SENSES_REACTION ||
                    sensor->joint_quantity == TP_JOINT_SENSES_REACTION_NOW;
    tp_vec3 v = is_force ? on_B.force : moment_at_joint(system, joint, on_B);
    if (sensor->is_in_joint) {
        tp_mat3 axes = tp_mat3_multiply(tp_system_body(system, joint->body_a)->frame.D, joint->on_A.axes);
        v = tp_mat3_apply_transposed(axes, v);
    }
    return component_of(v, sensor->component);
}

void tp_system_joint_state(const tp_system *system, int index, const double *impulse, double step,
                           tp_joint_state *state_out)
{
    const tp_model_joint *joint = TP_LIST_AT(system->model->joints, tp_model_joint, index);
    tp_wrench on_B = reaction(system, joint, impulse + (size_t)joint->law * TP_LAW_ROWS, step);
    *state_out = (tp_joint_state){
        .coordinate_count = joint->joint.coordinate_count,
        .point = tp_frame_point(&tp_system_body(system, joint->body_b)->frame, joint->on_B.point),
        .reaction = on_B.force,
        .moment = moment_at_joint(system, joint, on_B)};
    for (int k = 0; k < joint->joint.coordinate_count; k++) {
        state_out->coordinate[k] = tp_system_joint_coordinate(system, index, k);
        state_out->rate[k] = rate_of(system, joint, k);
        state_out->drive[k] = drive_of(joint, k, impulse, step);
    }
}

/* ---- accelerations ---- */

/* The motion of a body with the velocities u and the accelerations a. */
static tp_frame_motion motion_with(tp_system *system, int index, const double *a)
{
    tp_frame_motion motion = tp_frame_motion_of(system, index);
    int count = index != TP_GROUND ? TP_LIST_AT(system->model->bodies, tp_body, index)->u_count : 0;
    for (int k = 0; k < count; k++) {
        double by = a[TP_LIST_AT(system->model->bodies, tp_body, index)->u_first + k];
        tp_frame_motion unit = tp_frame_unit_motion(system, index, k);
        motion.second.r = tp_vec3_add_scaled(motion.second.r, by, unit.rate.r);
        motion.second.D = tp_mat3_add(motion.second.D, tp_mat3_scale(by, unit.rate.D));
        motion.w_rate = tp_vec3_add_scaled(motion.w_rate, by, unit.w);
    }
    return motion;
}

void tp_system_point_acceleration(tp_system *system, int body, tp_vec3 point, const double *a,
                                  tp_vec3 *acceleration_out, tp_vec3 *angular_out)
{
    tp_frame_motion motion = motion_with(system, body, a);
    *acceleration_out = tp_frame_point(&motion.second, point);
    *angular_out = motion.w_rate;
}

double tp_system_coordinate_acceleration(tp_system *system, int index, int k, const double *a)
{
    const tp_model_joint *joint = TP_LIST_AT(system->model->joints, tp_model_joint, index);
    const int bodies[] = {joint->body_a, joint->body_b};
    const tp_frame_motion motions[] = {motion_with(system, bodies[0], a), motion_with(system, bodies[1], a)};
    return tp_basic_row_drift(system, &joint->joint.coordinate[k], bodies, motions);
}

double tp_system_measure_now(tp_system *system, int index, const double *a, const double *force)
{
    const tp_sensor *sensor = TP_LIST_AT(system->model->sensors, tp_sensor, index);
    if (sensor->source == TP_SENSOR_OF_JOINT && sensor->joint_quantity == TP_JOINT_SENSES_ACCELERATION)
        return tp_system_coordinate_acceleration(system, sensor->joint, sensor->coordinate, a);
    if (sensor->source == TP_SENSOR_OF_JOINT) return measure_joint(system, sensor, force, 1.0);
    tp_vec3 linear, angular;
    tp_system_point_acceleration(system, sensor->body, sensor->point, a, &linear, &angular);
    tp_vec3 v = sensor->body_quantity == TP_BODY_SENSES_ACCELERATION ? linear : angular;
    if (sensor->is_in_body) v = tp_mat3_apply_transposed(*tp_system_rotation(system, sensor->body), v);
    return component_of(v, sensor->component);
}

/* ---- contacts ---- */

/* Directions (N, T1, T2) of a contact point, columns, in the world. */
static tp_mat3 contact_axes(tp_system *system, int index)
{
    tp_vec3 n = tp_system_contact_point(system, index)->normal;
    return tp_contact_axes(n, tp_contact_axis(system, index, n), tp_system_pair(system, index)->is_planar);
}

/* Components along (N, T1, T2) to what the sensor wants of them. */
static tp_vec3 turn_for(tp_system *system, int law, tp_along along, tp_vec3 local)
{
    bool is_pair = tp_system_pair(system, law) != NULL,
         is_in_space = along <= TP_ALONG_Z || along == TP_ALONG_ALL;
    return is_pair && is_in_space ? tp_mat3_apply(contact_axes(system, law), local) : local;
}

static double along_contact(tp_vec3 v, tp_along along)
{
    switch (along) {
    case TP_ALONG_NORMAL: return v.x;
    case TP_ALONG_TANGENT1: return v.y;
    case TP_ALONG_TANGENT2: return v.z;
    case TP_ALONG_X:
    case TP_ALONG_Y:
    case TP_ALONG_Z:
    case TP_ALONG_ALL: return component_of(v, along);
    }
    return NAN;
}

static tp_vec3 first_three(int count, const double *values)
{
    return tp_vec3_make(values[0], count > 1 ? values[1] : 0.0, count > 2 ? values[2] : 0.0);
}

/* The next law that the sensor means, after one (-1: the first); false: there is no more. */
static bool next_contact(const tp_system *system, const tp_sensor *sensor, int *law_io)
{
    if (sensor->law >= 0) {
        bool is_first = *law_io < 0;
        *law_io = sensor->law;
        return is_first;
    }
    if (*law_io < 0) *law_io = system->fixed_count - 1;
    while (++*law_io < system->law_count) {
        if (tp_sensor_means(system->model, sensor, &tp_system_pair(system, *law_io)->touch,
                            tp_system_feature(system, *law_io)))
            return true;
    }
    return false;
}

/* The sum over all points of the contact. */
static double contact_force(tp_system *system, const tp_sensor *sensor, const double *impulse, double step)
{
    tp_vec3 sum = {0.0, 0.0, 0.0};
    for (int index = -1; next_contact(system, sensor, &index);) {
        const double *P = impulse + (size_t)index * TP_LAW_ROWS;
        int rows = tp_system_law(system, index)->row_count;
        if (P[0] == 0.0) continue; /* open: it may have no directions at all */
        tp_vec3 force = turn_for(system, index, sensor->component, first_three(rows, P));
        sum = tp_vec3_add_scaled(sum, 1.0 / step, force);
    }
    return along_contact(sum, sensor->component);
}

/* The point with the least gap; -1: nothing is near. */
static int nearest_point(tp_system *system, const tp_sensor *sensor, double *gap_out)
{
    int nearest = -1;
    *gap_out = INFINITY;
    for (int index = -1; next_contact(system, sensor, &index);) {
        double gap = tp_system_law_position(system, index);
        if (!(gap < *gap_out)) continue;
        *gap_out = gap;
        nearest = index;
    }
    return nearest;
}

static double contact_slip(tp_system *system, const tp_sensor *sensor, double *W)
{
    double gap, chi[TP_LAW_ROWS], gamma[3] = {0.0};
    int index = nearest_point(system, sensor, &gap);
    if (isinf(gap)) return NAN; /* nowhere near: no point and no directions */
    int count = tp_system_law_column_count(system, index), rows = tp_system_law(system, index)->row_count;
    tp_system_law_rows(system, index, W, chi);
    for (int k = 1; k < rows && k < 3; k++) {
        gamma[k] =
            chi[k] + tp_row_velocity(count, tp_system_law_columns(system, index), W + k * count, system->u);
    }
    return along_contact(turn_for(system, index, sensor->component, first_three(3, gamma)),
                         sensor->component);
}

static double measure_contact(tp_system *system, const tp_sensor *sensor, const double *impulse, double step,
                              double *W)
{
    double gap;
    switch (sensor->contact_quantity) {
    case TP_CONTACT_SENSES_FORCE: return contact_force(system, sensor, impulse, step);
    case TP_CONTACT_SENSES_SLIP: return contact_slip(system, sensor, W);
    case TP_CONTACT_SENSES_GAP: break;
    }
    (void)nearest_point(system, sensor, &gap);
    return gap;
}

double tp_system_measure(tp_system *system, int index, const double *impulse, double step, double *W)
{
    const tp_sensor *sensor = TP_LIST_AT(system->model->sensors, tp_sensor, index);
    switch (sensor->source) {
    case TP_SENSOR_OF_JOINT: return measure_joint(system, sensor, impulse, step);
    case TP_SENSOR_OF_CONTACT: return measure_contact(system, sensor, impulse, step, W);
    case TP_SENSOR_OF_BODY: return NAN; /* tp_system_measure_now */
    case TP_SENSOR_OF_FORMULA: break;
    }
    return tp_scalar_value(&sensor->value, &system->at);
}
