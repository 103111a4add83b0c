/* gzip: unpacking in two passes (measure, then fill), packing at once. */
#include "io/common/gzip.h"

#include <limits.h>
#define ZLIB_CONST
#include <zlib.h>

enum { GZIP_ONLY = 31, ZLIB_ONLY = 15, SCRATCH = 32768 }; /* window bits: gzip, zlib; the full window */

bool tp_gzip_is(const unsigned char *bytes, size_t count)
{
    return count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

typedef struct unpacking {
    const unsigned char *bytes;
    size_t count, limit;
    unsigned char *out; /* NULL: only measure */
    size_t out_count;
    const char *error; /* NULL if all went well */
} unpacking;

static uInt at_most(size_t count)
{
    return count < UINT_MAX ? (uInt)count : UINT_MAX;
}

/* Hands zlib the next room for output: the buffer itself, or scratch that is thrown away. */
static void give_room(unpacking *job, z_stream *stream, unsigned char *scratch)
{
    stream->next_out = job->out ? job->out + job->out_count : scratch;
    stream->avail_out = job->out ? at_most(job->limit - job->out_count) : SCRATCH;
}

/* One call of zlib; returns false when the job is at its end (or failed). */
static bool unpack_some(unpacking *job, z_stream *stream, size_t *taken, unsigned char *scratch)
{
    unsigned char spare;
    give_room(job, stream, scratch);
    if (stream->avail_out == 0) { /* the buffer is full: only the trailer may be left */
        stream->next_out = &spare;
        stream->avail_out = 1;
    }
    stream->next_in = job->bytes + *taken;
    stream->avail_in = at_most(job->count - *taken);
    uInt in_before = stream->avail_in, out_before = stream->avail_out;
    int code = inflate(stream, Z_NO_FLUSH);
    *taken += in_before - stream->avail_in;
    job->out_count += out_before - stream->avail_out;
    if (job->out_count > job->limit) {
        job->error = "it unpacks to more than a problem file may have";
    } else if (code == Z_STREAM_END) {
        if (*taken == job->count) return false;
        if (!tp_gzip_is(job->bytes + *taken, job->count - *taken)) {
            job->error = "there are bytes after the end of the gzip data";
        } else {
            inflateReset(stream);
        }
    } else if (code == Z_BUF_ERROR || (code == Z_OK && *taken == job->count && stream->avail_out > 0)) {
        job->error = "the gzip data end too early";
    } else if (code != Z_OK) {
        job->error = code == Z_MEM_ERROR ? "no memory" : "the gzip data are damaged";
    }
    return job->error == NULL;
}

static void run(unpacking *job)
{
    z_stream stream = {.zalloc = NULL};
    unsigned char scratch[SCRATCH];
    size_t taken = 0;
    if (inflateInit2(&stream, GZIP_ONLY) != Z_OK) {
        job->error = "no memory";
        return;
    }
    while (unpack_some(job, &stream, &taken, scratch)) {
    }
    inflateEnd(&stream);
}

tp_status tp_gzip_unpack(tp_arena *arena, const char *name, const unsigned char *bytes, size_t count,
                         size_t limit, unsigned char **out, size_t *count_out, tp_message *why_out)
{
    unpacking job = {.bytes = bytes, .count = count, .limit = limit};
    run(&job);
    if (job.error) {
        return tp_fail(why_out, TP_INVALID_DATA, "%s: %s (%zu bytes unpacked)", name, job.error,
                       job.out_count);
    }
    *out = TP_ARENA_ARRAY(arena, unsigned char, job.out_count + 1);
    if (!*out)
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "%s: no memory to unpack %zu bytes", name, job.out_count);
    *count_out = job.out_count;
    job = (unpacking){.bytes = bytes, .count = count, .limit = job.out_count, .out = *out};
    run(&job);
    return job.error ? tp_fail(why_out, TP_INVALID_DATA, "%s: %s", name, job.error) : TP_OK;
}

static tp_status pack(tp_arena *arena, int window_bits, const unsigned char *bytes, size_t count,
                      unsigned char **out, size_t *count_out, tp_message *why_out)
{
    z_stream stream = {.zalloc = NULL};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to compress");
    }
    size_t capacity = deflateBound(&stream, count), taken = 0, put = 0;
    *out = TP_ARENA_ARRAY(arena, unsigned char, capacity);
    int code = *out ? Z_OK : Z_MEM_ERROR;
    while (code == Z_OK) {
        stream.next_in = bytes + taken;
        stream.avail_in = at_most(count - taken);
        stream.next_out = *out + put;
        stream.avail_out = at_most(capacity - put);
        uInt in_before = stream.avail_in, out_before = stream.avail_out;
        code = deflate(&stream, in_before == count - taken ? Z_FINISH : Z_NO_FLUSH);
        taken += in_before - stream.avail_in;
        put += out_before - stream.avail_out;
    }
    deflateEnd(&stream);
    *count_out = put;
    if (code == Z_STREAM_END) return TP_OK;
    return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to compress %zu bytes", count);
}

tp_status tp_gzip_pack(tp_arena *arena, const unsigned char *bytes, size_t count, unsigned char **out,
                       size_t *count_out, tp_message *why_out)
{
    return pack(arena, GZIP_ONLY, bytes, count, out, count_out, why_out);
}

tp_status tp_zlib_pack(tp_arena *arena, const unsigned char *bytes, size_t count, unsigned char **out,
                       size_t *count_out, tp_message *why_out)
{
    return pack(arena, ZLIB_ONLY, bytes, count, out, count_out, why_out);
}

unsigned long tp_crc32(const unsigned char *bytes, size_t count)
{
    uLong sum = crc32(0, NULL, 0);
    for (size_t at = 0; at < count; at += at_most(count - at))
        sum = crc32(sum, bytes + at, at_most(count - at));
    return sum;
}
