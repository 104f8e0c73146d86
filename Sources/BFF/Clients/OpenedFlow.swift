package import Orchestrate

/// A flow between two steps in the hands of its client: read once from what was stored, or come out of the step before.
package protocol OpenedFlow: Sendable {
    /// What is stored of it until its next step.
    var position: FlowPosition { get }

    /// Its page, which is the same each time that it is shown.
    var page: ShownPage { get }

    /// What keeps it going at its provider: step tokens, ids of interactions, values of cookies. None of it may be shown.
    var secrets: [String] { get }

    /// What its page waits for.
    var wait: PageWait { get }

    /// Where its page sends the user, by the id of the question that leads there.
    var departures: [String: Departure] { get }

    /// True if the page of another flow at the same wait looks the same: a poll is held for as long as it does.
    func looks(like other: any OpenedFlow) -> Bool

    /// Whether another flow shows the same page: after answers to this one, the provider has taken none of them.
    func showsSame(as other: any OpenedFlow) -> Bool

    /// Whether another flow is at the same wait: after a poll of this one, the provider asks nothing new.
    ///
    /// What the page says of the wait itself, as how long it still takes, may differ.
    func waitsOn(at other: any OpenedFlow) -> Bool

    /// Whether answers to a page that waits for time end the wait, as its exit does: then they need not be due.
    func leavesWait(_ answers: PageAnswers) -> Bool

    /// The names of users among answers to its page.
    func userNames(in answers: PageAnswers) -> [String]

    /// Judges answers to its page; nothing is sent.
    func judge(_ answers: PageAnswers) -> JudgedAnswers
}

extension OpenedFlow {
    /// None: the flow keeps nothing that a page could repeat.
    package var secrets: [String] { [] }

    /// True if both show equal pages.
    package func looks(like other: any OpenedFlow) -> Bool { page == other.page }
}

/// What a page waits for before the provider is asked again.
package enum PageWait: Sendable, Equatable {
    /// Answers to its questions.
    case answers
    /// Time: the question with this id asks the provider, at the earliest after the pace.
    case poll(question: String, pace: Duration)
    /// The user's return from the site that it sends them to.
    case departure
    /// The user's opening of a link that was sent to them.
    case link
}

/// A flow between two steps, encoded by its client; opaque to everything else and holding the flow's secrets.
package typealias FlowPosition = [UInt8]

/// A stored flow position cannot be read by this version of the client.
package struct FlowPositionError: Error, Sendable, Equatable {
    /// An unreadable position.
    package init() {}
}

/// What answers to a page are worth.
package enum JudgedAnswers: Sendable {
    /// They cannot be sent, for these reasons: one at least.
    case wrong([PageAnswerProblem])
    /// They fit the page; the function sends them, once.
    case right(SendAnswers)
}

/// Answers the page of a flow, on behalf of a caller, with the provider session of the instance's session storage.
package typealias SendAnswers =
    @Sendable (_ session: [UInt8]?, _ caller: Caller) async throws(CancellationError) -> SignInOutcome

/// One answer that cannot be sent, found before anything was.
package struct PageAnswerProblem: Sendable, Equatable {
    /// The question's id.
    package var id: String
    /// A stable code: `unknown-question`, `wrong-type`, `out-of-range`, `too-long`, `required`, `not-offered`, those of
    /// `CredentialFault`.
    package var code: String
    /// A sentence for the developer.
    package var message: String

    /// A problem with one answer.
    package init(id: String, code: String, message: String) {
        self.id = id
        self.code = code
        self.message = message
    }
}
