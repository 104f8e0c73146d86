import Basics
import Cryptography
import HTTPCore
import JOSE
import JSON
import Logs
import ResourceServer
import TestSupport
import Testing

@Suite("Tokens of issuers that are neither Ping's nor RFC 9068", .timeLimit(.minutes(1)))
struct OtherIssuerTests {
    typealias Fixture = GuardFixture

    let fixture = Fixture()
    let log = RecordedLog()

    func decide(
        _ changes: [(String, JSONValue?)], type: String?, profile: TokenProfile = .jwt, clients: Set<String> = []
    ) async throws -> AccessDecision {
        let issuer = try Fixture.trusted {
            $0.profile = profile
            $0.clients = clients
        }
        let accessGuard = try fixture.accessGuard(of: [issuer], logger: log.logger())
        return await accessGuard.decide(try fixture.token(changes, type: type))
    }

    @Test("have any of three types in the header", arguments: [nil, "JWT", "jwt", "at+jwt", "application/at+jwt"])
    func types(type: String?) async throws {
        #expect(try await decide([], type: type).facts != nil)
        #expect(try await decide([("typ", "Bearer"), ("sid", "s"), ("nonce", "n")], type: type).facts != nil)
        #expect(try await decide([("nonce", "n")], type: type).facts != nil)
        #expect(
            try await decide([("client_id", nil), ("azp", "spa"), ("jti", nil)], type: type).facts?.clientID == "spa")
    }

    @Test(
        "are not ID, refresh or logout tokens",
        arguments: [
            ("typ", "ID"), ("typ", "Refresh"), ("typ", "Offline"), ("typ", "Logout"), ("typ", 1), ("typ", ""),
            ("at_hash", "x"), ("events", [:]), ("tokenName", "id_token"), ("tokenName", "refresh_token"),
        ] as [(String, JSONValue)])
    func otherKinds(claim: String, value: JSONValue) async throws {
        for type in [nil, "JWT", "at+jwt"] {
            #expect(try await decide([(claim, value)], type: type).kind == .invalidToken)
        }
    }

    @Test("have no other type in the header", arguments: ["logout+jwt", "id+jwt", "secevent+jwt", "dpop+jwt", ""])
    func otherTypes(type: String) async throws {
        #expect(try await decide([("typ", "Bearer")], type: type).kind == .invalidToken)
    }

    @Test("that nothing marks are told from ID tokens, also where only a client is configured")
    func unmarked() async throws {
        let silent: [(String, JSONValue?)] = [("scope", nil), ("client_id", nil), ("aud", "spa")]
        for change: [(String, JSONValue?)] in [[], [("azp", "spa")], [("nonce", "n")]] {
            for type in [nil, "JWT"] {
                #expect(try await decide(silent + change, type: type, clients: ["spa"]).kind == .invalidToken)
            }
        }
        // Marked as an access token, its audience may be its client.
        #expect(try await decide(silent, type: "at+jwt", clients: ["spa"]).facts != nil)
        let marked = silent + [("typ", "Bearer"), ("sid", "s")]
        #expect(try await decide(marked, type: "JWT", clients: ["spa"]).facts != nil)
    }

    @Test("under RFC 9068 need what that demands", arguments: ["sub", "iat", "jti", "client_id"])
    func strict(claim: String) async throws {
        #expect(try await decide([(claim, nil)], type: "at+jwt", profile: .rfc9068).kind == .invalidToken)
        #expect(log.lines.contains { $0.contains("check=\(claim)") })
    }

    @Test("under RFC 9068 are refused with the profile that they need, when they say azp")
    func advice() async throws {
        let decision = try await decide([("client_id", nil), ("azp", "spa")], type: "at+jwt", profile: .rfc9068)
        #expect(decision.kind == .invalidToken)
        #expect(log.lines.contains { $0.hasPrefix("info") && $0.contains("use profile jwt") })
    }

    @Test("that are refused fill no log: one line a minute for each reason, with a count")
    func counted() async throws {
        let accessGuard = try fixture.accessGuard(of: [try Fixture.trusted()], logger: log.logger())
        func refused(_ number: Int) async throws {
            let token = try fixture.token([("exp", 1), ("jti", .string("j\(number)"))])
            let decision = await accessGuard.decide(authorization: ["Bearer \(token)"], Fixture.signedIn)
            #expect(decision.kind == .invalidToken)
        }
        for number in 0..<10 { try await refused(number) }
        #expect(log.lines.count { $0.hasPrefix("info") } == 1)
        fixture.time.advance(by: .seconds(60))
        try await refused(10)
        #expect(log.lines.last { $0.hasPrefix("info") }?.contains("count=10") == true)
    }

    @Test("are known under every spelling of the issuer that is listed, and no other")
    func spellings() async throws {
        let issuer = try Fixture.trusted {
            $0.alsoAccepts = ["https://as.example.com:443", "https://as.example.com/K"]
            $0.mode = .both(Fixture.asking)
        }
        let accessGuard = try fixture.accessGuard(of: [issuer])
        let token = try fixture.token([("iss", "https://as.example.com:443")])
        for _ in 0..<2 { #expect(await accessGuard.decide(token).facts?.issuer == Fixture.issuer) }
        #expect(await accessGuard.decide(try fixture.token([("iss", "https://as.example.com/K")])).facts != nil)
        // The last one ends with the Kelvin sign, which Swift's texts take for a K.
        for name in [
            "https://as.example.com/", "https://AS.example.com", "http://as.example.com",
            "https://as.example.com/\u{212A}",
        ] {
            #expect(await accessGuard.decide(try fixture.token([("iss", .string(name))])).kind == .invalidToken)
        }
        // The same for answers to questions.
        var answer = fixture.goodClaims()
        (answer["active"], answer["token_type"], answer["iss"]) = (true, "Bearer", "https://as.example.com:443")
        fixture.network.on(.post, Fixture.introspection, answering: .json(JSONValue.object(answer).text))
        #expect(await accessGuard.decide("opaque").facts != nil)
        answer["iss"] = "https://as.example.com/"
        fixture.network.on(.post, Fixture.introspection, answering: .json(JSONValue.object(answer).text))
        #expect(await accessGuard.decide("opaque-2").kind == .invalidToken)
    }

    /// Made once: a new RSA key takes longer than all the rest.
    private static let rsa = Result { (issuer: try PrivateKey.generateRSA(), stranger: try PrivateKey.generateRSA()) }

    /// A key of the issuer's and one of a stranger's, of the same name.
    private static func keys(_ algorithm: JWSAlgorithm) throws -> (SigningKey, stranger: SigningKey) {
        switch algorithm {
        case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512:
            let rsa = try rsa.get()
            return (
                try SigningKey(rsa.issuer, algorithm, keyID: "a1"), try SigningKey(rsa.stranger, algorithm, keyID: "a1")
            )
        case .ES256, .ES384, .ES512, .EdDSA, .Ed25519:
            return (
                try SigningKey.generate(algorithm, keyID: "a1"), try SigningKey.generate(algorithm, keyID: "a1")
            )
        }
    }

    @Test("are signed in every way that is documented", arguments: JWSAlgorithm.allCases)
    func algorithms(algorithm: JWSAlgorithm) async throws {
        let (key, stranger) = try Self.keys(algorithm)
        fixture.serve(keys: [key.jwk])
        let accessGuard = try fixture.accessGuard()
        #expect(await accessGuard.decide(try fixture.token(signer: key)).facts != nil)
        #expect(await accessGuard.decide(try fixture.token(signer: stranger)).kind == .invalidToken)
    }
}
