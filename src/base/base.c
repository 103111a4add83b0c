/* Status texts, messages, the default allocator, the log hook. */
#include "tippe/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(number)    #number
#define NUMBER_TEXT(macro) TEXT_OF(macro)

const char *tp_version(void)
{
    return NUMBER_TEXT(TIPPE_VERSION_MAJOR) "." NUMBER_TEXT(TIPPE_VERSION_MINOR) "." NUMBER_TEXT(
        TIPPE_VERSION_PATCH);
}

const char *tp_status_text(tp_status status)
{
    switch (status) {
#define TP_STATUS_CASE(code, text)                                                                           \
    case code: return text;
        TP_STATUS_LIST(TP_STATUS_CASE)
#undef TP_STATUS_CASE
    }
    return "unknown status";
}

tp_status tp_fail(tp_message *message, tp_status status, const char *format, ...)
{
    if (message != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

tp_status tp_fail_at(tp_message *message, tp_status status, tp_place place, const char *format, ...)
{
    if (message != NULL) {
        int used = 0;
        message->text[0] = '\0';
        if (place.file != NULL && place.line > 0) {
            used = snprintf(message->text, sizeof message->text, "%.600s:%d:%d: ", place.file, place.line,
                            place.column);
        } else if (place.file != NULL) {
            used = snprintf(message->text, sizeof message->text, "%.600s: ", place.file);
        }
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text + used, sizeof message->text - (size_t)used, format, arguments);
        va_end(arguments);
    }
    return status;
}

static void *allocate_with_malloc(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes > 0 ? bytes : 1);
}

static void release_with_free(void *context, void *memory)
{
    (void)context;
    free(memory);
}

const tp_allocator *tp_allocator_default(void)
{
    static const tp_allocator allocator = {NULL, allocate_with_malloc, release_with_free};
    return &allocator;
}

void tp_log_write(const tp_log *log, tp_log_level level, const char *format, ...)
{
    if (log == NULL || log->write == NULL) return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log->write(log->context, level, line);
}
