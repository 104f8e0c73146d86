// What a thread keeps for itself, which Swift has no variables for.
#ifndef CLOAKROOM_SHIMS_THREADS_H
#define CLOAKROOM_SHIMS_THREADS_H

/// The event loop that the calling thread runs; NULL on every other thread.
void *cloakroom_current_loop(void);

void cloakroom_set_current_loop(void *loop);

#endif
