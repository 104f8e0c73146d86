import Basics
import Cryptography
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// What somebody can do who can write to the store, or has a copy of it and of the server's key.
@Suite("A store in the wrong hands")
struct TamperTests {
    /// Every way to spoil a sealed value.
    private static let damages: [(String, @Sendable ([UInt8]) -> [UInt8])] = [
        ("emptied", { _ in [] }),
        ("cut by one", { Array($0.dropLast()) }),
        ("cut to the header", { Array($0.prefix(5)) }),
        ("longer", { $0 + [0] }),
        ("first bit", { [$0[0] ^ 1] + $0.dropFirst() }),
        ("last bit", { $0.dropLast() + [$0[$0.count - 1] ^ 0x80] }),
        (
            "middle bit",
            { bytes in
                var bytes = bytes
                bytes[bytes.count / 2] ^= 4
                return bytes
            }
        ),
        ("zeros", { [UInt8](repeating: 0, count: $0.count) }),
        ("noise", { SecureRandom.bytes($0.count) }),
    ]

    private func fields(_ browser: Browser, _ fixture: Fixture) async throws -> [SessionSnapshot.Entry] {
        try await fixture.store.inner.read(try browser.sessionKey(), .all).entries
    }

    private func put(_ browser: Browser, _ fixture: Fixture, _ field: String, _ value: [UInt8]) async throws {
        try await fixture.store.inner.commit(try browser.sessionKey(), .update(writes: [.set(field, value)]))
    }

    @Test("a damaged record is absent, with an alarm, and never a crash", arguments: 0..<9, StoreKind.allCases)
    func damaged(number: Int, kind: StoreKind) async throws {
        let damage = Self.damages[number].1
        let fixture = try Fixture(kind)
        var names = Set<String>()
        for round in 0..<8 {
            let browser = try await fixture.signedIn()
            // The ticket from before the sign-in goes, and the answer that was kept.
            fixture.time.advance(by: .seconds(60))
            let page = try await browser.start { $0.forceAuth = true }
            let all = try await fields(browser, fixture).sorted { $0.name < $1.name }.filter { $0.name != "new" }
            guard round < all.count else { break }
            let entry = all[round]
            names.insert(String(entry.name.prefix { $0 != "/" && $0 != ":" }))
            try await put(browser, fixture, entry.name, damage(entry.field.value))
            let alarms = fixture.log.lines.count { $0.contains("does not open") }
            // Whatever it was, every operation ends with an answer or an error of ours.
            fixture.time.advance(by: .seconds(180))
            for _ in 0..<2 {
                // The only one that reads what the sign-in proved; it would put new tokens in the place of damaged ones.
                if entry.name.hasPrefix("proof") { _ = try? await browser.start() }
                _ = try? await browser.session()
                _ = try? await browser.user()
                _ = try? await browser.user(refresh: true)
                _ = try? await browser.refreshToken()
                _ = try? await browser.flow(page)
                _ = try? await browser.next(try Browser.login(page))
            }
            if !entry.name.hasPrefix("session") {
                #expect(fixture.log.lines.count { $0.contains("does not open") } > alarms, "\(entry.name)")
            }
            try await browser.signIn("demo", "admin")
            #expect(try await browser.user("admin")["subject"] == "demo")
            try await browser.logoutAll()
            #expect(browser.cookie == nil)
        }
        #expect(names.isSuperset(of: ["flow", "meta", "proof", "session", "ticket", "token", "user"]))
    }

    @Test("a record in another place is absent", arguments: StoreKind.allCases)
    func swapped(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn("demo", "standard")
        try await browser.signIn("bob", "standard:bob")
        let other = try await fixture.signedIn("alice")
        let mine = Dictionary(
            uniqueKeysWithValues: try await fields(browser, fixture).map { ($0.name, $0.field.value) })
        let theirs = Dictionary(
            uniqueKeysWithValues: try await fields(other, fixture).map { ($0.name, $0.field.value) })
        let user = "user/journey/s/"
        // Bob's record in the place of the default account's, in the same session.
        try await put(browser, fixture, user, try #require(mine["user/journey/s/bob"]))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        // Another session's record, in its own place.
        try await put(browser, fixture, user, try #require(theirs[user]))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        // A record of another purpose.
        try await put(browser, fixture, user, try #require(mine["token/journey/s/"]))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        try await put(browser, fixture, user, try #require(mine[user]))
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.log.lines.count { $0.contains("error") && $0.contains("record=user") } == 3)
    }

    @Test("another session's ticket opens nothing", arguments: StoreKind.allCases)
    func ticket(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let victim = try await fixture.signedIn("demo")
        let attacker = try await fixture.signedIn("mallory")
        fixture.time.advance(by: .seconds(30))
        let ticket = try #require(try await fields(attacker, fixture).first { $0.name.hasPrefix("ticket:") })
        // The attacker's ticket put into the victim's session, with a cookie of the victim's tag and his own secret.
        try await put(victim, fixture, ticket.name, ticket.field.value)
        let forged = fixture.browser()
        forged.cookie =
            String(try #require(victim.cookie).prefix(23)) + String(try #require(attacker.cookie).suffix(43))
        await #expect(throws: BFFError.signedOut) { try await forged.user() }
        #expect(fixture.log.lines.contains { $0.contains("record=ticket") })
    }

    @Test("a copy and the server's key open nothing without a cookie", arguments: StoreKind.allCases)
    func dump(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        _ = try await browser.start { $0.forceAuth = true }
        let key = try browser.sessionKey()
        let dump = try await fields(browser, fixture)
        let keys = try ServerKeys([fixture.key])
        let sealer = TicketSealer(keys)
        let tickets = dump.filter { $0.name.hasPrefix("ticket:") }
        #expect(!tickets.isEmpty && dump.count >= 7)
        for ticket in tickets {
            // The field's name is a digest of the secret: neither it nor anything else at hand is the secret.
            let guesses =
                [Digest.hash(Array(ticket.name.utf8)), key.bytes, [UInt8](repeating: 0, count: 32)]
                + (Base64URL.decode(String(ticket.name.dropFirst(7))).map { [$0] } ?? [])
                + dump.map { Array($0.field.value.suffix(32)) }
            for guess in guesses where guess.count == 32 {
                let credential = SessionCredential.generate().with(secret: guess)
                #expect(throws: SealError.self) { try sealer.open(ticket.field.value, for: credential) }
            }
        }
        for entry in dump {
            for purpose in ["revocation", "ticket", "record", "session"] {
                let server = ServerSealer(keys, purpose: purpose)
                #expect(throws: SealError.self) { try server.open(entry.field.value) }
                #expect(throws: SealError.self) { try server.open(entry.field.value, context: Array(entry.name.utf8)) }
            }
            #expect(throws: SealError.self) {
                try DataKey.generate().decrypt(
                    entry.field.value, at: RecordAddress(session: key, field: entry.name))
            }
        }
        // Nothing lies there in the clear.
        for entry in dump where entry.name != AnonymousSessions.marker {
            let text = String(decoding: entry.field.value, as: UTF8.self)
            for word in [FakeProvider.canary, "demo", "openid", FakeProvider.password, "provider.example.com"] {
                #expect(!text.contains(word), "\(entry.name)")
            }
        }
    }

    @Test("what waits to be revoked is all that the server's key opens by itself", arguments: StoreKind.allCases)
    func queue(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.isDown = true
        try await browser.logoutAll()
        var found = 0
        for number in 0..<32 {
            let hash = SessionKey(tag: Array("cloakroom revocations \(number)".utf8))
            for entry in try await fixture.store.inner.read(hash, .all).entries {
                found += 1
                #expect(!String(decoding: entry.field.value, as: UTF8.self).contains(FakeProvider.canary))
            }
        }
        #expect(found == 2)
    }
}

@Suite("A change of the server's key")
struct KeyTests {
    @Test("signs nobody out, and the old one can go once tickets were used", arguments: StoreKind.allCases)
    func rotation(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let newest = try ServerKey(id: "k2", key: SecureRandom.bytes(32))
        let browser = try await fixture.signedIn()
        let unused = try await fixture.signedIn("alice")
        let both = try fixture.another(keys: [newest, fixture.key])
        let onlyNew = try fixture.another(keys: [newest])
        let unavailable = BFFError.storeUnavailable(retryAfter: .seconds(5))
        await #expect(throws: unavailable) { try await browser.at(onlyNew).user() }
        #expect(try await browser.at(both).user()["subject"] == "demo")
        #expect(try await browser.at(onlyNew).user()["subject"] == "demo")
        await #expect(throws: unavailable) { try await unused.at(onlyNew).user() }
        // What was not used under both is not lost either while the old key is there.
        #expect(try await unused.at(both).user()["subject"] == "alice")
        // A node that does not have the new key yet cannot open what was wrapped anew; it says so and changes nothing.
        await #expect(throws: unavailable) { try await browser.user() }
        #expect(try await browser.at(both).user()["subject"] == "demo")
    }

    @Test("re-wraps at whatever comes first", arguments: 0..<5)
    func anyOperation(number: Int) async throws {
        let fixture = try Fixture()
        let newest = try ServerKey(id: "k2", key: SecureRandom.bytes(32))
        let browser = try await fixture.signedIn()
        let page = try await browser.start { $0.forceAuth = true }
        let both = browser.at(try fixture.another(keys: [newest, fixture.key]))
        switch number {
        case 0: _ = try await both.session()
        case 1: _ = try await both.flow(page)
        case 2: try await both.start { $0.forceAuth = true }
        case 3: try await both.next(try Browser.login(page))
        default: try await both.logout("admin")
        }
        let onlyNew = both.at(try fixture.another(keys: [newest]))
        #expect(try await onlyNew.user()["subject"] == "demo")
    }

    @Test("does not lengthen the life of a cookie that was replaced", arguments: StoreKind.allCases)
    func superseded(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let newest = try ServerKey(id: "k2", key: SecureRandom.bytes(32))
        let browser = try await fixture.signedIn()
        let old = Browser(try fixture.another(keys: [newest, fixture.key]), cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        #expect(try await old.user()["subject"] == "demo")
        #expect(try await browser.user()["subject"] == "demo")
        fixture.time.advance(by: .seconds(30))
        let tickets = try await fixture.store.inner.read(try browser.sessionKey(), .all).entries
            .filter { $0.name.hasPrefix("ticket:") }
        #expect(tickets.count == 1)
        await #expect(throws: BFFError.signedOut) { try await old.user() }
    }
}
