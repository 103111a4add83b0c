/* The families of random scenes, and how a draft becomes a scene file. */
#include "draft.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    draft_family *write;
} families[] = {
    {"falling", draft_falling},
    {"chain", draft_chain},
    {"oscillator", draft_oscillator},
    {"slope", draft_slope},
    {"single-joint", draft_single_joint},
    {"stack", draft_stack},
    {"loop", draft_loop},
    {"bouncing", draft_bouncing},
    {"hollow", draft_hollow},
    {"planar-chain", draft_planar_chain},
    {"cluster", draft_cluster},
    {"limits", draft_limits},
    {"constrained", draft_constrained},
    {"feet", draft_feet},
    {"joint-friction", draft_joint_friction},
    {"chain-floor", draft_chain_floor},
    {"relays", draft_relays},
    {"wall", draft_wall},
    {"planar-loop", draft_planar_loop},
    {"ledge", draft_ledge},
    {"motors", draft_motors},
    {"double-pendulum", draft_double_pendulum},
    {"planar-heap", draft_planar_heap},
    {"bricard", draft_bricard},
    {"mounts", draft_mounts},
    {"gears", draft_gears},
    {"pads", draft_pads},
    {"moving-table", draft_moving_table},
};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static const char *const section_heads[SECTION_COUNT] = {
    [SECTION_HEAD] = "",
    [SECTION_BODIES] = "bodies:\n",
    [SECTION_GROUND] = "ground:\n  shapes:\n",
    [SECTION_JOINTS] = "joints:\n",
    [SECTION_COUPLERS] = "couplers:\n",
    [SECTION_SPRINGS] = "springs:\n",
    [SECTION_BUSHINGS] = "bushings:\n",
    [SECTION_FORCES] = "forces:\n",
    [SECTION_CONSTRAINTS] = "constraints:\n",
    [SECTION_CONTACTS] = "contacts:\n",
    [SECTION_LAWS] = "laws:\n",
};

int random_scene_family_count(void)
{
    return FAMILY_COUNT;
}

const char *random_scene_family_name(int family)
{
    return families[family].name;
}

static char *join(scene_draft *draft)
{
    random_scene *scene = draft->scene;
    size_t length = 256;
    for (int s = 0; s < SECTION_COUNT; s++) length += strlen(section_heads[s]) + draft->section[s].length;
    char *text = malloc(length);
    if (text == NULL) abort();
    int n = snprintf(text, length, "name: %s-%llu\n", scene->family, (unsigned long long)scene->seed);
    for (int s = 0; s < SECTION_COUNT; s++) {
        if (draft->section[s].length == 0) continue;
        n += snprintf(text + n, length - (size_t)n, "%s%s", section_heads[s], draft->section[s].text);
    }
    snprintf(text + n, length - (size_t)n, "simulate: {dt: %g, until: %.17g}\n", scene->time_step,
             scene->steps * scene->time_step);
    return text;
}

/* Half of the steps are 1 ms long and span half a second, the others 5 ms and 1.5 s. */
random_scene *random_scene_make(int family, uint64_t seed)
{
    random_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) abort();
    scene_draft own = {
        .scene = scene, .random = {seed * 7919u + (uint64_t)family}, .frame = tp_quat_identity()};
    scene->seed = seed;
    scene->family = families[family].name;
    scene->length = 1.0;
    bool is_fine = draft_chance(&own, 0.5);
    scene->time_step = is_fine ? 1e-3 : 5e-3;
    scene->steps = is_fine ? 500 : 300;
    scene->has_one_restitution = true;
    families[family].write(&own);
    scene->text = join(&own);
    for (int s = 0; s < SECTION_COUNT; s++) free(own.section[s].text);
    return scene;
}

void random_scene_free(random_scene *scene)
{
    if (scene == NULL) return;
    free(scene->text);
    free(scene);
}
