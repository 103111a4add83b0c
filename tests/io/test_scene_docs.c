/* The manual and the schema in docs/ are those of the tables. TIPPE_WRITE_DOCS=1 writes them anew. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "io/scene/scene_tables.h"
#include "sound_tables.h"
#include "tippe/scene.h"

enum { CAPACITY = 1 << 20 };

typedef struct page {
    char *text;
    size_t length;
} page;

static void keep(void *context, const char *text)
{
    page *to = context;
    size_t length = strlen(text);
    if (to->length + length + 1 > CAPACITY) return;
    memcpy(to->text + to->length, text, length + 1);
    to->length += length;
}

/* What docs/NAME holds and what it should hold. */
static void check_page(const char *name, void (*write)(tp_text_sink sink, void *context))
{
    char path[1024], *found = malloc(CAPACITY);
    page expected = {.text = malloc(CAPACITY)};
    assert_non_null(found);
    assert_non_null(expected.text);
    write(keep, &expected);
    snprintf(path, sizeof path, "%s/docs/%s", TIPPE_SOURCE_DIR, name);
    if (getenv("TIPPE_WRITE_DOCS")) {
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        fwrite(expected.text, 1, expected.length, out);
        fclose(out);
    }
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t length = fread(found, 1, CAPACITY, in);
    fclose(in);
    bool is_same = length == expected.length && memcmp(found, expected.text, length) == 0;
    free(found);
    free(expected.text);
    if (!is_same) fail_msg("docs/%s is not what the tables say; run this test with TIPPE_WRITE_DOCS=1", name);
}

TEST(the_tables_are_sound)
{
    tp_message why = {""};
    tp_status status = check_tables(&tp_scene_keys, &why);
    if (status != TP_OK) print_error("%s\n", why.text);
    CHECK_INT(status, TP_OK);
}

TEST(the_manual_is_made_from_the_tables)
{
    UNUSED_STATE;
    check_page("scene.md", tp_scene_write_manual);
}

TEST(the_schema_is_made_from_the_tables)
{
    UNUSED_STATE;
    check_page("scene.schema.json", tp_scene_write_schema);
}

TEST_MAIN(RUNS(the_tables_are_sound), RUNS(the_manual_is_made_from_the_tables),
          RUNS(the_schema_is_made_from_the_tables))
