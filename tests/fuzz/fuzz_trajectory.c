/* Any bytes as a trajectory file: read or refused. */
#define _GNU_SOURCE
#include "hdf5_sums.h"
#include "tippe/output.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Every text and number that was read can be used. */
static double look_at(const tp_trajectory *t)
{
    double sum = 0.0;
    size_t length = strlen(t->scene_text);
    for (int i = 0; i < t->column_count; i++) {
        length += strlen(t->columns[i].name) + strlen(t->columns[i].unit) + strlen(t->columns[i].text);
        for (long long k = 0; k < t->row_count; k++) sum += t->values[i][k];
    }
    for (int i = 0; i < t->attribute_count; i++) {
        length += strlen(t->attributes[i].name) + (t->attributes[i].text ? strlen(t->attributes[i].text) : 0);
    }
    for (int i = 0; i < t->summary_count; i++) length += strlen(t->summary[i].name);
    return sum + (double)length;
}

static void read_trajectory(const uint8_t *bytes, size_t count)
{
    char path[64];
    int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, bytes, count) != (ssize_t)count) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    tp_trajectory *trajectory = NULL;
    tp_message why = {""};
    tp_status status = tp_trajectory_read(NULL, path, &trajectory, &why);
    volatile double sum = status == TP_OK ? look_at(trajectory) : 0.0;
    (void)sum;
    if (status != TP_OK && (trajectory || why.text[0] == 0)) abort();
    if (status != TP_OK && status != TP_INVALID_DATA && status != TP_OUT_OF_MEMORY) abort();
    tp_trajectory_free(trajectory);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = signed_copy(bytes, count);
    if (!copy) return 0;
    read_trajectory(copy, count);
    free(copy);
    return 0;
}
