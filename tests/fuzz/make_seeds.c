/* Seeds of the fuzz targets from small data files: make_seeds DATA DAT_FOLDER FCLIB_FOLDER. */
#include "tippe/exchange.h"

#include <stdio.h>

static const char *const files[] = {
    "fc3d/FrictionContact3D_1c.dat",
    "fc3d/FC3D_Example1_SBM.dat",
    "fc3d/GFC3D_Example00_badly_scaled.dat",
    "fc3d/GFC3D_Example1.dat",
    "fc2d/FC2D_SliderCrankLagrangian00000.dat",
    "fc2d/FrictionContactProblem00031.dat",
    "rolling/RFC3D_sphere_1.dat",
    "lcp/lcp_CPS_1.dat",
    "lcp/lcp_deudeu_block.dat",
    "relay/step_2x2.dat",
    "mlcp/Rectangular_mlcp.dat",
    "mlcp/m2n1_mlcp.dat",
    "generic/GMP0.dat",
    "generic/GMP4.dat",
    "generic/GMP5.dat",
    "fc3d/GFC3D_TwoRods1.dat.gz",
};

static void copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    for (int byte; in && out && (byte = fgetc(in)) != EOF;) fputc(byte, out);
    if (in) fclose(in);
    if (out) fclose(out);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 4) return 2;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        char from[1024], to[1024];
        tp_problem *problem;
        snprintf(from, sizeof from, "%s/%s", arguments[1], files[k]);
        if (tp_problem_read(NULL, from, &problem, NULL) != TP_OK) return 1;
        snprintf(to, sizeof to, "%s/%zu-as-found", arguments[2], k);
        copy(from, to);
        snprintf(to, sizeof to, "%s/%zu-as-written.dat", arguments[2], k);
        (void)tp_problem_write(problem, to, NULL);
        snprintf(to, sizeof to, "%s/%zu.h5", arguments[3], k); /* only friction problems succeed */
        (void)tp_problem_write(problem, to, NULL);
        tp_problem_free(problem);
    }
    return 0;
}
