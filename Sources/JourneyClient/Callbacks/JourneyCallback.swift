public import JSON
public import Orchestrate

/// A callback type: its wire name, its parsing, the check of its answer and the encoding, in one file.
///
/// A new type is a file in this folder, a line in `CallbackCatalogue.standard` and a schema in `openapi/callbacks`.
public protocol JourneyCallback: Action, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type on the wire, which browsers see too.
    static var wireType: String { get }

    /// Reads a callback of this type; never fails, because any callback can be shown and sent back.
    init(_ raw: RawCallback)

    /// The callback as received.
    var raw: RawCallback { get }

    /// True if users may see the callback; every callback is sent back to the server.
    var isShown: Bool { get }

    /// The members that a renderer needs besides id and type, in the order of the documentation.
    var members: JSONObject { get }

    /// The JSON Schema of the answer; nil when the callback takes none.
    var answerSchema: JSONObject? { get }

    /// The reason to refuse an answer; nil when the answer can be sent.
    func refusal(of answer: JSONValue) -> AnswerRefusal?

    /// The positions on the page of hidden values that the answer fills; they are not questions of their own.
    var filledSiblings: [Int] { get }
    /// Puts a checked answer into the inputs.
    func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs)
}

extension JourneyCallback {
    /// The id of the callback's question, unique on the page.
    public var id: String { raw.id }
    /// The type on the wire.
    public var type: String { raw.type }
    /// True unless the type says otherwise.
    public var isShown: Bool { true }
    /// Empty unless the type says otherwise.
    public var filledSiblings: [Int] { [] }

    /// Type and id only, because the inputs and outputs may be secret.
    public var description: String { raw.description }
    /// Type and id only, because the inputs and outputs may be secret.
    public var debugDescription: String { raw.description }
    /// An empty mirror, so that printing or dumping the value shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
