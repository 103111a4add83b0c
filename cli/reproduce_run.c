/* Children for experiments, and in them children for their steps: a step is a verb with its words, its output
   goes to a file, and its death is an exit code. */
#define _POSIX_C_SOURCE 200809L
#include "reproduce_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hdf5_child.h"
#include "interrupt.h"
#include "program.h"
#include "progress.h"

enum { CHILDREN_MAX = 256, STEPS_MAX = 64, WORDS_MAX = 128 };

void reproduce_place(const char *folder, const char *name, char *out)
{
    snprintf(out, REPRODUCE_PATH_MAX, "%s/runs/%s", folder, name);
}

bool make_folders(const char *path)
{
    char part[REPRODUCE_PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) return false;
    for (size_t k = 1; k <= length; ++k) {
        if (path[k] != '/' && path[k] != '\0') continue;
        memcpy(part, path, k);
        part[k] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
    }
    return true;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

/* The life of a step's child. */
static void do_step(const tp_experiment_step *step)
{
    char file[REPRODUCE_PATH_MAX], *words[WORDS_MAX];
    const cli_verb *verb = program_find_verb(step->words[0]);
    snprintf(file, sizeof file, "%s.json", step->name);
    if (freopen(file, "w", stdout) == NULL) _exit(PROGRAM_NO_RESOURCE);
    snprintf(file, sizeof file, "%s.log", step->name);
    if (freopen(file, "w", stderr) == NULL || verb == NULL || step->word_count > WORDS_MAX)
        _exit(PROGRAM_NO_RESOURCE);
    for (int k = 1; k < step->word_count; ++k) {
        words[k - 1] = strdup(step->words[k]);
        if (words[k - 1] == NULL) _exit(PROGRAM_NO_RESOURCE);
    }
    exit_code code = verb->run(verb, step->word_count - 1, words);
    bool is_written = fflush(stdout) == 0;
    fflush(stderr);
    _exit(is_written ? (int)code : PROGRAM_NO_RESOURCE);
}

/* Its exit code; PROGRAM_OTHER if it crashed. */
static int run_step(const tp_experiment_step *step)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return PROGRAM_NO_RESOURCE;
    if (child == 0) do_step(step);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return PROGRAM_OTHER;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : PROGRAM_OTHER;
}

/* ---- an experiment ------------------------------------------------------------------------------------- */

static void remove_old(const tp_experiment *experiment)
{
    static const char *const endings[] = {"json", "h5", "log"};
    char file[REPRODUCE_PATH_MAX];
    remove("result.json");
    remove("figure.svg");
    for (int k = 0; k < experiment->step_count; ++k) {
        for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
            snprintf(file, sizeof file, "%s.%s", experiment->steps[k].name, endings[i]);
            remove(file);
        }
    }
}

/* Processor time of all steps so far; other work on the machine does not change it. */
static double seconds_of_steps(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0) return 0.0;
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec +
           (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
}

/* Whether a check looks at a step: then what it leaves behind is judged. */
static bool is_checked(const tp_experiment *experiment, const char *step)
{
    for (int k = 0; k < experiment->check_count; ++k) {
        if (strcmp(experiment->checks[k].of, step) == 0) return true;
    }
    return false;
}

/* The life of an experiment's child, which works in its own folder. */
static int do_experiment(const reproduce_order *order, const tp_experiment *experiment)
{
    char folder[REPRODUCE_PATH_MAX];
    int codes[STEPS_MAX] = {0};
    tp_experiment_result *result = NULL;
    tp_message why = {""};
    reproduce_place(order->folder, experiment->name, folder);
    if (experiment->step_count > STEPS_MAX || !make_folders(folder) || chdir(folder) != 0) {
        complain("reproduce: %s: cannot use %s", experiment->name, folder);
        return PROGRAM_NO_RESOURCE;
    }
    remove_old(experiment);
    for (int k = 0; k < experiment->step_count; ++k) {
        codes[k] = run_step(&experiment->steps[k]);
        if (codes[k] >= PROGRAM_SIGNAL) return codes[k];
        if (codes[k] != PROGRAM_DONE && !is_checked(experiment, experiment->steps[k].name))
            complain("reproduce: %s: step %s ended with exit code %d", experiment->name,
                     experiment->steps[k].name, codes[k]);
    }
    if (experiment->figure != NULL && run_step(experiment->figure) != PROGRAM_DONE)
        complain("reproduce: %s: no figure; %s/figure.log says why", experiment->name, folder);
    tp_status status =
        tp_experiment_measure(NULL, &hdf5_child, experiment, ".", codes, seconds_of_steps(), &result, &why);
    if (status == TP_OK) status = tp_experiment_keep(result, ".", &why);
    if (status != TP_OK) complain("reproduce: %s: %s", experiment->name, why.text);
    tp_experiment_result_free(result);
    return exit_code_of(status);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

typedef struct family {
    pid_t children[CHILDREN_MAX];
    int count;
} family;

/* Each child leads a group with its steps, so that an interrupt can end them all. */
static bool begin(const reproduce_order *order, int k, family *all)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)setpgid(0, 0);
        (void)signal(SIGTERM, SIG_DFL);
        int code = do_experiment(order, order->experiments[k]);
        fflush(NULL);
        _exit(code);
    }
    if (child < 0) return false;
    (void)setpgid(child, child);
    all->children[all->count++] = child;
    return true;
}

/* Forgets the children that have ended; how many they are. */
static int collect(family *all)
{
    int ended = 0, left = 0;
    for (int k = 0; k < all->count; ++k) {
        bool is_over = waitpid(all->children[k], NULL, WNOHANG) != 0;
        if (!is_over) all->children[left++] = all->children[k];
        ended += is_over;
    }
    all->count = left;
    return ended;
}

static void end_all(const family *all)
{
    for (int k = 0; k < all->count; ++k) (void)kill(-all->children[k], SIGTERM);
}

bool reproduce_run(const reproduce_order *order)
{
    static const struct timespec pause = {0, 20000000}; /* [ns] between two looks */
    family all = {.count = 0};
    int begun = 0, done = 0, jobs = order->jobs < CHILDREN_MAX ? order->jobs : CHILDREN_MAX;
    bool goes_on = true;
    progress bar = progress_begin(!order->is_quiet, 0.0, order->count);
    bar.is_share = true;
    while (all.count > 0 || (goes_on && begun < order->count)) {
        while (goes_on && begun < order->count && all.count < jobs) {
            goes_on = begin(order, begun, &all);
            begun += goes_on;
        }
        if (goes_on && interrupt_has_come()) {
            goes_on = false;
            end_all(&all);
        }
        nanosleep(&pause, NULL);
        done += collect(&all);
        progress_show(&bar, done);
    }
    progress_end(&bar);
    return goes_on;
}
