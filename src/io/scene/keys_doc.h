/* The manual and the JSON schema of scenes, from their key tables. */
#ifndef TP_IO_SCENE_KEYS_DOC_H
#define TP_IO_SCENE_KEYS_DOC_H

#include "io/common/text.h"
#include "io/scene/keys.h"

/* Markdown: one section with a table of keys for each map. Text is added to `out`, whose has_failed tells of
   memory that ran out. */
void tp_keys_markdown(const tp_key_table *table, tp_text *out);

/* JSON Schema (draft 7, which editors understand). */
void tp_keys_schema(const tp_key_table *table, const char *title, tp_text *out);

#endif
