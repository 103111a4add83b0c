/* The second level of laws; docs/theory/second-level.md. What a kind of law adds stands beside its rows:
   rows.c, frame_rows.c, contact_change.c. */
#include "second_level.h"

#include "parts.h"

#include <assert.h>

bool tp_system_law_drift(tp_system *system, int index, double *g2_out)
{
    assert(system->has_point);
    if (tp_system_law(system, index)->source == TP_SOURCE_FORMULA)
        return tp_formulas_law_drift(system, index, g2_out);
    return tp_elements_law_drift(system, index, g2_out);
}
