/* Every scheme with time steps converges to the motion of event-driven on its scenes; the table of
   docs/theory/event-driven.md. */
#define _POSIX_C_SOURCE 200809L
#include "event_orders.h"

static const char *const schemes[] = {"moreau",
                                      "moreau-jean",
                                      "schatzman-paoli",
                                      "symmetric-moreau",
                                      "generalized-alpha",
                                      "consistent-position",
                                      "consistent",
                                      "consistent-elastic",
                                      "consistent-two-step",
                                      "consistent-quaternion",
                                      "consistent-quaternion-two-step",
                                      "consistent-hybrid",
                                      "relaxed-dai"};

/* The relaxation time of relaxed-dai is ten steps, in which impacts are not resolved yet at the coarse ones.
 */
TEST(every_scheme_converges_to_the_events_with_order_one)
{
    enum { LEVELS = 6, NEAR = 6 };
    int below = 0;
    for (int s = 0; s < ORDER_SCENES; s++) {
        const order_scene *scene = &order_scenes[s];
        const char *only = getenv("ORDER_SCENE"); /* its number */
        if (only != NULL && atoi(only) != s) continue;
        print_message("%.20s %s\n", scene->name, scene->edits[0] != NULL ? scene->edits[0] : "");
        order_reference *reference = order_prepare(scene, LEVELS, NEAR);
        for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; k++) {
            double errors[LEVELS];
            char reason[256] = "";
            double slope = order_of(reference, schemes[k], errors, reason);
            if (isnan(slope)) {
                print_message("  %-32s - %.100s\n", schemes[k], reason);
                continue;
            }
            print_message("  %-32s %.2f  %.1e %.1e %.1e\n", schemes[k], slope, errors[0], errors[LEVELS / 2],
                          errors[LEVELS - 1]);
            below += !(slope >= (strcmp(schemes[k], "relaxed-dai") == 0 ? 0.4 : 0.7));
        }
        order_free(reference);
    }
    CHECK_INT(below, 0);
}

TEST_MAIN(RUNS(every_scheme_converges_to_the_events_with_order_one))
