public import JSON
public import OpenIDConnect

/// What the use cases need of a client, whatever its product.
///
/// A client is immutable and knows no user: everything about one comes in with the call and goes out with its result.
public protocol SignInClient: Sendable {
    /// The product.
    var kind: ClientKind { get }

    /// Begins a flow.
    func start(_ start: StartRequest, _ who: SignInCaller) async throws(CancellationError) -> SignInOutcome

    /// Answers the page of a flow; the answers passed `problems(in:at:)` before.
    func next(
        _ answers: PageAnswers, at position: FlowPosition, _ who: SignInCaller
    ) async throws(CancellationError) -> SignInOutcome

    /// The members of the page for the REST node: `stage`, `header`, `description`, `callbacks`.
    func page(at position: FlowPosition) throws(FlowPositionError) -> JSONObject

    /// What is wrong with answers to the page, found before anything is sent; empty when nothing is.
    func problems(in answers: PageAnswers, at position: FlowPosition) throws(FlowPositionError) -> [AnswerProblem]

    /// Renews the tokens; the old ones are spent when it succeeds.
    func refresh(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) -> TokenSet

    /// Obtains tokens from the provider session alone, without the user.
    func authorize(session: [UInt8], _ who: SignInCaller) async throws(TokenFault) -> TokenSet

    /// Reads the claims of the user from the provider.
    func userinfo(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault) -> JSONObject

    /// Revokes the tokens at the provider.
    func revoke(_ tokens: TokenSet, _ who: SignInCaller) async throws(TokenFault)

    /// Ends the provider session; one that is gone already counts as ended.
    func endSession(_ session: [UInt8], _ who: SignInCaller) async throws(TokenFault)

    /// Whether two encoded provider sessions are one at the provider, whatever else is kept with them.
    func isSame(session: [UInt8], _ other: [UInt8]) -> Bool

    /// What of the provider session may be shown: `realm` and `successUrl` as the provider said them.
    func sessionFacts(_ session: [UInt8]) -> SessionFacts
}

extension SignInClient {
    /// Whether they are encoded alike.
    public func isSame(session: [UInt8], _ other: [UInt8]) -> Bool { session == other }
}

/// A flow between two steps, encoded by its client; opaque to everything else and holding the flow's secrets.
public typealias FlowPosition = [UInt8]

/// A stored flow position cannot be read by this version of the client.
public struct FlowPositionError: Error, Sendable, Equatable {
    /// An unreadable position.
    public init() {}
}

/// On whose behalf a client is called.
public struct SignInCaller: Sendable {
    /// The provider session of the instance's session storage, encoded by the client; nil when there is none.
    public var session: [UInt8]?
    /// The browser's languages, best first.
    public var languages: [String]
    /// When to give up.
    public var deadline: ContinuousClock.Instant
    /// The id that logs of this server and of the provider share.
    public var requestID: String
    /// The W3C trace context to pass on.
    public var traceparent: String?

    /// A caller of a client.
    public init(
        session: [UInt8]?, languages: [String], deadline: ContinuousClock.Instant, requestID: String,
        traceparent: String?
    ) {
        self.session = session
        self.languages = languages
        self.deadline = deadline
        self.requestID = requestID
        self.traceparent = traceparent
    }
}

/// What a step of a flow led to.
public enum SignInOutcome: Sendable {
    /// A page to be answered.
    case page(FlowPosition)
    /// The provider refused the answers and the page can be answered again.
    case refused(FlowPosition, message: String, details: [JSONValue])
    /// The flow is over without a sign-in.
    ///
    /// `orphan` is a provider session that came into being all the same and has to be ended.
    case failure(FlowFailure, orphan: [UInt8]?)
    /// The provider signed the user in.
    case success(SignIn)
    /// The provider accepted the answers without making a session (noSession).
    case successWithoutSession
    /// Nothing reached the provider, or it is too busy; the same step may be sent again.
    case notTaken(retryAfter: Duration)
}

/// A completed sign-in: the provider session and its verified tokens.
public struct SignIn: Sendable {
    /// The provider session, encoded by the client.
    public var session: [UInt8]
    /// Tokens whose ID token passed every check.
    public var tokens: TokenSet
    /// Whether the provider session came into being with this sign-in; false when it was there before the flow.
    public var sessionIsNew: Bool

    /// A completed sign-in.
    public init(session: [UInt8], tokens: TokenSet, sessionIsNew: Bool) {
        self.session = session
        self.tokens = tokens
        self.sessionIsNew = sessionIsNew
    }
}

/// Why a flow ended without a sign-in (design/api.md 3).
public struct FlowFailure: Sendable, Equatable {
    /// The stable reason in kebab-case: `authentication-failed`, `journey-expired`, `provider-unavailable`, ….
    public var reason: String
    /// The provider's own text for the user, when it sent one.
    public var message: String?
    /// What of the provider's answer, or of our own settings, was refused; for the log alone, never a value.
    public var check: String?

    /// A failure with its stable reason.
    public init(reason: String, message: String? = nil, check: String? = nil) {
        self.reason = reason
        self.message = message
        self.check = check
    }
}

/// What may be shown of a provider session.
public struct SessionFacts: Sendable, Equatable {
    /// The realm, `/alpha`; empty when the provider did not say.
    public var realm: String
    /// Where the provider would send the browser; shown only as a same-origin path.
    public var successURL: String

    /// Facts of a provider session.
    public init(realm: String, successURL: String) {
        self.realm = realm
        self.successURL = successURL
    }
}

/// One answer that cannot be sent, found before anything was.
public struct AnswerProblem: Sendable, Equatable {
    /// The question's id.
    public var id: String
    /// A stable code: `unknown-question`, `wrong-type`, `out-of-range`, `too-long`, `required`.
    public var code: String
    /// A sentence for the developer.
    public var message: String

    /// A problem with one answer.
    public init(id: String, code: String, message: String) {
        self.id = id
        self.code = code
        self.message = message
    }
}

/// Why a call about tokens failed.
public enum TokenFault: Error, Sendable, Equatable {
    /// The grant is spent, revoked or expired; the tokens are of no use.
    case invalidGrant
    /// The provider session is gone: it cannot give tokens any more.
    case sessionEnded
    /// The provider session lives but is too weak, or the user has to consent, for what was asked.
    case interactionNeeded
    /// The provider cannot be asked now; what there is stays good.
    case unavailable(retryAfter: Duration)
    /// The provider does not know us or not our secret: someone must act, and then the same call goes through.
    case unknownClient(check: String)
    /// The provider has nothing that can be asked for this.
    case unsupported
    /// The provider refuses us, or its answer failed a check: someone must act; the user cannot.
    case refused(check: String)
}

extension TokenFault {
    /// What an operator has to look at; nil for what passes by itself or concerns the user alone.
    var check: String? {
        switch self {
        case .refused(let check), .unknownClient(let check): check
        case .unsupported: "no such endpoint"
        case .invalidGrant, .sessionEnded, .interactionNeeded, .unavailable: nil
        }
    }
}
