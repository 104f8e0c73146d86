import Basics
import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate
import TestSupport
import Testing

@Suite("What AM is told of the browser")
struct BrowserTests {
    private static let partner = "https://partner.example.com"
    private static let facts = BrowserFacts(origin: partner, address: "192.0.2.7", userAgent: "Mozilla/5.0 (Test)")

    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    private func caller(_ browser: BrowserFacts) -> Caller {
        var caller = desk.caller()
        caller.browser = browser
        return caller
    }

    /// What a start and an answer send of one header, in this order.
    private func sent(
        _ header: HTTPField.Name, _ browser: BrowserFacts, _ configure: (inout JourneyConfig) -> Void
    ) async throws -> [[String]] {
        am.steps(loginPage)
        let bound = try am.journey(configure).bound(to: caller(browser))
        _ = try await bound.next(try await bound.start("Login").flow)
        return am.sent(ScriptedAM.authenticate).map { $0.fields[values: header] }
    }

    @Test func `is neither address nor user agent unless that is configured`() async throws {
        am.steps(loginPage)
        let bound = try am.journey { $0.publicUrl = "https://app.example.com" }.bound(to: caller(Self.facts))
        _ = try await bound.next(try await bound.start("Login").flow)
        let sent = am.sent(ScriptedAM.authenticate)
        #expect(sent.count == 2)
        for request in sent {
            #expect(request.header("x-forwarded-for") == nil)
            #expect(request.header("user-agent") == nil)
        }
    }

    @Test(
        "is the page's origin when it is the application's, else that of the public address",
        arguments: [
            (partner, partner), ("https://app.example.com", "https://app.example.com"),
            (nil, "https://app.example.com"), ("https://evil.example.com", "https://app.example.com"),
            ("null", "https://app.example.com"), ("", "https://app.example.com"),
            ("https://partner.example.com/", "https://app.example.com"),
            ("https://PARTNER.example.com", "https://app.example.com"),
            ("https://partner.example.com\r\nX-Injected: 1", "https://app.example.com"),
        ] as [(String?, String)])
    func origin(of page: String?, _ expected: String) async throws {
        let sent = try await sent(.origin, BrowserFacts(origin: page)) { config in
            config.publicUrl = "https://app.example.com/login"
            config.origins = [Self.partner]
        }
        #expect(sent == [[expected], [expected]])
    }

    @Test func `is no origin where the application has none to show`() async throws {
        #expect(try await sent(.origin, Self.facts) { _ in } == [[], []])
    }

    @Test(
        "is the address alone, in its plain form",
        arguments: [
            ("192.0.2.7", ["192.0.2.7"]), ("2001:db8::1", ["2001:db8::1"]), (nil, []), ("", []), ("unknown", []),
            ("192.0.2.7, 198.51.100.1", []), ("192.0.2.7:4711", []), ("[2001:db8::1]", []), ("fe80::1%eth0", []),
            ("192.0.2.7\r\nX-Injected: 1", []), ("app.example.com", []),
        ] as [(String?, [String])])
    func address(_ address: String?, _ expected: [String]) async throws {
        let sent = try await sent(.xForwardedFor, BrowserFacts(address: address)) {
            $0.forward.clientAddress = .xForwardedFor
        }
        #expect(sent == [expected, expected])
    }

    @Test(
        "is the user agent as it is, or ours",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64)", true), (String(repeating: "a", count: 1024), true),
            (String(repeating: "a", count: 1025), false), (String(repeating: "é", count: 600), false), ("", false),
            (nil, false), ("Mozilla\u{7F}", false), ("Mozilla\u{1B}[31m", false), ("Mozilla\r\nX-Injected: 1", false),
            ("Mozilla\u{80}", false), ("Mozilla\u{9B}31m", false), ("Mozilla\u{9F}", false), ("Mozilla\u{A0}x", true),
            ("Mozilla\u{FFFD}", false), (String(decoding: [0x4D, 0xE9, 0x6F], as: UTF8.self), false),
            ("Mozilla\u{0}", false), (" Mozilla", false),
        ] as [(String?, Bool)])
    func userAgent(_ agent: String?, _ isPassedOn: Bool) async throws {
        let sent = try await sent(.userAgent, BrowserFacts(userAgent: agent)) { $0.forward.userAgent = .browser }
        let expected = isPassedOn ? [agent ?? ""] : []
        #expect(sent == [expected, expected])
    }

    @Test func `is told with each call by the caller of that call`() async throws {
        am.steps(loginPage)
        let journey = try am.journey { config in
            config.publicUrl = "https://app.example.com"
            config.origins = [Self.partner]
            config.forward = BrowserForwarding(clientAddress: .xForwardedFor, userAgent: .browser)
        }
        let start = try await journey.bound(to: caller(Self.facts)).start("Login")
        let other = BrowserFacts(address: "198.51.100.1", userAgent: "Other/1")
        let second = try await journey.bound(to: caller(other)).next(start.flow)
        _ = try await journey.bound(to: desk.caller()).next(second.flow)
        let sent = am.sent(ScriptedAM.authenticate)
        #expect(sent.map { $0.header("x-forwarded-for") } == ["192.0.2.7", "198.51.100.1", nil])
        #expect(sent.map { $0.header("user-agent") } == ["Mozilla/5.0 (Test)", "Other/1", nil])
        #expect(
            sent.map { $0.header("origin") } == [Self.partner, "https://app.example.com", "https://app.example.com"])
    }

    @Test func `is told on authenticate and nowhere else`() async throws {
        am.steps(loginPage, success("s1"))
        let journey = try am.journey(oidc: true) { config in
            config.publicUrl = "https://app.example.com"
            config.origins = [Self.partner]
            config.forward = BrowserForwarding(clientAddress: .xForwardedFor, userAgent: .browser)
            config.sessionUpgrade = .parameter
        }
        let bound = journey.bound(to: caller(Self.facts))
        let first = try await bound.next(try await bound.start("Login").flow)
        #expect(first.success?.isSignedIn == true)
        // The upgrade asks about its session first.
        _ = try await bound.start("Login", StartOptions(forceAuth: true))
        let user = try #require(try await bound.user())
        _ = try await user.userinfo()
        #expect(await bound.signOff().isComplete)

        let (told, others) = am.network.requests.reduce(into: ([ClientRequest](), [ClientRequest]())) {
            if $1.url.path.hasSuffix("/authenticate") { $0.0.append($1) } else { $0.1.append($1) }
        }
        #expect(told.map { $0.header("x-forwarded-for") } == ["192.0.2.7", "192.0.2.7", "192.0.2.7"])
        let paths = Set(others.compactMap { $0.url.path.split(separator: "/").last })
        #expect(paths.isSuperset(of: ["*", "sessions", "authorize", "access_token", "userinfo", "revoke"]))
        for request in others {
            #expect(request.header("x-forwarded-for") == nil, "\(request.url.path)")
            #expect(request.header("user-agent") == nil, "\(request.url.path)")
            #expect(request.header("origin") == nil, "\(request.url.path)")
        }
    }

    @Test(arguments: RequestedWith.allCases)
    func `is not which SDK asks, which is a setting`(_ asks: RequestedWith) async throws {
        am.steps(loginPage, success("s1"))
        let bound = try am.journey { $0.requestedWith = asks }.bound(to: desk.caller())
        _ = try await bound.next(try await bound.start("Login").flow)
        #expect(await bound.signOff().isComplete)
        let sent = am.sent(ScriptedAM.authenticate)
        #expect(sent.map { $0.header("x-requested-with") } == [asks.rawValue, asks.rawValue])
        let platform = asks == .pingSDK ? "javascript" : nil
        #expect(sent.map { $0.header("x-requested-platform") } == [platform, platform])
        // The sessions endpoint needs the field, whatever its value.
        #expect(am.sent(ScriptedAM.sessions).map { $0.header("x-requested-with") } == ["ping-sdk"])
    }

    @Test(arguments: RequestedWith.allCases)
    func `is not which platform that runs on, which may be set as well`(_ asks: RequestedWith) async throws {
        am.steps(loginPage)
        let journey = try am.journey {
            $0.requestedWith = asks
            $0.platform = "web"
        }
        _ = try await journey.bound(to: desk.caller()).start("Login")
        #expect(am.sent(ScriptedAM.authenticate).map { $0.header("x-requested-platform") } == ["web"])
    }

    @Test(arguments: ["app.example.com", "https://app.example.com/", "https://APP.example.com", "null", "*", ""])
    func `is not built with an origin that no browser writes`(origin: String) {
        #expect(throws: JourneyConfigurationError.origin) { try am.journey { $0.origins = [origin] } }
    }
}
