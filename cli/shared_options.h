/* Rows of option tables that several verbs have: one text for each. `type` is the verb's struct of settings,
   with a field of the name that the row uses. */
#ifndef CLI_SHARED_OPTIONS_H
#define CLI_SHARED_OPTIONS_H

#include <float.h>

#include "command_options.h"

#define OPTION_ROW(...)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

/* ---- of verbs that take a scene ---- */

#define SHARED_INTEGRATOR(type)                                                                              \
    OPTION_ROW("--integrator", NULL, OPTION_TEXT, offsetof(type, integrator), "NAME",                        \
               "instead of the scene's; see tippe list integrators", 0, 0, NULL)
#define SHARED_SOLVER(type)                                                                                  \
    OPTION_ROW("--solver", NULL, OPTION_TEXT, offsetof(type, solver), "NAME",                                \
               "of the step problems, instead of the scene's; see tippe list solvers", 0, 0, NULL)
#define SHARED_SET(type)                                                                                     \
    OPTION_ROW("--set", NULL, OPTION_TEXTS, offsetof(type, edits), "PATH=VALUE",                             \
               "changes a value of the scene: parameters.g=1.62; may be repeated", 0, 0,                     \
               "PATH=VALUE, at most 256 times")

#define SHARED_STRICT(type)                                                                                  \
    OPTION_ROW("--strict", NULL, OPTION_FLAG, offsetof(type, is_strict), NULL,                               \
               "exit code 3 if a run has warnings, even if it reached its end", 0, 0, NULL)

/* ---- of studies ---- */

#define SHARED_STUDY_END(type)                                                                               \
    OPTION_ROW("--until", NULL, OPTION_REAL, offsetof(type, end_time), "S",                                  \
               "end time, instead of the scene's", DBL_MIN, DBL_MAX, "a number of seconds above 0")
#define SHARED_NORM(type)                                                                                    \
    OPTION_ROW("--norm", NULL, OPTION_CHOICE, offsetof(type, norm), STUDY_NORMS,                             \
               "size of an error over time: its mean (l1), the largest, at the end", 0, 0, NULL)
#define SHARED_REFERENCE(type)                                                                               \
    OPTION_ROW("--reference", NULL, OPTION_TEXT, offsetof(type, reference), "NAME",                          \
               "measures against a fine run of this integrator, even if the exact motion is known", 0, 0,    \
               NULL)
#define SHARED_JOBS(type)                                                                                    \
    OPTION_ROW("--jobs", NULL, OPTION_COUNT, offsetof(type, jobs), "N",                                      \
               "runs at a time; as many as there are processors", 1, 1024, "a whole number from 1 to 1024")

/* ---- of verbs that draw a recorded run ---- */

#define SHARED_SCENE(type)                                                                                   \
    OPTION_ROW("--scene", NULL, OPTION_TEXT, offsetof(type, scene), "SCENE",                                 \
               "draws the motion as this scene says, instead of the one kept in the run", 0, 0, NULL)
#define SHARED_MOMENTS(type)                                                                                 \
    OPTION_ROW("--from", NULL, OPTION_REAL, offsetof(type, from), "S",                                       \
               "time of the first one; default: start of the run", -DBL_MAX, DBL_MAX,                        \
               "a number of seconds"),                                                                       \
        OPTION_ROW("--until", NULL, OPTION_REAL, offsetof(type, until), "S",                                 \
                   "time of the last one; default: end of the run", -DBL_MAX, DBL_MAX,                       \
                   "a number of seconds")
#define SHARED_VIEW(type)                                                                                    \
    OPTION_ROW("--view", NULL, OPTION_TEXT, offsetof(type, view), "VIEW",                                    \
               "xy, xz, yz (axes to the right and upwards), iso, or X,Y,Z: where to look from", 0, 0, NULL)
#define SHARED_SIZE(type)                                                                                    \
    OPTION_ROW("--size", NULL, OPTION_TEXT, offsetof(type, size), "WxH",                                     \
               "width and height in points (72 are an inch); 0: by itself", 0, 0, NULL)
#define SHARED_DPI(type)                                                                                     \
    OPTION_ROW("--dpi", NULL, OPTION_COUNT, offsetof(type, dots_per_inch), "N",                              \
               "dots per inch of a PNG; default 200", 10, 2400, "a whole number from 10 to 2400")
#define SHARED_QUIET_FILE(type)                                                                              \
    OPTION_ROW("--quiet", NULL, OPTION_FLAG, offsetof(type, is_quiet), NULL,                                 \
               "does not say what was written", 0, 0, NULL)

#endif
