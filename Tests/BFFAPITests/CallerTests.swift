import BFF
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("Who may call")
struct CallerTests {
    /// A call that breaks one rule, and how it is refused.
    struct Refused: Sendable, CustomTestStringConvertible {
        let name: String
        var changing: [String: String?] = [:]
        var adding: [(String, String)] = []
        var origins: [String] = []
        let status: Int
        let problem: String

        var testDescription: String { name }

        static func csrf(
            _ name: String, changing: [String: String?] = [:], adding: [(String, String)] = [], origins: [String] = []
        ) -> Refused {
            Refused(name: name, changing: changing, adding: adding, origins: origins, status: 403, problem: "csrf")
        }

        static func host(_ name: String, _ host: String?) -> Refused {
            Refused(name: name, changing: ["Host": host], status: 421, problem: "misdirected-request")
        }
    }

    static let partner = "https://partner.example.com"

    static let refused: [Refused] = [
        .csrf("without the header field", changing: ["X-CSRF": nil]),
        .csrf("with another value", changing: ["X-CSRF": "0"]),
        .csrf("with an empty value", changing: ["X-CSRF": ""]),
        .csrf("with the field twice", adding: [("X-CSRF", "1")]),
        .csrf("with a list of values", changing: ["X-CSRF": "1, 1"]),
        .csrf("from another origin", changing: ["Origin": "https://evil.example.com"]),
        .csrf("from a null origin", changing: ["Origin": "null"]),
        .csrf("from an empty origin", changing: ["Origin": ""]),
        .csrf("from our host over http", changing: ["Origin": "http://app.example.com"]),
        .csrf("from another port of our host", changing: ["Origin": "https://app.example.com:8443"]),
        .csrf("from our origin in other letters", changing: ["Origin": "https://APP.example.com"]),
        .csrf("from a name that begins like ours", changing: ["Origin": "https://app.example.com.evil.com"]),
        .csrf("from our origin with a path", changing: ["Origin": "https://app.example.com/"]),
        .csrf("with two origins", adding: [("Origin", "https://app.example.com")]),
        .csrf(
            "with two origins in one field", changing: ["Origin": "https://app.example.com, https://app.example.com"]),
        .csrf(
            "from an unlisted origin beside a listed one", changing: ["Origin": "https://evil.example.com"],
            origins: [partner]),
        .csrf("from another site", changing: ["Sec-Fetch-Site": "cross-site"]),
        .csrf("from the address bar", changing: ["Sec-Fetch-Site": "none"]),
        .csrf("from the same site", changing: ["Sec-Fetch-Site": "same-site"]),
        .csrf(
            "from the same site without an origin", changing: ["Sec-Fetch-Site": "same-site", "Origin": nil],
            origins: [partner]),
        .csrf("from the same site with our origin", changing: ["Sec-Fetch-Site": "same-site"], origins: [partner]),
        .csrf(
            "from another site with a listed origin",
            changing: ["Sec-Fetch-Site": "cross-site", "Origin": partner], origins: [partner]),
        .csrf("with a word of its own about the site", changing: ["Sec-Fetch-Site": "same-origin-ish"]),
        .csrf("with an empty word about the site", changing: ["Sec-Fetch-Site": ""]),
        .csrf("with two words about the site", adding: [("Sec-Fetch-Site", "same-origin")]),
        .host("for another host", "evil.example.com"),
        .host("for our name as an address", "203.0.113.7"),
        .host("for another port", "app.example.com:8080"),
        .host("for a name that ends like ours", "xapp.example.com"),
        .host("for our name with a dot at its end", "app.example.com."),
        .host("for an empty host", ""),
        .host("for no host", nil),
        Refused(
            name: "for two hosts", adding: [("Host", "app.example.com")], status: 421, problem: "misdirected-request"),
        Refused(
            name: "with our cookie twice", adding: [("Cookie", "__Host-Http-cloakroom=x")], status: 400,
            problem: "duplicate-cookie"),
        Refused(
            name: "with the cookie of a session without a sign-in twice",
            adding: [("Cookie", "__Host-Http-cloakroom-start=x; __Host-Http-cloakroom-start=y")], status: 400,
            problem: "duplicate-cookie"),
        Refused(
            name: "with our cookie twice in one field",
            changing: ["Cookie": "__Host-Http-cloakroom=x; a=b; __Host-Http-cloakroom=x"], status: 400,
            problem: "duplicate-cookie"),
    ]

    /// One operation of each method.
    static let operations: [(HTTPMethod, String)] = [
        (.get, "/bff/session"), (.get, "/bff/standard/user"), (.post, "/bff/standard/start"), (.post, "/bff/logout"),
        (.delete, "/bff/standard/flows/f_AAAAAAAAAAAAAAAAAAAAAA"),
    ]

    @Test("refuses a call", arguments: refused, operations)
    func refuses(_ refused: Refused, _ operation: (HTTPMethod, String)) async throws {
        let fixture = try APIFixture { $0.corsOrigins = refused.origins }
        let browser = try await fixture.signedIn()
        let session = browser.session
        let starts = fixture.provider.count(.start)
        let answer = await browser.call(
            operation.0, operation.1, operation.0 == .post ? "{}" : nil, changing: refused.changing,
            adding: refused.adding)
        #expect(answer.status == refused.status)
        #expect(answer.problem == refused.problem)
        #expect(answer.headers["set-cookie"] == nil)
        #expect(fixture.provider.count(.start) == starts)
        #expect(browser.session == session)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("has a refusal for every operation without the header field")
    func everyOperation() async throws {
        let fixture = try APIFixture()
        // Browsers send no such field for a stream: `EventAttackTests` has its rules.
        for route in Route.all(under: "/bff")
        where !route.operation.isNavigation && !route.operation.isServerCall && !route.operation.isBrowserCall
            && route.operation != .streamEvents
        {
            let path = route.template.split(separator: "/").map { part in
                part == "{instance}" ? "standard" : part == "{flow}" ? "f_AAAAAAAAAAAAAAAAAAAAAA" : String(part)
            }
            let answer = await fixture.browser.call(
                route.method, "/" + path.joined(separator: "/"), changing: ["X-CSRF": nil])
            #expect(answer.problem == "csrf", "\(route.template)")
        }
    }

    static let accepted: [(String, changing: [String: String?], adding: [(String, String)])] = [
        ("with everything a browser sends", [:], []),
        ("without origin and fetch metadata", ["Origin": nil, "Sec-Fetch-Site": nil], []),
        ("with our port written", ["Host": "app.example.com:443"], []),
        ("with our host in other letters", ["Host": "APP.Example.COM"], []),
        ("for a listed host", ["Host": "alias.example.com"], []),
        ("for a listed host and port", ["Host": "alias.example.com:8443"], []),
        ("from a listed origin of the same site", ["Origin": partner, "Sec-Fetch-Site": "same-site"], []),
        ("with whatever Accept says", [:], [("Accept", "text/html")]),
        ("with a cookie whose name is like ours", [:], [("Cookie", "__Host-Http-Cloakroom=x; _Host-Http-cloakroom=y")]),
        (
            "with cookies whose names begin or end like ours", [:],
            [("Cookie", "__Host-Http-cloakroom-star=x; __Host-Http-cloakroom-start2=y; -start=z")]
        ),
    ]

    @Test("lets a call in", arguments: accepted.indices)
    func accepts(_ index: Int) async throws {
        let (name, changing, adding) = Self.accepted[index]
        let fixture = try APIFixture {
            $0.corsOrigins = [Self.partner]
            $0.hosts = ["alias.example.com", "alias.example.com:8443"]
        }
        let answer = await fixture.browser.call(.get, "/bff/session", changing: changing, adding: adding)
        #expect(answer.status == 200, "\(name)")
        #expect(answer.header("content-type") == "application/json")
    }

    @Test("does not believe the default name of the header field when another one is configured")
    func otherHeader() async throws {
        let fixture = try APIFixture {
            $0.csrfHeader = "X-Requested-By"
            $0.csrfValue = "our SPA".replacing(" ", with: "-")
        }
        let refused = await fixture.browser.call(.get, "/bff/session")
        #expect(refused.problem == "csrf" && refused["fields"]?[0]?["id"] == "X-Requested-By")
        let answer = await fixture.browser.call(.get, "/bff/session", adding: [("x-requested-by", "our-SPA")])
        #expect(answer.status == 200)
    }

    @Test(
        "takes a cookie that opens nothing for none",
        arguments: [
            "x", "", "AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "\"quoted\"",
            "../../etc/passwd",
            String(repeating: "A", count: 4000), "AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
        ])
    func garbageCookie(_ value: String) async throws {
        let browser = try APIFixture().browser
        browser.session = value
        let answer = await browser.call(.get, "/bff/session")
        #expect(answer.status == 200 && answer["authenticated"] == false)
        let user = await browser.call(.get, "/bff/standard/user")
        #expect(user.status == 401 && user.problem == "signed-out")
        #expect(user.headers["set-cookie"] == nil)
        #expect(user.header("www-authenticate") == "Cookie realm=\"cloakroom\"")
    }

    @Test("shows the contract to anybody at our host, without looking at the cookie")
    func contractIsExempt() async throws {
        let fixture = try APIFixture()
        let fields: [String: String?] = ["X-CSRF": nil, "Origin": "null", "Sec-Fetch-Site": "none"]
        let twice = [("Cookie", "__Host-Http-cloakroom=a; __Host-Http-cloakroom=b")]
        let answer = await fixture.browser.call(.get, "/openapi.yaml", changing: fields, adding: twice)
        #expect(answer.status == 200 && answer.header("content-type") == "application/yaml")
        let other = await fixture.browser.call(.get, "/openapi.yaml", changing: ["Host": "evil.example.com"])
        #expect(other.problem == "misdirected-request")
    }
}
