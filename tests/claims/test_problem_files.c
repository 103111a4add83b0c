/* The claim of the default solver on the known problem files: every solvable one reaches E <= 1e-8, the
   unsolvable ones are called so, and the numbering of the contacts does not matter. */
#include "problems.h"

#include <dirent.h>
#include <sys/stat.h>

static const char *const folders[] = {"crafted", "fc2d", "fc3d",  "generated", "generic",
                                      "lcp",     "mlcp", "relay", "rolling"};
enum { FOLDERS = sizeof folders / sizeof folders[0], PATH = 1024 };

static const double engineering = 1e-8, animation = 1e-4;

/* The settled packing of a thousand spheres: its impulses grow without visible limit, 1e-8 is an open
 * problem. */
static const char *const open_problem = "generated/gen-spheres1000-settled";

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = '\0';
    fclose(file);
    return text;
}

/* The manifest's word on a file: the text between its entry and the next holds "unsolvable" or not. */
static bool is_unsolvable(const char *manifest, const char *name)
{
    char key[PATH];
    snprintf(key, sizeof key, "\"%s\"", name);
    const char *entry = manifest != NULL ? strstr(manifest, key) : NULL;
    if (entry == NULL) return false;
    const char *next = strstr(entry, "\"file\""), *found = strstr(entry, "\"unsolvable\"");
    return found != NULL && (next == NULL || found < next);
}

typedef struct tally {
    int solved, refused, renumbered, skipped;
    double worst;
} tally;

/* Solves with default options; the error is computed anew by the problem layer. */
static void check_solved(void **check_state_, const char *name, const tp_problem *problem, double tolerance,
                         tally *count)
{
    double *P = calloc((size_t)problem->row_count + 1, sizeof(double));
    tp_report report;
    tp_residual residual;
    tp_status status = solve_with(problem, NULL, tolerance, P, &report);
    CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
    if (status != TP_OK || !(residual.error <= tolerance))
        print_error("%s: E = %.3g, %s\n", name, residual.error, report.reason);
    CHECK_INT(status, TP_OK);
    CHECK(residual.error <= tolerance);
    count->worst = fmax(count->worst, residual.error / tolerance);
    free(P);
}

/* A local problem of spatial contacts alone. */
static bool is_renumberable(const tp_problem *problem)
{
    if (problem->x_count > 0 || problem->set_count < 2 || problem->D.uniform != 3) return false;
    for (int i = 0; i < problem->set_count; i++)
        if (problem->sets[i].kind != TP_SET_CONTACT) return false;
    return true;
}

/* The same problem with its contacts in another order. */
static tp_problem *renumber(const tp_problem *problem, unsigned seed)
{
    check_random random = {seed};
    const tp_block_matrix *D = &problem->D;
    int n = problem->set_count, count = 9 * D->block_count, next = 0;
    int *place = malloc((size_t)n * sizeof(int)), *row = malloc((size_t)count * sizeof(int)),
        *col = malloc((size_t)count * sizeof(int));
    double *b = malloc(3 * (size_t)n * sizeof(double));
    tp_set *sets = malloc((size_t)n * sizeof(tp_set));
    for (int i = 0; i < n; i++) place[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(check_random_bits(&random) % (unsigned)(i + 1)), keep = place[i];
        place[i] = place[j], place[j] = keep;
    }
    for (int i = 0; i < n; i++) {
        sets[place[i]] = problem->sets[i];
        memcpy(b + 3 * place[i], problem->b + 3 * i, 3 * sizeof(double));
        for (int k = D->start[i]; k < D->start[i + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                row[next] = 3 * place[i] + e % 3;
                col[next++] = 3 * place[D->column[k]] + e / 3;
            }
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.row_count = 3 * n, def.set_count = n, def.sets = sets, def.b = b;
    def.D = (tp_entries){3 * n, 3 * n, count, row, col, D->value};
    tp_problem *renumbered = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &renumbered, &why) != TP_OK) fail_msg("%s", why.text);
    free(place), free(row), free(col), free(b), free(sets);
    return renumbered;
}

static void check_file(void **check_state_, const char *root, const char *name, const char *manifest,
                       tally *count)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", root, name);
    tp_problem *problem;
    tp_message why;
    tp_status status = tp_problem_read(NULL, path, &problem, &why);
    if (status != TP_OK) fail_msg("%s", why.text);
    if (is_unsolvable(manifest, name)) {
        double *P = calloc((size_t)problem->row_count + 1, sizeof(double));
        tp_report report;
        status = solve_with(problem, NULL, engineering, P, &report);
        if (status != TP_INFEASIBLE) print_error("%s: %s\n", name, report.reason);
        CHECK_INT(status, TP_INFEASIBLE);
        free(P);
        count->refused++;
    } else {
        bool is_open = strncmp(name, open_problem, strlen(open_problem)) == 0;
        check_solved(check_state_, name, problem, is_open ? animation : engineering, count);
        count->solved++;
        for (unsigned seed = 1; seed <= 2 && !is_open && is_renumberable(problem); seed++) {
            tp_problem *other = renumber(problem, seed);
            check_solved(check_state_, name, other, engineering, count);
            tp_problem_free(other);
            count->renumbered++;
        }
    }
    tp_problem_free(problem);
}

static bool is_problem_file(const char *name)
{
    return strstr(name, ".dat") != NULL || strstr(name, ".hdf5") != NULL || strstr(name, ".h5") != NULL;
}

/* All files below a folder of problems; those that `beside` has too are left out. */
static void check_collection(void **check_state_, const char *root, const char *beside, tally *count)
{
    char path[2 * PATH + 300], name[PATH];
    snprintf(path, sizeof path, "%s/manifest.json", root);
    char *manifest = read_text(path);
    for (int f = 0; f < (int)FOLDERS; f++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[f]);
        DIR *folder = opendir(path);
        if (folder == NULL) continue;
        for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            struct stat information;
            if (!is_problem_file(entry->d_name)) continue;
            snprintf(name, sizeof name, "%s/%.500s", folders[f], entry->d_name);
            snprintf(path, sizeof path, "%s/%s", beside != NULL ? beside : "", name);
            if (beside != NULL && stat(path, &information) == 0) continue;
            check_file(check_state_, root, name, manifest, count);
        }
        closedir(folder);
    }
    free(manifest);
}

TEST(every_known_problem_is_solved_or_called_unsolvable)
{
    tally count = {0};
    check_collection(check_state_, TIPPE_SOURCE_DIR "/data/problems", NULL, &count);
    print_message("%d solved, %d refused, %d renumbered; largest E / tolerance %.3f\n", count.solved,
                  count.refused, count.renumbered, count.worst);
    CHECK(count.solved >= 75); /* the files are there */
    CHECK_INT(count.refused, 2);
    CHECK(count.renumbered >= 40);
}

TEST(the_large_problems_are_solved_where_they_are_present)
{
    const char *root = getenv("TIPPE_PROBLEMS");
    struct stat information;
    tally count = {0};
    if (root == NULL || root[0] == '\0') root = TIPPE_SOURCE_DIR "/../shared/problems";
    if (stat(root, &information) != 0) {
        print_message("skipped the large problems: set TIPPE_PROBLEMS to the folder of the collection\n");
        return;
    }
    check_collection(check_state_, root, TIPPE_SOURCE_DIR "/data/problems", &count);
    print_message("%d solved, %d refused, %d renumbered; largest E / tolerance %.3f\n", count.solved,
                  count.refused, count.renumbered, count.worst);
}

TEST_MAIN(RUNS(every_known_problem_is_solved_or_called_unsolvable),
          RUNS(the_large_problems_are_solved_where_they_are_present))
