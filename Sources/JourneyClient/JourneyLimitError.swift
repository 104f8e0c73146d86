internal import HTTPCore
internal import JSON
package import Orchestrate

/// A bound that an answer of AM goes beyond: nothing of it is taken, because a page goes back whole or not at all
/// (docs/protocol.md, 'Bounds').
///
/// The raw value names the bound in a log line.
public enum JourneyLimitError: String, Error, Sendable, CaseIterable {
    /// The answer, 1 MiB.
    case answer = "answer: 1 MiB"
    /// Arrays and objects inside each other, 64.
    case depth = "depth of the JSON: 64"
    /// Members and elements of the whole answer, 50,000.
    case members = "members of the JSON: 50000"
    /// The step token, 64 KiB.
    case authID = "authId: 64 KiB"
    /// The session, 64 KiB.
    case session = "tokenId: 64 KiB"
    /// The page and the node that is made of it, 256 KiB together.
    case page = "page with its node: 256 KiB"
    /// The callbacks of a page, 200.
    case callbacks = "callbacks: 200"
    /// The text of one output, 64 KiB.
    case output = "output: 64 KiB"

    /// The body of an answer as a JSON object.
    ///
    /// - Throws: A `JourneyLimitError`; `EngineError.malformed` for what is no JSON object.
    static func object(_ response: Response) throws -> JSONObject {
        // rule: an answer of AM has no more than a mebibyte
        guard response.body.count <= 1 << 20 else { throw answer }
        do {
            if let object = try JSONValue(parsing: response.body).object { return object }
        } catch JSONError.depth { throw depth } catch JSONError.tooManyMembers { throw members } catch {}
        throw EngineError.malformed(status: response.status, excerpt: response.excerpt)
    }

    /// Whether a text is short enough to be kept for the whole journey.
    static func check(_ text: String?, _ limit: Self) throws(JourneyLimitError) {
        // rule: a text that is kept has no more than 64 KiB
        if let text, text.utf8.count > 65_536 { throw limit }
    }

    /// Whether a step is small enough to be taken apart.
    static func check(_ step: JSONObject, bytes: Int) throws(JourneyLimitError) {
        // rule: a page has no more than 256 KiB
        guard bytes <= 262_144 else { throw page }
        // rule: a page has no more than 200 callbacks
        guard step["callbacks"]?.array?.count ?? 0 <= 200 else { throw callbacks }
    }

    /// Whether a page may be shown and stored, see also `check(_:bytes:)` for its step.
    ///
    /// A node repeats texts of its page a few times over, so that of a small one need not be made to know that it is small.
    static func check(_ node: ContinueNode, bytes: Int) throws(JourneyLimitError) {
        guard bytes > 32_768 else { return }
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
    /// The bound that a step went beyond, in the words of a log line; nil for every other cause.
    package var limit: String? {
        switch self {
        case .moduleFailed(_, let error as JourneyLimitError): error.rawValue
        case .noUsableAnswer(.tooLarge): "outbound.answers"
        default: nil
        }
    }
}
