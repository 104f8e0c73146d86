internal import Basics
internal import HTTPServer

/// How often what reaches a provider may be asked for: per client address, per session and per flow.
///
/// Keys are hashes under a seed of this process, so that nobody can choose one and nothing secret is kept.
struct Rates: Sendable {
    private let peers: RateLimiter?
    private let sessions: RateLimiter?
    private let flows: RateLimiter?
    private let trusted: [AddressRange]

    /// - Parameters:
    ///   - settings: The limits.
    ///   - time: Their clock.
    ///   - former: Those of the settings before, whose counts go on; nil at the start.
    init(_ settings: APISettings, time: any TimeSource, after former: Rates? = nil) {
        func limiter(_ limit: RateLimit?, _ former: RateLimiter?) -> RateLimiter? {
            guard let limit else { return nil }
            guard let former else { return RateLimiter(limit, time: time) }
            return former.limit == limit ? former : RateLimiter(limit, taking: former)
        }
        peers = limiter(settings.peerRate, former?.peers)
        sessions = limiter(settings.sessionRate, former?.sessions)
        flows = limiter(settings.flowRate, former?.flows)
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

    private func check(_ limiter: RateLimiter, _ key: [UInt8]) throws(Problem) {
        var hasher = Hasher()
        key.withUnsafeBytes { hasher.combine(bytes: $0) }
        guard let wait = limiter.use(UInt64(bitPattern: Int64(hasher.finalize()))) else { return }
        var problem = Problem(.tooManyRequests)
        problem.retryAfter = wait
        throw problem
    }

    private static func tag(_ cookie: String) -> [UInt8] {
        Array(cookie.utf8.prefix { $0 != UInt8(ascii: ".") })
    }
}
