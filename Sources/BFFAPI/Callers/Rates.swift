internal import Basics
internal import HTTPServer

/// How often what reaches a provider may be asked for: per client address, per session, per flow and per name
/// of a user.
///
/// Keys are hashes under a seed of this process, so that nobody can choose one and nothing secret is kept.
struct Rates: Sendable {
    private let peers: RateLimiter?
    private let sessions: RateLimiter?
    private let flows: RateLimiter?
    private let names: RateLimiter?
    private let trusted: [AddressRange]

    init(_ settings: APISettings, time: any TimeSource) {
        peers = settings.peerRate.map { RateLimiter($0, time: time) }
        sessions = settings.sessionRate.map { RateLimiter($0, time: time) }
        flows = settings.flowRate.map { RateLimiter($0, time: time) }
        names = settings.accountRate.map { RateLimiter($0, time: time) }
        trusted = settings.trustedPeers
    }

    /// One client address; of IPv6 the /64, because whoever has one address there has all of them.
    func checkPeer(_ request: ServerRequest) throws(Problem) {
        guard let peers else { return }
        let address = CallerAddress.of(request, trusting: trusted)
        let bytes = address.family == .v6 ? Array(address.bytes.prefix(8)) : address.bytes
        try check(peers, bytes)
    }

    /// One browser session, by the part of the cookie that names it: a new secret is not a new session.
    func checkSession(_ cookie: String?) throws(Problem) {
        guard let sessions, let cookie else { return }
        try check(sessions, Self.tag(cookie))
    }

    /// One flow of a session.
    func checkFlow(_ flow: String, _ cookie: String?) throws(Problem) {
        guard let flows, let cookie else { return }
        try check(flows, Self.tag(cookie) + [0] + flow.utf8)
    }

    /// One name of a user, in small letters and without blanks, whoever types it.
    ///
    /// - Returns: nil when that is within the limit; else how long to wait.
    func useName(_ name: String) -> Duration? {
        guard let names else { return nil }
        let scalars = name.lowercased().unicodeScalars.filter { !$0.properties.isWhitespace }
        return use(names, scalars.flatMap { UTF8.encode($0).map { Array($0) } ?? [] })
    }

    private func check(_ limiter: RateLimiter, _ key: [UInt8]) throws(Problem) {
        guard let wait = use(limiter, key) else { return }
        var problem = Problem(.tooManyRequests)
        problem.retryAfter = wait
        throw problem
    }

    private func use(_ limiter: RateLimiter, _ key: [UInt8]) -> Duration? {
        var hasher = Hasher()
        key.withUnsafeBytes { hasher.combine(bytes: $0) }
        return limiter.use(UInt64(bitPattern: Int64(hasher.finalize())))
    }

    private static func tag(_ cookie: String) -> [UInt8] {
        Array(cookie.utf8.prefix { $0 != UInt8(ascii: ".") })
    }
}
