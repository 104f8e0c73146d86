internal import BFF
internal import Basics
internal import JSON
internal import Sessions

/// Sessions of a user as JSON; nothing in it opens a session.
enum SessionListDocument {
    /// The sessions; `marksOwn` says which one is the caller's.
    static func document(_ sessions: [ListedSession], marksOwn: Bool) -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + sessions.count * 256)
        writer.beginObject()
        writer.member("sessions")
        writer.beginArray()
        for session in sessions { write(session, marksOwn, &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// The number of sessions in which a sign-in was ended.
    static func ended(_ count: Int) -> [UInt8] {
        var writer = JSONWriter(capacity: 32)
        writer.beginObject()
        writer.member("ended", Int64(count))
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ session: ListedSession, _ marksOwn: Bool, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", session.id)
        if marksOwn { writer.member("current", session.isOwn) }
        writer.member("begun", session.begun.seconds)
        writer.member("lastUsed", session.lastUsed.seconds)
        writer.member("expires", session.ends.seconds)
        writer.member("device", value: session.device.isEmpty ? .null : .string(session.device))
        writer.member("signIns")
        writer.beginArray()
        for part in session.parts where part.isTokens {
            writer.beginObject()
            writer.member("client", part.client)
            writer.member("account", value: part.account.isEmpty ? .null : .string(AccountName.text(part.account)))
            writer.member("signedInAt", part.signedInAt.seconds)
            writer.member("authenticatedAt", part.authenticated.seconds)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
