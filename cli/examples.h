/* The example scenes that come with the program: folders NAME with a file scene.yaml. */
#ifndef CLI_EXAMPLES_H
#define CLI_EXAMPLES_H

#include <stdbool.h>

enum { EXAMPLES_PATH_SIZE = 4096 };

/* A folder that comes with the program: beside the installed program, else in the source folder that it was
   built from. path_out [EXAMPLES_PATH_SIZE]; false if there is none. */
bool examples_folder(const char *from_program, const char *from_source, char *path_out);

typedef struct example {
    char *name, *path, *about; /* about: the scene's line, or what is wrong with it */
} example;

typedef struct example_list {
    int count;
    example *items; /* by name */
} example_list;

/* Empty if there are none. To be freed. */
example_list examples_find(void);
void examples_free(example_list *list);

#endif
