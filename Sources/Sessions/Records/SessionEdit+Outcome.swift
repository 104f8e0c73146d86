package import Basics
import Cryptography
import StorageKit

extension SessionSnapshot {
    /// True if these writes took effect, for a commit that the store did not confirm.
    ///
    /// They did if the sent bytes are stored under a revision other than the one they were to replace. They also did if
    /// a ticket or mark that they created exists, whatever was written since, because its name is used only once. If
    /// one write took effect, all did.
    func holds(_ writes: [FieldWrite]) -> Bool {
        writes.contains { write in
            // Every request that moves a ticket writes the same bytes, and so does one that writes what was ended
            // without the cookie, so the bytes do not identify this commit.
            guard case .set(let value, _) = write.change, let stored = self[write.field],
                // rule: bytes that every commit writes tell of none
                !SessionCredential.isUndone(write.field) && write.field != EndedParts.field
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

    /// True if these writes can no longer take effect, because a record that they were made from has changed.
    ///
    /// A revision is never used twice.
    func excludes(_ writes: [FieldWrite]) -> Bool {
        writes.contains { write in
            guard case .revision(let expected) = write.expected else { return false }
            return self[write.field]?.revision != expected
        }
    }
}

extension SessionEdit {
    fileprivate static let markPrefix = "sent/"
    /// The longest outage of the store after which it can still be told whether a commit took effect.
    private static let markLifetime = Duration.seconds(600)

    /// Writes a mark that identifies the commit if its response is lost, even after its other writes were overwritten.
    ///
    /// It is for edits that create no ticket and bring tokens or a provider session that would have to be ended at a
    /// provider.
    package mutating func mark(at now: Timestamp) {
        leave(Self.markPrefix + Base64URL.encode(SecureRandom.bytes(12)), expires: now + Self.markLifetime)
    }

    /// Writes a field whose mere presence is the information; its random bytes tell this write from others.
    package mutating func leave(_ field: String, expires: Timestamp? = nil) {
        setRaw(field, SecureRandom.publicBytes(8), expires: expires)
    }
}
