/* STL, text and binary: triangles one by one, each with a normal that is not used (the order of its corners
   says where outside is). */
#include "io/mesh/mesh_read.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "io/common/tokens.h"

static tp_status add_own_triangle(tp_mesh_builder *builder, const tp_vec3 *corner)
{
    int first = builder->vertex_count;
    for (int k = 0; k < 3; k++) TP_TRY(tp_mesh_add_vertex(builder, corner[k]));
    return tp_mesh_add_triangle(builder, first, first + 1, first + 2);
}

/* ---- binary: 80 bytes of title, a count, 50 bytes a triangle; all numbers little-endian -----------------
 */

enum { TITLE = 80, HEAD = 84, TRIANGLE = 50, FIRST_CORNER = 12 };

static uint32_t whole_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static double real_at(const unsigned char *bytes)
{
    uint32_t bits = whole_at(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static tp_status check_length(const tp_mesh_builder *builder, size_t count, uint32_t triangles)
{
    uint64_t needed = HEAD + (uint64_t)TRIANGLE * triangles;
    if (triangles > TP_MESH_FILE_TRIANGLES_MAX)
        return tp_fail(
            builder->why, TP_INVALID_DATA,
            "%.600s: byte %d: %lu triangles are announced, at most %d are read (or is it not a binary "
            "STL file? One in text begins with 'solid')",
            builder->name, TITLE, (unsigned long)triangles, TP_MESH_FILE_TRIANGLES_MAX);
    if (needed == count) return TP_OK;
    return tp_fail(builder->why, TP_INVALID_DATA,
                   "%.600s: byte %zu: %s; %lu triangles are announced at byte %d and take %llu bytes",
                   builder->name, needed < count ? (size_t)needed : count,
                   needed < count ? "the triangles end, but not the file" : "the file ends too early",
                   (unsigned long)triangles, TITLE, (unsigned long long)needed);
}

tp_status tp_stl_read_binary(tp_mesh_builder *builder, const unsigned char *bytes, size_t count)
{
    if (count < HEAD)
        return tp_fail(
            builder->why, TP_INVALID_DATA,
            "%.600s: byte %zu: the file ends too early; a binary STL file has at least %d bytes, one "
            "in text begins with 'solid'",
            builder->name, count, HEAD);
    uint32_t triangles = whole_at(bytes + TITLE);
    TP_TRY(check_length(builder, count, triangles));
    for (uint32_t t = 0; t < triangles; t++) {
        size_t at = HEAD + (size_t)TRIANGLE * t + FIRST_CORNER;
        tp_vec3 corner[3];
        for (int k = 0; k < 3; k++, at += 12) {
            const unsigned char *x = bytes + at;
            corner[k] = tp_vec3_make(real_at(x), real_at(x + 4), real_at(x + 8));
            if (isfinite(corner[k].x) && isfinite(corner[k].y) && isfinite(corner[k].z)) continue;
            return tp_fail(builder->why, TP_INVALID_DATA,
                           "%.600s: byte %zu: corner %d of triangle %lu is (%g, %g, %g); coordinates must be "
                           "finite",
                           builder->name, at, k, (unsigned long)t, corner[k].x, corner[k].y, corner[k].z);
        }
        TP_TRY(add_own_triangle(builder, corner));
    }
    return TP_OK;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* Words of the format are written in small or in capital letters. */
static bool is_word(tp_token token, const char *word)
{
    if (token.length != strlen(word)) return false;
    for (size_t k = 0; k < token.length; k++)
        if ((token.text[k] | 0x20) != word[k]) return false;
    return true;
}

static tp_status expect(tp_tokens *tokens, const char *word)
{
    tp_token token = tp_tokens_next(tokens);
    return is_word(token, word) ? TP_OK : tp_tokens_fail(tokens, token, "expected '%s'", word);
}

/* Titles are the rest of a line. */
static void skip_line(tp_tokens *tokens)
{
    while (tokens->at < tokens->length && tokens->text[tokens->at] != '\n' &&
           tokens->text[tokens->at] != '\r')
        tokens->at++;
}

/* Some programs write nan for normals they do not know. */
static tp_status skip_normal(tp_tokens *tokens)
{
    for (int k = 0; k < 3; k++) {
        tp_token token = tp_tokens_next(tokens);
        bool is_unknown = is_word(token, "nan") || (token.length == 4 && memchr("+-", token.text[0], 2));
        if (!tp_token_is_number(token) && !is_unknown)
            return tp_tokens_fail(tokens, token, "expected a number (of a normal)");
    }
    return TP_OK;
}

/* Behind the word "facet". */
static tp_status read_facet(tp_mesh_builder *builder, tp_tokens *tokens)
{
    tp_vec3 corner[3];
    TP_TRY(expect(tokens, "normal"));
    TP_TRY(skip_normal(tokens));
    TP_TRY(expect(tokens, "outer"));
    TP_TRY(expect(tokens, "loop"));
    for (int k = 0; k < 3; k++) {
        double x[3];
        TP_TRY(expect(tokens, "vertex"));
        TP_TRY(tp_tokens_reals(tokens, "coordinates of a vertex", 3, x));
        corner[k] = tp_vec3_from_array(x);
    }
    TP_TRY(expect(tokens, "endloop"));
    TP_TRY(expect(tokens, "endfacet"));
    return add_own_triangle(builder, corner);
}

/* Behind the word "solid" and its title. */
static tp_status read_solid(tp_mesh_builder *builder, tp_tokens *tokens)
{
    for (;;) {
        tp_token token = tp_tokens_next(tokens);
        if (is_word(token, "endsolid")) {
            skip_line(tokens);
            return TP_OK;
        }
        if (!is_word(token, "facet")) return tp_tokens_fail(tokens, token, "expected 'facet' or 'endsolid'");
        TP_TRY(read_facet(builder, tokens));
    }
}

tp_status tp_stl_read_text(tp_mesh_builder *builder, const char *text, size_t count)
{
    tp_tokens tokens = {builder->name, text, count, 0, builder->why};
    while (tp_tokens_peek(&tokens).length > 0) {
        TP_TRY(expect(&tokens, "solid"));
        skip_line(&tokens);
        TP_TRY(read_solid(builder, &tokens));
    }
    return TP_OK;
}
