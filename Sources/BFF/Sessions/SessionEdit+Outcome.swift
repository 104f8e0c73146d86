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
}
