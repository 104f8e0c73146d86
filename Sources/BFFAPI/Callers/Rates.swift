internal import Basics
internal import HTTPServer

/// The rate limits: requests that reach a provider per client address, session, flow and user name, and calls to APIs
/// per client address and session.
struct Rates: Sendable {
    private let peers: RateLimiter?
    private let sessions: RateLimiter?
    private let flows: RateLimiter?
    private let newSessions: RateLimiter?
    private let callPeers: RateLimiter?
    private let callSessions: RateLimiter?
    private let names: RateLimiter?
    private let refusedTokens: RateLimiter?
    private let trusted: [AddressRange]

    /// - Parameters:
    ///   - settings: The limits.
    ///   - time: Their clock.
    ///   - former: The rates of the previous settings, whose counts continue; nil at the start.
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
        refusedTokens = limiter(settings.peerRate, former?.refusedTokens)
        trusted = settings.trustedPeers
    }

    /// Counts one request that reaches a provider against its client address.
    func checkPeer(_ request: ServerRequest) throws(Problem) {
        try peers?.check(CallerKey.peer(CallerAddress.of(request, trusting: trusted)))
    }

    /// Counts one request against its browser session, by the whole cookie; of two cookies each counts, because one may be
    /// invented to spare the other.
    func checkSession(_ cookies: SentCookies) throws(Problem) {
        try cookies.forEach { (cookie) throws(Problem) in try sessions?.check(CallerKey.cookie(cookie)) }
    }

    /// Goes on counting a browser session under its new cookie; a new session has a count of its own.
    func carry(from cookies: SentCookies, to cookie: String) {
        let session = CallerKey.session(cookie)
        for case let former? in [cookies.session, cookies.start] where CallerKey.session(former) == session {
            for limiter in [sessions, callSessions] {
                // rule: a new cookie does not begin a new count
                limiter?.carry(from: CallerKey.cookie(former), to: CallerKey.cookie(cookie))
            }
        }
    }

    /// Counts one request against its flow.
    func checkFlow(_ flow: String, _ cookies: SentCookies) throws(Problem) {
        try cookies.forEach { (cookie) throws(Problem) in try flows?.check(CallerKey.flow(flow, cookie)) }
    }

    /// Like `checkFlow`, but returns how long to wait instead of throwing the problem; nil when the use is within the
    /// limit.
    func useFlow(_ flow: String, _ cookies: SentCookies) -> Duration? {
        [cookies.session, cookies.start].compactMap { $0 }
            .compactMap { flows?.use(CallerKey.flow(flow, $0)) }.max()
    }

    /// Checks that a client address may begin a session now, without counting; `beganSession` counts the session that
    /// begins.
    func checkNewSession(_ request: ServerRequest) throws(Problem) {
        guard let wait = newSessions?.wait(for: CallerKey.peer(CallerAddress.of(request, trusting: trusted))) else {
            return
        }
        throw Problem(tooManyUntil: wait)
    }

    /// Counts a session that a client address has begun.
    func beganSession(_ request: ServerRequest) {
        _ = newSessions?.use(CallerKey.peer(CallerAddress.of(request, trusting: trusted)))
    }

    /// Checks that a client address may send a logout token now, without counting: a provider that signs many users out
    /// is not limited, but one whose tokens are refused is.
    func checkLogoutToken(_ request: ServerRequest) throws(Problem) {
        let key = CallerKey.peer(CallerAddress.of(request, trusting: trusted))
        if let wait = refusedTokens?.wait(for: key) { throw Problem(tooManyUntil: wait) }
    }

    /// Counts a logout token of a client address that was refused.
    func refusedLogoutToken(_ request: ServerRequest) {
        _ = refusedTokens?.use(CallerKey.peer(CallerAddress.of(request, trusting: trusted)))
    }

    /// Counts a call to an API by client address and by session.
    func checkCall(_ request: ServerRequest, _ cookies: SentCookies) throws(Problem) {
        try callPeers?.check(CallerKey.peer(CallerAddress.of(request, trusting: trusted)))
        try cookies.forEach { (cookie) throws(Problem) in try callSessions?.check(CallerKey.cookie(cookie)) }
    }

    /// Counts one user name, in lower case and without blanks, for all clients together; nil when no limit is set.
    ///
    /// The function returns nil when the use is within the limit; else how long to wait.
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
