/* Colours of drawings and curves. */
#include "tippe/drawing.h"

#include <stddef.h>
#include <string.h>

/* Okabe and Ito's colours without yellow, which is hard to see on paper, and grey. */
static const tp_colour palette[TP_PALETTE_COUNT] = {
    {0.000, 0.447, 0.698}, {0.835, 0.369, 0.000}, {0.000, 0.620, 0.451}, {0.800, 0.475, 0.655},
    {0.337, 0.706, 0.914}, {0.902, 0.624, 0.000}, {0.250, 0.250, 0.250}, {0.600, 0.600, 0.600},
};

static const struct {
    const char *name;
    tp_colour colour;
} named[] = {
    {"black", {0.0, 0.0, 0.0}},
    {"white", {1.0, 1.0, 1.0}},
    {"grey", {0.6, 0.6, 0.6}},
    {"dark-grey", {0.25, 0.25, 0.25}},
    {"light-grey", {0.85, 0.85, 0.85}},
    {"blue", {0.0, 0.447, 0.698}},
    {"light-blue", {0.337, 0.706, 0.914}},
    {"red", {0.8, 0.1, 0.1}},
    {"orange", {0.835, 0.369, 0.0}},
    {"yellow", {0.902, 0.624, 0.0}},
    {"green", {0.0, 0.62, 0.451}},
    {"pink", {0.8, 0.475, 0.655}},
    {"brown", {0.5, 0.3, 0.1}},
};
enum { NAMED_COUNT = sizeof named / sizeof named[0] };

tp_colour tp_palette_colour(int index)
{
    int place = index % TP_PALETTE_COUNT;
    return palette[place >= 0 ? place : place + TP_PALETTE_COUNT];
}

const char *tp_colour_name(int index)
{
    return index >= 0 && index < NAMED_COUNT ? named[index].name : NULL;
}

/* 0 to 15, or -1. */
static int hexadecimal(char letter)
{
    static const char digits[] = "0123456789abcdef";
    char lower = letter >= 'A' && letter <= 'F' ? (char)(letter - 'A' + 'a') : letter;
    const char *found = lower != '\0' ? strchr(digits, lower) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

bool tp_colour_read(const char *text, tp_colour *colour_out)
{
    for (int k = 0; k < NAMED_COUNT; k++) {
        if (strcmp(text, named[k].name) != 0) continue;
        *colour_out = named[k].colour;
        return true;
    }
    if (text[0] != '#' || strlen(text) != 7) return false;
    double part[3];
    for (int k = 0; k < 3; k++) {
        int high = hexadecimal(text[1 + 2 * k]), low = hexadecimal(text[2 + 2 * k]);
        if (high < 0 || low < 0) return false;
        part[k] = (16 * high + low) / 255.0;
    }
    *colour_out = (tp_colour){part[0], part[1], part[2]};
    return true;
}
