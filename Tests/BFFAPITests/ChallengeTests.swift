import BFF
import Basics
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A call that needs a stronger sign-in")
struct ChallengeTests {
    private func stepUp(_ browser: Browser, _ answer: Answered, user: String = "demo") async throws -> Answered {
        try await browser.stepUp(answer, user: user)
    }

    private let insufficient =
        #"Bearer realm="x", error="insufficient_user_authentication", acr_values="gold other", max_age="0""#

    @Test("is refused with how to get one, passes after it, and the standard token stays in use")
    func wholeLoop() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.post, "/v1/payments", .json("{}", status: 201))
        fixture.answering(.get, "/v1/payments", .json("[]"))
        await browser.call(.get, "/api/payments")
        let standard = try fixture.sent().fields[.authorization]
        let refused = await browser.call(.post, "/api/payments", "{}")
        #expect(refused.status == 403 && refused.problem == "step-up-required")
        #expect(refused["stepUp"]?["instance"] == "payment" && refused["stepUp"]?["for"] == "pay")
        #expect(refused["required"]?["scope"] == ["PAY"])
        #expect(fixture.network.requests.count == 1)
        #expect(try await stepUp(browser, refused)["signedIn"] == true)
        #expect(await browser.call(.post, "/api/payments", "{}").status == 201)
        #expect(try fixture.sent().fields[.authorization] != standard)
        #expect(await browser.call(.get, "/api/payments").status == 200)
        #expect(try fixture.sent().fields[.authorization] == standard)
    }

    @Test("takes every value from the configuration, none from the browser")
    func forced() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let body = #"{"for":"pay","forceAuth":false,"acrValues":[],"loginHint":"evil","noSession":true,"replace":true}"#
        let page = await browser.call(.post, "/bff/payment/start", body)
        #expect(page["type"] == "continue")
        let start = try #require(fixture.provider.lastStart)
        #expect(start.forceAuth && start.acrValues == ["gold"])
        #expect(start.loginHint == nil && !start.noSession && !start.replace)
        for (instance, goal) in [
            ("standard", "pay"), ("payment", "other"), ("payment", "c_AAAAAAAAAAAAAAAAAAAAAA"), ("transaction", "pay"),
            ("payment", ""),
        ] {
            let answer = await browser.call(.post, "/bff/\(instance)/start", #"{"for":"\#(goal)"}"#)
            #expect(answer.problem == "not-allowed", "\(instance) \(goal)")
        }
    }

    @Test("that ends with another user changes nothing")
    func otherUser() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let refused = await browser.call(.post, "/api/payments", "{}")
        let grants = fixture.provider.grants
        let end = try await stepUp(browser, refused, user: "mallory")
        #expect(end["type"] == "failure" && end["reason"] == "account-mismatch")
        #expect(fixture.provider.grants == grants)
        #expect(await browser.call(.get, "/bff/standard/user")["claims"]?["sub"] == "demo")
        #expect(await browser.call(.get, "/bff/payment/user").status == 401)
        #expect(await browser.call(.post, "/api/payments", "{}").problem == "step-up-required")
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("of another account is not answered with this one's elevated token")
    func accounts() async throws {
        let (fixture, browser) = try await Ledger.usual()
        try await browser.signIn("alice", "standard:alice")
        #expect(try await stepUp(browser, await browser.call(.post, "/api/payments", "{}"))["signedIn"] == true)
        let refused = await browser.call(.post, "/api/payments", "{}", adding: [("X-BFF-Account", "alice")])
        #expect(refused.problem == "step-up-required" && refused["stepUp"]?["instance"] == "payment:alice")
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("by the API's own word is mapped to a requirement, under an id of its own")
    func upstreamChallenge() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.network.on(
            .get, Ledger.origin + "/v1/accounts", answering: .challenge(401, insufficient), .json("{}"))
        let refused = await browser.call(.get, "/api/accounts")
        #expect(refused.status == 403 && refused.problem == "step-up-required")
        let id = try #require(refused["stepUp"]?["for"]?.string)
        #expect(id.hasPrefix("c_") && refused["stepUp"]?["instance"] == "payment")
        _ = await browser.call(.post, "/bff/payment/start", #"{"for":"\#(id)"}"#)
        // Of what the API named only what is configured is asked of the provider.
        #expect(fixture.provider.lastStart?.acrValues == ["gold"] && fixture.provider.lastStart?.forceAuth == true)
        #expect(await browser.call(.post, "/bff/standard/start", #"{"for":"\#(id)"}"#).problem == "not-allowed")
        let stranger = try await fixture.signedIn()
        #expect(await stranger.call(.post, "/bff/payment/start", #"{"for":"\#(id)"}"#).problem == "not-allowed")
        fixture.time.advance(by: .seconds(301))
        #expect(await browser.call(.post, "/bff/payment/start", #"{"for":"\#(id)"}"#).problem == "not-allowed")
    }

    @Test("that an API asked for is what the retried call and those after it go out with, until the token ends")
    func retriedToken() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let standard = Locked<String?>(nil)
        let insufficient = insufficient
        // The API tells tokens apart: the one that it refused stays refused.
        fixture.network.on(.get, Ledger.origin + "/v1/accounts") { request in
            let token = request.fields[.authorization]
            let first = standard.withLock { standard in
                if standard == nil { standard = token }
                return standard
            }
            return token == first ? .challenge(401, insufficient) : .json("{}")
        }
        let refused = await browser.call(.get, "/api/accounts")
        #expect(try await stepUp(browser, refused)["signedIn"] == true)
        for _ in 0..<3 { #expect(await browser.call(.get, "/api/accounts").status == 200) }
        // Other routes, other methods of it and other accounts go on as before.
        fixture.answering(.get, "/v1/payments", .json("[]"))
        #expect(await browser.call(.get, "/api/payments").status == 200)
        #expect(try fixture.sent().fields[.authorization] == standard.withLock { $0 })
        // The elevated token ends by its client's limits: then the standard one goes out, and the API asks again.
        fixture.time.advance(by: .seconds(301))
        standard.withLock { $0 = nil }
        #expect(await browser.call(.get, "/api/accounts").problem == "step-up-required")
    }

    @Test("again and again fills no session: the same challenge has the same id")
    func sameChallenge() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .challenge(401, insufficient))
        var ids: Set<String> = []
        for _ in 0..<5 { ids.insert(try #require(await browser.call(.get, "/api/accounts")["stepUp"]?["for"]?.string)) }
        #expect(ids.count == 1)
    }

    @Test("that means nothing to the configuration is said so; a scope of the API's own is its own affair")
    func unmapped() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(
            .get, "/v1/accounts",
            .challenge(401, #"Bearer error="insufficient_user_authentication", acr_values="platinum""#))
        #expect(await browser.call(.get, "/api/accounts").problem == "step-up-unavailable")
        fixture.answering(
            .get, "/v1/accounts", .challenge(403, #"Bearer error="insufficient_scope", scope="ADMIN""#))
        let passed = await browser.call(.get, "/api/accounts")
        #expect(passed.status == 403 && passed.text == "refused" && passed.headers["www-authenticate"] == nil)
        fixture.answering(.get, "/v1/accounts", .challenge(403, #"Bearer error="insufficient_scope", scope="PAY""#))
        #expect(await browser.call(.get, "/api/accounts").problem == "step-up-required")
    }

    @Test("that does not help twice is not offered a third time, and the count begins anew after ten minutes")
    func loopGuard() async throws {
        let (fixture, browser) = try await Ledger.usual()
        // Our requirement is met after the step-up; the API never has enough.
        fixture.answering(.post, "/v1/payments", .challenge(401, insufficient))
        for _ in 0..<2 {
            let refused = await browser.call(.post, "/api/payments", "{}")
            #expect(refused.problem == "step-up-required")
            #expect(try await stepUp(browser, refused)["signedIn"] == true)
        }
        let failed = await browser.call(.post, "/api/payments", "{}")
        #expect(failed.status == 403 && failed.problem == "step-up-failed" && failed["stepUp"] == nil)
        // Reads of the same path are counted apart and reset nothing.
        fixture.answering(.get, "/v1/payments", .json("[]"))
        #expect(await browser.call(.get, "/api/payments").status == 200)
        #expect(await browser.call(.post, "/api/payments", "{}").problem == "step-up-failed")
        fixture.time.advance(by: .seconds(601))
        #expect(await browser.call(.post, "/api/payments", "{}").problem == "step-up-required")
    }

    @Test("is offered however often other users sign in meanwhile, or the user by another client")
    func otherSignIns() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.post, "/v1/payments", .challenge(401, insufficient))
        for name in ["alice", "bob", "carol"] {
            #expect(await browser.call(.post, "/api/payments", "{}").problem == "step-up-required")
            let page = await browser.call(.post, "/bff/standard:\(name)/start")
            let body = try browser.answers(page, user: name, password: FakeProvider.password)
            #expect(await browser.call(.post, "/bff/standard:\(name)/next", body)["signedIn"] == true)
        }
        #expect(await browser.call(.post, "/api/payments", "{}").problem == "step-up-required")
    }

    @Test("that helps each time is offered as often as it is asked for")
    func freshEachTime() async throws {
        let (fixture, browser) = try await Ledger.usual()
        for _ in 0..<4 {
            fixture.network.on(
                .post, Ledger.origin + "/v1/accounts", answering: .challenge(401, insufficient), .json("{}"))
            let refused = await browser.call(.post, "/api/accounts", "{}")
            #expect(refused.problem == "step-up-required")
            #expect(try await stepUp(browser, refused)["signedIn"] == true)
            #expect(await browser.call(.post, "/api/accounts", "{}").status == 200)
        }
    }

    @Test("does so again when the elevated token reached its limit, which nothing renews")
    func limits() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.post, "/v1/payments", .json("{}"))
        #expect(try await stepUp(browser, await browser.call(.post, "/api/payments", "{}"))["signedIn"] == true)
        #expect(await browser.call(.post, "/api/payments", "{}").status == 200)
        fixture.time.advance(by: .seconds(301))
        #expect(await browser.call(.post, "/api/payments", "{}").problem == "step-up-required")
        #expect(fixture.provider.count(.authorize) == 0)
        #expect(await browser.call(.get, "/bff/payment/user").status == 401)
    }
}
