import Basics
import JSON

/// Secrets that keep a flow going at its provider, such as step tokens and cookies.
///
/// They are withheld wherever the provider's page repeats them: in members that are passed on unchanged, in messages
/// and in details.
struct FlowSecrets: Sendable {
    /// The text that is shown in place of a text that contains a secret.
    static let withheld = "<withheld>"

    private let secrets: [[UInt8]]

    /// - Parameter texts: The secrets; secrets of less than eight bytes are ignored, because unrelated texts would
    ///   contain them.
    init(_ texts: [String]) {
        secrets = texts.filter { $0.utf8.count >= 8 }.map { Array($0.utf8) }
    }

    /// The text, or `withheld` if the text contains a secret.
    func shown(_ text: String) -> String {
        // rule: a text with a secret of its flow is not shown | text
        holds(text) ? Self.withheld : text
    }

    /// The value, with `withheld` in place of each text and name that contains a secret.
    func shown(_ value: JSONValue) -> JSONValue {
        value.containsPiece(where: { holds($0) }) ? replaced(value) : value
    }

    /// The members, with `withheld` in place of each text and name that contains a secret.
    func shown(_ members: JSONObject) -> JSONObject {
        // Most pages contain no secret: they are only searched, in the bytes they came in.
        guard members.containsPiece(where: { holds($0) }) else { return members }
        return JSONObject(members.map { (shown($0.name), replaced($0.value)) })
    }

    /// The details, with `withheld` in place of each text and name that contains a secret.
    func shown(_ details: FailureDetails) -> FailureDetails {
        var details = details
        details.entries = details.entries?.map { shown($0) }
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
