package import BFF
public import Basics
public import HTTPCore
internal import JSON
internal import OpenIDConnect
package import Orchestrate

/// An identity provider in memory for tests of everything above the clients: knows sessions, grants and single-use
/// refresh tokens, can be told to fail, to wait and what to answer, and remembers every call.
///
/// Several `FakeSignInClient`s may share one, as clients of one realm do. Every secret it gives out contains `canary`, so
/// that a scan of replies and logs finds what should not be there.
public final class FakeProvider: Sendable {
    /// What can be called.
    public enum Call: Hashable, Sendable {
        case start, next, refresh, authorize, userinfo, revoke, endSession, keepSession
    }

    /// What is done with a flow between its steps.
    public enum FlowUse: Hashable, Sendable {
        case open, judge, show, store
    }

    /// What a start or an answer leads to.
    public enum Step: Sendable, Equatable {
        /// The page of this name.
        case page(String)
        /// The page again, with the provider's words.
        case refused(String)
        /// The flow ends for this reason.
        case failure(String)
        /// The flow ends well, and for this reason there are no tokens.
        case withoutTokens(String)
        /// The flow ends for this reason although a session came into being.
        case failureAfterSession(String)
        /// The user is signed in, with a new provider session.
        case success(String)
        /// The user is signed in with the provider session that the caller had.
        case successInSession(String)
        /// The answers were accepted; no session is made.
        case successWithoutSession
        /// Nothing reached the provider.
        case notTaken
        /// The call is cancelled.
        case cancelled
    }

    /// Contained in every secret of the provider: sessions, tokens, flow positions.
    public static let canary = "canary"
    /// The page a flow begins with; the answers `user` and `password` belong to it.
    public static let firstPage = "Login"
    /// The page that waits for a link.
    public static let mailPage = "Mail"
    /// The pages that send their user away.
    package static let departures = [
        "Elsewhere": Departure(address: "https://social.example.com/authorize?state=s-1", state: "s-1"),
        "Elsewhere2": Departure(address: "https://social.example.com/authorize?state=s-2", state: "s-2"),
        "Stateless": Departure(address: "https://social.example.com/saml"),
        "Form": Departure(
            address: "https://social.example.com/sso?a=1&b=2",
            form: [Departure.Field(name: "Request", value: "\"><script>alert('1')</script>&")], state: "s-3"),
    ]
    /// The password of every user.
    public static let password = "open-sesame"

    struct Grant: Sendable {
        let subject: String
        let session: String
        var refreshToken: String
        var spent: Set<String> = []
        var access: [String] = []
    }

    private struct State {
        var number = 0
        var sessions: [String: String] = [:]
        var grants: [Int: Grant] = [:]
        var counts: [Call: Int] = [:]
        var flowUses: [FlowUse: Int] = [:]
        var script: [Call: [Step]] = [:]
        var faults: [Call: [TokenError]] = [:]
        var gates: [Call: Gate] = [:]
        var returned: [[String: String]] = []
        var lastStart: StartRequest?
        var lastCaller: Caller?
        var lastSession: [UInt8]?
        var lastContext: RequestContext?
        var endedSessions: [String] = []
        var revoked: [String] = []
        var reuses = 0
        var isDown = false
        var rotates = true
        var givesRefreshTokens = true
        var namesSessions = false
        var sidSuffix = ""
        var tokenLife: Duration? = .seconds(300)
        var silentSubject: String?
        var accessSuffix = ""
        var claims: [String: String] = [:]
        var authLevel = 1
        var acr = "urn:level:1"
        var authTimeShift = Duration.zero
        var tellsAuthTime = true
        var sessionEnd: Timestamp?
    }

    let time: any TimeSource
    /// The issuer of the tokens.
    public let issuer = "https://provider.example.com/oauth2"
    private let state = Locked(State())

    /// A provider without sessions.
    public init(time: any TimeSource) {
        self.time = time
    }

    // MARK: Telling it what to do

    /// Answers the next calls of this kind in this order; afterwards it goes by user name and password again.
    public func script(_ call: Call, _ steps: Step...) {
        state.withLock { $0.script[call, default: []] += steps }
    }

    /// Lets the next calls of this kind fail, one after another.
    package func fail(_ call: Call, _ faults: TokenError...) {
        state.withLock { $0.faults[call, default: []] += faults }
    }

    /// Holds calls of this kind until the gate opens; nil lets them through again.
    public func hold(_ call: Call, at gate: Gate?) {
        state.withLock { $0.gates[call] = gate }
    }

    /// An outage: nothing reaches the provider while it is true.
    public var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// Whether each refresh gives a new refresh token and spends the old one; true at first.
    public var rotates: Bool {
        get { state.withLock { $0.rotates } }
        set { state.withLock { $0.rotates = newValue } }
    }

    /// True if tokens have a `sid`: `sid-` and the number of the session.
    public var namesSessions: Bool {
        get { state.withLock { $0.namesSessions } }
        set { state.withLock { $0.namesSessions = newValue } }
    }

    /// What each `sid` ends with from now on.
    public var sidSuffix: String {
        get { state.withLock { $0.sidSuffix } }
        set { state.withLock { $0.sidSuffix = newValue } }
    }

    /// Whether tokens come with a refresh token; true at first.
    public var givesRefreshTokens: Bool {
        get { state.withLock { $0.givesRefreshTokens } }
        set { state.withLock { $0.givesRefreshTokens = newValue } }
    }

    /// How long access tokens live, 300 s at first.
    ///
    /// nil when the provider does not say.
    public var tokenLife: Duration? {
        get { state.withLock { $0.tokenLife } }
        set { state.withLock { $0.tokenLife = newValue } }
    }

    /// The subject of tokens obtained from a session alone; nil for the session's own.
    public var silentSubject: String? {
        get { state.withLock { $0.silentSubject } }
        set { state.withLock { $0.silentSubject = newValue } }
    }

    /// The end of every access token from now on; empty at first.
    public var accessSuffix: String {
        get { state.withLock { $0.accessSuffix } }
        set { state.withLock { $0.accessSuffix = newValue } }
    }

    /// The authentication level of the tokens; 1 at first.
    public var authLevel: Int {
        get { state.withLock { $0.authLevel } }
        set { state.withLock { $0.authLevel = newValue } }
    }

    /// The authentication class of the tokens; `urn:level:1` at first.
    public var acr: String {
        get { state.withLock { $0.acr } }
        set { state.withLock { $0.acr = newValue } }
    }

    /// False for tokens without the time of authentication.
    public var tellsAuthTime: Bool {
        get { state.withLock { $0.tellsAuthTime } }
        set { state.withLock { $0.tellsAuthTime = newValue } }
    }

    /// The end of the session that tokens state; nil for none.
    public var sessionEnd: Timestamp? {
        get { state.withLock { $0.sessionEnd } }
        set { state.withLock { $0.sessionEnd = newValue } }
    }

    /// What the provider's clock shows more than ours when it states the time of authentication.
    public var authTimeShift: Duration {
        get { state.withLock { $0.authTimeShift } }
        set { state.withLock { $0.authTimeShift = newValue } }
    }

    /// Sets a claim of userinfo for every user.
    public func setClaim(_ name: String, _ value: String) {
        state.withLock { $0.claims[name] = value }
    }

    /// Ends all sessions at the provider, as an administrator does; grants stay.
    public func forgetSessions() {
        state.withLock { $0.sessions = [:] }
    }

    /// Makes every refresh token invalid; sessions stay.
    public func forgetGrants() {
        state.withLock { $0.grants = [:] }
    }

    // MARK: What happened

    /// How often it was called.
    public func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }
    /// What was done with flows since it was asked last.
    public func takeFlowUses() -> [FlowUse: Int] {
        state.withLock { state in
            defer { state.flowUses = [:] }
            return state.flowUses
        }
    }

    /// The sessions that live, by their secret, with their user.
    public var sessions: [String: String] { state.withLock { $0.sessions } }
    /// The users of the grants that live.
    public var grants: [String] { state.withLock { $0.grants.values.map(\.subject).sorted() } }
    /// The sessions that were ended by `endSession`, in order.
    public var endedSessions: [String] { state.withLock { $0.endedSessions } }
    /// The access tokens that came with `revoke`, in order.
    public var revoked: [String] { state.withLock { $0.revoked } }
    /// How often a spent refresh token came again; each time its grant was taken back.
    public var reuses: Int { state.withLock { $0.reuses } }
    /// What came with steps from other sites.
    public var returned: [[String: String]] { state.withLock { $0.returned } }
    /// The last start as it arrived.
    package var lastStart: StartRequest? { state.withLock { $0.lastStart } }
    /// The caller of the last call to a flow client.
    package var lastCaller: Caller? { state.withLock { $0.lastCaller } }
    /// The provider session that came with it.
    package var lastSession: [UInt8]? { state.withLock { $0.lastSession } }
    /// The request that the last call was made for.
    public var lastContext: RequestContext? { state.withLock { $0.lastContext } }

    // MARK: What the clients call

    /// Counts a call and waits where a gate is.
    func arrive(
        _ call: Call, _ caller: Caller? = nil, session: [UInt8]? = nil, _ start: StartRequest? = nil
    ) async {
        let gate = state.withLock { state -> Gate? in
            state.counts[call, default: 0] += 1
            if let caller {
                state.lastCaller = caller
                state.lastSession = session
            }
            state.lastContext = RequestScope.current
            if let start { state.lastStart = start }
            return state.gates[call]
        }
        await gate?.pass()
    }

    func note(_ returned: [String: String]?) {
        if let returned { state.withLock { $0.returned.append(returned) } }
    }

    func note(_ use: FlowUse) {
        state.withLock { $0.flowUses[use, default: 0] += 1 }
    }

    /// The scripted answer, nil when there is none; an outage comes first.
    func scripted(_ call: Call) -> Step? {
        state.withLock { state in
            if state.isDown { return .notTaken }
            guard let step = state.script[call]?.first else { return nil }
            state.script[call]?.removeFirst()
            return step
        }
    }

    /// Fails where a fault was asked for or the provider is down.
    func check(_ call: Call) throws(TokenError) {
        let fault = state.withLock { state -> TokenError? in
            if state.isDown { return .unavailable(retryAfter: .seconds(5)) }
            guard let fault = state.faults[call]?.first else { return nil }
            state.faults[call]?.removeFirst()
            return fault
        }
        if let fault { throw fault }
    }

    func newSession(_ subject: String) -> String {
        state.withLock { state in
            state.number += 1
            let session = "session-\(Self.canary)-\(state.number)"
            state.sessions[session] = subject
            return session
        }
    }

    private static func sid(_ session: String) -> String { "sid-" + (session.split(separator: "-").last ?? "") }

    /// The `sid` of a user's newest session.
    public func sid(of subject: String) -> String? {
        state.withLock { state in
            state.sessions.filter { $0.value == subject }.keys.map(Self.sid).max {
                $0.count == $1.count ? $0 < $1 : $0.count < $1.count
            }
        }
    }

    func subject(of session: String) -> String? {
        state.withLock { $0.sessions[session] }
    }

    func end(session: String) {
        state.withLock { state in
            state.sessions[session] = nil
            state.endedSessions.append(session)
        }
    }

    /// Tokens of a new grant.
    func grant(_ subject: String, session: String, clientID: String, scopes: [String]) -> TokenSet {
        state.withLock { state in
            state.number += 1
            let number = state.number
            state.grants[number] = Grant(subject: subject, session: session, refreshToken: "")
            return tokens(number, &state, clientID: clientID, scopes: scopes)
        }
    }

    func silentGrant(session: String, clientID: String, scopes: [String]) throws(TokenError) -> TokenSet {
        guard let subject = subject(of: session) else { throw .sessionEnded }
        return grant(silentSubject ?? subject, session: session, clientID: clientID, scopes: scopes)
    }

    func refresh(_ old: TokenSet) throws(TokenError) -> TokenSet {
        let renewed = state.withLock { state -> TokenSet? in
            guard let refreshToken = old.refreshToken?.reveal() else { return nil }
            if let stolen = state.grants.first(where: { $0.value.spent.contains(refreshToken) }) {
                state.reuses += 1
                state.grants[stolen.key] = nil
                return nil
            }
            guard let grant = state.grants.first(where: { $0.value.refreshToken == refreshToken }) else { return nil }
            if state.rotates { state.grants[grant.key]?.spent.insert(refreshToken) }
            return tokens(grant.key, &state, clientID: old.clientID, scopes: old.scopes)
        }
        guard var renewed else { throw .invalidGrant }
        renewed.sessionID = old.sessionID  // No refresh names its provider session.
        return renewed
    }

    func revoke(_ tokens: TokenSet) {
        state.withLock { state in
            let access = tokens.accessToken.reveal()
            state.revoked.append(access)
            for (number, grant) in state.grants where grant.access.contains(access) { state.grants[number] = nil }
        }
    }

    func claims(_ subject: String) -> JSONObject {
        var object: JSONObject = ["sub": .string(subject)]
        for (name, value) in state.withLock({ $0.claims }) { object[name] = .string(value) }
        return object
    }

    private func tokens(
        _ number: Int, _ state: inout State, clientID: String, scopes: [String]
    ) -> TokenSet {
        state.number += 1
        let access = "access-\(Self.canary)-\(state.number)" + state.accessSuffix
        let old = state.grants[number]?.refreshToken ?? ""
        let refresh = state.rotates || old.isEmpty ? "refresh-\(Self.canary)-\(state.number)" : old
        state.grants[number]?.refreshToken = refresh
        state.grants[number]?.access.append(access)
        let now = time.now()
        var tokens = TokenSet(
            accessToken: Secret(access), refreshToken: state.givesRefreshTokens ? Secret(refresh) : nil,
            idToken: Secret("id-\(Self.canary)-\(state.number)"), scopes: scopes, issuedAt: now,
            expiresAt: state.tokenLife.map { now + $0 }, issuer: issuer, clientID: clientID,
            subject: state.grants[number]?.subject ?? "", acr: state.acr, amr: ["pwd"],
            // No two sign-ins are at the same time, although the clock of a test stands still.
            authTime: state.tellsAuthTime ? now + state.authTimeShift + .milliseconds(state.number) : nil,
            authLevel: state.authLevel,
            sessionID: state.namesSessions ? state.grants[number].map { Self.sid($0.session) + state.sidSuffix } : nil)
        tokens.sessionEnd = state.sessionEnd
        return tokens
    }
}
