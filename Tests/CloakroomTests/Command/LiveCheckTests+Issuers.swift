import BFF
import BFFAPI
import Basics
import Discovery
import HTTPCore
import HTTPServer
import IdentitySimulator
import JOSE
import JourneyClient
import JourneyProduct
import Logs
import OpenIDConnect
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import Cloakroom
@testable import ProductKit

/// The checks of `issuers`.
extension LiveCheckTests {
    /// What is said of entries of `issuers` with these names and credentials of the client that may ask.
    private func issuers(
        _ dialect: SimulatedDialect, _ entries: [(name: String?, client: String, secret: String)]
    ) async throws -> [LiveFinding] {
        try await findings(
            dialect,
            all: { settings, simulator in
                let discovery = try #require(WebURL(simulator.discoveryURL))
                settings.issuers = try entries.map { entry in
                    try TrustedIssuer(
                        issuer: entry.name ?? simulator.issuer, discovery: discovery, profile: .am, audiences: ["bff"],
                        mode: .both(IntrospectionSettings(clientID: entry.client, clientSecret: Secret(entry.secret))))
                }
            }
        ).filter { $0.subject.hasPrefix("issuers") }
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells credentials that may not ask an issuer about tokens`(_ dialect: SimulatedDialect) async throws {
        let found = try await issuers(
            dialect, [(nil, "rs", "rs-secret"), (nil, "rs", "wrong"), (nil, "nobody", "rs-secret")])
        let parts = ["discovery", "keys", "introspection"]
        #expect(found.map(\.subject) == (0..<3).flatMap { place in parts.map { "issuers[\(place)]: \($0)" } })
        let failures = found.filter { $0.failure != nil }
        #expect(failures.map(\.subject) == ["issuers[1]: introspection", "issuers[2]: introspection"])
        for failure in failures {
            #expect(
                failure.failure
                    == "the issuer does not answer this client; correct introspection.clientId, "
                    + "introspection.clientSecret or introspection.clientAuthentication, "
                    + "or allow it to ask about tokens")
        }
    }

    @Test func `says that a secret for introspection has characters that OpenAM does not decode`() async throws {
        let credentials: [(name: String?, client: String, secret: String)] = [(nil, "bff", "s/ecret+1")]
        #expect(try await issuers(.ping, credentials).allSatisfy { $0.failure == nil })
        let fault = try #require(try await issuers(.openam, credentials).last?.failure)
        #expect(fault.hasSuffix("try clientAuthentication: client_secret_basic_raw"), "\(fault)")
        #expect(!fault.contains("s/ecret+1"))
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells an issuer of another name, and the setting that it stands in`(
        _ dialect: SimulatedDialect
    ) async throws {
        let found = try await issuers(dialect, [("https://other.example.com", "rs", "rs-secret")])
        #expect(found.map(\.subject) == ["issuers[0]: discovery"])
        let fault = try #require(found.first?.failure)
        #expect(fault.hasPrefix("the document names the issuer http://127.0.0.1:"), "\(fault)")
        #expect(fault.contains("expected https://other.example.com; if that is right, set issuers[0].issuer: http://"))
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells a key set that cannot be read, cannot be had or lies elsewhere`(
        _ dialect: SimulatedDialect
    ) async throws {
        func keys(_ effect: Fault.Effect) async throws -> [String: String] {
            try await failures(dialect, { _ in }) { $0.faults.add(effect, path: "/connect/jwk_uri") }
        }
        let subject = "clients.standard: keys"
        #expect(try await keys(.garbage) == [subject: "the document is malformed"])
        #expect(
            try await keys(.serverError(status: 500))[subject]?.hasSuffix(
                "/connect/jwk_uri answers with status 500; correct jwks_uri at the provider") == true)
        #expect(try await keys(.drop)[subject]?.hasSuffix(" gives no usable answer (closed)") == true)
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `asks an issuer about tokens where the settings say, not where its document does`(
        _ dialect: SimulatedDialect
    ) async throws {
        let found = try await findings(
            dialect,
            all: { settings, simulator in
                let discovery = try #require(WebURL(simulator.discoveryURL))
                settings.issuers = [
                    try TrustedIssuer(
                        issuer: simulator.issuer, discovery: discovery, profile: .am, clients: ["bff"],
                        mode: .introspection(
                            IntrospectionSettings(
                                endpoint: discovery.appending(path: "/nothing"), clientID: "bff",
                                clientSecret: Secret("s/ecret+1"))))
                ]
            })
        #expect(found.last?.subject == "issuers[0]: introspection")
        #expect(found.last?.failure?.contains("answers 404") == true)
    }
}
