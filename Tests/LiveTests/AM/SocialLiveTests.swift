import Basics
import HTTPCore
import JSON
import TestSupport
import Testing

/// The chain that sends its users to the provider kit, and has them back at the client `standard`.
@Suite(
    "At a real AM, a sign-in by another provider",
    .enabled(if: Live.hasChains && Live.provider != nil))
struct SocialLiveTests {
    /// Where the chain has users come back; nobody has to listen there.
    private static let home = "http://localhost:18090"

    private func run(_ more: [String], _ body: (LiveServer, AMSettings) async throws -> Void) async throws {
        let settings = try Live.requireAM()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [
            LiveConfiguration.client(settings, settings.standard, journeys: ["Social", settings.signIn], more: more)
        ]
        try await LiveServer.run(configuration) { try await body($0, settings) }
    }

    /// The host of the provider, for the settings.
    private func linkHosts() throws -> [String] {
        ["linkHosts: \(try #require(WebURL(Live.requireProvider().address)).authority)"]
    }

    /// The flow that was left last.
    private let left = Locked("")

    /// Begins, leaves by `go`, and answers at the provider: the path that leads back.
    private func away(_ browser: LiveBrowser, refusing: Bool = false) async throws -> String {
        try await away(browser, try await browser.start("standard", ["journey": "Social"]), refusing: refusing)
    }

    private func away(_ browser: LiveBrowser, _ page: Wire.Answer, refusing: Bool = false) async throws -> String {
        try #require(page["callbacks.0.type"] == "RedirectCallback", "\(page.text.prefix(400))")
        left.withLock { $0 = page["flow"]?.string ?? "" }
        #expect(!page.text.contains("redirectUrl") && !page.text.contains("state="))
        let out = try await browser.open(try #require(page["callbacks.0.go"]?.string))
        let address = try #require(out.field(.location), "\(out.status) \(out.text)")
        let back = try await Provider.required().walk(
            address, to: Self.home + "/bff/standard/return", refusing: refusing)
        return String(back.dropFirst(Self.home.count))
    }

    /// What follows the `#` of the page that a return leads to.
    private func news(_ answer: Wire.Answer) throws -> Substring {
        try #require(answer.field(.location)?.split(separator: "#").last, "\(answer.status) \(answer.text)")
    }

    private func back(_ news: Substring) -> JSONValue {
        ["handle": .string(String(news.dropFirst(7))), "flow": .string(left.withLock { $0 })]
    }

    private func resume(_ browser: LiveBrowser, _ news: Substring) async throws -> Wire.Answer {
        try #require(news.hasPrefix("resume="), "\(news)")
        return try await browser.call(.post, "/bff/standard/resume", back(news))
    }

    @Test func `signs in once, whatever comes twice`() async throws {
        try await run(try linkHosts()) { server, settings in
            let browser = server.browser()
            let back = try await away(browser)
            let handle = try news(try await browser.open(back))
            let end = try await resume(browser, handle)
            try expectSignedIn(end)
            let subject = try #require(end["user.subject"]?.string)
            #expect(try await resume(browser, handle)["user.subject"] == .string(subject))
            #expect(try news(try await browser.open(back)) == "return=no-pending-return")
            #expect(try await browser.user()["subject"] == .string(subject))
            // Everybody whom the provider sends is one user of AM.
            let count = try await AM.of(settings).sessions(of: subject)
            #expect(try await browser.signOut().status == 204)
            #expect(try await eventually { try await AM.of(settings).sessions(of: subject) == count - 1 })
        }
    }

    @Test func `is refused at the provider, and AM sends the user there again`() async throws {
        try await run(try linkHosts()) { server, _ in
            let browser = server.browser()
            let refused = try await away(browser, refusing: true)
            let page = try await resume(browser, try news(try await browser.open(refused)))
            let back = try await away(browser, page)
            try expectSignedIn(try await resume(browser, try news(try await browser.open(back))))
        }
    }

    @Test func `waits for its own state, in its own browser`() async throws {
        try await run(try linkHosts()) { server, _ in
            let (browser, other) = (server.browser(), server.browser())
            let back = try await away(browser)
            let wrong = back.replacing("state=", with: "state=x")
            #expect(wrong != back)
            #expect(try news(try await browser.open(wrong)) == "return=no-pending-return")
            #expect(try news(try await other.open(back)) == "return=no-pending-return")
            let handle = try news(try await browser.open(back))
            _ = try await other.start()
            expectProblem(
                try await other.call(.post, "/bff/standard/resume", self.back(handle)), 409, "no-pending-return")
            try expectSignedIn(try await resume(browser, handle))
        }
    }

    @Test func `is not led to a host that the settings do not name`() async throws {
        try await run([]) { server, _ in
            let refused = try await server.browser().start("standard", ["journey": "Social"])
            #expect(refused["reason"] == "link-not-allowed", "\(refused.text.prefix(400))")
        }
    }
}
