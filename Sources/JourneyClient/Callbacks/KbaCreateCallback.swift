public import JSON
public import Orchestrate

/// Asks the user for a security question and its answer, for a later proof of identity.
public struct KbaCreateCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "KbaCreateCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The text above the two fields.
    public let prompt: String
    /// The questions to choose from.
    public let predefinedQuestions: [String]
    /// True if the user may enter a question of their own; false when the server sends no value.
    public let allowUserDefinedQuestions: Bool

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
        predefinedQuestions = raw.texts("predefinedQuestions")
        allowUserDefinedQuestions = raw.flag("allowUserDefinedQuestions")
    }

    /// The label, the questions, and the permission for a question of the user's own.
    public var members: JSONObject {
        [
            "prompt": .string(prompt), "predefinedQuestions": .array(predefinedQuestions.map { .string($0) }),
            "allowUserDefinedQuestions": .bool(allowUserDefinedQuestions),
        ]
    }

    /// A question, predefined or of the user's own, and an answer that is never shown.
    public var answerSchema: JSONObject? {
        let questions = predefinedQuestions.map { JSONValue.string($0) }
        var question: JSONObject
        if allowUserDefinedQuestions {
            question = AnswerSchema.text(prompt)
            if !questions.isEmpty { question["examples"] = .array(questions) }
        } else {
            question = AnswerSchema.choice(
                prompt, type: "string", predefinedQuestions.map { AnswerSchema.Choice(value: .string($0), title: $0) })
        }
        return AnswerSchema.object(
            ["question": .object(question), "answer": .object(AnswerSchema.secret("Answer"))],
            required: ["question", "answer"])
    }

    /// The reason to refuse a question with its answer; nil when both are given and can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerCheck.object(
            answer,
            [
                "question": { question in
                    if allowUserDefinedQuestions { return AnswerCheck.text(question) }
                    return AnswerCheck.choice(question, of: predefinedQuestions)
                },
                "answer": { AnswerCheck.text($0) },
            ])
    }

    /// Fills both inputs.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        if let question = answer["question"] { inputs.set(raw.input(endingWith: "question"), question) }
        if let answer = answer["answer"] { inputs.set(raw.input(endingWith: "answer"), answer) }
    }
}

extension KbaCreateCallback: AnsweredCallback {
    /// An object with `question` and `answer`.
    public typealias Answer = JSONObject
}
