import Basics
import HTTPCore
import OpenIDConnect
import ProductKit
import TestSupport
import Testing

@testable import Cloakroom

@Suite("The calls for what providers publish")
struct DocumentCallTests {
    private static let base = "https://auth.pingone.eu/env/as"

    @Test func `name the SDK at the environments of DaVinci clients, and nowhere else`() async throws {
        let network = ScriptedTransport()
        let calls = DocumentCalls(network, SystemTime())
        var settings = try SettingsText.read(DaVinciSettingsTests.good).settings
        settings.clients[0].openID.endpointOrigins = ["https://keys.example.com"]
        settings.clients += try SettingsText.read(SettingsText.good).settings.clients
        calls.follow(settings.clients)
        let discovery = Self.base + "/.well-known/openid-configuration"
        let named = [discovery, Self.base + "/jwks", "https://keys.example.com/k"]
        let others = [
            "https://auth.pingone.eu/env/as-other/jwks", "https://keys.example.com.evil.example/k",
            settings.clients[1].openID.discovery.text,
        ]
        for address in named + others {
            let url = try #require(WebURL(address))
            network.on(.get, address, answering: ClientResponse(status: 200))
            _ = try await calls.send(ClientRequest(.get, url), deadline: .now + .seconds(10))
            let sent = network.requests(to: address).last
            #expect(sent?.field("x-requested-with") == (named.contains(address) ? "ping-sdk" : nil), "\(address)")
            #expect(sent?.field("x-requested-platform") == (named.contains(address) ? "javascript" : nil))
        }
        // The settings of before do not count.
        calls.follow([])
        let url = try #require(WebURL(discovery))
        _ = try await calls.send(ClientRequest(.get, url), deadline: .now + .seconds(10))
        #expect(network.requests(to: discovery).last?.field("x-requested-with") == nil)
    }
}
