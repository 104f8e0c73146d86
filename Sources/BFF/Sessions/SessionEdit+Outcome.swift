import Basics
import Cryptography
import StorageKit

extension SessionSnapshot {
    /// Whether these writes took effect, for a commit that the store did not confirm.
    ///
    /// The bytes that were sent are there, under another revision than the one they were to replace; or there is a ticket or a
    /// mark that they made, whatever was written since, because its name comes once. All were written if one was.
    func holds(_ writes: [FieldWrite]) -> Bool {
        writes.contains { write in
            // Of a ticket that was moved anybody makes the same bytes.
            guard case .set(let value, _) = write.change, let stored = self[write.field],
                !SessionCredential.isUndone(write.field)
            else { return false }
            switch write.expected {
            case .any: return stored.value == value
            case .revision(let replaced): return stored.revision != replaced && stored.value == value
            case .absent:
                let comesOnce =
                    SessionCredential.isTicket(write.field) || write.field.hasPrefix(SessionEdit.markPrefix)
                return comesOnce || stored.value == value
            }
        }
    }

    /// Whether these writes cannot take effect any more, because what they were made from has changed: a revision never
    /// comes twice.
    func excludes(_ writes: [FieldWrite]) -> Bool {
        writes.contains { write in
            guard case .revision(let expected) = write.expected else { return false }
            return self[write.field]?.revision != expected
        }
    }
}

extension SessionEdit {
    fileprivate static let markPrefix = "sent/"
    /// How long the store may be away until nobody can tell any more whether a commit took effect.
    private static let markLifetime = Duration.seconds(600)

    /// Leaves a mark by which the commit is recognised when its answer is lost, although what it wrote has been overwritten.
    ///
    /// For those that make no ticket and bring what would be ended at a provider.
    mutating func mark(at now: Timestamp) {
        leave(Self.markPrefix + Base64URL.encode(SecureRandom.bytes(12)), expires: now + Self.markLifetime)
    }

    /// Leaves a field that says something by being there; by its bytes this write is told from others.
    mutating func leave(_ field: String, expires: Timestamp? = nil) {
        setRaw(field, SecureRandom.bytes(8), expires: expires)
    }
}
