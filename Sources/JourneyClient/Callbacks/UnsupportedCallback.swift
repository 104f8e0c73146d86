internal import Basics
public import JSON
public import Orchestrate

/// A callback of a type that this client does not know: shown with all it brought, answered by its inputs' names, and sent
/// back as it came when nobody answers.
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

    /// The type on the wire, the outputs by name, and the callback itself without what its inputs should not tell.
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

    /// Whether the name of an input says that what it came filled with is for nobody's eyes.
    ///
    /// All names begin with `IDToken` and a number, which says nothing.
    private static func isSecret(_ input: RawCallback.Input) -> Bool {
        var name = input.name[...]
        if name.hasPrefix("IDToken") { name = name.dropFirst(7).drop { $0.isNumber } }
        let folded = name.lowercased()
        return ["token", "secret", "password"].contains { folded.firstRange(ofText: $0) != nil }
            || folded == "id" || ["Id", "ID", "_id", "-id"].contains { name.hasSuffix($0) }
    }

    /// An object of the inputs' names, all of them together: each a text, one that is never shown
    /// where its name says that it is secret, or the kind of value that it came filled with.
    ///
    /// There is none without inputs, with two of one name, and where one came filled with a list or an object, which no
    /// page could draw.
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

    /// What is wrong with an answer.
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
    /// The values by the names of the inputs.
    public typealias Answer = JSONObject
}
