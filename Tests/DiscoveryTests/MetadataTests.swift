import Discovery
import HTTPCore
import JSON
import TestSupport
import Testing

@Suite("Provider metadata")
struct MetadataTests {
    typealias Fixture = ProviderFixture

    @Test("is read completely")
    func complete() async throws {
        let fixture = Fixture()
        fixture.serve(
            Fixture.document([
                ("authorization_response_iss_parameter_supported", true),
                ("require_pushed_authorization_requests", true),
                ("token_endpoint_auth_methods_supported", ["client_secret_post"]),
                ("id_token_signing_alg_values_supported", ["RS256", "ES256"]),
                ("code_challenge_methods_supported", ["S256"]), ("acr_values_supported", ["gold"]),
            ]))
        let metadata = try await fixture.metadata()
        #expect(metadata.issuer == Fixture.base)
        #expect(metadata.authorizationEndpoint.text == Fixture.base + "/authorize")
        #expect(metadata.tokenEndpoint.text == Fixture.base + "/access_token")
        #expect(metadata.keySetAddress.text == Fixture.keySet)
        #expect(metadata.userinfoEndpoint?.text == Fixture.base + "/userinfo")
        #expect(metadata.revocationEndpoint?.text == Fixture.base + "/token/revoke")
        #expect(metadata.introspectionEndpoint?.text == Fixture.base + "/introspect")
        #expect(metadata.endSessionEndpoint?.text == Fixture.base + "/connect/endSession")
        #expect(metadata.pushedAuthorizationRequestEndpoint?.text == Fixture.base + "/par")
        #expect(metadata.pingEndSessionEndpoint == nil)
        #expect(metadata.announcesIssuerInRedirect && metadata.requiresPushedAuthorizationRequests)
        #expect(metadata.tokenAuthenticationMethods == ["client_secret_post"])
        #expect(metadata.idTokenAlgorithms == ["RS256", "ES256"])
        #expect(metadata.codeChallengeMethods == ["S256"] && metadata.acrValues == ["gold"])
        #expect(fixture.transport.requests.first?.header("accept") == "application/json")
    }

    @Test("reads absent members as said in their documentation")
    func absent() async throws {
        let fixture = Fixture()
        fixture.serve(
            Fixture.document([
                ("userinfo_endpoint", nil), ("revocation_endpoint", ""), ("end_session_endpoint", .null),
                ("acr_values_supported", []),
            ]))
        let metadata = try await fixture.metadata()
        #expect(metadata.userinfoEndpoint == nil && metadata.revocationEndpoint == nil)
        #expect(metadata.endSessionEndpoint == nil && metadata.acrValues == nil)
        #expect(metadata.tokenAuthenticationMethods == nil && metadata.codeChallengeMethods == nil)
        #expect(!metadata.announcesIssuerInRedirect && !metadata.requiresPushedAuthorizationRequests)
    }

    @Test(
        "of another issuer is refused, however little differs",
        arguments: [
            "https://evil.example.net/oauth2", "https://am.example.com/am/oauth2/alpha/",
            "https://am.example.com/am/oauth2", "https://am.example.com/am/oauth2/ALPHA",
            "https://am.example.com:443/am/oauth2/alpha", "http://am.example.com/am/oauth2/alpha",
            "https://AM.example.com/am/oauth2/alpha", " https://am.example.com/am/oauth2/alpha", "",
        ])
    func issuer(text: String) async throws {
        let fixture = Fixture()
        fixture.serve(Fixture.document([("issuer", .string(text))]))
        await #expect(throws: DiscoveryError.issuerMismatch(found: text, expected: Fixture.base)) {
            try await fixture.metadata()
        }
    }

    @Test("of another issuer shows its name without what a log could not bear")
    func issuerInLogs() async throws {
        let fixture = Fixture()
        fixture.serve(Fixture.document([("issuer", .string("a\nb\u{1B}é" + String(repeating: "x", count: 300)))]))
        let found = "a?b???" + String(repeating: "x", count: 194)
        await #expect(throws: DiscoveryError.issuerMismatch(found: found, expected: Fixture.base)) {
            try await fixture.metadata()
        }
    }

    @Test("may carry the explicit port that is configured")
    func explicitPort() async throws {
        let fixture = Fixture()
        let issuer = "https://am.example.com:443/am/oauth2/alpha"
        fixture.serve(Fixture.document([("issuer", .string(issuer))]))
        #expect(try await fixture.metadata(Fixture.location(issuer: issuer)).issuer == issuer)
    }

    @Test("without a configured issuer must name the address that it came from")
    func derivedIssuer() async throws {
        let fixture = Fixture()
        let location = try Fixture.location(issuer: nil)
        for issuer in [Fixture.base, "https://am.example.com:443/am/oauth2/alpha", Fixture.base + "/"] {
            let fixture = Fixture()
            fixture.serve(Fixture.document([("issuer", .string(issuer))]))
            #expect(try await fixture.metadata(location).issuer == issuer)
        }
        for issuer in [
            "https://am.example.com/am/oauth2/beta", "https://evil.example.net/am/oauth2/alpha",
            "https://am.example.com:8443/am/oauth2/alpha", Fixture.base + "?x=1", "am.example.com", "",
        ] {
            fixture.serve(Fixture.document([("issuer", .string(issuer))]))
            await #expect(throws: DiscoveryError.issuerMismatch(found: issuer, expected: Fixture.base)) {
                try await fixture.metadata(location)
            }
        }
    }

    @Test(
        "without a member that sign-in needs is refused",
        arguments: ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"])
    func missing(member: String) async throws {
        let fixture = Fixture()
        fixture.serve(Fixture.document([(member, nil)]))
        await #expect(throws: DiscoveryError.missing(member: member)) { try await fixture.metadata() }
    }

    static let addressMembers = [
        "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint",
        "introspection_endpoint", "end_session_endpoint", "ping_end_idp_session_endpoint",
        "pushed_authorization_request_endpoint",
    ]

    @Test("that names an address on another origin is refused", arguments: addressMembers)
    func otherOrigin(member: String) async throws {
        for address in [
            "https://evil.example.net/x", "https://am.example.com:8443/x", "http://am.example.com/x",
            "https://am.example.com.evil.example.net/x", "https://example.com/x",
        ] {
            let fixture = Fixture()
            fixture.serve(Fixture.document([(member, .string(address))]))
            await #expect(throws: DiscoveryError.addressRefused(member: member)) { try await fixture.metadata() }
        }
    }

    @Test("that names something which is no address is refused", arguments: addressMembers)
    func noAddress(member: String) async throws {
        for value: JSONValue in [
            1, ["https://am.example.com/x"], "javascript:alert(1)", "file:///etc/passwd", "/authorize",
            "https://am.example.com@evil.example.net/", "https://am.example.com/#x", "https://am.example.com\\x",
        ] {
            let fixture = Fixture()
            fixture.serve(Fixture.document([(member, value)]))
            await #expect(throws: DiscoveryError.malformed(member: member)) { try await fixture.metadata() }
        }
    }

    @Test("may name addresses on origins that are allow-listed, and on no others")
    func allowedOrigins() async throws {
        let fixture = Fixture()
        fixture.serve(Fixture.document([("token_endpoint", "https://tokens.example.com/token")]))
        var location = try Fixture.location()
        location.endpointOrigins = ["https://tokens.example.com"]
        #expect(try await fixture.metadata(location).tokenEndpoint.host == "tokens.example.com")
        location.endpointOrigins = [
            "https://tokens.example.com:8443", "http://tokens.example.com", "tokens.example.com",
        ]
        await #expect(throws: DiscoveryError.addressRefused(member: "token_endpoint")) {
            try await fixture.metadata(location)
        }
    }

    @Test("over http is read from this machine, or when that is said")
    func http() async throws {
        for (base, plain) in [
            ("http://localhost:9443/am", true), ("http://127.0.0.1/am", true), ("http://am.test/am", false),
        ] {
            let fixture = Fixture()
            let json: JSONObject = [
                "issuer": .string(base), "authorization_endpoint": .string(base + "/authorize"),
                "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/keys"),
            ]
            fixture.transport.on(.get, base + Fixture.suffix, answering: Fixture.answer(json))
            var location = try Fixture.location(base + Fixture.suffix, issuer: base)
            if plain {
                #expect(try await fixture.metadata(location).issuer == base)
            } else {
                await #expect(throws: DiscoveryError.addressRefused(member: "discovery")) {
                    try await fixture.metadata(location)
                }
                #expect(fixture.transport.requests.isEmpty)
                location.insecureHTTP = true
                #expect(try await fixture.metadata(location).issuer == base)
            }
        }
    }

    @Test("over https does not lead to http, even where that would be allowed by origin")
    func downgrade() async throws {
        let fixture = Fixture()
        fixture.serve(Fixture.document([("token_endpoint", "http://am.example.com/token")]))
        var location = try Fixture.location()
        location.endpointOrigins = ["http://am.example.com"]
        await #expect(throws: DiscoveryError.addressRefused(member: "token_endpoint")) {
            try await fixture.metadata(location)
        }
    }

    @Test(
        "that is not a JSON object is refused",
        arguments: [
            "", "<html></html>", "[]", "\"x\"", "null", "{", #"{"issuer":"a","issuer":"b"}"#,
        ])
    func notJSON(body: String) async throws {
        let fixture = Fixture()
        fixture.transport.on(.get, Fixture.discovery, answering: .json(body))
        await #expect(throws: DiscoveryError.malformed(member: nil)) { try await fixture.metadata() }
    }

    @Test("with members of the wrong type is refused")
    func wrongTypes() async throws {
        for (member, value): (String, JSONValue) in [
            ("issuer", 1), ("require_pushed_authorization_requests", "true"),
            ("authorization_response_iss_parameter_supported", 1), ("code_challenge_methods_supported", "S256"),
            ("token_endpoint_auth_methods_supported", ["a": 1]),
        ] {
            let fixture = Fixture()
            fixture.serve(Fixture.document([(member, value)]))
            await #expect(throws: DiscoveryError.malformed(member: member)) { try await fixture.metadata() }
        }
    }

    @Test("that is too large is refused")
    func tooLarge() async throws {
        let fixture = Fixture()
        fixture.serve(Fixture.document([("padding", .string(String(repeating: "x", count: 300_000)))]))
        await #expect(throws: DiscoveryError.malformed(member: nil)) { try await fixture.metadata() }
    }

    @Test("is not read from an answer other than 200", arguments: [201, 204, 301, 302, 307, 401, 403, 404, 500, 502])
    func status(status: Int) async throws {
        let fixture = Fixture()
        fixture.transport.on(.get, Fixture.discovery) { _ in
            var answer = Fixture.answer(Fixture.document)
            answer.status = status
            answer.fields.set(.location, "https://evil.example.net/")
            return answer
        }
        await #expect(throws: DiscoveryError.unexpectedStatus(status)) { try await fixture.metadata() }
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("failures tell a busy provider from one that was not reached")
    func failures() async throws {
        let fixture = Fixture()
        fixture.transport.on(.get, Fixture.discovery) { _ in
            ClientResponse(status: 503, fields: [.retryAfter: "7"])
        }
        await #expect(throws: DiscoveryError.busy(retryAfter: .seconds(7))) { try await fixture.metadata() }
        fixture.transport.on(.get, Fixture.discovery, answering: ClientResponse(status: 429))
        await #expect(throws: DiscoveryError.busy(retryAfter: nil)) { try await fixture.metadata() }
        fixture.transport.on(.get, Fixture.discovery, failing: .notReached(.tls))
        await #expect(throws: DiscoveryError.unavailable(.tls)) { try await fixture.metadata() }
        fixture.transport.on(.get, Fixture.discovery, failing: .noUsableAnswer(.tooLarge))
        await #expect(throws: DiscoveryError.unavailable(.tooLarge)) { try await fixture.metadata() }
    }

    @Test("failures know whether another try may help")
    func transience() {
        let lasting: [DiscoveryError] = [
            .issuerMismatch(found: "a", expected: "b"), .missing(member: "a"), .malformed(member: nil),
            .addressRefused(member: "a"),
            .unexpectedStatus(404),
        ]
        for error in lasting { #expect(!error.isTransient) }
        let passing: [DiscoveryError] = [
            .unavailable(.timeout), .busy(retryAfter: nil), .unexpectedStatus(500), .cancelled,
        ]
        for error in passing { #expect(error.isTransient) }
    }
}
