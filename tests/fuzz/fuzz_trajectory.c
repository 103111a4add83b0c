/* Any bytes as the tree of a trajectory file: read or refused. */
#include "packed_tree.h"
#include "tippe/output.h"

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
    for (int i = 0; i < t->table_count; i++) {
        const tp_table *table = &t->tables[i];
        for (int c = 0; c < table->column_count; c++) {
            length += strlen(table->columns[c].name);
            for (long long k = 0; k < table->row_count; k++) {
                double value = table->values[c][k];
                sum += value;
                if (table->labels[c] && value >= 0.0) length += strlen(table->labels[c]->words[(int)value]);
            }
        }
    }
    for (int i = 0; i < t->summary_count; i++) length += strlen(t->summary[i].name);
    return sum + (double)length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_bytes context = {bytes, count};
    const tp_hdf5_source source = {load_packed, &context};
    tp_trajectory *trajectory = NULL;
    tp_message why = {""};
    tp_status status = tp_trajectory_read_from(NULL, &source, "fuzz.h5", &trajectory, &why);
    volatile double sum = status == TP_OK ? look_at(trajectory) : 0.0;
    (void)sum;
    if (status != TP_OK && (trajectory || why.text[0] == 0)) abort();
    if (status != TP_OK && status != TP_INVALID_DATA && status != TP_OUT_OF_MEMORY) abort();
    tp_trajectory_free(trajectory);
    return 0;
}
