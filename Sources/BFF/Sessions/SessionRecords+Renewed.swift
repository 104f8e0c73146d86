import StorageKit

extension SessionRecords {
    /// Keeps what a provider has made new of a provider session, although nothing else came of asking it.
    ///
    /// Where another has taken the place of the one that was asked with, it is of no use. A store that fails is not worth more
    /// than the session: the next sign-in makes another.
    ///
    /// - Parameters:
    ///   - renewed: The provider session as it is now.
    ///   - before: As it was.
    ///   - field: Where it is kept.
    ///   - session: The browser session.
    func keep(_ renewed: [UInt8]?, of before: [UInt8]?, in field: String, _ session: OpenedSession?) async {
        guard let renewed, let before, let session, renewed != before else { return }
        try? await edit(session) { fresh, edit throws(EditError) in
            if fresh.record(field) == before { try edit.put(field, renewed) }
        }
    }
}
