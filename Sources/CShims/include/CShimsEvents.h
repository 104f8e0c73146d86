// epoll, eventfd and thread names, which the Glibc module of Swift leaves out.
#ifndef CLOAKROOM_SHIMS_EVENTS_H
#define CLOAKROOM_SHIMS_EVENTS_H

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

/// One ready descriptor: epoll's own struct is packed, which Swift does not import.
struct cloakroom_event {
    uint64_t token;
    uint32_t events;
};

enum { cloakroom_event_capacity = 64 };

static inline int cloakroom_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int cloakroom_epoll_control(int poller, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(poller, operation, descriptor, &event) == 0 ? 0 : errno;
}

/// The number of events written to `events` (at most `cloakroom_event_capacity`), or the negative errno.
static inline int cloakroom_epoll_wait(int poller, struct cloakroom_event *events, int timeout) {
    struct epoll_event ready[cloakroom_event_capacity];
    int count = epoll_wait(poller, ready, cloakroom_event_capacity, timeout);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        events[i].token = ready[i].data.u64;
        events[i].events = ready[i].events;
    }
    return count;
}

static inline int cloakroom_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void cloakroom_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    ssize_t written;
    do { written = write(descriptor, &one, sizeof one); } while (written < 0 && errno == EINTR);
}

static inline void cloakroom_eventfd_clear(int descriptor) {
    uint64_t count;
    ssize_t got;
    do { got = read(descriptor, &count, sizeof count); } while (got < 0 && errno == EINTR);
}

/// Names the calling thread; the system keeps 15 bytes.
static inline void cloakroom_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif
