/* Words that scenes take, for lists: read off the key tables. */
#include "io/scene/scene_tables.h"
#include "tippe/scene.h"

static bool variant_at(const tp_key_table *table, int index, tp_scene_word *word_out)
{
    if (index >= table->variant_count) return false;
    *word_out = (tp_scene_word){table->variants[index].word, table->variants[index].text};
    return true;
}

static bool friction_at(int index, tp_scene_word *word_out)
{
    for (int k = 0; tp_friction_words[k].word; k++) {
        if (k < index) continue;
        *word_out = (tp_scene_word){tp_friction_words[k].word, tp_friction_words[k].text};
        return true;
    }
    return false;
}

bool tp_scene_word_at(tp_scene_topic topic, int index, tp_scene_word *word_out)
{
    if (index < 0) return false;
    switch (topic) {
    case TP_SCENE_SHAPES: return variant_at(&tp_shape_keys, index, word_out);
    case TP_SCENE_FRICTION: return friction_at(index, word_out);
    case TP_SCENE_LAWS: return variant_at(&tp_law_keys, index, word_out);
    case TP_SCENE_DRAWINGS: return variant_at(&tp_drawing_keys, index, word_out);
    }
    return false;
}
