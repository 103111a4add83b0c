/* Words that scenes take, for lists: read off the rows. */
#include "io/scene/scene_tables.h"
#include "tippe/scene.h"

bool tp_scene_word_at(tp_scene_topic topic, int index, tp_scene_word *word_out)
{
    tp_word word = {.word = NULL};
    if (index < 0) return false;
    switch (topic) {
    case TP_SCENE_SHAPES: word = tp_keys_variant_at(&tp_shape_keys, index); break;
    case TP_SCENE_FRICTION: word = tp_friction_word_at(index); break;
    case TP_SCENE_LAWS: word = tp_keys_variant_at(&tp_law_keys, index); break;
    case TP_SCENE_DRAWINGS: word = tp_keys_variant_at(&tp_drawing_keys, index); break;
    }
    if (!word.word) return false;
    *word_out = (tp_scene_word){word.word, word.text};
    return true;
}
