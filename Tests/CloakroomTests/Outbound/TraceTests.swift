import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import OpenIDConnect
import ResourceServer
import TestSupport
import Testing

/// Every call that leaves the server, seen by those who got it: providers, and an API behind a route.
@Suite("A trace", .timeLimit(.minutes(2)))
struct TraceTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let given = "00-\(id)-00f067aa0ba902b7-01"
    private static let state = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"

    /// What arrived somewhere.
    private struct Arrived: Sendable {
        let target: String
        let parents: [String]
        let states: [String]

        init(_ target: String, _ headers: RequestHeaders) {
            self.target = target
            parents = headers.values("traceparent")
            states = headers.values("tracestate")
        }

        /// The context of a call that carries exactly one that is well-formed.
        var context: TraceContext? { parents.count == 1 ? TraceContext(traceparent: parents[0]) : nil }

        /// Whether the server may have asked this by itself, before anybody called.
        var isDiscovery: Bool { target.contains("/.well-known/") }
    }

    /// A bench with a step-up client, an API that answers everything and an issuer that is asked about tokens.
    private func withTraces(
        _ dialect: SimulatedDialect, _ kept: Locked<Settings?> = Locked(nil),
        _ body: (Bench, () -> [Arrived]) async throws -> Void
    ) async throws {
        let atAPI = Locked<[Arrived]>([])
        let upstream = try Listener(
            ListenerSettings(), logger: RecordedLog().logger("upstream"),
            refusal: { status, _ in ServerResponse(status: status) }
        ) { request in
            atAPI.withLock { $0.append(Arrived(request.target, request.headers)) }
            return ServerResponse(status: 200, body: Array("[]".utf8))
        }
        try upstream.start()
        let address = try #require(WebURL("http://127.0.0.1:\(upstream.port)/accounts"))
        var options = Bench.Options(dialect: dialect)
        options.adjust = { settings, simulator in
            settings.addTransactionClient(dialect)
            settings.requirements = [LedgerAPI.highValue(dialect)]
            settings.issuers = [
                try TrustedIssuer(
                    issuer: simulator.issuer, discovery: try #require(WebURL(simulator.discoveryURL)), profile: .am,
                    clients: ["bff", "bff-tx"],
                    mode: .introspection(
                        IntrospectionSettings(
                            clientID: "bff", clientSecret: Secret("s/ecret+1"),
                            authentication: dialect == .openam ? .basicRaw : .basic)))
            ]
            settings.routes = [
                RouteSettings(
                    path: "/api/accounts", upstream: address, methods: [.get, .post],
                    route: RouteDefinition(id: "accounts", clients: ["standard"], demand: .signedIn))
            ]
            kept.withLock { [settings] in $0 = settings }
        }
        do {
            try await withBench(options) { bench in
                try await body(bench) {
                    bench.simulator.requests.map { Arrived($0.target, $0.headers) } + atAPI.withLock { $0 }
                }
            }
        } catch {
            await upstream.stop(grace: .seconds(1))
            throw error
        }
        await upstream.stop(grace: .seconds(1))
    }

    /// Everything that a user does, with header fields of the browser's.
    private func everything(_ bench: Bench, _ headers: [String: String?]) async throws {
        let browser = bench.browser()
        func call(_ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil) async throws -> Browser.Answer {
            try await browser.call(method, path, json, headers: headers)
        }
        let page = try await call(.post, "/bff/standard/start", [:])
        let done = try await call(.post, "/bff/standard/next", Browser.credentials(page, "demo"))
        #expect(done["signedIn"] == true, "\(done.json.text)")
        #expect(try await call(.post, "/bff/standard/token/refresh").status == 200)
        #expect(try await call(.get, "/bff/standard/user?refresh=true").status == 200)
        let code = try await call(.post, "/bff/transaction/start", ["for": "high-value"])
        let raised = try await call(
            .post, "/bff/transaction/next",
            ["flow": code["flow"] ?? .null, "step": code["step"] ?? .null, "values": ["IDToken1": "424242"]])
        #expect(raised["signedIn"] == true, "\(raised.json.text)")
        #expect(try await call(.get, "/api/accounts").status == 200)
        #expect(try await call(.post, "/api/accounts", [:]).status == 200)
        #expect(try await call(.post, "/bff/transaction/token/revoke").status == 204)
        let asked = try await bench.admin(
            "/authz/signed-in",
            headers: headers.compactMap { name, value in value.map { (name, $0) } } + [("Authorization", "Bearer none")]
        )
        #expect(asked.status == 401)
        #expect(try await call(.post, "/bff/logout", [:]).status == 204)
        await bench.settled()
    }

    /// What a whole day of a user makes the server ask.
    private static let kinds = [
        "/authenticate", "/authorize", "/access_token", "/userinfo", "/sessions", "/token/revoke", "/introspect",
        "/accounts", "/jwk_uri",
    ]

    @Test(
        "of the browser goes on through every call, each a span of its own, with flags and state kept",
        arguments: SimulatedDialect.allCases)
    func everyCall(_ dialect: SimulatedDialect) async throws {
        try await withTraces(dialect) { bench, arrived in
            try await everything(bench, ["traceparent": Self.given, "tracestate": Self.state])
            let all = arrived()
            for kind in Self.kinds {
                #expect(all.contains { $0.target.contains(kind) }, "\(kind)")
            }
            for call in all where !call.isDiscovery {
                #expect(call.context?.traceID == Self.id && call.context?.flags == "01", "\(call)")
                #expect(call.states == [Self.state], "\(call)")
            }
            let spans = all.compactMap(\.context).map(\.parentID) + ["00f067aa0ba902b7"]
            #expect(spans.count == all.count + 1 && Set(spans).count == spans.count)
        }
    }

    static let useless: [[String: String?]] = [
        [:], ["traceparent": "00-x-y-01", "tracestate": state],
        ["traceparent": "00-\(id)-0000000000000000-01", "tracestate": state],
        ["traceparent": "ff-\(id)-00f067aa0ba902b7-01"], ["tracestate": state],
    ]

    @Test("that cannot be used is not passed on; each call of the browser begins one", arguments: useless.indices)
    func begun(_ index: Int) async throws {
        try await withTraces(.ping) { bench, arrived in
            try await everything(bench, Self.useless[index])
            let all = arrived()
            for call in all {
                #expect(call.context?.flags == "00" && call.states.isEmpty, "\(call)")
                #expect(call.context?.traceID != Self.id)
            }
            let spans = all.compactMap(\.context).map(\.parentID)
            #expect(spans.count == all.count && Set(spans).count == spans.count)
            // What one call of the browser leads to is one trace, and no two calls share it.
            func traces(_ kind: String) -> [String?] {
                all.filter { $0.target.contains(kind) }.map { $0.context?.traceID }
            }
            let steps = traces("/authenticate")
            #expect(steps.count == 4 && Set(steps).count == 4)
            #expect(traces("/authorize") == [steps[1], steps[3]])
            #expect(traces("/access_token").prefix(1) == [steps[1]] && traces("/access_token").last == steps[3])
        }
    }

    @Test("of a revocation that is tried again is one of its own")
    func retried() async throws {
        let kept = Locked<Settings?>(nil)
        try await withTraces(.ping, kept) { bench, arrived in
            var settings = try #require(kept.withLock { $0 })
            settings.api = bench.api
            let headers: [String: String?] = ["traceparent": Self.given]
            let browser = bench.browser()
            try await browser.signIn()
            bench.simulator.faults.outage = true
            let answer = try await browser.call(.post, "/bff/standard/token/revoke", headers: headers)
            #expect(answer["pending"] == true)
            bench.simulator.faults.clear()
            bench.simulator.forgetRequests()
            try bench.server.reload(settings)
            while bench.simulator.received("/token/revoke") < 2 { await Task.yield() }
            let all = arrived()
            #expect(all.allSatisfy { $0.context?.flags == "00" && $0.context?.traceID != Self.id })
            #expect(Set(all.compactMap(\.context).map(\.parentID)).count == all.count)
        }
    }
}
