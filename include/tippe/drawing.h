/* What a model looks like at one moment: a list of simple figures with names and colours, and their surfaces
   as points, lines and polygons; docs/guide/paraview.md. Formulas and bodies make the list, writers read it.
 */
#ifndef TIPPE_DRAWING_H
#define TIPPE_DRAWING_H

#include <stdbool.h>

#include "tippe/geometry.h"
#include "tippe/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_colour {
    double red, green, blue; /* 0 to 1 */
} tp_colour;

/* Colours that the colour-blind can tell apart; the number wraps around. */
enum { TP_PALETTE_COUNT = 8 };
tp_colour tp_palette_colour(int index);

/* Reads #RRGGBB or the name of a colour; false if it is neither. */
bool tp_colour_read(const char *text, tp_colour *colour_out);
const char *tp_colour_name(int index); /* of the known ones; NULL past the end */

typedef enum tp_primitive_kind {
    TP_PRIMITIVE_POINT,    /* vertices: each of them                                                     */
    TP_PRIMITIVE_LINE,     /* vertices in order                                                          */
    TP_PRIMITIVE_CIRCLE,   /* size: radius; in the plane x, y of the frame                               */
    TP_PRIMITIVE_POLYGON,  /* vertices around it                                                         */
    TP_PRIMITIVE_SPHERE,   /* size: radius                                                               */
    TP_PRIMITIVE_BOX,      /* size: half lengths of the edges along x, y, z                              */
    TP_PRIMITIVE_CYLINDER, /* size: radius, half height along z                                          */
    TP_PRIMITIVE_CAPSULE,  /* size: radius, half height along z of the part between the two half spheres */
    TP_PRIMITIVE_PLANE,    /* size: half lengths along x, y of the piece that is shown; normal z         */
    TP_PRIMITIVE_MESH,     /* vertices, and triangles counter-clockwise seen from outside                */
    TP_PRIMITIVE_COIL,     /* a spring; vertices: its two ends; size: radius                             */
    TP_PRIMITIVE_TUBE,     /* size: radius, half height along z of the piece that is shown; from inside  */
    TP_PRIMITIVE_SHELL     /* a hollow ball, seen from inside; size: radius                              */
} tp_primitive_kind;
enum { TP_PRIMITIVE_KINDS = TP_PRIMITIVE_SHELL + 1 };

const char *tp_primitive_kind_name(tp_primitive_kind kind); /* "point", "line", ...; NULL if it is none */

/* What a figure stands for. */
typedef enum tp_primitive_role {
    TP_ROLE_DRAWING, /* a drawing of the model (section draw of a scene)            */
    TP_ROLE_BODY,    /* a shape or surface, or the line of a body that has neither */
    TP_ROLE_SPRING,  /* a spring, damper, rope or bushing                          */
    TP_ROLE_JOINT,   /* the mark of a joint                                        */
    TP_ROLE_MOTOR,   /* the mark of a motor                                        */
    TP_ROLE_LIMIT,   /* the stop of a limit                                        */
    TP_ROLE_COUPLER  /* the line of a coupler, from joint to joint                 */
} tp_primitive_role;
enum { TP_PRIMITIVE_ROLES = TP_ROLE_COUPLER + 1 };

const char *tp_primitive_role_name(tp_primitive_role role); /* "drawing", "body", ...; NULL if it is none */

/* One figure. Its frame has its origin at `position` and is turned by `orientation`; vertices are in it. */
typedef struct tp_primitive {
    tp_primitive_kind kind;
    tp_primitive_role role;
    const char *name; /* of the drawing, shape, body, joint, ...; several figures may share one */
    tp_colour colour;
    bool is_filled;      /* CIRCLE, POLYGON, TUBE, SHELL: a surface; else lines    */
    int law;             /* whose force is shown with it; -1: none                 */
    tp_vec3 position;    /* [m]                                                    */
    tp_quat orientation; /* frame to world, unit length                            */
    double size[3];      /* [m], see the kinds                                     */
    bool grows;          /* with the state: a figure of a scalable body            */
    double scale;        /* of sizes and vertices; 1 for figures that do not grow  */
    int vertex_count;    /* POINT, LINE, POLYGON, MESH, COIL                       */
    const tp_vec3 *vertices;
    int triangle_count;   /* MESH */
    const int *triangles; /* [3 triangle_count] places in vertices                  */
} tp_primitive;
tp_primitive tp_primitive_default(void); /* no vertices, no size, scale 1, at the origin, black, no law */

/* Whether all its numbers are finite and its sizes are not negative; others have no surface. */
bool tp_primitive_is_sound(const tp_primitive *primitive);

/* Cells: the indices of cell k are those from ends[k - 1] (0 for the first) to before ends[k]. */
typedef struct tp_cells {
    int count, index_count;
    int *ends, *indices;
} tp_cells;

/* Points in the world, and what they make up. Polygons are flat and convex (but for those of POLYGON, which
   are as they were given), counter-clockwise seen from outside, those of TUBE and SHELL seen from inside;
   closed surfaces share their points. */
typedef struct tp_tessellation {
    int point_count;
    tp_vec3 *points;
    tp_cells verts, lines, polygons;
} tp_tessellation;

/* How many of each a primitive needs, with so many segments to a circle: a multiple of 4, at least 8. */
typedef struct tp_tessellation_size {
    int points;
    int verts; /* each has one index */
    int lines, line_indices, polygons, polygon_indices;
} tp_tessellation_size;
tp_tessellation_size tp_tessellation_measure(const tp_primitive *primitive, int segments);

/* Whether a polygon of a primitive, by its number among them, lies in one of the four dark octants of a
   SPHERE or CAPSULE: a checkered ball shows how it turns. */
bool tp_tessellation_is_dark(const tp_primitive *primitive, int segments, int polygon);

/* Appends a primitive; the arrays must have room for it. One that is not sound adds nothing. */
void tp_tessellate(const tp_primitive *primitive, int segments, tp_tessellation *io);

/* ---- what a model adds to be drawn --------------------------------------------------------------------- */

/* A figure that shows the model: a point, a line, a circle or a polygon that moves with t, q and states. */
typedef struct tp_drawing_vertex {
    tp_function coordinate[3]; /* x, y, z [m] of t, q and first-order states; one that is not given is 0 */
} tp_drawing_vertex;

typedef struct tp_drawing_def {
    const char *name;                  /* unique among drawings                                           */
    tp_primitive_kind kind;            /* POINT, LINE, CIRCLE, POLYGON                                    */
    const tp_drawing_vertex *vertices; /* one for POINT and CIRCLE (its centre), 2 or more for LINE, 3 or
                                          more for POLYGON                                                */
    int vertex_count;
    tp_function radius; /* CIRCLE, which lies in the plane x, y [m] */
    bool is_filled;     /* CIRCLE, POLYGON */
    bool has_colour;    /* else one of the palette by its number */
    tp_colour colour;
    const char *law; /* a constraint, contact or law added before, whose force is shown with it; NULL: none */
    tp_place law_place;
    tp_place place;
} tp_drawing_def;

typedef struct tp_drawing_id {
    const tp_model *model;
    int index; /* its place in the list of tp_drawer_draw */
} tp_drawing_id;

/* Adds a figure; name, vertices and formulas are copied. */
tp_drawing_def tp_drawing_def_default(void);
tp_status tp_model_add_drawing(tp_model *model, const tp_drawing_def *def, tp_drawing_id *id_out,
                               tp_message *why_out);
const char *tp_model_drawing_name(const tp_model *model, int i);

/* A surface of triangles that is drawn with a body; it touches nothing. The mesh is copied; it must pass
   tp_mesh_check. */
typedef struct tp_surface_def {
    const char *name, *body;
    tp_mesh mesh; /* in the frame of the body's points */
    tp_place place;
} tp_surface_def;
typedef struct tp_surface_id {
    const tp_model *model;
    int index;
} tp_surface_id;
tp_surface_def tp_surface_def_default(void);
tp_status tp_model_add_surface(tp_model *model, const tp_surface_def *def, tp_surface_id *id_out,
                               tp_message *why_out);
const char *tp_model_surface_name(const tp_model *model, int i); /* NULL: there is none */

/* ---- a model at a state -------------------------------------------------------------------------------- */

/* Draws a finished model, which is borrowed, at any state: its drawings, then shapes and surfaces of its
   bodies (for a body without: a line through what holds it, a box of its inertia, or a point), then springs,
   joints, and what acts on joints. */
typedef struct tp_drawer tp_drawer;
tp_status tp_drawer_create(const tp_allocator *allocator, const tp_model *model, tp_drawer **drawer_out);
void tp_drawer_free(tp_drawer *drawer); /* NULL is fine */
int tp_drawer_count(const tp_drawer *drawer);

/* All that there is to see, always the same figures in the same order. The list belongs to the drawer and
   changes with the next call. What is not finite at this state has no surface (tp_primitive_is_sound).
   x: first-order states (tippe/states.h); NULL where the model has none. Allocates nothing. */
const tp_primitive *tp_drawer_draw(tp_drawer *drawer, double t, const double *q, const double *x,
                                   int *count_out);

/* Where a point of two shapes is at the state that was drawn last, and along what the impulses of its contact
   act on the second one. */
typedef struct tp_contact_place {
    int rule;             /* number of the pair or rule  */
    tp_vec3 point;        /* [m] */
    tp_vec3 direction[3]; /* N, T1, T2; in the plane N, T */
    int direction_count;
} tp_contact_place;
bool tp_drawer_contact(const tp_drawer *drawer, int shape_a, int shape_b, int feature,
                       tp_contact_place *place_out); /* false: there is none */

#ifdef __cplusplus
}
#endif

#endif
