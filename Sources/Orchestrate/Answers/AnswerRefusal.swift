/// The fault of one answer, without the id of its question.
public struct AnswerRefusal: Sendable, Equatable {
    /// The kind of fault, a stable code.
    public let code: AnswerProblem.Code
    /// A fixed sentence; never contains the answer.
    public let message: String
    /// Further faults of the same answer, when it is an object with several members.
    public private(set) var further: [AnswerRefusal] = []

    /// Makes a refusal.
    public init(_ code: AnswerProblem.Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Combines several faults of one answer into one refusal; nil when there are none.
    package init?(_ refusals: [AnswerRefusal]) {
        guard let first = refusals.first else { return nil }
        self = first
        further += refusals.dropFirst()
    }

    /// Each fault as a refusal of its own.
    package var all: [AnswerRefusal] { [AnswerRefusal(code, message)] + further.flatMap(\.all) }
}
