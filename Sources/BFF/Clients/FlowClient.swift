package import JSON
package import OpenIDConnect
package import Orchestrate
package import ResourceServer

/// What the use cases need of a product's flows: pages, answers, and the provider session that a flow ends with.
///
/// A client is immutable and knows no user: everything about one comes in with the call and goes out with its result.
/// Renewing and revoking tokens is not its business, see `TokenClient`.
package protocol FlowClient: Sendable {
    /// The product that the client speaks to.
    var kind: ClientKind { get }

    /// The first member of a start that this client does not take; nil when it takes them all.
    func refusal(of start: StartRequest) -> StartMember?

    /// The names of parameters that a site may bring back for the provider; all others are dropped.
    var returnNames: Set<String> { get }

    /// Whether the provider ends a flow by itself in which one page was answered too often; else that is done here.
    var boundsAnswers: Bool { get }

    /// What a log line says of a start besides the client: names of the configuration, never anything of a user.
    func facts(of start: ProductStart) -> [String: String]

    /// Begins a flow; the start passed `refusal(of:)` before.
    ///
    /// `session` is the provider session of the instance's session storage, encoded by the client; nil when there is none.
    func start(
        _ start: StartRequest, session: [UInt8]?, _ caller: Caller
    ) async throws(CancellationError) -> SignInOutcome

    /// Reads a flow that was stored between two steps; needs no provider.
    func open(_ position: FlowPosition) throws(FlowPositionError) -> any OpenedFlow

    /// Obtains tokens from the provider session alone, without the user.
    ///
    /// What is kept of that session may be new afterwards, also where no tokens came of it: then `session` is.
    func authorize(session: inout [UInt8], _ caller: Caller) async throws(TokenError) -> SignIn

    /// Ends the provider session; one that is gone already counts as ended.
    func endSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError)

    /// What of an encoded provider session is needed to end it.
    func least(toEnd session: [UInt8]) -> [UInt8]

    /// Begins the idle time of the provider session anew.
    func keepSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError)

    /// Whether two encoded provider sessions are one at the provider, whatever else is kept with them.
    func isSame(session: [UInt8], _ other: [UInt8]) -> Bool

    /// Whether an encoded provider session is known to the provider by something else than it was, so that by that alone
    /// it can be ended.
    func isRenamed(session: [UInt8], since former: [UInt8]) -> Bool

    /// Asks the provider again for what it says about itself and is kept, as after a reload.
    func learnAgain(deadline: ContinuousClock.Instant) async

    /// What of the provider session may be shown.
    func sessionFacts(_ session: [UInt8]) -> SessionFacts

    /// What following the advice of a policy agent takes; nil when a step-up of this client for the requirement does not
    /// do what is advised.
    func follow(_ advices: JSONObject, for requirement: Requirement) -> FollowedAdvice?
}

extension FlowClient {
    /// Whether they are encoded alike.
    package func isSame(session: [UInt8], _ other: [UInt8]) -> Bool { session == other }

    /// Never: one of another name is another one.
    package func isRenamed(session: [UInt8], since former: [UInt8]) -> Bool { false }

    /// All of it.
    package func least(toEnd session: [UInt8]) -> [UInt8] { session }

    /// Nothing of the kind is kept.
    package func learnAgain(deadline: ContinuousClock.Instant) async {}

    /// Nothing bounds them there.
    package var boundsAnswers: Bool { false }

    /// Nobody leaves such flows.
    package var returnNames: Set<String> { [] }

    /// Policies advise clients of their own product alone.
    package func follow(_ advices: JSONObject, for requirement: Requirement) -> FollowedAdvice? { nil }
}

/// An advice that a step-up does what it says.
package struct FollowedAdvice: Sendable, Equatable {
    /// The transaction that has to be authorised; nil for an advice about strength.
    package var transaction: String?

    /// An advice that a step-up does.
    package init(transaction: String? = nil) {
        self.transaction = transaction
    }
}

/// What a step of a flow led to.
package enum SignInOutcome: Sendable {
    /// A page to be answered.
    case page(any OpenedFlow)
    /// The provider refused the answers and the page can be answered again.
    case refused(any OpenedFlow, message: String, details: [JSONValue])
    /// The flow is over without a sign-in.
    ///
    /// `orphan` is a provider session that came into being all the same and has to be ended.
    case failure(FlowFailure, orphan: [UInt8]?)
    /// The provider signed the user in.
    case success(SignIn)
    /// The provider accepted the answers without making a session (noSession).
    case successWithoutSession
    /// The provider took nothing of the step: it was not reached, is too busy, or what has to be known before could not be
    /// found out; the same step may be sent again.
    ///
    /// `cause` says what is wrong where waiting alone may not help.
    case notTaken(retryAfter: Duration, cause: FlowFailure? = nil)
}

/// A completed sign-in: the provider session and its verified tokens.
package struct SignIn: Sendable {
    /// The provider session, encoded by the client.
    package var session: [UInt8]
    /// Tokens whose ID token passed every check.
    package var tokens: TokenSet
    /// Whether the provider session came into being with this sign-in; false when it was there before the flow.
    package var sessionIsNew: Bool

    /// A completed sign-in.
    package init(session: [UInt8], tokens: TokenSet, sessionIsNew: Bool) {
        self.session = session
        self.tokens = tokens
        self.sessionIsNew = sessionIsNew
    }
}

/// Why a flow ended without a sign-in.
package struct FlowFailure: Sendable, Equatable {
    /// What the SPA is told.
    package var reason: FailureReason
    /// The provider's own text for the user, when it sent one.
    package var message: String?
    /// What else of the provider's answer the SPA is told.
    package var more = FailureDetails()
    /// What of the provider's answer, or of our own settings, was refused; for the log alone, never a value.
    package var check: String?
    /// The values of what the check was about, where a log may have them.
    package var mismatch: Mismatch?
    /// Whether the flow itself ended well, and only its tokens could not be had.
    package var lacksTokensAlone = false
    /// The provider session that the flow built upon, encoded by the client, where the provider has made new what is kept of it.
    package var renewedSession: [UInt8]?

    /// A failure with its stable reason.
    package init(reason: FailureReason, message: String? = nil, check: String? = nil, mismatch: Mismatch? = nil) {
        self.reason = reason
        self.message = message
        self.check = check
        self.mismatch = mismatch
    }
}
