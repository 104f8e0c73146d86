internal import Basics
package import Cryptography

/// The keys of the server: the first seals, and all of them open.
///
/// For a key rotation, add the new key at the end in every process, then move it to the front, and remove the old key
/// once everything it sealed has been used or has expired: after the absolute lifetime of a session. That way every
/// process can open the bytes that any other process seals.
public struct ServerKeys: Sendable {
    /// The keys in order; the first is the current one.
    private(set) var keys: [ServerKey]

    /// Makes a list of keys with distinct ids, the current one first.
    ///
    /// - Throws: `.noKeys`, `.duplicateID`.
    public init(_ keys: [ServerKey]) throws(ServerKeyError) {
        guard !keys.isEmpty else { throw .noKeys }
        var seen = Set<String>()
        for key in keys where !seen.insert(key.id).inserted { throw .duplicateID(key.id) }
        self.keys = keys
    }

    /// These keys, followed by those of another list whose ids they lack: what they sealed still opens.
    package func opening(_ former: ServerKeys) -> ServerKeys {
        var all = self
        all.keys += former.keys.filter { !ids.contains($0.id) }
        return all
    }

    /// The ids in order, to be logged at start-up.
    public var ids: [String] { keys.map(\.id) }

    /// HMAC keys derived for a purpose, the current one first.
    ///
    /// An entry found by such a MAC, such as an index entry, must be looked up under every key until the old keys are
    /// removed.
    package func authenticationKeys(for purpose: String) -> [HMACKey] {
        keys.map { HMACKey($0.derived("mac " + purpose)) }
    }
}

/// The clear part before the bytes that a server key sealed: format version, length of the key id, key id.
struct ServerKeyHeader {
    private static let version: UInt8 = 1
    private static let fixedCount = 2
    /// The least number of bytes after a header: the nonce and the tag.
    private static let leastSealedCount = 12 + 16

    let bytes: [UInt8]

    /// The id of the key that sealed these bytes, read from their clear part; nil for bytes that no server key sealed.
    static func keyID(_ sealed: [UInt8]) -> String? {
        guard sealed.count >= fixedCount, sealed[0] == version else { return nil }
        let end = fixedCount + Int(sealed[1])
        guard sealed.count >= end + leastSealedCount else { return nil }
        let id = String(decoding: sealed[fixedCount..<end], as: UTF8.self)
        return id.isName ? id : nil
    }

    init(_ key: ServerKey) {
        bytes = [Self.version, UInt8(key.id.utf8.count)] + Array(key.id.utf8)
    }

    /// The index of the header whose key sealed these bytes.
    static func match(_ sealed: [UInt8], _ headers: [ServerKeyHeader]) throws(SealError) -> Int {
        guard let version = sealed.first else { throw .notAuthentic }
        guard version == Self.version else { throw .unsupportedVersion(version) }
        if let place = headers.firstIndex(where: { sealed.starts(with: $0.bytes) }) { return place }
        throw keyID(sealed) == nil ? .notAuthentic : .unknownKey
    }
}
