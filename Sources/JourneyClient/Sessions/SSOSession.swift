public import Basics
public import HTTPCore
public import Orchestrate
public import StorageKit

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

extension StorageKey where Item == SSOSession {
    /// The caller's SSO session.
    public static var session: StorageKey { StorageKey("journey.session") }
}

extension SSOSession: RecordCodable {
    private static let version: UInt8 = 1

    /// The stored form: binary, beginning with a format version.
    public func encode() -> [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(value.reveal())
        writer.write(successURL)
        writer.write(realm)
        writer.write(created)
        cookies.write(into: &writer)
        return writer.bytes
    }

    /// Reads the stored form; nil for anything that `encode()` did not write.
    public init?(decoding bytes: [UInt8]) {
        do {
            var reader = try RecordReader(bytes, version: Self.version)
            value = Secret(try reader.string())
            successURL = try reader.string()
            realm = try reader.string()
            created = try reader.timestamp()
            cookies = try CookieJar(from: &reader)
            try reader.end()
        } catch {
            return nil
        }
    }
}

extension SSOSession: Codable {
    private enum CodingKeys: String, CodingKey {
        case value, successURL, realm, cookies, created
    }

    /// Reads the form that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        value = Secret(try values.decode(String.self, forKey: .value))
        successURL = try values.decode(String.self, forKey: .successURL)
        realm = try values.decode(String.self, forKey: .realm)
        cookies = try values.decode(CookieJar.self, forKey: .cookies)
        created = try values.decode(Timestamp.self, forKey: .created)
    }

    /// Writes every member, the token in clear: for a sealed store only.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(value.reveal(), forKey: .value)
        try values.encode(successURL, forKey: .successURL)
        try values.encode(realm, forKey: .realm)
        try values.encode(cookies, forKey: .cookies)
        try values.encode(created, forKey: .created)
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
