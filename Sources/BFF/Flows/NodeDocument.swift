import Basics
import JSON

/// Renders the nodes of design/api.md 2 and 3.
enum NodeDocument {
    /// A page to be answered, or to be answered again.
    static func page(_ flow: FlowRecord, _ kind: ClientKind, _ page: JSONObject, at now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.member("type", flow.refusal == nil ? "continue" : "error")
        writer.member("kind", kind.rawValue)
        writer.member("flow", flow.id)
        writer.member("step", Int64(flow.step))
        writer.member("expiresIn", max(0, (flow.ends - now).wholeSeconds))
        if let refusal = flow.refusal {
            writer.member("message", refusal.message)
            writer.member("details")
            writer.raw(refusal.details)
        }
        for (name, value) in page { writer.member(name, value: value) }
        writer.endObject()
        return writer.bytes
    }

    /// The end of a flow without a sign-in.
    static func failure(_ flow: String?, _ kind: ClientKind, _ failure: FlowFailure) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "failure")
        writer.member("kind", kind.rawValue)
        if let flow { writer.member("flow", flow) }
        writer.member("reason", failure.reason)
        if let message = failure.message { writer.member("message", message) }
        writer.endObject()
        return writer.bytes
    }

    /// The end of a flow with a sign-in; `user` is the document of the `user` operation, absent without a session.
    static func success(_ flow: String?, _ kind: ClientKind, user: [UInt8]?) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + (user?.count ?? 0))
        writer.beginObject()
        writer.member("type", "success")
        writer.member("kind", kind.rawValue)
        if let flow { writer.member("flow", flow) }
        writer.member("signedIn", user != nil)
        if let user {
            writer.member("user")
            writer.raw(user)
        }
        writer.endObject()
        return writer.bytes
    }
}
