/* What scenes stand for, for tests of `repeat` and `include`. */
#ifndef TESTS_IO_EXPANDED_H
#define TESTS_IO_EXPANDED_H

#include "io/common/c_locale.h"
#include "io/scene/include.h"
#include "scene_text.h"

/* Reads a scene, joins it and writes it; the text is empty and `why` full where it is refused. */
typedef struct expanded {
    scene_text scene;
    tp_text text; /* terminated */
} expanded;

static inline tp_status expand_scene(expanded *e)
{
    tp_c_locale locale;
    tp_expansion expansion = {.tree = e->scene.tree, .why = &e->scene.why};
    tp_status status = e->scene.status;
    if (status == TP_OK) status = tp_c_locale_enter(&locale, &e->scene.why);
    if (status != TP_OK) return status;
    status = tp_include_read(&expansion);
    if (status == TP_OK) status = tp_include_join(&expansion);
    tp_c_locale_leave(&locale);
    return status;
}

static inline expanded expand_text(const char *text)
{
    expanded e = {.text = {.bytes = NULL}};
    scene_open(&e.scene, text);
    e.scene.status = expand_scene(&e);
    if (e.scene.status == TP_OK) tp_tree_write(e.scene.tree->root, &e.text);
    tp_text_add_bytes(&e.text, "", 1);
    return e;
}

static inline void expanded_close(expanded *e)
{
    tp_text_clear(&e->text);
    scene_close(&e->scene);
}

/* Whether two texts stand for the same scene; prints them where they do not. */
static inline bool expands_to(const char *text, const char *expected)
{
    expanded a = expand_text(text), b = expand_text(expected);
    bool is_same =
        a.scene.status == TP_OK && b.scene.status == TP_OK && strcmp(a.text.bytes, b.text.bytes) == 0;
    if (!is_same) {
        fprintf(stderr, "%s\n--- stands for\n%s%s\n--- expected\n%s%s\n", text, a.text.bytes,
                a.scene.why.text, b.text.bytes, b.scene.why.text);
    }
    expanded_close(&a);
    expanded_close(&b);
    return is_same;
}

/* Whether a text is refused with a message that has these words. */
static inline bool is_refused_with(const char *text, const char *words)
{
    expanded e = expand_text(text);
    bool is_right = e.scene.status == TP_INVALID_DATA && strstr(e.scene.why.text, words) != NULL;
    if (!is_right) fprintf(stderr, "%s\n--- expected: %s\n--- found: %s\n", text, words, e.scene.why.text);
    expanded_close(&e);
    return is_right;
}

#endif
