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

    /// Whether there is a ticket that these writes made: its name comes once, so they took effect, whatever was written since.
    func holdsNewTicket(_ writes: [FieldWrite]) -> Bool {
        writes.contains { $0.expected == .absent && SessionCredential.isTicket($0.field) && self[$0.field] != nil }
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
