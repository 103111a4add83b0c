/* What is off in the initial state: shapes that touch nothing, shapes that overlap; docs/guide/warnings.md.
 */
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <stdio.h>

/* A half-space or a hollow: what others are meant to stand on or to move in. */
static bool is_surrounding(const tp_model_shape *shape)
{
    return shape->solid.kind == TP_SOLID_PLANE || shape->solid.kind == TP_SOLID_INSIDE_CYLINDER ||
           shape->solid.kind == TP_SOLID_INSIDE_SPHERE;
}

/* The first shapes without a contact, by name: "a, b and 3 more"; returns how many there are. */
static int list_untouched(const tp_simulation *simulation, char *subject, size_t capacity)
{
    static const char rest[] = " and 2147483647 more";
    const tp_model *model = simulation->model;
    size_t length = 0, room = capacity - sizeof rest;
    int count = 0, listed = 0;
    subject[0] = '\0';
    for (int i = 0; i < model->shapes.count; i++) {
        const tp_model_shape *shape = TP_LIST_AT(model->shapes, tp_model_shape, i);
        if (model->member_first[i + 1] > model->member_first[i] || shape->is_passive) continue;
        char item[TP_WARNING_SUBJECT];
        int written = snprintf(item, sizeof item, "%s%s", count > 0 ? ", " : "", shape->name);
        bool fits = listed == count++ && written > 0 && length + (size_t)written < room;
        if (!fits) continue;
        length += (size_t)snprintf(subject + length, capacity - length, "%s", item);
        listed++;
    }
    if (listed < count) snprintf(subject + length, capacity - length, " and %d more", count - listed);
    return count;
}

/* Only where something else touches, or is there to be stood on: else shapes tell masses and pictures. */
static void find_untouched(tp_simulation *simulation)
{
    const tp_model *model = simulation->model;
    bool is_expected = model->rules.count > 0;
    for (int i = 0; i < model->shapes.count; i++)
        is_expected = is_expected || is_surrounding(TP_LIST_AT(model->shapes, tp_model_shape, i));
    if (!is_expected) return;
    char names[TP_WARNING_SUBJECT];
    int count = list_untouched(simulation, names, sizeof names);
    if (count > 0)
        tp_watch_warn(simulation, &(tp_finding){TP_WARNING_TOUCHES_NOTHING, names, count, NULL, NAN});
}

static void check_overlap(tp_simulation *simulation, int first_law, const char *subject)
{
    const tp_watch *watch = &simulation->watch;
    double depth = watch->depth_start[first_law];
    double length = watch->length[first_law] > 0.0 ? watch->length[first_law] : watch->gap_size[first_law];
    if (!(length > 0.0)) return; /* nothing tells what is deep */
    if (!(depth >
          tp_overlap_fraction * length + fmax(tp_stepper_closing_gap(&simulation->stepper, first_law), 0.0)))
        return;
    const char *unit =
        tp_law_is_angle(tp_system_law(simulation->stepper.system, first_law), 0) ? "rad" : NULL;
    tp_watch_warn(simulation, &(tp_finding){TP_WARNING_OVERLAP_AT_START, subject, depth, unit, NAN});
}

static void find_overlaps(tp_simulation *simulation)
{
    const tp_model *model = simulation->model;
    const tp_system *system = simulation->stepper.system;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        const tp_near_pair *pair = tp_system_pair(system, i);
        if (law->level != TP_LEVEL_GAP || (pair != NULL && tp_system_slot(system, i) > 0)) continue;
        char names[TP_WARNING_SUBJECT];
        snprintf(names, sizeof names, "%s", law->name);
        if (pair != NULL) {
            snprintf(names, sizeof names, "%.75s, %.75s",
                     TP_LIST_AT(model->shapes, tp_model_shape, pair->touch.shape_a)->name,
                     TP_LIST_AT(model->shapes, tp_model_shape, pair->touch.shape_b)->name);
        }
        check_overlap(simulation, i, names);
    }
}

/* Gaps that count as closed, against the shapes that they are between. */
static void find_coarse_contacts(tp_simulation *simulation)
{
    const tp_model *model = simulation->model;
    double gap = simulation->options.contact_tolerance * tp_model_size(model),
           least = tp_shape_length_least(model);
    if (model->rules.count == 0 || !(gap > tp_overlap_fraction * least)) return;
    tp_watch_warn(simulation, &(tp_finding){TP_WARNING_COARSE_CONTACTS, "", gap, NULL, NAN});
}

void tp_watch_start(tp_simulation *simulation)
{
    simulation->watch.has_start = true;
    find_untouched(simulation);
    find_overlaps(simulation);
    find_coarse_contacts(simulation);
}
