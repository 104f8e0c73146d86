import Basics
import Cryptography
import StorageKit
import TestSupport
import Testing

@testable import Sessions

@Suite("A session that is bound to a device")
struct DeviceTests {
    /// A bench whose session is bound, and a device cookie of it.
    private func bound(_ life: Duration? = .seconds(300)) async throws -> (SessionBench, OpenedSession, String) {
        let bench = try SessionBench(deviceCookie: life)
        let session = try await bench.session()
        var edit = SessionEdit(session)
        try bench.store.tickets.bind(session, &edit)
        try await bench.store.commit(edit)
        let fresh = try await bench.open(session.credential)
        return (bench, fresh, bench.store.deviceCookie(of: fresh, for: .seconds(300)))
    }

    private func open(
        _ bench: SessionBench, _ session: OpenedSession, _ device: SentDeviceProof, for use: CookieUse = .works
    ) async throws -> CookieOpening {
        let cookies = SessionCookies(
            session: session.credential.cookieValue, start: nil, device: device, began: .now)
        return try await bench.store.open(cookies, [], for: use)
    }

    private func isUnproven(_ opening: CookieOpening) -> Bool { if case .unproven = opening { true } else { false } }

    private func isOpened(_ opening: CookieOpening) -> Bool { if case .opened = opening { true } else { false } }

    @Test("is opened with its device cookie, and for a sign-out or a proof without one")
    func opened() async throws {
        let (bench, session, cookie) = try await bound()
        #expect(isOpened(try await open(bench, session, SentDeviceProof(cookie: cookie))))
        for use in [CookieUse.works, .answers] {
            #expect(isUnproven(try await open(bench, session, SentDeviceProof(), for: use)))
        }
        for use in [CookieUse.endsPart, .endsSession, .provesDevice] {
            #expect(isOpened(try await open(bench, session, SentDeviceProof(), for: use)))
        }
        bench.time.advance(by: .seconds(311))
        #expect(isUnproven(try await open(bench, session, SentDeviceProof(cookie: cookie))))
    }

    @Test("is opened at once with its device cookie alone")
    func atOnce() async throws {
        let (bench, session, cookie) = try await bound()
        let now = bench.time.now()
        let value = session.credential.cookieValue
        func opening(_ device: SentDeviceProof) throws -> SessionStore.Opening {
            try bench.store.openAtOnce(value, MetaRecord.field, device: device, at: now)
        }
        guard case .opened = try opening(SentDeviceProof(cookie: cookie)), case .waits = try opening(SentDeviceProof())
        else {
            Issue.record("opened without the proof, or not with it")
            return
        }
    }

    @Test("is opened as any other where sessions are not bound any more")
    func switchedOff() async throws {
        let (bench, session, _) = try await bound(nil)
        #expect(isOpened(try await open(bench, session, SentDeviceProof())))
    }

    @Test("stays bound under its next cookie, and under the former one after a revert")
    func rotated() async throws {
        let (bench, session, _) = try await bound()
        let (credential, id) = try await bench.rotate(session)
        #expect(try await bench.open(credential).claims.isBound)
        let former = try await bench.open(session.credential)
        #expect(former.claims.isBound)
        var edit = SessionEdit(former)
        _ = try bench.store.revert(id, former, &edit)
        try await bench.store.commit(edit)
        #expect(try await bench.open(session.credential).claims.isBound)
    }

    @Test("has a ticket with a mark, and any other session the ticket of servers that bind none")
    func ticket() throws {
        var claims = TicketClaims(
            status: .current, epoch: 3, isSignedIn: true, absoluteEnd: Timestamp(seconds: 9), rotation: nil)
        let plain = claims.encoded
        #expect(plain[1] == 0)
        claims.isBound = true
        #expect(claims.encoded[1] == 16)
        #expect(Array(claims.encoded.dropFirst(2)) == Array(plain.dropFirst(2)))
        #expect(try TicketClaims(decoding: claims.encoded) == claims)
        claims.status = .replayOnly
        #expect(try TicketClaims(decoding: claims.encoded) == claims)
    }

    @Test("gets a key for its device cookies that no other session and no other purpose has")
    func keys() {
        let (one, two) = (DataKey.generate(), DataKey.generate())
        let macs = [
            one.authenticationKey(for: "a"), one.authenticationKey(for: "b"), two.authenticationKey(for: "a"),
        ].map { $0.authenticate([1]) }
        #expect(Set(macs).count == 3)
        #expect(one.authenticationKey(for: "a").authenticate([1]) == macs[0])
    }
}

@Suite("A challenge for a device")
struct DeviceChallengeTests {
    private let now = Timestamp(seconds: 1_800_000_000)
    private let session = SessionKey(tag: [1, 2, 3])

    private func challenges(_ ids: String..., sharing keys: [String: ServerKey] = [:]) throws -> DeviceChallenges {
        DeviceChallenges(
            try ServerKeys(try ids.map { try keys[$0] ?? ServerKey(id: $0, key: SecureRandom.bytes(32)) }))
    }

    @Test("is for its purpose, session and time")
    func whole() throws {
        let challenges = try challenges("k1")
        let challenge = challenges.make(.registration, session, at: now)
        func isValid(
            _ text: String, _ purpose: DeviceChallenges.Purpose = .registration, _ key: SessionKey? = nil,
            after seconds: Int64 = 0
        ) -> Bool {
            challenges.isValid(
                text, for: purpose, key ?? session, life: .seconds(60), at: now + .seconds(seconds))
        }
        #expect(isValid(challenge) && isValid(challenge, after: 59) && isValid(challenge, after: -10))
        #expect(!isValid(challenge, after: 60) && !isValid(challenge, after: -11))
        #expect(!isValid(challenge, .refresh) && !isValid(challenge, .registration, SessionKey(tag: [1, 2, 4])))
        let parts = challenge.split(separator: ".")
        for bad in ["", ".", "\(parts[0])", challenge + ".", "\(now.seconds + 1).\(parts[1])", "+" + challenge] {
            #expect(!isValid(bad), "\(bad)")
        }
    }

    @Test("is known under any of the server keys, whichever made it")
    func rotation() throws {
        let keys = try Dictionary(
            uniqueKeysWithValues: ["k1", "k2"].map { ($0, try ServerKey(id: $0, key: SecureRandom.bytes(32))) })
        let (old, new) = (try challenges("k1", "k2", sharing: keys), try challenges("k2", "k1", sharing: keys))
        for (maker, judge) in [(old, new), (new, old)] {
            let challenge = maker.make(.refresh, session, at: now)
            #expect(judge.isValid(challenge, for: .refresh, session, life: .seconds(60), at: now))
        }
        let alone = try challenges("k2", sharing: keys)
        #expect(
            !alone.isValid(
                old.make(.refresh, session, at: now), for: .refresh, session, life: .seconds(60), at: now))
    }
}
