#ifndef CLOAKROOM_CURL_SHIM_H
#define CLOAKROOM_CURL_SHIM_H

#include <curl/curl.h>

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

static inline CURLcode cloakroom_curl_set_prerequest_callback(CURL *easy, curl_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
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

static inline CURLSHcode cloakroom_curl_share_tls_sessions(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

static inline CURLMcode cloakroom_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode cloakroom_curl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

#endif
