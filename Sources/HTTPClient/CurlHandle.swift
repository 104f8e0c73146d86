internal import CCurl

/// An easy handle of libcurl with typed options.
///
/// Options are set on the event thread before its only transfer starts.
struct CurlHandle {
    let raw: UnsafeMutableRawPointer
    /// True if libcurl accepted every option so far.
    private(set) var isComplete = true

    init(_ raw: UnsafeMutableRawPointer) {
        self.raw = raw
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

    mutating func set(_ option: CURLoption, size: Int) {
        note(cloakroom_curl_set_offset(raw, option, curl_off_t(size)))
    }

    mutating func set(_ option: CURLoption, _ callback: cloakroom_curl_data_callback?) {
        note(cloakroom_curl_set_data_callback(raw, option, callback))
    }

    mutating func set(prerequest callback: curl_prereq_callback?) {
        note(cloakroom_curl_set_prerequest_callback(raw, callback))
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

    /// The socket of the connection that the last transfer left open; nil when it left none.
    var keptSocket: Int32? {
        var socket: curl_socket_t = -1
        guard cloakroom_curl_get_socket(raw, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK, socket >= 0 else {
            return nil
        }
        return socket
    }

    /// The two ends of the last transfer's connection.
    var connection: ConnectionName {
        ConnectionName(
            localAddress: string(CURLINFO_LOCAL_IP), localPort: long(CURLINFO_LOCAL_PORT),
            remoteAddress: string(CURLINFO_PRIMARY_IP), remotePort: long(CURLINFO_PRIMARY_PORT))
    }

    /// Records that another resource for the transfer could not be allocated.
    mutating func refuse() {
        isComplete = false
    }

    private mutating func note(_ code: CURLcode) {
        if code != CURLE_OK { isComplete = false }
    }
}
