// What the Glibc module of Swift leaves out about the process.
#ifndef CLOAKROOM_SHIMS_PROCESS_H
#define CLOAKROOM_SHIMS_PROCESS_H

/// `prctl(PR_SET_DUMPABLE)`: 0 or 1; -1 with errno on failure.
int cloakroom_set_dumpable(int dumpable);

/// `prctl(PR_GET_DUMPABLE)`: 0 or 1, 2 for root alone.
int cloakroom_get_dumpable(void);

#endif
