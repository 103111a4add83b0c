/* What can be said of a model before it runs: whether its constraints are holonomic, whether its forces have
   a potential, whether a state can go on, and what minimal coordinates it has; docs/theory/holonomy.md,
   docs/guide/analysis.md. For reports; no step uses it. */
#ifndef TIPPE_ANALYSIS_H
#define TIPPE_ANALYSIS_H

#include "tippe/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- holonomy ---- */

typedef enum tp_holonomy_verdict {
    TP_HOLONOMIC,    /* the constraints are relations between positions and time, as far as sampled      */
    TP_NONHOLONOMIC, /* they are not: a closed path need not close                                       */
    TP_INCOMPATIBLE  /* no velocity satisfies them: they say something of time alone                      */
} tp_holonomy_verdict;
const char *tp_holonomy_verdict_name(tp_holonomy_verdict verdict);

typedef struct tp_holonomy_options {
    bool with_contacts; /* contacts that are closed at the start, friction that sticks there, too      */
    int point_count;    /* admissible points: the start, and others along random admissible paths      */
    double reach;       /* how far those go, in sizes of the scene and radians (coordinates: 1)         */
    double tolerance;   /* of the conditions, relative to their terms; 0: 1e-10, or 1e-6 where
                           derivatives are differences                                                 */
    double contact_tolerance; /* a gap up to this is closed, relative to the size of the scene */
    unsigned seed;            /* of the random paths                                                        */
} tp_holonomy_options;
tp_holonomy_options tp_holonomy_options_default(void);

/* A path along two admissible directions, forth and back, that does not close. Directions are over (time,
   velocities) [1 + velocities of the model]; what they lead to over (time, rates of coordinates where the
   model has velocities of its own, velocities of bodies): tp_holonomy_frame_name. */
typedef struct tp_holonomy_witness {
    double time;                  /* of the point where it starts                                           */
    const double *q;              /* [coordinates]                                                          */
    const double *first, *second; /* the directions                                                    */
    const double *bracket; /* [frame] where their order leads, across the constraints                 */
    double leg;            /* each of the four legs follows its direction for this long [s]           */
    const double *offset;  /* [frame] by how much the end of the path misses its start                */
} tp_holonomy_witness;

/* Laws that share velocities; those of other parts do not matter for them. */
typedef struct tp_holonomy_part {
    int law_count;
    const char *const *laws; /* names                                                              */
    int velocity_count;      /* that the laws touch; of bodies all                                 */
    int row_count, rank;     /* rank below row_count: some rows depend on others                   */
    int rate_count;          /* constraints that rates of coordinates state: coordinates - velocities */
    int freedom;             /* velocities that are left                                           */
    tp_holonomy_verdict verdict;
    bool is_exact;   /* derivatives of the rows are; else differences of four points               */
    double residual; /* condition I: largest |dA(B_i, B_j)| over points and pairs, relative       */
    double bracket;  /* condition II: largest part of [B_i, B_j] across the constraints            */
    int point_count, singular_count; /* points; those of lower rank, which are left out           */
    int integrable_count; /* constraints that are relations between positions all the same; -1: not counted
                             (more than TP_HOLONOMY_LARGEST directions)                            */
    const double *integrable;    /* [integrable_count * frame] at the start: coefficients of time and rates */
    tp_holonomy_witness witness; /* of NONHOLONOMIC                                                    */
} tp_holonomy_part;

enum { TP_HOLONOMY_LARGEST = 80 };

typedef struct tp_holonomy tp_holonomy;

/* Of a finished model, which is borrowed. Constraints are joints, constraints and motors with a given
   motion; with_contacts adds contacts at rest. */
tp_status tp_holonomy_create(const tp_allocator *allocator, const tp_model *model,
                             const tp_holonomy_options *options, tp_holonomy **holonomy_out);
void tp_holonomy_free(tp_holonomy *holonomy); /* NULL is fine */

/* Of all parts together: INCOMPATIBLE, else NONHOLONOMIC if one part is. */
tp_holonomy_verdict tp_holonomy_verdict_of(const tp_holonomy *holonomy);
int tp_holonomy_part_count(const tp_holonomy *holonomy);
const tp_holonomy_part *tp_holonomy_part_at(const tp_holonomy *holonomy, int part);

/* The frame: time, then rates and velocities with their names ("x'", "ball.omega.z"). */
int tp_holonomy_frame_count(const tp_holonomy *holonomy);
const char *tp_holonomy_frame_name(const tp_holonomy *holonomy, int i);

#ifdef __cplusplus
}
#endif

#endif
