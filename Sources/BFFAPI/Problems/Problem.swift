internal import BFF
internal import HTTPServer
internal import JSON
internal import ResourceServer

/// Why a request was not done: one problem document (RFC 9457).
///
/// Nothing of a back end, and nothing of the request but names of its members, can get into one: sentences are
/// literals.
struct Problem: Error, Sendable {
    let type: ProblemType
    /// A sentence of ours.
    let detail: StaticString
    /// The members or questions to correct.
    var fields: [PageAnswerProblem] = []
    /// The node that the flow shows now, as JSON.
    var node: [UInt8]?
    /// How to get a stronger token.
    var stepUp: StepUpOffer?
    /// What a token has to show, where the caller may know.
    var required: JSONObject?
    /// Why something is over.
    var reason: EndReason?
    /// How long to wait before the next try.
    var retryAfter: Duration?
    /// Whether the caller went away while the call ran: no failure that operators have to know of.
    var isBrokenOff = false
    /// Further header fields, `Allow` for instance.
    var headers: [ResponseHeader] = []

    /// A problem; `detail` may be more precise than the type's own sentence.
    init(_ type: ProblemType, _ detail: StaticString? = nil) {
        self.type = type
        self.detail = detail ?? type.detail
    }

    /// A body or query with one member to correct.
    init(_ type: ProblemType, member name: String, _ code: MemberProblem) {
        self.init(type, type == .malformed ? "A member cannot be used as it is; `fields` names it." : nil)
        fields = [PageAnswerProblem(id: Self.shortened(name), code: code.rawValue, message: code.message.description)]
    }

    var retrySeconds: Int64? { retryAfter?.retrySeconds }

    /// The document, with the request id as `instance`.
    func document(_ requestID: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 384 + (node?.count ?? 0))
        writer.beginObject()
        writer.member("type", "/problems/\(type.rawValue)")
        writer.member("title", type.title.description)
        writer.member("status", Int64(type.status))
        writer.member("detail", detail.description)
        writer.member("instance", requestID)
        if let reason { writer.member("reason", reason.rawValue) }
        if let retrySeconds { writer.member("retryAfter", retrySeconds) }
        if !fields.isEmpty {
            writer.member("fields")
            writer.beginArray()
            for field in fields {
                writer.beginObject()
                writer.member("id", field.id)
                writer.member("code", field.code)
                writer.member("message", field.message)
                writer.endObject()
            }
            writer.endArray()
        }
        if let stepUp { write(stepUp, &writer) }
        if let required = required ?? stepUp.flatMap(Self.required) {
            writer.member("required", value: .object(required))
        }
        if let node {
            writer.member("node")
            writer.raw(node)
        }
        writer.endObject()
        return writer.bytes
    }

    /// What the SPA does next: `POST start` with `{"for": …}`; and what is asked for, where that may be said.
    private func write(_ offer: StepUpOffer, _ writer: inout JSONWriter) {
        writer.member("stepUp")
        writer.beginObject()
        writer.member("instance", AccountName.text(offer.instance))
        writer.member("start", "/\(offer.instance)/start")
        writer.member("for", offer.goal)
        writer.endObject()
    }

    private static func required(_ offer: StepUpOffer) -> JSONObject? {
        offer.requirement.flatMap { Challenge(.insufficientAuthentication, requirement: $0).required }
    }

    /// A name that a client chose, short enough to be repeated to it.
    private static func shortened(_ name: String) -> String {
        name.utf8.count <= 64 ? name : String(name.unicodeScalars.prefix(16)) + "…"
    }
}

/// What is wrong with a member of a body or a query.
enum MemberProblem: String, Sendable, CaseIterable {
    /// It is not known here.
    case unknown = "unknown-member"
    /// It has to be there.
    case required
    /// It is of another type.
    case wrongType = "wrong-type"
    /// It is beyond its range, or not of its form.
    case outOfRange = "out-of-range"
    /// It occurs more than once.
    case repeated
    /// The client does not allow it.
    case notAllowed = "not-allowed"

    var message: StaticString {
        switch self {
        case .unknown: "There is no such member."
        case .required: "The member is missing."
        case .wrongType: "The member is of another type."
        case .outOfRange: "The value is out of range or not of the expected form."
        case .repeated: "The member occurs more than once."
        case .notAllowed: "The client's configuration does not allow the value."
        }
    }
}

extension Duration {
    /// Whole seconds, rounded up and at least one: zero would be an invitation to hammer.
    var retrySeconds: Int64 { max(1, components.attoseconds > 0 ? components.seconds + 1 : components.seconds) }
}
