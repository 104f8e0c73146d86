package import JSON

/// A page of a flow: its questions as its client shows them, with what the server adds to them.
package struct ShownPage: Sendable, Equatable {
    /// Members beside the questions, in the words of the client, such as a header.
    package private(set) var heading: JSONObject
    /// What the client calls its questions.
    package let questionsName: String
    /// The questions, in page order.
    package private(set) var questions: [Question]
    /// True if the flow goes on by a link that was sent to the user.
    package let isSuspended: Bool

    /// One question of the page.
    package struct Question: Sendable, Equatable {
        /// An answer is given under this id.
        package let id: String
        /// The question as its client shows it.
        package fileprivate(set) var shown: JSONObject
        /// JSON Schema in the place of the client's; nil for that.
        package var answer: JSONObject?
        /// True if the options for a credential of the browser are not shown.
        package var isWithheld = false
        /// The time until the provider may be asked again; nil for a question that asks for no wait.
        package var nextPollIn: Duration?
        /// The handle that the user leaves by; nil for a question that leads to no other site now.
        package var departure: String?
    }

    /// A page to which nothing has been added.
    package init(
        heading: JSONObject, _ questionsName: String, _ questions: [(id: String, JSONObject)], isSuspended: Bool = false
    ) {
        self.heading = heading
        self.questionsName = questionsName
        self.questions = questions.map { Question(id: $0.id, shown: $0.1) }
        self.isSuspended = isSuspended
    }

    /// Replaces each text that contains a secret of the flow.
    mutating func withhold(_ secrets: FlowSecrets) {
        heading = secrets.shown(heading)
        for index in questions.indices { questions[index].shown = secrets.shown(questions[index].shown) }
    }

    /// Adds to the question with an id; to none where the page does not show it.
    package mutating func annotate(_ id: String, _ change: (inout Question) -> Void) {
        if let index = questions.firstIndex(where: { $0.id == id }) { change(&questions[index]) }
    }
}
