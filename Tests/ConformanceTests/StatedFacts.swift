import Basics
import JSON
import ResourceServer

/// What claims say, read by other means than those under test, and what follows for `IssuerBench.highValue`.
struct StatedFacts {
    let claims: JSONObject
    let now: Int64

    var scopes: Set<String> {
        Set(texts("scope").flatMap { $0.split(separator: " ").map(String.init) })
    }
    var amr: [String] { texts("amr") }
    var audiences: [String] { texts("aud") }
    var level: Int? {
        claims["auth_level"].flatMap { value in value.int.map { Int($0) } ?? value.string.flatMap { Int($0) } }
    }
    var authTime: Int64? { claims["auth_time"]?.int }

    private func texts(_ name: String) -> [String] {
        claims[name]?.array?.compactMap(\.string) ?? claims[name]?.string.map { [$0] } ?? []
    }

    /// Whether the authentication meets the requirement.
    var isStrong: Bool {
        (level ?? 0) >= 3 && amr.contains("biometric") && (authTime.map { now - $0 <= 300 } ?? false)
    }
    var hasScope: Bool { scopes.contains("WRITE_TRANSACTION") }

    /// What no fact comes of: the issuer's own affairs, and what another claim that is looked at says as well.
    private static let passedOver: Set<String> = [
        "realm", "user_id", "username", "expires_in", "subname", "authGrantId", "auditTrackingId", "cts", "jti", "sid",
        "preferred_username", "typ", "azp",
    ]
    /// What a token is taken or refused by; `spoiled` has a value for each that must be refused.
    private static let judged: Set<String> = ["active", "aud", "nbf", "iat", "tokenName", "token_type", "grant_type"]

    /// Compares every member with the facts that came of the claims.
    func compare(_ facts: TokenFacts, _ comparison: inout Comparison) {
        for name in claims.names where !Self.passedOver.contains(name) && !Self.judged.contains(name) {
            switch name {
            case "iss": comparison.equal("iss", facts.issuer, claims["iss"]?.string ?? "")
            case "sub": comparison.equal("sub", facts.subject, claims["sub"]?.string)
            case "client_id": comparison.equal("client_id", facts.clientID, claims["client_id"]?.string)
            case "scope": comparison.equal("scope", facts.scopes, scopes)
            case "amr": comparison.equal("amr", facts.amr, amr)
            case "acr": comparison.equal("acr", facts.acr, claims["acr"]?.string)
            case "auth_level": comparison.equal("auth_level", facts.authLevel, level)
            case "auth_time": comparison.equal("auth_time", facts.authTime?.seconds, authTime)
            case "exp": comparison.equal("exp", facts.expires?.seconds, claims["exp"]?.int)
            default: comparison.differs("claim \(name): this replay does not know the member")
            }
        }
        // What is not said is not made up.
        if claims["acr"] == nil { comparison.equal("acr", facts.acr, nil) }
        if claims["amr"] == nil { comparison.equal("amr", facts.amr, []) }
        if claims["auth_level"] == nil { comparison.equal("auth_level", facts.authLevel, nil) }
        if claims["auth_time"] == nil { comparison.equal("auth_time", facts.authTime, nil) }
        comparison.equal("client's own", facts.isClientCredentials, false)
    }

    /// Compares an answer of `/authz/signed-in` with the claims.
    func compare(signedIn answer: OwnAnswer, _ comparison: inout Comparison) {
        comparison.equal("signed-in: status", answer.status, 204)
        comparison.equal("signed-in: subject", answer.header("x-auth-subject"), claims["sub"]?.string ?? "")
        comparison.equal(
            "signed-in: scope", answer.header("x-auth-scope"),
            scopes.sorted().joined(separator: " "))
        comparison.equal("signed-in: acr", answer.header("x-auth-acr"), claims["acr"]?.string ?? "")
        comparison.equal("signed-in: level", answer.header("x-auth-level"), level.map(String.init) ?? "")
    }

    /// Compares an answer of `/authz/high-value` with what follows from the claims.
    func compare(highValue answer: OwnAnswer, _ comparison: inout Comparison) {
        guard !isStrong || !hasScope else { return comparison.equal("high-value: status", answer.status, 204) }
        let challenge =
            isStrong
            ? #"error="insufficient_scope", error_description="The access token lacks a scope", "#
            : #"error="insufficient_user_authentication", error_description="A stronger or more recent authentication is required", acr_values="gold", max_age="300", "#
        comparison.equal("high-value: status", answer.status, isStrong ? 403 : 401)
        comparison.equal(
            "high-value: challenge", answer.all("www-authenticate"),
            [#"Bearer realm="cloakroom", "# + challenge + #"scope="WRITE_TRANSACTION""#])
        comparison.equal(
            "high-value: problem", answer.problem,
            isStrong ? "insufficient-scope" : "insufficient-user-authentication")
        comparison.equal(
            "high-value: required", answer.body?["required"],
            [
                "authLevel": 3, "amr": ["any": ["biometric"]], "acr": "gold", "scope": ["WRITE_TRANSACTION"],
                "maxAge": 300,
            ])
    }

    /// The claims with one of them changed so that the token must be refused, one after another.
    ///
    /// - Parameters:
    ///   - signed: Whether they are a token's own; else they are the answer to a question about one.
    ///   - byClient: Whether tokens are taken by their client, not by their audience.
    /// - Returns: Each with the name of the claim that was changed.
    func spoiled(signed: Bool, byClient: Bool) -> [(name: String, claims: JSONObject)] {
        var changes: [(String, JSONValue)] = [
            ("exp", .number(JSONNumber(now - 3600))), ("nbf", .number(JSONNumber(now + 3600))),
            ("iss", "https://other.example.com"), ("tokenName", "refresh_token"), ("cnf", ["jkt": "x"]),
            byClient ? ("client_id", "stranger") : ("aud", "https://other.example.com"),
        ]
        if signed {
            changes.append(("iat", .number(JSONNumber(now + 3600))))
        } else {
            changes += [("active", false), ("token_type", "DPoP")]
        }
        // An access token of RFC 9068 has no such member, and what it says then is nobody's concern.
        if signed, claims["tokenName"] == nil { changes.removeAll { $0.0 == "tokenName" } }
        return changes.map { name, value in
            var changed = claims
            changed[name] = value
            return (name, changed)
        }
    }
}
