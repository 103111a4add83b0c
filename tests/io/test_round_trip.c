/* What is written reads back as the same problem, bit by bit. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "known_problems.h"
#include "scratch.h"
#include "tippe/exchange.h"

#include <locale.h>

/* Same bits, but for the sign of zero: entries add up from +0, where a dense matrix is copied. */
static bool same_reals(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(a[i] == 0.0 && b[i] == 0.0)) return false;
    }
    return true;
}

static bool same_ints(const int *a, const int *b, size_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_sparse(const tp_sparse *a, const tp_sparse *b)
{
    if (a->rows != b->rows || a->cols != b->cols) return false;
    if (a->cols == 0) return true;
    size_t count = (size_t)a->start[a->cols];
    return same_ints(a->start, b->start, (size_t)a->cols + 1) && same_ints(a->index, b->index, count) &&
           same_reals(a->value, b->value, count);
}

static bool same_blocks(const tp_block_matrix *a, const tp_block_matrix *b)
{
    if (a->block_rows != b->block_rows || a->block_count != b->block_count) return false;
    if (a->block_rows == 0) return true;
    return same_ints(a->first, b->first, (size_t)a->block_rows + 1) &&
           same_ints(a->start, b->start, (size_t)a->block_rows + 1) &&
           same_ints(a->column, b->column, (size_t)a->block_count) &&
           same_reals(a->value, b->value, a->offset[a->block_count]);
}

static bool same_sets(const tp_problem *a, const tp_problem *b)
{
    if (a->set_count != b->set_count) return false;
    for (int i = 0; i < a->set_count; i++) {
        const tp_set *s = &a->sets[i], *t = &b->sets[i];
        if (s->kind != t->kind || s->friction_kind != t->friction_kind || s->first != t->first ||
            s->size != t->size)
            return false;
        if (!same_reals(s->parameter, t->parameter, 6)) return false;
    }
    return true;
}

static bool same_problem(const tp_problem *a, const tp_problem *b)
{
    return a->x_count == b->x_count && a->row_count == b->row_count && a->is_mechanical == b->is_mechanical &&
           strcmp(a->kind, b->kind) == 0 && same_sets(a, b) && same_blocks(&a->D, &b->D) &&
           (a->x_count == 0 || (same_sparse(&a->M, &b->M) && same_sparse(&a->A, &b->A))) &&
           same_reals(a->f, b->f, (size_t)a->x_count) && same_reals(a->b, b->b, (size_t)a->row_count);
}

static void check_trip(void **check_state_, const tp_problem *problem, const char *path, const char *label)
{
    tp_message why = {""};
    tp_problem *again = NULL;
    tp_status status = tp_problem_write(problem, path, &why);
    if (status == TP_OK) status = tp_problem_read(NULL, path, &again, &why);
    if (status != TP_OK) print_error("%s: %s\n", label, why.text);
    CHECK_INT(status, TP_OK);
    if (!same_problem(problem, again)) print_error("%s: %s differs\n", label, path);
    CHECK(same_problem(problem, again));
    tp_problem_free(again);
}

static bool is_friction(const known_problem *known)
{
    return strstr(known->kind, "local") || strstr(known->kind, "global");
}

TEST(every_known_problem_survives_writing_and_reading_bit_by_bit)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    int trips = 0;
    for (size_t k = 0; k < sizeof known_problems / sizeof known_problems[0]; k++) {
        if (!known_problems[k].is_kept) continue;
        char path[1024];
        tp_problem *problem;
        snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/data/problems/%s", known_problems[k].file);
        CHECK_INT(tp_problem_read(NULL, path, &problem, NULL), TP_OK);
        check_trip(check_state_, problem, scratch_file(&folder, "a.dat"), known_problems[k].file);
        check_trip(check_state_, problem, scratch_file(&folder, "b.dat.gz"), known_problems[k].file);
        trips += 2;
        if (is_friction(&known_problems[k])) {
            check_trip(check_state_, problem, scratch_file(&folder, "c.h5"), known_problems[k].file);
            trips++;
        }
        tp_problem_free(problem);
    }
    scratch_close(&folder);
    CHECK(trips > 200);
}

enum { ROWS_MAX = 40, X_MAX = 12, ENTRIES_MAX = ROWS_MAX * ROWS_MAX };

/* A problem of random numbers; owns its arrays. */
typedef struct random_problem {
    tp_set sets[ROWS_MAX];
    int D_row[ENTRIES_MAX], D_col[ENTRIES_MAX], A_row[ENTRIES_MAX], A_col[ENTRIES_MAX], M_index[X_MAX];
    double D[ENTRIES_MAX], A[ENTRIES_MAX], M[X_MAX], f[X_MAX], b[ROWS_MAX];
    tp_problem_def def;
} random_problem;

/* Numbers of all magnitudes, also subnormal and huge ones. */
static double any_number(check_random *random)
{
    int exponent = (int)check_uniform(random, -1070.0, 1000.0);
    if (check_uniform(random, 0.0, 1.0) < 0.5) exponent = (int)check_uniform(random, -20.0, 20.0);
    double value = ldexp(check_uniform(random, -1.0, 1.0), exponent);
    return value == 0.0 ? 1.0 : value;
}

static void add_set(random_problem *to, tp_set set)
{
    to->sets[to->def.set_count++] = set;
    to->def.row_count += set.size;
}

static void fill_matrices(random_problem *to, check_random *random, bool is_global)
{
    tp_problem_def *def = &to->def;
    int rows = def->row_count, x_count = is_global ? X_MAX : 0;
    for (int i = 0; i < rows; i++) to->b[i] = any_number(random);
    def->b = to->b;
    def->x_count = x_count;
    int count = 0, A_count = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            if (i != j && check_uniform(random, 0.0, 1.0) < 0.6) continue;
            to->D_row[count] = i;
            to->D_col[count] = j;
            to->D[count++] = any_number(random);
        }
        for (int k = 0; k < x_count; k++) {
            if (check_uniform(random, 0.0, 1.0) < 0.6) continue;
            to->A_row[A_count] = k;
            to->A_col[A_count] = i;
            to->A[A_count++] = any_number(random);
        }
    }
    for (int k = 0; k < x_count; k++) {
        to->M_index[k] = k;
        to->M[k] = any_number(random);
        to->f[k] = any_number(random);
    }
    def->f = to->f;
    if (is_global) {
        def->M = (tp_entries){x_count, x_count, x_count, to->M_index, to->M_index, to->M};
        def->A = (tp_entries){x_count, rows, A_count, to->A_row, to->A_col, to->A};
    } else {
        def->D = (tp_entries){rows, rows, count, to->D_row, to->D_col, to->D};
    }
}

/* Sets of a kind: number of the kind as in the table of the test below. */
static void fill_sets(random_problem *to, check_random *random, const char *kind)
{
    to->def = tp_problem_def_default();
    to->def.sets = to->sets;
    to->def.kind = kind;
    int count = 1 + (int)check_uniform(random, 0.0, 6.0);
    bool is_rolling = strstr(kind, "rolling") != NULL;
    int planar = check_uniform(random, 0.0, 1.0) < 0.5 ? 2 : 3;
    for (int i = 0; i < count; i++) {
        double mu = check_uniform(random, 0.0, 2.0), choice = check_uniform(random, 0.0, 1.0);
        if (is_rolling) {
            add_set(to, tp_set_rolling(mu, check_uniform(random, 0.0, 1.0)));
        } else if (strstr(kind, "local") || strstr(kind, "global")) {
            add_set(to, tp_set_coulomb(planar, mu));
        } else if (strcmp(kind, "lcp") == 0) {
            add_set(to, tp_set_orthant(1));
        } else if (strcmp(kind, "relay") == 0) {
            double lower = any_number(random);
            add_set(to, choice < 0.2 ? tp_set_interval(lower, INFINITY)
                                     : tp_set_interval(lower, lower + fabs(lower)));
        } else if (choice < 0.4) {
            add_set(to, tp_set_free(1 + (int)(10.0 * choice)));
        } else if (choice < 0.7 || strcmp(kind, "mlcp") == 0) {
            add_set(to, tp_set_orthant(1));
        } else {
            add_set(to, tp_set_coulomb(3, mu));
        }
    }
}

TEST(random_problems_of_every_kind_survive_writing_and_reading_bit_by_bit)
{
    static const char *const kinds[] = {"local", "global", "rolling-local", "rolling-global",
                                        "lcp",   "relay",  "mlcp",          "generic"};
    static random_problem made;
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    check_random random = {20240611};
    for (int trial = 0; trial < 160; trial++) {
        const char *kind = kinds[trial % 8];
        tp_problem *problem;
        tp_message why = {""};
        fill_sets(&made, &random, kind);
        fill_matrices(&made, &random, strstr(kind, "global") != NULL);
        tp_status status = tp_problem_create(NULL, &made.def, &problem, &why);
        if (status != TP_OK) print_error("%s\n", why.text);
        CHECK_INT(status, TP_OK);
        check_trip(check_state_, problem, scratch_file(&folder, trial % 3 ? "a.dat" : "a.dat.gz"), kind);
        if (trial % 8 < 4) check_trip(check_state_, problem, scratch_file(&folder, "b.hdf5"), kind);
        check_trip(check_state_, problem, scratch_file(&folder, trial % 2 ? "c.tippe" : "c.tippe.gz"), kind);
        tp_problem_free(problem);
    }
    scratch_close(&folder);
}

/* A symmetric matrix of random numbers, column by column: FCLIB stores the coupling of joints once. */
static void fill_symmetric(double *D, int size, check_random *random)
{
    for (int j = 0; j < size; j++) {
        for (int i = 0; i <= j; i++) D[j * size + i] = D[i * size + j] = any_number(random);
    }
}

TEST(joints_go_to_fclib_and_come_back_as_the_last_rows)
{
    static random_problem made;
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    check_random random = {77};
    for (int trial = 0; trial < 20; trial++) {
        bool is_global = trial % 2 == 0;
        tp_problem *problem;
        made.def = tp_problem_def_default();
        made.def.sets = made.sets;
        made.def.kind = is_global ? "global" : "local";
        add_set(&made, tp_set_coulomb(3, 0.25));
        add_set(&made, tp_set_coulomb(3, 0.5));
        add_set(&made, tp_set_free(5));
        fill_matrices(&made, &random, is_global);
        if (!is_global) {
            fill_symmetric(made.D, 11, &random);
            made.def.D = (tp_entries){.rows = 11, .cols = 11, .count = 121, .value = made.D};
        }
        CHECK_INT(tp_problem_create(NULL, &made.def, &problem, NULL), TP_OK);
        check_trip(check_state_, problem, scratch_file(&folder, "joints.h5"), made.def.kind);
        tp_problem_free(problem);
    }
    scratch_close(&folder);
}

/* Joint rows in front are moved behind the contacts: the file holds the same problem with its rows in another
   order, so E of the reordered P is the same number up to rounding of sums. */
TEST(joints_before_contacts_are_moved_behind_them)
{
    static random_problem made;
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_problem *problem, *again;
    tp_message why = {""};
    check_random random = {5};
    made.def = tp_problem_def_default();
    made.def.sets = made.sets;
    add_set(&made, tp_set_free(2));
    add_set(&made, tp_set_coulomb(3, 0.5));
    double D[25], b[5], P[5], moved[5];
    for (int j = 0; j < 5; j++) {
        for (int i = 0; i <= j; i++) D[5 * j + i] = D[5 * i + j] = check_normal(&random);
    }
    for (int k = 0; k < 5; k++) {
        b[k] = check_normal(&random);
        P[k] = check_normal(&random);
        moved[k < 2 ? k + 3 : k - 2] = P[k];
    }
    made.def.D = (tp_entries){.rows = 5, .cols = 5, .count = 25, .value = D};
    made.def.b = b;
    CHECK_INT(tp_problem_create(NULL, &made.def, &problem, &why), TP_OK);
    CHECK_INT(tp_problem_write(problem, scratch_file(&folder, "a.h5"), &why), TP_OK);
    CHECK_INT(tp_problem_read(NULL, folder.file, &again, &why), TP_OK);
    tp_residual before, after;
    CHECK_INT(tp_problem_error(problem, P, &before), TP_OK);
    CHECK_INT(tp_problem_error(again, moved, &after), TP_OK);
    CHECK_NEAR(after.error, before.error, 1e-13 * before.error);
    CHECK(before.error > 1e-3);
    tp_problem_free(problem);
    tp_problem_free(again);
    scratch_close(&folder);
}

static tp_problem *one_contact(void **check_state_, const char *title)
{
    static const double D[9] = {3, 0, 0, 0, 2, 0, 0, 0, 1}, b[3] = {-1, 0.1, 0.3};
    tp_problem *problem;
    tp_problem_def def = tp_problem_def_default();
    tp_set set = tp_set_coulomb(3, 0.7);
    def.title = title;
    def.row_count = 3;
    def.set_count = 1;
    def.sets = &set;
    def.D = (tp_entries){.rows = 3, .cols = 3, .count = 9, .value = D};
    def.b = b;
    CHECK_INT(tp_problem_create(NULL, &def, &problem, NULL), TP_OK);
    return problem;
}

TEST(the_same_problem_gives_the_same_bytes_and_its_title_is_kept)
{
    static const char *const names[] = {"a.dat", "a.dat.gz", "a.h5"};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_problem *problem = one_contact(check_state_, "one block on a floor"), *again;
    for (int k = 0; k < 3; k++) {
        size_t count[2];
        unsigned char *bytes[2];
        for (int round = 0; round < 2; round++) {
            CHECK_INT(tp_problem_write(problem, scratch_file(&folder, names[k]), NULL), TP_OK);
            bytes[round] = scratch_read(folder.file, &count[round]);
        }
        CHECK(count[0] == count[1] && memcmp(bytes[0], bytes[1], count[0]) == 0);
        free(bytes[0]);
        free(bytes[1]);
    }
    CHECK_INT(tp_problem_read(NULL, folder.file, &again, NULL), TP_OK);
    CHECK(strcmp(again->title, "one block on a floor") == 0);
    tp_problem_free(again);
    tp_problem_free(problem);
    scratch_close(&folder);
}

TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *chosen = NULL;
    for (int k = 0; k < 4 && !chosen; k++) chosen = setlocale(LC_ALL, names[k]);
    if (!chosen) print_message("no locale with a decimal comma installed: tested in the C locale only\n");
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_problem *problem = one_contact(check_state_, NULL);
    check_trip(check_state_, problem, scratch_file(&folder, "a.dat"), "locale");
    char here[8];
    snprintf(here, sizeof here, "%.1f", 0.5);
    CHECK(here[1] == (chosen ? ',' : '.')); /* the caller's locale is in force again */
    setlocale(LC_ALL, "C");
    tp_problem_free(problem);
    scratch_close(&folder);
}

TEST(what_a_format_cannot_say_is_refused_and_the_file_stays_as_it_was)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    static const double D[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    tp_problem *friction = one_contact(check_state_, NULL), *problem;
    tp_message why = {""};
    tp_set sets[2] = {tp_set_coulomb(4, 0.5)};
    tp_problem_def def = tp_problem_def_default();
    def.row_count = 4;
    def.set_count = 1;
    def.sets = sets;
    def.D = (tp_entries){.rows = 4, .cols = 4, .count = 16, .value = D};
    CHECK_INT(tp_problem_create(NULL, &def, &problem, &why), TP_OK);
    CHECK_INT(tp_problem_write(friction, scratch_file(&folder, "a.dat"), &why), TP_OK);
    CHECK_INT(tp_problem_write(problem, folder.file, &why), TP_UNSUPPORTED);
    CHECK(strstr(why.text, "LCP, relay, MLCP") != NULL);
    check_trip(check_state_, friction, folder.file, "overwritten");
    CHECK_INT(tp_problem_write(problem, scratch_file(&folder, "a.h5"), &why), TP_UNSUPPORTED);
    CHECK(strstr(why.text, "friction") != NULL);
    tp_problem_free(problem);

    sets[0] = tp_set_orthant(4);
    CHECK_INT(tp_problem_create(NULL, &def, &problem, &why), TP_OK);
    CHECK_INT(tp_problem_write(problem, scratch_file(&folder, "lcp.h5"), &why), TP_UNSUPPORTED);
    CHECK(strstr(why.text, ".dat") != NULL);
    CHECK_INT(scratch_count(&folder), 1);
    tp_problem_free(problem);
    tp_problem_free(friction);
    scratch_close(&folder);
}

/* Sets, D beside M, and a C that is not A^T: what no other format holds. */
TEST(the_general_text_holds_every_problem)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    static const double p[4] = {0.5, 0.25, 2.0, 0.1}, M[4] = {2, 0.5, 0.5, 3}, f[2] = {1, -2};
    tp_set contact = tp_set_contact(TP_FRICTION_ELLIPSOID, 3, p);
    tp_set sets[] = {tp_set_free(6),
                     tp_set_zero(1),
                     tp_set_orthant(2),
                     tp_set_interval(-INFINITY, 3.0),
                     tp_set_following(tp_set_friction(TP_FRICTION_BRICK, 3, p), 0, 3),
                     tp_set_friction(TP_FRICTION_CONTENSOU, 3, p),
                     contact,
                     tp_set_cone(contact),
                     tp_set_dual_cone(contact),
                     tp_set_rolling(0.3, 0.01)};
    tp_problem_def def = tp_problem_def_default();
    def.kind = "mixed";
    def.set_count = sizeof sets / sizeof sets[0];
    def.sets = sets;
    for (int i = 0; i < def.set_count; i++) def.row_count += sets[i].size;
    enum { MOST = 64 };
    double A[2 * MOST], C[2 * MOST], D[MOST * MOST] = {0}, b[MOST];
    CHECK(def.row_count <= MOST);
    for (int i = 0; i < def.row_count; i++) {
        A[2 * i] = 0.1 * i;
        A[2 * i + 1] = 1.0 / (1.0 + i);
        C[i] = 0.3 * i;
        C[i + def.row_count] = sin(i);
        D[i * (def.row_count + 1)] = 1.0 + i;
        b[i] = -1.0 / 3.0 * i;
    }
    def.x_count = 2;
    def.M = (tp_entries){.rows = 2, .cols = 2, .count = 4, .value = M};
    def.A = (tp_entries){.rows = 2, .cols = def.row_count, .count = 2 * def.row_count, .value = A};
    def.D = (tp_entries){
        .rows = def.row_count, .cols = def.row_count, .count = def.row_count * def.row_count, .value = D};
    def.f = f;
    def.b = b;
    for (int has_C = 0; has_C < 2; has_C++) {
        tp_problem *problem, *again;
        tp_message why = {""};
        if (has_C) def.C = (tp_entries){def.row_count, 2, 2 * def.row_count, NULL, NULL, C};
        if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
        check_trip(check_state_, problem, scratch_file(&folder, "a.tippe"), "general");
        CHECK_INT(tp_problem_read(NULL, folder.file, &again, &why), TP_OK);
        CHECK(same_sparse(&problem->Ct, &again->Ct));
        for (int i = 0; i < problem->set_count; i++) {
            CHECK_INT(problem->sets[i].master, again->sets[i].master);
            CHECK_INT(problem->sets[i].master_count, again->sets[i].master_count);
        }
        tp_problem_free(again);
        tp_problem_free(problem);
    }
    scratch_close(&folder);
}

/* Every word of a general text that is changed or cut off is refused or changes nothing but numbers. */
TEST(a_damaged_general_text_is_refused_with_its_place)
{
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"tippe-problem 2 local 0 0 0", ":1:15:", "version"},
        {"tippe-problem 1 local 0 9 1", ":1:27:", "rows"},
        {"tippe-problem 1 local\n0 1 1\nfree disc 1 0 0 0 0 0 0 0 0", ":3:6:", "shape"},
        {"tippe-problem 1 local\n0 1 1\nfreee none 1 0 0 0 0 0 0 0 0", ":3:1:", "name of a set"},
        {"tippe-problem 1 local\n0 1 1\nfree none 2 0 0 0 0 0 0 0 0", ":3:11:", "size"},
        {"tippe-problem 1 local\n0 1 1\nfree none 1 0 0 0 0 0 0 0 0 M 0 A 0 D 1 1 0 5 f b 1",
         ":3:41:", "row"},
        {"tippe-problem 1 local\n0 1 1\nfree none 1 0 0 0 0 0 0 0 0 M 0 A 0 D 1 0 0 5 f b", ":", "b"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_problem *problem = NULL;
        tp_message why = {""};
        tp_status status =
            tp_problem_read_memory(NULL, "p.tippe", cases[k].text, strlen(cases[k].text), &problem, &why);
        if (status != TP_INVALID_DATA || strstr(why.text, cases[k].where) == NULL ||
            strstr(why.text, cases[k].what) == NULL)
            fail_msg("%s: %s", cases[k].text, why.text);
    }
    CHECK(sizeof cases > 0);
}

TEST(a_file_that_cannot_be_written_gives_the_reason_and_leaves_nothing)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_problem *problem = one_contact(check_state_, NULL);
    tp_message why = {""};
    CHECK_INT(tp_problem_write(problem, "/dev/full", &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "No space left") != NULL);
    CHECK_INT(tp_problem_write(problem, folder.path, &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "directory") != NULL);
    CHECK_INT(tp_problem_write(problem, scratch_file(&folder, "none/a.dat"), &why), TP_FILE_ERROR);
    CHECK(strstr(why.text, "No such file") != NULL);
    CHECK_INT(tp_solution_write(problem, problem->b, NULL, NULL, "/dev/full", &why), TP_FILE_ERROR);
    CHECK_INT(scratch_count(&folder), 0);
    tp_problem_free(problem);
    scratch_close(&folder);
}

TEST(a_link_stays_a_link_and_the_mode_of_a_file_is_kept)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_problem *problem = one_contact(check_state_, NULL);
    char target[800];
    snprintf(target, sizeof target, "%s", scratch_file(&folder, "real.dat"));
    CHECK_INT(tp_problem_write(problem, target, NULL), TP_OK);
    CHECK_INT(chmod(target, 0600), 0);
    CHECK_INT(symlink("real.dat", scratch_file(&folder, "link.dat")), 0);
    check_trip(check_state_, problem, folder.file, "link");
    struct stat info;
    CHECK_INT(lstat(folder.file, &info), 0);
    CHECK(S_ISLNK(info.st_mode));
    CHECK_INT(stat(target, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0600);
    CHECK_INT(scratch_count(&folder), 2);
    tp_problem_free(problem);
    scratch_close(&folder);
}

TEST(a_solution_survives_writing_and_reading_bit_by_bit)
{
    static const char *const names[] = {"s.txt", "s.h5", "s.txt.gz"};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_problem *problem = one_contact(check_state_, NULL);
    tp_message why = {""};
    const double P[3] = {1.0 / 3.0, -5e-324, 1.7976931348623157e308}, xi[3] = {0, 1, 2};
    for (int k = 0; k < 3; k++) {
        double again[4] = {0};
        CHECK_INT(tp_solution_write(problem, P, NULL, xi, scratch_file(&folder, names[k]), &why), TP_OK);
        CHECK_INT(tp_solution_read(folder.file, 3, again, &why), TP_OK);
        CHECK(same_reals(P, again, 3));
        CHECK_INT(tp_solution_read(folder.file, 2, again, &why), TP_INVALID_DATA);
        CHECK_INT(tp_solution_read(folder.file, 4, again, &why), TP_INVALID_DATA);
    }
    CHECK_INT(tp_solution_read(scratch_file(&folder, "absent"), 3, &(double){0}, &why), TP_FILE_ERROR);
    tp_problem_free(problem);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(every_known_problem_survives_writing_and_reading_bit_by_bit),
          RUNS(random_problems_of_every_kind_survive_writing_and_reading_bit_by_bit),
          RUNS(joints_go_to_fclib_and_come_back_as_the_last_rows),
          RUNS(joints_before_contacts_are_moved_behind_them),
          RUNS(the_same_problem_gives_the_same_bytes_and_its_title_is_kept),
          RUNS(a_locale_with_a_decimal_comma_changes_nothing),
          RUNS(what_a_format_cannot_say_is_refused_and_the_file_stays_as_it_was),
          RUNS(the_general_text_holds_every_problem), RUNS(a_damaged_general_text_is_refused_with_its_place),
          RUNS(a_file_that_cannot_be_written_gives_the_reason_and_leaves_nothing),
          RUNS(a_link_stays_a_link_and_the_mode_of_a_file_is_kept),
          RUNS(a_solution_survives_writing_and_reading_bit_by_bit))
