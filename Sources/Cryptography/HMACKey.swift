internal import Basics

/// A key for message authentication by HMAC (RFC 2104, FIPS 198-1).
///
/// The padded key blocks are prepared once and zeroed when the last copy of the key goes.
package struct HMACKey: Sendable {
    /// The hash function.
    package let algorithm: HashAlgorithm
    private let inner: SecretBytes
    private let outer: SecretBytes

    /// Prepares a key of any length; one longer than the hash's block is hashed first, as RFC 2104 says.
    package init(_ key: [UInt8], _ algorithm: HashAlgorithm = .sha256) {
        self.algorithm = algorithm
        var block = key.count > algorithm.blockCount ? Digest.hash(key, algorithm) : key
        block.append(contentsOf: repeatElement(0, count: algorithm.blockCount - block.count))
        for index in block.indices { block[index] ^= 0x36 }
        inner = SecretBytes(block)
        for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
        outer = SecretBytes(block)
        cleanse(&block)
    }

    /// The authentication code of a message.
    ///
    /// - Parameter message: Any number of bytes.
    /// - Returns: As many bytes as the hash has: 32, 48 or 64.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { authenticate($0) }
    }

    /// The authentication code of borrowed bytes.
    package func authenticate(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.digestCount) { out, count in
            authenticate(message, into: out)
            count = algorithm.digestCount
        }
    }

    /// True if a code belongs to a message; compares in constant time, wherever the codes differ.
    package func isValid(_ mac: [UInt8], for message: [UInt8]) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: algorithm.digestCount) { expected in
            message.withUnsafeBytes { authenticate($0, into: expected) }
            return mac.withUnsafeBytes { constantTimeEquals($0, UnsafeRawBufferPointer(expected)) }
        }
    }

    /// Writes the authentication code of borrowed bytes to the start of `out`, for codes that are keys themselves: the
    /// caller cleanses them.
    ///
    /// - Precondition: `out` has room for the hash's bytes.
    package func authenticate(_ message: UnsafeRawBufferPointer, into out: UnsafeMutableBufferPointer<UInt8>) {
        precondition(out.count >= algorithm.digestCount, "no room for the code")
        inner.withUnsafeBytes { Digest.hash(prefix: $0, message, algorithm, into: out) }
        let first = UnsafeRawBufferPointer(start: out.baseAddress, count: algorithm.digestCount)
        outer.withUnsafeBytes { Digest.hash(prefix: $0, first, algorithm, into: out) }
    }
}
