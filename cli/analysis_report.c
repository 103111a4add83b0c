/* Holonomy, forces, viability and minimal coordinates of a scene, in words and as JSON. */
#include "analysis_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"

enum { NAMES_MAX = 12, TESTS_MAX = 400, FORCE_POINTS = 6 };

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* ---- holonomy ---- */

/* "x' 0.6, th' 0.8": what is not zero of a direction; units per second, or without (of offsets). */
static void print_direction(const tp_holonomy *holonomy, const double *values, bool is_offset)
{
    double most = 0.0;
    int count = 0;
    for (int i = 0; i < tp_holonomy_frame_count(holonomy); ++i) most = fmax(most, fabs(values[i]));
    for (int i = 0; i < tp_holonomy_frame_count(holonomy) && count < NAMES_MAX; ++i) {
        if (!(fabs(values[i]) > 1e-9 * most)) continue;
        printf("%s%s%s %.4g", count++ > 0 ? ", " : "", is_offset && i > 0 ? "of " : "",
               tp_holonomy_frame_name(holonomy, i), values[i]);
    }
    printf("%s\n", count == 0 ? "none" : "");
}

static void print_velocities(const tp_model *model, const double *values)
{
    int shown = 0, count = tp_model_summarise(model).velocity_count;
    if (values[0] != 0.0) printf("%stime %.4g", shown++ > 0 ? ", " : "", values[0]);
    for (int i = 0; i < count && shown < NAMES_MAX; ++i) {
        if (fabs(values[1 + i]) <= 1e-9) continue;
        printf("%s%s %.4g", shown++ > 0 ? ", " : "", tp_model_velocity_name(model, i), values[1 + i]);
    }
    printf("\n");
}

static void print_witness(const tp_holonomy *holonomy, const tp_model *model,
                          const tp_holonomy_witness *witness)
{
    printf("  witness      at t = %.4g s, for %.3g s each: (1), (2), back along (1), back along (2)\n",
           witness->time, witness->leg);
    printf("    (1)        ");
    print_velocities(model, witness->first);
    printf("    (2)        ");
    print_velocities(model, witness->second);
    printf("    ends off   ");
    print_direction(holonomy, witness->offset, false);
    printf("    reaches    ");
    print_direction(holonomy, witness->bracket, false);
}

/* "x' - 0.5 ph' = 0" */
static void print_relation(const tp_holonomy *holonomy, const double *row)
{
    int count = 0;
    for (int i = 0; i < tp_holonomy_frame_count(holonomy); ++i) {
        if (row[i] == 0.0) continue;
        double size = fabs(row[i]);
        printf("%s", row[i] < 0.0 ? (count == 0 ? "-" : " - ") : (count == 0 ? "" : " + "));
        if (size != 1.0 || i == 0) printf("%.4g%s", size, i > 0 ? " " : "");
        if (i > 0) printf("%s", tp_holonomy_frame_name(holonomy, i));
        ++count;
    }
    printf(" = 0\n");
}

static void print_names(const tp_holonomy_part *part)
{
    for (int k = 0; k < part->law_count && k < NAMES_MAX; ++k)
        printf("%s%s", k > 0 ? ", " : "", part->laws[k]);
    if (part->law_count > NAMES_MAX) printf(", ... and %d more", part->law_count - NAMES_MAX);
    if (part->rate_count > 0)
        printf("%srates of the coordinates (%d of them follow from the others)",
               part->law_count > 0 ? ", " : "", part->rate_count);
    printf("\n");
}

static void print_part(const tp_holonomy *holonomy, const tp_model *model, int number)
{
    const tp_holonomy_part *part = tp_holonomy_part_at(holonomy, number);
    int constraints = part->rank + part->rate_count;
    printf("part %-9d %s\n", number + 1, tp_holonomy_verdict_name(part->verdict));
    printf("  laws         ");
    print_names(part);
    if (part->rank < 0) {
        printf("  rank         not computed: %d velocities\n", part->velocity_count);
        return;
    }
    printf("  rank         %d of %d row%s; %d of %d velocities free\n", part->rank, part->row_count,
           plural(part->row_count), part->freedom, part->velocity_count);
    if (part->verdict == TP_INCOMPATIBLE) {
        printf("  time         no velocity satisfies these constraints at all times\n");
        return;
    }
    printf("  conditions   curvature %.3g, bracket %.3g (0: holonomic) at %d point%s, %s derivatives\n",
           part->residual, part->bracket, part->point_count, plural(part->point_count),
           part->is_exact ? "exact" : "differences for");
    if (part->singular_count > 0)
        printf("  singular     at %d more points, which are left out\n", part->singular_count);
    if (part->integrable_count >= 0)
        printf("  integrable   %d of %d constraint%s\n", part->integrable_count, constraints,
               plural(constraints));
    for (int k = 0; k < part->integrable_count && part->verdict == TP_NONHOLONOMIC && k < NAMES_MAX; ++k) {
        printf("    at start   ");
        print_relation(holonomy, part->integrable + k * tp_holonomy_frame_count(holonomy));
    }
    if (part->verdict == TP_NONHOLONOMIC) print_witness(holonomy, model, &part->witness);
}

static const char *const verdict_texts[] = {
    [TP_HOLONOMIC] = "holonomic: the constraints are relations between positions and time",
    [TP_NOT_EXAMINED] = "not examined: a part has too many velocities",
    [TP_NONHOLONOMIC] = "nonholonomic: the constraints restrict velocities, not positions alone",
    [TP_INCOMPATIBLE] = "incompatible: the constraints leave no velocity",
};

static void print_holonomy(const tp_holonomy *holonomy, const tp_model *model, bool with_contacts)
{
    printf("%-14s ", with_contacts ? "with contacts" : "holonomy");
    if (tp_holonomy_part_count(holonomy) == 0) {
        printf("no constraints%s\n", with_contacts ? " and no contacts at rest" : "");
        return;
    }
    printf("%s\n", verdict_texts[tp_holonomy_verdict_of(holonomy)]);
    for (int k = 0; k < tp_holonomy_part_count(holonomy); ++k) print_part(holonomy, model, k);
}

static void write_part(json_writer *json, const tp_holonomy *holonomy, const tp_model *model, int number)
{
    const tp_holonomy_part *part = tp_holonomy_part_at(holonomy, number);
    const tp_holonomy_witness *witness = &part->witness;
    tp_model_summary summary = tp_model_summarise(model);
    int frame = tp_holonomy_frame_count(holonomy);
    json_open(json, '{');
    json_text_at(json, "verdict", tp_holonomy_verdict_name(part->verdict));
    json_open_at(json, "laws", '[');
    for (int k = 0; k < part->law_count; ++k) json_text(json, part->laws[k]);
    json_close(json, ']');
    json_integer_at(json, "rows", part->row_count);
    json_real_at(json, "rank", part->rank >= 0 ? part->rank : NAN);
    json_integer_at(json, "rates", part->rate_count);
    json_integer_at(json, "velocities", part->velocity_count);
    json_integer_at(json, "free", part->freedom);
    json_bool_at(json, "exact_derivatives", part->is_exact);
    json_real_at(json, "curvature", part->residual);
    json_real_at(json, "bracket", part->bracket);
    json_integer_at(json, "points", part->point_count);
    json_integer_at(json, "singular_points", part->singular_count);
    json_real_at(json, "integrable", part->integrable_count >= 0 ? part->integrable_count : NAN);
    json_open_at(json, "relations", '[');
    for (int k = 0; k < part->integrable_count; ++k) json_reals(json, part->integrable + k * frame, frame);
    json_close(json, ']');
    if (part->verdict == TP_NONHOLONOMIC) {
        json_open_at(json, "witness", '{');
        json_real_at(json, "time", witness->time);
        json_reals_at(json, "q", witness->q, summary.coordinate_count);
        json_reals_at(json, "first", witness->first, 1 + summary.velocity_count);
        json_reals_at(json, "second", witness->second, 1 + summary.velocity_count);
        json_reals_at(json, "bracket", witness->bracket, frame);
        json_real_at(json, "leg", witness->leg);
        json_reals_at(json, "offset", witness->offset, frame);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void write_holonomy(json_writer *json, const char *key, const tp_holonomy *holonomy,
                           const tp_model *model)
{
    json_open_at(json, key, '{');
    json_text_at(json, "verdict", tp_holonomy_verdict_name(tp_holonomy_verdict_of(holonomy)));
    json_open_at(json, "frame", '[');
    for (int i = 0; i < tp_holonomy_frame_count(holonomy); ++i)
        json_text(json, tp_holonomy_frame_name(holonomy, i));
    json_close(json, ']');
    json_open_at(json, "parts", '[');
    for (int k = 0; k < tp_holonomy_part_count(holonomy); ++k) write_part(json, holonomy, model, k);
    json_close(json, ']');
    json_close(json, '}');
}

static int law_total(const tp_holonomy *holonomy)
{
    int sum = 0;
    for (int k = 0; k < tp_holonomy_part_count(holonomy); ++k)
        sum += tp_holonomy_part_at(holonomy, k)->law_count;
    return sum;
}

/* Constraints alone, and with contacts at rest where there are any. */
static tp_status report_holonomy(const tp_scene *scene, json_writer *json)
{
    tp_holonomy *alone = NULL, *together = NULL;
    tp_holonomy_options options = tp_holonomy_options_default();
    tp_status status = tp_holonomy_create(NULL, scene->model, &options, &alone);
    options.with_contacts = true;
    if (status == TP_OK) status = tp_holonomy_create(NULL, scene->model, &options, &together);
    if (status == TP_OK) {
        bool differ = law_total(together) != law_total(alone);
        if (json != NULL) {
            write_holonomy(json, "holonomy", alone, scene->model);
            if (differ) write_holonomy(json, "holonomy_with_contacts", together, scene->model);
        } else {
            print_holonomy(alone, scene->model, false);
            if (differ) print_holonomy(together, scene->model, true);
        }
    }
    tp_holonomy_free(together);
    tp_holonomy_free(alone);
    return status;
}

/* ---- forces ---- */

static void print_condition(const char *title, double value, const char *holds, const char *broken)
{
    printf("  %-12s %s (%.2g)\n", title, value <= 1e-7 ? holds : broken, value);
}

static void print_forces(const tp_force_test *test)
{
    printf("forces         %s\n", !test->has_potential ? "have no potential"
                                  : test->has_velocity ? "have a potential: a scalar and a vector one"
                                  : test->has_time     ? "have a potential, which depends on time"
                                                       : "have a potential: energy is conserved");
    print_condition("velocities", test->not_affine, "forces are affine in them",
                    "forces are not affine in them");
    print_condition("skew", test->not_skew, "no damping",
                    test->is_damped ? "damping" : "forces that feed energy");
    print_condition("closed", test->not_closed, "velocity forces have a vector potential",
                    "velocity forces have none");
    print_condition("induction", test->induction, "no swirl", "a swirl: work along a closed path at rest");
}

static void print_interactions(const tp_interaction_test *tests, int count)
{
    int outside = 0;
    for (int k = 0; k < count; ++k) outside += !tests[k].is_internal;
    printf("interactions   %d of %d laws between bodies are internal\n", count - outside, count);
    for (int k = 0; k < count; ++k) {
        if (tests[k].is_internal) continue;
        printf(
            "  %-12s needs a support outside: net force %.3g, net moment %.3g of the forces on the bodies\n",
            tests[k].name, tests[k].force, tests[k].moment);
    }
}

static void write_forces(json_writer *json, const tp_force_test *test, const char *reason,
                         const tp_interaction_test *tests, int count)
{
    json_open_at(json, "forces", '{');
    json_text_at(json, "reason", reason);
    if (reason == NULL) {
        json_bool_at(json, "potential", test->has_potential);
        json_bool_at(json, "depend_on_velocity", test->has_velocity);
        json_bool_at(json, "depend_on_time", test->has_time);
        json_bool_at(json, "damped", test->is_damped);
        json_real_at(json, "not_affine", test->not_affine);
        json_real_at(json, "not_skew", test->not_skew);
        json_real_at(json, "not_closed", test->not_closed);
        json_real_at(json, "induction", test->induction);
        json_integer_at(json, "points", test->point_count);
    }
    json_open_at(json, "interactions", '[');
    for (int k = 0; k < count; ++k) {
        json_open(json, '{');
        json_text_at(json, "name", tests[k].name);
        json_integer_at(json, "bodies", tests[k].body_count);
        json_real_at(json, "net_force", tests[k].force);
        json_real_at(json, "net_moment", tests[k].moment);
        json_bool_at(json, "internal", tests[k].is_internal);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static tp_status report_forces(const tp_scene *scene, json_writer *json)
{
    tp_force_test test;
    tp_message why = {""};
    tp_interaction_test tests[TESTS_MAX];
    tp_status status = tp_force_test_model(NULL, scene->model, FORCE_POINTS, 1, &test, &why);
    if (status != TP_OK && status != TP_UNSUPPORTED) return status;
    int count = tp_interaction_test_model(NULL, scene->model, TESTS_MAX, tests);
    if (count < 0) return TP_OUT_OF_MEMORY;
    if (count > TESTS_MAX) count = TESTS_MAX;
    if (json != NULL) {
        write_forces(json, &test, status == TP_OK ? NULL : why.text, tests, count);
    } else {
        if (status == TP_OK) {
            print_forces(&test);
        } else {
            printf("forces         not examined: %s\n", why.text);
        }
        print_interactions(tests, count);
    }
    return TP_OK;
}

/* ---- viability ---- */

static const char *viability_text(const tp_viability *v)
{
    if (!v->is_inside) return "not viable: gaps or constraints are violated";
    if (!v->is_possible) return "not viable: no velocity keeps the closed contacts from overlapping";
    if (!v->is_forward) return "an impact follows at once: closed contacts approach";
    return v->is_backward ? "viable, and the state can have been reached"
                          : "viable; it starts by parting, as after an impact";
}

static void print_viability(const tp_viability *v)
{
    printf("viability      %s\n", viability_text(v));
    if (v->locked_count > 0)
        printf("locked         %d closed contacts hold each other and cannot part\n", v->locked_count);
    for (int k = 0; k < v->contact_count; ++k) {
        const tp_viability_contact *contact = &v->contacts[k];
        printf("  %-20s ", contact->name);
        if (isfinite(contact->gap)) printf("gap %.6g %s, ", contact->gap, contact->unit);
        if (!isnan(contact->gap) && !isfinite(contact->gap)) {
            printf("nothing near\n");
            continue;
        }
        printf("rate %.6g %s/s%s", contact->rate, contact->unit, contact->is_active ? ", closed" : "");
        if (!contact->is_forward) printf(", approaches");
        if (!contact->is_backward) printf(", parts");
        if (contact->share > 1e-12)
            printf(v->is_possible ? ", impulse %.4g without rebound" : ", share %.4g in the proof",
                   contact->share);
        printf("\n");
    }
}

static void write_viability(json_writer *json, const tp_viability *v, int velocities)
{
    json_open_at(json, "viability", '{');
    json_bool_at(json, "inside", v->is_inside);
    json_bool_at(json, "forward", v->is_forward);
    json_bool_at(json, "backward", v->is_backward);
    json_bool_at(json, "possible", v->is_possible);
    json_integer_at(json, "locked", v->locked_count);
    json_reals_at(json, "velocity", v->velocity, v->velocity != NULL ? velocities : 0);
    json_open_at(json, "contacts", '[');
    for (int k = 0; k < v->contact_count; ++k) {
        const tp_viability_contact *contact = &v->contacts[k];
        json_open(json, '{');
        json_text_at(json, "name", contact->name);
        json_real_at(json, "gap", contact->gap);
        json_real_at(json, "rate", contact->rate);
        json_bool_at(json, "closed", contact->is_active);
        json_bool_at(json, "forward", contact->is_forward);
        json_bool_at(json, "backward", contact->is_backward);
        json_real_at(json, "share", contact->share);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static tp_status report_viability(const tp_scene *scene, json_writer *json)
{
    tp_viability viability;
    double tolerance = fmax(scene->options.contact_tolerance, 1e-9);
    TP_TRY(tp_viability_find(NULL, scene->model, 0.0, NULL, NULL, tolerance, &viability));
    if (json != NULL) {
        write_viability(json, &viability, tp_model_summarise(scene->model).velocity_count);
    } else {
        print_viability(&viability);
    }
    tp_viability_free(&viability);
    return TP_OK;
}

/* ---- minimal coordinates ---- */

enum { MINIMAL_MAX = 12 }; /* printed with their mass matrix */

static void print_reduction(const tp_reduction *reduction, const double *y, const double *rate,
                            const double *M, const double *acceleration)
{
    int n = tp_reduction_count(reduction);
    printf("minimal        %d coordinate%s\n", n, plural(n));
    for (int i = 0; i < n; ++i) {
        printf("  %-20s %.9g, rate %.9g, acceleration %.9g at the start", tp_reduction_name(reduction, i),
               y[i], rate[i], acceleration[i]);
        printf(n <= MINIMAL_MAX ? "; mass" : "");
        for (int j = 0; j < n && n <= MINIMAL_MAX; ++j) printf(" %.6g", M[i + n * j]);
        printf("\n");
    }
    for (int i = 0; tp_reduction_left_out(reduction, i) != NULL; ++i)
        printf("%s%s", i == 0 ? "  left out: " : ", ", tp_reduction_left_out(reduction, i));
    if (tp_reduction_left_out(reduction, 0) != NULL) printf("\n");
}

static void write_reduction(json_writer *json, const tp_reduction *reduction, const double *y,
                            const double *rate, const double *M, const double *acceleration)
{
    int n = tp_reduction_count(reduction);
    json_open_at(json, "coordinates", '[');
    for (int i = 0; i < n; ++i) json_text(json, tp_reduction_name(reduction, i));
    json_close(json, ']');
    json_open_at(json, "left_out", '[');
    for (int i = 0; tp_reduction_left_out(reduction, i) != NULL; ++i)
        json_text(json, tp_reduction_left_out(reduction, i));
    json_close(json, ']');
    json_reals_at(json, "start", y, n);
    json_reals_at(json, "rates", rate, n);
    json_reals_at(json, "mass", M, n * n);
    json_reals_at(json, "accelerations", acceleration, n);
}

/* What has no minimal coordinates is said with the reason. */
static tp_status report_reduction(const tp_scene *scene, json_writer *json)
{
    tp_reduction *reduction = NULL;
    tp_message why = {""};
    tp_status status = tp_reduction_create(NULL, scene->model, NULL, 0, &reduction, &why);
    if (status != TP_OK && status != TP_UNSUPPORTED) return status;
    if (json != NULL) {
        json_open_at(json, "minimal", '{');
        json_text_at(json, "reason", status == TP_OK ? NULL : why.text);
    } else if (status != TP_OK) {
        printf("minimal        none: %s\n", why.text);
    }
    int n = status == TP_OK ? tp_reduction_count(reduction) : 0;
    double *work = status == TP_OK ? calloc((size_t)(n * n + 3 * n + 1), sizeof *work) : NULL;
    if (status == TP_OK && work == NULL) status = TP_OUT_OF_MEMORY;
    if (status == TP_OK) {
        double *y = work, *rate = y + n, *acceleration = rate + n, *M = acceleration + n;
        tp_reduction_start(reduction, y, rate);
        status = tp_reduction_evaluate(reduction, 0.0, y, rate, M, NULL, acceleration);
        if (status == TP_OK && json != NULL) write_reduction(json, reduction, y, rate, M, acceleration);
        if (status == TP_OK && json == NULL) print_reduction(reduction, y, rate, M, acceleration);
    }
    if (json != NULL) json_close(json, '}');
    free(work);
    tp_reduction_free(reduction);
    return status == TP_UNSUPPORTED ? TP_OK : status;
}

/* ---- all ---- */

tp_status analysis_print(const tp_scene *scene, const analysis_choice *choice, bool as_json)
{
    json_writer writer = {0}, *json = as_json ? &writer : NULL;
    tp_status status = TP_OK;
    if (as_json) {
        writer = json_begin_object(stdout);
        json_text_at(json, "scene", scene->path);
        json_text_at(json, "name", scene->name);
    } else {
        printf("scene          %s\n", scene->path);
    }
    if (choice->holonomy) status = report_holonomy(scene, json);
    if (choice->forces && status == TP_OK) status = report_forces(scene, json);
    if (choice->viability && status == TP_OK) status = report_viability(scene, json);
    if (choice->reduce && status == TP_OK) status = report_reduction(scene, json);
    if (as_json) json_end_object(json);
    return status;
}
