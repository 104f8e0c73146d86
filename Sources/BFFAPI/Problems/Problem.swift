internal import BFF
internal import HTTPServer
internal import JSON
internal import ResourceServer
internal import Sessions

/// Why a request was refused or failed: one problem document (RFC 9457).
///
/// It holds no text of a back end, and of the request only names of members: its sentences are literals of the source
/// code.
struct Problem: Error, Sendable {
    let type: ProblemType
    /// A sentence about this occurrence.
    let detail: StaticString
    /// The members or questions to correct.
    var fields: [PageAnswerProblem] = []
    /// The node that the flow shows now, as JSON.
    var node: [UInt8]?
    /// The change of user that the browser may confirm.
    var confirmation: SubjectQuestion?
    /// The step-up that gets a stronger token.
    var stepUp: StepUpOffer?
    /// The requirement that a token has to meet, where the caller may know it.
    var required: JSONObject?
    /// The reason why a session, sign-in or flow has ended.
    var reason: EndReason?
    /// How long to wait before the next try.
    var retryAfter: Duration?
    /// True if the caller disconnected during the call; operators need no warning of that.
    var isBrokenOff = false
    /// Further header fields, `Allow` for instance.
    var headers: [ResponseHeader] = []
    /// The form in which the problem is written.
    var form = ProblemForm.document

    /// A problem; `detail` may be more precise than the type's own sentence.
    init(_ type: ProblemType, _ detail: StaticString? = nil) {
        self.type = type
        self.detail = detail ?? type.detail
    }

    /// A problem with one member of a body or query.
    init(_ type: ProblemType, member name: String, _ code: MemberProblem) {
        self.init(type, type == .malformed ? "A member cannot be used as it is; `fields` names it." : nil)
        fields = [PageAnswerProblem(id: Self.shortened(name), code: code.rawValue, message: code.message.description)]
    }

    var retrySeconds: Int64? { retryAfter?.retrySeconds }

    /// The status of the response.
    ///
    /// Ping's programs begin a journey anew after 401, which AM answers wherever a step is not the current one.
    var status: Int {
        guard case .journey = form else { return type.status }
        return [.flowExpired, .staleStep, .noPendingReturn].contains(type) ? 401 : type.status
    }

    /// The document, with the request id as `instance`.
    func document(_ requestID: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 384 + (node?.count ?? 0))
        writer.beginObject()
        writer.member("type", "/problems/\(type.rawValue)")
        writer.member("title", type.title.description)
        writer.member("status", Int64(status))
        writer.member("detail", detail.description)
        writer.member("instance", requestID)
        if type == .invalidLogoutToken {
            // OpenID Connect Back-Channel Logout 1.0 section 2.8.
            writer.member("error", "invalid_request")
            writer.member("error_description", detail.description)
        }
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
        if let confirmation { write(confirmation, &writer) }
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

    /// Writes the next request for the SPA, `POST start` with `{"for": …}`.
    private func write(_ offer: StepUpOffer, _ writer: inout JSONWriter) {
        writer.member("stepUp")
        writer.beginObject()
        writer.member("instance", AccountName.text(offer.instance))
        writer.member("start", "/\(offer.instance)/start")
        writer.member("for", offer.goal)
        writer.endObject()
    }

    /// Writes the question that the SPA shows before it confirms by `POST next` with this `flow` and `step`.
    private func write(_ question: SubjectQuestion, _ writer: inout JSONWriter) {
        writer.member("confirm")
        writer.beginObject()
        writer.member("flow", question.flow)
        writer.member("step", Int64(question.step))
        writer.member("expiresIn", question.expiresIn)
        writer.member("name", question.name)
        writer.member("subject", question.subject)
        writer.endObject()
    }

    private static func required(_ offer: StepUpOffer) -> JSONObject? {
        offer.requirement.flatMap { Challenge(.insufficientAuthentication, requirement: $0).required }
    }

    /// A name that a client chose, cut so that it can be repeated to the client.
    private static func shortened(_ name: String) -> String {
        name.utf8.count <= 64 ? name : String(name.unicodeScalars.prefix(16)) + "…"
    }
}

/// The problem of a member of a body or a query.
enum MemberProblem: String, Sendable, CaseIterable {
    /// The operation has no such member.
    case unknown = "unknown-member"
    /// The member is missing.
    case required
    /// The member has another type.
    case wrongType = "wrong-type"
    /// The value is out of range or malformed.
    case outOfRange = "out-of-range"
    /// The member occurs more than once.
    case repeated
    /// The client's configuration, or its product, does not allow the value.
    case notAllowed = "not-allowed"

    var message: StaticString {
        switch self {
        case .unknown: "The operation has no such member, or does not take it beside the others that were sent."
        case .required: "The member is missing."
        case .wrongType: "The member is of another type."
        case .outOfRange: "The value is out of range or not of the expected form."
        case .repeated: "The member occurs more than once."
        case .notAllowed: "The client's configuration or its product does not allow the value."
        }
    }
}

extension Duration {
    /// Whole seconds, rounded up and at least one: zero would invite clients to retry without pause.
    var retrySeconds: Int64 { max(1, components.attoseconds > 0 ? components.seconds + 1 : components.seconds) }
}
