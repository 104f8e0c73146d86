// What the Glibc module of Swift leaves out about sockets.
#ifndef CLOAKROOM_SHIMS_SOCKETS_H
#define CLOAKROOM_SHIMS_SOCKETS_H

/// `accept4` with a socket that does not block and is closed on exec; -1 with errno on failure.
int cloakroom_accept(int listener, void *address, unsigned int *length);

/// Bytes that have come and are not read yet; 0 when unknown.
int cloakroom_unread(int socket);

/// Bytes that the peer's system has acknowledged since the connection began; 0 when unknown.
unsigned long long cloakroom_taken(int socket);

/// Milliseconds since the peer last sent data; 0 when unknown.
unsigned int cloakroom_silence(int socket);

#endif
