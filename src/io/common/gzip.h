/* gzip in memory (zlib). */
#ifndef TP_IO_COMMON_GZIP_H
#define TP_IO_COMMON_GZIP_H

#include "base/arena.h"

bool tp_gzip_is(const unsigned char *bytes, size_t count);

/* Unpacks all members. More than `limit` bytes are refused before any memory is taken for them. */
tp_status tp_gzip_unpack(tp_arena *arena, const char *name, const unsigned char *bytes, size_t count,
                         size_t limit, unsigned char **out, size_t *count_out, tp_message *why_out);

/* Packs; the same bytes give the same result (no time, no name inside). */
tp_status tp_gzip_pack(tp_arena *arena, const unsigned char *bytes, size_t count, unsigned char **out,
                       size_t *count_out, tp_message *why_out);

/* The same without a head of gzip, and the check sum, as PNG has them. */
tp_status tp_zlib_pack(tp_arena *arena, const unsigned char *bytes, size_t count, unsigned char **out,
                       size_t *count_out, tp_message *why_out);
unsigned long tp_crc32(const unsigned char *bytes, size_t count);

#endif
