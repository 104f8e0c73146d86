package import JSON

/// A page of a flow: the questions as the client shows them, with the members that the server adds.
package struct ShownPage: Sendable, Equatable {
    /// Members beside the questions, in the words of the client, such as a header.
    package private(set) var heading: JSONObject
    /// The client's name for its list of questions.
    package let questionsName: String
    /// The questions, in page order.
    package private(set) var questions: [Question]
    /// True if the flow goes on by a link that was sent to the user.
    package let isSuspended: Bool

    /// One question of the page.
    package struct Question: Sendable, Equatable {
        /// The id under which an answer is given.
        package let id: String
        /// The question as its client shows it.
        package fileprivate(set) var shown: JSONObject
        /// The JSON Schema that replaces the client's; nil to keep the client's.
        package var answer: JSONObject?
        /// True if the options for a WebAuthn credential are not shown.
        package var isWithheld = false
        /// The time until the provider may be polled again; nil for a question that does not poll.
        package var nextPollIn: Duration?
        /// The handle by which the user leaves for another site; nil for a question that leads to none now.
        package var departure: String?
    }

    /// Makes a page to which the server has added nothing.
    package init(
        heading: JSONObject, _ questionsName: String, _ questions: [(id: String, JSONObject)], isSuspended: Bool = false
    ) {
        self.heading = heading
        self.questionsName = questionsName
        self.questions = questions.map { Question(id: $0.id, shown: $0.1) }
        self.isSuspended = isSuspended
    }

    /// Replaces each text of the page that contains a secret of the flow.
    mutating func withhold(_ secrets: FlowSecrets) {
        heading = secrets.shown(heading)
        for index in questions.indices { questions[index].shown = secrets.shown(questions[index].shown) }
    }

    /// Changes the question with an id; does nothing if the page does not show it.
    package mutating func annotate(_ id: String, _ change: (inout Question) -> Void) {
        if let index = questions.firstIndex(where: { $0.id == id }) { change(&questions[index]) }
    }
}
