internal import Basics

/// The question to the browser whether a sign-in shall take the place of another user.
package struct SubjectQuestion: Sendable, Equatable {
    /// The flow, `f_…`.
    package let flow: String
    /// The step that the confirmation answers.
    package let step: Int
    /// Seconds until the sign-in is given up.
    package let expiresIn: Int64
    /// The subject of the new user, in the form of `ShownName`.
    package let subject: String
    /// The name of the new user, in the form of `ShownName`; the subject if the claims have no name.
    package let name: String

    /// Makes the question about a sign-in.
    package init(flow: String, step: Int, expiresIn: Int64, subject: String, name: String) {
        self.flow = flow
        self.step = step
        self.expiresIn = expiresIn
        self.subject = subject
        self.name = name
    }
}

extension FlowRecord {
    /// The question that the flow asks its user to confirm; nil for a flow without an unconfirmed sign-in.
    func confirmation(at now: Timestamp) -> SubjectQuestion? {
        guard phase == .ready, let asked = unconfirmed else { return nil }
        let subject = ShownName.text(asked.subject) ?? "?"
        return SubjectQuestion(
            flow: id, step: step, expiresIn: max(0, (ends - now).wholeSeconds), subject: subject,
            name: asked.name.flatMap { ShownName.text($0) } ?? subject)
    }
}
