public import Basics
public import HTTPCore
internal import OpenIDConnect
public import Orchestrate

/// The session that PingOne gave at the end of a flow: its cookies, and the ID token by which it can be ended.
public struct DaVinciSession: Session, Equatable {
    /// PingOne's id of the session; of one that it names nowhere, what stands for it since its first sign-in.
    public var value: Secret<String>
    /// The cookies that the next flow shows PingOne, `ST` and `ST-NO-SS`.
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
    /// Whether another record is of the same session of PingOne's, which need not name it.
    package func isSame(as other: DaVinciSession) -> Bool {
        value == other.value || !cookies.isEmpty && cookies.hasSameValues(as: other.cookies)
    }

    /// Whether PingOne has made the cookies new by which it knows the session.
    package func isRenamed(since former: DaVinciSession) -> Bool {
        value == former.value && !cookies.isEmpty && !cookies.hasSameValues(as: former.cookies)
    }
}

extension DaVinciSession {
    /// What PingOne needs to end it: the cookies, or the ID token where there are none.
    package var leastToEnd: DaVinciSession {
        var least = self
        // rule: an ID token does not wait beside cookies that end its session | false
        if !cookies.isEmpty { least.idToken = nil }
        return least
    }

    /// Takes the name of a session that the answer of PingOne does not name: the one in its ID token, or, where it goes on from
    /// another session, that one's.
    ///
    /// PingOne may make the cookies new in any answer, so they say nothing of whether it is another one.
    ///
    /// - Parameter before: The session that the flow came with.
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
    /// Sessions begin with 1.
    public static var version: UInt8 { 1 }
    /// Two cookies and a token.
    public var estimatedByteCount: Int { 2048 }

    /// Writes every member, the secrets in clear.
    public func write(into writer: inout RecordWriter) {
        writer.write(value.reveal())
        writer.write(idToken?.reveal())
        cookies.write(into: &writer)
    }

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    public init(from reader: inout RecordReader) throws(RecordError) {
        value = Secret(try reader.string())
        idToken = try reader.optionalString().map { Secret($0) }
        cookies = try CookieJar(from: &reader)
    }
}

extension DaVinciSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of cookies; nothing else.
    public var description: String { "DaVinciSession(\(cookies))" }
    /// The number of cookies; nothing else.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
