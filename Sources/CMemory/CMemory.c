// Passwords and tokens are copied by each layer that they pass: ours, Swift's strings and arrays, libcurl, libmicrohttpd. No layer
// knows all copies, but each gives its own back by `free`, so that is where they are overwritten. Programs define the two
// functions in place of the allocator's (ld.so looks there first, also for the libraries), and call the allocator's own.
#define _GNU_SOURCE
#include "CMemory.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define CLOAKROOM_OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define CLOAKROOM_OWN_ALLOCATOR 1
#endif
#endif

#ifdef CLOAKROOM_OWN_ALLOCATOR

int cloakroom_overwrites_freed_memory(void) { return 0; }

#else

typedef void (*cloakroom_free)(void *);

// The allocator's own: that of jemalloc where it is linked, else of the C library.
static cloakroom_free allocators_free(void) {
    static _Atomic(cloakroom_free) known;
    static __thread int is_looking;
    cloakroom_free found = atomic_load_explicit(&known, memory_order_relaxed);
    if (found || is_looking) return found;
    is_looking = 1;
    found = (cloakroom_free)dlsym(RTLD_NEXT, "free");
    is_looking = 0;
    if (!found) abort();
    atomic_store_explicit(&known, found, memory_order_relaxed);
    return found;
}

void free(void *block) {
    if (!block) return;
    explicit_bzero(block, malloc_usable_size(block));
    cloakroom_free give_back = allocators_free();
    // Freed by the look-up of the allocator itself: it stays allocated, once.
    if (give_back) give_back(block);
}

// The allocator's own would move a block and give the old one back by itself.
void *realloc(void *block, size_t size) {
    if (!block) return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t room = malloc_usable_size(block);
    if (size <= room && size >= room / 2) return block;
    void *moved = malloc(size);
    if (!moved) return NULL;
    memcpy(moved, block, size < room ? size : room);
    free(block);
    return moved;
}

int cloakroom_overwrites_freed_memory(void) { return dlsym(RTLD_DEFAULT, "free") == (void *)free; }

#endif
