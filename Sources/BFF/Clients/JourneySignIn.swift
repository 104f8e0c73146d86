internal import Basics
public import JSON
public import JourneyClient
public import OpenIDConnect
internal import Orchestrate
internal import StorageKit

/// A Journey client in the words of the use cases.
public struct JourneySignIn: SignInClient {
    private let journey: Journey
    private let openID: OpenIDClient

    /// A journey client with the OpenID client that its OIDC module uses.
    public init(_ journey: Journey, _ openID: OpenIDClient) {
        self.journey = journey
        self.openID = openID
    }

    /// `journey`.
    public var kind: ClientKind { .journey }

    /// Begins a journey.
    public func start(
        _ start: StartRequest, _ who: SignInCaller
    ) async throws(CancellationError) -> SignInOutcome {
        let options = StartOptions(
            forceAuth: start.forceAuth, noSession: start.noSession, unorderedParameters: start.parameters,
            acrValues: start.acrValues, languages: start.uiLocales)
        let cells = CallerCells(who)
        let bound = journey.bound(to: cells.caller(who))
        if let advice = start.advice { return outcome(of: try await bound.start(advice: advice, options), cells) }
        return outcome(of: try await bound.start(start.journey, options), cells, start.journey)
    }

    /// Answers a page.
    public func next(
        _ answers: PageAnswers, at position: FlowPosition, _ who: SignInCaller
    ) async throws(CancellationError) -> SignInOutcome {
        guard let flow = try? FlowState(decoding: position) else {
            return .failure(FlowFailure(reason: "outcome-unknown"), orphan: nil)
        }
        let cells = CallerCells(who)
        let step = try await journey.bound(to: cells.caller(who)).next(
            flow, Answers(answers.values, action: answers.action))
        return outcome(of: step, cells)
    }

    /// The members of the page.
    public func page(at position: FlowPosition) throws(FlowPositionError) -> JSONObject {
        try describe(position).document
    }

    /// What is wrong with answers to the page.
    public func problems(
        in answers: PageAnswers, at position: FlowPosition
    ) throws(FlowPositionError) -> [BFF.AnswerProblem] {
        try describe(position).validate(Answers(answers.values, action: answers.action)).map {
            BFF.AnswerProblem(id: $0.id, code: $0.code.rawValue, message: $0.message)
        }
    }

    /// Renews the tokens.
    public func refresh(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) -> TokenSet {
        do {
            return try await openID.refresh(tokens, deadline: who.deadline)
        } catch {
            throw fault(error)
        }
    }

    /// Obtains tokens from the SSO session alone.
    public func authorize(session: [UInt8], _ who: SignInCaller) async throws(TokenFault) -> TokenSet {
        var who = who
        who.session = session
        let cells = CallerCells(who)
        let user: JourneyUser?
        do {
            user = try await journey.bound(to: cells.caller(who)).user()
        } catch {
            throw fault(error)
        }
        guard let user else { throw .sessionEnded }
        do {
            return try await user.token()
        } catch {
            throw fault(error)
        }
    }

    /// Reads the claims of the user.
    public func userinfo(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) -> JSONObject {
        do {
            return try await openID.userinfo(tokens, deadline: who.deadline)
        } catch {
            throw fault(error)
        }
    }

    /// Revokes the tokens.
    public func revoke(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) {
        do {
            try await openID.revoke(tokens, deadline: who.deadline)
        } catch {
            throw fault(error)
        }
    }

    /// Ends the SSO session.
    public func endSession(_ session: [UInt8], _ who: SignInCaller) async throws(TokenFault) {
        var who = who
        who.session = session
        let report = await journey.bound(to: CallerCells(who, sessionOnly: true).caller(who)).signOff()
        switch report.session {
        case .nothing, .ended, .alreadyGone: return
        case .failed: throw .unavailable(retryAfter: .seconds(5))
        }
    }

    /// Whether both are one session, whatever else is kept with them.
    public func isSame(session: [UInt8], _ other: [UInt8]) -> Bool {
        guard let left = SSOSession(decoding: session), let right = SSOSession(decoding: other) else {
            return session == other
        }
        return left.value == right.value
    }

    /// Realm and success address.
    public func sessionFacts(_ session: [UInt8]) -> SessionFacts {
        let session = SSOSession(decoding: session)
        return SessionFacts(realm: session?.realm ?? "", successURL: session?.successURL ?? "")
    }

    private func fault(_ error: OpenIDError) -> TokenFault { TokenFault(error, openID.settings.authenticationAdvice) }

    private func fault(_ error: JourneyTokenError) -> TokenFault {
        if case .provider(let cause) = error { return fault(cause) }
        return TokenFault(error)
    }

    private func describe(_ position: FlowPosition) throws(FlowPositionError) -> JourneyPage {
        do {
            guard let page = try FlowState(decoding: position).page else { throw FlowPositionError() }
            return try journey.describe(page)
        } catch {
            throw FlowPositionError()
        }
    }

    private func outcome(of step: FlowStep, _ cells: CallerCells, _ name: String? = nil) -> SignInOutcome {
        switch step.node {
        case .continue:
            return .page(step.flow.encoded())
        case .error(let node):
            return .failure(failure(of: node, name ?? journey.defaultJourney), orphan: nil)
        case .failure(let node):
            return outcome(of: node.cause, cells)
        case .success(let node):
            guard node.isSignedIn else { return .successWithoutSession }
            guard let signIn = cells.signIn else {
                return .failure(FlowFailure(reason: "provider-unavailable"), orphan: cells.orphan)
            }
            return .success(signIn)
        }
    }

    /// A refusal of AM; what only an operator can change says in the log what that is.
    private func failure(of node: ErrorNode, _ name: String?) -> FlowFailure {
        let message = node.message.isEmpty ? nil : node.message
        switch node.journeyKind {
        case .badRequest where node.status == 404:
            return FlowFailure(reason: FlowFailure.configuration, message: message, check: "unknown realm")
        case .badRequest where node.isUnknownJourney:
            return FlowFailure(
                reason: FlowFailure.configuration, message: message, check: "unknown journey \(name ?? "")")
        case .accountMismatch where journey.sessionUpgrade == .header:
            // AM looked for the session to upgrade where it was not, and found nobody's.
            return FlowFailure(
                reason: FlowFailure.configuration, check: "ForceAuth without a session; set sessionUpgrade: parameter")
        case let kind:
            return FlowFailure(reason: kind.rawValue, message: message)
        }
    }

    private func outcome(of cause: EngineFailure, _ cells: CallerCells) -> SignInOutcome {
        switch cause {
        case .notReached: .notTaken(retryAfter: .seconds(5))
        case .busy(_, let wait): .notTaken(retryAfter: wait ?? .seconds(5))
        case .moduleFailed(.success, let error as JourneyTokenError):
            .failure(FlowFailure(reason: error.flowReason, check: fault(error).check), orphan: cells.orphan)
        case .moduleFailed(.start, let error as JourneyTokenError):
            // Whether the session lives was asked before anything was sent.
            .notTaken(retryAfter: error.wait)
        case .flowOver: .failure(FlowFailure(reason: "journey-expired"), orphan: nil)
        case .configuration(let what):
            .failure(FlowFailure(reason: FlowFailure.configuration, check: what), orphan: cells.orphan)
        case .unexpectedStatus(500..., _), .noUsableAnswer, .moduleFailed:
            .failure(FlowFailure(reason: "provider-unavailable"), orphan: cells.orphan)
        case .unexpectedStatus(let status, _), .unexpectedRedirect(let status, _), .malformed(let status, _):
            .failure(
                FlowFailure(reason: "provider-unavailable", check: "status \(status)"), orphan: cells.orphan)
        }
    }
}

extension FlowFailure {
    /// Only an operator can change it: our settings, or AM's.
    fileprivate static let configuration = "configuration-error"
}

/// The stores that one call of a client reads and writes; what is in them afterwards is its result.
private struct CallerCells: Sendable {
    let session: MemoryCell<SSOSession>
    let tokens = MemoryCell<TokenSet>(nil)
    let unended = MemoryCell<SSOSession>(nil)
    let before: SSOSession?

    init(_ who: SignInCaller, sessionOnly: Bool = false) {
        before = who.session.flatMap { SSOSession(decoding: $0) }
        session = MemoryCell(before)
    }

    func caller(_ who: SignInCaller) -> Caller {
        var storages = CallerStorages()
        storages[.session] = session
        storages[.tokens] = tokens
        storages[.unended] = unended
        return Caller(
            languages: who.languages, deadline: who.deadline, requestID: who.requestID, storages: storages,
            traceparent: who.traceparent)
    }

    /// A session that the flow made and that no tokens came of: still kept, or given up and not ended.
    var orphan: [UInt8]? {
        if let unended = unended.item { return unended.encode() }
        guard let session = session.item, session.value != before?.value else { return nil }
        return session.encode()
    }

    /// What the flow left behind when it signed the user in.
    var signIn: SignIn? {
        guard let session = session.item, let tokens = tokens.item else { return nil }
        return SignIn(session: session.encode(), tokens: tokens, sessionIsNew: session.value != before?.value)
    }
}

/// A store for the length of one call.
private final class MemoryCell<Item: Sendable>: Storage {
    private let state: Locked<Item?>

    init(_ item: Item?) {
        state = Locked(item)
    }

    var item: Item? { state.withLock { $0 } }

    func save(_ item: Item) async throws(StorageError) { state.withLock { $0 = item } }
    func get() async throws(StorageError) -> Item? { item }
    func delete() async throws(StorageError) { state.withLock { $0 = nil } }
}

extension JourneyTokenError {
    /// The stable reason of a flow that ended because its tokens could not be had.
    fileprivate var flowReason: String {
        switch self {
        case .consentRequired: "consent-required"
        case .tooWeak: "unmet-authentication-requirements"
        case .provider(.rejected("unmet_authentication_requirements", _)): "unmet-authentication-requirements"
        case .provider(let cause):
            switch TokenFault(cause) {
            case .refused, .unknownClient, .unsupported: FlowFailure.configuration
            default: "provider-unavailable"
            }
        case .noSession, .sessionEnded, .store: "provider-unavailable"
        }
    }

    /// When to ask again.
    fileprivate var wait: Duration {
        if case .provider(.busy(let wait?)) = self { wait } else { .seconds(5) }
    }
}

extension TokenFault {
    /// A fault of the journey's user in the words of the use cases.
    fileprivate init(_ error: JourneyTokenError) {
        self =
            switch error {
            case .noSession, .sessionEnded: .sessionEnded
            case .tooWeak, .consentRequired: .interactionNeeded
            case .provider(let cause): TokenFault(cause)
            case .store: .unavailable(retryAfter: .seconds(5))
            }
    }

    /// A fault of the OpenID client in the words of the use cases.
    ///
    /// `advice` is what an operator may try when the provider does not know the client.
    init(_ error: OpenIDError, _ advice: String? = nil) {
        self =
            switch error {
            case .invalidGrant: .invalidGrant
            case .loginRequired, .consentRequired: .interactionNeeded
            case .notReached, .noUsableAnswer, .cancelled: .unavailable(retryAfter: .seconds(5))
            case .busy(let wait): .unavailable(retryAfter: wait ?? .seconds(5))
            case .invalidClient:
                .unknownClient(check: "client authentication" + (advice.map { ": \($0)" } ?? ""))
            case .noRevocation: .unsupported
            case .rejected(let code, let status): .refused(check: code.isEmpty ? "status \(status)" : code)
            case .invalidResponse(let check), .invalidIDToken(let check): .refused(check: check)
            case .invalidUserinfo: .refused(check: "userinfo")
            case .configuration(let what): .refused(check: what)
            }
    }
}
