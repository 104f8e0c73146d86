#define _GNU_SOURCE
#include "CShimsSockets.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

int cloakroom_accept(int listener, void *address, unsigned int *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int cloakroom_unread(int socket) {
    int count = 0;
    return ioctl(socket, FIONREAD, &count) == 0 ? count : 0;
}
