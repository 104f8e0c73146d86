// Takes the place of `free` and `realloc` in the program that it is linked into: what is given back is overwritten with zeros.
#ifndef CLOAKROOM_MEMORY_H
#define CLOAKROOM_MEMORY_H

/// 1 if this process overwrites memory that is freed; 0 in a build with a sanitizer, which has an allocator of its own, and
/// where another library comes first.
int cloakroom_overwrites_freed_memory(void);

#endif
