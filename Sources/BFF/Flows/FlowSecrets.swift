import Basics
import JSON

/// What keeps a flow going at its provider, such as step tokens and cookies, and is withheld wherever the provider's page
/// repeats it: in members that are passed on as they came, in messages and in details.
struct FlowSecrets: Sendable {
    /// What is shown in place of a text that contains one.
    static let withheld = "<withheld>"

    private let secrets: [[UInt8]]

    /// - Parameter texts: The secrets; one that is shorter than eight bytes would be found in texts that have nothing to do with it.
    init(_ texts: [String]) {
        secrets = texts.filter { $0.utf8.count >= 8 }.map { Array($0.utf8) }
    }

    /// The text, or what stands for it.
    func shown(_ text: String) -> String {
        // rule: a text with a secret of its flow is not shown | text
        holds(text) ? Self.withheld : text
    }

    /// The value with each text and name looked at.
    func shown(_ value: JSONValue) -> JSONValue {
        value.containsPiece(where: { holds($0) }) ? replaced(value) : value
    }

    /// The members with each text and name looked at.
    func shown(_ members: JSONObject) -> JSONObject {
        // A page without secrets, as nearly all are, is only searched, in the bytes it came in.
        guard members.containsPiece(where: { holds($0) }) else { return members }
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

    private func holds(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { holds(UnsafeRawBufferPointer($0)) }
    }

    private func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        secrets.contains { secret in secret.withUnsafeBytes { bytes.place(of: $0) != nil } }
    }
}
