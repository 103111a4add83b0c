/* What a scalar means: numbers, integers, true and false, texts, formulas. All refusals name the place, the
   path, what is there and what would be right. `unit` (for messages) may be NULL. */
#ifndef TP_IO_SCENE_SCALAR_H
#define TP_IO_SCENE_SCALAR_H

#include "io/scene/scene_tree.h"

/* What is not quoted is a number, true or false, nothing (empty, null or ~), or a text. */
typedef enum tp_meaning { TP_MEANS_TEXT, TP_MEANS_NUMBER, TP_MEANS_BOOLEAN, TP_MEANS_NOTHING } tp_meaning;

tp_meaning tp_node_meaning(const tp_node *scalar);

/* Sign, digits, one point, an exponent: the whole text, at least one digit. Not: nan, inf, hexadecimal. */
bool tp_text_is_number(const char *text);

/* Finite, correctly rounded, in any locale. */
tp_status tp_node_number(const tp_node *node, const char *unit, double *value_out, tp_message *why_out);

/* Digits with a sign at most; low and high are allowed. */
tp_status tp_node_integer(const tp_node *node, int low, int high, int *value_out, tp_message *why_out);

tp_status tp_node_boolean(const tp_node *node, bool *value_out, tp_message *why_out);

/* Any scalar but nothing; the text is the tree's. */
tp_status tp_node_text(const tp_node *node, const char **text_out, tp_message *why_out);

/* Text of a formula and where it begins in its file, ready for the formula parser. */
typedef struct tp_formula_text {
    const char *text; /* the tree's */
    tp_place place;
} tp_formula_text;

/* Any scalar but nothing, true and false. */
tp_status tp_node_formula(const tp_node *node, tp_formula_text *formula_out, tp_message *why_out);

/* A number where there is one, else a formula. A number in quotes is a formula that is constant. */
typedef struct tp_quantity {
    bool is_number;
    double number;           /* if is_number */
    tp_formula_text formula; /* always       */
} tp_quantity;

tp_status tp_node_quantity(const tp_node *node, const char *unit, tp_quantity *quantity_out,
                           tp_message *why_out);

#endif
