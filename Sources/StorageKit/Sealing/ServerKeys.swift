internal import Basics
package import Cryptography

/// The keys of the server: the first seals, all of them open.
///
/// To change the key, put a new one at the end everywhere, then in front, and take the old one out when what it sealed has been
/// used or has expired: after the absolute lifetime of a session. What one process seals every other one can open that way.
public struct ServerKeys: Sendable {
    /// The keys in their order; the first is the current one.
    let keys: [ServerKey]

    /// Keys with distinct ids, the current one first.
    ///
    /// - Throws: `.noKeys`, `.duplicateID`.
    public init(_ keys: [ServerKey]) throws(ServerKeyError) {
        guard !keys.isEmpty else { throw .noKeys }
        var seen = Set<String>()
        for key in keys where !seen.insert(key.id).inserted { throw .duplicateID(key.id) }
        self.keys = keys
    }

    /// The ids in their order, to be logged at the start.
    public var ids: [String] { keys.map(\.id) }

    /// Keys for message authentication derived for a purpose, the current one first.
    ///
    /// What is looked up by such a MAC, an index entry for instance, has to be looked up under every key until the old
    /// ones are gone.
    package func authenticationKeys(for purpose: String) -> [HMACKey] {
        keys.map { HMACKey($0.derived("mac " + purpose)) }
    }
}

/// The clear part in front of bytes that a server key sealed: format version, length of the key id, key id.
struct ServerKeyHeader {
    private static let version: UInt8 = 1
    private static let fixedCount = 2
    /// What follows a header at least: the nonce and the tag.
    private static let leastSealedCount = 12 + 16

    let bytes: [UInt8]

    /// The id of the key that sealed these bytes, by their clear part; nil for what no server key can have sealed.
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

    /// Finds the place in a list of headers whose key sealed these bytes.
    static func match(_ sealed: [UInt8], _ headers: [ServerKeyHeader]) throws(SealError) -> Int {
        guard let version = sealed.first else { throw .notAuthentic }
        guard version == Self.version else { throw .unsupportedVersion(version) }
        if let place = headers.firstIndex(where: { sealed.starts(with: $0.bytes) }) { return place }
        throw keyID(sealed) == nil ? .notAuthentic : .unknownKey
    }
}
