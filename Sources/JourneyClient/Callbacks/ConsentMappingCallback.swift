public import JSON
public import Orchestrate

/// Asks for consent to share parts of the profile with another system.
public struct ConsentMappingCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ConsentMappingCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The name of the mapping.
    public let name: String
    /// The name of the mapping for users.
    public let displayName: String
    /// The icon that the page may show.
    public let icon: String
    /// The use of the data that is allowed, in the server's words.
    public let accessLevel: String
    /// True if the journey needs the consent; the journey enforces it, this client does not.
    public let isRequired: Bool
    /// The parts of the profile that are shared.
    public let fields: [String]
    /// The question to the user.
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

    /// The mapping, the data that it shares, and the question.
    public var members: JSONObject {
        [
            "name": .string(name), "displayName": .string(displayName), "icon": .string(icon),
            "accessLevel": .string(accessLevel), "isRequired": .bool(isRequired),
            "fields": .array(fields.map { .string($0) }), "message": .string(message),
        ]
    }

    /// A boolean, true for consent.
    public var answerSchema: JSONObject? {
        let title = [message, displayName].first { !$0.isEmpty } ?? name
        return AnswerSchema.boolean(title, default: raw.inputs.first?.value.bool ?? false)
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.boolean(answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension ConsentMappingCallback: AnsweredCallback {
    /// True if the user consents.
    public typealias Answer = Bool
}
