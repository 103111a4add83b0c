/* A frame as the bytes of a VTK file of polygons. */
#ifndef TP_IO_PARAVIEW_VTP_H
#define TP_IO_PARAVIEW_VTP_H

#include "base/arena.h"
#include "io/common/figure_cells.h"
#include "io/common/text.h"
#include "tippe/paraview.h"

/* Kept from frame to frame: once it is large enough, encoding allocates nothing. */
typedef struct tp_vtp {
    tp_arena arena;
    tp_text text;            /* the file */
    tp_figure_cells cells;   /* owners: primitives, or primitive_count + number of a contact */
    double *point_forces;    /* [3 points] */
    unsigned char *column;   /* one array of cell data */
    int *names;              /* [primitives] place of each one's name among the different ones */
    const char **name_texts; /* the different ones */
    int name_capacity;
} tp_vtp;

void tp_vtp_init(tp_vtp *vtp, const tp_allocator *allocator);
void tp_vtp_clear(tp_vtp *vtp);

/* The file is in vtp->text until the next call. */
tp_status tp_vtp_encode(tp_vtp *vtp, const tp_vtk_frame *frame, tp_message *why_out);

/* "LittleEndian" or "BigEndian": this machine's. */
const char *tp_vtk_byte_order(void);

/* A text as the value of an XML attribute; bytes that are not characters become U+FFFD. */
void tp_xml_add(tp_text *text, const char *value);

#endif
