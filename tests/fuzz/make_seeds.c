/* Seeds of the fuzz targets, most from small data files: make_seeds DATA DAT_FOLDER FCLIB_FOLDER
 * TRAJECTORY_FOLDER.
 */
#include "../io/hdf5_problem.h"
#include "../io/hdf5_run.h"
#include "tippe/exchange.h"
#include "tippe/output.h"

#include <stdio.h>
#include <string.h>

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

static bool put_bytes(void *context, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count;
}

/* Instead of an HDF5 file the packed tree of it. */
static void pack(const char *path)
{
    const tp_hdf5_request request = {.path = path};
    tp_hdf5_tree *tree = NULL;
    if (tp_hdf5_load(NULL, &request, &tree, NULL) != TP_OK) return; /* not written */
    FILE *file = fopen(path, "wb");
    if (file) (void)tp_hdf5_pack(tree, put_bytes, file);
    if (file) fclose(file);
    tp_hdf5_free(tree);
}

/* A trajectory; many columns make the file use heaps and trees, a long scene lies outside of the heap. */
static int put_trajectory(const char *path, int column_count, long long row_count, int scene_bytes)
{
    static const tp_table_column columns[] = {{"time", "s", "t"}, {"q/a", "m", ""},    {"q/b", "m", "text"},
                                              {"q/c", "m", ""},   {"q/d", "m", ""},    {"q/e", "m", ""},
                                              {"q/f", "m", ""},   {"q/g", "m", ""},    {"q/h", "m", ""},
                                              {"q/i", "m", ""},   {"u/a", "m/s", "x"}, {"u/v/b", "", ""}};
    static const tp_table_attribute notes[] = {{.name = "a", .text = "b"},   {.name = "c", .number = 1.0},
                                               {.name = "d", .number = 2.0}, {.name = "e", .text = ""},
                                               {.name = "f", .text = "g"},   {.name = "h", .number = 3.0}};
    char scene[5000];
    memset(scene, '#', sizeof scene);
    scene[scene_bytes] = 0;
    tp_table_def def = tp_table_def_default();
    def.path = path;
    def.format = "hdf5";
    def.columns = columns;
    def.column_count = column_count;
    def.scene_text = scene;
    def.attributes = notes;
    def.attribute_count = scene_bytes > 100 ? 6 : 1;
    tp_trajectory_writer *writer;
    if (tp_trajectory_writer_create(NULL, &def, &writer, NULL) != TP_OK) return 1;
    for (long long k = 0; k < row_count; k++) {
        double row[12] = {(double)k};
        if (tp_trajectory_writer_append(writer, row) != TP_OK) break;
    }
    return tp_trajectory_writer_close(writer, notes, 2, NULL) != TP_OK;
}

static int put_trajectories(const char *folder)
{
    static const int sizes[][3] = {{1, 0, 20}, {2, 3, 20}, {12, 0, 20}, {3, 0, 4999}, {1, 90, 20}};
    int failures = 0;
    for (int k = 0; k < 5; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%d.h5", folder, k);
        failures += put_trajectory(path, sizes[k][0], sizes[k][1], sizes[k][2]);
        pack(path);
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/tables.h5", folder);
    failures += !put_run(path, 0);
    pack(path);
    return failures;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 5) return 2;
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
        if (tp_problem_write(problem, to, NULL) == TP_OK) pack(to);
        tp_problem_free(problem);
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/small.h5", arguments[3]);
    if (!put_problem_file(path, 0)) return 1;
    pack(path);
    return put_trajectories(arguments[4]);
}
