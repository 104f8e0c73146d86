import BFF
import JSON
import Sessions
import TestSupport
import Testing

@testable import BFF

@Suite("What a session cannot give without the user")
struct WeakSessionTests {
    private static let tooWeak = "unmet-authentication-requirements"
    private let plain = RouteDefinition(id: "/api/y", clients: ["standard"], demand: .signedIn)

    private func offer(_ body: () async throws -> Void) async -> StepUpOffer? {
        let error = await #expect(throws: BFFError.self) { try await body() }
        guard case .stepUpRequired(let offer) = error else {
            Issue.record("\(String(describing: error))")
            return nil
        }
        return offer
    }

    /// Tokens that the provider takes for spent, and a session that it finds too weak for new ones.
    private func weaken(_ fixture: Fixture, _ fault: TokenError = .tooWeak) {
        fixture.provider.fail(.refresh, .invalidGrant)
        fixture.provider.fail(.authorize, fault, fault, fault)
    }

    @Test(
        "at a renewal is a step-up that is named; no token is dropped before it ends", arguments: StoreKind.allCases)
    func renewal(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        weaken(fixture)
        fixture.time.advance(by: .seconds(250))
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 50)
        fixture.time.advance(by: .seconds(50))
        let named = await offer { try await browser.user() }
        #expect(named?.instance == "standard" && named?.goal == "signed-in" && named?.requirement == nil)
        _ = await offer { _ = try await fixture.backend.token(for: plain, account: "", browser.context()) }
        // A spent refresh token is not sent again.
        #expect(fixture.provider.count(.refresh) == 1 && fixture.provider.reuses == 0)
        #expect(try await browser.state() != "none")
        let page = try await browser.start { $0.goal = named?.goal }
        #expect(fixture.provider.lastStart?.forceAuth == true)
        #expect(try await browser.next(try Browser.login(page))["signedIn"] == true)
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
    }

    @Test(
        "at a renewal is told to one who asks for it while another call finds that out", arguments: StoreKind.allCases)
    func renewalAtOnce(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        weaken(fixture)
        fixture.time.advance(by: .seconds(250))
        let (first, second) = try await fixture.whileRenewing(browser) { other in try await other.refreshToken() }
        #expect(try await first.value["token"]?["expiresIn"]?.int == 50)
        // The first one has stored the tokens without their refresh token; nothing was renewed.
        #expect(await offer { _ = try await second.value }?.instance == "standard")
        #expect(fixture.provider.count(.refresh) == 1 && fixture.provider.reuses == 0)
    }

    @Test("at a renewal comes by itself once the session is strong enough", arguments: StoreKind.allCases)
    func laterRenewal(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.refresh, .invalidGrant)
        fixture.provider.fail(.authorize, .tooWeak)
        fixture.time.advance(by: .seconds(300))
        _ = await offer { try await browser.user() }
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
    }

    @Test("is used by no route as long as another client's token does", arguments: StoreKind.allCases)
    func otherClient(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(100))
        try await browser.signIn("demo", "transaction")
        weaken(fixture)
        fixture.time.advance(by: .seconds(200))
        let route = RouteDefinition(id: "/api/z", clients: ["standard", "transaction"], demand: .signedIn)
        let token = try await fixture.backend.token(for: route, account: "", browser.context())
        #expect(token?.instance.client == "transaction")
    }

    @Test(
        "because the provider wants a consent is told as that, and no token is dropped", arguments: StoreKind.allCases)
    func consent(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        weaken(fixture, .consentRequired)
        fixture.time.advance(by: .seconds(300))
        await #expect(throws: BFFError.interactionNeeded) { try await browser.user() }
        await #expect(throws: BFFError.interactionNeeded) { try await browser.refreshToken() }
        await #expect(throws: BFFError.interactionNeeded) {
            try await fixture.backend.token(for: plain, account: "", browser.context())
        }
        #expect(fixture.provider.count(.refresh) == 1)
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
    }

    @Test(
        "for a scope that the provider guards is a step-up also where no requirement is configured",
        arguments: StoreKind.allCases)
    func guardedScope(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .failure(Self.tooWeak))
        let named = await offer { try await browser.start("transaction") }
        #expect(named?.instance == "transaction" && named?.goal == "signed-in")
        fixture.provider.script(.start, .failure(Self.tooWeak))
        #expect(await offer { try await browser.start("gold") }?.goal == "high")
        fixture.time.advance(by: .seconds(1))
        let page = try await browser.start("transaction") { $0.goal = "signed-in" }
        #expect(fixture.provider.lastStart?.forceAuth == true && fixture.provider.lastStart?.acrValues == [])
        #expect(try await browser.next(try Browser.login(page), "transaction")["signedIn"] == true)
        // Of another user it is none.
        fixture.time.advance(by: .seconds(1))
        let other = try await browser.start("transaction") { $0.goal = "signed-in" }
        let end = try await browser.next(try Browser.login(other, "bob"), "transaction")
        #expect(end["reason"] == "account-mismatch")
    }

    @Test(
        "at the end of a flow is a step-up, once; of nobody who is signed in it is a failure",
        arguments: StoreKind.allCases)
    func endOfFlow(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let body = try Browser.login(try await browser.start("transaction") { $0.forceAuth = true })
        fixture.provider.script(.next, .failureAfterSession(Self.tooWeak))
        for _ in 0..<2 {
            let named = await offer { try await browser.next(body, "transaction") }
            #expect(named?.instance == "transaction" && named?.goal == "signed-in")
        }
        #expect(fixture.provider.count(.next) == 2)
        #expect(try await browser.user()["subject"] == "demo")
        // What a step-up does not reach is not offered again.
        let again = try Browser.login(try await browser.start("transaction") { $0.goal = "signed-in" })
        fixture.provider.script(.next, .failure(Self.tooWeak))
        #expect(try await browser.next(again, "transaction")["reason"]?.string == Self.tooWeak)
        let anonymous = fixture.browser()
        let first = try Browser.login(try await anonymous.start())
        fixture.provider.script(.next, .failure(Self.tooWeak))
        #expect(try await anonymous.next(first)["reason"]?.string == Self.tooWeak)
    }

    @Test("a start finds also where the tokens were given back and the session lives", arguments: StoreKind.allCases)
    func withoutTokens(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.revokeToken()
        let page = try await browser.start("gold") { $0.goal = "high" }
        #expect(page["type"] == "continue")
    }
}

@Suite("Tokens without a refresh token")
struct RefreshlessTests {
    private func elevated(_ kind: StoreKind, _ client: String) async throws -> (Fixture, Browser) {
        let fixture = try Fixture(kind)
        fixture.provider.givesRefreshTokens = false
        fixture.provider.tokenLife = .seconds(100)
        let browser = try await fixture.signedIn("demo", client)
        return (fixture, browser)
    }

    @Test("of an elevated client are good to their end", arguments: StoreKind.allCases)
    func toTheEnd(kind: StoreKind) async throws {
        let (fixture, browser) = try await elevated(kind, "admin")
        fixture.time.advance(by: .seconds(99))
        #expect(try await browser.user("admin")["token"]?["expiresIn"]?.int == 1)
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: BFFError.signedOut) { try await browser.user("admin") }
        #expect(fixture.provider.count(.refresh) == 0 && fixture.provider.count(.authorize) == 0)
    }

    @Test(
        "of an elevated client stay when a renewal is asked for, which only a new sign-in brings",
        arguments: StoreKind.allCases)
    func asked(kind: StoreKind) async throws {
        let (_, browser) = try await elevated(kind, "admin")
        let error = await #expect(throws: BFFError.self) { try await browser.refreshToken("admin") }
        guard case .stepUpRequired(let offer) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(offer.instance == "admin" && offer.goal == "signed-in")
        #expect(try await browser.user("admin")["token"]?["expiresIn"]?.int == 100)
    }

    @Test("of any other come from the session, and stay to their end where that is gone", arguments: StoreKind.allCases)
    func silent(kind: StoreKind) async throws {
        let (fixture, browser) = try await elevated(kind, "standard")
        fixture.time.advance(by: .seconds(50))
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 100)
        #expect(fixture.provider.count(.authorize) == 1)
        fixture.provider.forgetSessions()
        fixture.time.advance(by: .seconds(99))
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 1)
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }
}
