/* A thread-local C locale. */
#define _POSIX_C_SOURCE 200809L
#include "io/common/c_locale.h"

#include <locale.h>

tp_status tp_c_locale_enter(tp_c_locale *scope, tp_message *why_out)
{
    scope->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!scope->own) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the C locale");
    scope->previous = uselocale((locale_t)scope->own);
    return TP_OK;
}

void tp_c_locale_leave(tp_c_locale *scope)
{
    uselocale((locale_t)scope->previous);
    freelocale((locale_t)scope->own);
}
