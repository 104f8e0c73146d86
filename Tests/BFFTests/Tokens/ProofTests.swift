import BFF
import BFFAPI
import Basics
import JSON
import Logs
import OpenIDConnect
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("What a sign-in proved")
struct ProofTests {
    private func authTime(_ browser: Browser, _ instance: String = "standard") async throws -> Int64? {
        try await browser.user(instance)["token"]?["authTime"]?.int
    }

    @Test("does not get newer or stronger when the session alone renews the tokens", arguments: StoreKind.allCases)
    func silentRenewal(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let signedIn = fixture.time.now().seconds
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(300))
            fixture.provider.forgetGrants()
            fixture.provider.authLevel += 1
            #expect(try await authTime(browser) == signedIn)
            #expect(try await browser.user()["token"]?["authLevel"] == 1)
        }
        #expect(fixture.provider.count(.authorize) == 3)
    }

    @Test("does not get newer by forgetting the tokens and starting again", arguments: StoreKind.allCases)
    func silentStart(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let signedIn = fixture.time.now().seconds
        fixture.time.advance(by: .seconds(100))
        fixture.provider.authLevel = 3
        try await browser.revokeToken()
        #expect(try await browser.start()["type"] == "success")
        #expect(try await authTime(browser) == signedIn)
        #expect(try await browser.user()["token"]?["authLevel"] == 1)
        // The same for another client in the same session, and in another process.
        let other = browser.at(try fixture.another())
        try await other.start("transaction")
        #expect(try await authTime(other, "transaction") == signedIn)
        // A sign-in that somebody answered is as new as it is.
        try await browser.signIn()
        #expect(try await authTime(browser) == signedIn + 100)
        #expect(try await browser.user()["token"]?["authLevel"] == 3)
    }

    @Test("is what it was again when a change of cookie is undone", arguments: StoreKind.allCases)
    func undone(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let signedIn = fixture.time.now().seconds
        let page = try await browser.start { $0.forceAuth = true }
        fixture.time.advance(by: .seconds(100))
        fixture.provider.authLevel = 3
        try await Browser(fixture.backend, cookie: browser.cookie).next(try Browser.login(page))
        // Its answer was lost: the cookie from before acts again.
        fixture.time.advance(by: .seconds(10))
        try await browser.revokeToken()
        #expect(try await browser.start()["type"] == "success")
        #expect(try await authTime(browser) == signedIn)
        #expect(try await browser.user()["token"]?["authLevel"] == 1)
    }

    @Test("goes with the session, and a new one begins anew", arguments: StoreKind.allCases)
    func newSession(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "standard:alice")
        fixture.time.advance(by: .seconds(100))
        try await browser.logout()
        let key = try browser.sessionKey()
        let names = try await fixture.store.inner.read(key, .all).entries.map(\.name)
        #expect(names.filter { $0.hasPrefix("proof") }.count == 1)
        try await browser.signIn()
        #expect(try await authTime(browser) == fixture.time.now().seconds)
    }

    @Test("of another user proves nothing")
    func otherUser() throws {
        func tokens(_ subject: String) -> TokenSet {
            TokenSet(
                accessToken: Secret("sekrit1"), refreshToken: Secret("sekrit2"), idToken: Secret("sekrit3"),
                scopes: ["openid"],
                issuedAt: Timestamp(seconds: 1), expiresAt: nil, issuer: "i", clientID: "c", subject: subject,
                acr: "gold", amr: ["pwd"], authTime: Timestamp(seconds: 1), authLevel: 3)
        }
        let proof = try ProofRecord(decoding: ProofRecord(tokens("alice"), stated: Timestamp(seconds: 1)).encoded)
        #expect(proof.limiting(tokens("alice")) == tokens("alice"))
        let foreign = proof.limiting(tokens("bob"))
        #expect(foreign.acrs.isEmpty && foreign.amr.isEmpty && foreign.authTime == nil && foreign.authLevel == nil)
        #expect(foreign.accessToken == tokens("bob").accessToken)
        // No token is in it.
        #expect(
            !String(decoding: ProofRecord(tokens("alice"), stated: Timestamp(seconds: 1)).encoded, as: UTF8.self)
                .contains("sekrit"))
        #expect(throws: RecordError.self) { try ProofRecord(decoding: [9]) }
    }

    @Test("of which there is no reading meets no requirement")
    func noReading() {
        let requirements = Requirements([Requirement(name: "read", scopes: ["a"])], ManualTime())
        #expect(!requirements.meets("read", [TokenFacts]()))
    }

    @Test("meets a requirement only where every class does that its refreshes named")
    func classes() throws {
        let time = ManualTime()
        let both = Requirement(name: "both", acr: .anyOf(["silver", "gold"]))
        let gold = Requirement(name: "gold", acr: .anyOf(["gold"]))
        let backend = Backend(
            settings: BFFSettings(), clients: [], requirements: [both, gold],
            store: FaultyStore(MemoryStore(time: time)),
            keys: try ServerKeys([ServerKey(id: "k", key: (0..<32).map { UInt8($0 * 7) })]), time: time,
            renderer: UserDocument(), logger: .silent
        )
        var tokens = TokenSet(
            accessToken: Secret("a"), scopes: [], issuedAt: time.now(), expiresAt: nil, issuer: "i", clientID: "c",
            subject: "s", authTime: time.now())
        for (acrs, meetsBoth, meetsGold) in [
            ([], false, false), (["gold"], true, true), (["silver", "gold"], true, false),
            (["gold", "silver"], true, false), (["gold", "bronze"], false, false),
        ] {
            tokens.acrs = acrs
            let known = backend.environment.requirements
            #expect(known.meets("both", tokens) == meetsBoth && known.meets("gold", tokens) == meetsGold)
        }
    }
}
