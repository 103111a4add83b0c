/* Pages of a motion: their numbers are those of the trajectory, names cannot end a script, and what a page
   needs is said. The page in a browser: tests/viewer. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "io/common/gzip.h"
#include "io/scratch.h"
#include "models.h"
#include "tippe/page.h"
#include "tippe/states.h"

static const char odd[] = "a</script><b>\"\\"; /* a name that would end the script */

/* A disc that falls, with a floor that it bounces on. */
static tp_model *falling_disc(void)
{
    tp_model *model = new_model();
    coordinate(model, "z", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*z"), &build_why));
    tp_drawing_vertex at = {{TP_FORMULA("0"), TP_FORMULA("z")}};
    tp_drawing_vertex floor[2] = {{{TP_FORMULA("-1"), TP_FORMULA("0")}},
                                  {{TP_FORMULA("1"), TP_FORMULA("0")}}};
    tp_drawing_def def = tp_drawing_def_default();
    def.name = odd, def.kind = TP_PRIMITIVE_CIRCLE, def.vertices = &at, def.vertex_count = 1;
    def.radius = TP_FORMULA("0.1 + z/8");
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    def = tp_drawing_def_default();
    def.name = "floor", def.kind = TP_PRIMITIVE_LINE, def.vertices = floor, def.vertex_count = 2;
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static tp_page *make_page(const tp_model *model, const double *q)
{
    static const tp_table_column columns[] = {{"energy", "J", "energy"}};
    static const tp_page_curve curves[] = {{0, -1, 0}};
    tp_page *page = NULL;
    tp_message why = {""};
    const tp_page_def def = {.model = model,
                             .title = "disc",
                             .columns = columns,
                             .column_count = 1,
                             .curves = curves,
                             .curve_count = 1,
                             .q = q};
    tp_status status = tp_page_create(NULL, &def, &page, &why);
    if (status == TP_UNSUPPORTED) { /* built without three.js: says what to install */
        if (strstr(why.text, "libjs-three") == NULL) fail_msg("%s", why.text);
        skip();
    }
    if (status != TP_OK) fail_msg("%s", why.text);
    return page;
}

static int value_of(char letter)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(letters, letter);
    return at != NULL && letter != '\0' ? (int)(at - letters) : -1;
}

/* The packed numbers of a page, as viewer/data.js reads them; to be freed with the arena. */
static float *unpack(tp_arena *arena, const char *text, size_t *count_out)
{
    static const char mark[] = "\"packed\":\"";
    const char *at = strstr(text, mark);
    if (at == NULL) fail();
    at += sizeof mark - 1;
    size_t length = strcspn(at, "\""), bytes = 0, plain_count = 0;
    unsigned char *packed = TP_ARENA_ARRAY(arena, unsigned char, length), *planes = NULL;
    for (size_t k = 0; k + 3 < length; k += 4) {
        int word = 0;
        for (int i = 0; i < 4; i++) word = word << 6 | (value_of(at[k + (size_t)i]) & 63);
        for (int i = 2; i >= 0; i--) packed[bytes++] = (unsigned char)(word >> (8 * i));
    }
    while (length > 0 && at[--length] == '=') bytes--;
    tp_message why = {""};
    if (tp_gzip_unpack(arena, "page", packed, bytes, 1 << 24, &planes, &plain_count, &why) != TP_OK)
        fail_msg("%s", why.text);
    size_t plane = plain_count / 4;
    float *numbers = TP_ARENA_ARRAY(arena, float, plane + 1);
    for (size_t k = 0; k < plane; k++) {
        unsigned word = 0;
        for (size_t b = 0; b < 4; b++) word |= (unsigned)planes[b * plane + k] << (8 * b);
        memcpy(&numbers[k], &word, sizeof word);
    }
    *count_out = plane;
    return numbers;
}

/* Claim: numbers are kept in single precision, times in double. A frame: time in two parts, the circle's
   position, orientation and radius (8), two points of the line (6), one column. */
TEST(a_page_holds_the_motion)
{
    enum { FRAMES = 3, LENGTH = 2 + 8 + 6 + 1 };
    const double times[FRAMES] = {0.1, 1.0 / 3.0, 1000.0 + 1e-7}, heights[FRAMES] = {1.0, 0.3, -2.0};
    tp_model *model = falling_disc();
    tp_page *page = make_page(model, heights);
    for (int k = 0; k < FRAMES; k++)
        CHECK(tp_page_add_frame(page, times[k], &heights[k], NULL, &times[k]) == TP_OK);
    CHECK(tp_page_add_frame(page, 0.0, heights, NULL, times) == TP_INVALID_ARGUMENT); /* time goes back */
    CHECK(tp_page_add_force(page, tp_vec3_make(1, 2, 3), tp_vec3_make(4, 5, 6)) == TP_OK);
    const tp_event event = {.time = 0.5, .kind = TP_EVENT_SLIP, .law = 7, .shape_a = -1, .shape_b = -1};
    CHECK(tp_page_add_event(page, &event) == TP_OK);
    const char *text;
    size_t count, numbers_count;
    tp_message why = {""};
    CHECK(tp_page_text(page, false, &text, &count, &why) == TP_OK);
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    char *copy = tp_arena_copy(&arena, text, count, 1); /* ends in a line, not in 0 */
    copy[count - 1] = '\0';
    const float *numbers = unpack(&arena, copy, &numbers_count);
    CHECK(numbers_count == FRAMES * LENGTH + 7 + 10);
    for (int k = 0; k < FRAMES; k++) {
        double time = (double)numbers[k] + (double)numbers[FRAMES + k];
        CHECK_NEAR(time, times[k], 1e-14 * times[k]);                      /* 48 bits in two singles */
        CHECK(numbers[3 * FRAMES + k] == (float)heights[k]);               /* y of the circle        */
        CHECK(numbers[9 * FRAMES + k] == (float)(0.1 + heights[k] / 8.0)); /* its radius             */
        CHECK(numbers[13 * FRAMES + k] == 1.0f);                           /* x of the line's end    */
        CHECK(numbers[(LENGTH - 1) * FRAMES + k] == (float)times[k]);      /* the column             */
    }
    const float *force = numbers + FRAMES * LENGTH;
    CHECK(force[0] == 2.0f && force[1] == 1.0f && force[6] == 6.0f); /* of the last frame */
    CHECK(force[9] == (float)TP_EVENT_SLIP && force[10] == 7.0f);
    tp_arena_clear(&arena);
    tp_page_free(page);
    tp_model_free(model);
}

static int occurrences(const char *text, size_t count, const char *part)
{
    int found = 0;
    size_t length = strlen(part);
    for (size_t k = 0; k + length <= count; k++) found += memcmp(text + k, part, length) == 0;
    return found;
}

/* Went wrong: a name with </script> ended the script, and the page stayed empty. */
TEST(a_name_cannot_end_a_script)
{
    const double q = 1.0;
    tp_model *model = falling_disc();
    tp_page *page = make_page(model, &q);
    const tp_table_attribute report[] = {{"reason", odd, 0.0}, {"energy", NULL, NAN}};
    CHECK(tp_page_add_frame(page, 0.0, &q, NULL, &q) == TP_OK);
    CHECK(tp_page_set_report(page, report, 2) == TP_OK);
    const char *text;
    size_t count;
    tp_message why = {""};
    CHECK(tp_page_text(page, false, &text, &count, &why) == TP_OK);
    CHECK(occurrences(text, count, "<script>") == 3 && occurrences(text, count, "</script>") == 3);
    CHECK(occurrences(text, count, "\"energy\":null") == 1); /* JSON has no NaN */
    CHECK(occurrences(text, count, "<script src") == 0);     /* all is inside */
    tp_page_free(page);
    tp_model_free(model);
}

/* A live page has no frames; it asks for those after what it has. */
TEST(a_live_page_gets_what_is_new)
{
    const double q[] = {1.0, 0.5, 0.25};
    tp_model *model = falling_disc();
    tp_page *page = make_page(model, q);
    for (int k = 0; k < 3; k++) CHECK(tp_page_add_frame(page, k, &q[k], NULL, &q[k]) == TP_OK);
    const void *bytes;
    size_t count;
    float head[4], time;
    CHECK(tp_page_news(page, (tp_page_place){2, 0, 0}, false, &bytes, &count) == TP_OK);
    memcpy(head, bytes, sizeof head);
    memcpy(&time, (const char *)bytes + sizeof head, sizeof time);
    CHECK(head[0] == 1.0f && head[1] == 0.0f && head[2] == 0.0f && head[3] == 0.0f && time == 2.0f);
    CHECK(count == sizeof head + 17 * sizeof(float));
    CHECK(tp_page_news(page, (tp_page_place){99, -1, 5}, true, &bytes, &count) == TP_OK); /* nonsense */
    memcpy(head, bytes, sizeof head);
    CHECK(head[0] == 0.0f && head[3] == 1.0f && count == sizeof head);
    tp_page_free(page);
    tp_model_free(model);
}

/* A disc at the place of a first-order state. Went wrong: it stayed where it was in the first row. */
TEST(figures_of_a_page_follow_first_order_states)
{
    const double times[] = {0.0, 1.0, 2.0}, places[] = {0.5, 1.5, -3.0}, *const values[] = {times, places};
    const tp_table_column columns[] = {{"time", "s", ""}, {"x/s", "", ""}};
    const tp_trajectory run = {.column_count = 2, .row_count = 3, .columns = columns, .values = values};
    tp_model *model = new_model();
    tp_state_def state = tp_state_def_default();
    state.name = "s", state.rate = TP_FORMULA("1");
    must(model, tp_model_add_state(model, &state, NULL, &build_why));
    tp_drawing_vertex at = {{TP_FORMULA("s"), TP_FORMULA("0")}};
    tp_drawing_def def = tp_drawing_def_default();
    def.name = "disc", def.kind = TP_PRIMITIVE_CIRCLE, def.vertices = &at, def.vertex_count = 1;
    def.radius = TP_FORMULA("1");
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    static const char *const curves[] = {"x/s"};
    const tp_page_options options = {.title = "disc", .columns = curves, .column_count = 1};
    tp_message why = {""};
    tp_status status =
        tp_page_export(NULL, &run, model, &options, scratch_file(&folder, "page.html"), NULL, &why);
    if (status == TP_UNSUPPORTED) skip(); /* built without three.js */
    CHECK_INT(status, TP_OK);
    size_t count, numbers_count;
    char *text = (char *)scratch_read(folder.file, &count);
    tp_arena arena = tp_arena_make(NULL);
    text[count - 1] = '\0';
    const float *numbers = unpack(&arena, text, &numbers_count);
    for (int k = 0; k < 3; k++) CHECK(numbers[2 * 3 + k] == (float)places[k]);
    free(text);
    tp_arena_clear(&arena);
    scratch_close(&folder);
    tp_model_free(model);
}

TEST_MAIN(RUNS(a_page_holds_the_motion), RUNS(a_name_cannot_end_a_script), RUNS(a_live_page_gets_what_is_new),
          RUNS(figures_of_a_page_follow_first_order_states))
