/* Contacts between balls in a step problem, by what their rows are made of; theory/large-heaps.md (3). */
#include "parts.h"
#include "step_problem.h"

#include <math.h>
#include <string.h>

/* ---- which models have no others ---- */

static bool is_ball(const tp_body *body)
{
    const tp_mat3 *J = &body->inertia;
    bool is_diagonal = J->cx.y == 0.0 && J->cx.z == 0.0 && J->cy.x == 0.0 && J->cy.z == 0.0 &&
                       J->cz.x == 0.0 && J->cz.y == 0.0;
    return body->kind == TP_BODY_RIGID && is_diagonal && J->cx.x == J->cy.y && J->cx.x == J->cz.z;
}

/* A ball about its body's centre of mass, or a shape of the ground. */
static bool is_round(const tp_model_shape *shape)
{
    const tp_vec3 *at = &shape->pose.origin;
    bool is_centred = at->x == 0.0 && at->y == 0.0 && at->z == 0.0;
    return shape->body == TP_GROUND || (shape->solid.kind == TP_SOLID_SPHERE && is_centred);
}

static bool is_plain(const tp_law *law)
{
    return law->row_count == 3 && law->set.kind == TP_SET_CONTACT &&
           law->set.friction_kind == TP_FRICTION_BALL && law->set.master_count == 0 && !law->is_force_bound &&
           !tp_law_has_static(law);
}

static bool are_balls_only(const tp_system *system)
{
    const tp_model *model = system->model;
    if (system->contacts == NULL || system->fixed_count > 0 || model->springs.count > 0) return false;
    if (system->general_u > 0 || system->general_q > 0) return false;
    for (int i = 0; i < model->bodies.count; i++) {
        if (!is_ball(TP_LIST_AT(model->bodies, tp_body, i))) return false;
    }
    for (int i = 0; i < model->shapes.count; i++) {
        bool has_rule = model->member_first[i + 1] > model->member_first[i];
        if (has_rule && !is_round(TP_LIST_AT(model->shapes, tp_model_shape, i))) return false;
    }
    for (int i = 0; i < model->rules.count; i++) {
        if (!is_plain(&TP_LIST_AT(model->rules, tp_contact_rule, i)->in_space)) return false;
    }
    return true;
}

tp_status tp_step_balls_take(tp_arena *arena, const tp_system *system, tp_step_problem *step)
{
    const tp_list *shapes = &system->model->shapes;
    step->may_be_balls = are_balls_only(system);
    if (!step->may_be_balls) return TP_OK;
    step->contact = TP_ARENA_RAW(arena, tp_ball_contact, step->capacity_sets);
    step->turn = tp_arena_take_raw(arena, (size_t)system->model->bodies.count, sizeof *step->turn);
    step->body_of_shape = TP_ARENA_RAW(arena, int, shapes->count);
    for (int i = 0; i < shapes->count && step->body_of_shape != NULL; i++)
        step->body_of_shape[i] = TP_LIST_AT(*shapes, tp_model_shape, i)->body;
    return tp_arena_status(arena);
}

/* ---- of a step ---- */

enum { BODIES_OF_TASK = 1024 };

typedef struct turning {
    tp_step_problem *step;
    const tp_system *system;
} turning;

static void turn_bodies(void *context, int begin, int end)
{
    const turning *all = context;
    for (int i = begin; i < end; i++) {
        const tp_mat3 *D = &all->system->body[i].frame.D;
        const double turn[9] = {D->cx.x, D->cy.x, D->cz.x, D->cx.y, D->cy.y,
                                D->cz.y, D->cx.z, D->cy.z, D->cz.z};
        memcpy(all->step->turn[i], turn, sizeof turn);
    }
}

void tp_step_balls_begin(tp_step_problem *step, const tp_system *system)
{
    int bodies = system->model->bodies.count;
    turning all = {step, system};
    step->balls = (tp_ball_rows){bodies, step->contact, step->turn};
    tp_pool_share(system->pool, bodies, BODIES_OF_TASK, turn_bodies, &all);
}

void tp_step_balls_place(tp_step_problem *step, int law)
{
    int set = step->problem.set_count++;
    step->law[set] = law;
    step->first_row[law] = step->problem.row_count;
    step->problem.row_count += 3;
}

/* The contact of a pair, by what lies close together in memory; as tp_contact_frame_of has it. */
bool tp_step_balls_fill(tp_step_problem *step, tp_system *system, int set)
{
    int index = step->law[set];
    tp_ball_contact *to = &step->contact[set];
    const tp_near_pair *pair = tp_system_pair(system, index);
    const tp_contact_point *at = tp_system_contact_point(system, index);
    step->problem.sets[set] = pair->touch.law->set;
    step->problem.sets[set].first = 3 * set;
    if (isinf(at->gap)) return false;
    const int body[2] = {step->body_of_shape[pair->touch.shape_a], step->body_of_shape[pair->touch.shape_b]};
    const tp_mat3 axes = tp_contact_axes(at->normal, tp_contact_axis(system, index, at->normal), false);
    tp_vec3 point[2] = {at->point_a, at->point_b};
    double arm[2] = {0.0, 0.0};
    if (body[0] != TP_GROUND && body[1] != TP_GROUND)
        point[0] = point[1] = tp_vec3_scale(0.5, tp_vec3_add(at->point_a, at->point_b));
    for (int s = 0; s < 2; s++) {
        if (body[s] == TP_GROUND) continue;
        tp_vec3 way = tp_vec3_sub(point[s], system->body[body[s]].frame.r);
        arm[s] = (s == 0 ? 1.0 : -1.0) * tp_vec3_dot(way, at->normal);
        if (!(arm[s] > 0.0)) return false; /* pressed in beyond the centre */
    }
    int b = body[0] == TP_GROUND || (body[1] != TP_GROUND && body[1] < body[0]);
    const double sign = b == 1 ? 1.0 : -1.0,
                 frame[9] = {axes.cx.x, axes.cx.y, axes.cx.z, axes.cy.x, axes.cy.y,
                             axes.cy.z, axes.cz.x, axes.cz.y, axes.cz.z};
    for (int k = 0; k < 9; k++) to->frame[k] = sign * frame[k];
    to->arm_a = arm[1 - b];
    to->arm_b = arm[b];
    to->body_a = body[1 - b];
    to->body_b = body[b];
    return true;
}

void tp_step_balls_end(tp_step_problem *step)
{
    step->problem.contact_count = step->problem.set_count;
    step->are_balls = true;
}

void tp_step_balls_velocity(const tp_step_problem *step, int set, const double *u, double *xi_out)
{
    const tp_ball_contact *c = &step->contact[set];
    const double *of_b = u + 6 * (size_t)c->body_b, *of_a = c->body_a >= 0 ? u + 6 * (size_t)c->body_a : NULL;
    double w_a[3], w_b[3];
    tp_ball_to_world(step->turn[c->body_b], of_b + 3, w_b);
    if (of_a != NULL) tp_ball_to_world(step->turn[c->body_a], of_a + 3, w_a);
    tp_ball_velocity(c, of_a, of_a != NULL ? w_a : NULL, of_b, w_b, xi_out);
}

void tp_step_problem_write_rows(tp_step_problem *step)
{
    tp_problem *p = &step->problem;
    if (!step->are_balls) return;
    step->are_balls = false;
    int count = 0;
    for (int i = 0; i < p->set_count; i++) {
        for (int k = 0; k < 3; k++) {
            count += tp_ball_row(&step->balls, i, k, p->A.index + count, p->A.value + count);
            p->A.start[3 * i + k + 1] = count;
        }
        p->D.diagonal[i] = p->D.column[i] = i;
        p->D.first[i + 1] = 3 * (i + 1);
        p->D.start[i + 1] = i + 1;
        p->D.offset[i + 1] = 9 * (size_t)(i + 1);
    }
    memset(p->D.value, 0, p->D.offset[p->set_count] * sizeof(double));
    p->A.cols = p->Ct.cols = p->row_count;
    p->D.block_rows = p->D.block_count = p->set_count;
    p->D.uniform = 3;
}
