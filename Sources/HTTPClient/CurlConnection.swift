internal import CCurl
internal import EventLoop
internal import HTTPCodec
internal import HTTPCore

/// One connection that libcurl opens: it resolves the name, connects, and does TLS and the proxy.
///
/// Bytes are sent and received here, and mean nothing to libcurl. It has a multi handle of its own, in which its easy handle stays: in a shared one libcurl closes connections of this
/// kind while it opens another. Used on its event thread only. libcurl reports sockets and timers by callbacks during
/// calls into it, so no property may be under exclusive access during such a call.
final class CurlConnection {
    /// The result of sending.
    enum Sent {
        case bytes(Int)
        case wouldBlock
        case failed
    }

    /// The result of receiving.
    enum Received {
        case bytes(Int)
        case wouldBlock
        /// The peer ended the connection in order: FIN without TLS, `close_notify` with it.
        case end
        case failed
    }

    private enum Phase {
        case opening
        case open
        case closed
    }

    let destination: Destination
    /// True if bytes that were decrypted may wait in libcurl while its socket is not readable.
    let holdsBytes: Bool
    let openedAt = ContinuousClock.now
    /// The reader of its answers, one after the other.
    var reader: ResponseParser
    /// The exchange that it is opened for or carries; nil while it is idle.
    var transfer: Transfer?
    /// The instant since which it is idle.
    var idleSince = ContinuousClock.now
    /// True if it has carried a request before the current one.
    var isReused = false

    private unowned let engine: TransferEngine
    private let loop: Loop
    /// Held because libcurl uses them until the connection is open.
    private let trust: TrustAnchors
    /// Held because libcurl uses it as long as the handle lives.
    private let share: CurlShare
    /// The generation of the trust that its certificate was checked with; nil without TLS.
    let trustGeneration: Int?
    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private var phase = Phase.opening
    private var timer: TimerID?
    private var watched: Set<Int32> = []
    private var socket: Int32 = -1

    /// Makes a connection that is not open yet; nil when libcurl has no handle or refuses an option.
    init?(
        to destination: Destination, for engine: TransferEngine, on loop: Loop, _ settings: HTTPClientSettings,
        trust: TrustAnchors, generation: Int?, share: CurlShare
    ) {
        guard let multi = curl_multi_init() else { return nil }
        guard let easy = curl_easy_init() else {
            curl_multi_cleanup(multi)
            return nil
        }
        self.destination = destination
        holdsBytes = destination.isSecure || settings.proxy?.scheme == .https
        var limits = ResponseLimits()
        limits.headBytes = settings.headerLimit
        limits.bodyBytes = settings.bodyLimit
        reader = ResponseParser(limits)
        (self.engine, self.loop, self.trust, self.multi, self.easy) = (engine, loop, trust, multi, easy)
        (trustGeneration, self.share) = (generation, share)
        let context = Unmanaged.passUnretained(self).toOpaque()
        var handle = CurlHandle(easy)
        handle.prepare(for: destination.origin, settings, trust: trust)
        handle.set(closeSocket: CurlCallbacks.closeSocket)
        handle.set(CURLOPT_CLOSESOCKETDATA, pointer: context)
        handle.set(CURLOPT_SHARE, pointer: share.raw)
        let code = cloakroom_curl_multi_set_callbacks(multi, CurlCallbacks.socket, CurlCallbacks.timer, context)
        guard handle.isComplete, code == CURLM_OK else {
            close()
            return nil
        }
    }

    deinit {
        close()
    }

    // MARK: Opening

    /// Starts to open it; `TransferEngine.opened` or `failed` is called, possibly before this returns.
    func open() {
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return engine.failed(self, nil) }
        drive(CURL_SOCKET_TIMEOUT, [])
    }

    private func drive(_ socket: Int32, _ ready: DescriptorReadiness) {
        guard phase == .opening else { return }
        var bits: Int32 = 0
        if ready.contains(.readable) { bits |= CURL_CSELECT_IN }
        if ready.contains(.writable) { bits |= CURL_CSELECT_OUT }
        var still: Int32 = 0
        guard curl_multi_socket_action(multi, socket, bits, &still) == CURLM_OK else {
            return engine.failed(self, nil)
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            return finish(message.pointee.data.result)
        }
    }

    private func finish(_ code: CURLcode) {
        let handle = CurlHandle(easy)
        guard code == CURLE_OK else {
            return engine.failed(
                self,
                CurlFailure(
                    code, hasSystemError: handle.long(CURLINFO_OS_ERRNO) != 0,
                    verification: handle.long(CURLINFO_SSL_VERIFYRESULT)))
        }
        guard let socket = handle.socket else { return engine.failed(self, nil) }
        for other in watched where other != socket { loop.unwatch(other) }
        stopTimer()
        do {
            try loop.watch(socket, for: .readable) { _, ready in self.engine.ready(self, ready) }
        } catch {
            return engine.failed(self, nil)
        }
        (watched, self.socket, phase) = ([socket], socket, .open)
        engine.opened(self)
    }

    /// Handles libcurl's request to change how a socket is watched.
    func socketChanged(_ socket: Int32, _ what: Int32) {
        guard phase == .opening else { return }
        guard what != CURL_POLL_REMOVE else { return unwatch(socket) }
        var interest: DescriptorReadiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        do {
            if watched.insert(socket).inserted {
                try loop.watch(socket, for: interest) { _, ready in
                    self.drive(socket, ready)
                    self.engine.startWaiting()
                }
            } else {
                try loop.change(socket, to: interest)
            }
        } catch {
            // The exchange ends at its deadline.
            engine.cannotWatch(error)
        }
    }

    /// Handles libcurl's request to be called after some time, or not at all.
    func timerChanged(_ milliseconds: Int) {
        stopTimer()
        guard phase == .opening, milliseconds >= 0 else { return }
        timer = loop.schedule(at: .now + .milliseconds(milliseconds)) { _ in
            self.timer = nil
            self.drive(CURL_SOCKET_TIMEOUT, [])
            self.engine.startWaiting()
        }
    }

    /// Handles the closing of a socket, before its number can be used again.
    func socketCloses(_ socket: Int32) {
        unwatch(socket)
    }

    private func unwatch(_ socket: Int32) {
        if watched.remove(socket) != nil { loop.unwatch(socket) }
    }

    private func stopTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    // MARK: Bytes

    /// Sends bytes, as many as there is room for.
    ///
    /// After `wouldBlock` the next call has the same bytes in the same place, as OpenSSL demands.
    func send(_ bytes: UnsafeRawBufferPointer) -> Sent {
        guard phase == .open else { return .failed }
        var count = 0
        switch curl_easy_send(easy, bytes.baseAddress, bytes.count, &count) {
        case CURLE_OK: return .bytes(count)
        case CURLE_AGAIN: return .wouldBlock
        default: return .failed
        }
    }

    /// Receives bytes that are there.
    func receive(into memory: UnsafeMutableRawBufferPointer) -> Received {
        guard phase == .open else { return .failed }
        var count = 0
        switch curl_easy_recv(easy, memory.baseAddress, memory.count, &count) {
        case CURLE_OK where count > 0: return .bytes(count)
        case CURLE_OK: return isEndInOrder ? .end : .failed
        case CURLE_AGAIN: return .wouldBlock
        default: return .failed
        }
    }

    /// True if an end of what can be received is the peer's word.
    private var isEndInOrder: Bool {
        // rule: the end of a TLS connection is the peer's word after close_notify alone
        if holdsBytes, cloakroom_curl_is_tls_ended(easy) == 0 { return false }
        return true
    }

    /// Changes which readiness is reported to `TransferEngine.ready`.
    func watch(for interest: DescriptorReadiness) throws(EventThreadError) {
        try loop.change(socket, to: interest)
    }

    /// Closes it and frees libcurl's resources; a second call does nothing.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        stopTimer()
        for socket in watched { loop.unwatch(socket) }
        watched = []
        curl_multi_remove_handle(multi, easy)
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
    }
}
