// See CShims.h.
#ifndef CLOAKROOM_SHIMS_MEMORY_H
#define CLOAKROOM_SHIMS_MEMORY_H

#include <stddef.h>

// memmem: the first place of some bytes in others, NULL where they are not there.
const void *cloakroom_find(const void *bytes, size_t count, const void *sought, size_t length);

#endif
