/* Whether a result is still that of its entry: a hash of the entry, of the files that it names and of the
   version. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/common/whole_file.h"
#include "reproduce.h"

/* FNV-1a. */
static const uint64_t hash_start = 14695981039346656037u, hash_factor = 1099511628211u;

static void add_bytes(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t k = 0; k < count; k++) *hash = (*hash ^ byte[k]) * hash_factor;
}

static void add_text(uint64_t *hash, const char *text)
{
    if (text) add_bytes(hash, text, strlen(text));
    add_bytes(hash, "", 1);
}

static void add_node(uint64_t *hash, const tp_node *node)
{
    add_text(hash, node->key);
    add_text(hash, node->text);
    for (const tp_node *child = node->first; child; child = child->next) add_node(hash, child);
    add_text(hash, "/");
}

static void add_file(tp_arena *arena, uint64_t *hash, const char *path)
{
    unsigned char *bytes = NULL;
    size_t count = 0;
    tp_message why;
    if (path[0] == '/' && tp_file_read(arena, path, &bytes, &count, &why) == TP_OK)
        add_bytes(hash, bytes, count);
}

void tp_fingerprint(tp_arena *arena, const tp_node *entry, const tp_experiment *experiment, char *text_out)
{
    uint64_t hash = hash_start;
    add_text(&hash, tp_version());
    add_node(&hash, entry);
    for (int k = 0; k < experiment->step_count; k++) {
        for (int i = 0; i < experiment->steps[k].word_count; i++)
            add_file(arena, &hash, experiment->steps[k].words[i]);
    }
    snprintf(text_out, 20, "%016" PRIx64, hash);
}
