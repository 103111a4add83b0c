/* Formulas: parsed once into a tape, evaluated with exact derivatives and without allocation;
 * docs/theory/formulas.md. */
#ifndef TP_FORMULA_FORMULA_H
#define TP_FORMULA_FORMULA_H

#include "base/arena.h"
#include "tippe/base.h"

/* Names that formulas may use. Lives in an arena; compiled formulas keep no reference to it. */
typedef struct tp_names tp_names;

tp_status tp_names_create(tp_arena *arena, tp_names **names_out);

/* A variable is a numbered slot of the argument vector z. Names are identifiers (letters, digits, _), may
   contain dots between parts (arm.omega.z) and may end in apostrophes (x', x''): the whole is one name. */
tp_status tp_names_add_variable(tp_names *names, const char *name, int slot, tp_place place,
                                tp_message *why_out);
tp_status tp_names_add_constant(tp_names *names, const char *name, double value, tp_place place,
                                tp_message *why_out);

/* Variables that are known by their parts, as those of the bodies of a model: too many to be entered one by
   one. */
enum { TP_FAMILY_NAME_BYTES = 256 };
typedef struct tp_name_family {
    const void *context;
    int (*slot_of)(const void *context, const char *name, int length); /* -1: none of them */
    bool (*name_at)(const void *context, int index,
                    char *name_out /* [TP_FAMILY_NAME_BYTES] */); /* false: there are no more */
} tp_name_family;
void tp_names_set_family(tp_names *names, tp_name_family family);

/* Whether a name may be added: it is spelled as names are, and free. */
tp_status tp_names_check_free(const tp_names *names, const char *name, tp_place place, tp_message *why_out);

/* A named sub-expression over names known so far, and a function of its arguments (and of names known so
 * far). */
tp_status tp_names_add_expression(tp_names *names, const char *name, const char *text, tp_place place,
                                  tp_message *why_out);
tp_status tp_names_add_function(tp_names *names, const char *name, const char *const *arguments,
                                int argument_count, const char *text, tp_place place, tp_message *why_out);

/* A name that formulas might expect but that has no value: a formula that uses it is refused, "NAME" REASON.
 */
tp_status tp_names_add_refused(tp_names *names, const char *name, const char *reason, tp_place place,
                               tp_message *why_out);

typedef struct tp_formula tp_formula;

/* Parses; `place` is where the text begins in its file (errors name file, line, column and the offending
   token). The formula lives in the arena. Sub-expressions that depend on no variable are folded. */
tp_status tp_formula_compile(tp_arena *arena, const tp_names *names, const char *text, tp_place place,
                             tp_formula **formula_out, tp_message *why_out);

/* Slots the value depends on, ascending. Gradients below are compact: one entry for each of these slots. */
int tp_formula_slot_count(const tp_formula *formula);
const int *tp_formula_slots(const tp_formula *formula);
int tp_formula_operation_count(const tp_formula *formula);

/* Doubles of work memory that the evaluations below need at most. */
int tp_formula_work_size(const tp_formula *formula);

/* z is the whole argument vector, indexed by slot. */
double tp_formula_value(const tp_formula *formula, const double *z, double *work);
double tp_formula_gradient(const tp_formula *formula, const double *z, double *work, double *gradient_out);

/* Rounding error of the value, to first order: eps times the sum of |d value/d v| |v| over all intermediate
   values v, so that terms which cancel count with their own size. `work` is as tp_formula_gradient left it.
 */
double tp_formula_rounding(const tp_formula *formula, const double *work);

/* Gradient and product of the Hessian with a direction. The direction is a whole vector, indexed by slot as z
   is; the product is compact, as the gradient. Returns the value. */
double tp_formula_hessian_vector(const tp_formula *formula, const double *z, const double *direction,
                                 double *work, double *gradient_out, double *product_out);

/* Gradient and whole Hessian, compact, n*n column-major, exactly symmetric. Returns the value. */
double tp_formula_hessian(const tp_formula *formula, const double *z, double *work, double *gradient_out,
                          double *hessian_out);

/* Along z(s) = z0 + z1 s + z2 s^2/2 (whole vectors): value_out[k] = d^k f/ds^k at s = 0 for k = 0, 1, 2, and
   the gradients of these three with respect to z0 (compact; any may be NULL). The others follow: d f'/d z1 =
   d f''/d z2 = d f/d z0, d f''/d z1 = 2 d f'/d z0. */
void tp_formula_taylor(const tp_formula *formula, const double *z0, const double *z1, const double *z2,
                       double *work, double value_out[3], double *gradient0_out, double *gradient1_out,
                       double *gradient2_out);

/* Where the formula changes its branch (comparisons, abs, sign, step, floor, min, max): values that change
   their sign there, [tp_formula_switch_count]. */
int tp_formula_switch_count(const tp_formula *formula);
void tp_formula_switch_values(const tp_formula *formula, const double *z, double *work, double *values_out);

/* What a formula measures, as far as that follows: angles add up to angles, arc functions give them, products
   with parameters may be anything. slot_unit says it of the variables; work [tp_formula_value_count]. */
typedef enum tp_unit_kind { TP_UNIT_UNKNOWN, TP_UNIT_ANGLE, TP_UNIT_OTHER } tp_unit_kind;
typedef tp_unit_kind (*tp_slot_unit)(const void *context, int slot);
tp_unit_kind tp_formula_unit(const tp_formula *formula, tp_slot_unit slot_unit, const void *context,
                             tp_unit_kind *work);
int tp_formula_value_count(const tp_formula *formula);

#endif
