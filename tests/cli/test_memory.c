/* Claims: what a process takes, libraries included, for spheres in flight and for a block of balls at rest
   (docs/benchmarks.md). */
#define _XOPEN_SOURCE 700
#define SCRATCH       TIPPE_PROGRAM "-test-memory-"
#include "program_run.h"

#include <math.h>
#include <sys/resource.h>

#define FLIGHT SCRATCH "flight.yaml"

/* Spheres on a grid, `side` along each edge, that may all touch. */
static void write_flight(int side)
{
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  - repeat: {i: %d, j: %d, k: %d}\n"
             "    name: \"s{i}_{j}_{k}\"\n"
             "    mass: 1\n"
             "    position: [i / 2, j / 2, 10 + k / 2]\n"
             "    shapes: [{type: sphere, radius: 0.1}]\n"
             "ground: {shapes: [{name: floor, type: plane}]}\n"
             "contacts: [{name: all, friction: 0.3, among: all}]\n"
             "simulate: {dt: 1e-3, until: 0.01}\n",
             side, side, side);
    write_text(FLIGHT, text);
}

/* Layers of balls of random size that overlap: each has about three contacts. */
static const char block[] = "parameters: {n: 20, layers: 25, r: 0.01, d: 0.0175}\n"
                            "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  - repeat: {k: layers, i: n, j: n}\n"
                            "    let: {R: {uniform: [0.75*r, r]}}\n"
                            "    name: \"ball{i}_{j}_{k}\"\n"
                            "    density: 2500\n"
                            "    position: [d*i, d*j, 0.0095 + d*k]\n"
                            "    shapes: [{type: sphere, radius: R}]\n"
                            "ground: {shapes: [{name: floor, type: plane}]}\n"
                            "contacts: [{name: heap, friction: 0.5, among: all}]\n"
                            "simulate: {dt: 5e-4, until: 0.003, tolerance: 1e-2}\n";

/* The program alone with its libraries, 8 MB, and what it takes of every scene: the first piece of scratch
   memory, lists and their chunks. */
enum { PROGRAM = 16 * 1024 /* [kB] */ };

/* Runs the scene: memory of the largest process so far that this one has waited for [kB on Linux], hence a
   file of its own and larger bounds later; INFINITY: the run failed. With HDF5's shared library the process
   takes 6 MB more (cmake/hdf5_archive.cmake); sanitizers keep a shadow of all memory. */
static double largest_memory(void)
{
#ifndef TIPPE_HOLDS_HDF5
    remove(FLIGHT);
    skip();
#endif
    const outcome *done = run("run '" FLIGHT "' --quiet");
    remove(FLIGHT);
    struct rusage used;
    bool is_known = done->code == 0 && getrusage(RUSAGE_CHILDREN, &used) == 0 && used.ru_maxrss > 1000;
    return is_known ? (double)used.ru_maxrss : INFINITY;
}

TEST(a_thousand_spheres_fly_in_20_megabytes)
{
    write_flight(10);
    CHECK(largest_memory() <= 20 * 1024);
}

/* Most of it is there while the scene is read: the model with 0.7 kB of lists, names, starts and places of
   names, the tree with 13 nodes of 120 bytes and their texts, shapes and points of one body. What a step
   needs of a sphere without contacts is less. */
TEST(a_sphere_in_flight_takes_2_7_kilobytes)
{
    write_flight(22);
    CHECK(largest_memory() <= PROGRAM + 2.7 * 22 * 22 * 22);
}

/* A ball 1.9 kB: the model 0.7; coordinates, velocities, frames and forces of the system 0.4; two states,
   inertia and notes of the simulation 0.5; near boxes and poses 0.3. A contact 1.9 kB, and there are 1.5 for
   each ball: two lists of pairs 0.4; the point 0.1; what is kept by law with events 0.4; rows and sets of the
   step 0.3; the solver's own copy, sweeps and an eighth to spare 0.7. */
TEST(a_ball_at_rest_with_its_contacts_takes_5_kilobytes)
{
    write_text(FLIGHT, block);
    CHECK(largest_memory() <= PROGRAM + 5.0 * 20 * 20 * 25);
}

TEST_MAIN(RUNS(a_thousand_spheres_fly_in_20_megabytes), RUNS(a_sphere_in_flight_takes_2_7_kilobytes),
          RUNS(a_ball_at_rest_with_its_contacts_takes_5_kilobytes))
