public import JSON
public import Orchestrate

/// Asks whether parts of the profile may be passed on to another system.
public struct ConsentMappingCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ConsentMappingCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The name of the mapping.
    public let name: String
    /// Its name for users.
    public let displayName: String
    /// What the page may show beside it.
    public let icon: String
    /// What may be done with the data, in the server's words.
    public let accessLevel: String
    /// Whether the journey needs the consent; the journey judges, nothing here enforces it.
    public let isRequired: Bool
    /// The parts of the profile.
    public let fields: [String]
    /// What the user is asked.
    public let message: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        name = raw.text("name")
        displayName = raw.text("displayName")
        icon = raw.text("icon")
        accessLevel = raw.text("accessLevel")
        isRequired = raw.flag("isRequired")
        fields = raw.texts("fields")
        message = raw.text("message")
    }

    /// The mapping, what it passes on, and the question.
    public var members: JSONObject {
        [
            "name": .string(name), "displayName": .string(displayName), "icon": .string(icon),
            "accessLevel": .string(accessLevel), "isRequired": .bool(isRequired),
            "fields": .array(fields.map { .string($0) }), "message": .string(message),
        ]
    }

    /// Whether the user consents.
    public var answerSchema: JSONObject? {
        let title = [message, displayName].first { !$0.isEmpty } ?? name
        return AnswerSchema.boolean(title, default: raw.inputs.first?.value.bool ?? false)
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.boolean(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension ConsentMappingCallback: AnsweredCallback {
    /// Whether the user consents.
    public typealias Answer = Bool
}
