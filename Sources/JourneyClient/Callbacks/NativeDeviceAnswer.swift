internal import JSON
internal import Orchestrate

/// The only answer of a browser to questions for the keys of a native application: the error why it cannot.
enum NativeDeviceAnswer {
    /// The errors that AM's nodes branch on.
    private static let errors = ["Unsupported", "Timeout", "Abort", "ClientNotRegistered"]

    /// One of the errors; a page that does not support the type sends the default, and the journey branches.
    static var schema: JSONObject {
        AnswerSchema.hidden(
            AnswerSchema.object(
                [
                    "clientError": .object(
                        AnswerSchema.choice(
                            "", type: "string",
                            errors.map { AnswerSchema.Choice(value: .string($0), title: $0) },
                            default: "Unsupported"))
                ], required: ["clientError"]))
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    static func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerCheck.object(answer, ["clientError": { AnswerCheck.choice($0, of: errors) }])
    }

    /// Fills the input for the client error.
    static func fill(_ answer: JSONValue, _ raw: RawCallback, _ inputs: inout CallbackInputs) {
        if let error = answer["clientError"] { inputs.set(raw.input(endingWith: "clientError"), error) }
    }

    /// The members that both types show: texts, the timeout in seconds, and `nativeOnly`.
    static func members(_ raw: RawCallback, texts: [String]) -> JSONObject {
        var members: JSONObject = ["nativeOnly": true]
        for name in texts { members[name] = .string(raw.text(name)) }
        members["timeout"] = JSONValue(raw.integer("timeout") ?? 60)
        return members
    }
}
