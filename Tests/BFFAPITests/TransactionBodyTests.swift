import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A start of a backchannel transaction")
struct TransactionBodyTests {
    private static let start = "/bff/standard/start"

    static let refused: [(body: String, member: String, code: String)] = [
        (#"{"transaction":""}"#, "transaction", "out-of-range"),
        (#"{"transaction":1}"#, "transaction", "wrong-type"),
        (#"{"transaction":["tx-1"]}"#, "transaction", "wrong-type"),
        (#"{"transaction":"tx\u0000"}"#, "transaction", "out-of-range"),
        (#"{"transaction":"tx\r\nx: y"}"#, "transaction", "out-of-range"),
        (#"{"transaction":"tx 1"}"#, "transaction", "out-of-range"),
        (#"{"transaction":"tx&ForceAuth=false"}"#, "transaction", "out-of-range"),
        (#"{"transaction":"../tx"}"#, "transaction", "out-of-range"),
        (#"{"transaction":"tx-é"}"#, "transaction", "out-of-range"),
        ("{\"transaction\":\"\(String(repeating: "a", count: 129))\"}", "transaction", "out-of-range"),
        (#"{"transaction":"tx-1","journey":"Login"}"#, "journey", "unknown-member"),
        (#"{"for":"signed-in","transaction":"tx-1"}"#, "for", "unknown-member"),
        (#"{"transaction":"tx-1","link":"x"}"#, "link", "unknown-member"),
        (#"{"transaction":"tx-1","suspendedId":"x"}"#, "suspendedId", "unknown-member"),
        (#"{"transaction":"tx-1","forceAuth":false}"#, "forceAuth", "unknown-member"),
        (#"{"transaction":"tx-1","noSession":true}"#, "noSession", "unknown-member"),
        (#"{"transaction":"tx-1","replace":true}"#, "replace", "unknown-member"),
        (#"{"transaction":"tx-1","parameters":{}}"#, "parameters", "unknown-member"),
        (#"{"transaction":"tx-1","journey":null,"link":null}"#, "link", "unknown-member"),
    ]

    @Test(
        "with an id that is none, or beside other members, is malformed, and the provider is not asked",
        arguments: refused)
    func malformed(body: String, member: String, code: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        let before = fixture.provider.lastStart
        let answer = await browser.call(.post, Self.start, body)
        #expect(answer.status == 400 && answer.problem == "malformed", "\(answer.text)")
        #expect(answer["fields"]?[0]?["id"]?.string == member, "\(answer.text)")
        #expect(answer["fields"]?[0]?["code"]?.string == code, "\(answer.text)")
        #expect(fixture.provider.lastStart == before)
    }

    @Test("is no member of resume")
    func resume() async throws {
        let (_, browser) = try await Ledger.usual()
        let answer = await browser.call(.post, "/bff/standard/resume", #"{"suspendedId":"x","transaction":"tx-1"}"#)
        #expect(answer.status == 400 && answer["fields"]?[0]?["id"] == "transaction", "\(answer.text)")
    }

    @Test("is forced, and carries the id, of up to 128 characters, and nothing else of the browser")
    func good() async throws {
        let (fixture, browser) = try await Ledger.usual()
        for id in ["tx-1", "a.b_c", String(repeating: "a", count: 128)] {
            let page = await browser.call(.post, Self.start, #"{"transaction":"\#(id)"}"#)
            #expect(page["type"] == "continue", "\(page.text)")
            let start = try #require(fixture.provider.lastStart)
            #expect(
                start.transaction == id && start.product == StartMembers() && start.forceAuth && start.advice == nil)
            #expect(start.parameters.isEmpty && !start.replace)
        }
    }

    /// What generated clients send in place of members that were not set.
    @Test("has no member that is null")
    func unset() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let body = #"{"journey":null,"acrValues":null,"for":null,"returnTarget":null,"transaction":"tx-1"}"#
        let page = await browser.call(.post, Self.start, body)
        #expect(page["type"] == "continue", "\(page.text)")
        let start = try #require(fixture.provider.lastStart)
        #expect(start.transaction == "tx-1" && start.product == StartMembers())
    }

    @Test("without a sign-in is signed-out, and the provider is not asked")
    func signedOut() async throws {
        let (fixture, _) = try await Ledger.usual()
        let before = fixture.provider.lastStart
        let answer = await fixture.browser.call(.post, Self.start, #"{"transaction":"tx-1"}"#)
        #expect(answer.status == 401 && answer.problem == "signed-out", "\(answer.text)")
        #expect(fixture.provider.lastStart == before)
    }

    @Test("that ends with another user is a mismatch, whatever the provider states, and nothing is kept")
    func otherUser() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let (grants, sessions) = (fixture.provider.grants, fixture.provider.sessions)
        for shift in [0, -3600] {
            fixture.provider.authTimeShift = .seconds(shift)
            let page = await browser.call(.post, Self.start, #"{"transaction":"tx-1"}"#)
            let end = await browser.call(
                .post, "/bff/standard/next", try browser.answers(page, user: "mallory", password: FakeProvider.password)
            )
            #expect(end["type"] == "failure" && end["reason"] == "account-mismatch", "\(end.text)")
        }
        await fixture.backend.settled()
        #expect(fixture.provider.grants == grants && fixture.provider.sessions == sessions)
        #expect(await browser.call(.get, "/bff/standard/user")["subject"] == "demo")
    }
}
