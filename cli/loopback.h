/* A small HTTP server for this machine alone: one request at a time, answered between the steps of a run. */
#ifndef CLI_LOOPBACK_H
#define CLI_LOOPBACK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct loopback {
    int listener; /* -1: closed */
    int port;
} loopback;

/* What a request is answered with; kind NULL: there is no such page. */
typedef struct loopback_answer {
    const char *kind; /* "text/html; charset=utf-8" */
    const void *bytes;
    size_t count;
} loopback_answer;
typedef loopback_answer loopback_handler(void *self, const char *path);

/* Listens on 127.0.0.1; port 0: any that is free. False and errno on failure. */
bool loopback_open(loopback *server, int port);
void loopback_close(loopback *server);

/* Answers what has come, or comes within so many milliseconds. */
void loopback_serve(loopback *server, int milliseconds, loopback_handler *handler, void *self);

#endif
