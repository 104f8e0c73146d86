internal import JSON
internal import Orchestrate

/// The only answer that a browser has to questions for the keys of a native application: why it cannot.
enum NativeDeviceAnswer {
    /// What AM's nodes branch on.
    private static let errors = ["Unsupported", "Timeout", "Abort", "ClientNotRegistered"]

    /// One of the errors; a page that knows nothing of this sends the default, and the journey branches.
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

    /// What is wrong with an answer.
    static func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerCheck.object(answer, ["clientError": { AnswerCheck.choice($0, of: errors) }])
    }

    /// Fills the input for errors.
    static func fill(_ answer: JSONValue, _ raw: RawCallback, _ inputs: inout CallbackInputs) {
        if let error = answer["clientError"] { inputs.set(raw.input(endingWith: "clientError"), error) }
    }

    /// What both types show: texts, how many seconds there are, and that it is for native applications.
    static func members(_ raw: RawCallback, texts: [String]) -> JSONObject {
        var members: JSONObject = ["nativeOnly": true]
        for name in texts { members[name] = .string(raw.text(name)) }
        members["timeout"] = JSONValue(raw.integer("timeout") ?? 60)
        return members
    }
}
