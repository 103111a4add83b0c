/* What the YAML library complains about, in words that say what would be right. */
#ifndef TP_IO_SCENE_YAML_PROBLEM_H
#define TP_IO_SCENE_YAML_PROBLEM_H

/* "what is wrong; what would be right" for a problem text of libyaml; NULL if it is not known. The context
   ("while parsing a flow mapping") may be NULL. */
const char *tp_yaml_problem_text(const char *problem, const char *context);

#endif
