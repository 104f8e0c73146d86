package import JSON
package import Orchestrate

/// A flow between two steps, opened by its client: read from its stored form, or the outcome of the step before.
package protocol OpenedFlow: Sendable {
    /// The form in which the flow is stored until its next step.
    var position: FlowPosition { get }

    /// The flow's page, equal each time it is shown.
    var page: ShownPage { get }

    /// The page in the provider's own form, without step tokens, links and addresses of the provider, for programs that
    /// speak the provider's protocol; nil if the product has no such form.
    var providerPage: JSONObject? { get }

    /// Reads answers out of the page in the provider's own form, with its inputs filled.
    ///
    /// - Throws: The problems of a page that is not the one that the flow shows.
    func answers(filledIn page: JSONObject) throws(FilledPageError) -> PageAnswers

    /// The secrets that keep the flow going at its provider: step tokens, ids of interactions, values of cookies.
    ///
    /// None of them may be shown.
    var secrets: [String] { get }

    /// The event that the flow's page waits for.
    var wait: PageWait { get }

    /// The departures from the page to other sites, by the id of the question that leads there.
    var departures: [String: Departure] { get }

    /// True if the page of another flow at the same wait looks the same; a poll is held as long as it does.
    func looks(like other: any OpenedFlow) -> Bool

    /// True if another flow shows the same page: the provider has then taken none of the answers to this one.
    func showsSame(as other: any OpenedFlow) -> Bool

    /// True if another flow is at the same wait: after a poll of this one, the provider then asks nothing new.
    ///
    /// Facts about the wait itself, such as the time that is left, may differ.
    func waitsOn(at other: any OpenedFlow) -> Bool

    /// True if answers to a page that waits for time end the wait, as its exit does: they may be sent before a poll is
    /// due.
    func leavesWait(_ answers: PageAnswers) -> Bool

    /// The user names among the answers to the flow's page.
    func userNames(in answers: PageAnswers) -> [String]

    /// Judges the answers to the flow's page; sends nothing.
    func judge(_ answers: PageAnswers) -> JudgedAnswers
}

extension OpenedFlow {
    /// No secrets: the flow keeps nothing that a page could repeat.
    package var secrets: [String] { [] }

    /// nil: the product has no form of its own for pages.
    package var providerPage: JSONObject? { nil }

    /// Refuses every page: the product has no form of its own for pages.
    package func answers(filledIn page: JSONObject) throws(FilledPageError) -> PageAnswers {
        throw FilledPageError([
            PageAnswerProblem(id: "", code: "not-answerable", message: "the product has no form of its own for pages")
        ])
    }

    /// True if both flows show equal pages.
    package func looks(like other: any OpenedFlow) -> Bool { page == other.page }
}

/// The error of a filled page that is not the page that its flow shows.
package struct FilledPageError: Error, Sendable, Equatable {
    /// The problems, at least one.
    package let problems: [PageAnswerProblem]

    /// Makes the error of a page with these problems.
    package init(_ problems: [PageAnswerProblem]) {
        self.problems = problems
    }
}

/// The event that a page waits for before the provider is asked again.
package enum PageWait: Sendable, Equatable {
    /// Answers to its questions.
    case answers
    /// Time: the question with this id polls the provider, after the pace at the earliest.
    case poll(question: String, pace: Duration)
    /// The user's return from the site that the page sends them to.
    case departure
    /// The user's opening of a link that was sent to them.
    case link
}

/// A flow between two steps, encoded by its client; it is opaque to all other code, and holds the flow's secrets.
package typealias FlowPosition = [UInt8]

/// The error of a stored flow position that this version of the client cannot read.
package struct FlowPositionError: Error, Sendable, Equatable {
    /// Makes the error of an unreadable position.
    package init() {}
}

/// The result of judging the answers to a page.
package enum JudgedAnswers: Sendable {
    /// The answers cannot be sent, for at least one problem.
    case wrong([PageAnswerProblem])
    /// The answers fit the page; the function sends them, once.
    case right(SendAnswers)
}

/// Answers the page of a flow, on behalf of a caller, with the provider session of the instance's session storage.
package typealias SendAnswers =
    @Sendable (_ session: [UInt8]?, _ caller: Caller) async throws(CancellationError) -> SignInOutcome

/// A problem with one answer, for which no answer is sent.
package struct PageAnswerProblem: Sendable, Equatable {
    /// The question's id.
    package var id: String
    /// A stable code of `AnswerProblem.Code`, such as `unknown-question`, `wrong-type`, `out-of-range`, `too-long`,
    /// `required` and `not-offered`, or of `CredentialProblem`.
    package var code: String
    /// A sentence for the developer.
    package var message: String

    /// Makes a problem with one answer.
    package init(id: String, code: String, message: String) {
        self.id = id
        self.code = code
        self.message = message
    }

    /// Makes a problem with a credential.
    package init(id: String, _ problem: CredentialProblem) {
        self.init(id: id, code: problem.rawValue, message: problem.message)
    }

    /// Makes a problem of an answer, as a client found it.
    package init(_ problem: AnswerProblem) {
        self.init(id: problem.id, code: problem.code.rawValue, message: problem.message)
    }
}
