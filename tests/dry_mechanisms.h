/* Random mechanisms whose joints have friction bound to their reactions and whose feet fall on a floor with
   friction: chains, loops, walkers, in the plane and in space. */
#ifndef TESTS_DRY_MECHANISMS_H
#define TESTS_DRY_MECHANISMS_H

#include "simulations.h"

#include <stdlib.h>
#include <time.h>

enum { DRY_TEXT = 8192 }; /* longest text of a part */

typedef struct dry_draft {
    check_random random;
    char bodies[DRY_TEXT], joints[DRY_TEXT], contacts[DRY_TEXT];
    bool is_planar;
    double friction, restitution;
} dry_draft;

static inline double dry_uniform(dry_draft *draft, double low, double high)
{
    return check_uniform(&draft->random, low, high);
}

static inline int dry_int(dry_draft *draft, int count)
{
    return (int)(check_random_bits(&draft->random) % (uint64_t)count);
}

__attribute__((format(printf, 2, 3))) static inline void dry_put(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + strlen(text), DRY_TEXT - strlen(text), format, arguments);
    va_end(arguments);
}

/* A bar from (x0, z0) to (x1, z1) of the vertical plane, with a ball at its end that falls on the floor. */
static inline void dry_bar(dry_draft *draft, const char *name, const double *from, const double *to,
                           bool has_foot)
{
    double dx = to[0] - from[0], dz = to[1] - from[1], length = hypot(dx, dz),
           mass = dry_uniform(draft, 0.2, 3.0), inertia = mass * length * length / 12.0,
           angle = atan2(dz, dx);
    if (draft->is_planar)
        dry_put(draft->bodies,
                "  - {name: %s, type: planar, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angle: "
                "%.17g",
                name, mass, inertia, 0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), angle);
    else
        dry_put(draft->bodies,
                "  - {name: %s, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, 0, %.17g], "
                "orientation: {axis: [0, 1, 0], angle: %.17g}",
                name, mass, 0.1 * inertia, inertia, inertia, 0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]),
                -angle);
    if (has_foot)
        dry_put(draft->bodies,
                ", shapes: [{name: foot_%s, type: sphere, radius: 0.02, position: [%.17g, 0, 0]}]", name,
                0.5 * length);
    dry_put(draft->bodies, "}\n");
    if (has_foot)
        dry_put(draft->contacts,
                "  - {name: on_%s, between: [floor, foot_%s], friction: %.17g, restitution: %.17g}\n", name,
                name, draft->friction, draft->restitution);
}

/* A joint at a point of the plane; in space a spherical one now and then. */
static inline void dry_joint(dry_draft *draft, const char *a, const char *b, const double *at,
                             bool may_be_ball)
{
    double mu = dry_uniform(draft, 0.05, 0.5), radius = dry_uniform(draft, 0.003, 0.03);
    if (draft->is_planar) {
        dry_put(draft->joints, "  - {name: j_%s_%s, type: revolute, bodies: [%s, %s], point: [%.17g, %.17g]",
                a, b, a, b, at[0], at[1]);
    } else {
        bool is_ball = may_be_ball && dry_int(draft, 3) == 0;
        dry_put(draft->joints, "  - {name: j_%s_%s, type: %s, bodies: [%s, %s], point: [%.17g, 0, %.17g]%s",
                a, b, is_ball ? "spherical" : "revolute", a, b, at[0], at[1],
                is_ball ? "" : ", axis: [0, 1, 0]");
    }
    dry_put(draft->joints, ", friction: {coefficient: %.17g, radius: %.17g}}\n", mu, radius);
}

/* Links one after the other, the first on the ground. */
static inline void dry_chain(dry_draft *draft)
{
    int count = 1 + dry_int(draft, 5);
    double from[2] = {0.0, dry_uniform(draft, 0.3, 0.6)}, to[2];
    char before[16] = "ground", name[16];
    for (int i = 0; i < count; i++) {
        double angle = dry_uniform(draft, -1.0, 0.3), length = dry_uniform(draft, 0.1, 0.3);
        to[0] = from[0] + length * cos(angle);
        to[1] = fmax(from[1] + length * sin(angle), 0.03);
        snprintf(name, sizeof name, "b%d", i);
        dry_bar(draft, name, from, to, i + 1 == count || dry_int(draft, 2) == 0);
        dry_joint(draft, before, name, from, true);
        memcpy(before, name, sizeof before);
        memcpy(from, to, sizeof from);
    }
}

/* Two cranks on the ground and a bar between them, a parallelogram or nearly; the foot is at the bar's end.
 */
static inline void dry_loop(dry_draft *draft)
{
    double height = dry_uniform(draft, 0.2, 0.35), base = dry_uniform(draft, 0.2, 0.5),
           angle = dry_uniform(draft, -0.6, 0.6), crank = dry_uniform(draft, 0.15, 0.3);
    double A[2] = {0.0, height}, D[2] = {base, height}, B[2], C[2],
           skew = draft->is_planar && dry_int(draft, 2) == 0 ? 0.05 : 0.0;
    B[0] = crank * cos(angle);
    B[1] = height + crank * sin(angle);
    C[0] = B[0] + base + skew;
    C[1] = B[1] + 0.5 * skew;
    dry_bar(draft, "left", A, B, dry_int(draft, 2) == 0);
    dry_bar(draft, "bar", B, C, true);
    dry_bar(draft, "right", D, C, false);
    dry_joint(draft, "ground", "left", A, false);
    dry_joint(draft, "left", "bar", B, false);
    dry_joint(draft, "bar", "right", C, !draft->is_planar);
    dry_joint(draft, "ground", "right", D, false);
}

/* A free trunk with two legs of two bars each, all of which may touch the floor. */
static inline void dry_walker(dry_draft *draft)
{
    double width = dry_uniform(draft, 0.2, 0.4), height = dry_uniform(draft, 0.4, 0.6);
    double hips[2][2] = {{0.0, height}, {width, height}};
    dry_bar(draft, "trunk", hips[0], hips[1], true);
    for (int leg = 0; leg < 2; leg++) {
        double knee[2], foot[2], angle = dry_uniform(draft, -2.2, -0.9),
                                 bend = dry_uniform(draft, -1.9, -1.2);
        char upper[16], lower[16];
        snprintf(upper, sizeof upper, "thigh%d", leg);
        snprintf(lower, sizeof lower, "shank%d", leg);
        knee[0] = hips[leg][0] + 0.2 * cos(angle);
        knee[1] = hips[leg][1] + 0.2 * sin(angle);
        foot[0] = knee[0] + 0.17 * cos(bend);
        foot[1] = fmax(knee[1] + 0.17 * sin(bend), 0.021);
        dry_bar(draft, upper, hips[leg], knee, dry_int(draft, 2) == 0);
        dry_bar(draft, lower, knee, foot, true);
        dry_joint(draft, "trunk", upper, hips[leg], true);
        dry_joint(draft, upper, lower, knee, false);
    }
}

/* The scene of a number: chains, loops and walkers in turn, three in the plane and three in space. Free the
   text. */
static inline char *dry_scene(int number)
{
    static void (*const families[])(dry_draft *) = {dry_chain, dry_loop, dry_walker};
    static const double restitutions[] = {0.0, 0.4, 0.8, 1.0};
    dry_draft *draft = calloc(1, sizeof *draft);
    draft->random.state = (uint64_t)number + 1;
    draft->is_planar = number / 3 % 2 == 0;
    draft->friction = dry_uniform(draft, 0.1, 1.0);
    int kind = dry_int(draft, 5);
    draft->restitution = kind < 4 ? restitutions[kind] : dry_uniform(draft, 0.0, 1.0);
    families[number % 3](draft);
    char *text = calloc(1, sizeof *draft + 512);
    bool flat = draft->is_planar;
    sprintf(
        text,
        "gravity: %s\nbodies:\n%sground: {shapes: [{name: floor, type: plane%s}]}\njoints:\n%scontacts:\n%s"
        "simulate: {dt: 1e-3, until: 1}\n",
        flat ? "[0, -9.81, 0]" : "[0, 0, -9.81]", draft->bodies,
        flat ? ", orientation: {axis: [1, 0, 0], angle: -pi/2}" : "", draft->joints, draft->contacts);
    free(draft);
    return text;
}

/* What came of runs; proven: ended at a step that is proven to have no solution; divided: steps that were
   taken in parts. */
typedef struct dry_count {
    long long runs, steps, proven, unsolved, divided;
    double slowest;        /* step [s of processor time]: printed, not judged */
    int failed_iterations; /* of the last step that was not solved, by its message */
} dry_count;

/* One scene with one integrator; a step without a solution ends the run, and the scene is printed. */
static inline void dry_run(int number, const char *integrator, double time_step, int steps, dry_count *count)
{
    char *text = dry_scene(number);
    if (getenv("DRY_PRINT")) {
        fputs(text, stderr);
        exit(0);
    }
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_with(scene->model, integrator, time_step, time_step * steps);
    tp_status status = TP_OK;
    tp_message why = {""};
    count->runs++;
    for (int k = 1; k <= steps && status == TP_OK; k++) {
        clock_t start = clock();
        status = tp_simulation_step(simulation, k * time_step, &why);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        count->slowest = fmax(count->slowest, seconds);
        count->steps++;
        count->divided += status == TP_OK && tp_simulation_last_step(simulation)->part_count > 0;
    }
    if (status == TP_INFEASIBLE) count->proven++;
    if (status != TP_OK && status != TP_INFEASIBLE) count->unsolved++;
    const char *figures = strstr(why.text, "residual ");
    if (status != TP_OK && figures != NULL)
        sscanf(figures, "residual %*f, %d iterations", &count->failed_iterations);
    if (status != TP_OK)
        print_message("scene %d, %s, step of %g s: %s\n", number, integrator, time_step, why.text);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    free(text);
}

/* Scenes from `first` on, every `stride`-th, with the three kinds of integrators. */
static inline dry_count dry_battery(int first, int count, int stride, int steps)
{
    static const char *const integrators[] = {"moreau", "moreau-jean", "consistent-two-step"};
    dry_count all = {0};
    for (int i = 0; i < 3; i++) {
        dry_count sum = {0};
        for (int k = 0; k < count; k++) dry_run(first + k * stride, integrators[i], 1e-3, steps, &sum);
        print_message("%s: %lld runs, %lld steps, %lld proven to have no solution, %lld unsolved, %lld in "
                      "parts, slowest "
                      "step %.3f s\n",
                      integrators[i], sum.runs, sum.steps, sum.proven, sum.unsolved, sum.divided,
                      sum.slowest);
        all.runs += sum.runs;
        all.steps += sum.steps;
        all.proven += sum.proven;
        all.unsolved += sum.unsolved;
        all.divided += sum.divided;
    }
    return all;
}

#endif
