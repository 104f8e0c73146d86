public import Basics
public import HTTPCore
internal import OpenIDConnect
public import Orchestrate

/// The session that PingOne created at the end of a flow: its cookies, and the ID token by which it can be ended.
public struct DaVinciSession: Session, Equatable {
    /// PingOne's id of the session; where PingOne states no id, the authorization code of the first sign-in stands in
    /// for it.
    public var value: Secret<String>
    /// The cookies that the next flow sends to PingOne, `ST` and `ST-NO-SS`.
    public var cookies: CookieJar
    /// The ID token of the sign-in.
    public var idToken: Secret<String>?

    /// Makes a session.
    public init(value: Secret<String>, cookies: CookieJar = CookieJar(), idToken: Secret<String>? = nil) {
        self.value = value
        self.cookies = cookies
        self.idToken = idToken
    }
}

extension DaVinciSession {
    /// True if another record is of the same session at PingOne, by its id or by its cookies.
    package func isSame(as other: DaVinciSession) -> Bool {
        value == other.value || !cookies.isEmpty && cookies.hasSameValues(as: other.cookies)
    }

    /// True if PingOne has rotated the session's cookies since `former` was stored.
    package func isRenamed(since former: DaVinciSession) -> Bool {
        value == former.value && !cookies.isEmpty && !cookies.hasSameValues(as: former.cookies)
    }
}

extension DaVinciSession {
    /// The session reduced to the data that end it: the cookies, or the ID token if there are no cookies.
    package var leastToEnd: DaVinciSession {
        var least = self
        // rule: an ID token does not wait beside cookies that end its session | false
        if !cookies.isEmpty { least.idToken = nil }
        return least
    }

    /// Sets the id of a session that PingOne's answer does not name.
    ///
    /// The id comes from the ID token, or from the session that this one continues. PingOne may rotate the cookies in
    /// any answer, so they do not tell if it is another session.
    ///
    /// - Parameter before: The session that the flow began with.
    mutating func nameItself(after before: DaVinciSession?) {
        guard let own = idToken.flatMap({ IDTokenSession($0) }) else { return }
        let former = before?.idToken.flatMap { IDTokenSession($0) }
        if let before, let former, former.isSameUser(as: own),
            own.sessionID == nil || own.sessionID == former.sessionID
        {
            value = before.value
        } else if let name = own.sessionID {
            value = Secret(name)
        }
    }
}

extension StorageKey where Item == DaVinciSession {
    /// The caller's session at PingOne.
    public static var davinciSession: StorageKey { StorageKey("davinci.session") }
}

extension DaVinciSession: RecordCodable, Codable {
    /// Version 2 of the stored form.
    public static var version: UInt8 { 2 }
    /// Version 1, in which the ID token is a text.
    public static var oldestVersion: UInt8 { 1 }
    /// About 2 KiB: two cookies and a token.
    public var estimatedByteCount: Int { 2048 }

    /// Writes every member, the secrets in clear.
    public func write(into writer: inout RecordWriter) {
        writer.write(value.reveal())
        writer.write(idToken) { PackedToken($1).write(into: &$0) }
        cookies.write(into: &writer)
    }

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    public init(from reader: inout RecordReader) throws(RecordError) {
        value = Secret(try reader.string())
        idToken = try reader.optional { reader throws(RecordError) in
            try reader.version > 1 ? PackedToken(from: &reader).token : Secret(reader.string())
        }
        cookies = try CookieJar(from: &reader)
    }
}

extension DaVinciSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of cookies only.
    public var description: String { "DaVinciSession(\(cookies))" }
    /// The number of cookies only.
    public var debugDescription: String { description }
    /// Shows no children, so that printing the value prints no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
