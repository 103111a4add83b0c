/* Mass, centre and inertia of a body: given, or from its shapes or its mesh. */
#include <math.h>

#include "io/scene/loader.h"

/* What the author gave. */
typedef struct mass_source {
    const tp_node *body, *mass, *density, *inertia, *center;
    const tp_mesh *mesh;              /* NULL: none */
    double mass_value, density_value; /* 0: not given */
    const tp_load_shapes *shapes;
} mass_source;

/* ---- shapes -------------------------------------------------------------------------------------------- */

static tp_status refuse(tp_loader *loader, const tp_node *node, const tp_message *why)
{
    return tp_node_fail(node, loader->why, "%.700s", why->text);
}

/* What has no volume has no part in it; what has no end is refused. */
static tp_status fill_shapes(tp_loader *loader, const mass_source *from, double density,
                             tp_mass_properties *out)
{
    *out = (tp_mass_properties){0};
    for (int k = 0; k < from->shapes->count; k++) {
        const tp_shape_def *shape = &from->shapes->items[k];
        tp_mass_properties part;
        tp_message why = {""};
        double volume = tp_solid_volume(&shape->solid);
        if (volume == 0.0) continue;
        if (!isfinite(volume)) {
            return tp_node_fail(from->shapes->nodes[k], loader->why,
                                "a %s has no end, hence no mass; give the body's mass and inertia",
                                tp_solid_kind_name(shape->solid.kind));
        }
        if (tp_solid_mass_properties(&shape->solid, density, &part, &why) != TP_OK) {
            return refuse(loader, from->shapes->nodes[k], &why);
        }
        part = tp_mass_properties_place(&part, &shape->pose);
        *out = tp_mass_properties_add(out, &part);
    }
    return TP_OK;
}

/* A body of one flat disc has a mass, but no volume. */
static tp_status weigh_flat(tp_loader *loader, const mass_source *from, tp_mass_properties *out)
{
    tp_message why = {""};
    const tp_shape_def *shape = from->shapes->items;
    if (from->density || from->shapes->count != 1 || shape->solid.kind != TP_SOLID_CYLINDER) {
        return tp_node_fail(from->density ? from->density : from->body, loader->why,
                            "the shapes of this body have no volume; give its mass and inertia");
    }
    if (tp_solid_mass_properties_of_mass(&shape->solid, from->mass_value, out, &why) != TP_OK) {
        return refuse(loader, from->shapes->nodes[0], &why);
    }
    *out = tp_mass_properties_place(out, &shape->pose);
    return TP_OK;
}

static tp_status weigh_shapes(tp_loader *loader, const mass_source *from, tp_mass_properties *out)
{
    double density = from->density ? from->density_value : 1.0;
    TP_TRY(fill_shapes(loader, from, density, out));
    if (out->mass == 0.0) return weigh_flat(loader, from, out);
    return from->density ? TP_OK : fill_shapes(loader, from, from->mass_value / out->mass, out);
}

/* ---- meshes -------------------------------------------------------------------------------------------- */

static tp_status weigh_mesh(tp_loader *loader, const mass_source *from, tp_mass_properties *out)
{
    tp_message why = {""};
    double density = from->density ? from->density_value : 1.0;
    tp_status status = tp_mesh_mass_properties(from->mesh, density, NULL, out, &why);
    if (status == TP_OK && !from->density) {
        status = tp_mesh_mass_properties(from->mesh, from->mass_value / out->mass, NULL, out, &why);
    }
    if (status == TP_OUT_OF_MEMORY) return tp_fail(loader->why, status, "no memory for a mesh");
    return status == TP_OK ? TP_OK : refuse(loader, tp_map_get(from->body, "mesh"), &why);
}

/* ---- contradictions ------------------------------------------------------------------------------------ */

static tp_status refuse_both(tp_loader *loader, const tp_node *node, const char *other)
{
    return node ? tp_node_fail(node, loader->why, "follows from the %s already; remove one of them", other)
                : TP_OK;
}

static tp_status check_source(tp_loader *loader, const mass_source *from)
{
    bool has_solid = from->mesh || from->shapes->count > 0;
    if (from->density) {
        TP_TRY(refuse_both(loader, from->mass, "density"));
        TP_TRY(refuse_both(loader, from->inertia, "density"));
        TP_TRY(refuse_both(loader, from->center, "density"));
        if (has_solid) return TP_OK;
        return tp_node_fail(from->density, loader->why,
                            "a body without shapes or mesh has no volume; add "
                            "shapes, or give its mass instead");
    }
    if (!from->mass) {
        return tp_node_fail(from->body, loader->why,
                            "the key 'mass' is missing; add mass: with a number > 0 [kg]%s",
                            has_solid ? ", or a density" : "");
    }
    return from->inertia ? TP_OK : refuse_both(loader, has_solid ? from->center : NULL, "shapes or the mesh");
}

tp_status tp_load_mass(tp_loader *loader, const tp_node *item, const tp_load_shapes *shapes,
                       const tp_mesh *mesh, tp_body_values *body_io)
{
    tp_body_def *def = &body_io->def;
    const mass_source from = {.body = item,
                              .mass = tp_map_get(item, "mass"),
                              .density = tp_map_get(item, "density"),
                              .inertia = tp_map_get(item, "inertia"),
                              .center = tp_map_get(item, "center"),
                              .mesh = mesh,
                              .mass_value = def->mass,
                              .density_value = body_io->density,
                              .shapes = shapes};
    tp_mass_properties whole;
    TP_TRY(check_source(loader, &from));
    if (from.inertia || (def->kind == TP_BODY_POINT && !from.density)) return TP_OK;
    if (!from.mesh && shapes->count == 0) {
        return tp_node_fail(item, loader->why,
                            "the key 'inertia' is missing; add inertia: with %s [kg m^2], or shapes",
                            def->kind == TP_BODY_PLANAR ? "a number > 0" : "three moments [Jx, Jy, Jz]");
    }
    TP_TRY(from.mesh ? weigh_mesh(loader, &from, &whole) : weigh_shapes(loader, &from, &whole));
    def->mass = whole.mass;
    if (def->kind == TP_BODY_POINT) return TP_OK;
    def->center = whole.centre;
    def->inertia = whole.inertia;
    if (def->kind == TP_BODY_PLANAR) def->center.z = 0.0; /* what is out of the plane does not matter */
    return TP_OK;
}
