internal import HTTPCore
public import JSON
public import Orchestrate

/// Redirects the user to another site; then the same page is sent back with the parameters that the site returned.
///
/// It takes no answer: `BoundJourney.resume(_:returned:)` resumes the journey.
public struct RedirectCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "RedirectCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// The address of the redirect, as received and unchecked; it may contain secrets of the flow.
    public var redirectURL: String { raw.text("redirectUrl") }

    /// True if the redirect is a form post instead of a link.
    public var isPost: Bool { raw.text("redirectMethod").lowercased() == "post" }

    /// The fields of the form: `redirectData`, else the query of the address; empty for a link.
    public var fields: [(name: String, value: String)] { isPost ? (data ?? query).pairs : [] }

    /// The address of the form, without its query if the query becomes the form's fields.
    public var action: String {
        guard isPost, data == nil, let mark = redirectURL.firstIndex(of: "?") else { return redirectURL }
        return String(redirectURL[..<mark])
    }

    /// The `state` that the user has to return with; nil if neither the form nor the address has exactly one.
    public var state: String? { data?.single("state") ?? query.single("state") }

    private var data: QueryParameters? {
        guard isPost, let entries = raw.output("redirectData")?.object else { return nil }
        var fields = QueryParameters()
        for (name, value) in entries { if let text = value.string { fields.append(name, text) } }
        return fields
    }

    private var query: QueryParameters {
        let text = redirectURL.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return QueryParameters(parsing: text) ?? QueryParameters()
    }

    /// The method only, because the address is meant only for the browser that is redirected.
    public var members: JSONObject { ["redirectMethod": isPost ? "POST" : "GET"] }

    /// Nil, because a redirect takes no answer.
    public var answerSchema: JSONObject? { nil }

    /// Refuses every answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "the user has to leave and to come back")
    }

    /// Does nothing, because the page is sent back as received.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
