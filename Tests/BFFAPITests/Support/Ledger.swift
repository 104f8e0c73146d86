import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// Routes to an API at `http://ledger.test:9000`, and the API as a test scripts it.
enum Ledger {
    static let origin = "http://ledger.test:9000"

    static func route(
        _ path: String, _ upstream: String, _ methods: [HTTPMethod] = [.get],
        clients: [String] = ["standard", "payment"], _ demand: RouteDefinition.Demand = .signedIn
    ) throws -> RouteSettings {
        RouteSettings(
            path: path, upstream: try #require(WebURL(origin + upstream)), methods: methods,
            route: RouteDefinition(id: path, clients: clients, demand: demand))
    }

    /// A browser that is signed in, of an API with these routes.
    static func fixture(
        _ routes: RouteSettings..., change: (inout APISettings) -> Void = { _ in }
    ) async throws -> (APIFixture, Browser) {
        let fixture = try APIFixture(routes: routes, change)
        let browser = try await fixture.signedIn()
        return (fixture, browser)
    }

    /// The usual routes: reads need a sign-in, writes need `pay`, `/api/public` needs nothing.
    static func usual() async throws -> (APIFixture, Browser) {
        try await fixture(
            try route("/api/accounts", "/v1/accounts", [.get, .post, .delete]),
            try route("/api/payments", "/v1/payments", [.get]),
            try route("/api/payments", "/v1/payments", [.post], .requirement("pay")),
            try route("/api/public", "/", [.get], clients: [], .none))
    }
}

extension APIFixture {
    /// The last request that reached the network.
    func sent() throws -> ClientRequest { try #require(network.requests.last) }

    func answering(_ method: HTTPMethod, _ path: String, _ responses: ClientResponse) {
        network.on(method, Ledger.origin + path, answering: responses)
    }
}

extension ClientResponse {
    /// An answer with these header fields.
    static func with(_ status: Int, _ fields: [(String, String)], _ body: String = "{}") -> ClientResponse {
        var response = ClientResponse(status: status, body: Array(body.utf8))
        for (name, value) in fields {
            guard let name = try? HTTPField.Name(checking: name) else { continue }
            response.fields.append(HTTPField(name, known: value))
        }
        return response
    }

    /// A refusal with a challenge.
    static func challenge(_ status: Int, _ challenges: String...) -> ClientResponse {
        var response = ClientResponse(status: status, body: Array("refused".utf8))
        for challenge in challenges {
            response.fields.append(HTTPField(.wwwAuthenticate, known: challenge))
        }
        return response
    }
}
