import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The name of an account")
struct AccountNameTests {
    @Test(
        "may be any text that a path can carry, and says in answers what the page called it",
        arguments: [
            ("alice@example.com", "alice%40example.com"), ("a:b", "a%3Ab"), ("..", ".."),
            ("0 ;=?#", "0%20%3B%3D%3F%23"),
            ("Zoë \u{1F600}", "Zo%C3%AB%20%F0%9F%98%80"), (String(repeating: "a", count: 128), nil),
        ] as [(String, String?)])
    func texts(name: String, escaped: String?) async throws {
        let escaped = escaped ?? name
        let route = try Ledger.route("/api/accounts", "/v1/accounts", clients: ["standard"])
        let (fixture, browser) = try await Ledger.fixture(route)
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        try await browser.signIn("alice", "standard:" + escaped)
        #expect(await browser.call(.get, "/bff/standard%3A\(escaped)/user")["subject"] == "alice")
        let session = await browser.call(.get, "/bff/session")
        #expect(session["accounts"] == ["", .string(name)])
        let instance = try #require(session["instances"]?.array?.first { $0["account"]?.string == name })
        #expect(instance["instance"]?.string == "standard:" + name && instance["state"] == "authenticated")
        let called = await browser.call(.get, "/api/accounts", adding: [("X-BFF-Account", escaped)])
        #expect(called.status == 200)
        #expect(await browser.call(.post, "/bff/logout?account=\(escaped)").status == 204)
        #expect(await browser.call(.get, "/bff/standard:\(escaped)/user").status == 401)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("is compared byte by byte: two spellings of one character are two accounts")
    func spellings() async throws {
        let browser = try await APIFixture().signedIn("alice", "standard:%C3%A9")
        #expect(await browser.call(.get, "/bff/standard:e%CC%81/user").status == 401)
        try await browser.signIn("bob", "standard:e%CC%81")
        #expect(await browser.call(.get, "/bff/session")["accounts"]?.array?.count == 2)
        #expect(await browser.call(.get, "/bff/standard:%C3%A9/user")["subject"] == "alice")
        #expect(await browser.call(.get, "/bff/standard:e%CC%81/user")["subject"] == "bob")
        #expect(await browser.call(.post, "/bff/logout?account=%C3%A9").status == 204)
        #expect(await browser.call(.get, "/bff/standard:e%CC%81/user").status == 200)
    }

    @Test("is one, however much of it a path escapes")
    func escapes() async throws {
        let browser = try await APIFixture().signedIn("alice", "standard:alice@example.com")
        for path in ["standard:alice%40example.com", "standard%3A%61lice@example.com"] {
            #expect(await browser.call(.get, "/bff/\(path)/user")["subject"] == "alice")
        }
    }

    @Test("may have colons that a path does not escape")
    func colons() async throws {
        let browser = try await APIFixture().signedIn("alice", "standard:tenant:alice")
        for path in ["standard:tenant:alice", "standard:tenant%3Aalice", "standard%3Atenant%3Aalice"] {
            #expect(await browser.call(.get, "/bff/\(path)/user")["subject"] == "alice")
        }
        #expect(await browser.call(.get, "/bff/standard:tenant:bob/user").problem == "signed-out")
    }

    @Test("goes through a step-up, whose path an answer names ready to be called")
    func stepUp() async throws {
        let (fixture, browser) = try await Ledger.usual()
        try await browser.signIn("alice", "standard:alice%40example.com")
        fixture.answering(.post, "/v1/payments", .json("{}"))
        let account = [("X-BFF-Account", "alice@example.com")]
        let refused = await browser.call(.post, "/api/payments", "{}", adding: account)
        #expect(refused["stepUp"]?["instance"] == "payment:alice@example.com")
        #expect(refused["stepUp"]?["start"] == "/payment:alice%40example.com/start")
        #expect(try await browser.stepUp(refused, user: "alice")["signedIn"] == true)
        #expect(await browser.call(.post, "/api/payments", "{}", adding: account).status == 200)
    }
}
