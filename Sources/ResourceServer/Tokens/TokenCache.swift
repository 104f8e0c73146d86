internal import Basics
internal import Cryptography

/// The digest of a token: caches never hold the token itself.
struct TokenDigest: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ token: [UInt8]) {
        words = Digest.hash(token).withUnsafeBytes { bytes in
            func word(_ place: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self) }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// The places of a digest in tables are as random as the digest itself.
    var shard: Int { Int(words.3 >> 56) }

    static func == (left: TokenDigest, right: TokenDigest) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
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
