public import JSON

/// A callback of a type that this client does not know: shown with all it brought and sent back as it came.
public struct UnsupportedCallback: JourneyCallback {
    /// The type that browsers see, whatever the type on the wire: what a page may hold stays a closed list for clients that
    /// are generated from the contract.
    public static let wireType = "UnsupportedCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Takes a callback as it is.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// The type on the wire, the outputs by name, and the callback itself.
    public var members: JSONObject {
        ["providerType": .string(raw.type), "outputs": .object(raw.outputs), "raw": raw.json]
    }

    /// There is no schema: nobody knows what an answer would have to look like.
    public var answerSchema: JSONObject? { nil }

    /// Any answer is one too many.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "questions of this type take no answer here")
    }

    /// Changes nothing: what came goes back.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
