internal import Cryptography

/// The name of a session in the store: SHA-256 of the tag in its cookie.
///
/// A dump of the store therefore holds no tag, and a key cannot be converted back into a cookie.
public struct SessionKey: Hashable, Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32

    // Stored as four words instead of an array: no allocation per key in a table of a million sessions.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Makes the key of the session that a tag names.
    ///
    /// - Parameter tag: The tag of the cookie, of any length.
    public init(tag: [UInt8]) {
        self = tag.withUnsafeBytes { SessionKey(tag: $0) }
    }

    /// Makes the key for a tag given as borrowed bytes.
    init(tag: UnsafeRawBufferPointer) {
        self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { digest in
            Digest.sha256(tag, into: digest)
            return SessionKey(digest: UnsafeRawBufferPointer(digest))
        }
    }

    /// Makes a key from its bytes, for back ends that read it from storage.
    ///
    /// - Returns: Nil unless the array has exactly 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withUnsafeBytes { SessionKey(digest: $0) }
    }

    private init(digest: UnsafeRawBufferPointer) {
        first = digest.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        second = digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        third = digest.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        fourth = digest.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    }

    /// The 32 bytes of the key.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            write(to: UnsafeMutableRawBufferPointer(buffer))
            count = Self.byteCount
        }
    }

    /// Writes the 32 bytes of the key to the start of a buffer.
    func write(to out: UnsafeMutableRawBufferPointer) {
        out.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
        out.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
        out.storeBytes(of: third, toByteOffset: 16, as: UInt64.self)
        out.storeBytes(of: fourth, toByteOffset: 24, as: UInt64.self)
    }

    /// Feeds one word to the hasher: a digest is evenly distributed already, and no attacker can choose digests.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }

    /// A number below 65,536, spread evenly over all keys; taken from a word that does not feed the hasher.
    var shard: Int { Int(truncatingIfNeeded: fourth & 0xFFFF) }
}

extension SessionKey: CustomStringConvertible {
    /// The first four bytes in hexadecimal: enough to follow a session through a log, not enough to identify it.
    public var description: String {
        bytes.prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
