/* Rates of a contact between boxes and segments: its points run on features that are fixed in the bodies, and
   stay the nearest ones; docs/theory/contacts-geometry.md (14)-(16). */
#include "collide.h"

/* The points of the cores, below the thickness, and how their material moves. */
typedef struct moving_points {
    tp_vec3 on_a, on_b, apart; /* apart = on_b - on_a = gap * normal   */
    tp_vec3 rate_a, rate_b;    /* of the material, then of the points  */
    double radius_a, radius_b;
} moving_points;

static double thickness(const tp_solid *solid)
{
    return solid->kind == TP_SOLID_CAPSULE || solid->kind == TP_SOLID_SPHERE ? solid->radius : 0.0;
}

static tp_vec3 velocity_at(const tp_moving_solid *body, tp_vec3 x)
{
    return tp_solid_velocity(body, tp_vec3_sub(x, body->pose.origin));
}

static moving_points points_of(const tp_moving_solid *a, const tp_moving_solid *b,
                               const tp_contact_point *point, const tp_meeting *meeting)
{
    moving_points points = {.radius_a = thickness(&a->solid) + meeting->side[0],
                            .radius_b = thickness(&b->solid) + meeting->side[1]};
    points.on_a = tp_vec3_add_scaled(point->point_a, -points.radius_a, point->normal);
    points.on_b = tp_vec3_add_scaled(point->point_b, points.radius_b, point->normal);
    points.apart = tp_vec3_sub(points.on_b, points.on_a);
    points.rate_a = velocity_at(a, points.on_a);
    points.rate_b = velocity_at(b, points.on_b);
    return points;
}

/* (14): the points run along their features so that what is between them stays perpendicular to these; a rim
   turns its tangent on the way. */
static void run_along(const tp_meeting *meeting, tp_vec3 *along_rate, moving_points *points)
{
    tp_vec3 relative = tp_vec3_sub(points->rate_b, points->rate_a), column[2];
    double right[2] = {0.0, 0.0}, speed[2];
    int count = meeting->along_count;
    for (int k = 0; k < count; k++) {
        column[k] = meeting->is_of_b[k] ? meeting->along[k] : tp_vec3_negate(meeting->along[k]);
        right[k] = -tp_vec3_dot(meeting->along[k], relative) - tp_vec3_dot(along_rate[k], points->apart);
    }
    if (count == 0) return;
    double m00 = tp_vec3_dot(meeting->along[0], column[0]) + tp_vec3_dot(meeting->bend[0], points->apart);
    speed[0] = right[0] / m00;
    if (count == 2) {
        double m01 = tp_vec3_dot(meeting->along[0], column[1]),
               m10 = tp_vec3_dot(meeting->along[1], column[0]);
        double m11 = tp_vec3_dot(meeting->along[1], column[1]) + tp_vec3_dot(meeting->bend[1], points->apart);
        double determinant = m00 * m11 - m01 * m10;
        speed[0] = (right[0] * m11 - right[1] * m01) / determinant;
        speed[1] = (m00 * right[1] - m10 * right[0]) / determinant;
    }
    for (int k = 0; k < count; k++) {
        tp_vec3 *rate = meeting->is_of_b[k] ? &points->rate_b : &points->rate_a;
        *rate = tp_vec3_add_scaled(*rate, speed[k], meeting->along[k]);
        along_rate[k] = tp_vec3_add_scaled(along_rate[k], speed[k], meeting->bend[k]);
    }
}

/* (15): two directions have one normal; fewer leave it to what is between the points. */
static tp_vec3 normal_rate(const tp_meeting *meeting, const tp_vec3 *along_rate, const moving_points *points,
                           const tp_contact_point *point, tp_vec3 spin_a)
{
    tp_vec3 n = point->normal, rate;
    double length;
    if (meeting->along_count == 2) {
        tp_vec3 cross = tp_vec3_cross(meeting->along[0], meeting->along[1]);
        rate = tp_vec3_add(tp_vec3_cross(along_rate[0], meeting->along[1]),
                           tp_vec3_cross(meeting->along[0], along_rate[1]));
        length = tp_vec3_dot(n, cross);
    } else {
        rate = tp_vec3_sub(points->rate_b, points->rate_a);
        length = tp_vec3_dot(n, points->apart);
    }
    if (length == 0.0) return tp_vec3_cross(spin_a, n); /* segments that cross: the normal was chosen in A */
    return tp_vec3_scale(1.0 / length, tp_vec3_add_scaled(rate, -tp_vec3_dot(n, rate), n));
}

/* The speed along an edge over a side, (16), or along a rim that is nearest to a face, (26). */
static double speed_over_face(const tp_meeting *meeting, tp_vec3 n, tp_vec3 relative, tp_vec3 spin)
{
    tp_vec3 along = meeting->along[0];
    if (!meeting->is_rim)
        return -tp_vec3_dot(meeting->along[1], relative) / tp_vec3_dot(meeting->along[1], along);
    return -tp_vec3_dot(n, tp_vec3_cross(spin, along)) / tp_vec3_dot(n, meeting->bend[0]);
}

/* (16), (26): a point that runs along an edge or rim of one body over a face of the other, with its normal.
 */
static tp_contact_rate crossing_rate(const tp_moving_solid *a, const tp_moving_solid *b,
                                     const tp_core_contact *contact, const moving_points *points)
{
    bool edge_of_b = contact->meeting.is_of_b[0];
    const tp_moving_solid *face_body = edge_of_b ? a : b;
    tp_vec3 edge = contact->meeting.along[0], n = contact->point.normal;
    tp_vec3 spin = edge_of_b ? tp_vec3_sub(b->twist.angular_velocity, a->twist.angular_velocity)
                             : tp_vec3_sub(a->twist.angular_velocity, b->twist.angular_velocity);
    tp_vec3 on_edge = edge_of_b ? points->on_b : points->on_a;
    tp_vec3 edge_rate = edge_of_b ? points->rate_b : points->rate_a;
    tp_vec3 face_rate = velocity_at(face_body, on_edge), relative = tp_vec3_sub(edge_rate, face_rate);
    double speed = speed_over_face(&contact->meeting, n, relative, spin);
    relative = tp_vec3_add_scaled(relative, speed, edge);
    tp_vec3 on_edge_rate = tp_vec3_add(face_rate, relative);

    tp_contact_rate rate = {.normal = tp_vec3_cross(face_body->twist.angular_velocity, n)};
    double sign = edge_of_b ? 1.0 : -1.0, distance = tp_vec3_dot(n, points->apart);
    rate.gap = sign * tp_vec3_dot(n, relative);
    tp_vec3 foot_rate = tp_vec3_add_scaled(on_edge_rate, -sign * rate.gap, n);
    foot_rate = tp_vec3_add_scaled(foot_rate, -sign * distance, rate.normal);
    rate.point_a = edge_of_b ? foot_rate : on_edge_rate;
    rate.point_b = edge_of_b ? on_edge_rate : foot_rate;
    return rate;
}

tp_contact_rate tp_meeting_rate(const tp_moving_solid *a, const tp_moving_solid *b,
                                const tp_core_contact *contact)
{
    const tp_meeting *meeting = &contact->meeting;
    moving_points points = points_of(a, b, &contact->point, meeting);
    tp_contact_rate rate;
    if (meeting->is_crossing || meeting->is_rim) {
        rate = crossing_rate(a, b, contact, &points);
    } else {
        tp_vec3 spin_a = a->twist.angular_velocity, spin_b = b->twist.angular_velocity, along_rate[2];
        for (int k = 0; k < meeting->along_count; k++)
            along_rate[k] = tp_vec3_cross(meeting->is_of_b[k] ? spin_b : spin_a, meeting->along[k]);
        rate.gap = tp_vec3_dot(contact->point.normal, tp_vec3_sub(points.rate_b, points.rate_a));
        run_along(meeting, along_rate, &points);
        rate.normal = normal_rate(meeting, along_rate, &points, &contact->point, spin_a);
        rate.point_a = points.rate_a;
        rate.point_b = points.rate_b;
    }
    rate.point_a = tp_vec3_add_scaled(rate.point_a, points.radius_a, rate.normal);
    rate.point_b = tp_vec3_add_scaled(rate.point_b, -points.radius_b, rate.normal);
    return rate;
}
