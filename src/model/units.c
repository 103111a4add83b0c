/* Units of the rows of laws: each is a length or an angle; docs/output.md, theory/models.md. */
#include "lists.h"

#include <string.h>

/* ---- what a formula measures ---- */

static tp_unit_kind kind_of_unit(const char *unit, const char *angle)
{
    if (unit == NULL || unit[0] == '\0') return TP_UNIT_UNKNOWN;
    return strcmp(unit, angle) == 0 ? TP_UNIT_ANGLE : TP_UNIT_OTHER;
}

/* The unit of an argument of formulas, from that of its coordinate or velocity. */
static tp_unit_kind slot_unit(const void *context, int slot)
{
    const tp_model *model = context;
    int i = tp_slot_index(slot);
    if (!tp_slot_is_of_motion(slot)) return TP_UNIT_UNKNOWN;
    return tp_slot_kind_of(slot) == TP_SLOT_IS_VELOCITY
               ? kind_of_unit(tp_model_velocity_unit(model, i), "rad/s")
               : kind_of_unit(tp_model_coordinate_unit(model, i), "rad");
}

tp_status tp_model_row_is_angle(tp_model *model, const tp_scalar *row, tp_law_measure given, bool *is_out)
{
    *is_out = given == TP_LAW_IS_ANGLE;
    if (given != TP_LAW_AS_FORMULA || row->formula == NULL) return TP_OK;
    tp_arena scratch = tp_arena_make(model->allocator);
    tp_unit_kind *work = TP_ARENA_ARRAY(&scratch, tp_unit_kind, tp_formula_value_count(row->formula));
    if (work != NULL) *is_out = tp_formula_unit(row->formula, slot_unit, model, work) == TP_UNIT_ANGLE;
    tp_arena_clear(&scratch);
    return work != NULL ? TP_OK : TP_OUT_OF_MEMORY;
}

/* ---- units ---- */

const char *tp_law_unit(const tp_law *law, int row, tp_law_quantity quantity)
{
    static const char *const units[2][TP_LAW_QUANTITY_COUNT] = {
        {[TP_LAW_POSITION] = "m", [TP_LAW_VELOCITY] = "m/s", [TP_LAW_FORCE] = "N", [TP_LAW_IMPULSE] = "N s"},
        {[TP_LAW_POSITION] = "rad",
         [TP_LAW_VELOCITY] = "rad/s",
         [TP_LAW_FORCE] = "N m",
         [TP_LAW_IMPULSE] = "N m s"},
    };
    return units[tp_law_is_angle(law, row)][quantity];
}

const char *tp_model_law_unit(const tp_model *model, int law, int row, tp_law_quantity quantity)
{
    if (model == NULL) return NULL;
    if (law < 0 || law >= model->laws.count || row < 0 || row >= tp_model_law(model, law)->row_count)
        return NULL;
    return tp_law_unit(tp_model_law(model, law), row, quantity);
}
