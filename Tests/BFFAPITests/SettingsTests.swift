import HTTPCore
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The settings of the API")
struct SettingsTests {
    /// What is wrong, and the setting that is named.
    static let faulty: [(String, @Sendable (inout APISettings) -> Void)] = [
        ("server.publicUrl", { $0.publicURL = url("https://app.example.com/path") }),
        ("server.publicUrl", { $0.publicURL = url("https://app.example.com/?x") }),
        ("server.publicUrl", { $0.publicURL = url("http://app.example.com") }),
        ("server.publicUrl", { $0.publicURL = url("http://localhost:8080") }),
        (
            "server.publicUrl",
            {
                $0.publicURL = url("http://app.example.com")
                $0.insecureHTTP = true
            }
        ),
        ("server.basePath", { $0.basePath = "" }), ("server.basePath", { $0.basePath = "/" }),
        ("server.basePath", { $0.basePath = "bff" }), ("server.basePath", { $0.basePath = "/bff/" }),
        ("server.basePath", { $0.basePath = "/bff//v1" }), ("server.basePath", { $0.basePath = "/b ff" }),
        ("server.basePath", { $0.basePath = "/../bff" }), ("server.basePath", { $0.basePath = "/{instance}" }),
        ("server.basePath", { $0.basePath = "/b%66f" }),
        ("server.csrfHeader", { $0.csrfHeader = "Accept" }), ("server.csrfHeader", { $0.csrfHeader = "Content-Type" }),
        ("server.csrfHeader", { $0.csrfHeader = "Origin" }), ("server.csrfHeader", { $0.csrfHeader = "X-" }),
        ("server.csrfHeader", { $0.csrfHeader = "X CSRF" }), ("server.csrfHeader", { $0.csrfHeader = "X-CSRF\r\nA" }),
        ("server.csrfHeader", { $0.csrfHeader = "" }), ("server.csrfValue", { $0.csrfValue = "" }),
        ("server.csrfValue", { $0.csrfValue = "a b" }), ("server.csrfValue", { $0.csrfValue = "é" }),
        ("server.corsOrigins", { $0.corsOrigins = ["*"] }), ("server.corsOrigins", { $0.corsOrigins = ["null"] }),
        ("server.corsOrigins", { $0.corsOrigins = ["https://a.example.com/"] }),
        ("server.corsOrigins", { $0.corsOrigins = ["https://a.example.com:443"] }),
        ("server.corsOrigins", { $0.corsOrigins = ["https://A.example.com"] }),
        ("server.corsOrigins", { $0.corsOrigins = ["http://a.example.com"] }),
        ("server.corsOrigins", { $0.corsOrigins = ["http://localhost:3000"] }),
        ("server.corsOrigins", { $0.corsOrigins = ["https://*.example.com"] }),
        ("server.corsOrigins", { $0.corsOrigins = ["a.example.com"] }),
        ("server.webAuthn.relatedOrigins", { $0.passkeys.relatedOrigins = ["*"] }),
        ("server.webAuthn.relatedOrigins", { $0.passkeys.relatedOrigins = ["https://a.example.net/"] }),
        ("server.webAuthn.relatedOrigins", { $0.passkeys.relatedOrigins = ["https://a.example.net:443"] }),
        ("server.webAuthn.relatedOrigins", { $0.passkeys.relatedOrigins = ["https://A.example.net"] }),
        ("server.webAuthn.relatedOrigins", { $0.passkeys.relatedOrigins = ["http://a.example.net"] }),
        ("server.webAuthn.relatedOrigins", { $0.passkeys.relatedOrigins = ["https://192.0.2.1"] }),
        ("server.webAuthn.relatedOrigins", { $0.passkeys.relatedOrigins = ["https://[2001:db8::1]"] }),
        (
            "server.webAuthn.relatedOrigins",
            { $0.passkeys.relatedOrigins = ["a", "b", "c", "d", "e", "f"].map { "https://\($0).test" } }
        ),
        ("server.passkeyEndpoints.enroll", { $0.passkeys.enroll = url("http://app.example.com/new") }),
        ("server.passkeyEndpoints.manage", { $0.passkeys.manage = url("http://localhost/keys") }),
        ("server.hosts", { $0.hosts = ["https://a.example.com"] }), ("server.hosts", { $0.hosts = ["a.example.com/"] }),
        ("server.hosts", { $0.hosts = ["a.example.com/x"] }), ("server.hosts", { $0.hosts = [""] }),
        ("server.hosts", { $0.hosts = ["*.example.com"] }), ("server.hosts", { $0.hosts = ["a.example.com:0"] }),
        ("server.limits.answers", { $0.answerLimit = 100 }), ("server.limits.answers", { $0.answerLimit = 1 << 30 }),
        ("server.limits.body", { $0.bodyLimit = 0 }), ("server.limits.body", { $0.bodyLimit = 1 << 30 }),
        ("server.rates.peer", { $0.peerRate = RateLimit(burst: 0, perMinute: 1) }),
        ("server.rates.session", { $0.sessionRate = RateLimit(burst: 1, perMinute: 0) }),
        ("server.rates.flow", { $0.flowRate = RateLimit(burst: -1, perMinute: 1) }),
        ("server.rates.account", { $0.accountRate = RateLimit(burst: 1, perMinute: 0) }),
    ]

    private static func url(_ text: String) -> WebURL {
        guard let url = WebURL(text) else { preconditionFailure("not an address: \(text)") }
        return url
    }

    @Test("are refused when one of them is not sound, naming it", arguments: faulty.indices)
    func faults(_ index: Int) throws {
        let (setting, change) = Self.faulty[index]
        var settings = APISettings(publicURL: Self.url("https://app.example.com"))
        #expect(settings.problems() == [])
        change(&settings)
        #expect(settings.problems().map(\.setting) == [setting])
        #expect(throws: APISettingsError.self) { try APIFixture { change(&$0) } }
    }

    @Test("tell everything that is wrong at once")
    func allFaults() {
        var settings = APISettings(publicURL: Self.url("http://app.example.com/x"))
        settings.basePath = "x"
        settings.corsOrigins = ["*", "https://fine.example.com", "null"]
        settings.bodyLimit = 0
        #expect(
            settings.problems().map(\.setting) == [
                "server.publicUrl", "server.publicUrl", "server.basePath", "server.corsOrigins", "server.corsOrigins",
                "server.limits.body",
            ])
    }

    static let sound: [@Sendable (inout APISettings) -> Void] = [
        {
            $0.publicURL = url("http://localhost:8080")
            $0.insecureHTTP = true
            $0.corsOrigins = ["http://localhost:3000", "http://localhost:8081"]
        },
        {
            $0.publicURL = url("http://[::1]:8080")
            $0.insecureHTTP = true
        },
        { $0.basePath = "/a/b-c/d_e" }, { $0.hosts = ["a.example.com", "[2001:db8::1]:8443", "10.0.0.1"] },
        { $0.csrfHeader = "x-requested-by" },
        // One label in many countries, and four others.
        {
            let hosts = ["example.com", "shop.example.co.uk", "example.de", "a.test", "b.test", "c.test", "d.test"]
            $0.passkeys.relatedOrigins = hosts.map { "https://\($0)" } + ["https://www.example.com:8443"]
        },
    ]

    @Test("are taken as they are when they are sound", arguments: sound.indices)
    func taken(_ index: Int) {
        var settings = APISettings(publicURL: Self.url("https://app.example.com:8443"))
        Self.sound[index](&settings)
        #expect(settings.problems() == [])
    }

    @Test("name the cookie by what browsers enforce")
    func cookieName() {
        #expect(APISettings(publicURL: Self.url("https://app.example.com")).cookieName == "__Host-Http-cloakroom")
        #expect(APISettings(publicURL: Self.url("http://localhost:8080")).cookieName == "cloakroom-8080")
        #expect(APISettings(publicURL: Self.url("http://localhost")).cookieName == "cloakroom-80")
    }

    @Test("answer for a host with and without the scheme's own port")
    func hosts() async throws {
        let fixture = try APIFixture { $0.hosts = ["[2001:db8::1]", "b.example.com:443", "c.example.com:8443"] }
        for (host, status) in [
            ("[2001:db8::1]", 200), ("[2001:DB8::1]:443", 200), ("[2001:db8::1]:444", 421), ("b.example.com", 200),
            ("b.example.com:443", 200), ("c.example.com", 421), ("c.example.com:443", 421), ("c.example.com:8443", 200),
        ] {
            let answer = await fixture.browser.call(.get, "/bff/session", changing: ["Host": host])
            #expect(answer.status == status, "\(host)")
        }
    }
}
