public import Basics
internal import Cryptography

/// Why a server key, or a list of server keys, cannot be used.
public enum ServerKeyError: Error, Sendable, Equatable {
    /// The id is not 1 to 32 characters of `A-Z a-z 0-9 _ -`.
    case invalidID
    /// The key does not have 32 bytes, or is not canonical base64url.
    case malformedKey
    /// The key repeats a few byte values, so it is not random.
    case weakKey
    /// The list holds no key.
    case noKeys
    /// Two keys have this id.
    case duplicateID(String)
}

/// A key of the server, shared by every process that uses the store, with the id that sealed bytes carry.
public struct ServerKey: Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32
    private static let leastDistinctBytes = 12

    /// The key's id, 1 to 32 characters of `A-Z a-z 0-9 _ -`; not secret.
    public let id: String
    private let key: SecretBytes

    /// Makes a key of configured bytes.
    ///
    /// - Parameters:
    ///   - id: 1 to 32 characters of `A-Z a-z 0-9 _ -`.
    ///   - key: 32 random bytes.
    /// - Throws: `.invalidID`, `.malformedKey`, `.weakKey`.
    public init(id: String, key: [UInt8]) throws(ServerKeyError) {
        guard id.isName else { throw .invalidID }
        guard key.count == Self.byteCount else { throw .malformedKey }
        guard Set(key).count >= Self.leastDistinctBytes else { throw .weakKey }
        self.id = id
        self.key = SecretBytes(key)
    }

    /// Reads a line that `generateLine` made: id, a space, the key in base64url; one line end may follow.
    ///
    /// - Throws: `.invalidID`, `.malformedKey`, `.weakKey`.
    public init(line: String) throws(ServerKeyError) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].isName else { throw .invalidID }
        let text = parts[1].hasSuffix("\n") ? parts[1].dropLast() : parts[1]
        guard let key = Base64URL.decode(text) else { throw .malformedKey }
        try self.init(id: String(parts[0]), key: key)
    }

    /// Makes the line of a new random key, without a line end.
    ///
    /// - Throws: `.invalidID`.
    public static func generateLine(id: String) throws(ServerKeyError) -> Secret<String> {
        guard id.isName else { throw .invalidID }
        return Secret(id + " " + SecureRandom.token(byteCount))
    }

    /// Derives a key for one purpose; two purposes never share a key.
    func derived(_ purpose: String) -> [UInt8] {
        key.withUnsafeBytes { buffer in
            var secret = Array(buffer)
            defer { cleanse(&secret) }
            return HKDF.derive(secret: secret, info: Array("cloakroom 1 \(purpose)".utf8), count: Self.byteCount)
        }
    }
}
