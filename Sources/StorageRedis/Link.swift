internal import Basics
internal import Cryptography
internal import EventLoop

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The side of a link that says what is sent and takes what comes.
protocol LinkUser: AnyObject {
    /// The link is made, with TLS the certificate is verified, and output is asked for.
    func linked(_ link: Link, _ loop: Loop)
    /// Bytes to send, about as many; empty if there are none.
    func output(of link: Link, atLeast count: Int) -> [UInt8]
    /// Takes a reply.
    ///
    /// - Throws: Why the link cannot go on.
    func received(_ reply: RedisReply, _ link: Link, _ loop: Loop) throws(WireError)
    /// The link was not made or cannot go on; its user ends it.
    func failed(_ failure: WireError, _ link: Link, _ loop: Loop)
}

/// One connection from the look-up of the host to its end, plain or in TLS; lives on the event thread.
///
/// It has a reader and a TLS connection of its own, so nothing that an earlier one left reaches a later one. With TLS no
/// byte of its user is sent before the certificate is verified.
final class Link {
    private enum State {
        case idle
        case resolving
        case connecting(Int32)
        case securing(Int32)
        case ready(Int32)
        case ended
    }

    /// Reaches a link from the thread that looked up a name.
    ///
    /// Sendable invariant: the reference is read on the event thread alone.
    private final class Reference: @unchecked Sendable {
        private weak var link: Link?

        init(_ link: Link) {
            self.link = link
        }

        func link(on loop: Loop) -> Link? { link }
    }

    /// Looks up the addresses of a host; without blocking if the last argument is true.
    typealias Find = @Sendable (String, UInt16, Bool) -> [SocketAddress]

    private static let chunk = 32 << 10
    private static let readsPerTurn = 16

    private weak var user: (any LinkUser)?
    private let endpoint: Endpoint
    private let files: RedisSettings.TLS?
    private let isRefused: Bool
    private let events: EventThread
    private let find: Find
    private var state = State.idle
    private var reader: ReplyReader?
    private var outgoing: [UInt8] = []
    private var written = 0
    private var secure: SecureBytes?
    private var addresses: [SocketAddress] = []
    /// The address that was tried last.
    private(set) var address: SocketAddress?

    init(
        _ endpoint: Endpoint, _ settings: RedisSettings, events: EventThread, user: any LinkUser,
        find: @escaping Find
    ) {
        self.endpoint = endpoint
        files = settings.tls
        isRefused = settings.tls == nil && !settings.insecureTransport && !endpoint.isOfThisMachine
        self.events = events
        self.user = user
        self.find = find
    }

    // MARK: Connecting

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - loop: The loop of the event thread.
    ///   - failed: The address that is tried last.
    func start(_ loop: Loop, after failed: SocketAddress?) {
        guard case .idle = state else { return }
        // rule: without TLS nothing is sent to another machine, wherever its address comes from
        guard !isRefused else { return fail(.unprotected, loop) }
        state = .resolving
        if files == nil, let known = Self.known(endpoint, find) {
            return tryAddresses(known, nil, after: failed, loop)
        }
        let (reference, events, endpoint, files, find) = (Reference(self), events, endpoint, files, find)
        // Looking up a name and reading files block. The thread ends with it; its result is dropped if it comes too late.
        let thread = try? NativeThread("redis-name", blocksSignals: true) {
            let found = Self.known(endpoint, find) ?? Self.lookUp(endpoint, find)
            let context = files.map { files in Result { () throws(TLSError) in try TLSContext(files.paths) } }
            events.post { loop in
                guard let link = reference.link(on: loop), case .resolving = link.state else { return }
                switch context {
                case .failure(let error): link.fail(.tls(error), loop)
                case .success(let context): link.tryAddresses(found, context, after: failed, loop)
                case nil: link.tryAddresses(found, nil, after: failed, loop)
                }
            }
        }
        guard let thread else { return fail(.system(EAGAIN), loop) }
        thread.detach()
    }

    /// The addresses that are known without a look-up; nil if there is a name.
    private static func known(_ endpoint: Endpoint, _ find: Find) -> [SocketAddress]? {
        switch endpoint {
        case .socket(let path): return [SocketAddress(path: path)]
        case .tcp(let host, let port):
            let numeric = find(host, port, true)
            return numeric.isEmpty ? nil : numeric
        }
    }

    private static func lookUp(_ endpoint: Endpoint, _ find: Find) -> [SocketAddress] {
        guard case .tcp(let host, let port) = endpoint else { return [] }
        return find(host, port, false)
    }

    /// Tries addresses from the one after that which failed last: a silent address takes up a whole attempt, and a
    /// replica accepts the connection.
    private func tryAddresses(
        _ found: [SocketAddress], _ context: TLSContext?, after failed: SocketAddress?, _ loop: Loop
    ) {
        guard !found.isEmpty else { return fail(.unknownHost, loop) }
        // rule: an attempt does not begin with the address that failed last | 0
        let first = failed.flatMap { found.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        addresses = Array(found[first...] + found[..<first])
        if let context {
            do throws(TLSError) {
                secure = try SecureBytes(TLSClient(context, host: endpoint.host))
            } catch {
                return fail(.tls(error), loop)
            }
        }
        tryNext(.system(ECONNREFUSED), loop)
    }

    private func tryNext(_ last: WireError, _ loop: Loop) {
        var failure = last
        while !addresses.isEmpty {
            let next = addresses.removeFirst()
            address = next
            switch next.connect() {
            case .failure(let refused): failure = refused
            case .success(let descriptor):
                state = .connecting(descriptor)
                do {
                    try loop.watch(descriptor, for: [.readable, .writable]) { [weak self] loop, ready in
                        self?.ready(ready, loop)
                    }
                    return
                } catch {
                    state = .resolving
                    Glibc.close(descriptor)
                    failure = .system(EMFILE)
                }
            }
        }
        fail(failure, loop)
    }

    private func connected(_ descriptor: Int32, _ loop: Loop) {
        let code = SocketAddress.error(of: descriptor)
        guard code == 0 else {
            loop.unwatch(descriptor)
            Glibc.close(descriptor)
            state = .resolving
            return tryNext(.system(code), loop)
        }
        guard let reader = ReplyReader() else { return fail(.system(ENOMEM), loop) }
        self.reader = reader
        guard secure != nil else { return becomeReady(descriptor, loop) }
        state = .securing(descriptor)
        shakeHands(descriptor, loop)
    }

    /// Goes on with the handshake, and sends what it has to say.
    private func shakeHands(_ descriptor: Int32, _ loop: Loop) {
        guard let secure else { return }
        do throws(TLSError) {
            let isDone = try secure.handshake()
            if isDone { return becomeReady(descriptor, loop) }
        } catch {
            // The server gets to know why.
            _ = secure.send(to: descriptor)
            return fail(.tls(error), loop)
        }
        if case .failed(let code) = secure.send(to: descriptor) { return fail(lastWord(descriptor, code), loop) }
        watch(descriptor, loop)
    }

    private func becomeReady(_ descriptor: Int32, _ loop: Loop) {
        state = .ready(descriptor)
        user?.linked(self, loop)
        flush(loop)
        // Bytes may have come in with the last ones of the handshake.
        if case .ready = state, let secure, let reader { take(secure, reader, loop) }
    }

    // MARK: Bytes

    private var descriptor: Int32? {
        switch state {
        case .connecting(let descriptor), .securing(let descriptor), .ready(let descriptor): descriptor
        case .idle, .resolving, .ended: nil
        }
    }

    private func ready(_ ready: DescriptorReadiness, _ loop: Loop) {
        if case .connecting(let descriptor) = state { return connected(descriptor, loop) }
        if ready.contains(.readable) { read(loop) }
        guard ready.contains(.writable) else { return }
        if case .securing(let descriptor) = state { return shakeHands(descriptor, loop) }
        flush(loop)
    }

    /// Sends as much as the system takes.
    func flush(_ loop: Loop) {
        while case .ready(let descriptor) = state {
            if written == outgoing.count {
                written = 0
                outgoing = user?.output(of: self, atLeast: Self.chunk) ?? []
                if outgoing.isEmpty, secure?.isEmpty ?? true { break }
            }
            let progress = send(descriptor)
            switch progress {
            case .took(let count): written += count
            case .full: return watch(descriptor, loop)
            case .failed(let code): return fail(lastWord(descriptor, code), loop)
            }
        }
        if case .ready(let descriptor) = state { watch(descriptor, loop) }
    }

    private func send(_ descriptor: Int32) -> SendProgress {
        outgoing.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            guard let secure else { return SendProgress.send(rest, to: descriptor) }
            return secure.send(rest, to: descriptor)
        }
    }

    private func watch(_ descriptor: Int32, _ loop: Loop) {
        let isWaiting = written < outgoing.count || !(secure?.isEmpty ?? true)
        do { try loop.change(descriptor, to: isWaiting ? [.readable, .writable] : .readable) } catch {
            fail(.system(ENOMEM), loop)
        }
    }

    private func read(_ loop: Loop) {
        for _ in 0..<Self.readsPerTurn {
            guard let descriptor, let reader else { return }
            let failure = withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 8) { buffer -> WireError? in
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else {
                    if count == 0 { return closed }
                    return errno == EAGAIN || errno == EINTR ? .system(0) : .system(errno)
                }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                do {
                    if let secure { try secure.receive(bytes) } else { try reader.feed(bytes) }
                    return nil
                } catch {
                    return (error as? TLSError).map { .tls($0) } ?? .malformed
                }
            }
            if failure == .system(0) { return }
            if let failure { return fail(failure, loop) }
            switch state {
            case .securing(let descriptor): shakeHands(descriptor, loop)
            case .ready:
                if let secure { take(secure, reader, loop) } else { handOver(reader, loop) }
            case .idle, .resolving, .connecting, .ended: return
            }
        }
    }

    /// The end of the stream, which within a handshake has a cause of its own.
    private var closed: WireError {
        if case .securing = state { return .closedInHandshake }
        return .closedByServer
    }

    /// Opens all records that came, and hands over what they hold.
    private func take(_ secure: SecureBytes, _ reader: ReplyReader, _ loop: Loop) {
        var failure: WireError?
        do throws(TLSError) {
            while case .ready = state {
                let isMore = try secure.open { bytes in (try? reader.feed(bytes)) != nil }
                guard let isMore else {
                    failure = .malformed
                    break
                }
                guard isMore else { break }
                handOver(reader, loop)
            }
        } catch {
            failure = .tls(error)
        }
        guard case .ready(let descriptor) = state else { return }
        if let failure {
            _ = secure.send(to: descriptor)
            return fail(failure, loop)
        }
        if secure.isEnded { return fail(.closedByServer, loop) }
        flush(loop)
    }

    private func handOver(_ reader: ReplyReader, _ loop: Loop) {
        do {
            while case .ready = state {
                let next: RedisReply?
                do { next = try reader.next() } catch { throw WireError.malformed }
                guard let next else { break }
                try user?.received(next, self, loop)
            }
            if case .ready = state { flush(loop) }
        } catch {
            if case .ready = state { fail(error as? WireError ?? .malformed, loop) }
        }
    }

    /// The cause that the server gave before it closed the connection; the error of the system if it gave none.
    private func lastWord(_ descriptor: Int32, _ code: Int32) -> WireError {
        guard let secure else { return .system(code) }
        return withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 8) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return .system(code) }
            do throws(TLSError) {
                try secure.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                if case .securing = state {
                    let isDone = try secure.handshake()
                    guard isDone else { return .system(code) }
                }
                while try secure.open({ _ in true }) == true {}
                return .system(code)
            } catch {
                return .tls(error)
            }
        }
    }

    // MARK: Ends

    /// True while the handshake of TLS goes on.
    var isSecuring: Bool {
        if case .securing = state { true } else { false }
    }

    private func fail(_ failure: WireError, _ loop: Loop) {
        if case .ended = state { return }
        user?.failed(failure, self, loop)
        end(loop)
    }

    /// Ends the link.
    ///
    /// - Returns: Bytes of the output that the system did not take; with TLS, those of a record that it did not take whole.
    @discardableResult
    func end(_ loop: Loop) -> Int {
        if case .ended = state { return 0 }
        if let descriptor {
            if case .ready = state { secure?.end(at: descriptor) }
            loop.unwatch(descriptor)
            Glibc.close(descriptor)
        }
        state = .ended
        (reader, secure, addresses) = (nil, nil, [])
        defer { (outgoing, written) = ([], 0) }
        return outgoing.count - written
    }
}
