public import BFF
internal import Basics
package import JSON
package import OpenIDConnect
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
    package var kind: ClientKind { .journey }

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

    /// A journey that is not listed.
    package func refusal(of start: ProductStart) -> String? {
        guard case .journey(let start) = start, let journey = start.journey else { return nil }
        return journeys.contains(journey) ? nil : "journey"
    }

    /// The journey.
    package func facts(of start: ProductStart) -> [String: String] {
        var named = journeys.first
        if case .journey(let start) = start { named = start.journey ?? named }
        return named.map { ["journey": $0] } ?? [:]
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
        _ start: StartRequest, _ who: SignInCaller
    ) async throws(CancellationError) -> SignInOutcome {
        await provider.arrive(.start, who, start)
        if let step = provider.scripted(.start) { return try outcome(step, page: FakeProvider.firstPage, start, who) }
        if !start.forceAuth, let session = who.session, let subject = provider.subject(of: text(session)) {
            return try outcome(.successInSession(subject), page: "", start, who)
        }
        return .page(position(FakeProvider.firstPage, noSession: start.noSession))
    }

    /// Goes by the answers, or by what was scripted.
    package func next(
        _ answers: PageAnswers, at position: FlowPosition, _ who: SignInCaller
    ) async throws(CancellationError) -> SignInOutcome {
        await provider.arrive(.next, who)
        guard let (page, noSession) = read(position) else {
            return .failure(FlowFailure(reason: "provider-unavailable"), orphan: nil)
        }
        var start = StartRequest()
        start.noSession = noSession
        if let step = provider.scripted(.next) { return try outcome(step, page: page, start, who) }
        guard answers.values["password"]?.string == FakeProvider.password,
            let user = answers.values["user"]?.string
        else { return try outcome(.failure("authentication-failed"), page: page, start, who) }
        return try outcome(noSession ? .successWithoutSession : .success(user), page: page, start, who)
    }

    /// The members of a page.
    package func page(at position: FlowPosition) throws(FlowPositionError) -> JSONObject {
        guard let (page, _) = read(position) else { throw FlowPositionError() }
        let callbacks = Self.questions(of: page).map { id -> JSONValue in
            [
                "id": .string(id), "type": "TextInputCallback", "prompt": .string(id), "defaultText": "", "value": "",
                "answer": ["type": "string"],
            ]
        }
        return ["stage": .string(page), "callbacks": .array(callbacks)]
    }

    /// Answers must be to questions of the page and strings; none is required.
    package func problems(
        in answers: PageAnswers, at position: FlowPosition
    ) throws(FlowPositionError) -> [AnswerProblem] {
        guard let (page, _) = read(position) else { throw FlowPositionError() }
        let known = Self.questions(of: page)
        return answers.values.sorted { $0.key < $1.key }.compactMap { id, value in
            if !known.contains(id) {
                return AnswerProblem(id: id, code: "unknown-question", message: "The page has no such question.")
            }
            return value.string == nil
                ? AnswerProblem(id: id, code: "wrong-type", message: "The answer is a string.") : nil
        }
    }

    /// Renews by the refresh token; a spent one takes the grant back.
    package func refresh(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) -> TokenSet {
        await provider.arrive(.refresh, who)
        try provider.check(.refresh)
        return try provider.refresh(tokens)
    }

    /// Gives tokens of a new grant to a living session.
    package func authorize(session: [UInt8], _ who: SignInCaller) async throws(TokenFault) -> TokenSet {
        await provider.arrive(.authorize, who)
        try provider.check(.authorize)
        return try provider.silentGrant(session: text(session), clientID: clientID, scopes: scopes)
    }

    /// `sub` and what `FakeProvider.setClaim` added.
    package func userinfo(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) -> JSONObject {
        await provider.arrive(.userinfo, who)
        try provider.check(.userinfo)
        return provider.claims(tokens.subject)
    }

    /// Takes the grant of the tokens back.
    package func revoke(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) {
        await provider.arrive(.revoke, who)
        try provider.check(.revoke)
        provider.revoke(tokens)
    }

    /// Ends a session.
    package func endSession(_ session: [UInt8], _ who: SignInCaller) async throws(TokenFault) {
        await provider.arrive(.endSession, who)
        try provider.check(.endSession)
        provider.end(session: text(session))
    }

    /// Prolongs a session that lives.
    package func keepSession(_ session: [UInt8], _ who: SignInCaller) async throws(TokenFault) {
        await provider.arrive(.keepSession, who)
        try provider.check(.keepSession)
        if provider.subject(of: text(session)) == nil { throw .sessionEnded }
    }

    /// The realm `/alpha` and a path.
    package func sessionFacts(_ session: [UInt8]) -> SessionFacts {
        .journey(JourneySessionFacts(realm: "/alpha", successURL: "/am/console"))
    }

    private func outcome(
        _ step: FakeProvider.Step, page: String, _ start: StartRequest, _ who: SignInCaller
    ) throws(CancellationError) -> SignInOutcome {
        switch step {
        case .page(let name): return .page(position(name, noSession: start.noSession))
        case .refused(let message):
            return .refused(position(page, noSession: start.noSession), message: message, details: [])
        case .failure(let reason): return .failure(FlowFailure(reason: reason), orphan: nil)
        case .failureAfterSession(let reason):
            return .failure(FlowFailure(reason: reason), orphan: Array(provider.newSession("orphan").utf8))
        case .success(let subject):
            return .success(signIn(subject, provider.newSession(subject), isNew: true))
        case .successInSession(let subject):
            let session = who.session.map(text) ?? provider.newSession(subject)
            return .success(signIn(subject, session, isNew: who.session == nil))
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

    private static func questions(of page: String) -> [String] {
        page == FakeProvider.firstPage ? ["user", "password"] : ["code"]
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func position(_ page: String, noSession: Bool) -> FlowPosition {
        Position(page: page, noSession: noSession).encoded
    }

    private func read(_ position: FlowPosition) -> (page: String, noSession: Bool)? {
        (try? Position(decoding: position)).map { ($0.page, $0.noSession) }
    }
}

private struct Position: RecordCodable {
    static let version: UInt8 = 1

    let page: String
    let noSession: Bool

    init(page: String, noSession: Bool) {
        self.page = page
        self.noSession = noSession
    }

    func write(into writer: inout RecordWriter) {
        writer.write("authId-\(FakeProvider.canary)")
        writer.write(page)
        writer.write(noSession)
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        _ = try reader.string()
        page = try reader.string()
        noSession = try reader.bool()
    }
}
