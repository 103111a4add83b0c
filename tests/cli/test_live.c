/* tippe view --live: a page on this machine, what is new for it, and nothing for other hosts. */
#define _DEFAULT_SOURCE
#define SCRATCH TIPPE_PROGRAM "-test-live-"
#include "program_run.h"

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define BALL SCRATCH "ball.yaml"
#define PAGE SCRATCH "ball.html"

static const char ball[] = "name: ball\n"
                           "coordinates: [z]\n"
                           "kinetic: \"1/2*z'^2\"\n"
                           "potential: \"9.81*z\"\n"
                           "contacts: [{name: floor, gap: \"z\", restitution: 0.5}]\n"
                           "initial: {z: 0.1}\n"
                           "simulate: {dt: 1e-3, until: 0.5}\n"
                           "output: {every: 1e-2}\n"
                           "draw: [{name: ball, kind: circle, at: [0, z], radius: 0.01}]\n";

typedef struct server {
    pid_t process;
    int port; /* 0: it has none */
} server;

/* Starts the program and reads the address that it prints. */
static server start(void)
{
    server made = {0};
    int ends[2];
    char line[256] = "";
    if (pipe(ends) != 0) fail();
    made.process = fork();
    if (made.process == 0) {
        dup2(ends[1], 1);
        execl(TIPPE_PROGRAM, TIPPE_PROGRAM, "view", "--live", BALL, "-o", PAGE, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    if (output == NULL || fgets(line, sizeof line, output) == NULL) return made;
    sscanf(line, "http://127.0.0.1:%d/", &made.port);
    while (fgets(line, sizeof line, output) != NULL && !holds(line, "has ended")) {
    }
    fclose(output);
    return made;
}

/* The answer to a request, with its head; its length. */
static size_t ask(const server *at, const char *host, const char *path, char *answer, size_t capacity)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((unsigned short)at->port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s:%d\r\n\r\n", path, host, at->port);
    if (connect(client, (struct sockaddr *)&place, sizeof place) != 0 ||
        write(client, request, strlen(request)) < 0)
        fail();
    size_t count = 0;
    for (ssize_t got; (got = read(client, answer + count, capacity - 1 - count)) > 0;) count += (size_t)got;
    close(client);
    answer[count] = '\0';
    return count;
}

/* Rows every 10 ms of 0.5 s: 51 frames of 2 + 8 + (0 sensors + 4 + 1 column) numbers. */
TEST(a_live_page_is_served_to_this_machine)
{
    static char answer[1 << 22];
    write_text(BALL, ball);
    server at = start();
    if (at.port == 0) { /* built without three.js */
        waitpid(at.process, NULL, 0);
        remove(BALL);
        skip();
    }
    ask(&at, "127.0.0.1", "/", answer, sizeof answer);
    CHECK(holds(answer, "200 OK") && holds(answer, "\"live\":true"));
    size_t count = ask(&at, "localhost", "/news?0,0,0", answer, sizeof answer);
    const char *body = strstr(answer, "\r\n\r\n");
    float head[4];
    CHECK(body != NULL && count > 51 * 15 * sizeof(float));
    memcpy(head, body + 4, sizeof head);
    CHECK_INT(head[0], 51);
    CHECK_INT(head[3], 1);  /* the run has ended */
    CHECK(head[2] >= 1.0f); /* the ball fell on the floor */
    ask(&at, "127.0.0.1", "/news?51,0,99", answer, sizeof answer);
    memcpy(head, strstr(answer, "\r\n\r\n") + 4, sizeof head);
    CHECK_INT(head[0], 0);
    ask(&at, "somewhere.example", "/", answer, sizeof answer); /* a page of another site */
    CHECK(holds(answer, "404") && !holds(answer, "live"));
    ask(&at, "127.0.0.1", "/etc/passwd", answer, sizeof answer);
    CHECK(holds(answer, "404"));
    int status = 0;
    kill(at.process, SIGINT);
    CHECK_INT(waitpid(at.process, &status, 0), at.process);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_INT(remove(PAGE), 0); /* the page of the whole run */
    remove(BALL);
}

/* The point goes beyond 0.1 m, where the potential has no value. Rows are every 0.02 s, so that the
   last state lies between two of them. */
static const char runaway[] = "name: runaway\n"
                              "coordinates: [x]\n"
                              "kinetic: \"1/2*x'^2\"\n"
                              "potential: \"-sqrt(0.1 - x)\"\n"
                              "initial: {x: 0, x': 1}\n"
                              "simulate: {dt: 1e-3, until: 2}\n"
                              "output: {every: 0.02}\n"
                              "draw: [{name: p, kind: point, at: [x, 0]}]\n";

/* It used to end with exit code 0, and the page kept the report of its last frame. */
TEST(a_live_run_that_stops_on_its_way_shows_its_last_state_and_why)
{
    static char answer[1 << 22];
    write_text(BALL, runaway);
    server at = start();
    if (at.port == 0) { /* built without three.js */
        waitpid(at.process, NULL, 0);
        remove(BALL);
        skip();
    }
    size_t count = ask(&at, "127.0.0.1", "/news?0,0,0", answer, sizeof answer);
    const char *body = strstr(answer, "\r\n\r\n") + 4;
    float head[4], time;
    memcpy(head, body, sizeof head);
    CHECK_INT(head[3], 1);
    int frames = (int)head[0], length = 2 + 3 + 5; /* time, point, columns */
    CHECK(frames >= 2);
    memcpy(&time, body + sizeof head + (size_t)((frames - 1) * length) * sizeof time, sizeof time);
    const char *report = body + sizeof head + (size_t)(frames * length) * sizeof time;
    CHECK(report < answer + count && holds(report, "the state became infinite"));
    double stopped = atof(strstr(report, "\"time\":") + 7);
    CHECK_NEAR(time, stopped, 1e-6); /* single precision */
    CHECK(fabs(stopped / 0.02 - round(stopped / 0.02)) > 0.01);
    int status = 0;
    kill(at.process, SIGINT);
    CHECK_INT(waitpid(at.process, &status, 0), at.process);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    remove(PAGE);
    remove(BALL);
}

TEST(options_of_the_other_way_are_refused)
{
    write_text(BALL, ball);
    CHECK(holds(run("view run.h5 --port 8000")->err, "--port does not go without --live"));
    CHECK(holds(run("view --live " BALL " --every 1")->err, "--every does not go with --live"));
    CHECK_INT(run("view --live " BALL " --integrator no-such")->code, 2);
    CHECK_INT(run("view --live " SCRATCH "none.yaml")->code, 4);
    remove(BALL);
}

TEST_MAIN(RUNS(a_live_page_is_served_to_this_machine),
          RUNS(a_live_run_that_stops_on_its_way_shows_its_last_state_and_why),
          RUNS(options_of_the_other_way_are_refused))
