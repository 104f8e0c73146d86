// Runs a program with sockets that listen on free ports of 127.0.0.1, as descriptors 10, 11, ...
//
//   listen COUNT PROGRAM ARGUMENT ...
//
// For programs that want to be told their ports: one that was free a moment ago may be taken by now, a socket cannot.
// Prints `ready {"ports":[...],"pid":N}`; the process becomes the program. What comes before it is ready waits.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { first_descriptor = 10, most = 50 };

int main(int argc, char **argv) {
    int count = argc > 2 ? atoi(argv[1]) : 0;
    if (count < 1 || count > most) {
        fprintf(stderr, "usage: listen COUNT PROGRAM ARGUMENT ...\n");
        return 64;
    }
    printf("ready {\"ports\":[");
    for (int i = 0; i < count; i++) {
        int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t length = sizeof address;
        if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1024) != 0
            || getsockname(listener, (struct sockaddr *)&address, &length) != 0
            || dup2(listener, first_descriptor + i) < 0) {
            perror("listen");
            return 1;
        }
        if (listener != first_descriptor + i) close(listener);
        printf("%s%d", i == 0 ? "" : ",", ntohs(address.sin_port));
    }
    printf("],\"pid\":%d}\n", (int)getpid());
    fflush(stdout);
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 1;
}
