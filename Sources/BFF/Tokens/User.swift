package import Basics
package import JSON
internal import OpenIDConnect

/// The answer to `user`: the facts of the user, as rendered when they were stored, and the seconds that are left now.
package struct User: Sendable, Equatable {
    /// The output of `UserRenderer` for the facts.
    ///
    /// It is a slice, because it is read out of a record only to be put in an answer.
    package let rendered: ArraySlice<UInt8>
    /// Seconds until the access token ends; nil when the provider did not say.
    package let tokenExpiresIn: Int64?
    /// Seconds until the session ends without use; never more than `absolute`.
    package let idle: Int64
    /// Seconds until the session ends in any case.
    package let absolute: Int64

    /// The answer to `user`.
    package init(rendered: ArraySlice<UInt8>, tokenExpiresIn: Int64?, idle: Int64, absolute: Int64) {
        self.rendered = rendered
        self.tokenExpiresIn = tokenExpiresIn
        self.idle = idle
        self.absolute = absolute
    }
}

/// Renders the part of the answer to `user` that does not change with time.
///
/// It runs when the facts are stored, so that a read costs no work.
package protocol UserRenderer: Sendable {
    /// The version of the rendered form; facts that are stored in another version are rendered anew.
    var format: UInt64 { get }

    /// Renders these facts in the current form.
    func render(_ user: UserFacts) -> [UInt8]
}

/// The facts of an instance's user, without those that change with time.
package struct UserFacts: Sendable, Equatable {
    /// The subject of the tokens.
    package var subject: String
    /// The claims that the provider returned for the user; nil when they were not read.
    package var claims: JSONObject?
    /// The facts of the provider session that the browser may see; nil when there is none.
    package var session: JSONObject?
    /// The scopes that were granted.
    package var scopes: [String]
    /// The authentication context class.
    package var acr: String?
    /// The authentication methods of the user, the `amr` claim.
    package var amr: [String]
    /// The authentication level.
    package var authLevel: Int?
    /// When the user authenticated.
    package var authTime: Timestamp?

    /// Makes the facts from their parts.
    package init(subject: String, claims: JSONObject? = nil, session: JSONObject? = nil, scopes: [String] = []) {
        self.subject = subject
        self.claims = claims
        self.session = session
        self.scopes = scopes
        amr = []
    }

    /// Takes the facts from tokens, with the claims and the session that belong to them.
    init(_ tokens: TokenSet, claims: JSONObject?, session: JSONObject?) {
        self.init(subject: tokens.subject, claims: claims, session: session, scopes: tokens.scopes)
        acr = tokens.acr
        amr = tokens.amr
        authLevel = tokens.authLevel
        authTime = tokens.authTime
    }
}

extension UserFacts: RecordCodable {
    package static var version: UInt8 { 2 }
    package static var oldestVersion: UInt8 { 1 }

    package func write(into writer: inout RecordWriter) {
        writer.write(subject)
        writer.write(claims) { writer, claims in writer.write(claims.text) }
        writer.write(session) { writer, session in writer.write(session.text) }
        writer.write(scopes) { $0.write($1) }
        writer.write(acr)
        writer.write(amr) { $0.write($1) }
        writer.write(authLevel) { $0.write(Int64($1)) }
        writer.write(authTime)
    }

    package init(from reader: inout RecordReader) throws(RecordError) {
        self.init(subject: try reader.string())
        claims = try reader.optional { reader throws(RecordError) in try reader.object() }
        session = try reader.optional { reader throws(RecordError) in
            if reader.version == Self.version { return try reader.object() }
            switch try reader.unsigned() {
            case 0:
                let (realm, url) = (try reader.string(), try reader.string())
                return ["realm": .string(realm), "successUrl": url.isOwnPath ? .string(url) : .null]
            case 1: return JSONObject()
            default: throw .malformed
            }
        }
        scopes = try reader.strings()
        acr = try reader.optionalString()
        amr = try reader.strings()
        let level = try reader.optional { reader throws(RecordError) in try reader.signed() }
        authLevel = level.flatMap { Int(exactly: $0) }
        authTime = try reader.optionalTimestamp()
    }
}

extension RecordReader {
    /// A JSON object that was written as text.
    fileprivate mutating func object() throws(RecordError) -> JSONObject {
        let text = try string()
        guard let object = (try? JSONValue(parsing: Array(text.utf8)))?.object else { throw .malformed }
        return object
    }
}
