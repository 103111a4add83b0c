/* Numbers in structs by their place. */
#include "io/output/field.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

static const double count_max = 1e15; /* also keeps conversions to integers defined */

/* Where the number lies: in the record, or in the array that the record points to. */
static const void *place_of(const void *record, tp_field field, int index, int row)
{
    const void *at = (const char *)record + field.offset;
    int entry = field.stride * index + row;
    if (field.type == TP_FIELD_REALS) return *(const double *const *)at + entry;
    return field.type == TP_FIELD_BYTES ? *(const unsigned char *const *)at + entry : at;
}

double tp_field_read(const void *record, tp_field field, int index, int row)
{
    const void *at = place_of(record, field, index, row);
    switch (field.type) {
    case TP_FIELD_REAL:
    case TP_FIELD_REALS: return *(const double *)at;
    case TP_FIELD_INT: return *(const int *)at;
    case TP_FIELD_LONG: return (double)*(const long long *)at;
    case TP_FIELD_BOOL: return *(const bool *)at;
    case TP_FIELD_BYTES: return *(const unsigned char *)at;
    case TP_FIELD_NONE: break;
    }
    return NAN;
}

bool tp_field_write(void *record, tp_field field, int index, int row, double value)
{
    void *at = (void *)(uintptr_t)place_of(record, field, index, row);
    bool is_count = value >= 0.0 && value <= count_max && value == floor(value);
    bool is_flag = value == 0.0 || value == 1.0, is_int = fabs(value) <= INT_MAX;
    switch (field.type) {
    case TP_FIELD_REAL:
    case TP_FIELD_REALS: *(double *)at = value; return true;
    case TP_FIELD_INT:
        if (is_int) *(int *)at = (int)value;
        return is_int;
    case TP_FIELD_LONG:
        if (is_count) *(long long *)at = (long long)value;
        return is_count;
    case TP_FIELD_BOOL:
        if (is_flag) *(bool *)at = value == 1.0;
        return is_flag;
    case TP_FIELD_BYTES:
        if (is_flag) *(unsigned char *)at = value == 1.0;
        return is_flag;
    case TP_FIELD_NONE: break;
    }
    return false;
}
