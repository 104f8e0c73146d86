import Basics
import Sessions
import StorageKit

/// The records of browser sessions for the use cases: `SessionStore`, with its errors restated for their callers.
final class SessionRecords: Sendable {
    let environment: Environment
    let store: SessionStore

    init(_ environment: Environment, _ keys: ServerKeys) {
        self.environment = environment
        store = SessionStore(
            environment.store, keys: keys, encryptor: environment.encryptor, times: environment.settings.sessionTimes,
            time: environment.time, known: environment.work.sessions, logger: environment.logger)
    }

    /// Opens a session with a credential: see `SessionStore.open(_:_:signsOut:)`.
    ///
    /// - Throws: `.storeUnavailable`.
    func open(
        _ credential: SessionCredential, _ fields: FieldSelection, signsOut: Bool = false
    ) async throws(BFFError) -> OpenedSession? {
        do { return try await store.open(credential, fields, signsOut: signsOut) } catch { throw BFFError(error) }
    }

    /// Opens the session of a cookie if that needs no waiting.
    ///
    /// - Throws: `.storeUnavailable`.
    func openAtOnce(
        _ cookie: String?, _ field: String, device: SentDeviceProof = SentDeviceProof(), at now: Timestamp
    ) throws(BFFError) -> SessionStore.Opening {
        do { return try store.openAtOnce(cookie, field, device: device, at: now) } catch { throw BFFError(error) }
    }

    /// Reads the whole session again, as after a conflict.
    ///
    /// - Throws: `.signedOut` if the session has ended meanwhile; `.storeUnavailable`.
    func reopen(_ session: OpenedSession) async throws(BFFError) -> OpenedSession {
        do { return try await store.reopen(session) } catch { throw BFFError(error) }
    }

    /// True if a session does not exist any more, because a request ended it or its time was over.
    ///
    /// - Throws: `.storeUnavailable`.
    func isGone(_ key: SessionKey) async throws(BFFError) -> Bool {
        do { return try await store.isGone(key) } catch { throw BFFError(error) }
    }

    /// Reads other records of an open session.
    ///
    /// - Throws: `.storeUnavailable`.
    func read(_ fields: [String], of session: OpenedSession) async throws(BFFError) -> OpenedSession {
        do { return try await store.read(fields, of: session) } catch { throw BFFError(error) }
    }
}

extension BFFSettings {
    /// The life times of sessions and of replaced cookies.
    var sessionTimes: SessionTimes {
        SessionTimes(
            idle: idle, absolute: absolute, anonymous: anonymous, supersededTicket: supersededTicket,
            replayTicket: replayTicket, storeRetries: storeRetries,
            deviceCookie: deviceCookie)
    }
}
