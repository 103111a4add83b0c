/* The contacts of a step: points of pairs of shapes that are near each other. They are laws with numbers
   after those of the model, from one call of tp_system_find_contacts to the next;
   docs/theory/contacts-geometry.md. */
#ifndef TP_SYSTEM_CONTACTS_H
#define TP_SYSTEM_CONTACTS_H

#include "model/lists.h"

enum { TP_PAIR_COLUMNS = 24 }; /* velocities of two bodies, at most */

/* Which pair it is: its shapes, ascending, and the part of the one that has parts (a triangle). */
typedef struct tp_pair_key {
    int low, high, part;
} tp_pair_key;

/* Two shapes, or a shape and a part of another, that are near each other. Its points are the contacts first,
   first + 1, ... */
typedef struct tp_near_pair {
    tp_touch touch;
    tp_pair_key key; /* by which pairs are sorted */
    int first, point_count;
    bool is_planar;
    int column_count, column[TP_PAIR_COLUMNS]; /* velocities that its rows touch, ascending */
} tp_near_pair;

typedef struct tp_contacts tp_contacts;

/* The axis that the tangents of a contact are held to, whatever its normal becomes; contacts-geometry.md
   (1c). */
typedef enum tp_held_axis { TP_AXIS_OF_NORMAL, TP_AXIS_X, TP_AXIS_Y } tp_held_axis;

/* How far shapes may go before the contacts are looked for again. */
typedef struct tp_contact_reach {
    double time;   /* [s] with the velocities of the point */
    double margin; /* [m] and this; finite                 */
} tp_contact_reach;

struct tp_system;

/* The pairs that can meet within reach of the present point, and those of which a contact is closed
   (is_closed [law_count], NULL: none). A function of the point, the reach and what is closed alone.
   `changed_out`: other pairs than before; then tp_system_old_law tells numbers before. TP_OUT_OF_MEMORY
   changes nothing. */
tp_status tp_system_find_contacts(struct tp_system *system, const tp_contact_reach *reach,
                                  const unsigned char *is_closed, bool *changed_out);

/* The same pairs, and those that can meet where the shapes are at the present point, which is another one
   than that of the last search: a step that was to see all contacts on its way may have gone farther than its
   reach. */
tp_status tp_system_find_missed_contacts(struct tp_system *system, double margin, bool *changed_out);

/* Where the shapes were in the last search [shapes], and how far one might go [m]. NULL, 0: none yet. */
const tp_pose *tp_system_searched_poses(const struct tp_system *system);
double tp_system_searched_reach(const struct tp_system *system, int shape);

/* The contacts of given pairs, ascending, each once; TP_INVALID_DATA: they are not, or two never touch. */
tp_status tp_system_set_contacts(struct tp_system *system, int count, const tp_pair_key *keys);

/* The contacts before the last change; what failed changes nothing. Tangents are no longer held. */
void tp_system_undo_contacts(struct tp_system *system);

/* The number that a law had before the contacts changed; -1: it is new. */
int tp_system_old_law(const struct tp_system *system, int law);

/* The name of a law or contact. */
void tp_system_law_name(const struct tp_system *system, int law, char *name_out, size_t capacity);

/* The number of a contact's point among those of its pair, and among those of its shapes. */
int tp_system_slot(const struct tp_system *system, int law);
int tp_system_feature(const struct tp_system *system, int law);

/* ---- of files of system/ ---- */

tp_status tp_contacts_create(struct tp_system *system);
void tp_contacts_free(tp_contacts *contacts);

#endif
