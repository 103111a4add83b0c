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

/* A text that grows within its room. */
typedef struct line {
    char *text;
    size_t length, room; /* the last byte of the room is for the zero */
} line;

static void add_text(line *to, const char *text)
{
    for (; *text != '\0' && to->length + 1 < to->room; text++) to->text[to->length++] = *text;
}

static void add_count(line *to, int count)
{
    char digits[16], *at = digits + sizeof digits - 1;
    long long left = count < 0 ? -(long long)count : count;
    *at = '\0';
    do *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (count < 0) *--at = '-';
    add_text(to, at);
}

/* Formats of %s and %d alone; false: there is something else in it. Every warm step ends with such a reason,
   and those of the C library cost a tenth of a small step. */
static bool write_plainly(line *to, const char *format, va_list arguments)
{
    for (; *format != '\0'; format++) {
        const char one[2] = {*format, '\0'};
        if (*format != '%') {
            add_text(to, one);
            continue;
        }
        format++;
        if (*format == 's')
            add_text(to, va_arg(arguments, const char *));
        else if (*format == 'd')
            add_count(to, va_arg(arguments, int));
        else
            return false;
    }
    to->text[to->length] = '\0';
    return true;
}

tp_status tp_report_end(tp_report *report, tp_status status, const char *format, ...)
{
    line reason = {report->reason, 0, sizeof report->reason};
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    if (!write_plainly(&reason, format, arguments))
        vsnprintf(report->reason, sizeof report->reason, format, again);
    va_end(again);
    va_end(arguments);
    return report->status = status;
}
