/* Accelerations and forces at a state: closed forms, published vectors, contacts and friction on acceleration
   level. Claims of docs/theory/second-level.md. */
#define _POSIX_C_SOURCE 200809L
#include "battery/random_scene.h"
#include "examples.h"
#include "integrator/accelerations.h"
#include "system/parts.h"
#include "system/second_level.h"

static const double closing = 1e-9; /* relative to the size of a scene */

typedef struct subject {
    tp_scene *scene;
    tp_accelerations *acc;
    double q[64], u[64];
} subject;

static subject subject_of(tp_scene *scene)
{
    subject s = {.scene = scene};
    if (tp_accelerations_create(tp_allocator_default(), scene->model, &s.acc) != TP_OK) fail();
    memcpy(s.q, scene->model->q0, (size_t)s.acc->system->q_count * sizeof(double));
    memcpy(s.u, scene->model->u0, (size_t)s.acc->system->u_count * sizeof(double));
    return s;
}

static subject read_subject(const char *text)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "test", text, strlen(text), NULL, 0, &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    return subject_of(scene);
}

static void find(subject *s)
{
    tp_system_move(s->acc->system, 0.0, s->q, s->u);
    if (tp_accelerations_see(s->acc, closing) != TP_OK) fail();
    tp_status status = tp_accelerations_find(s->acc, closing, NULL);
    if (status != TP_OK) fail_msg("%s", tp_status_text(status));
}

static void end(subject *s)
{
    tp_accelerations_free(s->acc);
    tp_scene_free(s->scene);
}

static tp_joint_state joint_of(const subject *s, const char *name)
{
    tp_joint_state state;
    tp_system_joint_state(s->acc->system, tp_model_find_joint(s->scene->model, name), s->acc->force, 1.0,
                          &state);
    return state;
}

static const double *force_of(const subject *s, const char *law)
{
    bool is_contact = strcmp(law, "c[0]") == 0;
    return s->acc->force + TP_LAW_ROWS * (is_contact ? s->acc->system->fixed_count
                                                     : tp_model_law_named(s->scene->model, law).index);
}

/* Published values have ten digits. */
#define CHECK_DIGITS(value, expected) CHECK_NEAR(value, expected, 6e-10 * fmax(1.0, fabs(expected)))

TEST(a_pendulum_in_space_has_the_published_accelerations_and_reactions)
{
    subject s = subject_of(read_edited("pendulum-3d", NULL, 0));
    find(&s);
    CHECK_DIGITS(s.acc->a[1], -8.60097716191);
    CHECK_DIGITS(0.5 * s.acc->a[5], -5.62155370060);
    CHECK_DIGITS(joint_of(&s, "pivot").reaction.y, 46.3539356122);

    /* the same pose with Omega = (1, 2, 0.5) */
    const double u[] = {0.0, 0.3825, -1.53, 1.0, 2.0, 0.5};
    memcpy(s.u, u, sizeof u);
    find(&s);
    const double a[] = {-3.25125, -8.59344419978, 0.00250892859},
                 lambda[] = {124.652925, -46.6427493803, -0.0961923221};
    double reaction[3];
    tp_vec3_to_array(joint_of(&s, "pivot").reaction, reaction);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(s.acc->a[k], a[k], 6e-12 * 1e2);
        CHECK_NEAR(reaction[k], -lambda[k], 6e-11 * 100.0);
    }
    /* theta'' = (theta_1 terms): 2 theta_2 has the angular accelerations in its vector part */
    CHECK_DIGITS(0.5 * s.acc->a[3], 0.07142857143);
    CHECK_DIGITS(0.5 * s.acc->a[4], 0.24836017739);
    CHECK_DIGITS(0.5 * s.acc->a[5], -6.61663019594);
    end(&s);
}

TEST(a_four_bar_linkage_has_the_published_accelerations_and_reactions)
{
    subject s = subject_of(read_edited("quadrangle", NULL, 0));
    find(&s);
    CHECK_DIGITS(s.acc->a[5], -4.0757551579);
    tp_joint_state drive = joint_of(&s, "drive"), ball = joint_of(&s, "ball"), pivot = joint_of(&s, "pivot");
    CHECK_NEAR(drive.reaction.x, 1320.978996, 6e-7);
    CHECK_NEAR(drive.reaction.y, 1259.143969, 6e-7);
    CHECK_NEAR(ball.reaction.x, 1045.308840, 6e-7);
    CHECK_NEAR(ball.reaction.y, 652.141208, 6e-7);
    CHECK_NEAR(pivot.reaction.x, -649.667507, 6e-7);
    CHECK_NEAR(pivot.reaction.y, -1366.636510, 6e-7);
    end(&s);
}

/* The same pose, the crank at the rate 2: 2 n1 f' + 4 n2 b2' - 4 n3 b3' = 0 gives the others. */
TEST(a_four_bar_linkage_that_moves_has_the_published_acceleration)
{
    subject s = subject_of(read_edited("quadrangle", NULL, 0));
    const double angle[] = {1.0471975511965976, 0.42324559829852315, 1.0042031595910084};
    double n[3][2], rate[3] = {2.0};
    for (int k = 0; k < 3; k++) {
        n[k][0] = -sin(angle[k]);
        n[k][1] = cos(angle[k]);
    }
    double determinant = -16.0 * (n[1][0] * n[2][1] - n[1][1] * n[2][0]),
           r[] = {-4.0 * n[0][0], -4.0 * n[0][1]};
    rate[1] = (r[0] * -4.0 * n[2][1] + 4.0 * n[2][0] * r[1]) / determinant;
    rate[2] = (4.0 * n[1][0] * r[1] - 4.0 * n[1][1] * r[0]) / determinant;
    for (int c = 0; c < 2; c++) {
        s.u[c] = rate[0] * n[0][c];
        s.u[6 + c] = 2.0 * rate[0] * n[0][c] + 2.0 * rate[1] * n[1][c];
        s.u[12 + c] = 2.0 * rate[2] * n[2][c];
    }
    for (int k = 0; k < 3; k++) s.u[6 * k + 5] = rate[k];
    find(&s);
    CHECK_NEAR(tp_system_kinetic_energy(s.acc->system), 2012.08981033, 6e-9);
    CHECK_DIGITS(s.acc->a[5], -5.4193277083);
    CHECK(s.acc->is_exact);
    end(&s);
}

TEST(a_crank_in_space_has_the_published_accelerations_and_reactions)
{
    subject s = subject_of(read_edited("crank", NULL, 0));
    find(&s);
    CHECK_DIGITS(s.acc->a[5], -36.0231416959);
    CHECK_NEAR(joint_of(&s, "ball").reaction.y, -77.581653, 6e-7);
    CHECK_NEAR(joint_of(&s, "guide").reaction.y, 210.725996, 6e-7);
    CHECK_NEAR(joint_of(&s, "cardan").reaction.y, -134.109896, 6e-7);
    CHECK_NEAR(joint_of(&s, "drive").reaction.y, 61.899469, 6e-7);

    /* the crank turns about -x with 2 rad/s: its tip goes along -y, the slider rests */
    s.u[1] = s.u[7] = -0.5;
    s.u[5] = -2.0;
    s.u[11] = 1.0 / 1.8;
    find(&s);
    CHECK_NEAR(tp_system_kinetic_energy(s.acc->system), 15.0020216, 6e-8);
    CHECK_DIGITS(s.acc->a[5], -36.0231416959);
    end(&s);
}

/* The centre runs on a circle of radius l sin(tilt) with the angular velocity W, at constant height. */
TEST(a_top_in_steady_precession_is_accelerated_towards_the_axis)
{
    subject s = subject_of(read_edited("heavy-top", NULL, 0));
    const double W = 3.0, m = 1.0, radius = 0.5 * sin(0.5);
    find(&s);
    tp_vec3 r = tp_vec3_make(s.q[0], s.q[1], 0.0);
    CHECK_NEAR(tp_vec3_norm(r), radius, 1e-14);
    CHECK_NEAR(s.acc->a[0], -W * W * r.x, 1e-12);
    CHECK_NEAR(s.acc->a[1], -W * W * r.y, 1e-12);
    CHECK_NEAR(s.acc->a[2], 0.0, 1e-12);
    tp_vec3 reaction = joint_of(&s, "tip").reaction;
    CHECK_NEAR(reaction.x, -m * W * W * r.x, 1e-12);
    CHECK_NEAR(reaction.y, -m * W * W * r.y, 1e-12);
    CHECK_NEAR(reaction.z, m * 9.81, 1e-12);
    end(&s);
}

/* ---- contacts and friction ---- */

static const char ball[] = "gravity: [5, 0, -8]\n"
                           "bodies: [{name: ball, mass: 2, inertia: [0.2, 0.2, 0.2], position: [0, 0, 0.5],\n"
                           "  shapes: [{name: sphere, type: sphere, radius: 0.5}]}]\n"
                           "ground: {shapes: [{name: floor, type: plane}]}\n"
                           "contacts: [{name: c, between: [floor, sphere], friction: 0.3}]\n";

/* On accelerations: sticking rolls with g_x/(1 + J/(m r^2)) while mu suffices. */
TEST(a_ball_at_rest_on_a_slope_begins_to_roll)
{
    subject s = read_subject(ball);
    find(&s);
    double a = 5.0 / (1.0 + 0.2 / (2.0 * 0.25));
    CHECK_NEAR(s.acc->a[0], a, 1e-10);
    CHECK_NEAR(s.acc->a[4], a / 0.5, 1e-10);
    CHECK_NEAR(s.acc->a[2], 0.0, 1e-12);
    const double *force = force_of(&s, "c[0]");
    CHECK_NEAR(force[0], 16.0, 1e-10);
    CHECK_NEAR(hypot(force[1], force[2]), 2.0 * (5.0 - a), 1e-10);
    CHECK_INT(s.acc->impact_count, 0);
    end(&s);
}

/* Slipping: mu N against the slip, whatever the acceleration does. */
TEST(a_ball_that_slips_feels_friction_against_its_slip)
{
    subject s = read_subject(ball);
    s.u[0] = 0.3;
    s.u[1] = 0.4;
    s.u[3] = 0.1; /* of the point at the bottom: + omega x (0, 0, -r) */
    s.u[4] = -0.2;
    double slip[] = {0.3 + 0.5 * 0.2, 0.4 + 0.5 * 0.1}, norm = hypot(slip[0], slip[1]), mu_n = 0.3 * 16.0;
    find(&s);
    CHECK_NEAR(s.acc->a[0], 5.0 - mu_n / 2.0 * slip[0] / norm, 1e-10);
    CHECK_NEAR(s.acc->a[1], -mu_n / 2.0 * slip[1] / norm, 1e-10);
    CHECK_NEAR(s.acc->a[2], 0.0, 1e-12);
    end(&s);
}

/* N = m (g cos - v^2/R) on top of a sphere; beyond v^2 = g R it flies off. */
TEST(a_bead_on_a_sphere_is_pressed_less_by_its_speed)
{
    static const char text[] = "gravity: [0, 0, -9]\n"
                               "bodies: [{name: bead, type: point, mass: 2, position: [0, 0, 4], "
                               "shapes: [{name: tip, type: point}]}]\n"
                               "ground: {shapes: [{name: dome, type: sphere, radius: 4}]}\n"
                               "contacts: [{name: c, between: [dome, tip]}]\n";
    subject s = read_subject(text);
    s.u[0] = 3.0;
    find(&s);
    CHECK_NEAR(force_of(&s, "c[0]")[0], 2.0 * (9.0 - 9.0 / 4.0), 1e-10);
    CHECK_NEAR(s.acc->a[2], -9.0 / 4.0, 1e-10);
    s.u[0] = 6.5;
    find(&s);
    CHECK_NEAR(force_of(&s, "c[0]")[0], 0.0, 0.0);
    CHECK_NEAR(s.acc->a[2], -9.0, 1e-12);
    s.u[2] = -1.0; /* about to hit */
    find(&s);
    CHECK_INT(s.acc->impact_count, 1);
    end(&s);
}

/* A belt: friction of bound 3 on one coordinate; at rest it carries less, moving all of it. */
TEST(dry_friction_carries_up_to_its_bound)
{
    static const char text[] = "coordinates: [x]\nkinetic: \"x'^2\"\nforces: {x: \"2 + 4*t\"}\n"
                               "laws: [{name: f, kind: friction, velocity: \"x'\", bound: \"3\"}]\n";
    subject s = read_subject(text);
    find(&s);
    CHECK_NEAR(s.acc->a[0], 0.0, 1e-12);
    CHECK_NEAR(force_of(&s, "f")[0], -2.0, 1e-12);
    s.u[0] = -1.0;
    find(&s);
    CHECK_NEAR(s.acc->a[0], 2.5, 1e-12);
    CHECK_NEAR(force_of(&s, "f")[0], 3.0, 1e-12);
    end(&s);
}

/* A door on two hinges: four of its rows depend on others, the reactions are those of least norm. */
TEST(redundant_joints_share_their_reactions)
{
    static const char text[] =
        "gravity: [0, 0, -10]\n"
        "bodies: [{name: door, mass: 3, inertia: [1, 1, 1], position: [0.5, 0, 0]}]\n"
        "joints: [{name: low, type: revolute, bodies: [ground, door], point: [0, 0, -1], axis: [0, 0, 1]},\n"
        "  {name: high, type: revolute, bodies: [ground, door], point: [0, 0, 1], axis: [0, 0, 1]}]\n";
    subject s = read_subject(text);
    s.u[1] = 0.5 * 2.0;
    s.u[5] = 2.0;
    find(&s);
    tp_joint_state low = joint_of(&s, "low"), high = joint_of(&s, "high");
    CHECK_NEAR(s.acc->a[0], -0.5 * 4.0, 1e-11);
    CHECK_NEAR(s.acc->a[5], 0.0, 1e-11);
    CHECK_NEAR(low.reaction.z, 15.0, 1e-10);
    CHECK_NEAR(high.reaction.z, 15.0, 1e-10);
    CHECK_NEAR(low.reaction.x + high.reaction.x, -3.0 * 2.0, 1e-10);
    end(&s);
}

/* ---- every scene ---- */

/* M a = h + W lambda, and W^T a + g2 = 0 of joints: relative to the largest term, 1e-9 where contacts are
   solved to 1e-13 and positions of joints are off by rounding. */
static void check_balance(const char *name, tp_accelerations *acc)
{
    tp_system *system = acc->system;
    const tp_sparse *M = &system->mass_pattern;
    int n = system->u_count;
    double *left = calloc((size_t)n + 1, sizeof(double)), *W = acc->problem->row, size = 1.0;
    if (left == NULL) abort();
    for (int j = 0; j < n; j++) {
        left[j] -= acc->h[j];
        size = fmax(size, fabs(acc->h[j]));
        for (int k = M->start[j]; k < M->start[j + 1]; k++) left[M->index[k]] += acc->M[k] * acc->a[j];
    }
    for (int i = 0; i < system->law_count; i++) {
        const double *force = acc->force + (size_t)i * TP_LAW_ROWS;
        const tp_law *law = tp_system_law(system, i);
        int count = tp_system_law_column_count(system, i);
        const int *columns = tp_system_law_columns(system, i);
        double chi[TP_LAW_ROWS], g2[TP_LAW_ROWS];
        tp_system_law_rows(system, i, W, chi);
        tp_system_law_drift(system, i, g2);
        for (int k = 0; k < law->row_count; k++) {
            double rate = g2[k] + tp_row_velocity(count, columns, W + k * count, acc->a),
                   terms = 1.0 + fabs(g2[k]) + tp_row_size(count, columns, W + k * count, acc->a);
            for (int c = 0; c < count; c++) {
                left[columns[c]] -= W[c + k * count] * force[k];
                size = fmax(size, fabs(W[c + k * count] * force[k]));
            }
            if (law->set.kind == TP_SET_FREE && fabs(rate) > 1e-8 * terms)
                fail_msg("%s: '%s' row %d accelerates by %.3g", name, law->name, k, rate);
        }
        if (law->level == TP_LEVEL_GAP && !(force[0] >= -1e-9 * size))
            fail_msg("%s: '%s' pulls with %.3g", name, law->name, force[0]);
    }
    for (int j = 0; j < n; j++) {
        if (!(fabs(left[j]) <= 1e-9 * size))
            fail_msg("%s: velocity %d: M a - h - W lambda = %.3g", name, j, left[j]);
    }
    free(left);
}

static void check_scene(const char *name, const tp_model *model, int *solved, int *all)
{
    tp_accelerations *acc = NULL;
    if (tp_accelerations_create(tp_allocator_default(), model, &acc) != TP_OK) fail();
    tp_system_move(acc->system, 0.0, model->q0, model->u0);
    if (tp_accelerations_see(acc, closing) != TP_OK) fail();
    tp_status status = tp_accelerations_find(acc, closing, NULL);
    if (status == TP_OK) check_balance(name, acc);
    if (status != TP_OK) print_message("%s: %s, E = %.2g\n", name, tp_status_text(status), acc->residual);
    *solved += status == TP_OK;
    (*all)++;
    tp_accelerations_free(acc);
}

TEST(accelerations_of_examples_and_random_scenes_balance_all_forces)
{
    example_list list = find_examples();
    int solved = 0, all = 0;
    for (int i = 0; i < list.count; i++) {
        tp_scene *scene = read_edited(list.name[i], NULL, 0);
        check_scene(list.name[i], scene->model, &solved, &all);
        tp_scene_free(scene);
    }
    for (int i = 0; i < 10 * random_scene_family_count(); i++) {
        random_scene *made =
            random_scene_make(i % random_scene_family_count(), (uint64_t)(i / random_scene_family_count()));
        subject s = read_subject(made->text);
        check_scene(made->family, s.scene->model, &solved, &all);
        end(&s);
        random_scene_free(made);
    }
    print_message("%d of %d states solved\n", solved, all);
    CHECK_INT(solved, all);
}

TEST_MAIN(RUNS(a_pendulum_in_space_has_the_published_accelerations_and_reactions),
          RUNS(a_four_bar_linkage_has_the_published_accelerations_and_reactions),
          RUNS(a_four_bar_linkage_that_moves_has_the_published_acceleration),
          RUNS(a_crank_in_space_has_the_published_accelerations_and_reactions),
          RUNS(a_top_in_steady_precession_is_accelerated_towards_the_axis),
          RUNS(a_ball_at_rest_on_a_slope_begins_to_roll),
          RUNS(a_ball_that_slips_feels_friction_against_its_slip),
          RUNS(a_bead_on_a_sphere_is_pressed_less_by_its_speed), RUNS(dry_friction_carries_up_to_its_bound),
          RUNS(accelerations_of_examples_and_random_scenes_balance_all_forces),
          RUNS(redundant_joints_share_their_reactions))
