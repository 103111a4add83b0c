/* R as a function of a quaternion, its three forms off the unit sphere, and the way back;
   docs/theory/rotations.md (10), (11), (16). */
#include "tippe/rotation.h"

/* |p|^2 R(p/|p|): column j is p (0, e_j) p*. */
static tp_mat3 homogeneous(tp_quat p)
{
    return tp_mat3_from_columns(tp_quat_rotate(p, tp_vec3_make(1.0, 0.0, 0.0)),
                                tp_quat_rotate(p, tp_vec3_make(0.0, 1.0, 0.0)),
                                tp_quat_rotate(p, tp_vec3_make(0.0, 0.0, 1.0)));
}

tp_mat3 tp_rotation_matrix(tp_rotation_form form, tp_quat p)
{
    double square = tp_quat_dot(p, p), rest = 1.0 - square;
    tp_mat3 H = homogeneous(p);
    switch (form) {
    case TP_ROTATION_HOMOGENEOUS: return H;
    case TP_ROTATION_PHI: return tp_mat3_add(H, tp_mat3_diagonal(tp_vec3_make(rest, rest, rest)));
    case TP_ROTATION_NORMALISED: break;
    }
    return square > 0.0 ? tp_mat3_scale(1.0 / square, H) : tp_mat3_identity();
}

tp_mat3 tp_quat_to_matrix(tp_quat p)
{
    return homogeneous(tp_quat_normalise(p));
}

/* d (H(p) x) / dp with H x = (w^2 - v.v) x + 2 w v x x + 2 (v.x) v. */
static void homogeneous_derivative(tp_quat p, tp_vec3 x, tp_vec3 *column)
{
    tp_vec3 v = tp_quat_vector(p);
    double along = 2.0 * tp_vec3_dot(v, x);
    column[0] = tp_vec3_scale(2.0, tp_vec3_add_scaled(tp_vec3_cross(v, x), p.w, x));
    tp_mat3 by_v = tp_mat3_sub(tp_mat3_outer(v, x), tp_mat3_outer(x, v));
    by_v = tp_mat3_sub(by_v, tp_mat3_scale(p.w, tp_mat3_skew(x)));
    by_v = tp_mat3_add(tp_mat3_scale(2.0, by_v), tp_mat3_diagonal(tp_vec3_make(along, along, along)));
    column[1] = by_v.cx;
    column[2] = by_v.cy;
    column[3] = by_v.cz;
}

void tp_rotation_derivative(tp_rotation_form form, tp_quat p, tp_vec3 x, double *derivative_out)
{
    double component[4] = {p.w, p.x, p.y, p.z}, square = tp_quat_dot(p, p);
    double inverse_square = square > 0.0 ? 1.0 / square : 0.0; /* p = 0 is not a rotation */
    tp_vec3 column[4], rotated = tp_vec3_scale(inverse_square, tp_quat_rotate(p, x));
    homogeneous_derivative(p, x, column);
    for (int k = 0; k < 4; k++) {
        if (form == TP_ROTATION_PHI) {
            column[k] = tp_vec3_add_scaled(column[k], -2.0 * component[k], x);
        } else if (form == TP_ROTATION_NORMALISED) {
            column[k] = tp_vec3_add_scaled(column[k], -2.0 * component[k], rotated);
            column[k] = tp_vec3_scale(inverse_square, column[k]);
        }
        tp_vec3_to_array(column[k], derivative_out + 3 * k);
    }
}

/* R(p)^T = R(p*) in all three forms, so the derivative by the vector part changes its sign. */
void tp_rotation_transposed_derivative(tp_rotation_form form, tp_quat p, tp_vec3 x, double *derivative_out)
{
    tp_rotation_derivative(form, tp_quat_conjugate(p), x, derivative_out);
    for (int k = 3; k < 12; k++) derivative_out[k] = -derivative_out[k];
}

/* The largest of w^2, x^2, y^2, z^2 is taken from the diagonal (it is at least 1/4: no cancellation), the
   other components from sums and differences across the diagonal. */
tp_quat tp_quat_from_matrix(tp_mat3 R)
{
    double xx = R.cx.x, yy = R.cy.y, zz = R.cz.z, trace = xx + yy + zz;
    tp_quat p; /* four times the largest component times each component */
    if (trace >= xx && trace >= yy && trace >= zz) {
        p = tp_quat_make(1.0 + trace, R.cy.z - R.cz.y, R.cz.x - R.cx.z, R.cx.y - R.cy.x);
    } else if (xx >= yy && xx >= zz) {
        p = tp_quat_make(R.cy.z - R.cz.y, 1.0 + xx - yy - zz, R.cx.y + R.cy.x, R.cx.z + R.cz.x);
    } else if (yy >= zz) {
        p = tp_quat_make(R.cz.x - R.cx.z, R.cx.y + R.cy.x, 1.0 + yy - xx - zz, R.cy.z + R.cz.y);
    } else {
        p = tp_quat_make(R.cx.y - R.cy.x, R.cx.z + R.cz.x, R.cy.z + R.cz.y, 1.0 + zz - xx - yy);
    }
    return tp_quat_normalise(p.w < 0.0 ? tp_quat_scale(-1.0, p) : p);
}

tp_quat tp_quat_from_axis_angle(tp_vec3 axis, double angle)
{
    tp_vec3 direction = tp_vec3_normalise(axis);
    if (tp_vec3_dot(direction, direction) == 0.0) return tp_quat_identity();
    return tp_quat_from_parts(cos(0.5 * angle), tp_vec3_scale(sin(0.5 * angle), direction));
}
