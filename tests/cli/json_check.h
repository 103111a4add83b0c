/* A strict reader of JSON for the tests: is the text one value of the grammar, and what does a key hold? */
#ifndef TESTS_CLI_JSON_CHECK_H
#define TESTS_CLI_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* True when the text is exactly one JSON value with white space around it. */
bool json_is_well_formed(const char *text);

/* Copies what stands behind "key": in an object without nested objects (strings with their quotes); false
   when the key is not there. */
bool json_find(const char *text, const char *key, char *value_out, size_t capacity);

#endif
