/* The claims of tests/claims/test_frames.c for every integrator that treats an example. */
#define _POSIX_C_SOURCE 200809L
#include "frame_runs.h"

#include "tippe/integrator.h"

/* Positions are not projected: not all integrators do so, and it has a metric of its own. */
static void compare_all(const frame_change *change, bool is_renumbered)
{
    example_list list = find_examples();
    int compared = 0;
    for (int k = 0; k < tp_integrator_count(); k++) {
        for (int i = 0; i < list.count; i++) {
            frame_trial trial = {list.name[i], tp_integrator_info_at(k)->name, is_renumbered, true,
                                 change->length != 1.0 ? frame_length_tolerance : frame_tolerance};
            compared += compare_example(&trial, change);
        }
    }
    if (compared < 100) fail_msg("%s: only %d runs could be compared", change->name, compared);
}

TEST(all_integrators_move_examples_alike_in_a_turned_frame)
{
    UNUSED_STATE;
    frame_change turned = frame_unchanged;
    turned.name = "turned";
    turned.turn = tp_quat_normalise(tp_quat_make(0.7, 0.35, -0.5, 0.4));
    compare_all(&turned, false);
}

TEST(all_integrators_move_examples_alike_in_a_mirror)
{
    UNUSED_STATE;
    frame_change mirrored = frame_unchanged;
    mirrored.name = "mirrored";
    mirrored.is_mirrored = true;
    compare_all(&mirrored, false);
}

TEST(all_integrators_move_examples_alike_in_millimetres_and_grams)
{
    UNUSED_STATE;
    frame_change units = frame_unchanged;
    units.name = "in millimetres";
    units.length = 1024.0;
    compare_all(&units, false);
    units = frame_unchanged;
    units.name = "in grams";
    units.mass = 1024.0;
    compare_all(&units, false);
}

TEST(all_integrators_move_examples_alike_in_hundredths_of_seconds)
{
    UNUSED_STATE;
    frame_change units = frame_unchanged;
    units.name = "in hundredths of seconds";
    units.time = 128.0;
    compare_all(&units, false);
}

TEST(all_integrators_move_examples_alike_when_their_lists_are_turned_round)
{
    UNUSED_STATE;
    frame_change renumbered = frame_unchanged;
    renumbered.name = "renumbered";
    compare_all(&renumbered, true);
}

TEST_MAIN(RUNS(all_integrators_move_examples_alike_in_a_turned_frame),
          RUNS(all_integrators_move_examples_alike_in_a_mirror),
          RUNS(all_integrators_move_examples_alike_in_millimetres_and_grams),
          RUNS(all_integrators_move_examples_alike_in_hundredths_of_seconds),
          RUNS(all_integrators_move_examples_alike_when_their_lists_are_turned_round))
