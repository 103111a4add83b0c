/* The table of pairs in docs/guide/bodies.md is what the library does. */
#include "check.h"
#include "solids.h"

#include <stdio.h>
#include <string.h>

static char page[1 << 16];

static void read_page(void)
{
    FILE *file = fopen(TIPPE_SOURCE_DIR "/docs/guide/bodies.md", "r");
    if (file == NULL) fail();
    size_t count = fread(page, 1, sizeof page - 1, file);
    page[count] = '\0';
    (void)fclose(file);
}

/* One solid of each kind; surfaces of one or two triangles. */
static tp_solid sample(check_random *random, tp_solid_kind kind)
{
    static const tp_vec3 vertices[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    static const int triangles[3] = {0, 1, 2};
    static const double heights[4] = {0.0};
    static const tp_mesh mesh = {3, 1, vertices, triangles};
    static tp_surface *surfaces[2];
    if (surfaces[0] == NULL &&
        (tp_surface_create(NULL, &mesh, &surfaces[0], NULL) != TP_OK ||
         tp_surface_create_heights(NULL, 2, 2, 1.0, 1.0, heights, &surfaces[1], NULL) != TP_OK))
        fail();
    if (kind == TP_SOLID_MESH) return tp_solid_mesh(surfaces[0]);
    if (kind == TP_SOLID_HEIGHTFIELD) return tp_solid_heightfield(surfaces[1]);
    return solids_random(random, kind);
}

TEST(the_guide_has_the_pairs_of_the_library)
{
    check_random random = {881};
    char line[1000];
    read_page();
    for (int a = -1; a < TP_SOLID_KIND_COUNT; a++) {
        int at = snprintf(line, sizeof line, "| %s", a < 0 ? "" : tp_solid_kind_name((tp_solid_kind)a));
        if (a < 0) at = snprintf(line, sizeof line, "|");
        for (int b = 0; b < TP_SOLID_KIND_COUNT; b++) {
            char cell[32];
            if (a < 0) {
                snprintf(cell, sizeof cell, "%s", tp_solid_kind_name((tp_solid_kind)b));
            } else {
                tp_solid one = sample(&random, (tp_solid_kind)a), two = sample(&random, (tp_solid_kind)b);
                int slots = tp_collide_slot_count(&one, &two);
                const tp_hull *hull = one.hull != NULL ? one.hull : two.hull;
                CHECK_INT(slots > 0, tp_collide_check(one.kind, two.kind, NULL) == TP_OK);
                snprintf(cell, sizeof cell, slots == 0 ? "-" : "%d", slots);
                bool is_endless =
                    !isfinite(tp_solid_bounding_radius(&one)) || !isfinite(tp_solid_bounding_radius(&two));
                if (hull != NULL && is_endless && slots == hull->vertex_count)
                    snprintf(cell, sizeof cell, "v");
            }
            at += snprintf(line + at, sizeof line - (size_t)at, " | %s", cell);
        }
        snprintf(line + at, sizeof line - (size_t)at, " |\n");
        if (strstr(page, line) == NULL) print_message("missing: %s", line);
        CHECK(strstr(page, line) != NULL);
    }
}

TEST_MAIN(RUNS(the_guide_has_the_pairs_of_the_library))
