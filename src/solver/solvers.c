/* The list of all solvers, by number and by name. */
#include "solvers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TABLE_LINE(name) &tp_solver_##name,
static const tp_solver *const solvers[] = {TP_SOLVER_LIST(TABLE_LINE)};

enum { SOLVER_COUNT = sizeof solvers / sizeof solvers[0] };

int tp_solver_count(void)
{
    return SOLVER_COUNT;
}

const tp_solver_info *tp_solver_info_at(int index)
{
    return index >= 0 && index < SOLVER_COUNT ? &solvers[index]->info : NULL;
}

int tp_solver_find(const char *name)
{
    for (int i = 0; name != NULL && i < SOLVER_COUNT; i++) {
        if (strcmp(solvers[i]->info.name, name) == 0) return i;
    }
    return -1;
}

const tp_solver *tp_solver_by_name(const char *name)
{
    int index = tp_solver_find(name);
    return index >= 0 ? solvers[index] : NULL;
}

tp_status tp_report_end(tp_report *report, tp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->reason, sizeof report->reason, format, arguments);
    va_end(arguments);
    return report->status = status;
}
