/* States in other units, in another order, mirrored: the same motion; theory/theta-gamma.md. A circuit has no
   scale of its own, so whatever the steps compare with a size must follow the units. */
#include "simulations.h"

#include <float.h>

/* The diode bridge. Voltages, currents and times are those of SI times V, I and T; multipliers have units of
   their own, MV and MI; outputs are multiplied by YV and YI, which no law feels. */
#define BRIDGE(states, relations)                                                                            \
    "parameters: {L: 1e-2, C: 1e-6, R: 1e3, V: 1, I: 1, T: 1, MV: 1, MI: 1, YV: 1, YI: 1, S: 1}\n"           \
    "states:\n" states "relations:\n" relations

#define VC "  - {name: vC, initial: S*10*V, rate: \"V/T*(-iL/I - d3/MI + d4/MI)/C\"}\n"
#define IL "  - {name: iL, rate: \"I/T*vC/V/L\"}\n"
#define D1 "  - {name: d1, y: \"YI*((d1 + d2)/MV/R - d3/MI)\"}\n"
#define D2 "  - {name: d2, y: \"YI*((d1 + d2)/MV/R - d4/MI)\"}\n"
#define D3 "  - {name: d3, y: \"YV*(d1/MV - vC/V)\"}\n"
#define D4 "  - {name: d4, y: \"YV*(d2/MV + vC/V)\"}\n"

static const char plain[] = BRIDGE(VC IL, D1 D2 D3 D4), reversed[] = BRIDGE(IL VC, D4 D3 D2 D1);

typedef struct frame {
    const char *what, *text;
    double V, I, T, MV, MI, YV, YI, sign;
} frame;

/* vC and iL in SI after `steps` of 5e-6 s. */
static void bridge_end(const frame *f, tp_gamma_variant variant, int steps, double *end)
{
    char edits[8][64];
    const char *list[8];
    const double values[8] = {f->V, f->I, f->T, f->MV, f->MI, f->YV, f->YI, f->sign};
    static const char *const names[8] = {"V", "I", "T", "MV", "MI", "YV", "YI", "S"};
    for (int k = 0; k < 8; k++) {
        snprintf(edits[k], sizeof edits[k], "parameters.%s=%.17g", names[k], values[k]);
        list[k] = edits[k];
    }
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "s.yaml", f->text, strlen(f->text), list, 8, &scene, &why) != TP_OK)
        fail_msg("%s: %s", f->what, why.text);
    double theta = variant == TP_GAMMA_STANDARD ? 1.0 : 0.5;
    tp_simulation_options options = options_of("theta-gamma", 5e-6 * f->T, 5e-6 * f->T * steps);
    options.gamma_method = (tp_gamma_options){theta, theta, variant};
    tp_simulation *simulation = simulate_options(scene->model, options);
    run(simulation);
    const double *x = tp_simulation_states(simulation);
    end[0] = x[tp_model_find_state(scene->model, "vC")] / f->V;
    end[1] = x[tp_model_find_state(scene->model, "iL")] / f->I;
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(units_order_and_sign_of_a_circuit_do_not_change_its_motion)
{
    static const frame frames[] = {{"as it is", plain, 1, 1, 1, 1, 1, 1, 1, 1},
                                   {"mV and uA", plain, 1e3, 1e6, 1, 1e3, 1e6, 1, 1, 1},
                                   {"kV and kA", plain, 1e-3, 1e-3, 1, 1e-3, 1e-3, 1, 1, 1},
                                   {"microseconds", plain, 1, 1, 1e6, 1, 1, 1, 1, 1},
                                   {"all at once", plain, 1e3, 1e6, 1e3, 1e-3, 1e3, 1e3, 1e-3, 1},
                                   {"states six decades apart", plain, 1e6, 1, 1, 1, 1, 1, 1, 1},
                                   {"outputs six decades apart", plain, 1, 1, 1, 1, 1, 1e3, 1e-3, 1},
                                   {"renumbered", reversed, 1, 1, 1, 1, 1, 1, 1, 1},
                                   {"renumbered, mV and us", reversed, 1e3, 1, 1e6, 1e3, 1, 1, 1, 1},
                                   {"mirrored", plain, 1, 1, 1, 1, 1, 1, 1, -1}};
    for (int variant = 0; variant < 3; variant++) {
        double reference[2], end[2];
        bridge_end(&frames[0], variant, 300, reference);
        for (size_t k = 1; k < sizeof frames / sizeof frames[0]; k++) {
            bridge_end(&frames[k], variant, 300, end);
            /* steps are solved to 1e-14 of the sizes, which neither damps nor grows over 300 of them; a state
               that is six decades below the largest is judged with a millionth of that */
            double worst = fmax(fabs(frames[k].sign * end[0] - reference[0]) / 10.0,
                                fabs(frames[k].sign * end[1] - reference[1]) / 0.1);
            if (!(worst < 1e-10)) print_error("%s, variant %d: %g\n", frames[k].what, variant, worst);
            CHECK(worst < 1e-10);
        }
    }
}

/* A motor that drives an arm into a stop, in metres or millimetres of the lever and in ms. */
TEST(units_of_states_beside_mechanics_do_not_change_the_motion)
{
    static const char text[] = "parameters: {I: 1, T: 1}\n"
                               "coordinates: [phi]\n"
                               "kinetic: \"2e-4*phi'^2/2\"\n"
                               "forces: {phi: \"0.05*i/I/T^2\"}\n"
                               "states: [{name: i, rate: \"I/T*(12*s - 2*i/I - 0.05*phi'*T)/5e-3\"}]\n"
                               "relations: [{name: s, y: \"phi - 2 + 0.02*phi'*T\", law: relay}]\n"
                               "contacts: [{name: end, gap: 1.5 - phi, restitution: 0.3}]\n";
    static const char *const edits[][2] = {{"parameters.I=1", "parameters.T=1"},
                                           {"parameters.I=1e3", "parameters.T=1"},
                                           {"parameters.I=1e-6", "parameters.T=1e3"},
                                           {"parameters.I=1e6", "parameters.T=1e-3"}};
    static const double I[] = {1, 1e3, 1e-6, 1e6}, T[] = {1, 1, 1e3, 1e-3};
    double reference[2] = {0.0, 0.0};
    for (size_t k = 0; k < 4; k++) {
        tp_scene *scene = NULL;
        tp_message why = {""};
        if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), edits[k], 2, &scene, &why) != TP_OK)
            fail_msg("%s", why.text);
        tp_simulation *simulation = simulate_with(scene->model, "moreau-jean", 1e-4 * T[k], 0.2 * T[k]);
        run(simulation);
        double end[2] = {tp_simulation_q(simulation)[0], tp_simulation_states(simulation)[0] / I[k]};
        if (k == 0) memcpy(reference, end, sizeof end);
        CHECK_NEAR(end[0], reference[0], 1e-9 * 1.5); /* before and after impacts: steps to 1e-12 of u */
        CHECK_NEAR(end[1], reference[1], 1e-9 * 6.0);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* The scene of the guide is whole: it runs, and its ripple is that of a capacitor which loses v/(load C). */
TEST(the_circuit_of_the_guide_runs)
{
    tp_message why = {""};
    static char text[20000];
    FILE *file = fopen(TIPPE_SOURCE_DIR "/docs/guide/states.md", "rb");
    CHECK(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    char *start = strstr(text, "```yaml\n");
    CHECK(start != NULL);
    start += strlen("```yaml\n");
    tp_scene *scene = NULL;
    size_t length = (size_t)(strstr(start, "```") - start);
    if (tp_scene_read_memory(NULL, "guide.yaml", start, length, NULL, 0, &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    double least = INFINITY, largest = 0.0;
    for (int k = 1; k <= 20000; k++) {
        step_to(simulation, k * 1e-5);
        double v = tp_simulation_states(simulation)[0];
        if (k > 18000) {
            least = fmin(least, v);
            largest = fmax(largest, v);
        }
    }
    /* a period of 20 ms takes at most v/load/C of it, and less while the diode conducts */
    CHECK(largest < 10.0 && largest - least < largest / 200 / 1e-3 * 0.02);
    CHECK(largest - least > 0.5 * least / 200 / 1e-3 * 0.02);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(units_order_and_sign_of_a_circuit_do_not_change_its_motion),
          RUNS(units_of_states_beside_mechanics_do_not_change_the_motion),
          RUNS(the_circuit_of_the_guide_runs))
