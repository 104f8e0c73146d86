import Basics
import Discovery
import HTTPCore
import OpenIDConnect
import ProductKit
import TestSupport
import Testing

@testable import Cloakroom

@Suite("What a server says of its providers")
struct ProviderNoticeTests {
    private static let base = "https://tenant.example.com/am/oauth2/realms/root/realms/alpha"
    private static let discovery = base + "/.well-known/openid-configuration"

    private let network = ScriptedTransport()
    private let time = ManualTime()
    private let log = RecordedLog()

    private func serve(issuer: String = base) {
        network.on(
            .get, Self.discovery,
            answering: .json(
                #"{"issuer":"\#(issuer)","authorization_endpoint":"\#(Self.base)/a","token_endpoint":"\#(Self.base)/t","#
                    + #""jwks_uri":"\#(Self.base)/k"}"#))
    }

    private func notices(_ change: (inout ClientSettings) -> Void) throws -> ProviderNotices {
        var client = try SettingsText.read(SettingsText.good).settings.clients[0]
        change(&client)
        return ProviderNotices([client], [], ProviderDirectory(transport: network, time: time), log.logger())
    }

    private func lines() -> [String] { log.lines.filter { $0.contains("client=standard") } }

    @Test("a missing revocation endpoint is a warning, told once, when the provider can be asked")
    func noRevocation() async throws {
        let notices = try notices { $0.openID.endpoints.isAM = false }
        network.on(.get, Self.discovery, failing: .notReached(.connect))
        await notices.checkProviders(deadline: .now + .seconds(10))
        #expect(lines().isEmpty)
        serve()
        for _ in 0..<3 { await notices.checkProviders(deadline: .now + .seconds(10)) }
        #expect(lines().count == 1)
        #expect(lines()[0].contains("warning") && lines()[0].contains("clients.standard.oidc.revocationEndpoint"))
    }

    @Test("nothing is said of one whose endpoint is implied or configured")
    func fine() async throws {
        serve()
        try await notices { _ in }.checkProviders(deadline: .now + .seconds(10))
        try await notices { client in
            client.openID.endpoints = StatedEndpoints(revocation: WebURL(Self.base + "/r"))
        }.checkProviders(deadline: .now + .seconds(10))
        #expect(lines().isEmpty)
    }

    @Test("another issuer is an error with both names and the line to change")
    func otherIssuer() async throws {
        serve(issuer: "https://tenant.example.com/am/oauth2")
        let notices = try notices { _ in }
        for _ in 0..<2 { await notices.checkProviders(deadline: .now + .seconds(10)) }
        #expect(lines().count == 1)
        let line = try #require(lines().first)
        #expect(line.contains("expected=\(Self.base)") && line.contains("found=https://tenant.example.com/am/oauth2 "))
        #expect(line.contains("setting=clients.standard.oidc.issuer: https://tenant.example.com/am/oauth2"))
    }
}
