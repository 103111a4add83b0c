/* Positions at the end and in the middle of a step with a given mean velocity; docs/theory/consistent.md
   (21)-(33). With s = 1/(1 + sigma^2) = |(p + p+)/2|^2 the quaternion of a rigid body moves by
       p+ = p (1, sigma)^2 s,
   and all other coordinates along straight lines. Rows of laws over velocities are seen from the middle. */
#ifndef TP_SYSTEM_MIDPOINT_H
#define TP_SYSTEM_MIDPOINT_H

#include "scalable_step.h"

/* What the mean angular velocity w is: sigma as a function of tau = dt w/4. */
typedef enum tp_turning {
    TP_TURN_CAYLEY,  /* p+ - p = (dt/2) pm (0, w): sigma = tau                                     */
    TP_TURN_SCALABLE /* p+ - p = (dt/2) pm (0, w)/|pm|^2, of the scalable body: sigma = tau/s      */
} tp_turning;

typedef struct tp_midpoint {
    const tp_system *system;
    tp_turning turning;
    bool is_at_begin;         /* Q and H of scalable bodies at the start of the step instead of the middle */
    double *q_end, *q_middle; /* [q_count], unit quaternions of rigid bodies */
    tp_vec3 *sigma;           /* [bodies] of rigid ones */
    tp_scalable_step *scalable; /* [bodies] of scalable ones */
    const double *q, *u;        /* of the start, and the mean velocity: as they were given */
    double dt;
} tp_midpoint;

tp_status tp_midpoint_create(tp_arena *arena, const tp_system *system, tp_turning turning,
                             tp_midpoint **midpoint_out);

/* From q with the mean velocity u; both are borrowed until the next move. A scalable body that turns by more
   than a right angle's tangent allows
   (|w| dt > 2) has no end: NaN. */
void tp_midpoint_move(tp_midpoint *midpoint, const double *q, const double *u, double dt);

/* Mean velocities with an end are a convex set; this is the largest part, 0 to 1, of the way from u, inside,
   to u_new that stays away from its bounds, and the body that asks for less than 1 (-1: none); (23), (35),
   (47). */
typedef struct tp_reach {
    double part;
    int body;
} tp_reach;
tp_reach tp_midpoint_reach(const tp_midpoint *midpoint, const double *q, double dt, const double *u,
                           const double *u_new);

/* Shortens the turns (and rates of stretch) of bodies whose mean velocity has no end, or hardly one. Returns
   the last of them; -1: none. */
int tp_midpoint_bring_inside(const tp_midpoint *midpoint, const double *q, double dt, double *u);

/* A row of the system in the middle becomes the derivative of its homogeneous form along the mean velocity.
 */
void tp_midpoint_scale_row(const tp_midpoint *midpoint, int count, const int *columns, double *row);

/* A row of the system at the end becomes the derivative of the end with respect to dt times the mean
 * velocity.
 */
void tp_midpoint_end_row(const tp_midpoint *midpoint, int count, const int *columns, double *row);

/* A row of the start as it acts on the mean velocity: of scalable bodies along w + sigma x w and the stretch
   -sigma.w; stretch as tp_system_law_stretch gives it. */
void tp_midpoint_begin_row(const tp_midpoint *midpoint, int count, const int *columns, const double *stretch,
                           double *row);

/* The derivative of xi = (that row) times the mean velocity with respect to the mean velocity. */
void tp_midpoint_begin_displacement(const tp_midpoint *midpoint, int count, const int *columns,
                                    const double *stretch, double *row);

/* How those rows change with the mean velocity of one body: row points at its turns in the row of the start,
   stretch belongs to them; change_out [4 * 4] gets a column for each velocity (rigid bodies: [3 * 3]).
   is_world: rows that are held fast in the world. Returns the number of velocities, 0 where nothing changes.
 */
int tp_midpoint_begin_change(const tp_midpoint *midpoint, int body, const double *row, double stretch,
                             bool is_world, double *change_out);

/* A row of derivatives along the velocities in the middle becomes one along dt/2 times the mean velocity. */
void tp_midpoint_middle_row(const tp_midpoint *midpoint, int count, const int *columns, double *row);

/* The same for all rows of a matrix: dense [count * count] by columns, or in a pattern that holds all turns
   of a body where it holds one. */
void tp_midpoint_middle_matrix(const tp_midpoint *midpoint, int count, const int *columns, double *matrix);
void tp_midpoint_middle_sparse(const tp_midpoint *midpoint, const tp_sparse *pattern, double *value);

/* What tp_midpoint_scale_row does to a row is done to a matrix whose columns are its derivatives, along dt/2
   times the mean velocity; row is the scaled one. */
void tp_midpoint_scale_matrix(const tp_midpoint *midpoint, int count, const int *columns, const double *row,
                              double *matrix);

/* A row of the start, held fast in the world, seen from the middle. */
void tp_midpoint_world_row(const tp_midpoint *midpoint, int count, const int *columns, double *row);

/* The velocities of a step at its start and at its end; that of positions in the middle is the one it moved
 * with. */
typedef struct tp_step_velocities {
    const double *begin, *end;
    const double *change;        /* end - begin, as it was found; NULL: their difference    */
    const double *change_middle; /* middle - begin, likewise                                */
} tp_step_velocities;

/* What the momentum of a rigid body is turned with, w_m or w_m (1 + sigma^2); (27). */
tp_vec3 tp_midpoint_turning(const tp_midpoint *midpoint, int body);

/* Adds the gyroscopic forces of bodies; those of the system are left out (has_own_inertia). */
void tp_midpoint_add_gyroscopic(const tp_midpoint *midpoint, const tp_step_velocities *u, double *force);

/* Sizes of their terms that cancel against laws: what rounding of the changes of velocity is seen through.
   size_io [u_count] becomes at least that times dt. */
void tp_midpoint_gyroscopic_sizes(const tp_midpoint *midpoint, const tp_step_velocities *u, double *size_io);

/* Scalable bodies with Q of the start: adds what F2 has beside M (c/2 - a). */
void tp_midpoint_add_second(const tp_midpoint *midpoint, const tp_step_velocities *u, double *F2);

/* Its derivatives with respect to the velocities of the middle: values in the same kind of pattern. */
void tp_midpoint_add_second_jacobian(const tp_midpoint *midpoint, const tp_step_velocities *u,
                                     const tp_sparse *pattern, double *by_middle);

/* Does F2 have such terms? */
bool tp_midpoint_has_second(const tp_midpoint *midpoint);

/* Adds minus their derivatives with respect to the velocities of the middle and of the end times dt: values
   in a pattern that holds the blocks of all bodies. */
void tp_midpoint_add_gyroscopic_jacobian(const tp_midpoint *midpoint, const tp_step_velocities *u,
                                         const tp_sparse *pattern, double *by_middle, double *by_end);

/* The joint |p|^2 = 1, nu = 0 of a rigid body that is realised as a scalable one: its multipliers lambda of
   F1 and kappa of F2 [J s] in a step without loads, from the equations of the stretch; (33). */
typedef struct tp_norm_multipliers {
    double lambda, kappa;
} tp_norm_multipliers;
tp_norm_multipliers tp_midpoint_norm_multipliers(const tp_midpoint *midpoint, int body,
                                                 const tp_step_velocities *u);

#endif
