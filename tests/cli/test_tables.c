/* Every entry of every table has a name, a text, its line in `tippe list`, a line in the documents and a
   test: what a new integrator, solver, joint, law, shape, set, warning, event or column still lacks is
   printed here. The files are read as text, so that an entry that nobody wrote about is found by its name
   alone. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         "tables-test-"
#include "model/forces/force_kinds.h"
#include "program_run.h"
#include "tippe/tippe.h"

#include <ctype.h>

typedef struct entry {
    const char *name, *text;
} entry;

/* A table: entry `index`, false past the last one. */
typedef bool entry_at(int index, entry *out);

typedef struct table {
    const char *what;
    entry_at *at;
    const char *topic;      /* of `tippe list`; NULL: none                                     */
    const char *documents;  /* files that must have the name, as the shell finds them in docs/ */
    const char *enumerator; /* TP_JOINT_: tests may name an entry by it; NULL: none            */
    bool is_scene_word;     /* of a list in the scene reader; integrators and solvers are asked */
} table;

static bool integrator_at(int index, entry *out)
{
    const tp_integrator_info *info = tp_integrator_info_at(index);
    if (info != NULL) *out = (entry){info->name, info->text};
    return info != NULL;
}

static bool solver_at(int index, entry *out)
{
    if (index >= tp_solver_count()) return false;
    *out = (entry){tp_solver_info_at(index)->name, tp_solver_info_at(index)->text};
    return true;
}

static bool joint_at(int index, entry *out)
{
    const tp_joint_info *info = tp_joint_kind_info((tp_joint_kind)index);
    if (info != NULL) *out = (entry){info->name, info->text};
    return info != NULL;
}

static bool body_at(int index, entry *out)
{
    const tp_body_info *info = tp_body_kind_info((tp_body_kind)index);
    if (info != NULL) *out = (entry){info->name, info->text};
    return info != NULL;
}

static bool warning_at(int index, entry *out)
{
    const tp_warning_info *info = tp_warning_info_at((tp_warning_kind)index);
    if (info != NULL) *out = (entry){info->name, info->text};
    return info != NULL;
}

static bool word_at(tp_scene_topic topic, int index, entry *out)
{
    tp_scene_word word;
    if (!tp_scene_word_at(topic, index, &word)) return false;
    *out = (entry){word.word, word.text};
    return true;
}

static bool law_at(int index, entry *out)
{
    return word_at(TP_SCENE_LAWS, index, out);
}

static bool shape_at(int index, entry *out)
{
    return word_at(TP_SCENE_SHAPES, index, out);
}

static bool friction_at(int index, entry *out)
{
    return word_at(TP_SCENE_FRICTION, index, out);
}

static bool drawing_at(int index, entry *out)
{
    return word_at(TP_SCENE_DRAWINGS, index, out);
}

static const char no_text[] = "a table without texts";

static bool set_at(int index, entry *out)
{
    const char *name = tp_set_kind_name((tp_set_kind)index);
    *out = (entry){name, no_text};
    return strcmp(name, "unknown") != 0;
}

static bool force_at(int index, entry *out)
{
    *out = (entry){tp_force_kind_name((tp_force_kind)index), no_text};
    return out->name != NULL;
}

static bool event_at(int index, entry *out)
{
    *out = (entry){tp_event_kind_name(index), no_text};
    return out->name != NULL;
}

/* Columns of a run that are there for every model. */
static tp_trajectory *trajectory;

static bool column_at(int index, entry *out)
{
    int found = 0;
    for (int k = 0; k < trajectory->column_count; k++) {
        const tp_table_column *column = &trajectory->columns[k];
        if (strncmp(column->name, "step/", 5) != 0 || found++ != index) continue;
        *out = (entry){column->name, column->text};
        return true;
    }
    return false;
}

static bool contact_column_at(int index, entry *out)
{
    const tp_table *contacts = tp_trajectory_table(trajectory, "contacts");
    if (index >= contacts->column_count) return false;
    *out = (entry){contacts->columns[index].name, contacts->columns[index].text};
    return true;
}

static bool event_column_at(int index, entry *out)
{
    const tp_table *events = tp_trajectory_table(trajectory, "events");
    if (index >= events->column_count) return false;
    *out = (entry){events->columns[index].name, events->columns[index].text};
    return true;
}

static const table tables[] = {
    {"integrator", integrator_at, "integrators", "theory/*.md", NULL, false},
    {"solver", solver_at, "solvers", "theory/*.md", NULL, false},
    {"joint", joint_at, "joints", "theory/joints.md guide/bodies.md", "TP_JOINT_", true},
    {"body", body_at, "bodies", "theory/bodies.md guide/bodies.md", "TP_BODY_", true},
    {"law", law_at, "laws", "theory/*.md scene-files.md guide/*.md", "TP_LAW_", true},
    {"shape", shape_at, "shapes", "theory/contacts-geometry.md guide/bodies.md", "TP_SOLID_", true},
    {"friction set", friction_at, "shapes", "theory/*.md", "TP_FRICTION_", true},
    {"drawing", drawing_at, "drawings", "scene-files.md guide/*.md", "TP_DRAWING_", true},
    {"set", set_at, "sets", "theory/sets.md", "TP_SET_", false},
    {"force", force_at, NULL, "theory/forces.md", "TP_FORCE_", false},
    {"warning", warning_at, "warnings", "guide/warnings.md", "TP_WARNING_", false},
    {"event", event_at, NULL, "output.md", "TP_EVENT_", false},
    {"column", column_at, NULL, "output.md", NULL, false},
    {"column of contacts", contact_column_at, NULL, "output.md", NULL, false},
    {"column of events", event_column_at, NULL, "output.md", NULL, false},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

/* ---- texts ---- */

/* What a command prints, all of it. */
static char *text_of(const char *command)
{
    size_t capacity = 1 << 16, length = 0;
    char *text = malloc(capacity);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL || text == NULL) fail_msg("%s", command);
    for (size_t got; (got = fread(text + length, 1, capacity - length - 1, pipe)) > 0;) {
        length += got;
        if (length + 1 == capacity) text = realloc(text, capacity *= 2);
        if (text == NULL) fail_msg("%s: no memory", command);
    }
    text[length] = '\0';
    if (pclose(pipe) != 0) fail_msg("%s failed", command);
    return text;
}

/* The text between two marks somewhere, and nothing else between them. */
static bool has_marked(const char *text, const char *before, const char *name, const char *after)
{
    char marked[160];
    snprintf(marked, sizeof marked, "%s%s%s", before, name, after);
    return strstr(text, marked) != NULL;
}

/* The name as a whole word, with what may come before it. */
static bool has_word(const char *text, const char *before, const char *name)
{
    char word[160];
    snprintf(word, sizeof word, "%s%s", before, name);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        char next = at[strlen(word)];
        if (!isalnum((unsigned char)next) && next != '_' && next != '-') return true;
    }
    return false;
}

/* Columns of a kind are named by what differs, as in `impulse_N`, `_T1`: "_T1", or NULL. */
static const char *row_of(const char *name)
{
    static const char *const rows[] = {"_N", "_T1", "_T2", "_tau", "_R1", "_R2", "_5", "_6"};
    const char *tail = strrchr(name, '_');
    for (size_t k = 0; tail != NULL && k < sizeof rows / sizeof rows[0]; k++) {
        if (strcmp(tail, rows[k]) == 0) return tail;
    }
    return NULL;
}

/* In place: small letters, _ for the blanks of names, and nothing of a document but what says what something
   is: code, rows of tables and headings. */
static void keep_definitions(char *text)
{
    bool is_line = false, is_code = false, begins = true;
    for (char *c = text; *c != '\0'; c++) {
        if (begins) is_line = *c == '|' || *c == '#', is_code = false;
        begins = *c == '\n';
        if (*c == '`') is_code = !is_code;
        if (!is_line && !is_code && *c != '`') *c = '\n';
        *c = (char)tolower((unsigned char)*c);
    }
}

static bool is_documented(const char *definitions, const char *name)
{
    char small[80];
    size_t k = 0;
    for (; name[k] != '\0' && k + 1 < sizeof small; k++) small[k] = (char)tolower((unsigned char)name[k]);
    small[k] = '\0';
    if (row_of(name) != NULL && strstr(definitions, strrchr(small, '_')) != NULL) return true;
    if (has_word(definitions, "", small)) return true;
    for (char *c = small; *c != '\0'; c++) *c = *c == ' ' ? '_' : *c; /* DUAL_CONE */
    return has_word(definitions, "", small);
}

static bool is_enumerated(const char *tests, const char *prefix, const char *name)
{
    char upper[80];
    size_t k = 0;
    for (; name[k] != '\0' && k + 1 < sizeof upper; k++)
        upper[k] = (char)(isalnum((unsigned char)name[k]) ? toupper((unsigned char)name[k]) : '_');
    upper[k] = '\0';
    return has_word(tests, prefix, upper);
}

/* A test names the entry as a string, as a word of a scene, or by its enumerator. */
static bool is_tested(const char *tests, const table *of, const char *name)
{
    const char *row = row_of(name); /* of a column of many rows one is enough */
    if (row != NULL) {
        char kind[80];
        snprintf(kind, sizeof kind, "%.*s_", (int)(row - name), name);
        return strstr(tests, kind) != NULL;
    }
    return has_marked(tests, "\"", name, "\"") || has_word(tests, ": ", name) || has_word(tests, "/", name) ||
           (of->enumerator != NULL && is_enumerated(tests, of->enumerator, name));
}

/* ---- the checks ---- */

static int complain(const table *of, const char *name, const char *lacks)
{
    print_error("%s '%s' lacks %s\n", of->what, name, lacks);
    return 1;
}

static int count_names(const table *of)
{
    entry one, other;
    int failures = 0, count = 0;
    for (; of->at(count, &one); count++) {
        if (one.name == NULL || one.name[0] == '\0') return complain(of, "", "a name");
        if (one.text == NULL || strlen(one.text) < 3) failures += complain(of, one.name, "a text");
        for (int k = 0; k < count && of->at(k, &other); k++) {
            if (strcmp(one.name, other.name) == 0) failures += complain(of, one.name, "a name of its own");
        }
    }
    return failures + (count < 2 ? complain(of, "", "entries") : 0);
}

TEST(every_entry_has_a_name_of_its_own_and_a_text)
{
    int failures = 0;
    for (int t = 0; t < TABLES; t++) failures += count_names(&tables[t]);
    CHECK_INT(failures, 0);
}

/* A descriptor that is defined but not in its list would compile, and nobody could ask for it. */
TEST(every_descriptor_is_in_its_list)
{
    UNUSED_STATE;
    const struct {
        const char *command;
        int count;
    } families[] = {{"grep -rhE '^const tp_integrator tp_integrator_' src/integrator", tp_integrator_count()},
                    {"grep -rhE '^const tp_solver tp_solver_' src/solver", tp_solver_count()}};
    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
        char command[160];
        snprintf(command, sizeof command, "cd '%s' && %s", TIPPE_SOURCE_DIR, families[k].command);
        char *lines = text_of(command);
        int defined = 0;
        for (const char *c = lines; *c != '\0'; c++) defined += *c == '\n';
        if (defined != families[k].count)
            fail_msg("%d are in the list, but these are defined:\n%s", families[k].count, lines);
        free(lines);
    }
}

TEST(every_entry_is_listed_by_the_program)
{
    int failures = 0;
    entry one;
    for (int t = 0; t < TABLES; t++) {
        if (tables[t].topic == NULL) continue;
        char command[64];
        snprintf(command, sizeof command, "list %s --json", tables[t].topic);
        const char *listed = run(command)->out;
        for (int k = 0; tables[t].at(k, &one); k++) {
            if (!has_marked(listed, "\"name\": \"", one.name, "\"") &&
                !has_marked(listed, "\"name\":\"", one.name, "\""))
                failures += complain(&tables[t], one.name, "a line of `tippe list`");
        }
    }
    CHECK_INT(failures, 0);
}

/* The schema is made from the tables of the scene reader, and compared with them in io/scene_docs. */
TEST(every_entry_that_scenes_choose_is_a_word_of_the_scene_reader)
{
    int failures = 0;
    entry one;
    char *schema = text_of("cat '" TIPPE_SOURCE_DIR "/docs/scene.schema.json'");
    for (int t = 0; t < TABLES; t++) {
        for (int k = 0; tables[t].is_scene_word && tables[t].at(k, &one); k++) {
            if (!has_marked(schema, "\"", one.name, "\""))
                failures += complain(&tables[t], one.name, "a word of scenes");
        }
    }
    free(schema);
    CHECK_INT(failures, 0);
}

TEST(every_entry_stands_in_the_documents)
{
    int failures = 0;
    entry one;
    for (int t = 0; t < TABLES; t++) {
        char command[512];
        snprintf(command, sizeof command, "cd '%s/docs' && cat %s", TIPPE_SOURCE_DIR, tables[t].documents);
        char *documents = text_of(command);
        keep_definitions(documents);
        for (int k = 0; tables[t].at(k, &one); k++) {
            if (!is_documented(documents, one.name))
                failures += complain(&tables[t], one.name, tables[t].documents);
        }
        free(documents);
    }
    CHECK_INT(failures, 0);
}

TEST(every_entry_is_named_by_a_test_or_an_example)
{
    int failures = 0;
    entry one;
    char *tests =
        text_of("cd '" TIPPE_SOURCE_DIR "' && cat $(find tests examples -name '*.c' -o -name '*.h' -o -name "
                "'*.yaml' -o -name expected.json | grep -v test_tables | sort)");
    for (int t = 0; t < TABLES; t++) {
        for (int k = 0; tables[t].at(k, &one); k++) {
            if (!is_tested(tests, &tables[t], one.name)) failures += complain(&tables[t], one.name, "a test");
        }
    }
    free(tests);
    CHECK_INT(failures, 0);
}

/* A short run, for its columns. */
static void run_for_columns(void)
{
    tp_message why = {""};
    outcome *done =
        run("run '" TIPPE_SOURCE_DIR "/examples/box-tip/scene.yaml' --until 0.01 -o " SCRATCH "run.h5");
    if (done->code != 0) fail_msg("%s", done->err);
    if (tp_trajectory_read(NULL, SCRATCH "run.h5", &trajectory, &why) != TP_OK) fail_msg("%s", why.text);
    remove(SCRATCH "run.h5");
}

TEST(the_columns_are_those_of_a_run)
{
    run_for_columns();
    CHECK(tp_trajectory_table(trajectory, "contacts") != NULL &&
          tp_trajectory_table(trajectory, "events") != NULL);
}

/* Each constant on a page of tolerances says which test notices a change of it: that test must be there. */
TEST(tests_that_pages_of_tolerances_name_exist)
{
    char *pages = text_of("cat '" TIPPE_SOURCE_DIR "'/src/*/*tolerances.h"),
         *tests = text_of("ls '" TIPPE_SOURCE_DIR "'/tests/*/");
    int named = 0;
    for (const char *at = pages; (at = strstr(at, "test_")) != NULL; at++) {
        char name[80];
        int length = 0, end = 0;
        if (sscanf(at, "%70[a-z0-9_]%n.c%n", name, &length, &end) != 1 || end != length + 2) continue;
        memcpy(name + length, ".c", 3);
        if (strstr(tests, name) == NULL) fail_msg("a page of tolerances names %s, which is not there", name);
        named++;
    }
    CHECK(named > 50);
    free(pages);
    free(tests);
}

TEST_MAIN(RUNS(the_columns_are_those_of_a_run), RUNS(tests_that_pages_of_tolerances_name_exist),
          RUNS(every_entry_has_a_name_of_its_own_and_a_text), RUNS(every_descriptor_is_in_its_list),
          RUNS(every_entry_is_listed_by_the_program),
          RUNS(every_entry_that_scenes_choose_is_a_word_of_the_scene_reader),
          RUNS(every_entry_stands_in_the_documents), RUNS(every_entry_is_named_by_a_test_or_an_example))
