import Basics
import Cryptography
import StorageKit

extension SessionSnapshot {
    /// Whether these writes took effect, for a commit that the store did not confirm.
    ///
    /// Every sealing has a nonce of its own, so the same bytes under the same name are the ones that were sent; and all
    /// were written if one was.
    func holds(_ writes: [FieldWrite]) -> Bool {
        writes.contains { write in
            guard case .set(let value, _) = write.change else { return false }
            return self[write.field]?.value == value
        }
    }

    /// Whether there is a ticket or a mark that these writes made: its name comes once, so they took effect, whatever was
    /// written since.
    func holdsNewName(_ writes: [FieldWrite]) -> Bool {
        writes.contains { write in
            let comesOnce = SessionCredential.isTicket(write.field) || write.field.hasPrefix(SessionEdit.markPrefix)
            return write.expected == .absent && comesOnce && self[write.field] != nil
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
    /// For those that make no ticket.
    mutating func mark(at now: Timestamp) {
        setRaw(Self.markPrefix + Base64URL.encode(SecureRandom.bytes(12)), [1], expires: now + Self.markLifetime)
    }
}
