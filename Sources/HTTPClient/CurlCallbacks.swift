internal import CCurl

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The functions that libcurl calls; always on the event thread, during a call of a connection.
///
/// Context pointers are unretained: a connection outlives its libcurl handles.
enum CurlCallbacks {
    /// Drops the body of a proxy's answer to CONNECT.
    static let discard: cloakroom_curl_data_callback = { _, size, count, _ in size * count }

    static let closeSocket: curl_closesocket_callback = { context, socket in
        if let context { connection(context).socketCloses(socket) }
        return close(socket)
    }

    static let socket: curl_socket_callback = { _, socket, what, context, _ in
        if let context { connection(context).socketChanged(socket, what) }
        return 0
    }

    static let timer: curl_multi_timer_callback = { _, milliseconds, context in
        if let context { connection(context).timerChanged(milliseconds) }
        return 0
    }

    private static func connection(_ context: UnsafeMutableRawPointer) -> CurlConnection {
        Unmanaged<CurlConnection>.fromOpaque(context).takeUnretainedValue()
    }
}
