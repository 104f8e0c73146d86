internal import Basics
internal import Cryptography

/// The content of the session cookie: a tag that names the session and a secret that opens it.
///
/// The cookie is `<tag>.<secret>`, both base64url without padding: 22 characters, a dot, 43 characters. The tag stays
/// for the life of a session; each new session id is a new secret with its own ticket.
package struct SessionCredential: Sendable {
    private static let tagCount = 16
    private static let secretCount = 32
    private static let tagCharacters = 22
    private static let cookieCharacters = 22 + 1 + 43

    /// The 16 bytes that name the session.
    package let tag: [UInt8]
    /// The 32 bytes that open the session.
    package let secret: [UInt8]
    /// The key of the session in the store: SHA-256(tag).
    package let sessionKey: SessionKey
    /// The name of the field that holds this secret's ticket: `ticket:` and base64url of SHA-256(secret).
    package let ticketField: String

    private init(tag: [UInt8], secret: [UInt8], sessionKey: SessionKey) {
        self.tag = tag
        self.secret = secret
        self.sessionKey = sessionKey
        ticketField = Self.ticketField(secret)
    }

    /// True if a field holds a ticket.
    package static func isTicket(_ field: String) -> Bool { field.hasPrefix("ticket:") }

    /// The field that holds this secret's ticket after the change to this secret was undone.
    package var undoneField: String { Self.undoneField(ofTicket: ticketField) }

    /// The field that holds a ticket after the change to its secret was undone.
    package static func undoneField(ofTicket field: String) -> String { undonePrefix + field.dropFirst(7) }

    /// True if a field holds a ticket whose change was undone.
    package static func isUndone(_ field: String) -> Bool { field.hasPrefix(undonePrefix) }

    private static let undonePrefix = "undone:"

    private static func ticketField(_ secret: [UInt8]) -> String {
        let prefix: StaticString = "ticket:"
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            secret.withUnsafeBytes { Digest.sha256($0, into: digest) }
            return String(unsafeUninitializedCapacity: prefix.utf8CodeUnitCount + 44) { out in
                prefix.withUTF8Buffer { _ = out.update(fromContentsOf: $0) }
                let rest = UnsafeMutableBufferPointer(rebasing: out[prefix.utf8CodeUnitCount...])
                return prefix.utf8CodeUnitCount + Base64URL.encode(borrowed: UnsafeBufferPointer(digest), into: rest)
            }
        }
    }

    /// Makes a credential for a new session.
    package static func generate() -> SessionCredential {
        // One call of the generator, which costs as much for both as for one.
        var bytes = SecureRandom.bytes(tagCount + secretCount)
        defer { cleanse(&bytes) }
        let tag = Array(bytes[..<tagCount])
        return SessionCredential(tag: tag, secret: Array(bytes[tagCount...]), sessionKey: SessionKey(tag: tag))
    }

    /// Reads a cookie; nil for anything but 22 and 43 base64url characters around a dot.
    ///
    /// Of several spellings of the same bytes, only the canonical one is accepted.
    ///
    /// - Parameter cookieValue: The value of the session cookie, from the browser.
    package init?(cookieValue: String) {
        var cookieValue = cookieValue
        guard let (tag, secret) = cookieValue.withUTF8({ Self.decode($0) }) else { return nil }
        self.init(tag: tag, secret: secret, sessionKey: SessionKey(tag: tag))
    }

    private static func decode(_ characters: UnsafeBufferPointer<UInt8>) -> (tag: [UInt8], secret: [UInt8])? {
        guard characters.count == cookieCharacters, characters[tagCharacters] == UInt8(ascii: "."),
            let tag = Base64URL.decode(borrowed: UnsafeBufferPointer(rebasing: characters[..<tagCharacters])),
            let secret = Base64URL.decode(
                borrowed: UnsafeBufferPointer(rebasing: characters[(tagCharacters + 1)...]))
        else { return nil }
        return (tag, secret)
    }

    /// The value of the session cookie, which opens the session: put it in that cookie and nowhere else.
    package var cookieValue: String {
        Base64URL.encode(tag) + "." + Base64URL.encode(secret)
    }

    /// A credential of the same session with a new secret.
    package func withNewSecret() -> SessionCredential {
        SessionCredential(tag: tag, secret: SecureRandom.bytes(Self.secretCount), sessionKey: sessionKey)
    }

    /// A credential of the same session with an earlier secret, for a retry of the request that received it.
    ///
    /// - Parameter secret: The 32 bytes of a credential of this session.
    /// - Returns: The credential with that secret.
    package func with(secret: [UInt8]) -> SessionCredential {
        precondition(secret.count == Self.secretCount, "a secret has 32 bytes")
        return SessionCredential(tag: tag, secret: secret, sessionKey: sessionKey)
    }
}

extension SessionCredential: Equatable {
    /// Compares credentials in constant time, wherever the secrets differ.
    package static func == (left: SessionCredential, right: SessionCredential) -> Bool {
        let sameTag = constantTimeEquals(left.tag, right.tag)
        return constantTimeEquals(left.secret, right.secret) && sameTag
    }
}

extension SessionCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Prints `<secret>` in place of the value.
    package var description: String { "<secret>" }
    /// Prints `<secret>` in place of the value.
    package var debugDescription: String { "<secret>" }
    /// An empty mirror, so that dumping the credential prints no secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
