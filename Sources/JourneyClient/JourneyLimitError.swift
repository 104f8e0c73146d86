internal import HTTPCore
internal import JSON
package import Orchestrate

/// The limit that an answer of AM exceeds (docs/protocol.md, 'Bounds').
///
/// The whole answer is rejected, because a page can only be sent back complete. The raw value names the limit in a log
/// line.
public enum JourneyLimitError: String, Error, Sendable, CaseIterable {
    /// The size of the answer, 1 MiB.
    case answer = "answer: 1 MiB"
    /// The nesting of arrays and objects, 64.
    case depth = "depth of the JSON: 64"
    /// The number of members and elements of the whole answer, 50,000.
    case members = "members of the JSON: 50000"
    /// The size of the step token, 64 KiB.
    case authID = "authId: 64 KiB"
    /// The size of the session, 64 KiB.
    case session = "tokenId: 64 KiB"
    /// The size of the page together with its node, 256 KiB.
    case page = "page with its node: 256 KiB"
    /// The number of callbacks of a page, 200.
    case callbacks = "callbacks: 200"
    /// The size of one output, 64 KiB.
    case output = "output: 64 KiB"

    /// The body of an answer as a JSON object.
    ///
    /// - Throws: A `JourneyLimitError`; `EngineError.malformed` if the body is not a JSON object.
    static func object(_ response: Response) throws -> JSONObject {
        // rule: an answer of AM has no more than a mebibyte
        guard response.body.count <= 1 << 20 else { throw answer }
        do {
            if let object = try JSONValue(parsing: response.body).object { return object }
        } catch JSONError.depth { throw depth } catch JSONError.tooManyMembers { throw members } catch {}
        throw EngineError.malformed(status: response.status, excerpt: response.excerpt)
    }

    /// Checks that a text is at most 64 KiB, because it is kept for the whole journey; throws `limit` if it is longer.
    static func check(_ text: String?, _ limit: Self) throws(JourneyLimitError) {
        // rule: a text that is kept has no more than 64 KiB
        if let text, text.utf8.count > 65_536 { throw limit }
    }

    /// Checks that a step is small enough to be parsed into callbacks: at most 256 KiB and 200 callbacks.
    static func check(_ step: JSONObject, bytes: Int) throws(JourneyLimitError) {
        // rule: a page has no more than 256 KiB
        guard bytes <= 262_144 else { throw page }
        // rule: a page has no more than 200 callbacks
        guard step["callbacks"]?.array?.count ?? 0 <= 200 else { throw callbacks }
    }

    /// Checks that a page may be shown and stored; the overload for a step checks the step before.
    ///
    /// A byte of a page becomes at most some forty of its document: a number in a list of failed policies is shown as a
    /// sentence. So a step of up to 6,000 bytes passes without building its document.
    static func check(_ node: ContinueNode, bytes: Int) throws(JourneyLimitError) {
        guard bytes > 6_000 else { return }
        let shown = JourneyPage(node)
        for callback in shown.callbacks {
            for output in callback.raw.json["output"]?.array ?? [] {
                guard let value = output["value"] else { continue }
                // rule: a value of a page has no more than 64 KiB
                guard value.string?.utf8.count ?? value.serialized().count <= 65_536 else { throw Self.output }
            }
        }
        // rule: a page has no more than 256 KiB as it is shown
        guard bytes + shown.document().serialized().count <= 262_144 else { throw page }
    }
}

extension EngineError {
    /// The name of the limit that a step exceeded, for a log line; nil for every other error.
    package var limit: String? {
        switch self {
        case .moduleFailed(_, let error as JourneyLimitError): error.rawValue
        case .noUsableAnswer(.tooLarge): "outbound.answers"
        default: nil
        }
    }
}
