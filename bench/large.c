/* A large problem with local sparsity: balls on a lattice in a box, each in contact with its neighbours, the
   floor and the walls. Prints what the default solver needs; README.md. bench-large [BALLS_A_SIDE
   [TOLERANCE]]      32 balls a side: 100352 contacts */
#define _XOPEN_SOURCE 700
#include "tippe/tippe.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { DEFAULT_SIDE = 32, LARGEST_SIDE = 100 };

static const double friction = 0.5, step = 1e-3, gravity = 9.81, jitter = 0.2; /* radius and mass are 1 */

/* One contact: B is a ball, A a ball or -1 for the box. */
typedef struct contact {
    int a, b;
    tp_vec3 normal;
} contact;

typedef struct pile {
    int side, ball_count, contact_count, entry_count;
    tp_vec3 *center;
    contact *contacts;
    int *row, *col;
    double *value;
    unsigned long long random;
} pile;

static double random_between(pile *p, double size)
{
    p->random = p->random * 6364136223846793005ull + 1442695040888963407ull;
    return size * ((double)(p->random >> 11) / 9007199254740992.0 - 0.5);
}

static int ball_at(const pile *p, int i, int j, int k)
{
    return i + p->side * (j + p->side * k);
}

static void touch(pile *p, int a, int b, tp_vec3 normal)
{
    p->contacts[p->contact_count++] = (contact){a, b, tp_vec3_scale(1.0 / tp_vec3_norm(normal), normal)};
}

static void touch_neighbours(pile *p, int i, int j, int k)
{
    int last = p->side - 1, ball = ball_at(p, i, j, k), next[3] = {-1, -1, -1};
    if (i < last) next[0] = ball_at(p, i + 1, j, k);
    if (j < last) next[1] = ball_at(p, i, j + 1, k);
    if (k < last) next[2] = ball_at(p, i, j, k + 1);
    for (int d = 0; d < 3; d++) {
        if (next[d] >= 0) touch(p, ball, next[d], tp_vec3_sub(p->center[next[d]], p->center[ball]));
    }
    if (k == 0) touch(p, -1, ball, tp_vec3_make(0.0, 0.0, 1.0));
    if (i == 0) touch(p, -1, ball, tp_vec3_make(1.0, 0.0, 0.0));
    if (i == last) touch(p, -1, ball, tp_vec3_make(-1.0, 0.0, 0.0));
    if (j == 0) touch(p, -1, ball, tp_vec3_make(0.0, 1.0, 0.0));
    if (j == last) touch(p, -1, ball, tp_vec3_make(0.0, -1.0, 0.0));
}

static void make_contacts(pile *p)
{
    for (int ball = 0; ball < p->ball_count; ball++) {
        int i = ball % p->side, j = ball / p->side % p->side, k = ball / p->side / p->side;
        p->center[ball] = tp_vec3_make(2.0 * i + random_between(p, jitter),
                                       2.0 * j + random_between(p, jitter), 2.0 * k + 1.0);
    }
    for (int ball = 0; ball < p->ball_count; ball++)
        touch_neighbours(p, ball % p->side, ball / p->side % p->side, ball / p->side / p->side);
}

/* Rows of a contact in the velocities of one ball. */
static void add_side(pile *p, int index, int ball, double sign)
{
    tp_mat3 frame = tp_frame_from_normal(p->contacts[index].normal);
    tp_vec3 axes[3] = {frame.cx, frame.cy, frame.cz}, arm = tp_vec3_scale(-sign, frame.cx);
    for (int d = 0; d < 3; d++) {
        tp_vec3 v = tp_vec3_scale(sign, axes[d]), w = tp_vec3_cross(arm, v);
        double entries[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; k++) {
            if (entries[k] == 0.0) continue;
            p->row[p->entry_count] = 6 * ball + k;
            p->col[p->entry_count] = 3 * index + d;
            p->value[p->entry_count++] = entries[k];
        }
    }
}

static void *take(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (memory != NULL) return memory;
    fprintf(stderr, "no memory\n");
    exit(1);
}

static pile make_pile(int side)
{
    pile p = {.side = side, .ball_count = side * side * side, .random = 12345};
    size_t most = 3 * (size_t)p.ball_count + 5 * (size_t)(side * side);
    p.center = take((size_t)p.ball_count, sizeof *p.center);
    p.contacts = take(most, sizeof *p.contacts);
    make_contacts(&p);
    p.row = take(36 * most, sizeof *p.row);
    p.col = take(36 * most, sizeof *p.col);
    p.value = take(36 * most, sizeof *p.value);
    for (int i = 0; i < p.contact_count; i++) {
        if (p.contacts[i].a >= 0) add_side(&p, i, p.contacts[i].a, -1.0);
        add_side(&p, i, p.contacts[i].b, 1.0);
    }
    return p;
}

static tp_problem *make_problem(const pile *p)
{
    int n = 6 * p->ball_count, rows = 3 * p->contact_count;
    int *diagonal = take((size_t)n, sizeof *diagonal);
    double *mass = take((size_t)n, sizeof *mass), *f = take((size_t)n, sizeof *f);
    tp_set *sets = take((size_t)p->contact_count, sizeof *sets);
    for (int i = 0; i < n; i++) {
        diagonal[i] = i;
        mass[i] = i % 6 < 3 ? 1.0 : 0.4;
        f[i] = i % 6 == 2 ? -gravity * step : 0.0;
    }
    for (int i = 0; i < p->contact_count; i++) sets[i] = tp_set_coulomb(3, friction);
    tp_problem_def def = tp_problem_def_default();
    def.x_count = n;
    def.row_count = rows;
    def.set_count = p->contact_count;
    def.sets = sets;
    def.M = (tp_entries){n, n, n, diagonal, diagonal, mass};
    def.A = (tp_entries){n, rows, p->entry_count, p->row, p->col, p->value};
    def.f = f;
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    free(diagonal), free(mass), free(f), free(sets);
    return problem;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **arguments)
{
    int side = count > 1 ? atoi(arguments[1]) : DEFAULT_SIDE;
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = count > 2 ? atof(arguments[2]) : 1e-4;
    if (side < 2 || side > LARGEST_SIDE || !(options.tolerance > 0.0)) {
        fprintf(stderr, "usage: %s [BALLS_A_SIDE, 2 to %d [TOLERANCE]]\n", arguments[0], LARGEST_SIDE);
        return 2;
    }
    pile p = make_pile(side);
    tp_problem *problem = make_problem(&p);
    tp_workspace *workspace = NULL;
    double *P = take(3 * (size_t)p.contact_count, sizeof *P);
    if (tp_workspace_create(NULL, &workspace) != TP_OK) return 1;
    tp_report report;
    double begin = processor_time();
    tp_status status = tp_solve(problem, NULL, &options, workspace, P, NULL, &report);
    double seconds = processor_time() - begin;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(
        "%d contacts: %s\nE %.2e, %d iterations, %.3g s, %.3g us an iteration and contact, %.0f MB in all\n",
        p.contact_count, report.reason, report.error, report.iterations, seconds,
        1e6 * seconds / (double)report.iterations / (double)p.contact_count,
        (double)usage.ru_maxrss / 1024.0);
    tp_workspace_free(workspace);
    tp_problem_free(problem);
    free(P), free(p.center), free(p.contacts), free(p.row), free(p.col), free(p.value);
    return status == TP_OK ? 0 : 3;
}
