internal import Basics
public import JSON
public import Orchestrate

/// A callback of a type that this client does not know.
///
/// It is shown with everything it contains, answered by the names of its inputs, and sent back as received if it has no
/// answer.
public struct UnsupportedCallback: JourneyCallback {
    /// The type that browsers see, whatever the type on the wire.
    ///
    /// The list of types therefore stays closed for clients that are generated from the contract.
    public static let wireType = "UnsupportedCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback of any type.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// The type on the wire, the outputs by name, and the callback itself without the values of secret inputs.
    public var members: JSONObject {
        ["providerType": .string(raw.type), "outputs": .object(raw.outputs), "raw": shownRaw]
    }

    private var shownRaw: JSONValue {
        guard raw.inputs.contains(where: Self.isSecret), var object = raw.json.object,
            var entries = object["input"]?.array
        else { return raw.json }
        for (position, input) in raw.inputs.enumerated() where Self.isSecret(input) {
            guard var entry = entries[position].object else { continue }
            // rule: a prefilled secret of an unknown callback is not shown
            entry["value"] = nil
            entries[position] = .object(entry)
        }
        object["input"] = .array(entries)
        return .object(object)
    }

    /// True if the name of an input says that its value is secret.
    ///
    /// All names begin with `IDToken` and a number, which is ignored.
    private static func isSecret(_ input: RawCallback.Input) -> Bool {
        var name = input.name[...]
        if name.hasPrefix("IDToken") { name = name.dropFirst(7).drop { $0.isNumber } }
        let folded = name.lowercased()
        return ["token", "secret", "password"].contains { folded.firstRange(ofText: $0) != nil }
            || folded == "id" || ["Id", "ID", "_id", "-id"].contains { name.hasSuffix($0) }
    }

    /// An object with a member for every input, all required.
    ///
    /// A member is a boolean or a number if the input's value is one, else a text; a text is never shown if the input's
    /// name says that it is secret. The schema is nil without inputs, with two inputs of the same name, with an input
    /// without a name, and if the value of an input is a list or an object, which pages cannot show.
    public var answerSchema: JSONObject? {
        guard isAnswerable else { return nil }
        var members = JSONObject()
        for input in raw.inputs {
            let shown: JSONValue? = Self.isSecret(input) ? Optional.none : input.value
            let schema =
                switch input.value {
                case .bool: AnswerSchema.boolean(input.name, default: shown?.bool ?? false)
                case .number: AnswerSchema.number(input.name, default: shown)
                default:
                    Self.isSecret(input)
                        ? AnswerSchema.secret(input.name, limit: AnswerCheck.longestToken)
                        : AnswerSchema.text(
                            input.name, default: input.value.string ?? "", limit: AnswerCheck.longestToken)
                }
            members[input.name] = .object(schema)
        }
        return AnswerSchema.object(members, required: members.names)
    }

    private var isAnswerable: Bool {
        !raw.inputs.isEmpty && Set(raw.inputs.map(\.name)).count == raw.inputs.count
            && raw.inputs.allSatisfy { $0.value.array == nil && $0.value.object == nil && !$0.name.isEmpty }
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        guard isAnswerable else {
            return AnswerRefusal(.notAnswerable, "there is no input that an answer could go into")
        }
        return AnswerCheck.object(
            answer,
            each: raw.inputs.map { input in
                switch input.value {
                case .bool: (input.name, AnswerCheck.boolean)
                case .number: (input.name, AnswerCheck.number)
                default: (input.name, AnswerCheck.token)
                }
            })
    }

    /// Fills every input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        for (position, input) in raw.inputs.enumerated() {
            if let value = answer[input.name] { inputs.set(position, value) }
        }
    }
}

extension UnsupportedCallback: AnsweredCallback {
    /// The values by input name.
    public typealias Answer = JSONObject
}
