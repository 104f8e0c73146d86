internal import Basics

/// A sign-in that takes the place of another user once its user confirms it, as the browser is told of it.
package struct SubjectQuestion: Sendable, Equatable {
    /// The flow, `f_…`.
    package let flow: String
    /// The step that is answered by the confirmation.
    package let step: Int
    /// Seconds until the sign-in is given up.
    package let expiresIn: Int64
    /// The subject of the new user, as `ShownName` lets it be shown.
    package let subject: String
    /// The name of the new user, as `ShownName` lets it be shown; the subject where the claims have none.
    package let name: String

    /// What is told of a sign-in.
    package init(flow: String, step: Int, expiresIn: Int64, subject: String, name: String) {
        self.flow = flow
        self.step = step
        self.expiresIn = expiresIn
        self.subject = subject
        self.name = name
    }
}

extension FlowRecord {
    /// What the flow asks its user to confirm; nil for a flow that asks nothing of the kind.
    func confirmation(at now: Timestamp) -> SubjectQuestion? {
        guard phase == .ready, let asked = unconfirmed else { return nil }
        let subject = ShownName.text(asked.subject) ?? "?"
        return SubjectQuestion(
            flow: id, step: step, expiresIn: max(0, (ends - now).wholeSeconds), subject: subject,
            name: asked.name.flatMap { ShownName.text($0) } ?? subject)
    }
}
