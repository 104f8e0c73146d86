public import JSON
public import Orchestrate

/// Asks the user to press one of several buttons.
public struct ConfirmationCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ConfirmationCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The text above the buttons; often empty.
    public let prompt: String
    /// The buttons, each with its value and its label.
    public let options: [Option]
    /// The severity of the question: 0 information, 1 warning, 2 error.
    public let messageType: Int64
    /// The kind of the buttons: -1 own options, 0 yes and no, 1 yes, no and cancel, 2 OK and cancel.
    public let optionType: Int64
    /// The value of the default button; nil when the server named none of the options.
    public let defaultOption: Int64?

    /// A button of the question.
    public struct Option: Sendable, Equatable {
        /// The value that is sent when the button is pressed.
        public let value: Int64
        /// The label of the button.
        public let label: String
    }

    private static let yes = Option(value: 0, label: "Yes")
    private static let no = Option(value: 1, label: "No")
    private static let cancel = Option(value: 2, label: "Cancel")
    private static let ok = Option(value: 3, label: "OK")

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
        messageType = raw.integer("messageType") ?? 0
        optionType = raw.integer("optionType") ?? -1
        let labels = raw.output("options")?.array ?? []
        let options =
            if labels.isEmpty {
                switch optionType {
                case 0: [Self.yes, Self.no]
                case 1: [Self.yes, Self.no, Self.cancel]
                case 2: [Self.ok, Self.cancel]
                default: [Option]()
                }
            } else {
                labels.enumerated().map { Option(value: Int64($0.offset), label: $0.element.string ?? "") }
            }
        self.options = options
        defaultOption = raw.integer("defaultOption").flatMap { wanted in
            options.contains { $0.value == wanted } ? wanted : nil
        }
    }

    /// The text, the labels, their values and the default.
    ///
    /// The value of the input is not shown: 100 there means that no option is selected.
    public var members: JSONObject {
        var members: JSONObject = [
            "prompt": .string(prompt), "messageType": .number(JSONNumber(messageType)),
            "options": .array(options.map { .string($0.label) }),
            "optionType": .number(JSONNumber(optionType)),
        ]
        if options.enumerated().contains(where: { Int64($0.offset) != $0.element.value }) {
            members["optionValues"] = .array(options.map { .number(JSONNumber($0.value)) })
        }
        if let defaultOption { members["defaultOption"] = .number(JSONNumber(defaultOption)) }
        return members
    }

    /// A whole number, the value of one of the options.
    public var answerSchema: JSONObject? {
        AnswerSchema.choice(
            prompt, type: "integer",
            options.map { AnswerSchema.Choice(value: JSONValue($0.value), title: $0.label) },
            default: defaultOption.map { JSONValue($0) })
    }

    /// The reason to refuse a value; nil when the value is that of an option.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.choice(answer, of: options.map(\.value)) }

    /// Fills the input with a whole number.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        if let value = answer.int { inputs.set(0, .number(JSONNumber(value))) }
    }
}

extension ConfirmationCallback: AnsweredCallback {
    /// The value of the pressed option, see `options`.
    public typealias Answer = Int64
}
