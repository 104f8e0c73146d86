internal import CCurl

/// TLS sessions and addresses that connections of one event thread share, so it needs no locks.
///
/// Used on its event thread alone. A connection holds the one that it was opened with,
/// because libcurl keeps it until its last handle is gone.
final class CurlShare {
    let raw: UnsafeMutableRawPointer

    /// Makes an empty one; nil when libcurl has no memory.
    init?() {
        guard let raw = curl_share_init() else { return nil }
        self.raw = raw
        guard cloakroom_curl_share_set(raw, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK,
            cloakroom_curl_share_set(raw, CURL_LOCK_DATA_DNS) == CURLSHE_OK
        else { return nil }
    }

    deinit {
        curl_share_cleanup(raw)
    }
}
