/* Invariants: energy less the work of forces, and sensors; docs/theory/jet.md (21)-(27). */
#include "math/dense.h"
#include "parts.h"
#include "system/slopes.h"
#include "tippe/euler_parameters.h"

#include <string.h>

/* The sensor of a name that ends at a comma. */
static tp_status find_sensor(const tp_model *model, const char *name, int length, int *sensor_out,
                             tp_message *why)
{
    for (int i = 0; i < model->sensors.count; i++) {
        const tp_sensor *sensor = TP_LIST_AT(model->sensors, tp_sensor, i);
        if (strncmp(sensor->name, name, (size_t)length) != 0 || sensor->name[length] != '\0') continue;
        *sensor_out = i;
        if (sensor->source == TP_SENSOR_OF_FORMULA) return TP_OK;
        return tp_fail(
            why, TP_INVALID_DATA,
            "sensor '%s' cannot be an invariant: it is not a formula of coordinates and velocities",
            sensor->name);
    }
    return tp_fail(
        why, TP_INVALID_DATA,
        "there is no sensor '%.*s' to be an invariant (jet_invariants: names of sensors, separated "
        "by commas)",
        length, name);
}

/* Sensors that are imposed, after the energy; their number. */
static tp_status find_sensors(const tp_model *model, const tp_jet_options *options, int *sensors,
                              int *count_out, tp_message *why)
{
    int count = options->holds_energy;
    const char *name = options->invariants;
    while (name != NULL && name[strspn(name, ", ")] != '\0') {
        name += strspn(name, ", ");
        int length = (int)strcspn(name, ", ");
        if (count == TP_JET_INVARIANTS)
            return tp_fail(why, TP_INVALID_DATA, "more than %d invariants are imposed", TP_JET_INVARIANTS);
        TP_TRY(find_sensor(model, name, length, &sensors[count++], why));
        name += length;
    }
    *count_out = count;
    return TP_OK;
}

tp_status tp_jet_check(const tp_model *model, const tp_jet_options *options, tp_message *why)
{
    int sensors[TP_JET_INVARIANTS], count;
    if (!(options->tolerance > 0.0)) return tp_fail(why, TP_INVALID_DATA, "jet_tolerance must be above 0");
    if (!(options->forcing >= 0.0 && options->forcing < 1.0))
        return tp_fail(why, TP_INVALID_DATA, "jet_forcing is %g; it must be at least 0 and below 1",
                       options->forcing);
    if (options->max_sweeps < 1) return tp_fail(why, TP_INVALID_DATA, "jet_sweeps must be at least 1");
    if (tp_jet_projection_name((int)options->projection) == NULL ||
        tp_jet_distribution_name((int)options->distribution) == NULL ||
        tp_jet_method_name((int)options->method) == NULL)
        return tp_fail(why, TP_INVALID_DATA,
                       "there is no such jet_projection, jet_distribution or jet_method");
    return find_sensors(model, options, sensors, &count, why);
}

tp_status tp_jet_invariants_create(tp_jet *jet, tp_message *why)
{
    int count = 0;
    TP_TRY(find_sensors(jet->system->model, &jet->options, jet->sensor, &count, why));
    jet->invariant_count = count;
    jet->slope = TP_ARENA_ARRAY(&jet->arena, double, (size_t)count * 2 * (size_t)jet->n + 1);
    TP_ARENA_DOUBLES(&jet->arena, jet->m + 1, &jet->by_position, &jet->by_velocity);
    jet->jacobian = TP_ARENA_ARRAY(&jet->arena, double, tp_sparse_count(&jet->system->jacobian_pattern) + 1);
    return tp_arena_status(&jet->arena);
}

double *tp_jet_invariants(tp_jet *jet)
{
    return jet->kept;
}

/* Work of forces since the start of the run; (22). */
static double work_at(tp_jet *jet, double t, const double *z)
{
    const double *totals = z + 2 * jet->n;
    if (!jet->options.has_trapezoidal_work) return totals[TP_JET_APPLIED] - totals[TP_JET_DISSIPATED];
    double power = tp_system_applied_power(jet->system) - tp_system_dissipated_power(jet->system);
    return jet->work.done + 0.5 * (t - jet->work.t) * (jet->work.power + power);
}

void tp_jet_book_work(tp_jet *jet, double t, double *z)
{
    z[2 * jet->n + TP_JET_TRAPEZOID] = work_at(jet, t, z);
}

/* At fixed u to fixed y1: Omega = 2 H theta1 changes by 1/2 Omega x phi when the body turns by phi; (25). */
static void hold_rates(const tp_jet *jet)
{
    for (int k = 0; k < jet->turn_count; k++) {
        double *slope = jet->by_position + jet->turn[k].u;
        tp_vec3 w = tp_vec3_from_array(jet->u + jet->turn[k].u),
                p = tp_vec3_from_array(jet->by_velocity + jet->turn[k].u);
        tp_vec3_to_array(tp_vec3_add_scaled(tp_vec3_from_array(slope), 0.5, tp_vec3_cross(p, w)), slope);
    }
}

/* By how much the energy grows with the lengths of Euler parameters: T is of second degree in them; (26). */
static void add_radial(const tp_jet *jet, const double *z, double *slope)
{
    for (int k = 0; k < jet->turn_count; k++) {
        double twice = tp_vec3_dot(tp_vec3_from_array(jet->u + jet->turn[k].u),
                                   tp_vec3_from_array(jet->by_velocity + jet->turn[k].u));
        for (int i = jet->turn[k].q; i < jet->turn[k].q + 4; i++) slope[i] += twice * z[i];
    }
}

/* The kinetic energy as this polynomial of Euler parameters, less that of unit length. */
static double radial_energy(const tp_jet *jet, const double *z)
{
    double sum = 0.0;
    for (int k = 0; k < jet->turn_count && jet->options.projection == TP_JET_QUASI; k++) {
        const tp_body *body = TP_LIST_AT(jet->system->model->bodies, tp_body, jet->turn[k].body);
        tp_vec3 w = tp_vec3_from_array(jet->u + jet->turn[k].u);
        tp_quat p = tp_quat_at(z + jet->turn[k].q);
        double size = tp_quat_dot(p, p);
        sum += 0.5 * (size * size - 1.0) * tp_vec3_dot(w, tp_mat3_apply(body->inertia, w));
    }
    return sum;
}

/* T + V less that work. */
static double energy_at(tp_jet *jet, double t, const double *z)
{
    return tp_system_kinetic_energy(jet->system) + tp_system_potential_energy(jet->system) +
           radial_energy(jet, z) - work_at(jet, t, z);
}

static bool is_energy(const tp_jet *jet, int k)
{
    return k == 0 && jet->options.holds_energy;
}

void tp_jet_invariant_slopes(tp_jet *jet, double t, const double *z, int k)
{
    tp_system *system = jet->system;
    jet->counts.gradients++;
    if (is_energy(jet, k)) {
        tp_system_mass(system, jet->mass_values.value);
        jet->value[k] = tp_system_energy_slopes(system, jet->mass_values.value, jet->jacobian,
                                                jet->by_position, jet->by_velocity) +
                        radial_energy(jet, z) - work_at(jet, t, z);
    } else {
        jet->value[k] = tp_system_sensor_slopes(system, jet->sensor[k], jet->by_position, jet->by_velocity);
    }
    jet->value[k] -= jet->kept[k];
    hold_rates(jet);
}

void tp_jet_invariants_evaluate(tp_jet *jet, double t, const double *z, bool with_slopes)
{
    tp_system *system = jet->system;
    for (int k = 0; k < jet->invariant_count; k++) {
        double *slope = jet->slope + (size_t)k * 2 * (size_t)jet->n;
        if (!with_slopes) {
            jet->value[k] = (is_energy(jet, k) ? energy_at(jet, t, z)
                                               : tp_system_measure(system, jet->sensor[k], NULL, 0.0, NULL)) -
                            jet->kept[k];
            continue;
        }
        tp_jet_invariant_slopes(jet, t, z, k);
        memset(slope, 0, 2 * (size_t)jet->n * sizeof(double));
        tp_jet_add_covector(jet, z, jet->by_position, slope);
        tp_jet_add_covector(jet, z, jet->by_velocity, slope + jet->n);
        if (is_energy(jet, k) && jet->options.projection == TP_JET_QUASI) add_radial(jet, z, slope);
    }
}

void tp_jet_set_invariants(tp_jet *jet, double t, const double *z)
{
    memset(jet->kept, 0, sizeof jet->kept);
    tp_jet_move(jet, t, z);
    jet->work.t = t;
    jet->work.done = 0.0;
    tp_jet_invariants_evaluate(jet, t, z, false);
    memcpy(jet->kept, jet->value, sizeof jet->kept);
}

void tp_jet_anchor_energy(tp_jet *jet, double t, const double *z)
{
    jet->kept[0] = energy_at(jet, t, z);
}

double tp_jet_invariant_goal(const tp_jet *jet)
{
    double size = tp_dense_largest(jet->invariant_count, jet->kept);
    if (jet->options.holds_energy) size = fmax(size, fabs(tp_system_kinetic_energy(jet->system)));
    return tp_jet_goal(jet, size);
}

/* ---- second derivatives of the kinetic energy of bodies that turn; (28) ---- */

/* L(x): H(w)^T x = L(x) w. */
static void skew4(tp_vec3 x, double *L)
{
    const double rows[16] = {0.0, -x.x, -x.y, -x.z, x.x, 0.0, x.z,  -x.y,
                             x.y, -x.z, 0.0,  x.x,  x.z, x.y, -x.x, 0.0};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) L[i + 4 * j] = rows[4 * i + j];
    }
}

/* out = A^T J B with A, B of 3 x 4. */
static void sandwich(const double *A, tp_mat3 J, const double *B, double *out)
{
    for (int j = 0; j < 4; j++) {
        tp_vec3 column = tp_mat3_apply(J, tp_vec3_from_array(B + 3 * j));
        for (int i = 0; i < 4; i++) out[i + 4 * j] = tp_vec3_dot(tp_vec3_from_array(A + 3 * i), column);
    }
}

static void add_body_curvature(const tp_body *body, const double *theta, const double *theta1, double factor,
                               double *K, int lead, int n)
{
    double H[12], H1[12], yy[16], vv[16], mixed[16], skew[16];
    tp_euler_matrix(tp_quat_at(theta), H);
    tp_euler_matrix(tp_quat_at(theta1), H1);
    sandwich(H1, body->inertia, H1, yy);
    sandwich(H, body->inertia, H, vv);
    sandwich(H1, body->inertia, H, mixed);
    skew4(tp_mat3_apply(body->inertia, tp_euler_apply(tp_quat_at(theta), tp_quat_at(theta1))), skew);
    int at = body->q_first + 3;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double both = -4.0 * factor * (skew[i + 4 * j] + mixed[i + 4 * j]);
            K[at + i + lead * (at + j)] += 4.0 * factor * yy[i + 4 * j];
            K[n + at + i + lead * (n + at + j)] += 4.0 * factor * vv[i + 4 * j];
            K[at + i + lead * (n + at + j)] += both;
            K[n + at + j + lead * (at + i)] += both;
        }
    }
}

void tp_jet_invariants_add_curvature(tp_jet *jet, const double *z, double factor, double *K, int lead)
{
    const tp_list *bodies = &jet->system->model->bodies;
    jet->counts.curvatures++;
    for (int b = 0; b < bodies->count; b++) {
        const tp_body *body = TP_LIST_AT(*bodies, tp_body, b);
        if (body->kind == TP_BODY_MOVING) continue;
        int moved = body->kind == TP_BODY_RIGID ? 3 : body->q_count;
        for (int k = 0; k < moved; k++) {
            int i = jet->n + body->q_first + k;
            bool turns = body->kind == TP_BODY_PLANAR && k == 2;
            K[i + lead * i] += factor * (turns ? body->inertia.cz.z : body->mass);
        }
        if (body->kind == TP_BODY_RIGID)
            add_body_curvature(body, z + body->q_first + 3, z + jet->n + body->q_first + 3, factor, K, lead,
                               jet->n);
    }
}
