/* Numbers in files have a decimal point whatever the user's locale says: the calling thread works in the C
   locale between enter and leave. */
#ifndef TP_IO_COMMON_C_LOCALE_H
#define TP_IO_COMMON_C_LOCALE_H

#include "tippe/base.h"

typedef struct tp_c_locale {
    void *own, *previous; /* locale_t of the C library */
} tp_c_locale;

tp_status tp_c_locale_enter(tp_c_locale *scope, tp_message *why_out);
void tp_c_locale_leave(tp_c_locale *scope);

#endif
