// What of the Swift runtime, the C library and OpenSSL a simulated world takes the place of: the executor, monotonic time and
// random bytes. It does so for the whole process, as soon as this target is linked into it.
#ifndef CLOAKROOM_SIMULATION_H
#define CLOAKROOM_SIMULATION_H

#include <stdint.h>

/// Takes a job that is ready to run.
typedef void (*simulation_job)(void *job);
/// Takes a job that is to run at an instant of monotonic time, in nanoseconds.
typedef void (*simulation_late_job)(int64_t instant, void *job);

/// Takes every job that the Swift runtime would give to its global executor, for as long as the process lives. A job that comes
/// from another thread than the one that called this ends the process: the world has one.
void simulation_take_jobs(simulation_job ready, simulation_late_job late);

/// Runs a job to its next suspension, as a thread of the global executor would.
void simulation_run(void *job);

/// What monotonic clocks of this process say from now on, in nanoseconds.
void simulation_set_time(int64_t nanoseconds);

/// The machine's own monotonic clock, in nanoseconds.
int64_t simulation_machine_time(void);

/// The bytes that `RAND_bytes_ex` gives to code of this program follow from this number.
void simulation_seed_random(uint64_t seed);

#endif
