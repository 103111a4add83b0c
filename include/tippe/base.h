/* What every part of Tippe shares: status codes, messages, the allocator hook and the log hook. */
#ifndef TIPPE_BASE_H
#define TIPPE_BASE_H

#include <stdbool.h>
#include <stddef.h>

/* The version of these headers; tp_version() is that of the library. CMakeLists.txt reads it here. */
#define TIPPE_VERSION_MAJOR 0
#define TIPPE_VERSION_MINOR 1
#define TIPPE_VERSION_PATCH 0

/* True if these headers are at least of that version. */
#define TIPPE_VERSION_IS_AT_LEAST(major, minor, patch)                                                       \
    (TIPPE_VERSION_MAJOR * 1000000 + TIPPE_VERSION_MINOR * 1000 + TIPPE_VERSION_PATCH >=                     \
     (major)*1000000 + (minor)*1000 + (patch))

#if defined(__GNUC__)
#define TP_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define TP_PRINTF(format_index, first_argument)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One list makes the codes and their texts. */
#define TP_STATUS_LIST(X)                                                                                    \
    X(TP_OK, "ok")                                                                                           \
    X(TP_INVALID_ARGUMENT, "an argument is out of range")                                                    \
    X(TP_INVALID_DATA, "the content is malformed or describes an unsound model")                             \
    X(TP_OUT_OF_MEMORY, "the allocator returned no memory")                                                  \
    X(TP_FILE_ERROR, "a file cannot be read or written")                                                     \
    X(TP_NOT_CONVERGED, "the solver stopped above its tolerance")                                            \
    X(TP_INFEASIBLE, "the problem has no solution")                                                          \
    X(TP_SINGULAR, "a matrix is singular to working precision")                                              \
    X(TP_UNSUPPORTED, "the method does not accept this kind of problem")                                     \
    X(TP_INTERRUPTED, "interrupted")                                                                         \
    X(TP_WARNED, "done, with warnings")                                                                      \
    X(TP_INTERNAL, "an internal check failed")

typedef enum tp_status {
#define TP_STATUS_ENUM(code, text) code,
    TP_STATUS_LIST(TP_STATUS_ENUM)
#undef TP_STATUS_ENUM
} tp_status;

/* English text of a status; never NULL. */
const char *tp_status_text(tp_status status);

/* Asked by what may take long: true ends it with TP_INTERRUPTED. */
typedef bool (*tp_interrupt)(void *context);

/* Returns the status of a failing call to the caller: the only macro that hides control flow. */
#define TP_TRY(call)                                                                                         \
    do {                                                                                                     \
        tp_status tp_try_status_ = (call);                                                                   \
        if (tp_try_status_ != TP_OK) return tp_try_status_;                                                  \
    } while (0)

/* A text for a person: what is wrong, where, and what would be right. Always terminated. One convention: a
   call that can fail for a reason worth telling takes a tp_message as its last argument; it may be NULL, and
   is written on failure alone. Calls that fill a report put the reason there. What is left can fail only for
   a NULL argument or for lack of memory: the status says it. */
typedef struct tp_message {
    char text[1024];
} tp_message;

/* Writes a message, cutting it to the space there is; message may be NULL. Returns status, so that a failure
 * is one line. */
tp_status tp_fail(tp_message *message, tp_status status, const char *format, ...) TP_PRINTF(3, 4);

/* Where something stands in a file, for messages; file NULL: made by a program. Line and column count from 1;
   line 0: the whole file. */
typedef struct tp_place {
    const char *file;
    int line, column;
} tp_place;

/* Like tp_fail, with "file:line:column: " in front where the place is known. */
tp_status tp_fail_at(tp_message *message, tp_status status, tp_place place, const char *format, ...)
    TP_PRINTF(4, 5);

/* Memory comes from here. allocate returns NULL when there is none; the memory is aligned for any type. An
   allocator is borrowed as long as what was created with it lives; NULL means tp_allocator_default(). */
typedef struct tp_allocator {
    void *context;
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory);
} tp_allocator;

/* The C library's malloc and free. */
const tp_allocator *tp_allocator_default(void);

typedef enum tp_log_level { TP_LOG_DEBUG, TP_LOG_INFO, TP_LOG_WARNING } tp_log_level;

/* Text for the program's log leaves the library only through such a hook; write may be NULL (nothing is
 * logged). */
typedef struct tp_log {
    void *context;
    void (*write)(void *context, tp_log_level level, const char *text);
} tp_log;

/* Formats a line and hands it to the hook; log may be NULL. */
void tp_log_write(const tp_log *log, tp_log_level level, const char *format, ...) TP_PRINTF(3, 4);

/* Edits (a letter more, less or other, two neighbours swapped) that lead from one name to the other: the
   measure behind every "did you mean". Names longer than 64 letters are compared by their beginnings. */
int tp_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* The version of the library that is linked: "1.2.3". */
const char *tp_version(void);

#ifdef __cplusplus
}
#endif

#endif
