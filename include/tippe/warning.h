/* Warnings of a run: what is off although the run goes on; docs/guide/warnings.md. */
#ifndef TIPPE_WARNING_H
#define TIPPE_WARNING_H

#include "tippe/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tp_warning_kind {
    /* what was asked for */
    TP_WARNING_UNSTABLE_TIME_STEP,
    TP_WARNING_REACTIONS_NOT_UNIQUE,
    TP_WARNING_KINKED_GAP,
    TP_WARNING_RESTITUTIONS_DIFFER,
    TP_WARNING_RESTART_DIFFERS,
    /* the initial state */
    TP_WARNING_TOUCHES_NOTHING,
    TP_WARNING_OVERLAP_AT_START,
    TP_WARNING_COARSE_CONTACTS,
    /* the steps */
    TP_WARNING_JOINT_TORN,
    TP_WARNING_JOINT_BENT,
    TP_WARNING_JOINT_VELOCITY,
    TP_WARNING_CONTACT_SINKS,
    TP_WARNING_PASSED_THROUGH,
    TP_WARNING_POSITIONS_LEFT,
    TP_WARNING_CONTACT_AT_REST,
    TP_WARNING_ENERGY_GROWS,
    TP_WARNING_ENERGY_VANISHES,
    TP_WARNING_DIVIDED_STEP,
    TP_WARNING_RESTITUTION_BY_DAMPING,
    TP_WARNING_UNSOLVED_STEP,
    TP_WARNING_UNSOLVED_ISLAND,
    TP_WARNING_KIND_COUNT
} tp_warning_kind;

/* What is said of every warning of a kind. */
typedef struct tp_warning_info {
    const char *name;   /* "joint-torn"                                */
    const char *unit;   /* of its figure; "": it has none, or a number */
    const char *text;   /* what is wrong                               */
    const char *remedy; /* what to change                              */
} tp_warning_info;

/* NULL outside of the kinds. */
const tp_warning_info *tp_warning_info_at(tp_warning_kind kind);

enum { TP_WARNING_SUBJECT = 160, TP_WARNING_TEXT = 256 };

/* One warning: all occurrences of one kind with one subject. */
typedef struct tp_warning {
    tp_warning_kind kind;
    const char *name, *remedy;        /* those of the kind; constant texts of the library               */
    const char *unit;                 /* of the figure; "": a number                                     */
    double time;                      /* of the first occurrence [s]; NaN in a new one: now              */
    double figure;                    /* the largest so far; NaN: there is none                          */
    long long count;                  /* states (steps) in which it occurred                             */
    char subject[TP_WARNING_SUBJECT]; /* law, joint, contact, shapes or bodies; "": the whole system     */
    char text[TP_WARNING_TEXT];       /* of the first occurrence                                         */
} tp_warning;

/* A warning of that kind with its texts, without subject and figure. */
tp_warning tp_warning_of(tp_warning_kind kind);

/* "joint-torn: hinge, 0.302 m, first at 0.41 s, in 12 steps: TEXT; REMEDY" in one line. */
enum { TP_WARNING_LINE = 1024 };
void tp_warning_format(const tp_warning *warning, char *line_out /* [TP_WARNING_LINE] */);

#ifdef __cplusplus
}
#endif

#endif
