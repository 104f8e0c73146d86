internal import CCurl
internal import HTTPCore

/// An easy handle of libcurl with typed options, for one connection.
///
/// Options are set on the event thread before the connection is opened.
struct CurlHandle {
    let raw: UnsafeMutableRawPointer
    /// True if libcurl accepted every option so far.
    private(set) var isComplete = true

    init(_ raw: UnsafeMutableRawPointer) {
        self.raw = raw
    }

    /// Sets all options of a connection.
    ///
    /// - Parameters:
    ///   - origin: Scheme, host and port to connect to; a proxy is asked for https alone.
    ///   - settings: Limits and proxy.
    ///   - trust: The authorities that are trusted.
    mutating func prepare(for origin: String, _ settings: HTTPClientSettings, trust: TrustAnchors) {
        set(CURLOPT_URL, origin + "/")
        set(CURLOPT_CONNECT_ONLY, true)
        set(CURLOPT_NOSIGNAL, true)
        // Without this, closing a connection whose name is still being looked up waits for the resolver and with it
        // stops everything else. The look-up's thread frees what it holds when it ends.
        set(CURLOPT_QUICK_EXIT, true)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, true)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        set(CURLOPT_WRITEFUNCTION, CurlCallbacks.discard)
        // rule: no proxy of the environment is used
        set(CURLOPT_PROXY, settings.proxy?.origin ?? "")
        set(CURLOPT_NOPROXY, "")
        // For CONNECT alone.
        set(CURLOPT_USERAGENT, settings.userAgent)
        set(
            CURLOPT_CONNECTTIMEOUT_MS,
            Int(settings.connectTimeout.components.seconds * 1000)
                + Int(settings.connectTimeout.components.attoseconds / 1_000_000_000_000_000))
        setTLS(trust)
    }

    private mutating func setTLS(_ trust: TrustAnchors) {
        set(CURLOPT_SSL_VERIFYPEER, true)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if trust.store != nil {
            // Else libcurl would parse its own authorities besides, for each connection.
            set(CURLOPT_CAINFO, nil as String?)
            set(CURLOPT_CAPATH, nil as String?)
        }
        note(cloakroom_curl_set_trust(raw, trust.store))
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        note(cloakroom_curl_set_long(raw, option, value))
    }

    mutating func set(_ option: CURLoption, _ value: Bool) {
        set(option, value ? 1 : 0)
    }

    /// Sets a text option; libcurl copies the text.
    mutating func set(_ option: CURLoption, _ value: String?) {
        guard let value else { return note(cloakroom_curl_set_string(raw, option, nil)) }
        note(value.withCString { cloakroom_curl_set_string(raw, option, $0) })
    }

    /// Sets a pointer option; libcurl keeps the pointer and does not copy the bytes.
    mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        note(cloakroom_curl_set_pointer(raw, option, pointer))
    }

    mutating func set(_ option: CURLoption, _ callback: cloakroom_curl_data_callback?) {
        note(cloakroom_curl_set_data_callback(raw, option, callback))
    }

    mutating func set(closeSocket callback: curl_closesocket_callback?) {
        note(cloakroom_curl_set_close_callback(raw, callback))
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return cloakroom_curl_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    func string(_ info: CURLINFO) -> String {
        var value: UnsafePointer<CChar>?
        guard cloakroom_curl_get_string(raw, info, &value) == CURLE_OK, let value else { return "" }
        return String(cString: value)
    }

    /// The socket of the connection that was opened; nil without one.
    var socket: Int32? {
        var socket: curl_socket_t = -1
        guard cloakroom_curl_get_socket(raw, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK, socket >= 0 else {
            return nil
        }
        return socket
    }

    private mutating func note(_ code: CURLcode) {
        if code != CURLE_OK { isComplete = false }
    }
}
