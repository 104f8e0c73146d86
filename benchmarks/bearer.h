// Checks the signature of bearer tokens with OpenSSL, as fast as plain C does it.
#ifndef BEARER_H
#define BEARER_H

// Reads the public key (PEM) that all tokens are checked with; `algorithm` is RS256 or ES256. 0 when it cannot.
int bearer_prepare(const char *algorithm, const char *key_path);

// Whether the value of an Authorization field is a token in compact form with a valid signature. Claims are not read.
int bearer_is_valid(const char *authorization);

#endif
