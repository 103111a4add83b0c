/* Recursive descent over the grammar of RFC 8259; bytes of UTF-8 are passed over. */
#include "json_check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *skip_space(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* Each skip_ function returns the place behind what it read, or NULL. */
static const char *skip_string(const char *s)
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; ++s) {
        if ((unsigned char)*s < 0x20) return NULL; /* also the end of the text */
        if (*s != '\\') continue;
        ++s;
        if (*s == '\0' || strchr("\"\\/bfnrtu", *s) == NULL) return NULL;
        if (*s != 'u') continue;
        for (int k = 0; k < 4; ++k) {
            if (!isxdigit((unsigned char)*++s)) return NULL;
        }
    }
    return s + 1;
}

static const char *skip_digits(const char *s)
{
    size_t count = strspn(s, "0123456789");
    return count > 0 ? s + count : NULL;
}

static const char *skip_number(const char *s)
{
    if (*s == '-') ++s;
    s = *s == '0' ? s + 1 : skip_digits(s);
    if (s != NULL && *s == '.') s = skip_digits(s + 1);
    if (s != NULL && (*s == 'e' || *s == 'E')) {
        ++s;
        s = skip_digits(*s == '+' || *s == '-' ? s + 1 : s);
    }
    return s;
}

static const char *skip_value(const char *s, int depth);

static const char *skip_member(const char *s, bool is_object, int depth)
{
    if (is_object) {
        s = skip_string(skip_space(s));
        if (s == NULL) return NULL;
        s = skip_space(s);
        if (*s++ != ':') return NULL;
    }
    s = skip_value(s, depth);
    return s == NULL ? NULL : skip_space(s);
}

static const char *skip_container(const char *s, int depth)
{
    bool is_object = *s == '{';
    char end = is_object ? '}' : ']';
    s = skip_space(s + 1);
    if (*s == end) return s + 1;
    for (;;) {
        s = skip_member(s, is_object, depth);
        if (s == NULL) return NULL;
        if (*s == end) return s + 1;
        if (*s++ != ',') return NULL;
    }
}

static const char *skip_value(const char *s, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    if (depth > 64) return NULL;
    s = skip_space(s);
    if (*s == '"') return skip_string(s);
    if (*s == '{' || *s == '[') return skip_container(s, depth + 1);
    for (int k = 0; k < 3; ++k) {
        if (strncmp(s, words[k], strlen(words[k])) == 0) return s + strlen(words[k]);
    }
    return skip_number(s);
}

bool json_is_well_formed(const char *text)
{
    const char *end = skip_value(text, 0);
    return end != NULL && *skip_space(end) == '\0';
}

bool json_find(const char *text, const char *key, char *value_out, size_t capacity)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *place = strstr(text, quoted);
    if (place == NULL) return false;
    const char *begin = skip_space(place + strlen(quoted));
    const char *end = skip_value(begin, 0);
    if (end == NULL) return false;
    snprintf(value_out, capacity, "%.*s", (int)(end - begin), begin);
    return true;
}
