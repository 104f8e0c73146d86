/// One answer that cannot be sent, found before any request was sent.
public struct AnswerProblem: Sendable, Equatable {
    /// The things that can be wrong with an answer.
    public enum Code: String, Sendable, CaseIterable {
        /// The page has no such question.
        case unknownQuestion = "unknown-question"
        /// The page has no such action.
        case unknownAction = "unknown-action"
        /// The question takes no answer.
        case notAnswerable = "not-answerable"
        /// The answer does not have the JSON type or shape of the question's schema.
        case wrongType = "wrong-type"
        /// A number beyond its bounds.
        case outOfRange = "out-of-range"
        /// The answer is not among the options of the page.
        case notOffered = "not-offered"
        /// Longer than allowed.
        case tooLong = "too-long"
        /// A part that must be there is missing.
        case required
        /// A text that does not match the pattern of its question.
        case pattern
        /// A password that is too short or too long.
        case length
        /// A password of too few different characters.
        case uniqueCharacters = "unique-characters"
        /// A password that repeats a character too often in a row.
        case repeatedCharacters = "repeated-characters"
        /// A password with too few characters of a set.
        case minimumCharacters = "minimum-characters"
        /// A repetition that is not the same.
        case mismatch
    }

    /// The question's id, as given in the answers.
    public let id: String
    /// The kind of fault.
    public let code: Code
    /// A fixed sentence for a developer; never contains the answer.
    public let message: String

    /// A problem with one answer.
    public init(id: String, code: Code, message: String) {
        self.id = id
        self.code = code
        self.message = message
    }
}

/// Answers that do not fit their page; nothing was sent.
public struct InvalidAnswersError: Error, Sendable, Equatable {
    /// Everything that is wrong, in page order, unknown ids last.
    public let problems: [AnswerProblem]

    /// Answers with these problems.
    public init(_ problems: [AnswerProblem]) {
        self.problems = problems
    }
}
