/* Systems with known answers, given by formulas: constraints on velocities over coordinates. */
#ifndef TESTS_CALCULUS_HOLONOMY_MODELS_H
#define TESTS_CALCULUS_HOLONOMY_MODELS_H

#include "models.h"
#include "tippe/analysis.h"

enum { COORDINATES_MAX = 9, CONSTRAINTS_MAX = 6 };

/* A system of constraints, with the answers: verdict, rank, how many constraints are integrable. */
typedef struct known_system {
    const char *name;
    const char *coordinates[COORDINATES_MAX];
    const char *velocity[CONSTRAINTS_MAX]; /* = 0 */
    const char *position[CONSTRAINTS_MAX]; /* = 0 */
    tp_holonomy_verdict verdict;
    int rank, integrable;
} known_system;

/* Starts in general position, where every position constraint of the lists above holds. */
static inline tp_model *model_of(const known_system *known)
{
    tp_model *model = new_model();
    char kinetic[400] = "";
    tp_finish_options options = tp_finish_options_default();
    options.project_initial_state = true;
    for (int i = 0; i < COORDINATES_MAX && known->coordinates[i] != NULL; i++) {
        size_t length = strlen(kinetic);
        coordinate(model, known->coordinates[i], 0.3 + 0.17 * i, 0.1);
        snprintf(kinetic + length, sizeof kinetic - length, "%s%s'^2/2", i > 0 ? " + " : "",
                 known->coordinates[i]);
    }
    must(model, tp_model_add_kinetic(model, TP_FORMULA(kinetic), &build_why));
    for (int k = 0; k < CONSTRAINTS_MAX; k++) {
        tp_constraint_def def = tp_constraint_def_default();
        char name[20];
        snprintf(name, sizeof name, "c%d", k);
        def.name = name;
        if (known->velocity[k] != NULL) {
            def.velocity = TP_FORMULA(known->velocity[k]);
            must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
        }
        snprintf(name, sizeof name, "p%d", k);
        def = tp_constraint_def_default();
        def.name = name;
        if (known->position[k] == NULL) continue;
        def.position = TP_FORMULA(known->position[k]);
        must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
    }
    must(model, tp_model_finish(model, &options, &build_why));
    return model;
}

static inline tp_holonomy *holonomy_of(const tp_model *model, bool with_contacts)
{
    tp_holonomy *holonomy = NULL;
    tp_holonomy_options options = tp_holonomy_options_default();
    options.with_contacts = with_contacts;
    if (tp_holonomy_create(NULL, model, &options, &holonomy) != TP_OK) fail();
    return holonomy;
}

#endif
