/* The loop over scenes and integrators, and its table. */
#define _POSIX_C_SOURCE 200809L
#include "battery.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double stop_rate_most = 0.002;
static const double seconds_to_tell = 20.0; /* of the processor: a run that is worth a look */

static int number_from(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? atoi(text) : otherwise;
}

void battery_read_environment(battery_plan *plan)
{
    plan->first = number_from("TIPPE_BATTERY_FIRST", plan->first);
    plan->count = number_from("TIPPE_BATTERY_COUNT", plan->count);
    plan->steps_max = number_from("TIPPE_BATTERY_STEPS", plan->steps_max);
    const char *only = getenv("TIPPE_BATTERY_ONLY"), *folder = getenv("TIPPE_BATTERY_FOLDER");
    if (only != NULL) plan->only = only;
    if (folder != NULL) plan->folder = folder;
}

/* Keeps the scene, and says how to run it again. */
static void tell_failure(const battery_plan *plan, const random_scene *random, int number,
                         const char *integrator, const run_verdict *verdict)
{
    char path[512];
    if (mkdir(plan->folder, 0777) != 0 && errno != EEXIST)
        print_error("cannot make the folder %s\n", plan->folder);
    snprintf(path, sizeof path, "%s/%s-%d.yaml", plan->folder, random->family, number);
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fputs(random->text, file);
        fclose(file);
    }
    print_message("scene %d, tippe run %s --integrator %s:", number, path, integrator);
    if (verdict->end == RUN_STOPPED)
        print_message(" STOPPED after %lld steps: %s;", verdict->steps, verdict->reason);
    for (int d = 0; d < DEFECT_COUNT; d++) {
        if (verdict->found[d])
            print_message(" DEFECT: %s (%.3g times what is allowed);", defect_text((run_defect)d),
                          verdict->size[d]);
    }
    if (verdict->found[DEFECT_REFUSAL]) print_message(" %s", verdict->reason);
    print_message("\n");
    fflush(stdout); /* a battery takes long, and its log is read on the way */
}

static void count(battery_row *row, const run_verdict *verdict)
{
    if (verdict->end == RUN_REFUSED)
        row->refused++;
    else
        row->runs++;
    row->stopped += verdict->end == RUN_STOPPED;
    row->warned += verdict->warning_count > 0;
    row->steps += verdict->steps;
    row->silent += has_defect(verdict);
    for (int d = 0; d < DEFECT_COUNT; d++) row->defects[d] += verdict->found[d];
    row->residual = fmax(row->residual, verdict->residual);
    row->slowest = fmax(row->slowest, verdict->seconds);
}

static bool is_wanted(const battery_plan *plan, const char *integrator)
{
    if (plan->only == NULL) return true;
    for (const char *at = strstr(plan->only, integrator); at != NULL; at = strstr(at + 1, integrator)) {
        char before = at > plan->only ? at[-1] : ',', after = at[strlen(integrator)];
        if (before == ',' && (after == ',' || after == '\0')) return true;
    }
    return false;
}

static void run_scene(const battery_plan *plan, int number, battery_table *table)
{
    random_scene *random = random_scene_make(number % random_scene_family_count(), (uint64_t)number + 1);
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, random->family, random->text, strlen(random->text), NULL, 0, &scene,
                             &why) != TP_OK) {
        print_error("scene %d is not sound: %s\n%s", number, why.text, random->text);
        fail();
    }
    int steps = plan->steps_max > 0 && plan->steps_max < random->steps ? plan->steps_max : random->steps;
    run_verdict verdicts[BATTERY_INTEGRATORS_MAX];
    int first = tp_integrator_find("consistent"), second = tp_integrator_find("moreau-jean");
    for (int i = 0; i < tp_integrator_count(); i++) {
        bool is_reference = i == first || i == second;
        const char *integrator = tp_integrator_info_at(i)->name;
        if (is_reference || is_wanted(plan, integrator))
            verdicts[i] = judge_run(random, scene, integrator, steps);
    }
    const run_verdict *reference = &verdicts[verdicts[first].end != RUN_REFUSED ? first : second];
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *integrator = tp_integrator_info_at(i)->name;
        run_verdict *verdict = &verdicts[i];
        if (!is_wanted(plan, integrator)) continue;
        judge_motion(random, reference, verdict);
        count(&table->rows[i], verdict);
        if (verdict->seconds > seconds_to_tell)
            print_message("scene %d, %s: %lld steps take %.1f s\n", number, integrator, verdict->steps,
                          verdict->seconds);
        if (verdict->end == RUN_STOPPED || has_defect(verdict))
            tell_failure(plan, random, number, integrator, verdict);
    }
    tp_scene_free(scene);
    random_scene_free(random);
}

battery_table battery_run(const battery_plan *plan)
{
    static battery_table table;
    memset(&table, 0, sizeof table);
    for (int k = 0; k < plan->count; k++) run_scene(plan, plan->first + k, &table);
    return table;
}

/* The share of stops among the runs that were not refused. */
static double stop_rate(const battery_row *row)
{
    return row->runs > 0 ? (double)row->stopped / (double)row->runs : 0.0;
}

void battery_print(const battery_table *table)
{
    print_message("| integrator | runs | steps | refused | stopped | stop rate | warned | silent defects | "
                  "largest residual |\n"
                  "|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < tp_integrator_count(); i++) {
        const battery_row *row = &table->rows[i];
        print_message("| `%s` | %lld | %lld | %lld | %lld | %.2f %% | %lld | %lld | %.1e |\n",
                      tp_integrator_info_at(i)->name, row->runs, row->steps, row->refused, row->stopped,
                      100.0 * stop_rate(row), row->warned, row->silent, row->residual);
    }
    for (int i = 0; i < tp_integrator_count(); i++) {
        for (int d = 0; d < DEFECT_COUNT; d++) {
            if (table->rows[i].defects[d] > 0)
                print_message("%s: %s: %lld\n", tp_integrator_info_at(i)->name, defect_text((run_defect)d),
                              table->rows[i].defects[d]);
        }
    }
}

bool battery_passes(const battery_table *table)
{
    bool passes = true;
    for (int i = 0; i < tp_integrator_count(); i++) {
        const battery_row *row = &table->rows[i];
        const char *name = tp_integrator_info_at(i)->name;
        bool stops = stop_rate(row) > stop_rate_most;
        if (stops)
            print_error("%s: %lld of %lld runs stopped, %.2f %%; at most %.2f %% may\n", name, row->stopped,
                        row->runs, 100.0 * stop_rate(row), 100.0 * stop_rate_most);
        if (row->silent > 0) print_error("%s: %lld runs are wrong without a warning\n", name, row->silent);
        passes = passes && !stops && row->silent == 0;
    }
    return passes;
}
