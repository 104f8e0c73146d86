internal import Basics
internal import HTTPServer

/// How often something may be asked for: what reaches a provider per client address, per session, per flow and per name of
/// a user, and calls to APIs per client address and per session.
struct Rates: Sendable {
    private let peers: RateLimiter?
    private let sessions: RateLimiter?
    private let flows: RateLimiter?
    private let newSessions: RateLimiter?
    private let callPeers: RateLimiter?
    private let callSessions: RateLimiter?
    private let names: RateLimiter?
    private let trusted: [AddressRange]

    /// - Parameters:
    ///   - settings: The limits.
    ///   - time: Their clock.
    ///   - former: Those of the settings before, whose counts go on; nil at the start.
    init(_ settings: APISettings, time: any TimeSource, after former: Rates? = nil) {
        func limiter(_ limit: RateLimit?, _ former: RateLimiter?) -> RateLimiter? {
            RateLimiter.of(limit, time, after: former)
        }
        peers = limiter(settings.peerRate, former?.peers)
        sessions = limiter(settings.sessionRate, former?.sessions)
        flows = limiter(settings.flowRate, former?.flows)
        newSessions = limiter(settings.newSessionRate, former?.newSessions)
        callPeers = limiter(settings.callPeerRate, former?.callPeers)
        callSessions = limiter(settings.callSessionRate, former?.callSessions)
        names = limiter(settings.accountRate, former?.names)
        trusted = settings.trustedPeers
    }

    /// What one client address asks of providers.
    func checkPeer(_ request: ServerRequest) throws(Problem) {
        try peers?.check(CallerKey.peer(CallerAddress.of(request, trusting: trusted)))
    }

    /// What one browser session does; of two cookies each counts, because one may be made up to spare the other.
    func checkSession(_ cookies: SentCookies) throws(Problem) {
        try cookies.forEach { (cookie) throws(Problem) in try sessions?.check(CallerKey.session(cookie)) }
    }

    /// What one flow of a session does.
    func checkFlow(_ flow: String, _ cookies: SentCookies) throws(Problem) {
        try cookies.forEach { (cookie) throws(Problem) in try flows?.check(CallerKey.flow(flow, cookie)) }
    }

    /// The same; gives how long to wait in place of the problem.
    func useFlow(_ flow: String, _ cookies: SentCookies) -> Duration? {
        [cookies.session, cookies.start].compactMap { $0 }
            .compactMap { flows?.use(CallerKey.flow(flow, $0)) }.max()
    }

    /// Whether a client address may begin a session now; what begins one counts it by `beganSession`.
    func checkNewSession(_ request: ServerRequest) throws(Problem) {
        guard let wait = newSessions?.wait(for: CallerKey.peer(CallerAddress.of(request, trusting: trusted))) else {
            return
        }
        throw Problem(tooManyUntil: wait)
    }

    /// A client address has begun a session.
    func beganSession(_ request: ServerRequest) {
        _ = newSessions?.use(CallerKey.peer(CallerAddress.of(request, trusting: trusted)))
    }

    /// A call to an API, by client address and by session.
    func checkCall(_ request: ServerRequest, _ cookies: SentCookies) throws(Problem) {
        try callPeers?.check(CallerKey.peer(CallerAddress.of(request, trusting: trusted)))
        try cookies.forEach { (cookie) throws(Problem) in try callSessions?.check(CallerKey.session(cookie)) }
    }

    /// Counts one name of a user, in small letters and without blanks, whoever types it; nil where nobody counts names.
    ///
    /// It returns nil when that is within the limit; else how long to wait.
    var countName: (@Sendable (_ name: String) -> Duration?)? {
        guard let names else { return nil }
        return { names.use(CallerKey.name($0)) }
    }
}

extension RateLimiter {
    /// Uses the key once.
    ///
    /// - Throws: `.tooManyRequests` beyond the limit.
    func check(_ key: UInt64) throws(Problem) {
        if let wait = use(key) { throw Problem(tooManyUntil: wait) }
    }
}

extension Problem {
    fileprivate init(tooManyUntil wait: Duration) {
        self.init(.tooManyRequests)
        retryAfter = wait
    }
}
