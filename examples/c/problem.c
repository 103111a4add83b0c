/* A block of 2 kg slides at 1 m/s on the ground (friction 0.5) under its weight, for 0.1 s. */
#include <stdio.h>
#include <tippe/tippe.h>

int main(void)
{
    const double mass = 2.0, dt = 0.1, g = 9.81, friction = 0.5;
    const double G[] = {1 / mass, 0, 0, 0, 1 / mass, 0, 0, 0, 1 / mass}; /* by columns */
    const double free_velocity[] = {-g * dt, 1.0, 0.0};                  /* N, T1, T2 without the contact */
    const tp_set contact = tp_set_coulomb(3, friction);

    tp_problem_def def = tp_problem_def_default();
    def.row_count = 3, def.set_count = 1, def.sets = &contact, def.b = free_velocity;
    def.D = (tp_entries){.rows = 3, .cols = 3, .value = G};

    tp_problem *problem = NULL;
    tp_workspace *workspace = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) return fprintf(stderr, "%s\n", why.text), 1;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) return 1;

    double P[3], xi[3];
    tp_report report;
    tp_solver_options options = tp_solver_options_default();
    tp_status status = tp_solve(problem, NULL, &options, workspace, P, NULL, &report);
    if (status == TP_OK) status = tp_problem_state(problem, P, NULL, xi);
    printf("%s: impulse %.3f %.3f %.3f N s, slides on at %.4f m/s\n", tp_status_text(status), P[0], P[1],
           P[2], xi[1]);

    tp_workspace_free(workspace);
    tp_problem_free(problem);
    return status == TP_OK ? 0 : 1;
}
