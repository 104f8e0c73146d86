import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The end of a session")
struct EndReasonTests {
    @Test("is explained to whoever comes with its cookie, by every operation and to calls of APIs, and to nobody else")
    func explained() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let started = await browser.call(.post, "/bff/standard/start", #"{"forceAuth":true}"#)
        let flow = try #require(started["flow"]?.string)
        let tab = Browser(fixture)
        tab.session = browser.session
        #expect(await browser.call(.post, "/bff/logout").status < 300)
        for (method, path) in [
            (HTTPMethod.get, "/bff/standard/user"), (.get, "/bff/standard/user?refresh=true"),
            (.post, "/bff/standard/token/refresh"), (.get, "/api/accounts"),
        ] {
            let answer = await tab.call(method, path)
            #expect(answer.problem == "signed-out" && answer["reason"] == "ended", "\(path): \(answer.text)")
            let stranger = await Browser(fixture).call(method, path)
            #expect(stranger.problem == "signed-out" && stranger["reason"] == nil)
        }
        let late = await tab.call(.get, "/bff/standard/flows/\(flow)")
        #expect(late.problem == "flow-expired" && late["reason"] == "ended")
        let next = await tab.call(.post, "/bff/standard/next", #"{"flow":"\#(flow)","step":1}"#)
        #expect(next.problem == "flow-expired" && next["reason"] == "ended")
    }
}
