#define _GNU_SOURCE
#include "CSimulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SWIFT __attribute__((swiftcall))

// Of the runtime's ABI, which it keeps: stdlib/public/CompatibilityOverride and include/swift/Runtime/Concurrency.h.
extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, void *original);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long nanoseconds, void *job, void *original);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock, void *job,
    void *original);
extern SWIFT void swift_job_run(void *job, void *identity, void *implementation);

static simulation_job take_ready;
static simulation_late_job take_late;
static long home;

static void check_thread(void) {
    if (syscall(SYS_gettid) == home) return;
    fputs("a job of the simulated world comes from another thread\n", stderr);
    abort();
}

static SWIFT void enqueue(void *job, void *original) {
    (void)original;
    check_thread();
    take_ready(job);
}

// Nothing of ours sleeps by the runtime, so these are for what it may do by itself.
static SWIFT void enqueue_after(unsigned long long nanoseconds, void *job, void *original) {
    (void)nanoseconds;
    (void)original;
    check_thread();
    fputs("a task of the simulated world sleeps past its clock\n", stderr);
    take_ready(job);
}

static SWIFT void enqueue_at(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock, void *job,
    void *original) {
    (void)tolerance_seconds;
    (void)tolerance_nanoseconds;
    (void)clock;
    (void)original;
    check_thread();
    const long long longest = 1000000000;
    take_late((seconds > longest ? longest : seconds) * 1000000000 + nanoseconds, job);
}

void simulation_take_jobs(simulation_job ready, simulation_late_job late) {
    home = syscall(SYS_gettid);
    take_ready = ready;
    take_late = late;
    swift_task_enqueueGlobal_hook = enqueue;
    swift_task_enqueueGlobalWithDelay_hook = enqueue_after;
    swift_task_enqueueGlobalWithDeadline_hook = enqueue_at;
}

void simulation_run(void *job) { swift_job_run(job, 0, 0); }
