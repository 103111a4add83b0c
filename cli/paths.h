/* Files named on the command line: nothing that is read may be written. */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include "program.h"
#include "tippe/scene.h"

/* A file and what it is to the verb: "-o", "the scene". */
typedef struct named_file {
    const char *what, *path; /* path NULL: not given; "-": a standard stream */
} named_file;

typedef struct file_list {
    const named_file *files;
    int count;
} file_list;

#define FILE_LIST(array) ((file_list){(array), (int)(sizeof(array) / sizeof(array)[0])})

/* Refuses outputs that would replace an input, or each other, under whatever name. False after a complaint.
 */
bool check_outputs(const cli_verb *self, file_list outputs, file_list inputs);

/* The same with the files that a scene read besides itself. */
bool check_scene_files(const cli_verb *self, file_list outputs, const tp_scene *scene);

enum { INDEX_PATH_MAX = 4096 };

/* The index that is written into a folder of ParaView frames, FOLDER/motion.pvd; NULL for NULL and for
   NAME.pvd, which is the index itself. index_out [INDEX_PATH_MAX]. */
const char *paraview_index(const char *place, char *index_out);

/* True if the path ends in this ending (".csv"), in small or capital letters. */
bool has_ending(const char *path, const char *ending);

/* Refuses the name of a text file (NULL: none) that promises something else. False after a complaint. */
bool check_text_path(const cli_verb *self, const char *option, const char *path);

#endif
