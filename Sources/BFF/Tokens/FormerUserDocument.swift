import Basics
import JSON

/// The document in user records of version 1: the JSON of the answer up to and including `"expiresIn":` of the token.
///
/// The server reads it so that a browser stays signed in over an update of the server; the next tokens write the record
/// in the current version.
enum FormerUserDocument {
    static let version: UInt8 = 1

    /// The facts that a document of version 1 shows.
    static func facts(in head: ArraySlice<UInt8>, hasClaims: Bool) throws(RecordError) -> UserFacts {
        // It ends inside the token object; closing it makes it a document again.
        guard let document = try? JSONValue(parsing: Array(head) + Array("null}}".utf8)),
            let subject = document["subject"]?.string, let token = document["token"]
        else { throw .malformed }
        var facts = UserFacts(
            subject: subject, claims: hasClaims ? document["claims"]?.object : nil,
            session: document["session"]?.object,
            scopes: token["scope"]?.array?.compactMap(\.string) ?? [])
        facts.acr = token["acr"]?.string
        facts.amr = token["amr"]?.array?.compactMap(\.string) ?? []
        facts.authLevel = token["authLevel"]?.int.flatMap { Int(exactly: $0) }
        facts.authTime = token["authTime"]?.int.map { Timestamp(seconds: $0) }
        return facts
    }
}
