/* Files that are part of the program: viewer/ and three.js, made into arrays by cmake/viewer.cmake. */
#ifndef TP_IO_PAGE_ASSETS_H
#define TP_IO_PAGE_ASSETS_H

#include <stddef.h>

typedef struct tp_asset {
    const char *name; /* as the page calls it: "style", "viewer", "three", "page" */
    const unsigned char *bytes;
    size_t count; /* 0: it was not there when the library was built */
} tp_asset;

extern const tp_asset tp_assets[]; /* ends with a NULL name */

#endif
