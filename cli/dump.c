/* The one-step problem of a step as a file. */
#include "dump.h"

#include "tippe/exchange.h"

static tp_status write_problem(const tp_simulation *simulation, const char *path, tp_message *why_out)
{
    const tp_problem *problem = tp_simulation_problem(simulation);
    if (problem != NULL) return tp_problem_write(problem, path, why_out);
    return tp_fail(why_out, TP_UNSUPPORTED, "%s: the step has no one-step problem", path);
}

tp_status dump_see_step(step_dump *dump, const tp_simulation *simulation, tp_message *why_out)
{
    bool is_due = dump->step_path != NULL && !dump->is_written && tp_simulation_time(simulation) > dump->time;
    if (!is_due) return TP_OK;
    dump->is_written = true;
    return write_problem(simulation, dump->step_path, why_out);
}

tp_status dump_see_end(step_dump *dump, const tp_simulation *simulation, bool has_failed, tp_message *why_out)
{
    bool is_due = dump->step_path != NULL && !dump->is_written && tp_simulation_problem(simulation) != NULL;
    double step = tp_simulation_get_options(simulation)->time_step, now = tp_simulation_time(simulation);
    bool contains = has_failed ? dump->time < now + step : dump->time <= now; /* the end of a run as well */
    if (is_due && contains) {
        dump->is_written = true;
        TP_TRY(write_problem(simulation, dump->step_path, why_out));
    }
    return has_failed && dump->failed_path != NULL ? write_problem(simulation, dump->failed_path, why_out)
                                                   : TP_OK;
}
