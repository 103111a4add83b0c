/* Basic rows: forms of the frames and the chain rule; docs/theory/joints.md (1)-(5). */
#include "basic_row.h"

#include "basic_row_outer.h"

static const double two_pi = 6.28318530717958647692;

/* ---- forms ---- */

typedef enum form_kind {
    FORM_COMPONENT,  /* a.(p_B - p_A)       */
    FORM_AXES,       /* (D_A a).(D_B b)     */
    FORM_ALONG,      /* (D_A a).(p_B - r_A) */
    FORM_HALF_SQUARE /* |p_B - p_A|^2 / 2   */
} form_kind;

typedef struct form_list {
    int count;
    form_kind form[3];
} form_list;

static const form_list forms_of[TP_ROW_KIND_COUNT] = {
    [TP_ROW_COINCIDENCE] = {1, {FORM_COMPONENT}},
    [TP_ROW_AXES] = {1, {FORM_AXES}},
    [TP_ROW_ALONG] = {1, {FORM_ALONG}},
    [TP_ROW_DISTANCE] = {1, {FORM_HALF_SQUARE}},
    [TP_ROW_LENGTH] = {1, {FORM_HALF_SQUARE}},
    [TP_ROW_ANGLE] = {2, {FORM_AXES, FORM_AXES}},
    [TP_ROW_SCREW] = {3, {FORM_AXES, FORM_AXES, FORM_ALONG}},
    [TP_ROW_RADIUS] = {2, {FORM_ALONG, FORM_ALONG}},
    [TP_ROW_CURVE_FIRST] = {3, {FORM_ALONG, FORM_ALONG, FORM_ALONG}},
    [TP_ROW_CURVE_SECOND] = {3, {FORM_ALONG, FORM_ALONG, FORM_ALONG}},
    [TP_ROW_CURVE_PARAMETER] = {3, {FORM_ALONG, FORM_ALONG, FORM_ALONG}},
};

static inline tp_vec3 connection(const tp_basic_row *row, const tp_frame *A, const tp_frame *B)
{
    return tp_vec3_sub(tp_frame_point(B, row->point_B), tp_frame_point(A, row->point_A));
}

/* p_B - r_A */
static inline tp_vec3 reach(const tp_basic_row *row, const tp_frame *A, const tp_frame *B)
{
    return tp_vec3_sub(tp_frame_point(B, row->point_B), A->r);
}

static inline double form_value(const tp_basic_row *row, form_kind form, int k, const tp_frame *A,
                                const tp_frame *B)
{
    switch (form) {
    case FORM_COMPONENT: return tp_vec3_dot(row->a[0], connection(row, A, B));
    case FORM_AXES: return tp_vec3_dot(tp_frame_direction(A, row->a[k]), tp_frame_direction(B, row->b[k]));
    case FORM_ALONG: return tp_vec3_dot(tp_frame_direction(A, row->a[k]), reach(row, A, B));
    case FORM_HALF_SQUARE: break;
    }
    tp_vec3 d = connection(row, A, B);
    return 0.5 * tp_vec3_dot(d, d);
}

static inline void forms_value(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, double *w)
{
    const form_list *list = &forms_of[row->kind];
    for (int k = 0; k < list->count; k++) w[k] = form_value(row, list->form[k], k, A, B);
}

/* matrix += s u x^T */
static inline void add_outer(tp_mat3 *matrix, double s, tp_vec3 u, tp_vec3 x)
{
    matrix->cx = tp_vec3_add_scaled(matrix->cx, s * x.x, u);
    matrix->cy = tp_vec3_add_scaled(matrix->cy, s * x.y, u);
    matrix->cz = tp_vec3_add_scaled(matrix->cz, s * x.z, u);
}

/* A function that changes by u.(change of r + D x). */
static inline void add_point(tp_frame *gradient, double s, tp_vec3 u, tp_vec3 x)
{
    gradient->r = tp_vec3_add_scaled(gradient->r, s, u);
    add_outer(&gradient->D, s, u, x);
}

/* Adds slope times the gradient of form k; (2). */
static inline void add_form_gradient(const tp_basic_row *row, form_kind form, int k, double slope,
                                     const tp_frame *A, const tp_frame *B, tp_frame *dA, tp_frame *dB)
{
    tp_vec3 u;
    switch (form) {
    case FORM_COMPONENT:
    case FORM_HALF_SQUARE:
        u = form == FORM_COMPONENT ? row->a[0] : connection(row, A, B);
        add_point(dA, -slope, u, row->point_A);
        add_point(dB, slope, u, row->point_B);
        break;
    case FORM_AXES:
        add_outer(&dA->D, slope, tp_frame_direction(B, row->b[k]), row->a[k]);
        add_outer(&dB->D, slope, tp_frame_direction(A, row->a[k]), row->b[k]);
        break;
    case FORM_ALONG:
        u = tp_frame_direction(A, row->a[k]);
        dA->r = tp_vec3_add_scaled(dA->r, -slope, u);
        add_outer(&dA->D, slope, reach(row, A, B), row->a[k]);
        add_point(dB, slope, u, row->point_B);
        break;
    }
}

/* Adds slope times the wrenches of form k: the gradient as force and moment of each body; (11). */
static inline void add_form_wrenches(const tp_basic_row *row, form_kind form, int k, double slope,
                                     const tp_frame *A, const tp_frame *B, tp_wrench *on_A, tp_wrench *on_B)
{
    tp_vec3 u, arm_A, arm_B;
    if (form == FORM_AXES) {
        u = tp_vec3_cross(tp_frame_direction(A, row->a[k]), tp_frame_direction(B, row->b[k]));
        on_A->moment = tp_vec3_add_scaled(on_A->moment, slope, u);
        on_B->moment = tp_vec3_add_scaled(on_B->moment, -slope, u);
        double product = form_value(row, form, k, A, B);
        on_A->stretch += slope * product;
        on_B->stretch += slope * product;
        return;
    }
    arm_B = tp_frame_direction(B, row->point_B);
    if (form == FORM_ALONG) { /* A feels the reaction at B's point */
        u = tp_frame_direction(A, row->a[k]);
        arm_A = tp_vec3_sub(tp_vec3_add(B->r, arm_B), A->r);
    } else {
        arm_A = tp_frame_direction(A, row->point_A);
        u = form == FORM_COMPONENT ? row->a[0] : connection(row, A, B);
    }
    *on_A = tp_wrench_add_scaled(*on_A, -slope, tp_wrench_at(arm_A, u));
    *on_B = tp_wrench_add_scaled(*on_B, slope, tp_wrench_at(arm_B, u));
    /* along A's own axis: what grows is the axis, not the arm */
    if (form == FORM_ALONG) on_A->stretch += 2.0 * slope * tp_vec3_dot(arm_A, u);
}

/* Moment x x D^T u of a change u.(w x D x), along the directions of a frame that is a rotation; out [6] is
   force and moment. What is constant in a body keeps its zeros. */
static inline void add_inner_moment(double *out, double s, const tp_frame *frame, tp_vec3 x, tp_vec3 u)
{
    tp_vec3 moment = tp_vec3_cross(x, tp_mat3_apply_transposed(frame->D, u));
    out[3] += s * moment.x;
    out[4] += s * moment.y;
    out[5] += s * moment.z;
}

static inline void add_force(double *out, double s, tp_vec3 u)
{
    out[0] += s * u.x;
    out[1] += s * u.y;
    out[2] += s * u.z;
}

/* Adds slope times form k of one of the two frames. */
static inline void add_inner_A(const tp_basic_row *row, form_kind form, int k, double slope,
                               const tp_frame *A, const tp_frame *B, double *out)
{
    switch (form) {
    case FORM_COMPONENT:
    case FORM_HALF_SQUARE: {
        tp_vec3 u = form == FORM_COMPONENT ? row->a[0] : connection(row, A, B);
        add_force(out, -slope, u);
        add_inner_moment(out, -slope, A, row->point_A, u);
        break;
    }
    case FORM_AXES: add_inner_moment(out, slope, A, row->a[k], tp_frame_direction(B, row->b[k])); break;
    case FORM_ALONG:
        add_force(out, -slope, tp_frame_direction(A, row->a[k]));
        add_inner_moment(out, slope, A, row->a[k], reach(row, A, B));
        break;
    }
}

static inline void add_inner_B(const tp_basic_row *row, form_kind form, int k, double slope,
                               const tp_frame *A, const tp_frame *B, double *out)
{
    if (form == FORM_AXES) {
        add_inner_moment(out, slope, B, row->b[k], tp_frame_direction(A, row->a[k]));
        return;
    }
    tp_vec3 u = form == FORM_COMPONENT ? row->a[0]
                : form == FORM_ALONG   ? tp_frame_direction(A, row->a[k])
                                       : connection(row, A, B);
    add_force(out, slope, u);
    add_inner_moment(out, slope, B, row->point_B, u);
}

/* The forms are quadratic with a constant Hessian, and without constant or linear part but for COMPONENT,
   whose Hessian is zero: the derivative of the gradient along e is the gradient taken at e; (3). */
static inline void add_form_second(const tp_basic_row *row, form_kind form, int k, double slope,
                                   const tp_frame *eA, const tp_frame *eB, tp_frame *dA, tp_frame *dB)
{
    if (form != FORM_COMPONENT) add_form_gradient(row, form, k, slope, eA, eB, dA, dB);
}

/* Change of form k along e; both COMPONENT and the quadratic ones. */
static inline double form_rate(const tp_basic_row *row, form_kind form, int k, const tp_frame *A,
                               const tp_frame *B, const tp_frame *eA, const tp_frame *eB)
{
    switch (form) {
    case FORM_COMPONENT: return tp_vec3_dot(row->a[0], connection(row, eA, eB));
    case FORM_AXES:
        return tp_vec3_dot(tp_frame_direction(eA, row->a[k]), tp_frame_direction(B, row->b[k])) +
               tp_vec3_dot(tp_frame_direction(A, row->a[k]), tp_frame_direction(eB, row->b[k]));
    case FORM_ALONG:
        return tp_vec3_dot(tp_frame_direction(eA, row->a[k]), reach(row, A, B)) +
               tp_vec3_dot(tp_frame_direction(A, row->a[k]), reach(row, eA, eB));
    case FORM_HALF_SQUARE: break;
    }
    return tp_vec3_dot(connection(row, A, B), connection(row, eA, eB));
}

static inline void forms_rate(const tp_basic_row *row, const tp_frame *A, const tp_frame *B,
                              const tp_frame *eA, const tp_frame *eB, double *rate)
{
    const form_list *list = &forms_of[row->kind];
    for (int k = 0; k < list->count; k++) rate[k] = form_rate(row, list->form[k], k, A, B, eA, eB);
}

/* ---- rows ---- */

/* One form, and the outer function is factor w - offset. */
static inline bool is_affine(const tp_basic_row *row)
{
    return row->kind <= TP_ROW_DISTANCE;
}

double tp_basic_row_value(const tp_basic_row *row, const tp_frame *A, const tp_frame *B)
{
    double w[3] = {0.0};
    forms_value(row, A, B, w);
    return is_affine(row) ? row->factor * w[0] - row->offset : tp_row_outer_value(row, w);
}

/* Slopes of the outer function; returns the row's value. */
static inline double row_slopes(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, double *slope)
{
    double w[3] = {0.0};
    forms_value(row, A, B, w);
    if (!is_affine(row)) return tp_row_outer_gradient(row, w, slope);
    slope[0] = row->factor;
    return row->factor * w[0] - row->offset;
}

double tp_basic_row_gradient(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, tp_frame *dA_out,
                             tp_frame *dB_out)
{
    const form_list *list = &forms_of[row->kind];
    double slope[3] = {0.0}, value = row_slopes(row, A, B, slope);
    *dA_out = *dB_out = (tp_frame){0};
    for (int k = 0; k < list->count; k++) {
        add_form_gradient(row, list->form[k], k, slope[k], A, B, dA_out, dB_out);
    }
    return value;
}

double tp_basic_row_wrenches(const tp_basic_row *row, const tp_frame *A, const tp_frame *B,
                             tp_wrench *on_A_out, tp_wrench *on_B_out)
{
    const form_list *list = &forms_of[row->kind];
    double slope[3] = {0.0}, value = row_slopes(row, A, B, slope);
    *on_A_out = *on_B_out = (tp_wrench){0};
    for (int k = 0; k < list->count; k++) {
        add_form_wrenches(row, list->form[k], k, slope[k], A, B, on_A_out, on_B_out);
    }
    return value;
}

void tp_basic_row_add_inner(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, double factor,
                            double *on_A, double *on_B)
{
    const form_list *list = &forms_of[row->kind];
    double slope[3] = {row->factor};
    if (!is_affine(row)) (void)row_slopes(row, A, B, slope);
    for (int k = 0; k < list->count; k++) {
        if (on_A != NULL) add_inner_A(row, list->form[k], k, factor * slope[k], A, B, on_A);
        if (on_B != NULL) add_inner_B(row, list->form[k], k, factor * slope[k], A, B, on_B);
    }
}

static inline bool are_equal(tp_vec3 a, tp_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

void tp_basic_rows_value(const tp_basic_row *rows, int count, const tp_frame *A, const tp_frame *B,
                         double *value_out)
{
    const tp_basic_row *last = NULL; /* whose connection is known */
    tp_vec3 d = tp_vec3_zero();
    for (int k = 0; k < count; k++) {
        const tp_basic_row *row = &rows[k];
        if (row->kind != TP_ROW_COINCIDENCE) {
            value_out[k] = tp_basic_row_value(row, A, B);
            continue;
        }
        bool is_known =
            last != NULL && are_equal(row->point_A, last->point_A) && are_equal(row->point_B, last->point_B);
        if (!is_known) d = connection(row, A, B);
        last = row;
        value_out[k] = row->factor * tp_vec3_dot(row->a[0], d) - row->offset;
    }
}

void tp_basic_row_second(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, const tp_frame *eA,
                         const tp_frame *eB, tp_frame *dA_out, tp_frame *dB_out)
{
    const form_list *list = &forms_of[row->kind];
    *dA_out = *dB_out = (tp_frame){0};
    if (is_affine(row)) {
        add_form_second(row, list->form[0], 0, row->factor, eA, eB, dA_out, dB_out);
        return;
    }
    double w[3] = {0.0}, rate[3], slope[3], change[3];
    forms_value(row, A, B, w);
    forms_rate(row, A, B, eA, eB, rate);
    tp_row_outer_gradient(row, w, slope);
    tp_row_outer_second(row, w, rate, change);
    for (int k = 0; k < list->count; k++) {
        add_form_second(row, list->form[k], k, slope[k], eA, eB, dA_out, dB_out);
        add_form_gradient(row, list->form[k], k, change[k], A, B, dA_out, dB_out);
    }
}

/* Second derivative of form k along e and f: constant, but for the linear form. */
static inline double form_second_rate(const tp_basic_row *row, form_kind form, int k, const tp_frame *eA,
                                      const tp_frame *eB, const tp_frame *fA, const tp_frame *fB)
{
    return form == FORM_COMPONENT ? 0.0 : form_rate(row, form, k, fA, fB, eA, eB);
}

void tp_basic_row_third(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, const tp_frame *eA,
                        const tp_frame *eB, const tp_frame *fA, const tp_frame *fB, tp_frame *dA_out,
                        tp_frame *dB_out)
{
    const form_list *list = &forms_of[row->kind];
    *dA_out = *dB_out = (tp_frame){0};
    if (is_affine(row)) return;
    double w[3] = {0.0}, e[3] = {0.0}, f[3] = {0.0}, ef[3] = {0.0}, by_e[3], by_f[3], by_ef[3], third[3];
    forms_value(row, A, B, w);
    forms_rate(row, A, B, eA, eB, e);
    forms_rate(row, A, B, fA, fB, f);
    for (int k = 0; k < list->count; k++) ef[k] = form_second_rate(row, list->form[k], k, eA, eB, fA, fB);
    tp_row_outer_second(row, w, e, by_e);
    tp_row_outer_second(row, w, f, by_f);
    tp_row_outer_second(row, w, ef, by_ef);
    tp_row_outer_third(row, w, e, f, third);
    for (int k = 0; k < list->count; k++) {
        add_form_second(row, list->form[k], k, by_f[k], eA, eB, dA_out, dB_out);
        add_form_second(row, list->form[k], k, by_e[k], fA, fB, dA_out, dB_out);
        add_form_gradient(row, list->form[k], k, by_ef[k] + third[k], A, B, dA_out, dB_out);
    }
}

/* ---- making rows ---- */

tp_basic_row tp_basic_row_coincidence(tp_vec3 direction, tp_vec3 point_A, tp_vec3 point_B)
{
    return (tp_basic_row){
        .kind = TP_ROW_COINCIDENCE, .factor = 1.0, .a = {direction}, .point_A = point_A, .point_B = point_B};
}

tp_basic_row tp_basic_row_axes(tp_vec3 a, tp_vec3 b, double offset)
{
    return (tp_basic_row){.kind = TP_ROW_AXES, .factor = 1.0, .a = {a}, .b = {b}, .offset = offset};
}

tp_basic_row tp_basic_row_along(tp_vec3 a, tp_vec3 point_A, tp_vec3 point_B)
{
    return (tp_basic_row){.kind = TP_ROW_ALONG,
                          .factor = 1.0,
                          .a = {a},
                          .point_A = point_A,
                          .point_B = point_B,
                          .offset = tp_vec3_dot(a, point_A)};
}

tp_basic_row tp_basic_row_distance(tp_vec3 point_A, tp_vec3 point_B, double length)
{
    return (tp_basic_row){.kind = TP_ROW_DISTANCE,
                          .factor = 1.0 / length,
                          .point_A = point_A,
                          .point_B = point_B,
                          .offset = 0.5 * length};
}

tp_basic_row tp_basic_row_length(tp_vec3 point_A, tp_vec3 point_B)
{
    return (tp_basic_row){.kind = TP_ROW_LENGTH, .factor = 1.0, .point_A = point_A, .point_B = point_B};
}

tp_basic_row tp_basic_row_radius(tp_vec3 a0, tp_vec3 a1, tp_vec3 point_A, tp_vec3 point_B)
{
    tp_vec3 origin = {tp_vec3_dot(a0, point_A), tp_vec3_dot(a1, point_A), 0.0};
    return (tp_basic_row){
        .kind = TP_ROW_RADIUS, .factor = 1.0, .a = {a0, a1}, .point_A = origin, .point_B = point_B};
}

tp_basic_row tp_basic_row_angle(tp_vec3 a_cosine, tp_vec3 a_sine, tp_vec3 b)
{
    return (tp_basic_row){.kind = TP_ROW_ANGLE, .factor = 1.0, .a = {a_sine, a_cosine}, .b = {b, b}};
}

tp_basic_row tp_basic_row_angle_in_B(tp_vec3 a, tp_vec3 b_cosine, tp_vec3 b_sine)
{
    return (tp_basic_row){.kind = TP_ROW_ANGLE, .factor = 1.0, .a = {a, a}, .b = {b_sine, b_cosine}};
}

tp_basic_row tp_basic_row_screw(tp_mat3 frame, tp_vec3 point_A, tp_vec3 point_B, tp_vec3 b, double pitch)
{
    return (tp_basic_row){.kind = TP_ROW_SCREW,
                          .factor = pitch / two_pi,
                          .a = {frame.cy, frame.cx, frame.cz},
                          .b = {b, b},
                          .point_A = point_A,
                          .point_B = point_B,
                          .offset = tp_vec3_dot(frame.cz, point_A)};
}

tp_basic_row tp_basic_row_curve(tp_basic_row_kind kind, const tp_curve *curve, tp_mat3 axes, tp_vec3 point_A,
                                tp_vec3 point_B)
{
    /* point_A becomes the offset of the three forms: y = w - axes^T point_A. */
    return (tp_basic_row){.kind = kind,
                          .factor = 1.0,
                          .a = {axes.cx, axes.cy, axes.cz},
                          .point_A = tp_mat3_apply_transposed(axes, point_A),
                          .point_B = point_B,
                          .curve = curve};
}
