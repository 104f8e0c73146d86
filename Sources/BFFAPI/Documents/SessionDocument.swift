internal import BFF
internal import JSON
import Sessions

/// The answer to `session`, as JSON.
enum SessionDocument {
    static func document(_ session: SessionOverview) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("authenticated", session.isAuthenticated)
        writer.member("accounts", value: .array(session.accounts.map { .string(AccountName.text($0)) }))
        writer.member("instances")
        writer.beginArray()
        for instance in session.instances { write(instance, &writer) }
        writer.endArray()
        writer.member("expiresIn")
        if let left = session.expiresIn {
            writer.beginObject()
            writer.member("idle", left.idle)
            writer.member("absolute", left.absolute)
            writer.endObject()
        } else {
            writer.null()
        }
        if let device = session.device { writer.member("device", device.rawValue) }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ instance: SessionOverview.Instance, _ writer: inout JSONWriter) {
        let name = instance.name
        writer.beginObject()
        writer.member("instance", AccountName.text(name.text))
        writer.member("client", name.client)
        writer.member("account", value: name.account.isEmpty ? .null : .string(AccountName.text(name.account)))
        writer.member("kind", instance.kind.rawValue)
        writer.member("state", state(instance))
        writer.member("subject", value: instance.subject.map(JSONValue.string) ?? .null)
        writer.member("tokenExpiresIn", value: instance.tokenExpiresIn.map { JSONValue($0) } ?? .null)
        writer.member("providerSession", instance.hasProviderSession)
        writer.member("flows", Int64(instance.flows))
        writer.endObject()
    }

    private static func state(_ instance: SessionOverview.Instance) -> String {
        if instance.subject != nil { return "authenticated" }
        return instance.flows == 0 ? "none" : "in-progress"
    }
}
