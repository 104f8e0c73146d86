internal import Basics
internal import HTTPServer

/// Counts what callers have in flight: calls to APIs, bytes that are held in memory for them, and event streams.
///
/// Keys are hashes with a seed of this process, like those of `Rates`. Callers without a call in flight use no memory.
final class CallerShares: Sendable {
    /// Bodies up to this many bytes are not counted: a connection holds as much anyway.
    static let uncounted = 16 * 1024

    fileprivate struct Keys {
        var peer: UInt64?
        var session: UInt64?
    }

    /// The reason why a call or a body is refused.
    enum Refusal {
        /// The caller has too much in flight.
        case caller
        /// All callers together have too much in flight.
        case server
    }

    private struct Use {
        var calls = 0
        var bytes = 0
        var streams = 0

        var isNone: Bool { calls <= 0 && bytes <= 0 && streams <= 0 }
    }

    private struct State {
        var calls = 0
        var bytes = 0
        var streams = 0
        var uses: [UInt64: Use] = [:]
    }

    private let limits: CallerLimits
    private let trusted: [AddressRange]
    private let state: Locked<State>

    /// - Parameters:
    ///   - settings: The limits.
    ///   - former: The shares of the previous settings, whose calls and streams still count; nil at the start.
    init(_ settings: APISettings, after former: CallerShares? = nil) {
        limits = settings.callerLimits
        trusted = settings.trustedPeers
        state = former?.state ?? Locked(State())
    }

    /// The number of callers with something in flight, peers and sessions.
    var count: Int { state.withLock { $0.uses.count } }

    /// The calls in flight, of all callers.
    var calls: Int { state.withLock { $0.calls } }

    /// The bytes held, for all callers.
    var held: Int { state.withLock { $0.bytes } }

    /// Begins a call to an API.
    ///
    /// The call of a signed-in session counts against the session alone: others behind the same address, with as much under
    /// way as they may have, take nothing from its user. A session without a sign-in costs nothing to get, so its calls count
    /// against the address as well.
    ///
    /// - Parameters:
    ///   - request: The call.
    ///   - cookie: The value of our cookie.
    ///   - isSignedIn: True if the cookie is that of a living session in which a user has signed in.
    /// - Returns: The call's share, which is given back when its last reference goes.
    /// - Throws: `.tooManyRequests` when the caller has too many calls or bytes in flight; `.busy` when all callers
    ///   together have too many bytes.
    func begin(_ request: ServerRequest, _ cookie: String?, isSignedIn: Bool) throws(Problem) -> CallShare {
        var keys = Keys(peer: peer(of: request), session: nil)
        // rule: a signed-in session counts for itself
        if isSignedIn { keys.peer = nil }
        keys.session = cookie.map { cookie in
            // rule: a cookie that opens no session takes nothing from one | CallerKey.session(cookie)
            isSignedIn ? CallerKey.session(cookie) : CallerKey.cookie(cookie)
        }
        let isFull = state.withLock { state -> Refusal? in
            for (key, limit) in [(keys.peer, limits.callsPerPeer), (keys.session, limits.callsPerSession)] {
                if let key, limit > 0, state.uses[key]?.calls ?? 0 >= limit { return .caller }
            }
            if let refusal = refusal(state, keys, more: 0) { return refusal }
            state.calls += 1
            for case let key? in [keys.peer, keys.session] { state.uses[key, default: Use()].calls += 1 }
            return nil
        }
        if let isFull { throw Problem(isFull) }
        return CallShare(self, keys, isCall: true)
    }

    /// The share of a request that is not a call to an API.
    func share(of request: ServerRequest) -> CallShare {
        CallShare(self, Keys(peer: peer(of: request), session: nil), isCall: false)
    }

    /// Changes the bytes held for a call from `old` to `new`; a caller for whom nothing else is held is not refused, so
    /// that no limit is too small for one body.
    fileprivate func change(_ keys: Keys, _ old: Int, _ new: Int, isKept: Bool) -> Refusal? {
        state.withLock { state in
            add(-old, &state, keys)
            let refusal = new > old && !isKept ? refusal(state, keys, more: new) : nil
            add(refusal == nil ? new : old, &state, keys)
            return refusal
        }
    }

    fileprivate func end(_ keys: Keys, isCall: Bool, _ bytes: Int) {
        state.withLock { state in
            add(-bytes, &state, keys)
            if isCall { state.calls -= 1 }
            for case let key? in [keys.peer, keys.session] {
                if isCall { state.uses[key]?.calls -= 1 }
                if state.uses[key]?.isNone == true { state.uses[key] = nil }
            }
        }
    }

    /// The limit that `more` further bytes exceed, with 0 the limit that is already reached; nil for none.
    private func refusal(_ state: State, _ keys: Keys, more: Int) -> Refusal? {
        func isBeyond(_ used: Int, _ limit: Int) -> Bool { used > 0 && (used >= limit || used + more > limit) }
        for (key, limit) in [(keys.peer, limits.heldPerPeer), (keys.session, limits.heldPerSession)] {
            if let key, isBeyond(state.uses[key]?.bytes ?? 0, limit) { return .caller }
        }
        return isBeyond(state.bytes, limits.held) ? .server : nil
    }

    private func add(_ bytes: Int, _ state: inout State, _ keys: Keys) {
        guard bytes != 0 else { return }
        state.bytes += bytes
        for case let key? in [keys.peer, keys.session] { state.uses[key, default: Use()].bytes += bytes }
    }

    /// The key of a request's client address; nil for a listed proxy that names none.
    private func peer(of request: ServerRequest) -> UInt64? {
        let address = CallerAddress.of(request, trusting: trusted)
        let isProxy = !trusted.isEmpty && trusted.contains { $0.contains(address) }
        return isProxy ? nil : CallerKey.peer(address)
    }
}

/// The counts of one call; its last reference gives them back.
///
/// An answer holds its share until it has been sent.
final class CallShare: Sendable {
    private let shares: CallerShares
    private let keys: CallerShares.Keys
    private let isCall: Bool
    private let bytes = Locked(0)

    fileprivate init(_ shares: CallerShares, _ keys: CallerShares.Keys, isCall: Bool) {
        self.shares = shares
        self.keys = keys
        self.isCall = isCall
    }

    deinit {
        shares.end(keys, isCall: isCall, bytes.withLock { $0 })
    }

    /// Sets how many bytes are held for the call.
    ///
    /// - Parameters:
    ///   - count: The bytes.
    ///   - isKept: True to count them in spite of the limits.
    /// - Returns: The limit that refuses them, in which case the former count stands; nil when they are counted.
    func keep(_ count: Int, isKept: Bool = false) -> CallerShares.Refusal? {
        let counted = count <= CallerShares.uncounted ? 0 : count
        return bytes.withLock { bytes in
            guard counted != bytes else { return nil }
            if let refusal = shares.change(keys, bytes, counted, isKept: isKept) { return refusal }
            bytes = counted
            return nil
        }
    }
}

extension CallerShares {
    /// Takes the place of one event stream, which is given back when its last reference goes.
    ///
    /// A stream is held open for minutes, so its limits are its own; like calls to APIs, streams of a listed proxy that
    /// names no address count for all callers alone.
    ///
    /// - Throws: `.tooManyRequests` when the address has as many streams as it may; `.busy` when all callers together
    ///   have.
    func openStream(_ request: ServerRequest) throws(Problem) -> EventPlace {
        let peer = peer(of: request)
        let refusal = state.withLock { state -> Refusal? in
            if let peer, limits.eventsPerPeer > 0, state.uses[peer]?.streams ?? 0 >= limits.eventsPerPeer {
                return .caller
            }
            guard state.streams < limits.events else { return .server }
            state.streams += 1
            if let peer { state.uses[peer, default: Use()].streams += 1 }
            return nil
        }
        guard let refusal else { return EventPlace(self, peer) }
        var problem =
            switch refusal {
            case .caller: Problem(.tooManyRequests, "Too many event streams are open from this address.")
            case .server: Problem(.busy, "Too many event streams are open.")
            }
        problem.retryAfter = .seconds(30)
        throw problem
    }

    fileprivate func endStream(_ peer: UInt64?) {
        state.withLock { state in
            state.streams -= 1
            guard let peer else { return }
            state.uses[peer]?.streams -= 1
            if state.uses[peer]?.isNone == true { state.uses[peer] = nil }
        }
    }
}

/// The place of one event stream; its last reference gives the place back.
final class EventPlace: Sendable {
    private let shares: CallerShares
    private let peer: UInt64?

    fileprivate init(_ shares: CallerShares, _ peer: UInt64?) {
        self.shares = shares
        self.peer = peer
    }

    deinit {
        shares.endStream(peer)
    }
}

extension Problem {
    /// The problem of a caller, or of all callers together, with too much in flight.
    init(_ refusal: CallerShares.Refusal) {
        switch refusal {
        case .caller: self.init(.tooManyRequests, "Too many calls are under way, or too many answers are not taken.")
        case .server: self.init(.busy, "Too many answers are not taken by those who asked for them.")
        }
        retryAfter = .seconds(1)
    }
}
