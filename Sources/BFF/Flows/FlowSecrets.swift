import Basics
import JSON

/// What keeps a flow going at its provider, such as step tokens and cookies, and is withheld wherever the provider's page
/// repeats it: in members that are passed on as they came, in messages and in details.
struct FlowSecrets: Sendable {
    /// What is shown in place of a text that contains one.
    static let withheld = "<withheld>"

    private let texts: [String]
    private let shortest: Int

    /// - Parameter texts: The secrets; one that is shorter than eight bytes would be found in texts that have nothing to do with it.
    init(_ texts: [String]) {
        self.texts = texts.filter { $0.utf8.count >= 8 }
        shortest = self.texts.map(\.utf8.count).min() ?? .max
    }

    /// The text, or what stands for it.
    func shown(_ text: String) -> String {
        // rule: a text with a secret of its flow is not shown | text
        holds(text) ? Self.withheld : text
    }

    /// The value with each text and name looked at.
    func shown(_ value: JSONValue) -> JSONValue {
        holds(value) ? replaced(value) : value
    }

    /// The members with each text and name looked at.
    func shown(_ members: JSONObject) -> JSONObject {
        guard members.contains(where: { holds($0.name) || holds($0.value) }) else { return members }
        return JSONObject(members.map { (shown($0.name), replaced($0.value)) })
    }

    /// The details with each text and name looked at.
    func shown(_ details: FailureDetails) -> FailureDetails {
        var details = details
        details.faults = details.faults?.map { shown($0) }
        details.exposed = shown(details.exposed)
        return details
    }

    private func replaced(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(shown(text))
        case .array(let values): .array(values.map { replaced($0) })
        case .object(let members): .object(shown(members))
        case .null, .bool, .number: value
        }
    }

    private func holds(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): holds(text)
        case .array(let values): values.contains { holds($0) }
        case .object(let members): members.contains { holds($0.name) || holds($0.value) }
        case .null, .bool, .number: false
        }
    }

    private func holds(_ text: String) -> Bool {
        text.utf8.count >= shortest && texts.contains { text.firstRange(ofText: $0) != nil }
    }
}
