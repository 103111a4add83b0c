/* HTTP/1.0 as far as a page of ours needs it: GET, from this machine, for this host. */
#define _DEFAULT_SOURCE
#include "loopback.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { REQUEST_MAX = 8192, WAITING = 8, PATIENCE = 1 }; /* bytes; connections; [s] for one that is slow */

/* A browser that closed its page must not end the program: an option of the call, on macOS of the socket. */
#ifdef MSG_NOSIGNAL
enum { SEND_FLAGS = MSG_NOSIGNAL };
static void survive_closing(int client)
{
    (void)client;
}
#else
enum { SEND_FLAGS = 0 };
static void survive_closing(int client)
{
    int yes = 1;
    setsockopt(client, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
}
#endif

bool loopback_open(loopback *server, int port)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    socklen_t size = sizeof place;
    int yes = 1;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (server->listener < 0) return false;
    (void)fcntl(server->listener, F_SETFD, FD_CLOEXEC);
    setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(server->listener, (struct sockaddr *)&place, sizeof place) != 0 ||
        listen(server->listener, WAITING) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&place, &size) != 0) {
        loopback_close(server);
        return false;
    }
    server->port = ntohs(place.sin_port);
    return true;
}

void loopback_close(loopback *server)
{
    if (server->listener >= 0) close(server->listener);
    server->listener = -1;
}

static void send_all(int client, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        ssize_t sent = send(client, at, count, SEND_FLAGS);
        if (sent <= 0) return;
        at += sent, count -= (size_t)sent;
    }
}

/* The head of a request; false if it does not end in time. */
static bool read_head(int client, char *text)
{
    size_t count = 0;
    while (count < REQUEST_MAX - 1) {
        ssize_t got = recv(client, text + count, REQUEST_MAX - 1 - count, 0);
        if (got <= 0) return false;
        count += (size_t)got;
        text[count] = '\0';
        if (strstr(text, "\r\n\r\n") != NULL) return true;
    }
    return false;
}

/* Pages of other sites may not read along: their browser names another host. */
static bool names_this_host(const loopback *server, const char *head)
{
    char numbers[40], name[40];
    snprintf(numbers, sizeof numbers, "127.0.0.1:%d\r\n", server->port);
    snprintf(name, sizeof name, "localhost:%d\r\n", server->port);
    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, "Host:", 5) != 0) continue;
        const char *host = line + 7 + strspn(line + 7, " ");
        return strncmp(host, numbers, strlen(numbers)) == 0 || strncmp(host, name, strlen(name)) == 0;
    }
    return false;
}

static void answer(const loopback *server, int client, loopback_handler *handler, void *self)
{
    static char head[REQUEST_MAX];
    char path[256], reply[256];
    const struct timeval patience = {.tv_sec = PATIENCE};
    survive_closing(client);
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!read_head(client, head)) return;
    loopback_answer found = {NULL, NULL, 0};
    if (sscanf(head, "GET %255s ", path) == 1 && names_this_host(server, head)) found = handler(self, path);
    int length =
        snprintf(reply, sizeof reply,
                 "HTTP/1.0 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                 "Connection: close\r\n\r\n",
                 found.kind != NULL ? "200 OK" : "404 Not Found",
                 found.kind != NULL ? found.kind : "text/plain", found.count);
    send_all(client, reply, (size_t)length);
    send_all(client, found.bytes, found.count);
}

void loopback_serve(loopback *server, int milliseconds, loopback_handler *handler, void *self)
{
    struct pollfd waiting = {.fd = server->listener, .events = POLLIN};
    while (poll(&waiting, 1, milliseconds) > 0) {
        int client = accept(server->listener, NULL, NULL);
        if (client < 0) return;
        answer(server, client, handler, self);
        close(client);
        milliseconds = 0;
    }
}
