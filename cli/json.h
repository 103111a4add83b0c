/* Writes JSON: one value on one line, escaped strings, numbers that read back as the same double. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 16 };

typedef struct json_writer {
    FILE *file;
    int depth;
    bool has_items[JSON_DEPTH_MAX]; /* at this depth, so that the next one needs a comma */
    bool after_key;
} json_writer;

json_writer json_begin(FILE *file);
void json_end(json_writer *json); /* ends the line */

/* The same, with the braces of one object. */
json_writer json_begin_object(FILE *file);
void json_end_object(json_writer *json);

void json_open(json_writer *json, char bracket);  /* '{' or '['          */
void json_close(json_writer *json, char bracket); /* '}' or ']'         */
void json_key(json_writer *json, const char *key);

void json_text(json_writer *json, const char *text); /* NULL: null; bytes that are not UTF-8 become U+FFFD */
void json_real(json_writer *json, double number);    /* NaN and infinity: null                            */
void json_integer(json_writer *json, long long number);
void json_bool(json_writer *json, bool truth);
void json_reals(json_writer *json, const double *numbers, int count); /* an array */

/* A key and its value. */
void json_text_at(json_writer *json, const char *key, const char *text);
void json_real_at(json_writer *json, const char *key, double number);
void json_integer_at(json_writer *json, const char *key, long long number);
void json_bool_at(json_writer *json, const char *key, bool truth);
void json_open_at(json_writer *json, const char *key, char bracket);
void json_reals_at(json_writer *json, const char *key, const double *numbers, int count);

/* Shortest of %.15g, %.16g, %.17g that reads back as the same double; buffer [32]. */
void json_format_real(double number, char *buffer);

#endif
