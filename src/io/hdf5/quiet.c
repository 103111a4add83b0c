/* The HDF5 library, silenced. */
#define _POSIX_C_SOURCE 200809L
#include "io/hdf5/quiet.h"

#include "io/common/whole_file.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the innermost function outwards: the first text, and the first errno in any of them. */
static herr_t look_at(unsigned n, const H5E_error2_t *entry, void *self)
{
    tp_hdf5_quiet *scope = self;
    (void)n;
    if (!entry->desc) return 0;
    if (!scope->text[0]) snprintf(scope->text, sizeof scope->text, "%s", entry->desc);
    const char *number = strstr(entry->desc, "errno = ");
    if (number && scope->error == 0) scope->error = atoi(number + strlen("errno = "));
    return 0;
}

/* Called by the library whenever a call fails; what follows is often the consequence of the first failure. */
static herr_t keep_reason(hid_t stack, void *self)
{
    const tp_hdf5_quiet *scope = self;
    return scope->text[0] ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, look_at, self);
}

void tp_hdf5_quiet_enter(tp_hdf5_quiet *scope)
{
    H5E_auto2_t printer = NULL;
    *scope = (tp_hdf5_quiet){.error = 0};
    H5Eget_auto2(H5E_DEFAULT, &printer, &scope->context);
    scope->printer = (void (*)(void))printer;
    H5Eset_auto2(H5E_DEFAULT, keep_reason, scope);
}

/* After a failure the library stays silent: it may keep parts of a damaged file open, and would complain of
   them when the program ends. */
void tp_hdf5_quiet_leave(const tp_hdf5_quiet *scope)
{
    H5Eclear2(H5E_DEFAULT);
    if (scope->text[0]) {
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        return;
    }
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)scope->printer, scope->context);
}

tp_status tp_hdf5_quiet_fail(const tp_hdf5_quiet *scope, tp_message *why, const char *verb, const char *path)
{
    if (scope->error != 0) {
        errno = scope->error;
        return tp_file_fail(why, verb, path);
    }
    return tp_fail(why, TP_FILE_ERROR, "cannot %s %s: %s", verb, path,
                   scope->text[0] ? scope->text : "the HDF5 library gives no reason");
}
