public import JSON
public import Orchestrate

/// Asks with which identity provider to sign in, this one among them where it offers that.
public struct SelectIdPCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "SelectIdPCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The providers in order.
    public let providers: [Provider]

    /// One provider to choose.
    public struct Provider: Sendable, Equatable {
        /// What is sent for it; `localAuthentication` to stay here.
        public let name: String
        /// How its button looks, as received; nil where nothing is said.
        public let uiConfig: JSONObject?

        /// What stands on its button.
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

    /// What is chosen now; empty for nothing.
    private var value: String {
        [raw.filledText(), raw.text("value")].first { names.contains($0) } ?? ""
    }

    /// The providers, and what is chosen now.
    public var members: JSONObject {
        let list = providers.map { provider -> JSONValue in
            var entry: JSONObject = ["provider": .string(provider.name)]
            entry["uiConfig"] = provider.uiConfig.map { .object($0) }
            return .object(entry)
        }
        return ["providers": .array(list), "value": .string(value)]
    }

    /// The name of a provider.
    public var answerSchema: JSONObject? {
        AnswerSchema.choice(
            "", type: "string", providers.map { AnswerSchema.Choice(value: .string($0.name), title: $0.title) },
            default: value.isEmpty ? Optional.none : .string(value))
    }

    /// What is wrong with a name.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.choice(answer, of: names) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension SelectIdPCallback: AnsweredCallback {
    /// The name of the provider.
    public typealias Answer = String
}
