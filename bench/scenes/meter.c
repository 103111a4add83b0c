/* The meter. */
#include "meter.h"
#include "tippe/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { OVERLAP_EVERY = 10 }; /* steps */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bench_contact *bench_sample_add(bench_sample *sample)
{
    if (sample->contact_count == sample->contact_capacity) {
        int capacity = 2 * sample->contact_capacity + 64;
        bench_contact *grown = realloc(sample->contacts, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        sample->contacts = grown;
        sample->contact_capacity = capacity;
    }
    return &sample->contacts[sample->contact_count++];
}

static tp_pose pose_of(const bench_motion *now)
{
    const double *x = now->position, *q = now->orientation;
    return (tp_pose){tp_vec3_make(x[0], x[1], x[2]), {q[0], q[1], q[2], q[3]}};
}

static double energy_of(const bench_scene *scene, const bench_motion *bodies)
{
    double sum = 0.0;
    for (int k = 0; k < scene->body_count; k++) {
        const bench_body *body = &scene->bodies[k];
        const bench_motion *now = &bodies[k];
        const double *w = now->spin;
        tp_quat turn = pose_of(now).orientation;
        tp_vec3 spin = tp_quat_rotate(tp_quat_conjugate(turn), tp_vec3_make(w[0], w[1], w[2]));
        sum += 0.5 * body->mass * dot(now->velocity, now->velocity) -
               body->mass * dot(scene->gravity, now->position);
        sum += 0.5 * (body->inertia[0] * spin.x * spin.x + body->inertia[1] * spin.y * spin.y +
                      body->inertia[2] * spin.z * spin.z);
    }
    return sum;
}

static tp_solid solid_of(const bench_body *body)
{
    return body->is_sphere ? tp_solid_sphere(body->radius)
                           : tp_solid_box(tp_vec3_make(body->half[0], body->half[1], body->half[2]));
}

/* How far a body reaches from its centre, and along one direction. */
static double reach_of(const bench_body *body)
{
    return body->is_sphere ? body->radius : sqrt(dot(body->half, body->half));
}

static double reach_along(const bench_body *body, const bench_motion *now, const double *direction)
{
    if (body->is_sphere) return body->radius;
    tp_vec3 local = tp_quat_rotate(tp_quat_conjugate(pose_of(now).orientation),
                                   tp_vec3_make(direction[0], direction[1], direction[2]));
    return body->half[0] * fabs(local.x) + body->half[1] * fabs(local.y) + body->half[2] * fabs(local.z);
}

static double overlap_of_pair(const bench_scene *scene, const bench_motion *bodies, int i, int j)
{
    const bench_body *a = &scene->bodies[i], *b = &scene->bodies[j];
    double between[3], reach = reach_of(a) + reach_of(b), worst = 0.0;
    for (int d = 0; d < 3; d++) between[d] = bodies[j].position[d] - bodies[i].position[d];
    if (dot(between, between) >= reach * reach) return 0.0;
    tp_solid solid_a = solid_of(a), solid_b = solid_of(b);
    tp_pose pose_a = pose_of(&bodies[i]), pose_b = pose_of(&bodies[j]);
    tp_contact_point points[16];
    int count = tp_collide(&solid_a, &pose_a, &solid_b, &pose_b, 0.0, points);
    for (int k = 0; k < count; k++) worst = fmax(worst, -points[k].gap);
    return worst;
}

/* Deepest overlap of bodies and planes, from positions alone. */
static double overlap_of(const bench_scene *scene, const bench_motion *bodies)
{
    double worst = 0.0;
    if (scene->is_chain) return NAN;
    for (int i = 0; i < scene->body_count; i++) {
        for (int p = 0; p < scene->plane_count; p++) {
            const bench_plane *plane = &scene->planes[p];
            double height = dot(plane->normal, bodies[i].position) - plane->offset;
            worst = fmax(worst, reach_along(&scene->bodies[i], &bodies[i], plane->normal) - height);
        }
        for (int j = 0; j < i; j++) worst = fmax(worst, overlap_of_pair(scene, bodies, i, j));
    }
    return worst;
}

/* |p - proj_K(p - xi)|^2 with xi = (u_N + mu |u_T|, u_T), the natural map of Signorini's and Coulomb's laws;
   docs/theory/problems.md. */
static double law_error_squared(const bench_contact *contact, double friction)
{
    double push = dot(contact->impulse, contact->normal), away = dot(contact->velocity, contact->normal);
    double slip[3], drag[3], z[3], rho = contact->inverse_mass;
    for (int d = 0; d < 3; d++) {
        slip[d] = contact->velocity[d] - away * contact->normal[d];
        drag[d] = rho * (contact->impulse[d] - push * contact->normal[d]);
        z[d] = drag[d] - slip[d];
    }
    double z_normal = rho * push - away - friction * sqrt(dot(slip, slip)), z_tangent = sqrt(dot(z, z));
    double normal = 0.0, share = 0.0; /* outside the polar cone: onto the boundary */
    if (z_tangent <= friction * z_normal) {
        normal = z_normal, share = 1.0;
    } else if (friction * z_tangent > -z_normal) {
        normal = (z_normal + friction * z_tangent) / (1.0 + friction * friction);
        share = friction * normal / z_tangent;
    }
    double sum = (rho * push - normal) * (rho * push - normal);
    for (int d = 0; d < 3; d++) sum += (drag[d] - share * z[d]) * (drag[d] - share * z[d]);
    return sum;
}

static void judge_contacts(bench_meter *meter, const bench_sample *sample)
{
    const bench_scene *scene = meter->scene;
    bench_figures *figures = &meter->figures;
    double largest = 0.0, beyond = 0.0, sum = 0.0;
    if (sample->contact_count == 0) return;
    for (int k = 0; k < sample->contact_count; k++) {
        const bench_contact *contact = &sample->contacts[k];
        double push = dot(contact->impulse, contact->normal);
        double drag = sqrt(fmax(dot(contact->impulse, contact->impulse) - push * push, 0.0));
        largest = fmax(largest, push);
        beyond = fmax(beyond, drag - scene->friction * push);
        sum += law_error_squared(contact, scene->friction);
    }
    if (largest > 0.0) figures->cone = fmax(figures->cone, beyond / largest);

    /* With restitution the law is another one. The first half is free flight and impacts. */
    if (scene->restitution > 0.0 || figures->steps < figures->steps_asked / 2) return;
    double error =
        sqrt(sum / sample->contact_count) / (sqrt(dot(scene->gravity, scene->gravity)) * scene->time_step);
    meter->residual_sum += error;
    meter->residual_count++;
    figures->residual_max = fmax(figures->residual_max, error);
}

bench_meter bench_meter_start(const bench_scene *scene, const bench_motion *bodies)
{
    return (bench_meter){.scene = scene,
                         .energy = energy_of(scene, bodies),
                         .figures = {.steps_asked = (int)lround(scene->duration / scene->time_step),
                                     .own_residual = NAN,
                                     .overlap = scene->is_chain ? NAN : 0.0}};
}

void bench_meter_step(bench_meter *meter, const bench_sample *sample, double seconds)
{
    bench_figures *figures = &meter->figures;
    double energy = energy_of(meter->scene, sample->bodies);
    meter->seconds += seconds;
    meter->contact_sum += sample->contact_count;
    figures->longest = fmax(figures->longest, 1e3 * seconds);
    figures->energy_rise = fmax(figures->energy_rise, (energy - meter->energy) / meter->scene->energy_scale);
    meter->energy = energy;
    judge_contacts(meter, sample);
    if (figures->steps % OVERLAP_EVERY == 0 && !meter->scene->is_chain)
        figures->overlap = fmax(figures->overlap, overlap_of(meter->scene, sample->bodies));
    figures->steps++;
}

bench_figures bench_meter_end(bench_meter *meter, const bench_motion *bodies)
{
    bench_figures *figures = &meter->figures;
    const bench_scene *scene = meter->scene;
    int steps = figures->steps > 0 ? figures->steps : 1;
    figures->milliseconds = 1e3 * meter->seconds / steps;
    figures->contacts = meter->contact_sum / steps;
    figures->residual_mean = meter->residual_count > 0 ? meter->residual_sum / meter->residual_count : NAN;
    if (meter->residual_count == 0) figures->residual_max = NAN;
    if (meter->contact_sum <= 0.0) figures->cone = NAN;
    figures->overlap_end = overlap_of(scene, bodies);
    figures->overlap = scene->is_chain ? NAN : fmax(figures->overlap, figures->overlap_end);
    figures->drift = scene->kind->drift != NULL && figures->steps == figures->steps_asked
                         ? scene->kind->drift(scene, bodies, figures->steps * scene->time_step)
                         : NAN;
    return *figures;
}
