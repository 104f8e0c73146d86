#include "CSimulation.h"

#include <openssl/rand.h>
#include <string.h>
#include <sys/random.h>

// The limits of this program's code in memory, which the linker knows.
extern const char __executable_start, etext;

static uint64_t state;

/// SplitMix64, by Sebastiano Vigna: any two seeds give sequences that have nothing to do with each other.
static uint64_t next(void) {
    uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static int fill(unsigned char *out, size_t count) {
    while (count > 0) {
        uint64_t word = next();
        size_t part = count < sizeof word ? count : sizeof word;
        memcpy(out, &word, part);
        out += part;
        count -= part;
    }
    return 1;
}

static int fill_from_kernel(unsigned char *out, size_t count) {
    while (count > 0) {
        ssize_t got = getrandom(out, count, 0);
        if (got <= 0) return 0;
        out += got;
        count -= (size_t)got;
    }
    return 1;
}

void simulation_seed_random(uint64_t seed) { state = seed; }

/// In the place of OpenSSL's. What is drawn once for many uses comes from the kernel, or whoever comes by when it is used up
/// would shift all that follows: OpenSSL's own draws, for blinding and signatures, and the pool of nonces of a thread
/// (`ThreadContexts`). Nothing in a world depends on the value of either.
int RAND_bytes_ex(OSSL_LIB_CTX *context, unsigned char *out, size_t count, unsigned int strength) {
    (void)context;
    (void)strength;
    const size_t pool = 12 * 64;
    const char *caller = __builtin_return_address(0);
    int is_ours = caller >= &__executable_start && caller < &etext;
    return is_ours && count != pool ? fill(out, count) : fill_from_kernel(out, count);
}
