/* All runs of a study, on threads: each run is one thread's own, results stand where their run stands. */
#include "simulation/study_parts.h"

#include <math.h>

bool tp_study_goes_on(tp_study *study, long long more_steps)
{
    const tp_study_def *def = &study->def;
    if (atomic_load(&study->is_stopped)) return false;
    if (def->goes_on == NULL) return true;
    if (mtx_lock(&study->lock) != thrd_success) return true;
    study->done_steps += (double)more_steps;
    bool goes_on = def->goes_on(def->context, fmin(study->done_steps / study->all_steps, 1.0));
    mtx_unlock(&study->lock);
    if (!goes_on) atomic_store(&study->is_stopped, true);
    return goes_on;
}

/* Takes run after run until none is left; the last ones, with the smallest steps, come first. */
static int work(void *context)
{
    tp_study *study = context;
    for (int k; (k = atomic_fetch_sub(&study->next_run, 1)) >= 0;) tp_study_simulate(study, k);
    return 0;
}

tp_status tp_study_work(tp_study *study)
{
    int helpers = (study->def.jobs < study->def.run_count ? study->def.jobs : study->def.run_count) - 1;
    thrd_t *threads = TP_ARENA_ARRAY(&study->arena, thrd_t, helpers > 0 ? helpers : 0);
    if (threads == NULL) return TP_OUT_OF_MEMORY;
    atomic_store(&study->next_run, study->def.run_count - 1);
    int started = 0;
    /* Fewer threads than wanted are not a failure: this one does what is left. */
    while (started < helpers && thrd_create(&threads[started], work, study) == thrd_success) started++;
    work(study);
    for (int k = 0; k < started; k++) thrd_join(threads[k], NULL);
    return TP_OK;
}
