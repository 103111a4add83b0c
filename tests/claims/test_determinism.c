/* Same input, same bits: every example run twice, and once more among other work. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

/* FNV-1a over the bytes of an array. */
static uint64_t hash_doubles(uint64_t hash, const double *values, int count)
{
    const unsigned char *bytes = (const unsigned char *)values;
    for (size_t i = 0; i < (size_t)count * sizeof(double); i++) hash = (hash ^ bytes[i]) * 0x100000001B3ull;
    return hash;
}

/* State, impulses and energy after every step. */
static bool add_state(void *context, const tp_simulation *simulation)
{
    uint64_t *hash = context;
    tp_model_summary all = tp_model_summarise(tp_simulation_model(simulation));
    double t = tp_simulation_time(simulation);
    *hash = hash_doubles(*hash, &t, 1);
    *hash = hash_doubles(*hash, tp_simulation_q(simulation), all.coordinate_count);
    *hash = hash_doubles(*hash, tp_simulation_u(simulation), all.velocity_count);
    *hash = hash_doubles(*hash, tp_simulation_states(simulation),
                         tp_model_state_count(tp_simulation_model(simulation)));
    *hash = hash_doubles(*hash, &tp_simulation_last_step(simulation)->energy, 1);
    for (int i = 0; i < tp_simulation_law_count(simulation); i++) {
        double P[TP_IMPULSE_ROWS];
        *hash = hash_doubles(*hash, P, tp_simulation_last_impulse(simulation, i, P));
    }
    return true;
}

static uint64_t hash_run(const tp_scene *scene)
{
    uint64_t hash = 0xCBF29CE484222325ull;
    tp_simulation *simulation = simulate_scene(scene);
    if (tp_simulation_run(simulation, add_state, &hash, NULL) != TP_OK)
        fail_msg("%s: %s", scene->name, tp_simulation_report(simulation)->reason);
    tp_simulation_free(simulation);
    return hash;
}

TEST(two_runs_of_every_example_give_the_same_bits)
{
    example_list examples = find_examples();
    uint64_t hash[EXAMPLES_MAX];
    for (int i = 0; i < examples.count; i++) {
        tp_scene *scene = read_short_example(examples.name[i]), *again = read_short_example(examples.name[i]);
        hash[i] = hash_run(scene);
        CHECK(hash_run(scene) == hash[i]); /* a second simulation of one model */
        CHECK(hash_run(again) == hash[i]); /* and of a model read again        */
        tp_scene_free(again);
        tp_scene_free(scene);
    }
    for (int i = 0; i < examples.count; i++) { /* the hash tells the examples apart, so it can fail */
        for (int j = 0; j < i; j++) CHECK(hash[i] != hash[j]);
    }
}

/* Step by step: integrators that choose their steps then end one at every time that is asked for. */
static uint64_t hash_steps(const tp_scene *scene)
{
    uint64_t hash = 0xCBF29CE484222325ull;
    tp_simulation *simulation = simulate_scene(scene);
    double dt = scene->options.time_step, end = scene->options.end_time;
    long long count = (long long)ceil(end / dt - 1e-9);
    add_state(&hash, simulation);
    for (long long k = 1; k <= count; k++) {
        if (tp_simulation_step(simulation, k == count ? end : (double)k * dt, NULL) != TP_OK) fail();
        add_state(&hash, simulation);
    }
    bool is_run = tp_simulation_integrator(simulation)->chooses_steps || hash == hash_run(scene);
    tp_simulation_free(simulation);
    if (!is_run) fail_msg("%s: steps and a run differ", scene->name);
    return hash;
}

/* Nothing is shared between simulations: steps of two of them may alternate. */
TEST(a_simulation_does_not_notice_another_one)
{
    example_list examples = find_examples();
    for (int i = 0; i < examples.count; i++) {
        tp_scene *one = read_short_example(examples.name[i]),
                 *other = read_short_example(examples.name[(i + 1) % examples.count]);
        uint64_t alone = hash_steps(one), beside = 0xCBF29CE484222325ull;
        tp_simulation *first = simulate_scene(one), *second = simulate_scene(other);
        double dt = one->options.time_step, end = one->options.end_time;
        long long count = (long long)ceil(end / dt - 1e-9);
        add_state(&beside, first);
        for (long long k = 1; k <= count; k++) {
            CHECK_INT(tp_simulation_step(first, k == count ? end : (double)k * dt, NULL), TP_OK);
            add_state(&beside, first);
            CHECK_INT(tp_simulation_step(second, (double)k * other->options.time_step, NULL), TP_OK);
        }
        CHECK(alone == beside);
        tp_simulation_free(first), tp_simulation_free(second);
        tp_scene_free(one), tp_scene_free(other);
    }
}

TEST_MAIN(RUNS(two_runs_of_every_example_give_the_same_bits), RUNS(a_simulation_does_not_notice_another_one))
