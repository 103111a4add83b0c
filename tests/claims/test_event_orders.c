/* Claim: schemes with time steps converge to the motion of event-driven with the orders that their pages
   state: 1 where impacts or ends of slips are met, which they do not locate, 2 for consistent-two-step along
   a slip that turns. tests/long has all scenes and schemes. */
#define _POSIX_C_SOURCE 200809L
#include "event_orders.h"

/* Slopes over four lengths of steps from 1 to 1/4.2, of errors averaged over three that are near. What is
   left of the jumps of single errors (a factor of three) is a factor of 3^(1/sqrt(3)) in each, 0.44 of the
   slope at most where it stands at one end; broken schemes have 0. */
static const double jumps = 0.45;

typedef struct order_case {
    const char *integrator;
    int scene;
    double order;
} order_case;

TEST(schemes_converge_to_the_events_with_their_orders)
{
    enum { BALL, OSCILLATOR, CORNER, SLOPE, LEVELS = 4, NEAR = 3 };
    static const order_case cases[] = {
        {"moreau", BALL, 1.0},
        {"moreau-jean", BALL, 1.0},
        {"schatzman-paoli", BALL, 1.0},
        {"symmetric-moreau", BALL, 1.0},
        {"generalized-alpha", BALL, 1.0},
        {"consistent-two-step", BALL, 1.0},
        {"consistent-hybrid", BALL, 1.0},
        {"moreau", OSCILLATOR, 1.0},
        {"symmetric-moreau", OSCILLATOR, 1.0},
        {"moreau", CORNER, 1.0},
        {"symmetric-moreau", CORNER, 1.0},
        {"moreau", SLOPE, 1.0},
        {"symmetric-moreau", SLOPE, 1.0},
        {"generalized-alpha", SLOPE, 1.0},
        {"consistent-two-step", SLOPE, 2.0},
    };
    for (int scene = BALL; scene <= SLOPE; scene++) {
        order_reference *reference = order_prepare(&order_scenes[scene], LEVELS, NEAR);
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            double errors[LEVELS];
            char reason[256] = "";
            if (cases[k].scene != scene) continue;
            double slope = order_of(reference, cases[k].integrator, errors, reason);
            if (!(slope >= cases[k].order - jumps))
                print_error("%s, scene %d: %g (%g to %g) %s\n", cases[k].integrator, scene, slope, errors[0],
                            errors[LEVELS - 1], reason);
            CHECK(slope >= cases[k].order - jumps);
        }
        order_free(reference);
    }
}

TEST_MAIN(RUNS(schemes_converge_to_the_events_with_their_orders))
