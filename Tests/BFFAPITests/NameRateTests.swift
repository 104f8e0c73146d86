import BFF
import HTTPCore
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A name of a user")
struct NameRateTests {
    @Test("One name may be tried so often, whoever tries it")
    func names() async throws {
        let fixture = try APIFixture { $0.accountRate = RateLimit(burst: 2, perMinute: 6) }
        func attempt(_ name: String) async throws -> Answered {
            let browser = fixture.browser
            let page = await browser.call(.post, "/bff/standard/start", "{}")
            return await browser.call(
                .post, "/bff/standard/next", try browser.answers(page, user: name, password: FakeProvider.password))
        }
        #expect(try await attempt("demo").status == 200)
        #expect(try await attempt(" Demo").status == 200)
        let refused = try await attempt("DEMO")
        #expect(refused.status == 429 && refused.problem == "too-many-requests")
        #expect(refused.header("retry-after") == "10")
        #expect(try await attempt("alice").status == 200, "another name")
        fixture.time.advance(by: .seconds(10))
        #expect(try await attempt("demo").status == 200)
        #expect(fixture.log.lines.contains { $0.hasPrefix("warning guessing ") && $0.contains("outcome=name-limited") })
        #expect(!fixture.log.lines.contains { $0.lowercased().contains("demo") })
    }

    @Test("may be tried without end where that is said")
    func off() async throws {
        let fixture = try APIFixture { $0.accountRate = nil }
        for _ in 0..<40 { try await fixture.browser.signIn() }
    }
}
