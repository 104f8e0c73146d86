internal import Basics
internal import Cryptography
internal import EventLoop

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The side of a connection that says what is sent and takes what comes.
protocol WireUser: AnyObject {
    /// The connection is made and the server has accepted the greeting.
    func opened(_ loop: Loop)
    /// Bytes to send, about as many; empty if there are none.
    func output(atLeast count: Int, _ digests: [Script: [UInt8]]) -> [UInt8]
    /// Takes a reply.
    ///
    /// - Throws: Why the connection cannot go on.
    func received(_ reply: RedisReply, _ loop: Loop) throws(WireError)
    /// The connection ended or was not made.
    ///
    /// - Parameters:
    ///   - unwritten: Bytes of the output that the system did not take.
    ///   - failure: Why; nil if it was closed by us.
    ///   - loop: The loop of the event thread.
    func ended(unwritten: Int, _ failure: WireError?, _ loop: Loop)
}

/// One connection to the server, made again whenever it ends, until it is closed; lives on the event thread.
///
/// Each connection has a reader and a greeting of its own, so nothing that an earlier one left reaches a later one.
final class Wire {
    private enum State {
        case idle
        case waiting(TimerID)
        case resolving
        case connecting(Int32)
        case greeting(Int32, Greeting)
        case open(Int32)
        case closed
    }

    /// Reaches a wire from the thread that looked up a name.
    ///
    /// Sendable invariant: the reference is read on the event thread alone.
    private final class Reference: @unchecked Sendable {
        private weak var wire: Wire?

        init(_ wire: Wire) {
            self.wire = wire
        }

        func wire(on loop: Loop) -> Wire? { wire }
    }

    /// Looks up the addresses of a host; without blocking if the last argument is true.
    typealias Find = @Sendable (String, UInt16, Bool) -> [SocketAddress]

    private static let chunk = 32 << 10
    private static let readsPerTurn = 16

    weak var user: (any WireUser)?
    private let settings: RedisSettings
    private let scripts: [Script]
    private let events: EventThread
    private let find: Find
    private var state = State.idle
    private var reader: ReplyReader?
    private var digests: [Script: [UInt8]] = [:]
    private var outgoing: [UInt8] = []
    private var written = 0
    private var connectTimer: TimerID?
    private var addresses: [SocketAddress] = []
    private var current: SocketAddress?
    /// The address that failed last; the next attempt begins after it.
    private var failed: SocketAddress?
    private var backoff = Backoff()
    private var failedAttempts = 0
    /// True once the connection has brought a good answer to its user.
    private(set) var isWorking = false
    /// Counts attempts and ends, so that what belongs to an earlier connection is told apart.
    private var generation = 0

    init(
        _ settings: RedisSettings, scripts: [Script], events: EventThread,
        find: @escaping Find = { SocketAddress.find($0, $1, numeric: $2) }
    ) {
        self.settings = settings
        self.scripts = scripts
        self.events = events
        self.find = find
    }

    /// True from the second failed attempt in a row until a connection is open.
    ///
    /// Waiting for one would cost each caller its whole time.
    var isOut: Bool { failedAttempts >= 2 && !isOpen }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Notes a good answer, so that the next loss is a first one again.
    ///
    /// A greeting does not count: a server may accept it and refuse all that follows.
    func noteWorking() {
        isWorking = true
        failedAttempts = 0
        backoff.reset()
    }

    // MARK: Connecting

    /// Begins to connect, unless it has begun.
    func start(_ loop: Loop) {
        guard case .idle = state else { return }
        connect(loop)
    }

    private func connect(_ loop: Loop) {
        generation += 1
        state = .resolving
        connectTimer = loop.schedule(at: .now + settings.connectTimeout) { [weak self] loop in
            self?.connectTimer = nil
            self?.end(.connectTimeout, loop)
        }
        switch settings.address {
        case .socket(let path): tryAddresses([SocketAddress(path: path)], loop)
        case .tcp(let host, let port):
            let numeric = find(host, port, true)
            guard numeric.isEmpty else { return tryAddresses(numeric, loop) }
            let (reference, events, generation, find) = (Reference(self), events, generation, find)
            // Looking up a name blocks; the thread ends with it, and its result is dropped if it comes too late.
            let thread = try? NativeThread("redis-name", blocksSignals: true) {
                let found = find(host, port, false)
                events.post { loop in
                    guard let wire = reference.wire(on: loop), wire.generation == generation else { return }
                    wire.tryAddresses(found, loop)
                }
            }
            guard let thread else { return end(.system(EAGAIN), loop) }
            thread.detach()
        }
    }

    private func tryAddresses(_ found: [SocketAddress], _ loop: Loop) {
        addresses = inTurn(found)
        guard !found.isEmpty else { return end(.unknownHost, loop) }
        tryNext(.system(ECONNREFUSED), loop)
    }

    /// The addresses in the order of this attempt, from the one after that which failed last.
    ///
    /// A silent address takes up a whole attempt, and a replica accepts the connection.
    private func inTurn(_ found: [SocketAddress]) -> [SocketAddress] {
        guard let failed, let place = found.firstIndex(of: failed) else { return found }
        // rule: an attempt does not begin with the address that failed last | 0
        let first = place + 1
        return Array(found[first...] + found[..<first])
    }

    private func tryNext(_ last: WireError, _ loop: Loop) {
        var failure = last
        while !addresses.isEmpty {
            let address = addresses.removeFirst()
            current = address
            switch address.connect() {
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
        end(failure, loop)
    }

    private func connected(_ descriptor: Int32, _ loop: Loop) {
        let code = SocketAddress.error(of: descriptor)
        guard code == 0 else {
            loop.unwatch(descriptor)
            Glibc.close(descriptor)
            state = .resolving
            return tryNext(.system(code), loop)
        }
        guard let reader = ReplyReader() else { return end(.system(ENOMEM), loop) }
        self.reader = reader
        let greeting = Greeting(settings, scripts: scripts)
        outgoing = greeting.bytes
        state = .greeting(descriptor, greeting)
        flush(loop)
    }

    // MARK: Bytes

    private var descriptor: Int32? {
        switch state {
        case .connecting(let descriptor), .greeting(let descriptor, _), .open(let descriptor): descriptor
        case .idle, .waiting, .resolving, .closed: nil
        }
    }

    private func ready(_ ready: DescriptorReadiness, _ loop: Loop) {
        if case .connecting(let descriptor) = state { return connected(descriptor, loop) }
        let now = generation
        if ready.contains(.readable) { read(loop) }
        if ready.contains(.writable), generation == now { flush(loop) }
    }

    /// Sends as much as the system takes.
    func flush(_ loop: Loop) {
        guard let descriptor, let reader else { return }
        while true {
            if written == outgoing.count {
                written = 0
                outgoing = isOpen ? user?.output(atLeast: Self.chunk, digests) ?? [] : []
                if outgoing.isEmpty { break }
            }
            let count = outgoing.withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                written += count
            } else if errno == EAGAIN || errno == EINTR {
                break
            } else {
                return end(.system(errno), loop)
            }
        }
        withExtendedLifetime(reader) {}
        let interest: DescriptorReadiness = written < outgoing.count ? [.readable, .writable] : .readable
        do { try loop.change(descriptor, to: interest) } catch { end(.system(ENOMEM), loop) }
    }

    private func read(_ loop: Loop) {
        let now = generation
        for _ in 0..<Self.readsPerTurn {
            guard generation == now, let descriptor, let reader else { return }
            let failure = withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 8) { buffer -> WireError? in
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else {
                    if count == 0 { return .closedByServer }
                    return errno == EAGAIN || errno == EINTR ? .system(0) : .system(errno)
                }
                do {
                    try reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    return nil
                } catch {
                    return .malformed
                }
            }
            if failure == .system(0) { return }
            if let failure { return end(failure, loop) }
            handOver(reader, now, loop)
        }
    }

    private func handOver(_ reader: ReplyReader, _ now: Int, _ loop: Loop) {
        do {
            while generation == now {
                let next: RedisReply?
                do { next = try reader.next() } catch { throw WireError.malformed }
                guard let next else { break }
                try take(next, loop)
            }
            if generation == now { flush(loop) }
        } catch {
            if generation == now { end(error as? WireError ?? .malformed, loop) }
        }
    }

    private func take(_ reply: RedisReply, _ loop: Loop) throws(WireError) {
        guard case .greeting(let descriptor, var greeting) = state else {
            try user?.received(reply, loop)
            return
        }
        try greeting.answered(reply)
        guard greeting.isDone else {
            state = .greeting(descriptor, greeting)
            return
        }
        state = .open(descriptor)
        digests = greeting.digests
        if let connectTimer { loop.cancel(connectTimer) }
        connectTimer = nil
        user?.opened(loop)
    }

    // MARK: Ends

    /// Ends the connection; the next one is made after a pause.
    func end(_ failure: WireError, _ loop: Loop) {
        guard release(loop) else { return }
        let unwritten = dropOutput()
        if !isWorking || failure == .refused("READONLY") { failed = current ?? failed }
        failedAttempts = isWorking ? 0 : failedAttempts + 1
        isWorking = false
        current = nil
        let timer = loop.schedule(at: .now + backoff.next()) { [weak self] loop in self?.connect(loop) }
        state = .waiting(timer)
        user?.ended(unwritten: unwritten, failure, loop)
    }

    /// Ends the connection for good.
    func close(_ loop: Loop) {
        if case .waiting(let timer) = state { loop.cancel(timer) }
        guard release(loop) else { return }
        let unwritten = dropOutput()
        state = .closed
        user?.ended(unwritten: unwritten, nil, loop)
    }

    private func dropOutput() -> Int {
        defer { (outgoing, written) = ([], 0) }
        return outgoing.count - written
    }

    /// Frees all that belongs to one connection; false if the wire is closed.
    private func release(_ loop: Loop) -> Bool {
        if case .closed = state { return false }
        generation += 1
        if let connectTimer { loop.cancel(connectTimer) }
        connectTimer = nil
        reader = nil
        addresses = []
        if let descriptor {
            loop.unwatch(descriptor)
            Glibc.close(descriptor)
        }
        return true
    }
}
