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

    /// The positions on the page of hidden values that the answer fills, which then are no questions of their own.
    var filledSiblings: [Int] { get }
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
    /// None unless the type says otherwise.
    public var filledSiblings: [Int] { [] }

    /// Type and id; what came along may be secret.
    public var description: String { raw.description }
    /// Type and id; what came along may be secret.
    public var debugDescription: String { raw.description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
