public import JSON
public import Orchestrate

/// One callback type: its wire name, its reading, the check of its answer and the encoding, in one file.
///
/// A new type is a file in this folder, a line in `CallbackCatalogue.standard` and a schema in `openapi/callbacks`.
public protocol JourneyCallback: Action, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type on the wire, and for browsers.
    static var wireType: String { get }

    /// Reads a callback of this type; never fails, since whatever comes can be shown and sent back.
    init(_ raw: RawCallback)

    /// The callback as received.
    var raw: RawCallback { get }

    /// Whether users may see it; everything goes back to the server in any case.
    var isShown: Bool { get }

    /// What a renderer needs besides id and type, in the order of the documentation.
    var members: JSONObject { get }

    /// JSON Schema of the answer; nil when it takes none.
    var answerSchema: JSONObject? { get }

    /// What is wrong with an answer; nil when it can be sent.
    func refusal(of answer: JSONValue) -> AnswerRefusal?

    /// Puts an answer without faults into the inputs.
    func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs)
}

extension JourneyCallback {
    /// The id of its question, unique on the page.
    public var id: String { raw.id }
    /// The type on the wire.
    public var type: String { raw.type }
    /// Shown unless the type says otherwise.
    public var isShown: Bool { true }

    /// Type and id; what came along may be secret.
    public var description: String { raw.description }
    /// Type and id; what came along may be secret.
    public var debugDescription: String { raw.description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is wrong with one answer.
public struct AnswerRefusal: Sendable, Equatable {
    /// What is wrong, by a word that does not change.
    public let code: AnswerProblem.Code
    /// A fixed sentence; never contains the answer.
    public let message: String

    /// Makes a fault.
    public init(_ code: AnswerProblem.Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// Checks that several types share.
enum AnswerCheck {
    /// The longest text answer, in bytes of UTF-8.
    static let longestText = 8192

    /// What is wrong with a text.
    static func text(_ answer: JSONValue?, limit: Int = longestText) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        guard let text = answer.string else { return AnswerRefusal(.wrongType, "the answer must be a string") }
        return text.utf8.count <= limit ? nil : AnswerRefusal(.tooLong, "the answer is longer than \(limit) bytes")
    }

    /// What is wrong with one of some whole numbers.
    static func choice(_ answer: JSONValue, of allowed: [Int64]) -> AnswerRefusal? {
        guard let index = answer.int else { return AnswerRefusal(.wrongType, "the answer must be a whole number") }
        return allowed.contains(index) ? nil : AnswerRefusal(.outOfRange, "the answer is none of the options")
    }

    /// What is wrong with a number, whole or not.
    static func number(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        if case .number = answer { return nil }
        return AnswerRefusal(.wrongType, "the answer must be a number")
    }

    /// What is wrong with a truth value.
    static func boolean(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        return answer.bool == nil ? AnswerRefusal(.wrongType, "the answer must be true or false") : nil
    }

    /// What is wrong with an object answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - members: What each of its members has to be, in the order in which faults are looked for; the check gets nil for
    ///     one that is missing.
    /// - Returns: The first fault; nil when there is none.
    static func object(
        _ answer: JSONValue, _ members: KeyValuePairs<String, (JSONValue?) -> AnswerRefusal?>
    ) -> AnswerRefusal? {
        guard let object = answer.object else { return AnswerRefusal(.wrongType, "the answer must be an object") }
        if object.names.contains(where: { name in !members.contains { $0.key == name } }) {
            return AnswerRefusal(.wrongType, "the answer has a member that the question does not know")
        }
        for (name, check) in members {
            if let refusal = check(object[name]) { return refusal }
        }
        return nil
    }

    /// A check of what may be missing.
    static func optional(_ check: @escaping (JSONValue?) -> AnswerRefusal?) -> (JSONValue?) -> AnswerRefusal? {
        { answer in answer.flatMap { check($0) } }
    }
}
