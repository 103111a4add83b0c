/* JSON as a stream; the writer keeps track of commas alone, its caller of the grammar. */
#include "json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_writer json_begin(FILE *file)
{
    json_writer writer = {0};
    writer.file = file;
    return writer;
}

void json_end(json_writer *json)
{
    assert(json->depth == 0);
    fputc('\n', json->file);
}

/* What must stand before the next value or key. */
static void separate(json_writer *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->has_items[json->depth]) fputs(", ", json->file);
    json->has_items[json->depth] = true;
}

void json_open(json_writer *json, char bracket)
{
    separate(json);
    fputc(bracket, json->file);
    assert(json->depth + 1 < JSON_DEPTH_MAX);
    json->has_items[++json->depth] = false;
}

void json_close(json_writer *json, char bracket)
{
    assert(json->depth > 0);
    --json->depth;
    fputc(bracket, json->file);
}

json_writer json_begin_object(FILE *file)
{
    json_writer writer = json_begin(file);
    json_open(&writer, '{');
    return writer;
}

void json_end_object(json_writer *json)
{
    json_close(json, '}');
    json_end(json);
}

/* Length of the UTF-8 character at s, or 0 if the bytes are none (too long forms and surrogates included). */
static int utf8_length(const unsigned char *s)
{
    int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    for (int k = 1; k < length; ++k) {
        if ((s[k] & 0xC0) != 0x80) return 0;
    }
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return length;
}

static void write_character(FILE *file, const unsigned char *s, int length)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *place = length == 1 ? strchr(plain, s[0]) : NULL;
    if (length == 0) {
        fputs("\\ufffd", file);
    } else if (place != NULL && *place != '\0') {
        fprintf(file, "\\%c", letter[place - plain]);
    } else if (length == 1 && (s[0] < 0x20 || s[0] == 0x7F)) {
        fprintf(file, "\\u%04x", s[0]);
    } else {
        fwrite(s, 1, (size_t)length, file);
    }
}

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int length = utf8_length(s);
        write_character(file, s, length);
        s += length > 0 ? length : 1;
    }
    fputc('"', file);
}

void json_key(json_writer *json, const char *key)
{
    separate(json);
    write_string(json->file, key);
    fputs(": ", json->file);
    json->after_key = true;
}

void json_text(json_writer *json, const char *text)
{
    separate(json);
    if (text == NULL) {
        fputs("null", json->file);
    } else {
        write_string(json->file, text);
    }
}

void json_format_real(double number, char *buffer)
{
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(buffer, 32, "%.*g", digits, number);
        if (strtod(buffer, NULL) == number) return;
    }
}

void json_real(json_writer *json, double number)
{
    char buffer[32] = "null";
    if (isfinite(number)) json_format_real(number, buffer);
    separate(json);
    fputs(buffer, json->file);
}

void json_integer(json_writer *json, long long number)
{
    separate(json);
    fprintf(json->file, "%lld", number);
}

void json_bool(json_writer *json, bool truth)
{
    separate(json);
    fputs(truth ? "true" : "false", json->file);
}

void json_reals(json_writer *json, const double *numbers, int count)
{
    json_open(json, '[');
    for (int k = 0; k < count; ++k) json_real(json, numbers[k]);
    json_close(json, ']');
}

void json_text_at(json_writer *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

void json_real_at(json_writer *json, const char *key, double number)
{
    json_key(json, key);
    json_real(json, number);
}

void json_integer_at(json_writer *json, const char *key, long long number)
{
    json_key(json, key);
    json_integer(json, number);
}

void json_bool_at(json_writer *json, const char *key, bool truth)
{
    json_key(json, key);
    json_bool(json, truth);
}

void json_open_at(json_writer *json, const char *key, char bracket)
{
    json_key(json, key);
    json_open(json, bracket);
}

void json_reals_at(json_writer *json, const char *key, const double *numbers, int count)
{
    json_key(json, key);
    json_reals(json, numbers, count);
}
