internal import HTTPCore
public import JSON
public import Orchestrate

/// Sends the user to another site, from where the same page goes back with what that site returned.
///
/// It takes no answer: `BoundJourney.resume(_:returned:)` goes on.
public struct RedirectCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "RedirectCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// Where the user is sent, as received: it may carry secrets of the flow, and nothing of it has been checked.
    public var redirectURL: String { raw.text("redirectUrl") }

    /// Whether the site wants a form instead of a link.
    public var isPost: Bool { raw.text("redirectMethod").lowercased() == "post" }

    /// The fields of the form: those of `redirectData`, else the query of the address; none for a link.
    public var fields: [(name: String, value: String)] { isPost ? (data ?? query).pairs : [] }

    /// Where the form goes: without a query where its fields are made of that.
    public var action: String {
        guard isPost, data == nil, let mark = redirectURL.firstIndex(of: "?") else { return redirectURL }
        return String(redirectURL[..<mark])
    }

    /// The `state` with which the user has to come back; nil where the address and the form show none or several.
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

    /// The method alone: the address is for nobody but the browser that is sent there.
    public var members: JSONObject { ["redirectMethod": isPost ? "POST" : "GET"] }

    /// Leaving is no answer.
    public var answerSchema: JSONObject? { nil }

    /// Any answer is one too many.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerRefusal(.notAnswerable, "the user has to leave and to come back")
    }

    /// Changes nothing: the page goes back as it came.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
