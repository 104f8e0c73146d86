internal import Basics
internal import Cryptography

/// The digest of a token: caches never hold the token itself.
struct TokenDigest: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    init(_ token: UnsafeRawBufferPointer) {
        words = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            Digest.sha256(token, into: digest)
            return UnsafeRawBufferPointer(digest).loadUnaligned(as: SIMD4<UInt64>.self)
        }
    }

    /// The places of a digest in tables are as random as the digest itself.
    var shard: Int { Int(words[3] >> 56) }

    func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}

/// A bounded cache by token digest, spread over shards so that no look-up waits for another one for long.
///
/// Two generations: when the young one is full the old one is forgotten, so that no look-up or insertion ever scans.
final class TokenCache<Value: Sendable>: Sendable {
    private struct Shard {
        var young: [TokenDigest: Value] = [:]
        var old: [TokenDigest: Value] = [:]
    }

    private let shards: [Locked<Shard>]
    private let perGeneration: Int

    /// - Parameter capacity: About how many tokens are kept at most; zero keeps none.
    init(capacity: Int) {
        shards = (0..<16).map { _ in Locked(Shard()) }
        perGeneration = capacity == 0 ? 0 : max(1, capacity / 32)
    }

    /// Whether anything is kept: otherwise nobody has to make a digest.
    var isInUse: Bool { perGeneration > 0 }

    subscript(digest: TokenDigest) -> Value? {
        guard perGeneration > 0 else { return nil }
        return shards[digest.shard % 16].withLock { shard in
            if let value = shard.young[digest] { return value }
            return shard.old[digest]
        }
    }

    func insert(_ value: Value, for digest: TokenDigest) {
        guard perGeneration > 0 else { return }
        shards[digest.shard % 16].withLock { shard in
            if shard.young.count >= perGeneration {
                shard.old = shard.young
                shard.young = [:]
            }
            shard.young[digest] = value
        }
    }

    func remove(_ digest: TokenDigest) {
        guard perGeneration > 0 else { return }
        shards[digest.shard % 16].withLock { shard in
            shard.young[digest] = nil
            shard.old[digest] = nil
        }
    }
}
