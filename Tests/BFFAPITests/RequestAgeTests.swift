import BFF
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A request that is long under way")
struct RequestAgeTests {
    @Test(
        "and came before a change of cookie does not take it back, whenever its body was there",
        arguments: ["/bff/standard/user", "/bff/standard/start", "/bff/standard/next", "/api/accounts"])
    func before(path: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        let old = Browser(fixture)
        old.session = browser.session
        let page = await browser.call(.post, "/bff/transaction/start", #"{"forceAuth":true}"#)
        let answers = try browser.answers(page, user: "demo", password: FakeProvider.password)
        #expect(await browser.call(.post, "/bff/transaction/next", answers)["signedIn"] == true)
        fixture.time.advance(by: .seconds(11))
        let isPosted = path.hasPrefix("/bff") && !path.hasSuffix("user")
        var fields = old.usual
        if isPosted { fields.append((name: "Content-Type", value: "application/json")) }
        let body = path.hasSuffix("next") ? #"{"flow":"f_AAAAAAAAAAAAAAAAAAAAAA","step":1}"# : "{}"
        func status(age: Duration) async -> Int {
            let request = ServerRequest(
                method: isPosted ? .post : .get, target: path, headers: RequestHeaders(fields), began: .now - age,
                body: isPosted ? RequestBody(Array(body.utf8)) : .empty)
            return Answered(await fixture.api.handle(request)).status
        }
        #expect(await status(age: .seconds(12)) == (path.hasPrefix("/api") ? 503 : 409))
        #expect(fixture.provider.grants.count == 2)
        // The API that nobody serves here is asked.
        let after = path.hasSuffix("next") ? 410 : path.hasPrefix("/api") ? 502 : 200
        #expect(await status(age: .seconds(10)) == after)
        await fixture.backend.settled()
        #expect(fixture.provider.grants.count == 1)
    }
}
