import Basics
import Cryptography
import Sessions
import StorageKit

/// Opens event streams of browser sessions.
package struct SessionEvents: Sendable {
    private let environment: Environment
    private let sessions: BrowserSessions

    init(_ sessions: BrowserSessions) {
        environment = sessions.environment
        self.sessions = sessions
    }

    /// The result of opening a stream.
    package enum Opening: Sendable {
        /// The stream of a session.
        case stream(EventStream)
        /// A client that connects again is told why there is no stream, and nothing else.
        case ended(StreamEnd)
        /// A client that connects again was told already; it is to stop connecting.
        case nothing
    }

    /// Opens a stream with the newest cookie of a signed-in session; other streams of the session end.
    ///
    /// It never extends the session.
    ///
    /// - Parameters:
    ///   - context: The request.
    ///   - lastEventID: The id of the last event that the client got; nil for a client that begins.
    /// - Returns: The stream, or the answer to a client that connects again.
    /// - Throws: For a client that begins: `.signedOut` without a signed-in session; `.sessionChanged` for a cookie that
    ///   was replaced; `.storeUnavailable`.
    package func open(_ context: CallContext, lastEventID: String?) async throws(BFFError) -> Opening {
        // rule: a stream that was replaced does not take the place of the newer one by itself
        if lastEventID == StreamEnd.replaced.eventID { return .nothing }
        do throws(BFFError) {
            return .stream(try await open(context, mark: lastEventID.flatMap { EventMark($0) }))
        } catch {
            guard let lastEventID else { throw error }
            switch error {
            case .signedOut:
                // rule: a client that knows of the end is told to stop
                if lastEventID == StreamEnd.signedOut(nil).eventID { return .nothing }
                return .ended(.signedOut(await EndReasons(sessions.records.store).signedOut(nil, context.cookies)))
            case .sessionChanged: return .ended(.sessionChanged)
            case .deviceProofRequired:
                // The client may be a thief: it is told no more than of a session that is over.
                // rule: a client without the proof of its device is told to stop
                if lastEventID == StreamEnd.signedOut(nil).eventID { return .nothing }
                return .ended(.signedOut(nil))
            // The browser has its reasons to send no proof, and comes again when it can.
            case .storeUnavailable, .deviceProofMissing: return .ended(.unavailable)
            default: throw error
            }
        }
    }

    private func open(_ context: CallContext, mark: EventMark?) async throws(BFFError) -> EventStream {
        guard let session = try await sessions.open(context, [MetaRecord.field], for: .watches) else {
            throw .signedOut
        }
        let status = session.claims.status(at: environment.now())
        // rule: a replaced cookie opens no stream
        if status == .superseded { throw .sessionChanged }
        // rule: a cookie that only collects an answer opens no stream
        guard status == .current else { throw .signedOut }
        // rule: a session without a sign-in has no stream
        guard session.claims.isSignedIn else { throw .signedOut }
        let id = SecureRandom.bytes(12)
        let ends = environment.now() + environment.settings.eventLife + .seconds(60)
        let environment = environment
        try await sessions.records.edit(session) { fresh, edit throws(EditError) in
            // rule: a cookie that is replaced meanwhile opens no stream
            guard fresh.claims.status(at: environment.now()) == .current else { throw .refused(.sessionChanged) }
            try edit.put(EventStream.field, id, expires: ends)
        }
        return EventStream(session, id: id, mark: mark, sessions.records)
    }
}
