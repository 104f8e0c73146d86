import Basics
import HTTPCore
import Orchestrate
import Testing

@Suite("A cookie of a request's own")
struct RequestCookieTests {
    private func request(_ change: (inout Request) -> Void) throws -> String? {
        let url = try #require(WebURL("https://am.example.com/am/x"))
        var request = Request(url)
        for cookie in ["sid=stray", "lb=1; Path=/am"] {
            request.cookies.store(
                try #require(SetCookie(parsing: cookie)), from: url, now: Timestamp(seconds: 0))
        }
        change(&request)
        return try request.clientRequest(now: Timestamp(seconds: 0)).fields[values: .cookie].first
    }

    @Test func `takes the place of one of its name in the jar, and nil keeps that at home`() throws {
        #expect(try request { $0.cookie(name: "sid", value: "own") } == "sid=own; lb=1")
        #expect(try request { $0.cookie(name: "sid", value: nil) } == "lb=1")
        #expect(try request { $0.cookie(name: "SID", value: "own") }?.contains("sid=stray") == true)
        #expect(try request { $0.cookies = CookieJar() } == nil)
    }

    @Test(arguments: ["a;b=1", "a, b", "a ", "\"a\"", "a\\", "a\r\nX: 1", "ä"])
    func `that would be more than one cookie is not sent`(value: String) {
        #expect(throws: EngineError.self) { try request { $0.cookie(name: "sid", value: value) } }
        #expect(throws: EngineError.self) { try request { $0.cookie(name: "s;d", value: "a") } }
    }
}
