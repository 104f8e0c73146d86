import Basics
import DaVinciClient
import HTTPCore
import TestSupport
import Testing

@Suite("The example of DaVinci")
struct DaVinciExampleTests {
    private let base = "https://auth.pingone.eu/ENVIRONMENT"
    private let network = ScriptedTransport()

    init() {
        network.on(
            .get, base + "/as/.well-known/openid-configuration",
            answering: .json(
                """
                {"issuer":"\(base)/as","authorization_endpoint":"\(base)/as/authorize","token_endpoint":"\(base)/as/token",\
                "jwks_uri":"\(base)/as/jwks"}
                """))
        // The key of RFC 7517 appendix A.1.
        let key = """
            {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
            "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
            """
        network.on(.get, base + "/as/jwks", answering: .json(key))
    }

    @Test func `answers pages until it is told why not`() async throws {
        let page = """
            {"id":"n","interactionId":"i","_links":{"next":{"href":"\(base)/davinci/next"}},"form":{"components":{"fields":[\
            {"type":"TEXT","key":"username"},{"type":"PASSWORD","key":"password"},{"type":"SUBMIT_BUTTON","key":"go"}]}}}
            """
        network.on(.get, base + "/as/authorize", answering: .json(page))
        network.on(.post, base + "/davinci/next", answering: .json(page), .json(#"{"message":" No"}"#, status: 400))
        #expect(try await signIn(makeDaVinci(network), PingStores(), "Ch4ng3it!") == "No")
        #expect(network.requests(to: base + "/davinci/next").count == 2)
    }

    @Test func `shows PingOne the cookies of the storage that its block names`() async throws {
        network.on(.get, base + "/as/authorize", answering: .json("{}", status: 503))
        let shelf = Shelf<DaVinciSession>()
        var cookies = CookieJar()
        let url = try #require(WebURL(base + "/as/authorize"))
        cookies.store(try #require(SetCookie(parsing: "ST=s1; Path=/; Secure")), from: url, now: SystemTime().now())
        try await shelf.save(DaVinciSession(value: Secret("s1"), cookies: cookies))
        _ = try await makeShelvedDaVinci(network, shelf).bound().start()
        #expect(network.requests(to: base + "/as/authorize").map { $0.header("cookie") } == ["ST=s1"])
    }
}
