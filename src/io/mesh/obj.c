/* OBJ: lines `v x y z` and `f a b c ...`; what a picture needs besides (texture, normals, groups,
   materials) is passed over. A face of more than three corners is a fan about its first. */
#include "io/mesh/mesh_read.h"

#include <string.h>

#include "io/common/tokens.h"

static bool is_passed_over(tp_token word)
{
    static const char *const words[] = {"vt", "vn", "vp", "o", "g", "s", "usemtl", "mtllib", "l", "p"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (tp_token_is(word, words[k])) return true;
    return word.length == 0 || word.text[0] == '#';
}

static tp_status read_vertex(tp_mesh_builder *builder, tp_tokens *line)
{
    double x[3];
    TP_TRY(tp_tokens_reals(line, "coordinates of a vertex", 3, x));
    return tp_mesh_add_vertex(builder, tp_vec3_from_array(x));
}

/* "7", "7/2", "7//3", "7/2/3": the seventh vertex; -1 is the last one so far. */
static tp_status read_corner(const tp_mesh_builder *builder, tp_tokens *line, int *corner_out)
{
    tp_token token = tp_tokens_next(line), number = token;
    const char *slash = token.length > 0 ? memchr(token.text, '/', token.length) : NULL;
    if (slash) number.length = (size_t)(slash - token.text);
    long long value;
    if (!tp_token_is_int(number, &value))
        return tp_tokens_fail(line, token, "expected the number of a vertex");
    long long place = value < 0 ? builder->vertex_count + value : value - 1;
    if (place < 0 || place >= builder->vertex_count)
        return tp_tokens_fail(line, token, "%d vertices are given before this line, counted from 1",
                              builder->vertex_count);
    *corner_out = (int)place;
    return TP_OK;
}

static tp_status read_face(tp_mesh_builder *builder, tp_tokens *line)
{
    int first, last, next;
    TP_TRY(read_corner(builder, line, &first));
    TP_TRY(read_corner(builder, line, &last));
    do {
        TP_TRY(read_corner(builder, line, &next));
        TP_TRY(tp_mesh_add_triangle(builder, first, last, next));
        last = next;
        tp_token token = tp_tokens_peek(line);
        if (token.length > 0 && token.text[0] == '#') break;
    } while (tp_tokens_peek(line).length > 0);
    return TP_OK;
}

tp_status tp_obj_read(tp_mesh_builder *builder, const char *text, size_t count)
{
    for (size_t begin = 0; begin < count;) {
        const char *end = memchr(text + begin, '\n', count - begin);
        size_t next = end ? (size_t)(end - text) + 1 : count;
        tp_tokens line = {builder->name, text, next, begin, builder->why};
        tp_token word = tp_tokens_next(&line);
        if (tp_token_is(word, "v")) {
            TP_TRY(read_vertex(builder, &line));
        } else if (tp_token_is(word, "f")) {
            TP_TRY(read_face(builder, &line));
        } else if (!is_passed_over(word)) {
            return tp_tokens_fail(&line, word, "expected v, f or another word of the OBJ format");
        }
        begin = next;
    }
    return TP_OK;
}
