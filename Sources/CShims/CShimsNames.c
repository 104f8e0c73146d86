#include <stdint.h>

/// Takes the place of the standard library's table of the names of characters, half a megabyte, where the program is linked with
/// `--wrap=_swift_stdlib_getScalarName`: every character is one without a name. Nobody asks for them.
uint16_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, uint16_t capacity);

uint16_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, uint16_t capacity) {
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}
