internal import CMicroHTTPD
internal import Logs

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One libmicrohttpd daemon: a thread with an epoll set, which gets its connections from the acceptor.
///
/// The daemon does not listen itself. Its own way to stop listening (`MHD_quiesce_daemon`) races with its thread in
/// 0.9.75 and may abort the process; a listening socket per daemon (`SO_REUSEPORT`) spreads connections by hash, hence
/// unevenly.
///
/// Sendable invariant: libmicrohttpd allows adding connections from any thread, and the owner calls `stop` once, after
/// the last `add`.
final class Daemon: @unchecked Sendable {
    private let raw: OpaquePointer
    private let context: Unmanaged<ListenerCore>
    private let logger: UnsafeMutablePointer<cloakroom_mhd_logger>

    /// Starts the daemon's thread; nil when libmicrohttpd cannot start it.
    init?(_ core: ListenerCore) {
        let context = Unmanaged.passRetained(core)
        let logger = UnsafeMutablePointer<cloakroom_mhd_logger>.allocate(capacity: 1)
        logger.initialize(to: cloakroom_mhd_logger(emit: emitLog, context: context.toOpaque()))
        var options = cloakroom_mhd_options()
        options.logger = logger
        options.context = context.toOpaque()
        options.access = accessHandler
        options.target = noteTarget
        options.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
        options.completed = requestCompleted
        options.connection = connectionChanged
        options.memory = core.connectionMemory
        // The acceptor enforces the limit; the daemon's own must only not be smaller. The reaper enforces all time
        // limits.
        options.connections = UInt32(core.limits.connections) + 1024
        guard let raw = cloakroom_mhd_start(&options) else {
            logger.deallocate()
            context.release()
            return nil
        }
        self.raw = raw
        self.context = context
        self.logger = logger
    }

    /// Serves a connection; the socket belongs to libmicrohttpd from now on, also after a failure.
    ///
    /// - Returns: False when libmicrohttpd does not take the connection.
    func add(_ socket: Int32, _ address: inout sockaddr_storage, _ length: socklen_t) -> Bool {
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                MHD_add_connection(raw, socket, address, length) == .YES
            }
        }
    }

    /// Closes all connections and ends the thread; blocks.
    ///
    /// No connection may be suspended, and none should be open: libmicrohttpd 0.9.75 ends the process when it refuses a
    /// request itself while it stops (one that breaks its grammar or does not fit its memory), because it then builds
    /// the head of a response that it has not queued.
    func stop() {
        MHD_stop_daemon(raw)
        logger.deallocate()
        context.release()
    }
}

private func connection(_ raw: OpaquePointer?) -> Connection? {
    guard let raw, let context = cloakroom_mhd_context(raw) else { return nil }
    return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
}

private let accessHandler: MHD_AccessHandlerCallback = {
    _, raw, _, method, version, data, size, request in
    guard let connection = connection(raw), let method, let version, let size, let request else { return .NO }
    if request.pointee == nil {
        request.pointee = UnsafeMutableRawPointer(bitPattern: 1)
        return connection.begin(method: method, version: version)
    }
    guard size.pointee > 0 else { return connection.finishRequest() }
    guard let left = connection.receive(UnsafeRawBufferPointer(start: data, count: size.pointee)) else { return .NO }
    size.pointee = left
    return .YES
}

private let noteTarget:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
        _, target, raw in
        guard let connection = connection(raw), let target else { return nil }
        let length = strlen(target)
        target.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
            connection.noteTarget(UnsafeBufferPointer(start: bytes, count: length))
        }
        return nil
    }

private let requestCompleted: MHD_RequestCompletedCallback = { _, raw, request, code in
    request?.pointee = nil
    connection(raw)?.complete(cleanly: code == .REQUEST_TERMINATED_COMPLETED_OK)
}

private let connectionChanged: MHD_NotifyConnectionCallback = { context, raw, slot, change in
    guard let context, let raw, let slot else { return }
    let core = Unmanaged<ListenerCore>.fromOpaque(context).takeUnretainedValue()
    if change == .CONNECTION_NOTIFY_STARTED {
        let connection = Connection(
            core: core, raw: raw, socket: cloakroom_mhd_socket(raw), peer: PeerAddress(cloakroom_mhd_peer(raw)))
        slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        let (id, isOnly) = core.registry.add(connection)
        connection.open(as: id)
        core.watch.add(connection.socket, id: id)
        if isOnly { core.watch.wake() }
        // The acceptor handed the connection over before the stop: the stop finds it in the registry, or is found here.
        if core.drain.isHalted { connection.halt() }
    } else if let pointer = slot.pointee {
        slot.pointee = nil
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
        core.registry.remove(connection.close())
        core.counter.leave(connection.peer)
        core.drain.connectionEnded()
    }
}

private let emitLog: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = { context, message in
    guard let context, let message else { return }
    let core = Unmanaged<ListenerCore>.fromOpaque(context).takeUnretainedValue()
    core.logger.debug("libmicrohttpd", metadata: ["message": "\(String(cString: message))"])
}
