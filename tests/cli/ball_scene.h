/* A ball of 1 kg that falls 0.1 m and bounces, for tests of the program. */
#ifndef TESTS_CLI_BALL_SCENE_H
#define TESTS_CLI_BALL_SCENE_H

static const char ball[] = "name: ball\n"
                           "coordinates: [z]\n"
                           "parameters: {m: 1, g: 9.81}\n"
                           "kinetic: \"1/2*m*z'^2\"\n"
                           "potential: \"m*g*z\"\n"
                           "contacts:\n"
                           "  - {name: floor, gap: \"z\", restitution: 0.5}\n"
                           "initial: {z: 0.1}\n"
                           "simulate: {dt: 1e-3, until: 0.5}\n";

#endif
