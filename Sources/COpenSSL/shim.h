#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/err.h>
#include <openssl/crypto.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <openssl/kdf.h>
#include <openssl/bn.h>
#include <openssl/pem.h>

/* A macro that expands to more than a literal, which Swift does not import. */
static const int cloakroom_evp_pkey_public_key = EVP_PKEY_PUBLIC_KEY;
