public import BFF
package import Basics
package import JSON
import JourneyProduct
package import OpenIDConnect
package import Orchestrate
package import ResourceServer

/// A client of a `FakeProvider`: pages, sign-ins and tokens without a network.
///
/// By itself a flow is one page, `Login`, with the questions `user` and `password`; the right password signs that user in
/// (as does a start with a living session), another one ends the flow with `authentication-failed`. `FakeProvider.script`
/// says otherwise, call by call. The page `Again` has one question, `code`, which may be anything.
public struct FakeSignInClient: FlowClient, TokenClient {
    /// The provider; clients of one realm share it.
    public let provider: FakeProvider
    /// The OAuth client.
    public let clientID: String
    /// The scopes that are asked for and granted.
    public let scopes: [String]

    /// A journey, the product that it claims to be.
    package var kind: ProductName { .journey }

    /// The journeys that a start may name; the first is the default.
    public let journeys: [String]

    /// A client of a provider.
    public init(
        _ provider: FakeProvider, clientID: String = "bff", scopes: [String] = ["openid", "profile"],
        journeys: [String] = []
    ) {
        self.provider = provider
        self.clientID = clientID
        self.scopes = scopes
        self.journeys = journeys
    }

    /// A journey that is not listed is refused.
    package func check(_ start: StartRequest) throws(BFFError) {
        _ = try JourneyStart(start.product)
        if let journey = start.journey, !journeys.contains(journey) { throw .notAllowed(.journey) }
    }

    /// By the server, or by `forceAuth`.
    package func isForced(_ start: StartRequest) -> Bool { start.forceAuth }

    /// The realm `alpha`.
    package func isRealm(_ text: String) -> Bool { text == "alpha" }

    /// What the other site of `FakeProvider.departures` brings back.
    package var returnNames: Set<String> { ["code", "state", "error"] }

    /// The journey.
    package func facts(of start: StartRequest) -> [String: String] {
        (start.journey ?? journeys.first).map { ["journey": $0] } ?? [:]
    }

    /// What a journey client follows.
    package func follow(_ advices: JSONObject, for requirement: Requirement) -> FollowedAdvice? {
        AdvisedStrength(advices).flatMap { advised in
            advised.isDone(by: requirement, journey: journeys.first)
                ? FollowedAdvice(transaction: advised.transaction) : nil
        }
    }

    /// Shows the first page, or what was scripted; a living session signs in at once unless `forceAuth` is said.
    package func start(
        _ start: StartRequest, session: [UInt8]?, _ caller: Caller
    ) async throws(CancellationError) -> SignInOutcome {
        await provider.arrive(.start, caller, session: session, start)
        if let step = provider.scripted(.start) {
            return try outcome(step, page: FakeProvider.firstPage, start, session)
        }
        if !start.forceAuth, let session, let subject = provider.subject(of: text(session)) {
            return try outcome(.successInSession(subject), page: "", start, session)
        }
        return .page(FakeFlow(FakeProvider.firstPage, noSession: start.noSession, of: self))
    }

    /// Reads what `FakeFlow` wrote.
    package func open(_ position: FlowPosition) throws(FlowPositionError) -> any OpenedFlow {
        try FakeFlow(position, of: self)
    }

    /// Goes by the answers, or by what was scripted.
    func next(
        _ answers: PageAnswers, to page: String, noSession: Bool, session: [UInt8]?, _ caller: Caller
    ) async throws(CancellationError) -> SignInOutcome {
        await provider.arrive(.next, caller, session: session)
        provider.note(answers.returned)
        var start = StartRequest()
        start.noSession = noSession
        if let step = provider.scripted(.next) { return try outcome(step, page: page, start, session) }
        guard answers.values["password"]?.string == FakeProvider.password,
            let user = answers.values["user"]?.string
        else { return try outcome(.failure("authentication-failed"), page: page, start, session) }
        return try outcome(noSession ? .successWithoutSession : .success(user), page: page, start, session)
    }

    /// Renews by the refresh token; a spent one takes the grant back.
    package func refresh(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) -> TokenSet {
        await provider.arrive(.refresh)
        try provider.check(.refresh)
        return try provider.refresh(tokens)
    }

    /// Gives tokens of a new grant to a living session.
    package func authorize(session: inout [UInt8], _ caller: Caller) async throws(TokenError) -> SignIn {
        await provider.arrive(.authorize, caller, session: session)
        try provider.check(.authorize)
        let tokens = try provider.silentGrant(session: text(session), clientID: clientID, scopes: scopes)
        return SignIn(session: session, tokens: tokens, sessionIsNew: false)
    }

    /// `sub` and what `FakeProvider.setClaim` added.
    package func userinfo(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) -> JSONObject
    {
        await provider.arrive(.userinfo)
        try provider.check(.userinfo)
        return provider.claims(tokens.subject)
    }

    /// Takes the grant of the tokens back.
    package func revoke(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(TokenError) {
        await provider.arrive(.revoke)
        try provider.check(.revoke)
        provider.revoke(tokens)
    }

    /// Reads a token that `FakeProvider.logoutToken` made; any other is refused.
    package func verify(
        logoutToken token: Secret<String>, deadline: ContinuousClock.Instant
    ) async throws(LogoutTokenError) -> LogoutNotice {
        try provider.notice(of: token.reveal())
    }

    /// Ends a session.
    package func endSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {
        await provider.arrive(.endSession, caller, session: session)
        try provider.check(.endSession)
        provider.end(session: text(session))
    }

    /// Prolongs a session that lives.
    package func keepSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {
        await provider.arrive(.keepSession, caller, session: session)
        try provider.check(.keepSession)
        if provider.subject(of: text(session)) == nil { throw .sessionEnded }
    }

    /// The realm `/alpha` and a path.
    package func sessionFacts(_ session: [UInt8]) -> JSONObject {
        ["realm": "/alpha", "successUrl": "/am/console"]
    }

    private func outcome(
        _ step: FakeProvider.Step, page: String, _ start: StartRequest, _ known: [UInt8]?
    ) throws(CancellationError) -> SignInOutcome {
        switch step {
        case .page(let name): return .page(FakeFlow(name, noSession: start.noSession, of: self))
        case .refused(let message):
            return .refused(FakeFlow(page, noSession: start.noSession, of: self), message: message, details: [])
        case .failure(let reason):
            return .failure(FlowFailure(reason: FailureReason(rawValue: reason) ?? .badRequest), orphan: nil)
        case .withoutTokens(let reason):
            var failure = FlowFailure(reason: FailureReason(rawValue: reason) ?? .badRequest)
            failure.lacksTokensAlone = true
            return .failure(failure, orphan: nil)
        case .failureAfterSession(let reason):
            return .failure(
                FlowFailure(reason: FailureReason(rawValue: reason) ?? .badRequest),
                orphan: Array(provider.newSession("orphan").utf8))
        case .success(let subject):
            return .success(signIn(subject, provider.newSession(subject), isNew: true))
        case .successInSession(let subject):
            let session = known.map(text) ?? provider.newSession(subject)
            return .success(signIn(subject, session, isNew: known == nil))
        case .successWithoutSession: return .successWithoutSession
        case .notTaken: return .notTaken(retryAfter: .seconds(5))
        case .cancelled: throw CancellationError()
        }
    }

    private func signIn(_ subject: String, _ session: String, isNew: Bool) -> SignIn {
        SignIn(
            session: Array(session.utf8),
            tokens: provider.grant(subject, session: session, clientID: clientID, scopes: scopes), sessionIsNew: isNew)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
