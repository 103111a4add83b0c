/* Coordinates of joints as names in formulas: NAME.COORDINATE and its rate NAME.COORDINATE'. They are
   expressions over the coordinates of the joint's bodies, made when a formula first mentions the joint;
   docs/theory/joints.md (21)-(23). Turns of angles are counted. */
#include "formula/lexer.h"
#include "lists.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 4000 };

/* A text that is being written; too long a text is marked. */
typedef struct text {
    char buffer[TEXT_MAX];
    int used;
    bool is_too_long;
} text;

static void write_text(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int room = TEXT_MAX - t->used, count = vsnprintf(t->buffer + t->used, (size_t)room, format, arguments);
    va_end(arguments);
    t->is_too_long |= count >= room;
    t->used += count < room ? count : 0;
}

/* Entry (i, j) of |p|^2 R(p): sums of factor p_m p_n. */
typedef struct product {
    int factor, m, n;
} product;

static const product rotation[3][3][4] = {
    {{{1, 0, 0}, {1, 1, 1}, {-1, 2, 2}, {-1, 3, 3}}, {{2, 1, 2}, {-2, 0, 3}}, {{2, 1, 3}, {2, 0, 2}}},
    {{{2, 1, 2}, {2, 0, 3}}, {{1, 0, 0}, {-1, 1, 1}, {1, 2, 2}, {-1, 3, 3}}, {{2, 2, 3}, {-2, 0, 1}}},
    {{{2, 1, 3}, {-2, 0, 2}}, {{2, 2, 3}, {2, 0, 1}}, {{1, 0, 0}, {-1, 1, 1}, {-1, 2, 2}, {1, 3, 3}}}};

static void write_rigid(text *t, const char *name, const double *a, int i, bool is_rate)
{
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 4 && a[j] != 0.0 && rotation[i][j][k].factor != 0; k++) {
            const product *term = &rotation[i][j][k];
            double factor = a[j] * term->factor;
            if (!is_rate) {
                write_text(t, " + (%.17g)*%s.p%d*%s.p%d", factor, name, term->m, name, term->n);
            } else {
                write_text(t, " + (%.17g)*(%s.p%d'*%s.p%d + %s.p%d*%s.p%d')", factor, name, term->m, name,
                           term->n, name, term->m, name, term->n);
            }
        }
    }
}

/* A planar body: x and y turn, z stays. */
static void write_planar(text *t, const char *name, const double *a, int i, bool is_rate)
{
    const double first[] = {a[0], a[1]}, second[] = {-a[1], a[0]};
    if (i == 2 && !is_rate) write_text(t, " + (%.17g)", a[2]);
    if (i == 2) return;
    if (!is_rate) {
        write_text(t, " + (%.17g)*cos(%s.phi) + (%.17g)*sin(%s.phi)", first[i], name, second[i], name);
    } else {
        write_text(t, " + ((%.17g)*cos(%s.phi) - (%.17g)*sin(%s.phi))*%s.phi'", second[i], name, first[i],
                   name, name);
    }
}

/* Component i of D a of a body, or of its rate. */
static void write_direction(text *t, const tp_model *model, int body, tp_vec3 vector, int i, bool is_rate)
{
    const tp_body *b = body != TP_GROUND ? TP_LIST_AT(model->bodies, tp_body, body) : NULL;
    const double a[] = {vector.x, vector.y, vector.z};
    if (b != NULL && (b->kind == TP_BODY_RIGID || b->kind == TP_BODY_SCALABLE)) {
        write_rigid(t, b->name, a, i, is_rate);
    } else if (b != NULL && b->kind == TP_BODY_PLANAR) {
        write_planar(t, b->name, a, i, is_rate);
    } else if (!is_rate) {
        write_text(t, " + (%.17g)", a[i]);
    }
}

/* Component i of the body's origin, or of its rate. */
static void write_origin(text *t, const tp_model *model, int body, int i, const char *sign, bool is_rate)
{
    static const char *const axes[] = {"x", "y", "z"};
    const tp_body *b = body != TP_GROUND ? TP_LIST_AT(model->bodies, tp_body, body) : NULL;
    if (b == NULL || (b->kind == TP_BODY_PLANAR && i == 2)) return;
    write_text(t, " %s %s.%s%s", sign, b->name, axes[i], is_rate ? "'" : "");
}

/* What is being named. */
typedef struct naming {
    tp_model *model;
    const tp_model_joint *joint;
    const char *coordinate;
    int index; /* of the coordinate */
    text text;
} naming;

static void begin(naming *n)
{
    n->text.used = 0;
    write_text(&n->text, "0");
}

/* Defines NAME.COORDINATE.PART, and an empty part is the coordinate itself. */
static tp_status define(naming *n, const char *part, bool is_rate)
{
    char name[700];
    snprintf(name, sizeof name, "%.250s.%.100s%s%.100s%s", n->joint->name, n->coordinate,
             part[0] != '\0' ? "." : "", part, is_rate ? "'" : "");
    if (n->text.is_too_long) return TP_OUT_OF_MEMORY;
    return tp_names_add_expression(n->model->names, name, n->text.buffer, (tp_place){0}, n->model->message);
}

/* (D_A a).(D_B b) and its rate, named after the part; (21). */
static tp_status name_product(naming *n, const char *part, tp_vec3 a, tp_vec3 b)
{
    char of[64];
    const char *joint = n->joint->name, *coordinate = n->coordinate;
    for (int i = 0; i < 6; i++) {
        for (int is_rate = 0; is_rate < 2; is_rate++) {
            begin(n);
            write_direction(&n->text, n->model, i < 3 ? n->joint->body_a : n->joint->body_b, i < 3 ? a : b,
                            i % 3, is_rate != 0);
            snprintf(of, sizeof of, "%s.%c%d", part, i < 3 ? 'a' : 'b', i % 3 + 1);
            TP_TRY(define(n, of, is_rate != 0));
        }
    }
    for (int is_rate = 0; is_rate < 2; is_rate++) {
        begin(n);
        for (int i = 1; i <= 3; i++) {
            const char *mark = is_rate ? "'" : "";
            write_text(&n->text, " + %s.%s.%s.a%d%s*%s.%s.%s.b%d", joint, coordinate, part, i, mark, joint,
                       coordinate, part, i);
            if (is_rate)
                write_text(&n->text, " + %s.%s.%s.a%d*%s.%s.%s.b%d'", joint, coordinate, part, i, joint,
                           coordinate, part, i);
        }
        TP_TRY(define(n, part, is_rate != 0));
    }
    return TP_OK;
}

/* The counted angle after the last step, to which this one is the nearest. */
static tp_status name_reference(const naming *n)
{
    char name[700];
    snprintf(name, sizeof name, "%.250s.%.100s.last", n->joint->name, n->coordinate);
    return tp_names_add_variable(n->model->names, name, tp_slot_reference(n->joint->angle[n->index]),
                                 (tp_place){0}, n->model->message);
}

/* atan2 of two products, with its turns counted; (22). */
static tp_status name_angle(naming *n, const tp_basic_row *row)
{
    const char *j = n->joint->name, *c = n->coordinate;
    TP_TRY(name_product(n, "sine", row->a[0], row->b[0]));
    TP_TRY(name_product(n, "cosine", row->a[1], row->b[1]));
    TP_TRY(name_reference(n));
    begin(n);
    write_text(&n->text, " + unwrap(atan2(%s.%s.sine, %s.%s.cosine) - (%.17g), %s.%s.last)", j, c, j, c,
               row->offset, j, c);
    TP_TRY(define(n, "", false));
    begin(n);
    write_text(&n->text,
               " + (%s.%s.sine'*%s.%s.cosine - %s.%s.cosine'*%s.%s.sine)/(%s.%s.sine^2 + %s.%s.cosine^2)", j,
               c, j, c, j, c, j, c, j, c, j, c);
    return define(n, "", true);
}

/* p_B - r_A (or p_B - p_A) by components; (23). */
static tp_status name_distance(naming *n, const tp_basic_row *row, bool has_point_A)
{
    static const char *const parts[] = {"d1", "d2", "d3"};
    for (int i = 0; i < 3; i++) {
        for (int is_rate = 0; is_rate < 2; is_rate++) {
            begin(n);
            write_origin(&n->text, n->model, n->joint->body_b, i, "+", is_rate != 0);
            write_direction(&n->text, n->model, n->joint->body_b, row->point_B, i, is_rate != 0);
            write_origin(&n->text, n->model, n->joint->body_a, i, "-", is_rate != 0);
            if (has_point_A) {
                tp_vec3 back = tp_vec3_negate(row->point_A);
                write_direction(&n->text, n->model, n->joint->body_a, back, i, is_rate != 0);
            }
            TP_TRY(define(n, parts[i], is_rate != 0));
        }
    }
    return TP_OK;
}

static tp_status name_length(naming *n, const tp_basic_row *row)
{
    const char *j = n->joint->name, *c = n->coordinate;
    TP_TRY(name_distance(n, row, true));
    begin(n);
    write_text(&n->text, " + sqrt(%s.%s.d1^2 + %s.%s.d2^2 + %s.%s.d3^2)", j, c, j, c, j, c);
    TP_TRY(define(n, "whole", false));
    begin(n);
    write_text(&n->text, " + %s.%s.whole - (%.17g)", j, c, row->offset);
    TP_TRY(define(n, "", false));
    begin(n);
    for (int i = 1; i <= 3; i++)
        write_text(&n->text, " + %s.%s.d%d*%s.%s.d%d'/%s.%s.whole", j, c, i, j, c, i, j, c);
    return define(n, "", true);
}

static tp_status name_along(naming *n, const tp_basic_row *row)
{
    static const char *const parts[] = {"a1", "a2", "a3"};
    const char *j = n->joint->name, *c = n->coordinate;
    TP_TRY(name_distance(n, row, false));
    for (int i = 0; i < 3; i++) {
        for (int is_rate = 0; is_rate < 2; is_rate++) {
            begin(n);
            write_direction(&n->text, n->model, n->joint->body_a, row->a[0], i, is_rate != 0);
            TP_TRY(define(n, parts[i], is_rate != 0));
        }
    }
    begin(n);
    write_text(&n->text, " - (%.17g)", row->offset);
    for (int i = 1; i <= 3; i++) write_text(&n->text, " + %s.%s.a%d*%s.%s.d%d", j, c, i, j, c, i);
    TP_TRY(define(n, "", false));
    begin(n);
    for (int i = 1; i <= 3; i++)
        write_text(&n->text, " + %s.%s.a%d'*%s.%s.d%d + %s.%s.a%d*%s.%s.d%d'", j, c, i, j, c, i, j, c, i, j,
                   c, i);
    return define(n, "", true);
}

static bool is_moving(const tp_model *model, int body)
{
    return body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind == TP_BODY_MOVING;
}

/* Why formulas cannot use a coordinate; NULL: they can. Curves have parameters that no formula expresses;
   frames of moving bodies are not coordinates. */
static const char *reason_against(const tp_model *model, const tp_model_joint *joint, const tp_basic_row *row)
{
    if (is_moving(model, joint->body_a) || is_moving(model, joint->body_b))
        return "is not known to formulas: a body of the joint moves as given; measure it with a sensor of "
               "the joint, or use spring, limits and motor of the joint";
    if (row->kind != TP_ROW_ANGLE && row->kind != TP_ROW_LENGTH && row->kind != TP_ROW_ALONG)
        return "is not known to formulas: it is the parameter of a curve; measure it with a sensor of the "
               "joint, or use spring, limits and motor of the joint";
    return NULL;
}

static tp_status refuse(const naming *n, const char *reason)
{
    char name[700];
    for (int is_rate = 0; is_rate < 2; is_rate++) {
        snprintf(name, sizeof name, "%.250s.%.100s%s", n->joint->name, n->coordinate, is_rate ? "'" : "");
        TP_TRY(tp_names_add_refused(n->model->names, name, reason, (tp_place){0}, n->model->message));
    }
    return TP_OK;
}

static tp_status name_joint(tp_model *model, const tp_model_joint *joint)
{
    for (int k = 0; k < joint->joint.coordinate_count; k++) {
        const tp_basic_row *row = &joint->joint.coordinate[k];
        naming n = {
            .model = model, .joint = joint, .coordinate = joint->joint.coordinate_name[k], .index = k};
        const char *reason = reason_against(model, joint, row);
        if (reason != NULL) {
            TP_TRY(refuse(&n, reason));
            continue;
        }
        if (row->kind == TP_ROW_ANGLE) TP_TRY(name_angle(&n, row));
        if (row->kind == TP_ROW_LENGTH) TP_TRY(name_length(&n, row));
        if (row->kind == TP_ROW_ALONG) TP_TRY(name_along(&n, row));
    }
    return TP_OK;
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '\'';
}

/* Whether NAME. stands in a formula; a name that formulas cannot spell never does. */
static bool is_mentioned(const char *formula, const char *name)
{
    size_t length = tp_name_length(name);
    if (length == 0 || name[length] != '\0') return false;
    for (const char *at = strstr(formula, name); at != NULL; at = strstr(at + 1, name)) {
        if (at[length] == '.' && (at == formula || !is_part_of_name(at[-1]))) return true;
    }
    return false;
}

tp_status tp_model_name_joints(tp_model *model, const char *formula)
{
    for (int i = 0; i < model->joints.count; i++) {
        tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, i);
        if (joint->is_named || !is_mentioned(formula, joint->name)) continue;
        joint->is_named = true;
        TP_TRY(name_joint(model, joint));
    }
    return TP_OK;
}
