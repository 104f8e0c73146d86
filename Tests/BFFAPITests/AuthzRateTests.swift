import BFF
import Basics
import Cryptography
import Discovery
import HTTPCore
import HTTPServer
import Logs
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

/// Whoever makes tokens up wears no issuer out.
@Suite("A flood of questions about tokens", .timeLimit(.minutes(1)))
struct AuthzRateTests {
    private static let issuer = "https://as.example.com"

    private let time = ManualTime()
    private let network = ScriptedTransport()

    private func authz(_ rate: RateLimit?) throws -> AuthzAPI {
        var trusted = try TrustedIssuer(
            issuer: Self.issuer, discovery: try #require(WebURL(Self.issuer + "/d")), profile: .rfc9068,
            audiences: ["https://rs.example.com"])
        trusted.mode = .introspection(
            IntrospectionSettings(
                endpoint: WebURL(Self.issuer + "/introspect"), clientID: "rs", clientSecret: Secret("secret")))
        let accessGuard = try AccessGuard(
            issuers: [trusted], transport: network,
            directory: ProviderDirectory(transport: network, time: time, logger: .silent), time: time)
        var settings = AuthzSettings()
        settings.rate = rate
        return AuthzAPI(settings, accessGuard: accessGuard, time: time)
    }

    private func status(_ authz: AuthzAPI, _ token: String, hop: String = "198.51.100.1") async -> Int {
        let request = ServerRequest(
            method: .get, target: "/authz/signed-in",
            headers: RequestHeaders([
                (name: "Authorization", value: "Bearer \(token)"), (name: "X-Forwarded-For", value: hop),
            ]))
        do throws(Problem) {
            _ = try await authz.answer(request)
            return 204
        } catch {
            return error.type.status
        }
    }

    @Test("is cut off by the caller that the gateway says, and what is known is not counted")
    func rate() async throws {
        network.on(.post, Self.issuer + "/introspect", answering: .json(#"{"active":false}"#))
        let authz = try authz(RateLimit(burst: 2, perMinute: 30))
        for _ in 0..<5 { #expect(await status(authz, "made-up-1") == 401) }
        #expect(await status(authz, "made-up-2") == 401)
        #expect(await status(authz, "made-up-3") == 429)
        #expect(await status(authz, "made-up-1") == 401)
        #expect(await status(authz, "made-up-3", hop: "198.51.100.2") == 401)
        #expect(network.requests.count == 3)
        #expect(network.requests.allSatisfy { $0.purpose == .introspection })
        time.advance(by: .seconds(2))
        #expect(await status(authz, "made-up-4") == 401)
    }

    @Test("is counted by the address that the gateway says, however it writes it")
    func spellings() async throws {
        network.on(.post, Self.issuer + "/introspect", answering: .json(#"{"active":false}"#))
        let authz = try authz(RateLimit(burst: 2, perMinute: 30))
        let hops = ["198.51.100.1:4711", "198.51.100.1:4712", "198.51.100.1", "evil,\t198.51.100.1"]
        var statuses: [Int] = []
        for (number, hop) in hops.enumerated() { statuses.append(await status(authz, "a-\(number)", hop: hop)) }
        #expect(statuses == [401, 401, 429, 429])
        let others = ["[2001:db8::1]:4711", "2001:db8::2", "[2001:db8::3]"]
        statuses = []
        for (number, hop) in others.enumerated() { statuses.append(await status(authz, "b-\(number)", hop: hop)) }
        #expect(statuses == [401, 401, 429])
    }

    @Test("is not counted where the settings say so")
    func off() async throws {
        network.on(.post, Self.issuer + "/introspect", answering: .json(#"{"active":false}"#))
        let authz = try authz(nil)
        for number in 0..<100 { #expect(await status(authz, "made-up-\(number)") == 401) }
    }

    @Test("whose askers have gone is asked no further")
    func unawaited() async throws {
        let asked = Gate()
        let ended = Gate()
        network.on(.post, Self.issuer + "/introspect") { _ in
            await withTaskCancellationHandler {
                await asked.pass()
            } onCancel: {
                ended.open()
            }
            return .json(#"{"active":false}"#)
        }
        let authz = try authz(nil)
        let asker = Task { await status(authz, "made-up") }
        await asked.waitUntilHeld()
        asker.cancel()
        await ended.pass()
        #expect(await asker.value == 503)
        asked.open()
    }
}
