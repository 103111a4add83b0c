/* The default solver on problems that are hard by their friction: what one of the others solves, it solves;
   theory/solvers.md (28). */
#include "problems.h"

enum { BODIES = 10, CONTACTS = 30, PER_BODY = 18, ENTRIES = 2 * PER_BODY * CONTACTS, TRIALS = 120 };

typedef struct heap {
    int row[ENTRIES], col[ENTRIES], entry_count;
    double value[ENTRIES];
} heap;

/* The rows of a contact that a body has at an arm from its centre: velocities along three directions. */
static void put_body(heap *h, int body, int contact, double sign, const double arm[3], double frame[3][3])
{
    for (int k = 0; k < 3; k++) {
        const double *t = frame[k];
        const double turning[3] = {arm[1] * t[2] - arm[2] * t[1], arm[2] * t[0] - arm[0] * t[2],
                                   arm[0] * t[1] - arm[1] * t[0]};
        for (int i = 0; i < 6; i++) {
            h->row[h->entry_count] = 6 * body + i;
            h->col[h->entry_count] = 3 * contact + k;
            h->value[h->entry_count++] = sign * (i < 3 ? t[i] : turning[i - 3]);
        }
    }
}

/* An orthonormal frame, by Gram and Schmidt. */
static void random_frame(check_random *random, double frame[3][3])
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) frame[k][i] = check_normal(random);
        for (int j = 0; j < k; j++) {
            double part = 0.0;
            for (int i = 0; i < 3; i++) part += frame[k][i] * frame[j][i];
            for (int i = 0; i < 3; i++) frame[k][i] -= part * frame[j][i];
        }
        double length =
            sqrt(frame[k][0] * frame[k][0] + frame[k][1] * frame[k][1] + frame[k][2] * frame[k][2]);
        for (int i = 0; i < 3; i++) frame[k][i] /= length;
    }
}

/* Ten bodies with thirty contacts among them and with the ground, at random: more rows than velocities. */
static tp_problem *random_heap(check_random *random, double most_friction)
{
    static heap h;
    int index[6 * BODIES];
    double mass[6 * BODIES], f[6 * BODIES];
    tp_set sets[CONTACTS];
    h.entry_count = 0;
    for (int c = 0; c < CONTACTS; c++) {
        double frame[3][3], arm[2][3];
        int a = (int)(check_random_bits(random) % BODIES), b = (int)(check_random_bits(random) % BODIES);
        random_frame(random, frame);
        for (int i = 0; i < 6; i++) arm[i / 3][i % 3] = 0.5 * check_normal(random);
        put_body(&h, a, c, 1.0, arm[0], frame);
        if (b != a) put_body(&h, b, c, -1.0, arm[1], frame);
        sets[c] = tp_set_coulomb(3, check_uniform(random, 0.0, most_friction));
    }
    for (int k = 0; k < 6 * BODIES; k++) {
        index[k] = k;
        mass[k] = k % 6 == 0 ? check_uniform(random, 0.5, 2.0) : k % 6 < 3 ? mass[k - 1] : 0.2;
        f[k] = check_normal(random);
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = 6 * BODIES;
    def.row_count = 3 * CONTACTS;
    def.set_count = CONTACTS;
    def.sets = sets;
    def.M = (tp_entries){6 * BODIES, 6 * BODIES, 6 * BODIES, index, index, mass};
    def.A = (tp_entries){6 * BODIES, 3 * CONTACTS, h.entry_count, h.row, h.col, h.value};
    def.f = f;
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

TEST(with_enormous_friction_it_solves_what_alart_curnier_solves)
{
    int solved = 0;
    for (unsigned seed = 1; seed <= TRIALS; seed++) {
        check_random random = {seed};
        tp_problem *problem = random_heap(&random, seed % 2 == 0 ? 10.0 : 100.0);
        double P[3 * CONTACTS] = {0};
        tp_report report;
        tp_certificate certificate;
        if (solve_with(problem, "alart-curnier", 1e-8, P, &report) == TP_OK) {
            tp_status status = solve_with(problem, NULL, 1e-8, P, &report);
            if (status != TP_OK) print_error("seed %u: %s\n", seed, report.reason);
            CHECK_INT(status, TP_OK);
            CHECK_INT(tp_problem_error(problem, P, &certificate), TP_OK);
            CHECK(certificate.error <= 1e-8);
            solved++;
        }
        tp_problem_free(problem);
    }
    print_message("%d of %d\n", solved, TRIALS);
    CHECK(solved > TRIALS / 2);
}

TEST_MAIN(RUNS(with_enormous_friction_it_solves_what_alart_curnier_solves))
