/* Scenes: a model and how to simulate it, read from a file; docs/scene.md. */
#ifndef TIPPE_SCENE_H
#define TIPPE_SCENE_H

#include "tippe/drawing.h"
#include "tippe/model.h"
#include "tippe/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a scene file holds. */
typedef struct tp_scene {
    const char *name, *about;      /* about: one line, may be empty                                        */
    tp_model *model;               /* finished                                                             */
    tp_simulation_options options; /* of the section `simulate`                                            */
    double output_every;           /* [s] 0: every step                                                    */
    double frame_every;            /* [s] of ParaView; 0: a frame for every row                            */
    const char *const *columns;    /* [column_count] chosen for the output; none: all                      */
    int column_count;
    const char *text; /* the scene with all edits and included files, as canonical YAML       */
    const char *path;
    const char *const *files; /* that were read besides the scene: included scenes, meshes                 */
    int file_count;
    struct tp_scene_memory *memory;
} tp_scene;

/* Reads a scene. edits are of the form PATH=VALUE (the --set option), applied in order. Messages name file,
   line and column, and what would be right. TP_FILE_ERROR: cannot be read; TP_INVALID_DATA: malformed or
   unsound. */
tp_status tp_scene_read(const tp_allocator *allocator, const char *path, const char *const *edits,
                        int edit_count, tp_scene **scene_out, tp_message *why_out);

/* The same from memory; `name` stands for the path in messages. */
tp_status tp_scene_read_memory(const tp_allocator *allocator, const char *name, const void *bytes,
                               size_t count, const char *const *edits, int edit_count, tp_scene **scene_out,
                               tp_message *why_out);
void tp_scene_free(tp_scene *scene);

/* Writes what a scene stands for, without `repeat` and `include`, as canonical YAML. The model is not made: a
   scene that is unsound can be looked at too. */
typedef void (*tp_text_sink)(void *context, const char *text);
tp_status tp_scene_expand(const char *path, const char *const *edits, int edit_count, tp_text_sink sink,
                          void *context, tp_message *why_out);

/* The manual of all keys as Markdown, and the JSON schema, from the tables that the reader itself uses. */
void tp_scene_write_manual(tp_text_sink sink, void *context);
void tp_scene_write_schema(tp_text_sink sink, void *context);

/* Words that scenes take, from the same tables. */
typedef enum tp_scene_topic {
    TP_SCENE_SHAPES,   /* `type` of the shapes of bodies    */
    TP_SCENE_FRICTION, /* `shape` of contacts and laws      */
    TP_SCENE_LAWS,     /* `kind` of laws                    */
    TP_SCENE_DRAWINGS  /* `kind` of drawings                */
} tp_scene_topic;

typedef struct tp_scene_word {
    const char *word, *text;
} tp_scene_word;

/* Word `index` of a topic and what it is; false past the last one. */
bool tp_scene_word_at(tp_scene_topic topic, int index, tp_scene_word *word_out);

/* A commented scene to start from. */
const char *tp_scene_template(void);
const char *tp_scene_template_bodies(void); /* with a body and a joint */

#ifdef __cplusplus
}
#endif

#endif
