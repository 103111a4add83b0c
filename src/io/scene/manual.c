/* docs/scene.md and docs/scene.schema.json from the key tables. */

#include "io/scene/keys_doc.h"
#include "io/scene/repeat.h"
#include "io/scene/scene_tables.h"
#include "tippe/scene.h"

/* Said once, before the tables. A string constant may be 4095 characters long: several of them. */
static const char *const introduction[] = {
    "# Scenes\n\n"
    "A scene is a YAML file (hence also a JSON file) that holds a model and how to simulate it.\n"
    "`tippe new NAME` writes a commented one to start from.\n"
    "This page is made from the tables that the reader itself uses (`tp_scene_write_manual`); "
    "`scene.schema.json` beside it says the same to editors.\n\n"
    "```yaml\n"
    "name: ball\n"
    "parameters: {m: 1, g: 9.81, height: 1}\n"
    "coordinates: [z]\n"
    "kinetic: \"1/2*m*z'^2\"\n"
    "potential: \"m*g*z\"\n"
    "contacts:\n"
    "  - {name: floor, gap: z, restitution: 0.8}\n"
    "initial: {z: height}\n"
    "simulate: {integrator: moreau, dt: 1e-3, until: 2}\n"
    "```\n"
    "\n",
    "This one is written in coordinates and energies; a scene may as well, or also, have bodies, joints and "
    "shapes: [guide/bodies.md](guide/bodies.md).\n\n"
    "**Values.** Units are SI, angles radians; gravity is written where it acts, and quaternions scalar "
    "first.\nWhere a number stands, a formula of parameters can stand too.\nNumbers are decimal and finite: "
    "`0.5`, `2e-3`.\nFormulas are best put in quotes: YAML gives `#`, `: `, `{`, `[`, `&`, `*`, `!`, `|`, "
    "`>`, `'`, `\"` and `%` a meaning of their own at some places.\n\n"
    "**Formulas.** `+ - * / ^` (`^` binds strongest and from the right), brackets, comparisons `< <= > >= "
    "== !=`, `and`, `or`, `not`, the number `pi`, and the functions `sqrt exp log sin cos tan asin acos "
    "atan atan2 sinh cosh tanh abs sign step floor min max hypot unwrap sqr pow if`; `if(condition, a, b)` "
    "is a or b.\n`t` is time.\nA coordinate `x` has the rate `x'`.\nNames are letters, digits and `_`, "
    "perhaps with dots between parts; a name means one thing in the whole scene.\nDerivatives are exact and "
    "made by the program.\n\n",
    "**Order.** Sections may come in any order.\nFormulas know: parameters those before them; definitions "
    "all parameters, inputs, coordinates, rates and velocities, bodies and joints, and the definitions "
    "before them; "
    "everything else all of these, but initial values and curves of joints only the definitions before the "
    "first that uses a joint.\nNumbers of bodies, joints and shapes may be formulas of parameters.\n\n"
    "**Changing a value for one run.** `--set PATH=VALUE`, with keys and names of items between dots, items "
    "without a name as `[i]`, the value as YAML: `--set parameters.g=1.62`, `--set "
    "contacts.floor.restitution=1`, `--set initial.z'=2`.\nThe path must be there, or be a key of the "
    "tables below.\n\n"
    "**What is refused.** Unknown keys, keys without effect, texts where numbers should stand, YAML "
    "anchors, aliases, tags and second documents, files above 64 MiB, nesting deeper than 64, more than "
    "4096 coordinates or 200000 entries in a section, models without inertia, an initial state off its "
    "constraints.\nMessages name file, line and column, and what would be right.\n\n",
    "**Many alike, and parts in files.** An entry of any list may have `repeat: {i: n}` and then stands for "
    "n of them "
    "([repeat](#repeat), [random](#random)); `include` brings another scene file into this one "
    "([include](#include)).\nBoth are explained in [guide/repeat.md](guide/repeat.md); `tippe check FILE "
    "--expand` "
    "prints what they stand for.\n\n",
};

/* What stands for sections and entries, and is gone when these are checked. */
static const tp_key_table *const further_tables[] = {&tp_include_keys, &tp_repeat_keys, &tp_random_keys};

static void pass_on(tp_text_sink sink, void *context, tp_text *text)
{
    tp_text_add(text, "%c", '\0');
    if (!text->has_failed) sink(context, text->bytes);
    tp_text_clear(text);
}

void tp_scene_write_manual(tp_text_sink sink, void *context)
{
    for (size_t k = 0; k < sizeof introduction / sizeof introduction[0]; k++) sink(context, introduction[k]);
    tp_text text = {.bytes = NULL};
    tp_keys_markdown(&tp_scene_keys, &text);
    for (size_t k = 0; k < sizeof further_tables / sizeof further_tables[0]; k++) {
        tp_text_add(&text, "\n");
        tp_keys_markdown(further_tables[k], &text);
    }
    pass_on(sink, context, &text);
}

void tp_scene_write_schema(tp_text_sink sink, void *context)
{
    tp_text text = {.bytes = NULL};
    tp_keys_schema(&tp_scene_keys, "Tippe scene", &text);
    pass_on(sink, context, &text);
}
