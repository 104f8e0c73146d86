#define _GNU_SOURCE
#include "CShimsMemory.h"

#include <string.h>

const void *cloakroom_find(const void *bytes, size_t count, const void *sought, size_t length) {
    return memmem(bytes, count, sought, length);
}
