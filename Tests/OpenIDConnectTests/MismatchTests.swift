import Basics
import HTTPCore
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("What is told of a check that failed")
struct MismatchTests {
    typealias Provider = ScriptedProvider

    private let provider = Provider()

    /// The values of the fault that tokens with these claims and this header lead to.
    private func values(
        _ claims: [(String, JSONValue?)] = [], header: JSONObject = [:],
        _ options: AuthorizeOptions = AuthorizeOptions()
    ) async throws -> Mismatch? {
        provider.set {
            $0.header = header
            $0.claims = { all in for (name, value) in claims { all[name] = value } }
        }
        let error = await #expect(throws: OpenIDError.self) { try await provider.tokens(options) }
        guard case .invalidIDToken(_, let mismatch) = error else { throw Unexpected() }
        return mismatch
    }

    private struct Unexpected: Error {}

    @Test("are the value that was expected and the one that came, where neither is a secret")
    func shown() async throws {
        let now = provider.now
        func number(_ shift: Int64) -> JSONValue { .number(JSONNumber(now + shift)) }
        let cases: [(claims: [(String, JSONValue?)], expected: String, found: String)] = [
            ([("iss", "https://other.example.com")], Provider.base, "https://other.example.com"),
            ([("iss", nil)], Provider.base, "nothing"),
            ([("aud", ["a", "b"])], "bff", "a b"), ([("aud", [])], "bff", "nothing"),
            ([("azp", "other")], "bff", "other"), ([("azp", 1)], "bff", "nothing"),
            ([("aud", ["a", "bff"])], "bff", "nothing"),
            ([("exp", number(-60))], "after \(now - 60)", "\(now - 60)"),
            ([("exp", nil)], "after \(now - 60)", "nothing"),
            ([("iat", number(61))], "up to \(now + 60)", "\(now + 61)"),
            ([("nbf", number(61))], "up to \(now + 60)", "\(now + 61)"),
            ([("tokenName", "access_token")], "id_token", "access_token"),
        ]
        for sample in cases {
            #expect(
                try await values(sample.claims) == Mismatch(expected: sample.expected, found: sample.found),
                "\(sample.claims)")
        }
        #expect(
            try await values(header: ["typ": "logout+jwt"]) == Mismatch(expected: "JWT", found: "logout+jwt"))
        #expect(
            try await values([("acr", "x")], AuthorizeOptions(requiredACR: ["gold", "silver"]))
                == Mismatch(expected: "gold silver", found: "x"))
        #expect(
            try await values([("auth_time", number(-3661))], AuthorizeOptions(maxAge: .seconds(3600)))
                == Mismatch(expected: "\(now - 3660) to \(now + 60)", found: "\(now - 3661)"))
        #expect(
            try await values([("auth_time", nil)], AuthorizeOptions(notBefore: Timestamp(seconds: now)))
                == Mismatch(expected: "\(now - 60) to \(now + 60)", found: "nothing"))
    }

    @Test(
        "is the name alone where the value is a secret, made of one, or says who the user is",
        arguments: [
            ("sub", ""), ("nonce", "another"), ("nonce", nil), ("at_hash", "x"), ("c_hash", "x"), ("s_hash", "x"),
        ] as [(String, String?)])
    func hidden(name: String, value: String?) async throws {
        #expect(try await values([(name, value.map { .string($0) })]) == nil)
    }

    @Test("of a refresh for another subject is the name alone")
    func subject() async throws {
        let tokens = try await provider.tokens()
        provider.set {
            $0.refreshesIDToken = true
            $0.claims = { $0["sub"] = "alice" }
        }
        await #expect(throws: OpenIDError.invalidIDToken(check: "sub")) {
            try await provider.client().refresh(tokens, deadline: Provider.soon)
        }
    }

    @Test("is the issuer that an authorization answer names", arguments: ["https://evil.example.com", nil])
    func answer(issuer: String?) async throws {
        provider.set {
            $0.document = [("authorization_response_iss_parameter_supported", true)]
            $0.authorize = {
                .redirect(
                    to: Provider.redirectURI + "?code=c1&state=\($0)" + (issuer.map { "&iss=\($0)" } ?? ""))
            }
        }
        let mismatch = Mismatch(expected: Provider.base, found: issuer)
        await #expect(throws: OpenIDError.invalidResponse(check: "iss", mismatch)) { try await provider.tokens() }
    }

    @Test("is the token type where it is a word, and its length where it may be a token")
    func tokenType() async throws {
        for (type, found) in [("DPoP", "DPoP"), (String(repeating: "t", count: 33), "33 bytes")] {
            provider.set { $0.answer = { $0["token_type"] = .string(type) } }
            let mismatch = Mismatch(expected: "Bearer", found: found)
            await #expect(throws: OpenIDError.invalidResponse(check: "token_type", mismatch)) {
                try await provider.tokens()
            }
        }
    }

    @Test("is cut after 200 characters, and control characters are escaped")
    func form() {
        let long = Mismatch(expected: String(repeating: "é", count: 201), found: String(repeating: "x", count: 200))
        #expect(long.expected == String(repeating: "é", count: 200) + "…")
        #expect(long.found == String(repeating: "x", count: 200))
        let evil = Mismatch(expected: "a\r\nb\u{0}\u{7F}", found: "\u{202E}x\u{2028}\u{1B}[31m")
        #expect(evil.expected == #"a\u{d}\u{a}b\u{0}\u{7f}"#)
        #expect(evil.found == #"\u{202e}x\u{2028}\u{1b}[31m"#)
        #expect(Mismatch(expected: "a", found: nil).found == "nothing")
    }
}
