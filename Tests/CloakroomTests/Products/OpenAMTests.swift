import BFF
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JOSE
import JSON
import JourneyProduct
import OpenIDConnect
import ProductKit
import TestSupport
import Testing

@Suite("A user of the composed server at OpenAM")
struct OpenAMTests {
    private static let json = "/am/json/realms/root/realms/alpha"
    private static let oauth = "/am/oauth2/realms/root/realms/alpha"

    /// What the provider was asked for at the end of a path, without the queries.
    private func requests(_ bench: Bench, _ path: String) -> [ReceivedRequest] {
        bench.simulator.requests.filter { $0.target.split(separator: "?")[0].hasSuffix(path) }
    }

    @Test("sends the session as header and as cookie wherever it goes, and to no address")
    func transport() async throws {
        try await withBench(Bench.Options(dialect: .openam)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            #expect(try await browser.signOut().status == 204)
            let carried = requests(bench, "/authorize") + requests(bench, "/sessions")
            #expect(!carried.isEmpty)
            for request in carried {
                let session = try #require(request.headers.single("iplanetdirectorypro"))
                let cookies = request.headers.values("cookie").joined(separator: "; ")
                #expect(cookies.contains("iPlanetDirectoryPro=\(session)"))
                #expect(cookies.split(separator: "iPlanetDirectoryPro=").count <= 2)
                #expect(!request.target.contains("sessionUpgrade"))
            }
        }
    }

    @Test("signs out for good: the provider's session and the tokens are ended there")
    func signOut() async throws {
        try await withBench(Bench.Options(dialect: .openam)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            #expect(bench.simulator.sessionCount == 1)
            #expect(try await browser.signOut().status == 204)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
            #expect(bench.simulator.received("/token/revoke") == 2)
            // Newest version first, the one without a number after the 404.
            let versions = requests(bench, "/sessions").map { $0.headers.single("accept-api-version") }
            #expect(versions.contains { $0?.contains("resource=") == true })
            #expect(versions.contains { $0?.contains("resource=") != true })
        }
    }

    @Test("revokes tokens by the endpoint that discovery does not name")
    func revoke() async throws {
        try await withBench(Bench.Options(dialect: .openam)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let revoked = try await browser.call(.post, "/bff/standard/token/revoke")
            #expect(revoked.status == 204, "\(revoked.json.text)")
            #expect(bench.simulator.received("\(Self.oauth)/token/revoke") == 2)
            #expect(try await browser.user().status == 401)
        }
    }

    @Test("who signs in over a living session leaves one session at the provider")
    func overAnother() async throws {
        try await withBench(Bench.Options(dialect: .openam)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            try await browser.signIn()
            #expect(try await browser.user().status == 200)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 1)
            #expect(try await browser.signOut().status == 204)
            await bench.settled()
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
        }
    }

    @Test("whose session was ended at the provider is not shown its value by a step-up")
    func deadSession() async throws {
        try await withLedger(.openam) { bench, _ in
            let browser = bench.browser()
            try await browser.signIn()
            bench.simulator.endSessions()
            // The provider answers with the session in its message; the bench searches every answer for it.
            let start = try await browser.startStepUp(try await browser.transfer())
            #expect(start["signedIn"] != true, "\(start.json.text)")
            #expect(try await browser.user("transaction").status == 401)
        }
    }

    @Test("is refused in the provider's words when locked or not active")
    func refusals() async throws {
        try await withBench(Bench.Options(dialect: .openam)) { bench in
            let browser = bench.browser()
            let inactive = try await browser.signIn("carol")
            #expect(inactive["reason"] == "authentication-failed")
            #expect(inactive["message"] == "User not Active")
            var message: JSONValue?
            for _ in 0..<5 { message = try await browser.answer(try await browser.start(), "bob", "wrong")["message"] }
            #expect(message == "Your account has been locked.")
        }
    }

    @Test("signs in by ID tokens under HS256, and under ES256 whose kid names another key")
    func algorithms() async throws {
        for (id, secret) in [
            ("bff-hs", "a-secret-of-more-than-32-bytes-for-HS256"), ("bff-tx", "tx:s%cret"),
        ] {
            var options = Bench.Options(dialect: .openam)
            options.clients = { clients in
                var clients = clients
                clients[0].openID.clientID = id
                clients[0].openID.authentication = SimulatedDialect.openam.authentication(secret)
                clients[0].openID.scopes = ["openid", "profile"]
                if id == "bff-hs" {
                    clients[0].openID.algorithms = []
                    clients[0].openID.macAlgorithms = [.HS256]
                }
                return clients
            }
            try await withBench(options) { (bench) async throws in
                let browser = bench.browser()
                #expect(try await browser.signIn()["signedIn"] == true, "\(id)")
                #expect(try await browser.call(.post, "/bff/standard/token/refresh").status == 200, "\(id)")
            }
        }
    }

    @Test("of the root realm signs in and out")
    func rootRealm() async throws {
        var options = Bench.Options(dialect: .openam)
        options.provider = { $0.realm = "/" }
        options.clients = { clients in
            var clients = clients
            clients[0].journey.realm = "root"
            return clients
        }
        try await withBench(options) { (bench) async throws in
            let browser = bench.browser()
            #expect(try await browser.signIn()["signedIn"] == true)
            #expect(try await browser.signOut().status == 204)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
        }
    }
}
