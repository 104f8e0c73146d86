import Basics
import Cryptography
import HTTPCore
import JOSE
import JSON
import ResourceServer
import TestSupport
import Testing

/// A token that must not be taken, and how it is made.
struct TokenAttack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (GuardFixture) throws -> String
    /// How it is refused: what cannot be a token is no proper request.
    var kind = Challenge.Kind.invalidToken

    init(_ name: String, _ make: @escaping @Sendable (GuardFixture) throws -> String) {
        testDescription = name
        self.make = make
    }

    /// A well-signed token with one claim changed.
    init(_ name: String, _ claim: String, _ value: JSONValue?) {
        self.init(name) { try $0.token([(claim, value)]) }
    }

    /// A well-signed token with a time claim, in seconds from now.
    init(_ name: String, _ claim: String, seconds: Int64) {
        self.init(name) { try $0.token([(claim, .number(JSONNumber($0.time.now().seconds + seconds)))]) }
    }

    static func parts(_ token: String) -> [String] {
        token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    static func encode(_ json: String) -> String { Base64URL.encode(json.utf8) }

    static let signatures: [TokenAttack] = [
        TokenAttack("alg none without a signature") { fixture in
            encode(#"{"alg":"none","typ":"at+jwt"}"#) + "." + parts(try fixture.token())[1] + "."
        },
        TokenAttack("alg none with the old signature") { fixture in
            let parts = parts(try fixture.token())
            return encode(#"{"alg":"none","typ":"at+jwt","kid":"k1"}"#) + "." + parts[1] + "." + parts[2]
        },
        TokenAttack("HS256 with the public key as the secret") { fixture in
            let jwk = JSONValue.object(try GuardFixture.rsaKey.get().publicJWK).text
            let signed = encode(#"{"alg":"HS256","typ":"at+jwt","kid":"r1"}"#) + "." + parts(try fixture.token())[1]
            let mac = HMACKey(Array(jwk.utf8)).authenticate(Array(signed.utf8))
            return signed + "." + Base64URL.encode(mac)
        },
        TokenAttack("an unknown kid") { try $0.token(header: ["kid": "k9"]) },
        TokenAttack("the kid of a key of another type, and a signature of none") {
            try $0.token(signer: SigningKey.generate(.ES256, keyID: "r1"))
        },
        TokenAttack("another algorithm than the signature") { try $0.token(header: ["alg": "ES384"]) },
        TokenAttack("another key under the same kid") {
            try $0.token(signer: try SigningKey.generate(.ES256, keyID: "k1"))
        },
        TokenAttack("a key brought along") { fixture in
            let forger = try SigningKey.generate(.ES256, keyID: "k1")
            return try fixture.token(header: ["jwk": .object(forger.publicJWK)], signer: forger)
        },
        TokenAttack("a critical extension") { try $0.token(header: ["crit": ["exp"]]) },
        TokenAttack("a tampered payload") { fixture in
            let parts = parts(try fixture.token())
            var claims = fixture.goodClaims()
            claims["auth_level"] = 9
            return parts[0] + "." + Base64URL.encode(JSONValue.object(claims).serialized()) + "." + parts[2]
        },
        TokenAttack("an empty signature") { parts(try $0.token()).dropLast().joined(separator: ".") + "." },
        TokenAttack("a signature of zeros") { fixture in
            parts(try fixture.token()).dropLast().joined(separator: ".") + "."
                + Base64URL.encode([UInt8](repeating: 0, count: 64))
        },
        TokenAttack("another spelling of the signature's last byte") { fixture in
            var bytes = Array(try fixture.token().utf8)
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
            guard let last = bytes.last, let place = alphabet.firstIndex(of: last) else { throw BadFixture() }
            // 64 bytes leave four unused bits in the last character; these are set here.
            bytes[bytes.count - 1] = alphabet[place | 1]
            return String(decoding: bytes, as: UTF8.self)
        },
        TokenAttack("padding") { try $0.token() + "==" },
        TokenAttack("a fourth part") { try $0.token() + ".e30" },
    ]

    static let claims: [TokenAttack] = [
        TokenAttack("expired", "exp", seconds: -31), TokenAttack("no exp", "exp", nil),
        TokenAttack("exp as a text", "exp", "4102444800"), TokenAttack("not yet valid", "nbf", seconds: 31),
        TokenAttack("nbf as a text", "nbf", "0"), TokenAttack("issued in the future", "iat", seconds: 31),
        TokenAttack("no sub", "sub", nil), TokenAttack("an empty sub", "sub", ""),
        TokenAttack("sub of the wrong type", "sub", 1),
        TokenAttack("no iss", "iss", nil), TokenAttack("another iss", "iss", "https://evil.example.net"),
        TokenAttack("iss with a slash", "iss", "https://as.example.com/"), TokenAttack("no aud", "aud", nil),
        TokenAttack("another aud", "aud", "https://other.example.com"), TokenAttack("an empty aud", "aud", []),
        TokenAttack("aud with a slash", "aud", "https://rs.example.com/"),
        TokenAttack("aud of the wrong type", "aud", 1), TokenAttack("bound to a key", "cnf", ["jkt": "x"]),
        TokenAttack("bound to a certificate", "cnf", ["x5t#S256": "x"]),
        TokenAttack("of the type DPoP", "token_type", "DPoP"),
        TokenAttack("duplicate claims") { fixture in
            let json = JSONValue.object(fixture.goodClaims()).text.dropLast() + #","sub":"root"}"#
            return try GuardFixture.key.get().sign(payload: Array(json.utf8), type: "at+jwt")
        },
        TokenAttack("claims that are no object") { _ in
            try GuardFixture.key.get().sign(payload: Array("[]".utf8), type: "at+jwt")
        },
        TokenAttack("claims nested too deeply") { fixture in
            let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
            let json = JSONValue.object(fixture.goodClaims()).text.dropLast() + ",\"x\":\(deep)}"
            return try GuardFixture.key.get().sign(payload: Array(json.utf8), type: "at+jwt")
        },
        huge,
    ]

    private static var huge: TokenAttack {
        var attack = TokenAttack("a huge token", "x", .string(String(repeating: "x", count: 40_000)))
        attack.kind = .invalidRequest
        return attack
    }

    static let kinds: [TokenAttack] = [
        TokenAttack("an ID token") { try $0.token([("nonce", "n"), ("aud", "spa")], type: "JWT") },
        TokenAttack("a token without a type") { try $0.token(type: nil) },
        TokenAttack("a logout token") { try $0.token(type: "logout+jwt") },
        TokenAttack("a token of another type") { try $0.token(type: "JWT") },
        TokenAttack("an ID token by its use", "token_use", "id"),
        TokenAttack("a refresh token by its use", "token_use", "refresh"),
    ]
}

@Suite("A forged or foreign token")
struct TokenAttackTests {
    @Test("is not taken", arguments: TokenAttack.signatures + TokenAttack.claims + TokenAttack.kinds)
    func refused(attack: TokenAttack) async throws {
        let fixture = GuardFixture()
        let token = try attack.make(fixture)
        let decision = try await fixture.accessGuard().decide(token, GuardFixture.strong)
        #expect(decision.kind == attack.kind)
        // The caller learns nothing about what the route demands.
        guard case .challenge(let challenge) = decision else {
            Issue.record("no challenge")
            return
        }
        #expect(challenge.requirement == nil && challenge.required == nil)
    }

    @Test("is not taken from a cache that knows its neighbour")
    func cached() async throws {
        let fixture = GuardFixture()
        let accessGuard = try fixture.accessGuard()
        let token = try fixture.token([("exp", 4_102_444_800)])
        #expect(await accessGuard.decide(token).facts != nil)
        for attack in TokenAttack.signatures {
            // Each may have the keys looked at, so that none has to wait for that.
            fixture.time.advance(by: .seconds(30))
            #expect(await accessGuard.decide(try attack.make(fixture)).kind != nil)
        }
        #expect(await accessGuard.decide(token).facts != nil)
    }

    @Test("makes the guard fetch the keys a few times and then once per interval, however many come")
    func unknownKeys() async throws {
        let fixture = GuardFixture()
        let accessGuard = try fixture.accessGuard()
        _ = await accessGuard.decide(try fixture.token())
        for number in 0..<20 {
            let decision = await accessGuard.decide(try fixture.token(header: ["kid": .string("x\(number)")]))
            // The first were looked for in vain. Whether there is a key for the others nobody knows before the next look.
            #expect(number < 6 ? decision.kind == .invalidToken : decision.isUnavailable)
        }
        #expect(fixture.keyFetches == 7)
    }

    @Test("leads nowhere by addresses in its header")
    func addresses() async throws {
        let fixture = GuardFixture()
        let header: JSONObject = [
            "jku": "https://evil.example.net/keys", "x5u": "https://evil.example.net/x", "kid": "z",
        ]
        _ = try await fixture.accessGuard().decide(try fixture.token(header: header))
        #expect(fixture.network.requests.allSatisfy { $0.url.host == "as.example.com" })
    }

    @Test("has no keys fetched for an algorithm that is not allowed")
    func algorithm() async throws {
        let fixture = GuardFixture()
        let accessGuard = try fixture.accessGuard { $0.algorithms = [.RS256] }
        #expect(await accessGuard.decide(try fixture.token()).kind == .invalidToken)
        #expect(fixture.network.requests.isEmpty)
        #expect(await accessGuard.decide(try fixture.token(signer: GuardFixture.rsaKey.get())).facts != nil)
    }
}
