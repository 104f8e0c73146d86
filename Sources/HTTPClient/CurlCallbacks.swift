internal import CCurl

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The functions that libcurl calls; always on the event thread, during a call of the engine.
///
/// Context pointers are unretained: the engine outlives the multi handle, and a transfer outlives its stay in it.
enum CurlCallbacks {
    static let header: cloakroom_curl_data_callback = { bytes, size, count, context in
        guard let context, let bytes else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer(context).receive(line: line) ? line.count : 0
    }

    static let write: cloakroom_curl_data_callback = { bytes, size, count, context in
        guard let context, let bytes else { return 0 }
        let content = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer(context).receive(content: content) ? content.count : 0
    }

    static let prerequest: curl_prereq_callback = { context, remoteAddress, localAddress, remotePort, localPort in
        guard let context, let remoteAddress, let localAddress else { return CURL_PREREQFUNC_ABORT }
        let connection = ConnectionName(
            localAddress: String(cString: localAddress), localPort: Int(localPort),
            remoteAddress: String(cString: remoteAddress), remotePort: Int(remotePort))
        return transfer(context).maySend(on: connection) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    static let closeSocket: curl_closesocket_callback = { context, socket in
        if let context { engine(context).socketCloses(socket) }
        return close(socket)
    }

    static let socket: curl_socket_callback = { _, socket, what, context, _ in
        if let context { engine(context).socketChanged(socket, what) }
        return 0
    }

    static let timer: curl_multi_timer_callback = { _, milliseconds, context in
        if let context { engine(context).timerChanged(milliseconds) }
        return 0
    }

    private static func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    private static func engine(_ context: UnsafeMutableRawPointer) -> TransferEngine {
        Unmanaged<TransferEngine>.fromOpaque(context).takeUnretainedValue()
    }
}
