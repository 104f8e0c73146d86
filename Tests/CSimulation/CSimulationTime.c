#define _GNU_SOURCE
#include "CSimulation.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t simulated = -1;

/// In the place of the C library's, which `ContinuousClock` asks; the wall clock and clocks of processes stay real.
int clock_gettime(clockid_t clock, struct timespec *out) {
    int is_monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC_RAW;
    if (simulated < 0 || !is_monotonic) return (int)syscall(SYS_clock_gettime, clock, out);
    out->tv_sec = simulated / 1000000000;
    out->tv_nsec = simulated % 1000000000;
    return 0;
}

void simulation_set_time(int64_t nanoseconds) { simulated = nanoseconds; }

int64_t simulation_machine_time(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
