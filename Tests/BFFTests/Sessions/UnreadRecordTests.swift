import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// What becomes of records that are there and not read.
@Suite("A record that is not read")
struct UnreadRecordTests {
    /// A field and whether a session has nothing to read in it.
    private static let fields: [(name: String, isAbsent: @Sendable (OpenedSession) -> Bool)] = [
        ("meta", { $0.meta == nil }), ("user/journey/s/", { $0.user("user/journey/s/") == nil }),
        ("token/journey/s/", { $0.tokens("token/journey/s/") == nil }),
        ("guard", { $0.stepUpAttempts == StepUpAttempts() }),
        (StepUpChallenge.field("c_AAAAAAAAAAAAAAAAAAAAAA"), { $0.challenge("c_AAAAAAAAAAAAAAAAAAAAAA") == nil }),
        ("change/c", { $0.rotation("c") == nil }),
        (FlowRecord.field("f_AAAAAAAAAAAAAAAAAAAAAA"), { $0.flow("f_AAAAAAAAAAAAAAAAAAAAAA") == nil }),
        (
            "proof/journey/s/",
            { session in
                let proof: ProofRecord? = session.decoded("proof/journey/s/")
                return proof == nil
            }
        ),
    ]

    @Test(
        "is absent: with an alarm when it is malformed or of a later version, without when it is of an earlier one",
        arguments: 0..<8, [([1], true), ([], true), ([255, 1], true), ([0, 1], false)] as [([UInt8], Bool)])
    func absent(number: Int, record: (bytes: [UInt8], alarms: Bool)) async throws {
        let (name, isAbsent) = Self.fields[number]
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let session = try #require(try await fixture.backend.sessions.open(browser.context(), [name]))
        // The version itself, where that is not 1.
        let row = RecordRow.all.first { $0.name == Self.types[number] }
        let bytes = record.bytes == [1] ? [try #require(row).versions.upperBound] : record.bytes
        let sealed = try session.seal.dataKey.encrypt(bytes, at: RecordAddress(session: session.key, field: name))
        let entry = SessionSnapshot.Entry(name: name, field: StoredField(value: sealed, revision: 1))
        #expect(isAbsent(session.with(SessionSnapshot(exists: true, entries: [entry], expires: nil))))
        #expect(fixture.log.lines.contains { $0.contains("does not open") } == record.alarms)
    }

    private static let types = [
        "MetaRecord", "UserRecord", "TokenSet", "StepUpAttempts", "StepUpChallenge", "RotationRecord", "FlowRecord",
        "ProofRecord",
    ]

    /// Writes a record of a later version, sealed as the server seals it.
    private func spoil(_ field: String, _ browser: Browser, _ fixture: Fixture) async throws {
        let session = try #require(try await fixture.backend.sessions.open(browser.context(), [field]))
        let sealed = try session.seal.dataKey.encrypt([255], at: RecordAddress(session: session.key, field: field))
        try await fixture.store.inner.commit(session.key, .update(writes: [.set(field, sealed)]))
    }

    @Test("signs out, or ends the flow, and the next sign-in writes it anew", arguments: StoreKind.allCases)
    func operations(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await browser.start { $0.forceAuth = true }
        try await spoil(FlowRecord.field(try #require(page["flow"]?.string)), browser, fixture)
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
        try await spoil("user/journey/s/", browser, fixture)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        try await browser.signIn()
        #expect(try await browser.user()["subject"] == "demo")
        _ = try await browser.session()
        // The ticket of the cookie.
        let session = try #require(try await fixture.backend.sessions.open(browser.context(), []))
        let ticket = try TicketSealer(try ServerKeys([fixture.key])).seal(
            SessionTicket(dataKey: session.seal.dataKey, claims: [255]), for: session.credential)
        try await fixture.store.inner.commit(
            session.key, .update(writes: [.set(session.credential.ticketField, ticket)]))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(fixture.log.lines.contains { $0.contains("record=ticket") })
    }

    @Test("waits for its program as a job of a later version, and is dropped as a malformed one")
    func jobs() async throws {
        let fixture = try Fixture()
        let sealer = ServerSealer(try ServerKeys([fixture.key]), purpose: "revocation")
        let hash = SessionKey(tag: Array("cloakroom revocations 0".utf8))
        let writes = try [("job/later", [255, 1]), ("job/malformed", [1])].map { name, bytes in
            FieldWrite.set(name, try sealer.seal(bytes, context: Array(name.utf8)))
        }
        try await fixture.store.inner.commit(
            hash, .create(expires: fixture.time.now() + .seconds(60), writes: writes))
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
        #expect(try await fixture.store.inner.read(hash, .all).entries.map(\.name) == ["job/later"])
    }

    @Test("waits as tokens of a later version in the queue; malformed ones do not")
    func revocations() async throws {
        let fixture = try Fixture()
        let revocations = fixture.backend.sessions.revocations
        let later = [255] + RecordSamples.tokens.encoded.dropFirst()
        _ = try await revocations.writeDown([.tokens(later, "standard"), .tokens([2], "standard")])
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(try await revocations.queue.waiting().count == 1)
        #expect(fixture.provider.count(.revoke) == 0)
    }
}
