public import JSON
public import Orchestrate

/// Asks which identity provider to sign in with, including local sign-in if AM offers it.
public struct SelectIdPCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "SelectIdPCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The providers in order.
    public let providers: [Provider]

    /// An identity provider that the user may choose.
    public struct Provider: Sendable, Equatable {
        /// The value that is sent for the provider; `localAuthentication` for local sign-in.
        public let name: String
        /// The settings of the provider's button, as received; nil if the server sent none.
        public let uiConfig: JSONObject?

        /// The label of the provider's button.
        var title: String {
            if let title = uiConfig?["buttonDisplayName"]?.string, !title.isEmpty { return title }
            return name == "localAuthentication" ? "Sign in without another provider" : name
        }
    }

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        providers = (raw.output("providers")?.array ?? []).compactMap { entry in
            entry["provider"]?.string.map { Provider(name: $0, uiConfig: entry["uiConfig"]?.object) }
        }
    }

    private var names: [String] { providers.map(\.name) }

    /// The selected provider; empty for none.
    private var value: String {
        [raw.filledText(), raw.text("value")].first { names.contains($0) } ?? ""
    }

    /// The providers and the selected one.
    public var members: JSONObject {
        let list = providers.map { provider -> JSONValue in
            var entry: JSONObject = ["provider": .string(provider.name)]
            entry["uiConfig"] = provider.uiConfig.map { .object($0) }
            return .object(entry)
        }
        return ["providers": .array(list), "value": .string(value)]
    }

    /// A text, the name of a provider.
    public var answerSchema: JSONObject? {
        AnswerSchema.choice(
            "", type: "string", providers.map { AnswerSchema.Choice(value: .string($0.name), title: $0.title) },
            default: value.isEmpty ? Optional.none : .string(value))
    }

    /// The reason to refuse a name; nil when it is the name of a provider.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.choice(answer, of: names) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension SelectIdPCallback: AnsweredCallback {
    /// The name of the provider.
    public typealias Answer = String
}
