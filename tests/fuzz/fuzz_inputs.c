/* Any bytes as a table of inputs: read or refused with a reason. */
#include "tippe/input_file.h"
#include "tippe/model.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const tp_model *model_with_inputs(void)
{
    static tp_model *model;
    if (model) return model;
    static const char *const names[] = {"belt", "force", "gust"};
    if (tp_model_create(NULL, &model) != TP_OK) abort();
    for (int k = 0; k < 3; k++) {
        tp_input_def def = tp_input_def_default();
        def.name = names[k];
        if (tp_model_add_input(model, &def, NULL, NULL) != TP_OK) abort();
    }
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    tp_input_table *table = NULL;
    tp_message why = {""};
    tp_status status =
        tp_input_table_read_memory(NULL, model_with_inputs(), "fuzz.csv", bytes, count, &table, &why);
    if (status != TP_OK) {
        if (table || why.text[0] == 0) abort();
        if (status != TP_INVALID_DATA && status != TP_OUT_OF_MEMORY) abort();
    }
    tp_input_table_free(table);
    return 0;
}
