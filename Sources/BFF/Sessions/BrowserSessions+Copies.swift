import Basics
import Logs
import Sessions
import StorageKit

/// Reads that a copy of the records may answer; see `SessionCopies`.
///
/// A copy answers `user` and calls to APIs while nothing is due. Everything that writes begins with the store.
extension BrowserSessions {
    /// Like `open(_:_:for:)`, and keeps what the store replied where the strategy allows copies.
    func open(
        _ context: CallContext, _ fields: [String], keeping strategy: StorageStrategy?
    ) async throws(BFFError) -> OpenedSession? {
        guard strategy != nil else { return try await open(context, fields) }
        let mark = records.store.beginCopy(context.cookies)
        let session: OpenedSession?
        do {
            session = try await open(context, fields)
        } catch {
            // rule: a cookie that the store calls replaced has no copy
            if !error.isStoreAway { records.store.dropCopies(context.cookies) }
            throw error
        }
        records.store.keepCopy(session, fields, context.cookies, mark)
        if records.store.copies.note(isAway: false) {
            environment.logger.info("The store answers again: reads need no copies")
        }
        return session
    }

    /// The session of the sign-in cookie as it was read from the store before.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - fields: The fields to read.
    ///   - strategy: The rule; nil for none.
    ///   - isStoreAway: True if the store was asked and did not answer.
    /// - Returns: Nil without a copy that the strategy lets count.
    func copy(
        _ context: CallContext, _ fields: [String], _ strategy: StorageStrategy?, isStoreAway: Bool
    ) -> OpenedSession? {
        guard let strategy else { return nil }
        // rule: a store that answers is asked
        guard isStoreAway || strategy.strategy == .cache else { return nil }
        return records.store.openCopy(context.cookies, fields, maxAge: strategy.maxAge)
    }

    /// Logs, once for each outage, that copies answer.
    func noteOutage() {
        guard records.store.copies.note(isAway: true) else { return }
        environment.logger.warning("The store does not answer: copies of records answer reads")
    }
}

extension BFFError {
    /// True if the store did not answer.
    var isStoreAway: Bool {
        if case .storeUnavailable = self { true } else { false }
    }
}
