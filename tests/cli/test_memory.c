/* Claim: 1,000 spheres that may all touch fly in a process of 20 MB, libraries included (docs/benchmarks.md).
 */
#define _XOPEN_SOURCE 700
#define SCRATCH       TIPPE_PROGRAM "-test-memory-"
#include "program_run.h"

#include <sys/resource.h>

#define FLIGHT SCRATCH "flight.yaml"

static const char flight[] = "gravity: [0, 0, -9.81]\n"
                             "bodies:\n"
                             "  - repeat: {i: 10, j: 10, k: 10}\n"
                             "    name: \"s{i}_{j}_{k}\"\n"
                             "    mass: 1\n"
                             "    position: [i / 2, j / 2, 10 + k / 2]\n"
                             "    shapes: [{type: sphere, radius: 0.1}]\n"
                             "ground: {shapes: [{name: floor, type: plane}]}\n"
                             "contacts: [{name: all, friction: 0.3, among: all}]\n"
                             "simulate: {dt: 1e-3, until: 0.01}\n";

/* The largest of all processes that this one has waited for, hence a file of its own. With HDF5's shared
   library the process takes 6 MB more (cmake/hdf5_archive.cmake); sanitizers keep a shadow of all memory. */
TEST(a_thousand_spheres_fly_in_20_megabytes)
{
#ifndef TIPPE_HOLDS_HDF5
    skip();
#endif
    write_text(FLIGHT, flight);
    const outcome *done = run("run '" FLIGHT "' --quiet");
    remove(FLIGHT);
    CHECK_INT(done->code, 0);
    struct rusage used;
    CHECK_INT(getrusage(RUSAGE_CHILDREN, &used), 0);
    CHECK(used.ru_maxrss > 1000); /* [kB] on Linux */
    CHECK(used.ru_maxrss <= 20 * 1024);
}

TEST_MAIN(RUNS(a_thousand_spheres_fly_in_20_megabytes))
