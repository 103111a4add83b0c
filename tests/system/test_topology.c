/* Systems, interactions, links, index sets, relative degrees and levels; docs/theory/topology.md. */
#include "models.h"
#include "rows.h"

#include "system/system.h"

/* Three masses; mu acts between the first and the third with three rows, theta between the second and the
   third with one. */
static tp_model *three_masses(void)
{
    tp_model *model = new_model();
    coordinate(model, "a", 0.0, 0.0);
    coordinate(model, "b", 0.5, -1.0);
    coordinate(model, "c", 1.0, 0.2);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(a'^2 + 2*b'^2 + 3*c'^2)"), &build_why));
    tp_contact_def def = tp_contact_def_default();
    def.name = "mu";
    def.gap = TP_FORMULA("c - a");
    def.slip[0] = TP_FORMULA("a' + c'");
    def.slip[1] = TP_FORMULA("a' - 2*c'");
    def.slip_count = 2;
    def.friction[0] = 0.5;
    must(model, tp_model_add_contact(model, &def, NULL, &build_why));
    contact(model, "theta", "c - b", NULL, 0.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

TEST(interactions_are_linked_through_the_systems_they_share)
{
    tp_model *model = three_masses();
    tp_topology *topology = NULL;
    CHECK_INT(tp_topology_create(NULL, model, 0.0, &topology), TP_OK);
    CHECK_INT(tp_topology_system_count(topology), 3);
    for (int j = 0; j < 3; j++) CHECK_INT(tp_topology_system_of(topology, j), j);
    CHECK_INT(tp_topology_interaction_count(topology), 2);
    CHECK_INT(tp_topology_row_count(topology), 4);
    CHECK_INT(tp_topology_interaction(topology, 0).size, 3);
    CHECK_INT(tp_topology_interaction(topology, 1).size, 1);
    static const bool used[2][3] = {{true, false, true}, {false, true, true}};
    for (int i = 0; i < 2; i++) {
        for (int s = 0; s < 3; s++) CHECK(tp_topology_uses(topology, i, s) == used[i][s]);
        int system = -1;
        CHECK_INT(tp_topology_links(topology, i, 1 - i, 1, &system), 1);
        CHECK_INT(system, 2);
        CHECK_INT(tp_topology_links(topology, i, i, 0, NULL), 0);
    }
    CHECK_INT(tp_topology_system_of(topology, 3), -1);
    CHECK(!tp_topology_uses(topology, 2, 0) && !tp_topology_uses(topology, 0, 3));
    tp_topology_free(topology);
    tp_model_free(model);
}

/* The blocks of W^T M^-1 W are sums over the systems that two interactions share; what is not shared adds
   nothing. */
TEST(blocks_of_the_delassus_operator_are_sums_over_common_systems)
{
    tp_model *model = three_masses();
    tp_topology *topology = NULL;
    tp_system *system = NULL;
    CHECK_INT(tp_topology_create(NULL, model, 0.0, &topology), TP_OK);
    CHECK_INT(tp_system_create(NULL, model, &system), TP_OK);
    const double q[3] = {0.0, 0.5, 1.0}, u[3] = {0.0}, mass[3] = {1.0, 2.0, 3.0};
    double W[4][3], chi[4];
    tp_system_move(system, 0.0, q, u);
    full_rows(system, 0, W[0], chi);
    full_rows(system, 1, W[3], chi + 3);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double whole = 0.0, shared = 0.0;
            for (int s = 0; s < 3; s++) {
                double part = W[i][s] * W[j][s] / mass[s];
                whole += part;
                bool is_shared = tp_topology_uses(topology, i / 3, s) && tp_topology_uses(topology, j / 3, s);
                if (is_shared) shared += part;
            }
            CHECK_NEAR(whole, shared, 0.0);
        }
    }
    CHECK_NEAR(W[0][2] * W[3][2] / mass[2], 1.0 / 3.0, 1e-15); /* mu and theta, through the third */
    tp_system_free(system);
    tp_topology_free(topology);
    tp_model_free(model);
}

/* Springs, dampers, common inertia and own velocities make one system of several velocities. */
TEST(systems_are_what_inertia_and_forces_couple)
{
    static const struct {
        const char *force;
        int count;
    } cases[] = {{"", 4}, {"1/2*(b - a)^2", 3}, {"b*c + c*d", 2}, {"cos(a)*cos(d)", 3}, {"a*b*c*d", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_model *model = new_model();
        for (char name[2] = "a"; name[0] <= 'd'; name[0]++) coordinate(model, name, 0.0, 0.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(a'^2 + b'^2 + c'^2 + d'^2)"), &build_why));
        if (cases[k].force[0] != '\0')
            must(model, tp_model_add_potential(model, TP_FORMULA(cases[k].force), &build_why));
        must(model, tp_model_finish(model, NULL, &build_why));
        tp_topology *topology = NULL;
        CHECK_INT(tp_topology_create(NULL, model, 0.0, &topology), TP_OK);
        CHECK_INT(tp_topology_system_count(topology), cases[k].count);
        tp_topology_free(topology);
        tp_model_free(model);
    }
    tp_model *model = double_pendulum_model(false);
    tp_topology *topology = NULL;
    CHECK_INT(tp_topology_create(NULL, model, 0.0, &topology), TP_OK);
    CHECK_INT(tp_topology_system_count(topology), 1);
    tp_topology_free(topology);
    tp_model_free(model);
}

/* I0: all; I1: the gap predicted half a step ahead is closed; I2: closed and at rest. */
TEST(index_sets_follow_gap_and_rate)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.01, -1.0);
    coordinate(model, "y", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2)"), &build_why));
    contact(model, "near", "x", NULL, 0.0, 0.0);
    contact(model, "resting", "y", NULL, 0.0, 0.0);
    tp_law_def law = tp_law_def_default();
    law.name = "clutch";
    law.velocity[0] = TP_FORMULA("x' - y' + 5");
    must(model, tp_model_add_law(model, &law, NULL, &build_why));
    tp_contact_def pad = tp_contact_def_default();
    pad.name = "pad";
    pad.gap = TP_FORMULA("x - 0.008");
    pad.compliance = 1.0;
    must(model, tp_model_add_contact(model, &pad, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_topology *topology = NULL;
    CHECK_INT(tp_topology_create(NULL, model, 1e-12, &topology), TP_OK);
    const double q[2] = {0.01, 0.0}, u[2] = {-1.0, 0.0};
    static const struct {
        int level;
        double forecast;
        bool is_member[4]; /* near, resting, clutch, pad */
    } cases[] = {
        {0, 0.0, {true, true, true, true}},          {1, 0.5e-2, {false, true, true, true}},
        {1, 0.5 * 2.1e-2, {true, true, true, true}}, {1, 0.0, {false, true, true, false}},
        {2, 0.0, {false, true, true, false}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        bool is_member[4];
        int count = 0;
        for (int i = 0; i < 4; i++) count += cases[k].is_member[i];
        CHECK_INT(tp_topology_index_set(topology, cases[k].level, 0.0, q, u, cases[k].forecast, is_member),
                  count);
        for (int i = 0; i < 4; i++) CHECK(is_member[i] == cases[k].is_member[i]);
    }
    bool unused[4];
    CHECK_INT(tp_topology_index_set(topology, 3, 0.0, q, u, 0.0, unused), -1);

    /* what the interactions are at the start */
    static const tp_interaction_kind kinds[] = {TP_INTERACTION_CONTACT, TP_INTERACTION_CONTACT,
                                                TP_INTERACTION_LAW, TP_INTERACTION_COMPLIANT};
    static const int degrees[] = {2, 2, 1, 0};
    static const bool closed[] = {false, true, false, false};
    for (int i = 0; i < 4; i++) {
        tp_interaction item = tp_topology_interaction(topology, i);
        CHECK(item.kind == kinds[i] && item.is_closed == closed[i]);
        CHECK_INT(item.relative_degree, degrees[i]);
    }
    CHECK(isnan(tp_topology_interaction(topology, 2).position));
    CHECK_INT(tp_topology_interaction(topology, 4).relative_degree, TP_DEGREE_NONE);
    tp_topology_free(topology);
    tp_model_free(model);
}

/* A gap that no velocity changes at the start has no relative degree there. */
TEST(a_row_that_vanishes_has_no_relative_degree)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
    contact(model, "flat", "1 + x^2", NULL, 0.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_topology *topology = NULL;
    CHECK_INT(tp_topology_create(NULL, model, 0.0, &topology), TP_OK);
    CHECK_INT(tp_topology_interaction(topology, 0).relative_degree, TP_DEGREE_NONE);
    tp_topology_free(topology);
    tp_model_free(model);
}

/* --- Markov parameters */

TEST(relative_degrees_of_scalar_systems)
{
    const double zero = 0.0, one = 1.0, A[4] = {0, 0, 1, 0}, B[2] = {0, 1}, C[2] = {1, 0};
    int degree;
    CHECK_INT(tp_relative_degree(NULL, 1, 1, &zero, &one, &one, &one, 1e-12, &degree), TP_OK);
    CHECK_INT(degree, 0);
    CHECK_INT(tp_relative_degree(NULL, 1, 1, &zero, &one, &one, NULL, 1e-12, &degree), TP_OK);
    CHECK_INT(degree, 1);
    CHECK_INT(tp_relative_degree(NULL, 2, 1, A, B, C, &zero, 1e-12, &degree), TP_OK); /* a contact */
    CHECK_INT(degree, 2);
    CHECK_INT(tp_relative_degree(NULL, 2, 1, A, C, B, NULL, 1e-12, &degree), TP_OK); /* not observable */
    CHECK_INT(degree, TP_DEGREE_NONE);
    CHECK_INT(tp_relative_degree(NULL, 2, 0, A, B, C, NULL, 1e-12, &degree), TP_INVALID_ARGUMENT);
}

/* Entries scaled over many orders of magnitude: zero is relative. */
TEST(a_chain_of_n_integrators_has_relative_degree_n)
{
    enum { MOST = 8 };
    check_random random = {5};
    for (int n = 1; n <= MOST; n++) {
        double A[MOST * MOST] = {0.0}, B[MOST] = {0.0}, C[MOST] = {0.0},
                        scale = exp(check_uniform(&random, -20, 20));
        for (int i = 0; i + 1 < n; i++) A[i + (i + 1) * n] = scale;
        B[n - 1] = scale;
        C[0] = 1.0 / scale;
        int degree, row;
        CHECK_INT(tp_relative_degree(NULL, n, 1, A, B, C, NULL, 1e-12, &degree), TP_OK);
        CHECK_INT(degree, n);
        CHECK_INT(tp_relative_degree_rows(NULL, n, 1, A, B, C, NULL, 1e-12, &row), TP_OK);
        CHECK_INT(row, n);
    }
}

TEST(mixed_degrees_are_not_uniform_but_known_row_by_row)
{
    const double A[4] = {0.0}, B[4] = {1, 0, 0, 1}, D[4] = {1, 0, 0, 0};
    int degree, rows[2];
    CHECK_INT(tp_relative_degree(NULL, 2, 2, A, B, B, D, 1e-12, &degree), TP_OK);
    CHECK_INT(degree, TP_DEGREE_NOT_UNIFORM);
    CHECK_INT(tp_relative_degree_rows(NULL, 2, 2, A, B, B, D, 1e-12, rows), TP_OK);
    CHECK_INT(rows[0], 0);
    CHECK_INT(rows[1], 1);
    CHECK_INT(tp_relative_degree(NULL, 2, 2, A, B, B, NULL, 1e-12, &degree), TP_OK);
    CHECK_INT(degree, 1);
}

/* --- levels */

TEST(integrators_work_on_the_levels_of_the_specification)
{
    static const struct {
        const char *name;
        tp_levels levels;
        bool has_compliant_laws;
    } table[] = {{"moreau", {0, 1, 1, 1}, false},
                 {"moreau-jean", {0, 1, 1, 1}, true},
                 {"schatzman-paoli", {0, 0, 0, 0}, false},
                 {"consistent-position", {0, 0, 0, 0}, false},
                 {"consistent", {0, 1, 0, 1}, false},
                 {"consistent-two-step", {0, 1, 0, 1}, false},
                 {"consistent-quaternion", {0, 1, 0, 1}, false},
                 {"relaxed-dai", {0, 2, 2, 2}, false}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        tp_levels found;
        int index = tp_integrator_find(table[k].name);
        CHECK(tp_integrator_levels(index, false, &found));
        CHECK(memcmp(&found, &table[k].levels, sizeof found) == 0);
        CHECK(tp_integrator_levels(index, true, &found) == table[k].has_compliant_laws);
        if (table[k].has_compliant_laws)
            CHECK(found.output_max == 0 && found.input_min == 0 && found.input_max == 0);
    }
    CHECK(!tp_integrator_levels(-1, false, NULL) && !tp_integrator_levels(1000, false, NULL));
}

TEST_MAIN(RUNS(interactions_are_linked_through_the_systems_they_share),
          RUNS(blocks_of_the_delassus_operator_are_sums_over_common_systems),
          RUNS(systems_are_what_inertia_and_forces_couple), RUNS(index_sets_follow_gap_and_rate),
          RUNS(a_row_that_vanishes_has_no_relative_degree), RUNS(relative_degrees_of_scalar_systems),
          RUNS(a_chain_of_n_integrators_has_relative_degree_n),
          RUNS(mixed_degrees_are_not_uniform_but_known_row_by_row),
          RUNS(integrators_work_on_the_levels_of_the_specification))
