import Basics
import StorageKit
import TestSupport
import Testing

@testable import Sessions

@Suite("The cookies of a request")
struct CookieOpeningTests {
    private let bench: SessionBench

    init() throws { bench = try SessionBench() }

    private func open(
        _ cookie: SessionCredential?, start: SessionCredential? = nil, for use: CookieUse = .works,
        began: ContinuousClock.Instant = .now
    ) async throws -> CookieOpening {
        let cookies = SessionCookies(session: cookie?.cookieValue, start: start?.cookieValue, began: began)
        return try await bench.store.open(cookies, [MetaRecord.field], for: use)
    }

    private func opened(_ opening: CookieOpening) throws -> OpenedSession {
        guard case .opened(let session) = opening else { throw Unexpected(opening: opening) }
        return session
    }

    private struct Unexpected: Error {
        let opening: CookieOpening
    }

    @Test func `open their session, and nothing with another secret or without a cookie`() async throws {
        let session = try await bench.session()
        #expect(try opened(try await open(session.credential)).key == session.key)
        guard case .absent = try await open(session.credential.withNewSecret()), case .absent = try await open(nil)
        else {
            Issue.record("a session was opened")
            return
        }
    }

    @Test func `open a session without a sign-in as a start cookie, and no other`() async throws {
        let anonymous = try await bench.session(isSignedIn: false)
        let signedIn = try await bench.session()
        #expect(try opened(try await open(nil, start: anonymous.credential)).key == anonymous.key)
        #expect(try opened(try await open(signedIn.credential, start: anonymous.credential)).key == signedIn.key)
        guard case .absent = try await open(nil, start: signedIn.credential) else {
            Issue.record("a start cookie opened a signed-in session")
            return
        }
    }

    @Test func `have a rotation confirmed before the new cookie acts`() async throws {
        let session = try await bench.session()
        let (credential, id) = try await bench.rotate(session)
        guard case .confirms(let new, id) = try await open(credential) else {
            Issue.record("the new cookie acts unconfirmed")
            return
        }
        var edit = SessionEdit(try await bench.open(new.credential))
        _ = try bench.store.confirm(id, try await bench.open(credential), &edit)
        try await bench.store.commit(edit)
        #expect(try opened(try await open(credential)).claims.rotation == nil)
        bench.time.advance(by: .seconds(10))
        #expect(try await !isLive(session.credential))
    }

    @Test func `read for ten seconds after they were replaced, and then have the rotation reverted`() async throws {
        let session = try await bench.session()
        let began = ContinuousClock.now
        let (_, id) = try await bench.rotate(session)
        #expect(try opened(try await open(session.credential)).meta?.tokens.map(\.subject) == ["first"])
        bench.time.advance(by: .seconds(10))
        // A request that began before the rotation shows nothing about the browser's new cookie.
        guard case .changed = try await open(session.credential, began: began - .seconds(60)) else {
            Issue.record("a request that began before the rotation was not sent back")
            return
        }
        guard case .reverts(_, id) = try await open(session.credential) else {
            Issue.record("the rotation was not reverted")
            return
        }
    }

    @Test func `have the rotation reverted at once by a logout of the whole session`() async throws {
        let session = try await bench.session()
        let (_, id) = try await bench.rotate(session)
        guard case .reverts(_, id) = try await open(session.credential, for: .endsSession) else {
            Issue.record("the rotation was not reverted")
            return
        }
        #expect(try await isLive(session.credential, for: .endsPart))
    }

    @Test func `are signed in if they are the newest of a session with a sign-in`() async throws {
        let session = try await bench.session()
        let anonymous = try await bench.session(isSignedIn: false)
        #expect(await bench.store.isSignedIn(session.credential.cookieValue))
        #expect(await !bench.store.isSignedIn(anonymous.credential.cookieValue))
        #expect(await !bench.store.isSignedIn(session.credential.withNewSecret().cookieValue))
        #expect(await !bench.store.isSignedIn(nil))
    }

    /// True if the cookie opens a session that is more than the answer that carried the newer cookie.
    private func isLive(_ credential: SessionCredential, for use: CookieUse = .works) async throws -> Bool {
        guard case .opened(let session) = try await open(credential, for: use) else { return false }
        return session.claims.status(at: bench.time.now()) != .replayOnly
    }
}
