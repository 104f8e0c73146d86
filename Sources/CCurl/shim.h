#ifndef CLOAKROOM_CURL_SHIM_H
#define CLOAKROOM_CURL_SHIM_H

#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// libcurl sets and reads options through variadic functions, which Swift does not import: one wrapper per type.

static inline CURLcode cloakroom_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline curl_version_info_data *cloakroom_curl_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

static inline CURLcode cloakroom_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode cloakroom_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode cloakroom_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode cloakroom_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*cloakroom_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cloakroom_curl_set_data_callback(
    CURL *easy, CURLoption option, cloakroom_curl_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode cloakroom_curl_set_close_callback(CURL *easy, curl_closesocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode cloakroom_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode cloakroom_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode cloakroom_curl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLSHcode cloakroom_curl_share_set(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

static inline CURLMcode cloakroom_curl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

// Reads the authorities of a PEM file; null if there is none that can be read. As libcurl sets it up: a certificate of the
// file is trusted even if it is not self-signed.
static inline void *cloakroom_trust_load(const char *path) {
    X509_STORE *store = X509_STORE_new();
    if (store && X509_STORE_load_file(store, path) == 1
        && X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN) == 1)
        return store;
    X509_STORE_free(store);
    ERR_clear_error();
    return NULL;
}

static inline void cloakroom_trust_free(void *store) { X509_STORE_free(store); }

static inline CURLcode cloakroom_curl_prepare_tls(CURL *easy, void *context, void *store) {
    (void)easy;
    if (store) SSL_CTX_set1_cert_store(context, store);
    return CURLE_OK;
}

// Trusts what the store has, which must exist until the connection is open; null leaves libcurl's own.
static inline CURLcode cloakroom_curl_set_trust(CURL *easy, void *store) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, cloakroom_curl_prepare_tls);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, store);
    return code;
}

// True if the peer ended TLS by close_notify: libcurl 7.88 reports a connection that was cut off as ended, too.
static inline int cloakroom_curl_is_tls_ended(CURL *easy) {
    const struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) || !info || !info->internals) return 0;
    return (SSL_get_shutdown(info->internals) & SSL_RECEIVED_SHUTDOWN) != 0;
}

#endif
