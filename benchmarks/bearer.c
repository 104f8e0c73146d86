// The least that checking a token costs: base64url, SHA-256 over the signed part, one verification.
//
// The key is read once; each thread prepares its contexts once. The algorithm is the server's, never the token's.
#include "bearer.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { longest_signature = 1024, half_of_es256 = 32 };

static EVP_PKEY *key;
static int is_ecdsa;
static _Thread_local EVP_PKEY_CTX *verification;
static _Thread_local EVP_MD_CTX *hashing;

int bearer_prepare(const char *algorithm, const char *key_path) {
    if (strcmp(algorithm, "RS256") != 0 && strcmp(algorithm, "ES256") != 0) return 0;
    is_ecdsa = algorithm[0] == 'E';
    FILE *file = fopen(key_path, "r");
    if (file == NULL) return 0;
    key = PEM_read_PUBKEY(file, NULL, NULL, NULL);
    fclose(file);
    return key != NULL && EVP_PKEY_is_a(key, is_ecdsa ? "EC" : "RSA");
}

// Makes the contexts of the calling thread.
static int prepare_thread(void) {
    verification = EVP_PKEY_CTX_new(key, NULL);
    hashing = EVP_MD_CTX_new();
    return verification != NULL && hashing != NULL && EVP_PKEY_verify_init(verification) == 1
        && (is_ecdsa || EVP_PKEY_CTX_set_rsa_padding(verification, RSA_PKCS1_PADDING) == 1)
        && EVP_PKEY_CTX_set_signature_md(verification, EVP_sha256()) == 1;
}

// Decodes base64url without padding; the number of bytes, or -1.
static int decode(const char *text, size_t length, unsigned char *bytes) {
    static const signed char values[256] = {
        ['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
        ['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
        ['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, ['-'] = 63, ['_'] = 64};
    unsigned bits = 0, count = 0;
    int written = 0;
    for (size_t i = 0; i < length; i++) {
        int value = values[(unsigned char)text[i]] - 1;
        if (value < 0) return -1;
        bits = bits << 6 | (unsigned)value;
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes[written++] = (unsigned char)(bits >> count);
        }
    }
    return written;
}

// Two halves of 32 bytes become the sequence of two numbers that OpenSSL reads.
static int to_der(unsigned char *signature, int count) {
    if (count != 2 * half_of_es256) return -1;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    ECDSA_SIG_set0(
        pair, BN_bin2bn(signature, half_of_es256, NULL), BN_bin2bn(signature + half_of_es256, half_of_es256, NULL));
    unsigned char *end = signature;
    int length = i2d_ECDSA_SIG(pair, &end);
    ECDSA_SIG_free(pair);
    return length;
}

int bearer_is_valid(const char *authorization) {
    if (authorization == NULL || strncasecmp(authorization, "Bearer ", 7) != 0) return 0;
    const char *token = authorization + 7, *first = strchr(token, '.');
    const char *last = first == NULL ? NULL : strchr(first + 1, '.');
    if (last == NULL || strchr(last + 1, '.') != NULL) return 0;
    if (hashing == NULL && !prepare_thread()) return 0;

    unsigned char signature[longest_signature], digest[32];
    size_t length = strlen(last + 1);
    if (length > longest_signature) return 0;
    int count = decode(last + 1, length, signature);
    if (is_ecdsa) count = to_der(signature, count);
    return count > 0 && EVP_DigestInit_ex2(hashing, EVP_sha256(), NULL) == 1
        && EVP_DigestUpdate(hashing, token, (size_t)(last - token)) == 1
        && EVP_DigestFinal_ex(hashing, digest, NULL) == 1
        && EVP_PKEY_verify(verification, signature, (size_t)count, digest, sizeof digest) == 1;
}
