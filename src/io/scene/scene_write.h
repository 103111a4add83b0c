/* A tree as text: canonical YAML that reads back as an equal tree. */
#ifndef TP_IO_SCENE_SCENE_WRITE_H
#define TP_IO_SCENE_SCENE_WRITE_H

#include "io/common/text.h"
#include "io/scene/scene_tree.h"

/* Maps and lists of maps in lines, lists of scalars in brackets; texts in quotes unless they are words.
   Memory that runs out is told by out->has_failed. */
void tp_tree_write(const tp_node *root, tp_text *out);

/* A text of any length, as it is, and in double quotes as YAML and JSON both read it. */
void tp_text_add_all(tp_text *out, const char *text);
void tp_text_add_quoted(tp_text *out, const char *text);

#endif
