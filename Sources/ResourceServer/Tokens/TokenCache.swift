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

    /// The shard of the digest in the cache; evenly distributed, because a digest is as good as random.
    var shard: Int { Int(words[3] >> 56) }

    func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}

/// A bounded cache by token digest, in shards, so that look-ups hardly wait for each other.
///
/// Two generations: a full young generation replaces the old one, so that no look-up or insertion ever scans.
final class TokenCache<Value: Sendable>: Sendable {
    private struct Shard {
        var young: [TokenDigest: Value] = [:]
        var old: [TokenDigest: Value] = [:]
    }

    private let shards: [Locked<Shard>]
    private let perGeneration: Int

    /// - Parameter capacity: The approximate maximum number of tokens; zero caches none.
    init(capacity: Int) {
        shards = (0..<16).map { _ in Locked(Shard()) }
        perGeneration = capacity == 0 ? 0 : max(1, capacity / 32)
    }

    /// True if the cache keeps entries; otherwise callers need not compute a digest.
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
