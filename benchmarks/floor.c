// The floor: libmicrohttpd answering 300 bytes in plain C, in the shape of HTTPServer.
//
//   floor                  answers everything
//   floor RS256 KEY.pem    verifies the bearer token first (or ES256), and answers 401 when it is not good
//   floor upstream         an API: answers 401 when the request carries no bearer token, and reads no further
//
// Two daemons of one thread each, epoll, connections dealt out by an acceptor, a new response for each request with the
// same two header fields. No other checks, no Swift: what a request costs at least on this machine.
//
// Prints `ready {"url":"http://127.0.0.1:PORT","pid":N}`.
#define _GNU_SOURCE
#include "bearer.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { threads = 2, body_size = 300, memory = 48 * 1024 };

static char body[body_size];
static enum { everything, verified, carrying } accepted;

static int is_accepted(struct MHD_Connection *connection) {
    if (accepted == everything) return 1;
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (accepted == verified) return bearer_is_valid(value);
    return value != NULL && strncasecmp(value, "Bearer ", 7) == 0;
}

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *data, size_t *size, void **request) {
    static int seen;
    (void)context, (void)url, (void)method, (void)version, (void)data;
    if (*request == NULL) {
        *request = &seen;
        return MHD_YES;
    }
    if (*size != 0) {
        *size = 0;
        return MHD_YES;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(body_size, body, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", "application/json");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    enum MHD_Result result = MHD_queue_response(connection, is_accepted(connection) ? 200 : 401, response);
    MHD_destroy_response(response);
    return result;
}

int main(int argc, char **argv) {
    if (argc == 3 && bearer_prepare(argv[1], argv[2])) {
        accepted = verified;
    } else if (argc == 2 && strcmp(argv[1], "upstream") == 0) {
        accepted = carrying;
    } else if (argc != 1) {
        fprintf(stderr, "usage: floor [RS256|ES256 PUBLIC-KEY.pem | upstream]\n");
        return 64;
    }
    memset(body, 'a', body_size);
    struct MHD_Daemon *daemons[threads];
    for (int i = 0; i < threads; i++) {
        daemons[i] = MHD_start_daemon(
            MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET, 0, NULL,
            NULL, answer, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)memory, MHD_OPTION_END);
        if (daemons[i] == NULL) return 1;
    }
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1024) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return 1;
    printf("ready {\"url\":\"http://127.0.0.1:%d\",\"pid\":%d}\n", ntohs(address.sin_port), (int)getpid());
    fflush(stdout);
    for (unsigned turn = 0;; turn++) {
        struct sockaddr_in peer;
        socklen_t size = sizeof peer;
        int client = accept4(listener, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client >= 0) MHD_add_connection(daemons[turn % threads], client, (struct sockaddr *)&peer, size);
    }
}
