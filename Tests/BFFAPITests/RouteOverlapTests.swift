import BFF
import HTTPCore
import ResourceServer
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A stricter route below a weaker one")
struct RouteOverlapTests {
    private static let reading = Requirement(name: "read", scopes: ["READ"])
    private static let paying = Requirement(
        name: "pay", scopes: ["PAY", "READ"], authLevel: 3, maxAge: .age(.seconds(300)))

    /// The settings that are told, of these routes in this order.
    private static func faults(
        _ routes: [RouteSettings], minimums: [String: String] = ["payment": "pay"]
    ) -> [String] {
        RouteOverlap(requirements: [reading, paying], minimums: minimums).problems(routes).map(\.setting)
    }

    private static func route(
        _ path: String, _ upstream: String, _ demand: RouteDefinition.Demand, _ methods: [HTTPMethod] = [.get],
        clients: [String] = ["standard", "payment"]
    ) throws -> RouteSettings {
        try Ledger.route(path, upstream, methods, clients: demand == .none ? [] : clients, demand)
    }

    @Test(
        "is refused in the settings where the weaker path covers it, however it is spelt",
        arguments: ["/api", "/API", "/api/Pay", "/api/pay.", "/Api/PAY..."])
    func paths(_ path: String) throws {
        let strict = try Self.route("/api/pay", "/v1/pay", .requirement("pay"))
        for demand in [.none, .signedIn, .requirement("read")] as [RouteDefinition.Demand] {
            let weak = try Self.route(path, "/other", demand)
            #expect(Self.faults([weak, strict]) == ["routes[0].path"])
            #expect(Self.faults([strict, weak]) == ["routes[1].path"])
        }
    }

    @Test(
        "is refused where the weaker upstream covers its upstream",
        arguments: ["/", "/v1", "/v1/pay", "/V1/Pay", "/v1/p%61y", "/v1/"])
    func upstreams(_ upstream: String) throws {
        let strict = try Self.route("/api/pay", "/v1/pay", .requirement("pay"))
        #expect(Self.faults([try Self.route("/other", upstream, .signedIn), strict]) == ["routes[0].upstream"])
    }

    @Test("is let through where nothing of it is covered, or by other methods only")
    func apart() throws {
        let strict = try Self.route("/api/pay", "/v1/pay", .requirement("pay"), [.post])
        #expect(Self.faults([try Self.route("/api/pay", "/v1/pay", .signedIn), strict]) == [])
        #expect(Self.faults([try Self.route("/api", "/v1", .none, [.get, .put]), strict]) == [])
        #expect(Self.faults([try Self.route("/api/payments", "/v1/payments", .none, [.post]), strict]) == [])
        #expect(Self.faults([try Self.route("/api/pay/help", "/v1/pay/help", .none, [.post]), strict]) == [])
        var elsewhere = try Self.route("/other", "/v1", .none, [.post])
        elsewhere.upstream.path = "/v1"
        elsewhere.upstream = try #require(WebURL("http://other.test:9000/v1"))
        #expect(Self.faults([elsewhere, strict]) == [])
    }

    @Test("has the method HEAD where the weaker one has GET")
    func head() throws {
        let strict = try Self.route("/api/pay", "/v1/pay", .requirement("pay"), [.head])
        #expect(Self.faults([try Self.route("/api", "/other", .signedIn, [.get]), strict]) == ["routes[0].path"])
    }

    @Test("is stricter by what its tokens have shown, by requirement or by its clients' minimum")
    func strength() throws {
        func isRefused(
            _ weak: RouteDefinition.Demand, _ strict: RouteDefinition.Demand,
            _ one: [String] = ["standard", "payment"],
            _ other: [String] = ["standard", "payment"]
        ) throws -> Bool {
            !Self.faults([
                try Self.route("/api", "/a", weak, clients: one),
                try Self.route("/api/x", "/b", strict, clients: other),
            ]).isEmpty
        }
        #expect(try isRefused(.requirement("read"), .requirement("pay")))
        #expect(try !isRefused(.requirement("pay"), .requirement("read")))
        #expect(try !isRefused(.requirement("pay"), .requirement("pay")))
        #expect(try !isRefused(.requirement("read"), .signedIn) && !isRefused(.signedIn, .signedIn))
        #expect(try !isRefused(.signedIn, .none) && !isRefused(.none, .none))
        #expect(try isRefused(.signedIn, .signedIn, ["standard"], ["payment"]))
        #expect(try !isRefused(.signedIn, .signedIn, ["payment"], ["payment"]))
        #expect(try !isRefused(.signedIn, .requirement("read"), ["payment"]))
    }

    @Test("is let through where the weaker one says insecureOverlap")
    func allowed() throws {
        var weak = try Self.route("/api", "/v1", .signedIn)
        weak.insecureOverlap = true
        #expect(Self.faults([weak, try Self.route("/api/pay", "/v1/pay", .requirement("pay"))]) == [])
    }

    private static func fixture(_ weak: RouteDefinition.Demand = .signedIn) async throws -> (APIFixture, Browser) {
        let (fixture, browser) = try await Ledger.fixture(
            try route("/api", "/v1", weak, [.get, .post]),
            try route("/api/payments", "/v1/payments", .requirement("pay"), [.post]))
        return (fixture, browser)
    }

    static let spellings = [
        "/api/Payments", "/api/PAYMENTS", "/api/payments.", "/api/payments...", "/api/payments%20", "/api/payments%20.",
        "/api/payments;x=1", "/api/payments;", "/api/payments%3bx=1", "/api/%20payments", "/api/payments%C2%A0",
        "/api/%EF%BC%B0ayments", "/api/%EF%BD%90%EF%BD%81yments", "/api/payments%EF%BC%8E",
        "/api/payments%EF%BC%9Bx=1", "/api/payments%CD%BEx=1", "/api/payments%E3%80%80", "/api/payment%C5%BF",
        "/api/payments%3Fx", "/api/payments%23", "/api/pay%E2%80%8Bments", "/api/payments%C2%AD",
        "/api/%EF%BB%BFpayments",
        "/api/Payments/7", "/api/payments;x/7", "/api/payments;%CC%81", "/api/payments.;%CC%81/7",
    ]

    @Test("is not passed by in another spelling of its path", arguments: spellings)
    func spelt(_ path: String) async throws {
        for demand in [.signedIn, .none] as [RouteDefinition.Demand] {
            let (fixture, browser) = try await Self.fixture(demand)
            let answer = await browser.call(.post, path, "{}")
            #expect(answer.status == 400 && answer.problem == "malformed", "\(path): \(answer.status)")
            // GET is 405 there when the path is spelt as it should.
            #expect(await browser.call(.get, path).status == 400)
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test("by its clients alone is not passed by either, where the overlap is allowed")
    func clients() async throws {
        for demand in [.signedIn, .requirement("pay")] as [RouteDefinition.Demand] {
            var weak = try Self.route("/api", "/v1", .requirement("pay"), clients: ["standard"])
            weak.insecureOverlap = true
            let strict = try Self.route("/api/payments", "/v1/payments", demand, clients: ["payment"])
            let (fixture, browser) = try await Ledger.fixture(weak, strict)
            #expect(await browser.call(.get, "/api/Payments").status == 400)
            #expect(await browser.call(.get, "/api/pay").problem == "step-up-required")
            #expect(fixture.network.requests.isEmpty)
        }
    }

    @Test(
        "leaves every other path to the weaker one",
        arguments: ["/api/paymentsX", "/api/pay", "/api/x/payments", "/api/payments%CC%81", "/api/p%C3%A4yments"])
    func others(_ path: String) async throws {
        let (fixture, browser) = try await Self.fixture()
        for method in [HTTPMethod.get, .post] {
            fixture.network.on(method, Ledger.origin + "/v1" + path.dropFirst(4), answering: .json("{}"))
            #expect(await browser.call(method, path, method == .post ? "{}" : nil).status == 200)
        }
    }

    @Test("that is no stricter, or is spelt the same, takes nothing away")
    func harmless() async throws {
        let (fixture, browser) = try await Ledger.fixture(
            try Self.route("/api", "/v1", .requirement("pay")),
            try Self.route("/api/accounts", "/v1/accounts", .signedIn),
            try Self.route("/api/terms", "/v1/terms", .none),
            try Self.route("/api/notes", "/v1/notes", .signedIn),
            try Self.route("/api/notes", "/v1/notes", .requirement("pay"), [.post]))
        for path in ["/api/Accounts", "/api/Terms"] {
            #expect(await browser.call(.get, path).problem == "step-up-required")
        }
        fixture.answering(.get, "/v1/notes", .json("{}"))
        #expect(await browser.call(.get, "/api/notes").status == 200)
    }
}
