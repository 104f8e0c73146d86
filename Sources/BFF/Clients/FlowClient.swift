package import JSON
package import OpenIDConnect
package import Orchestrate
package import ResourceServer

/// The interface of a product's flows: pages, answers, and the provider session that a flow ends with.
///
/// A client is immutable and holds no user data: they come in with a call and go out with its result. `TokenClient`
/// renews and revokes tokens.
package protocol FlowClient: Sendable {
    /// The name of the product that the client speaks to.
    var kind: ProductName { get }

    /// Checks the members of a start, those of the product included.
    ///
    /// - Throws: `.notAllowed` or `.malformed` with the first member that the client does not accept.
    func check(_ start: StartRequest) throws(BFFError)

    /// True if a start demands the whole flow although a provider session exists.
    func isForced(_ start: StartRequest) -> Bool

    /// The names of query parameters that a site may bring back for the provider; all others are dropped.
    var returnNames: Set<String> { get }

    /// True if the provider itself ends a flow in which one page was answered too often; otherwise this server does.
    var boundsAnswers: Bool { get }

    /// True if the pause before the next poll also applies after a poll that did not reach the provider.
    var pausesAfterUnsentPoll: Bool { get }

    /// True if an answer to a page may take the client's `stepTimeout`, even if the server's limit for requests is shorter.
    var outlastsRequests: Bool { get }

    /// True if a text names the realm that the client's flows run in.
    func isRealm(_ text: String) -> Bool

    /// Facts about a start for a log line, besides the client: names of the configuration, never user data.
    func facts(of start: StartRequest) -> [String: String]

    /// Begins a flow; the caller has checked the start with `check(_:)`.
    ///
    /// `session` is the provider session of the instance's session storage, encoded by the client; nil if there is
    /// none.
    func start(
        _ start: StartRequest, session: [UInt8]?, _ caller: Caller
    ) async throws(CancellationError) -> SignInOutcome

    /// Reads a flow that was stored between two steps; sends nothing.
    func open(_ position: FlowPosition) throws(FlowPositionError) -> any OpenedFlow

    /// Obtains tokens from the provider session alone, without the user.
    ///
    /// The provider may renew the session, for example its cookies, also if the call fails: `session` is the renewed
    /// session afterwards.
    func authorize(session: inout [UInt8], _ caller: Caller) async throws(TokenError) -> SignIn

    /// Ends the provider session; a session that does not exist counts as ended.
    func endSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError)

    /// The parts of an encoded provider session that are needed to end it.
    func least(toEnd session: [UInt8]) -> [UInt8]

    /// Restarts the idle timeout of the provider session.
    func keepSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError)

    /// True if two encoded provider sessions are the same session at the provider, whatever else is stored with them.
    func isSame(session: [UInt8], _ other: [UInt8]) -> Bool

    /// True if the provider knows the session by another name than the one in `former`, such as rotated cookies.
    ///
    /// Only the new name can end such a session.
    func isRenamed(session: [UInt8], since former: [UInt8]) -> Bool

    /// Asks the provider again for cached facts about itself, for example after a reload.
    func learnAgain(deadline: ContinuousClock.Instant) async

    /// The facts of the provider session that the browser may see.
    func sessionFacts(_ session: [UInt8]) -> JSONObject

    /// Tells how a step-up follows a policy agent's advice; nil if a step-up of this client for the requirement does
    /// not do what the advice asks.
    func follow(_ advices: JSONObject, for requirement: Requirement) -> FollowedAdvice?
}

extension FlowClient {
    /// True if both are encoded alike.
    package func isSame(session: [UInt8], _ other: [UInt8]) -> Bool { session == other }

    /// False: sessions of this product keep their names.
    package func isRenamed(session: [UInt8], since former: [UInt8]) -> Bool { false }

    /// The whole session.
    package func least(toEnd session: [UInt8]) -> [UInt8] { session }

    /// True if the server demands it; the product has no member of its own for it.
    package func isForced(_ start: StartRequest) -> Bool { start.isForced }

    /// Does nothing: this product caches no facts about its provider.
    package func learnAgain(deadline: ContinuousClock.Instant) async {}

    /// False: the provider does not bound the answers to a page.
    package var boundsAnswers: Bool { false }

    /// False: a poll that did not reach the provider may be repeated at once.
    package var pausesAfterUnsentPoll: Bool { false }

    /// False: this product has no realms.
    package func isRealm(_ text: String) -> Bool { false }

    /// False: the server's limit applies to all requests.
    package var outlastsRequests: Bool { false }

    /// No parameters: this product never redirects the user.
    package var returnNames: Set<String> { [] }

    /// nil: policies advise clients of their own product alone.
    package func follow(_ advices: JSONObject, for requirement: Requirement) -> FollowedAdvice? { nil }
}

/// An advice of a policy agent that a step-up follows.
package struct FollowedAdvice: Sendable, Equatable {
    /// The transaction that has to be authorised; nil for an advice about strength.
    package var transaction: String?

    /// Makes an advice that a step-up follows.
    package init(transaction: String? = nil) {
        self.transaction = transaction
    }
}

/// The outcome of a start or a step of a flow.
package enum SignInOutcome: Sendable {
    /// A page to be answered.
    case page(any OpenedFlow)
    /// The provider refused the answers and the page can be answered again.
    case refused(any OpenedFlow, message: String, details: [JSONValue])
    /// The flow is over without a sign-in.
    ///
    /// `orphan` is a provider session that the flow created although it failed, and that has to be ended.
    case failure(FlowFailure, orphan: [UInt8]?)
    /// The provider signed the user in.
    case success(SignIn)
    /// The provider accepted the answers without making a session (noSession).
    case successWithoutSession
    /// The provider took nothing of the step, so the same step may be sent again.
    ///
    /// The provider was not reached or is too busy, or a fact that the step needs could not be found out.
    ///
    /// `cause` says what is wrong if waiting alone may not help.
    case notTaken(retryAfter: Duration, cause: FlowFailure? = nil)
}

/// A completed sign-in: the provider session and its verified tokens.
package struct SignIn: Sendable {
    /// The provider session, encoded by the client.
    package var session: [UInt8]
    /// Tokens whose ID token passed every check.
    package var tokens: TokenSet
    /// True if the provider session began with this sign-in; false if it existed before the flow.
    package var sessionIsNew: Bool

    /// Makes a completed sign-in.
    package init(session: [UInt8], tokens: TokenSet, sessionIsNew: Bool) {
        self.session = session
        self.tokens = tokens
        self.sessionIsNew = sessionIsNew
    }
}

/// Why a flow ended without a sign-in.
package struct FlowFailure: Sendable, Equatable {
    /// The reason that the SPA is told.
    package var reason: FailureReason
    /// The provider's own text for the user; nil if it sent none.
    package var message: String?
    /// Further details of the provider's answer for the SPA.
    package var more = FailureDetails()
    /// The part of the provider's answer, or of our own settings, that was refused; for the log alone, never a value.
    package var check: String?
    /// The expected and the found value of the check, if the log may contain them.
    package var mismatch: Mismatch?
    /// True if the flow itself ended well, and only its tokens could not be obtained.
    package var lacksTokensAlone = false
    /// The provider session that the flow built upon, encoded by the client, if the provider has renewed it; nil
    /// otherwise.
    package var renewedSession: [UInt8]?

    /// Makes a failure with its stable reason.
    package init(reason: FailureReason, message: String? = nil, check: String? = nil, mismatch: Mismatch? = nil) {
        self.reason = reason
        self.message = message
        self.check = check
        self.mismatch = mismatch
    }
}
