import BFF
import BFFAPI
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import OpenIDConnect
import ProductKit
import TestSupport
import Testing

/// The simulator's gateway behind a route: its advices, the journeys that they lead to, and the call that comes again.
@Suite("A gateway's advice over the whole server")
struct GatewayTests {
    private func run(_ body: (Bench, Browser) async throws -> Void) async throws {
        try await withLedger(
            adjust: { settings in
                let address = settings.clients[0].openID.discovery
                guard let upstream = WebURL("http://127.0.0.1:\(address.port)/gateway") else { return }
                settings.routes.append(
                    RouteSettings(
                        path: "/api/gateway", upstream: upstream, methods: [.post],
                        route: RouteDefinition(
                            id: "gateway", clients: ["standard", "transaction"], demand: .signedIn)))
            }
        ) { bench, _ in
            let browser = bench.browser()
            try await browser.signIn()
            try await body(bench, browser)
        }
    }

    @Test("for a level or a journey leads to a stronger token", arguments: ["level", "journey", "level/redirect"])
    func stronger(kind: String) async throws {
        try await run { _, browser in
            let refused = try await browser.call(.post, "/api/gateway/\(kind)", ["amount": 1])
            #expect(refused["type"] == "/problems/step-up-required", "\(refused.json.text)")
            #expect(try await browser.enterCode(try await browser.startStepUp(refused))["signedIn"] == true)
            let passed = try await browser.call(.post, "/api/gateway/\(kind)", ["amount": 1])
            #expect(passed.status == 200 && passed["level"] == 3, "\(passed.json.text)")
        }
    }

    @Test("for a transaction leads to the user's yes, for one call; a wrong code only shows when that comes again")
    func transaction() async throws {
        try await run { bench, browser in
            let token = try await browser.user()["token.scope"]
            for (code, status) in [("000000", 403), ("424242", 200)] {
                let refused = try await browser.call(.post, "/api/gateway/transaction", ["amount": 1])
                #expect(refused["type"] == "/problems/step-up-required", "\(refused.json.text)")
                let end = try await browser.enterCode(try await browser.startStepUp(refused), code)
                #expect(end["type"] == "success" && end["signedIn"] == false, "\(end.json.text)")
                let again = try await browser.call(.post, "/api/gateway/transaction", ["amount": 1])
                #expect(again.status == status, "\(again.json.text)")
            }
            #expect(try await browser.user("transaction").status == 401)
            #expect(try await browser.user()["token.scope"] == token)
            let other = try await browser.call(.post, "/api/gateway/transaction", ["amount": 2])
            #expect(other.status == 403)
        }
    }
}
