public import Basics
public import HTTPCore
public import Orchestrate

/// The SSO session that AM issues at the end of a journey.
public struct SSOSession: Session, Equatable {
    /// The session token, `tokenId` on the wire.
    public var value: Secret<String>
    /// The address to which AM would redirect a browser, empty when absent; the author of `goto` can influence it.
    public var successURL: String
    /// The realm, such as `/alpha`; empty when absent.
    public var realm: String
    /// The load balancer cookies that route the session to its server.
    public var cookies: CookieJar
    /// The time when the journey ended.
    public var created: Timestamp

    /// Makes a session.
    public init(
        value: Secret<String>, successURL: String = "", realm: String = "", cookies: CookieJar = CookieJar(),
        created: Timestamp
    ) {
        self.value = value
        self.successURL = successURL
        self.realm = realm
        self.cookies = cookies
        self.created = created
    }
}

extension Session {
    /// The address to which AM would redirect a browser; empty if absent, and for a session that is not AM's.
    public var successURL: String { (self as? SSOSession)?.successURL ?? "" }

    /// The realm, such as `/alpha`; empty if absent, and for a session that is not AM's.
    public var realm: String { (self as? SSOSession)?.realm ?? "" }
}

extension StorageKey where Item == SSOSession {
    /// The key of the caller's SSO session.
    public static var session: StorageKey { StorageKey("journey.session") }
}

extension SSOSession: RecordCodable, Codable {
    /// The version of the stored record, 1.
    public static var version: UInt8 { 1 }

    /// Writes every member; the token is written in clear.
    public func write(into writer: inout RecordWriter) {
        writer.write(value.reveal())
        writer.write(successURL)
        writer.write(realm)
        writer.write(created)
        cookies.write(into: &writer)
    }

    /// Reads a record that `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    public init(from reader: inout RecordReader) throws(RecordError) {
        value = Secret(try reader.string())
        successURL = try reader.string()
        realm = try reader.string()
        created = try reader.timestamp()
        cookies = try CookieJar(from: &reader)
    }
}

extension SSOSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The realm only; the token is secret.
    public var description: String { "SSOSession(realm: \(realm))" }
    /// The realm only; the token is secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that printing or dumping the value shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
