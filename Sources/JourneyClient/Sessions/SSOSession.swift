public import Basics
public import HTTPCore
public import Orchestrate

/// The SSO session that AM gave at the end of a journey.
public struct SSOSession: Session, Equatable {
    /// The session token, `tokenId` on the wire.
    public var value: Secret<String>
    /// Where AM would send a browser, empty when absent; whoever chose `goto` has an influence on it.
    public var successURL: String
    /// The realm, `/alpha`; empty when absent.
    public var realm: String
    /// The load balancer's cookies that keep a session on its server.
    public var cookies: CookieJar
    /// When the journey ended.
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
    /// Where AM would send a browser; empty for what is no session of AM, and when AM said nothing.
    public var successURL: String { (self as? SSOSession)?.successURL ?? "" }

    /// The realm, `/alpha`; empty for what is no session of AM, and when AM said nothing.
    public var realm: String { (self as? SSOSession)?.realm ?? "" }
}

extension StorageKey where Item == SSOSession {
    /// The caller's SSO session.
    public static var session: StorageKey { StorageKey("journey.session") }
}

extension SSOSession: RecordCodable, Codable {
    /// Sessions begin with 1.
    public static var version: UInt8 { 1 }

    /// Writes every member, the token in clear.
    public func write(into writer: inout RecordWriter) {
        writer.write(value.reveal())
        writer.write(successURL)
        writer.write(realm)
        writer.write(created)
        cookies.write(into: &writer)
    }

    /// Reads what `write(into:)` wrote.
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
    /// The realm; nothing else.
    public var description: String { "SSOSession(realm: \(realm))" }
    /// The realm; nothing else.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
