/* Files as wholes: read at once, and written so that they appear whole or not at all. */
#ifndef TP_IO_COMMON_WHOLE_FILE_H
#define TP_IO_COMMON_WHOLE_FILE_H

#include "base/arena.h"
#include "tippe/output.h"

/* TP_FILE_ERROR with the reason when it cannot be read (no such file, a directory, a device). */
tp_status tp_file_read(tp_arena *arena, const char *path, unsigned char **bytes_out, size_t *count_out,
                       tp_message *why_out);

/* tp_file_write is public (tippe/output.h). The same without waiting for the disk: on return it survives a
   killed process, not a power failure. For files that are written often. */
tp_status tp_file_write_quickly(const char *path, const void *bytes, size_t count, tp_message *why_out);

/* For those who write piece by piece. TP_FILE_ERROR with "cannot VERB PATH: reason of errno"; */
tp_status tp_file_fail(tp_message *why, const char *verb, const char *path);

/* all bytes to a descriptor, false and errno on failure; */
bool tp_file_put(int file, const void *bytes, size_t count);

/* a new file in the folder of the target, whose name goes to `temporary` [strlen(target) + 64]: its
   descriptor, or -1 and errno. `mode` as in open(). */
int tp_file_temporary(const char *target, char *temporary, size_t capacity, unsigned mode);

/* whether the file still has a name: if it was removed or replaced by another, its bytes go nowhere. A
   TP_FILE_ERROR then. */
tp_status tp_file_check_kept(int file, const char *path, tp_message *why);

bool tp_path_ends(const char *path, const char *ending);

#endif
