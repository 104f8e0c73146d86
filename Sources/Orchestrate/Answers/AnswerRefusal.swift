/// What is wrong with one answer.
public struct AnswerRefusal: Sendable, Equatable {
    /// What is wrong, by a word that does not change.
    public let code: AnswerProblem.Code
    /// A fixed sentence; never contains the answer.
    public let message: String
    /// What else is wrong with the same answer, an object with several members.
    public private(set) var further: [AnswerRefusal] = []

    /// Makes a refusal.
    public init(_ code: AnswerProblem.Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Several faults of one answer as one; nil when there are none.
    package init?(_ faults: [AnswerRefusal]) {
        guard let first = faults.first else { return nil }
        self = first
        further += faults.dropFirst()
    }

    /// Each fault by itself.
    package var all: [AnswerRefusal] { [AnswerRefusal(code, message)] + further.flatMap(\.all) }
}
