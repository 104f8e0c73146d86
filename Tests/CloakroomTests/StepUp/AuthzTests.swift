import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("A gateway that asks about a bearer token")
struct AuthzTests {
    /// The tokens of a user who signed in and stepped up, as the ledger saw them.
    private func tokens(_ bench: Bench, _ ledger: LedgerAPI) async throws -> (standard: String, elevated: String) {
        let browser = bench.browser()
        try await browser.signIn()
        _ = try await browser.call(.get, "/api/accounts")
        let standard = try #require(ledger.requests.last?.token)
        #expect(
            try await browser.enterCode(try await browser.startStepUp(try await browser.transfer()))["signedIn"] == true
        )
        _ = try await browser.transfer()
        return (standard, try #require(ledger.requests.last?.token))
    }

    private func challenge(_ response: ClientResponse) -> ReceivedChallenge? {
        ReceivedChallenge.parse(response.fields[values: .wwwAuthenticate]).first
    }

    private func value(_ response: ClientResponse, _ name: String) -> String? {
        (try? HTTPField.Name(checking: name)).flatMap { response.fields[$0] }
    }

    /// What `/authz/high-value` asks at a provider: OpenAM's access tokens say nothing of a sign-in's strength.
    private func requirement(_ dialect: SimulatedDialect) -> Requirement {
        guard dialect == .openam else { return LedgerAPI.highValue }
        return Requirement(
            name: "high-value", scopes: ["WRITE_TRANSACTION"], maxAge: .age(.seconds(300)), stepUp: "transaction",
            challengeACR: "gold")
    }

    @Test(
        "is told who it is when the token does, and what is missing when it does not",
        arguments: SimulatedDialect.allCases)
    func decisions(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect, requirement: requirement(dialect)) { bench, ledger in
            let (standard, elevated) = try await tokens(bench, ledger)
            for _ in 0..<2 {
                let allowed = try await bench.admin(
                    "/authz/high-value", headers: [("Authorization", "Bearer \(elevated)")])
                #expect(allowed.status == 204 && allowed.body.isEmpty)
                #expect(value(allowed, "X-Auth-Level") == (dialect == .openam ? "" : "3"))
                #expect(value(allowed, "X-Auth-Scope")?.contains("WRITE_TRANSACTION") == true)
                #expect(value(allowed, "X-Auth-Subject")?.contains("demo") == true)
            }
            let weak = try await bench.admin("/authz/high-value", headers: [("Authorization", "Bearer \(standard)")])
            let asked = try #require(challenge(weak))
            let document = try JSONValue(parsing: weak.body)
            switch dialect {
            case .ping:
                #expect(weak.status == 401)
                #expect(asked.scheme == "bearer" && asked.error == "insufficient_user_authentication")
                #expect(asked.acrValues == ["gold"] && asked.maxAge == 300 && asked.scopes == ["WRITE_TRANSACTION"])
                #expect(document["type"] == "/problems/insufficient-user-authentication")
                #expect(document["required"]?["authLevel"] == 3)
            case .openam:
                #expect(weak.status == 403)
                #expect(asked.scheme == "bearer" && asked.error == "insufficient_scope")
                #expect(asked.scopes == ["WRITE_TRANSACTION"])
                #expect(document["type"] == "/problems/insufficient-scope")
            }
            let signedIn = try await bench.admin("/authz/signed-in", headers: [("Authorization", "bearer \(standard)")])
            #expect(signedIn.status == 204)
            bench.time.advance(by: .seconds(301))
            let old = try await bench.admin("/authz/high-value", headers: [("Authorization", "Bearer \(elevated)")])
            #expect(challenge(old)?.error == "insufficient_user_authentication")
            #expect(challenge(old)?.maxAge == 300)
        }
    }

    @Test("is refused strength that OpenAM's tokens do not speak of, and told what to ask for")
    func unspoken() async throws {
        try await withLedger(.openam) { bench, ledger in
            let (_, elevated) = try await tokens(bench, ledger)
            let answer = try await bench.admin("/authz/high-value", headers: [("Authorization", "Bearer \(elevated)")])
            #expect(answer.status == 401 && challenge(answer)?.error == "insufficient_user_authentication")
            #expect(challenge(answer)?.acrValues == ["gold"])
        }
    }

    @Test("learns nothing about requirements without a valid token", arguments: SimulatedDialect.allCases)
    func refusals(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect) { bench, ledger in
            let (_, elevated) = try await tokens(bench, ledger)
            let parts = elevated.split(separator: ".").map(String.init)
            let none = Base64URL.encode(Array(#"{"typ":"JWT","alg":"none"}"#.utf8))
            let claims = try #require(Base64URL.decode(parts[1]))
            let tampered = Base64URL.encode(
                Array(String(decoding: claims, as: UTF8.self).replacing("demo", with: "root").utf8))
            let forged = [
                "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", "\(parts[0]).\(tampered).\(parts[2])",
                "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))", "\(parts[0]).\(parts[1])", "x", "a.b.c",
                elevated + ".x", "\(parts[0]).\(parts[1]).",
            ]
            for token in forged {
                let answer = try await bench.admin("/authz/high-value", headers: [("Authorization", "Bearer \(token)")])
                #expect(answer.status == 401 && challenge(answer)?.error == "invalid_token", "\(answer.status)")
                #expect(try JSONValue(parsing: answer.body)["required"] == nil)
                #expect(challenge(answer)?.acrValues == [] && challenge(answer)?.scopes == [])
            }
            // Everything else that the provider signed, ID and refresh tokens and the steps of journeys.
            let signed = bench.simulator.issuedSecrets.filter {
                $0.hasPrefix("ey") && $0.split(separator: ".").count == 3
            }
            let others = signed.filter { token in !ledger.requests.contains { $0.token == token } }
            #expect(others.count >= 4 && signed.count == others.count + 2)
            for token in others {
                let answer = try await bench.admin("/authz/signed-in", headers: [("Authorization", "Bearer \(token)")])
                #expect(answer.status == 401 && challenge(answer)?.error == "invalid_token", "\(answer.status)")
            }
            for headers in [[], [("Authorization", "Basic eDp5")], [("Cookie", "cloakroom=x")]] {
                let answer = try await bench.admin("/authz/high-value", headers: headers)
                #expect(answer.status == 401 && challenge(answer)?.error == nil)
                #expect(try JSONValue(parsing: answer.body)["type"] == "/problems/token-required")
            }
            let good = ("Authorization", "Bearer \(elevated)")
            for (path, headers) in [
                ("/authz/high-value?access_token=x", [good]), ("/authz/high-value?%61ccess_token=x", []),
                ("/authz/high-value", [good, ("X-Original-URI", "/x?a=b&access_token=y")]),
                ("/authz/high-value", [good, ("X-Forwarded-Uri", "/x?access_token=y")]),
                // A combining mark is one character with the delimiter before it, not one byte.
                ("/authz/high-value", [good, ("X-Original-URI", "/x?\u{301}&access_token=y")]),
                ("/authz/high-value", [good, ("X-Original-URI", "/x?a&access_token=\u{301}y")]),
                ("/authz/high-value", [good, ("X-Forwarded-Uri", "/x?\u{301}=b&\u{301}&access_token=y")]),
                ("/authz/high-value", [("Authorization", "Bearer")]), ("/authz/high-value", [good, good]),
                ("/authz/high-value", [("Authorization", "Bearer a b")]),
            ] {
                let answer = try await bench.admin(path, headers: headers)
                #expect(
                    answer.status == 400 && challenge(answer)?.error == "invalid_request", "\(path) \(answer.status)")
            }
            for path in ["/authz/", "/authz/none", "/authz/high-value/", "/authz/HIGH-VALUE", "/authz/x/../high-value"]
            {
                #expect(try await bench.admin(path, headers: [good]).status == 404, "\(path)")
            }
            #expect(try await bench.admin("/authz/high-value", .post, headers: [good]).status == 405)
        }
    }

    @Test("is answered on the public listener only when it is listed", arguments: SimulatedDialect.allCases)
    func peers(_ dialect: SimulatedDialect) async throws {
        let requirement = requirement(dialect)
        try await withLedger(dialect) { bench, _ in
            let answer = try await bench.admin("/authz/high-value", isPublic: true)
            #expect(answer.status == 404)
        }
        try await withLedger(
            dialect, requirement: requirement,
            adjust: { $0.authzPeers = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) } }
        ) {
            bench, ledger in
            let refused = try await bench.admin("/authz/high-value", isPublic: true)
            #expect(refused.status == 401)
            // Gateways pass a challenge on: that of the cookie is not for who has a token.
            #expect(refused.fields[values: .wwwAuthenticate].count == 1 && challenge(refused)?.scheme == "bearer")
            let id = try #require(refused.fields[.xRequestID])
            let lines = bench.recorder.lines.filter { $0.contains("debug Request ") && $0.contains("request.id=\(id)") }
            #expect(lines.count == 1 && lines.allSatisfy { $0.contains("http.route=/authz/{requirement}") })
            let (_, elevated) = try await tokens(bench, ledger)
            let allowed = try await bench.admin(
                "/authz/high-value", headers: [("Authorization", "Bearer \(elevated)")], isPublic: true)
            #expect(allowed.status == 204)
            #expect(!"\(allowed.fields)".contains(elevated))
        }
        try await withLedger(dialect, adjust: { $0.authzPeers = [AddressRange("192.0.2.1")].compactMap { $0 } }) {
            bench, _ in
            let answer = try await bench.admin("/authz/high-value", isPublic: true)
            #expect(answer.status == 404)
        }
    }

    @Test(
        "is told that nothing can be said while the issuer's keys cannot be had", arguments: SimulatedDialect.allCases)
    func outage(_ dialect: SimulatedDialect) async throws {
        try await withLedger(
            dialect,
            adjust: { settings in
                guard let nowhere = WebURL("http://127.0.0.1:1/.well-known/openid-configuration") else { return }
                settings.issuers[0].discovery = nowhere
            }
        ) { bench, ledger in
            let (standard, _) = try await tokens(bench, ledger)
            let answer = try await bench.admin("/authz/signed-in", headers: [("Authorization", "Bearer \(standard)")])
            #expect(answer.status == 503 && value(answer, "Retry-After") == "1")
            #expect(try JSONValue(parsing: answer.body)["type"] == "/problems/issuer-unavailable")
            #expect(answer.fields[.wwwAuthenticate] == nil)
        }
    }
}
