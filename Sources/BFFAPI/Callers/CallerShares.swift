internal import Basics
internal import HTTPServer

/// Counts what callers have under way: their calls to APIs, and the bytes that are kept in memory for them.
///
/// Keys are hashes under a seed of this process, as those of `Rates`. Nothing is kept of callers without a call.
final class CallerShares: Sendable {
    /// Bodies up to this many bytes are not counted: they are no more than a connection keeps anyway.
    static let uncounted = 16 * 1024

    fileprivate struct Keys {
        var peer: UInt64?
        let session: UInt64?
    }

    /// Why nothing more is taken in.
    enum Refusal {
        /// The caller has too much under way.
        case caller
        /// All callers together have.
        case server
    }

    private struct Use {
        var calls = 0
        var bytes = 0
    }

    private struct State {
        var calls = 0
        var bytes = 0
        var uses: [UInt64: Use] = [:]
    }

    private let limits: CallerLimits
    private let trusted: [AddressRange]
    private let state: Locked<State>

    /// - Parameters:
    ///   - settings: The limits.
    ///   - former: Those of the settings before, whose calls go on counting; nil at the start.
    init(_ settings: APISettings, after former: CallerShares? = nil) {
        limits = settings.callerLimits
        trusted = settings.trustedPeers
        state = former?.state ?? Locked(State())
    }

    /// The callers that have something under way, peers and sessions.
    var count: Int { state.withLock { $0.uses.count } }

    /// Calls of all.
    var calls: Int { state.withLock { $0.calls } }

    /// Bytes that are kept for all.
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
    /// - Returns: The call's share, which is given back when nobody refers to it any more.
    /// - Throws: `.tooManyRequests` when the caller has too many calls or bytes under way; `.busy` when all together have.
    func begin(_ request: ServerRequest, _ cookie: String?, isSignedIn: Bool) throws(Problem) -> CallShare {
        var keys = keys(request, cookie)
        // rule: a signed-in session counts for itself
        if isSignedIn { keys.peer = nil }
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

    /// The share of a call that is none to an API.
    func share(of request: ServerRequest) -> CallShare { CallShare(self, keys(request, nil), isCall: false) }

    /// Changes what is kept for a call from `old` bytes to `new`; nothing is refused to a caller for whom nothing else is
    /// kept, so that no limit is too small for one body.
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
                if let use = state.uses[key], use.calls <= 0, use.bytes <= 0 { state.uses[key] = nil }
            }
        }
    }

    /// Whether so many bytes more go beyond a limit; with 0 whether one is reached.
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

    private func keys(_ request: ServerRequest, _ cookie: String?) -> Keys {
        let address = CallerAddress.of(request, trusting: trusted)
        let isProxy = !trusted.isEmpty && trusted.contains { $0.contains(address) }
        return Keys(
            peer: isProxy ? nil : CallerKey.peer(address), session: cookie.map { CallerKey.session($0) })
    }
}

/// What is counted of one call; given back with the last reference to it.
///
/// An answer keeps it until it has left.
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

    /// Says how many bytes are kept for the call now.
    ///
    /// - Parameters:
    ///   - count: The bytes.
    ///   - isKept: Counts them whatever the limits are.
    /// - Returns: Why they may not be; then as many as before count.
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

extension Problem {
    /// A caller, or all of them, have too much under way.
    init(_ refusal: CallerShares.Refusal) {
        switch refusal {
        case .caller: self.init(.tooManyRequests, "Too many calls are under way, or too many answers are not taken.")
        case .server: self.init(.busy, "Too many answers are not taken by those who asked for them.")
        }
        retryAfter = .seconds(1)
    }
}
