/* Families of scenes in coordinates and energies. */
#include "draft.h"

static const double gravity = 9.81;

/* Masses in a row: x0, x1, ...; the head of their kinetic energies. */
static void put_coordinates(scene_draft *draft, int count)
{
    draft_put(draft, SECTION_HEAD, "coordinates: [");
    for (int i = 0; i < count; i++) draft_put(draft, SECTION_HEAD, "%sx%d", i > 0 ? ", " : "", i);
    draft_put(draft, SECTION_HEAD, "]\nkinetic:\n");
}

/* Springs from the wall to the first and from each to the next. */
static void put_springs(scene_draft *draft, int count, const double *masses)
{
    draft_put(draft, SECTION_HEAD, "potential:\n");
    for (int i = 0; i < count; i++) {
        double least = i > 0 ? fmin(masses[i], masses[i - 1]) : masses[0],
               k = least * draft_uniform(draft, 1.0, 300.0);
        if (i == 0)
            draft_put(draft, SECTION_HEAD, "  - \"1/2*%.17g*x0^2\"\n", k);
        else
            draft_put(draft, SECTION_HEAD, "  - \"1/2*%.17g*(x%d - x%d)^2\"\n", k, i, i - 1);
    }
}

/* Masses in a row between walls, on springs. */
void draft_oscillator(scene_draft *draft)
{
    int count = draft_int(draft, 1, 4);
    bool is_extreme = draft_chance(draft, 0.3), is_damped = draft_chance(draft, 0.3),
         has_walls = draft_chance(draft, 0.6);
    draft_law law = draft_any_law(draft);
    law.friction = 0.0;
    draft_use_law(draft, law);
    draft->scene->is_conservative = !is_damped && (!has_walls || law.restitution == 1.0);
    draft->scene->force_rate = 100.0;
    put_coordinates(draft, count);
    double masses[4] = {0.0};
    for (int i = 0; i < count; i++) {
        masses[i] = draft_mass(draft, is_extreme);
        draft_put(draft, SECTION_HEAD, "  - \"1/2*%.17g*x%d'^2\"\n", masses[i], i);
    }
    put_springs(draft, count, masses);
    if (is_damped)
        draft_put(draft, SECTION_HEAD, "dissipation: \"1/2*%.17g*x0'^2\"\n",
                  masses[0] * draft_uniform(draft, 0.1, 5.0));
    for (int i = 0; i < count && has_walls; i++) {
        if (i == 0)
            draft_put(draft, SECTION_CONTACTS, "  - {name: wall, gap: \"x0 + %.17g\"%s}\n",
                      draft_uniform(draft, 0.0, 0.2), LAW_TEXT());
        else
            draft_put(draft, SECTION_CONTACTS, "  - {name: c%d, gap: \"x%d - x%d + %.17g\"%s}\n", i, i, i - 1,
                      draft_uniform(draft, 0.0, 0.2), LAW_TEXT());
    }
    draft_put(draft, SECTION_HEAD, "initial: {");
    for (int i = 0; i < count; i++)
        draft_put(draft, SECTION_HEAD, "%sx%d': %.17g", i > 0 ? ", " : "", i,
                  draft_uniform(draft, -2.0, 2.0));
    draft_put(draft, SECTION_HEAD, "}\n");
}

/* A mass point over a slope, with friction. */
void draft_bouncing(scene_draft *draft)
{
    draft_law law = draft_any_law(draft);
    law.drilling_radius = 0.0;
    draft_use_law(draft, law);
    double slope = draft_uniform(draft, -0.6, 0.6), m = draft_log_uniform(draft, 1e-2, 1e2);
    bool is_spatial = draft_chance(draft, 0.5);
    draft_put(draft, SECTION_HEAD, "parameters: {m: %.17g, gx: %.17g, gz: %.17g}\n", m, gravity * sin(slope),
              gravity * cos(slope));
    draft_put(draft, SECTION_HEAD, "coordinates: [x, %sz]\n", is_spatial ? "y, " : "");
    draft_put(draft, SECTION_HEAD, "kinetic: \"1/2*m*(x'^2 + z'^2%s)\"\npotential: \"m*(gz*z - gx*x)\"\n",
              is_spatial ? " + y'^2" : "");
    draft_put(draft, SECTION_HEAD, "initial: {x': %.17g, z: %.17g, z': %.17g}\n",
              draft_uniform(draft, -2.0, 2.0), draft_uniform(draft, 0.0, 0.2),
              draft_uniform(draft, -2.0, 0.0));
    draft_put(draft, SECTION_CONTACTS, "  - {name: floor, gap: z");
    if (law.friction > 0.0)
        draft_put(draft, SECTION_CONTACTS, ", slip: %s", is_spatial ? "[\"x'\", \"y'\"]" : "\"x'\"");
    draft_put(draft, SECTION_CONTACTS, "%s}\n", LAW_TEXT());
    draft->scene->force_rate = gravity;
}

/* A pendulum in Cartesian coordinates, perhaps with a second one on it, and a wall. */
void draft_constrained(scene_draft *draft)
{
    draft_law law = draft_any_law(draft);
    law.friction = 0.0;
    draft_use_law(draft, law);
    int count = draft_int(draft, 1, 3);
    bool has_wall = draft_chance(draft, 0.5), is_extreme = draft_chance(draft, 0.3);
    draft->scene->is_conservative = !has_wall || law.restitution == 1.0;
    draft->scene->force_rate = gravity;
    draft_put(draft, SECTION_HEAD, "coordinates: [");
    for (int i = 0; i < count; i++) draft_put(draft, SECTION_HEAD, "%sx%d, y%d", i > 0 ? ", " : "", i, i);
    draft_put(draft, SECTION_HEAD, "]\nkinetic:\n");
    double masses[3], x = 0.0, y = 0.0;
    for (int i = 0; i < count; i++) {
        masses[i] = draft_mass(draft, is_extreme);
        draft_put(draft, SECTION_HEAD, "  - \"1/2*%.17g*(x%d'^2 + y%d'^2)\"\n", masses[i], i, i);
    }
    draft_put(draft, SECTION_HEAD, "potential:\n");
    for (int i = 0; i < count; i++)
        draft_put(draft, SECTION_HEAD, "  - \"%.17g*y%d\"\n", gravity * masses[i], i);
    draft_put(draft, SECTION_HEAD, "initial: {");
    for (int i = 0; i < count; i++) {
        double length = draft_uniform(draft, 0.2, 1.0), angle = draft_uniform(draft, 0.0, 1.5);
        x += length * cos(angle);
        y -= length * sin(angle);
        draft_put(draft, SECTION_HEAD, "%sx%d: %.17g, y%d: %.17g", i > 0 ? ", " : "", i, x, i, y);
        double before_x = x - length * cos(angle), before_y = y + length * sin(angle),
               square = (x - before_x) * (x - before_x) + (y - before_y) * (y - before_y);
        if (i == 0)
            draft_put(draft, SECTION_CONSTRAINTS, "  - {name: rod0, position: \"(x0^2 + y0^2 - %.17g)/2\"}\n",
                      square);
        else
            draft_put(draft, SECTION_CONSTRAINTS,
                      "  - {name: rod%d, position: \"((x%d - x%d)^2 + (y%d - y%d)^2 - %.17g)/2\"}\n", i, i,
                      i - 1, i, i - 1, square);
        if (has_wall)
            draft_put(draft, SECTION_CONTACTS, "  - {name: wall%d, gap: \"x%d + %.17g\"%s}\n", i, i,
                      draft_uniform(draft, 0.0, 0.1), LAW_TEXT());
    }
    draft_put(draft, SECTION_HEAD, "}\n");
}

/* Dry friction, brakes and one-way clutches on oscillators. */
void draft_relays(scene_draft *draft)
{
    int count = draft_int(draft, 1, 4);
    double e = draft_chance(draft, 0.5) ? 0.0 : draft_uniform(draft, 0.0, 1.0);
    bool has_clutch = false;
    draft->scene->is_conservative = false;
    draft->scene->force_rate = 100.0;
    put_coordinates(draft, count);
    double masses[4] = {0.0};
    for (int i = 0; i < count; i++) {
        masses[i] = draft_mass(draft, draft_chance(draft, 0.3));
        draft_put(draft, SECTION_HEAD, "  - \"1/2*%.17g*x%d'^2\"\n", masses[i], i);
    }
    put_springs(draft, count, masses);
    for (int i = 0; i < count; i++) {
        double force = masses[i] * draft_uniform(draft, 0.0, 20.0);
        switch (draft_int(draft, 0, 2)) {
        case 0:
            draft_put(draft, SECTION_LAWS,
                      "  - {name: law%d, kind: friction, velocity: \"x%d'\", bound: %.17g}\n", i, i, force);
            break;
        case 1:
            draft_put(draft, SECTION_LAWS,
                      "  - {name: law%d, kind: limited, velocity: \"x%d'\", lower: %.17g, upper: %.17g}\n", i,
                      i, -force, 0.5 * force);
            break;
        default:
            has_clutch = true;
            draft_put(draft, SECTION_LAWS,
                      "  - {name: law%d, kind: one-way, velocity: \"x%d'\", restitution: %.17g}\n", i, i, e);
            break;
        }
    }
    draft->scene->has_one_restitution = e == 0.0 || !has_clutch; /* friction has none */
    draft_put(draft, SECTION_HEAD, "initial: {");
    for (int i = 0; i < count; i++)
        draft_put(draft, SECTION_HEAD, "%sx%d: %.17g, x%d': %.17g", i > 0 ? ", " : "", i,
                  draft_uniform(draft, -0.2, 0.2), i, draft_uniform(draft, 0.0, 2.0));
    draft_put(draft, SECTION_HEAD, "}\n");
}

/* Minimal coordinates: the mass matrix depends on them. */
void draft_double_pendulum(scene_draft *draft)
{
    draft_law law = draft_any_law(draft);
    law.friction = 0.0;
    draft_use_law(draft, law);
    bool has_wall = draft_chance(draft, 0.5);
    double ratio =
        draft_chance(draft, 0.3) ? draft_log_uniform(draft, 1e-4, 1e4) : draft_uniform(draft, 0.5, 2.0);
    draft->scene->is_conservative = !has_wall || law.restitution == 1.0;
    draft->scene->force_rate = gravity;
    draft_put(draft, SECTION_HEAD, "parameters: {m: %.17g, l1: %.17g, l2: %.17g, g: 9.81}\n", ratio,
              draft_uniform(draft, 0.3, 1.0), draft_uniform(draft, 0.3, 1.0));
    draft_put(draft, SECTION_HEAD,
              "coordinates: [a, b]\nkinetic: \"1/2*l1^2*a'^2 + 1/2*m*(l1^2*a'^2 + l2^2*b'^2 + "
              "2*l1*l2*a'*b'*cos(a - b))\"\n");
    draft_put(draft, SECTION_HEAD, "potential: \"-g*l1*cos(a) - m*g*(l1*cos(a) + l2*cos(b))\"\n");
    draft_put(draft, SECTION_HEAD, "initial: {a: %.17g, b: %.17g, a': %.17g, b': %.17g}\n",
              draft_uniform(draft, 0.0, 1.5), draft_uniform(draft, 0.0, 1.5), draft_uniform(draft, -2.0, 2.0),
              draft_uniform(draft, -2.0, 2.0));
    if (!has_wall) return;
    draft_put(draft, SECTION_CONTACTS, "  - {name: upper, gap: \"l1*sin(a) + %.17g\"%s}\n",
              draft_uniform(draft, 0.0, 0.1), LAW_TEXT());
    draft_put(draft, SECTION_CONTACTS, "  - {name: lower, gap: \"l1*sin(a) + l2*sin(b) + %.17g\"%s}\n",
              draft_uniform(draft, 0.0, 0.1), LAW_TEXT());
}

/* A mass between elastic pads. */
void draft_pads(scene_draft *draft)
{
    draft->scene->is_conservative = true;
    draft->scene->force_rate = 100.0;
    double m = draft_log_uniform(draft, 1e-2, 1e2), w = draft_uniform(draft, 5.0, 60.0);
    draft_put(
        draft, SECTION_HEAD,
        "parameters: {m: %.17g, D: %.17g}\ncoordinates: [x]\nkinetic: \"1/2*m*x'^2\"\ninitial: {x': %.17g}\n",
        m, 1.0 / (m * w * w), draft_uniform(draft, -2.0, 2.0));
    draft_put(draft, SECTION_CONTACTS,
              "  - {name: left, gap: \"x + 0.1\", compliance: D}\n  - {name: right, gap: \"0.1 - x\", "
              "compliance: D}\n");
}
