import JOSE
import JSON
import Testing

@testable import ResourceServer

/// What marks the kind of a token, read by name from the tree of its claims: the reference for the claims that are found
/// by one walk.
private struct TreeKinds {
    let json: JSONObject

    private func string(_ name: String) -> String? { json[name]?.string }
    private func says(_ name: String, _ word: String) -> Bool { string(name)?.lowercased() == word }

    var otherKind: String? {
        if json["tokenName"] != nil, string("tokenName") != "access_token" { return "tokenName" }
        if let use = json["token_use"], !["access", "access_token"].contains(use.string?.lowercased() ?? "") {
            return "token_use"
        }
        if json["events"] != nil { return "events" }
        return ["id", "refresh", "offline", "logout"].contains(string("typ")?.lowercased() ?? "") ? "typ" : nil
    }

    var isBound: Bool { json["cnf"] != nil || says("token_type", "dpop") || says("typ", "dpop") }

    var isOfMachine: Bool {
        guard let subject = string("sub"), !subject.isEmpty else { return true }
        let grants = ["grant_type", "gty"].flatMap { name in
            string(name).map { [$0] } ?? json[name]?.array?.compactMap(\.string) ?? []
        }
        if grants.contains("client_credentials") || grants.contains("client-credentials") { return true }
        let audiences = string("aud").map { [$0] } ?? json["aud"]?.array?.compactMap(\.string) ?? []
        if subject.hasPrefix("(age!") || string("client_id") == subject || string("azp") == subject
            || audiences == [subject]
        {
            return true
        }
        if ["preferred_username", "username"].contains(where: { string($0)?.hasPrefix("service-account-") ?? false }) {
            return true
        }
        return says("typ", "bearer") && json["azp"] != nil
            && ["sid", "session_state", "auth_time"].allSatisfy { json[$0] == nil }
    }
}

@Suite("The kind of a token")
struct TokenKindTests {
    /// Values that mean something for a claim, in several spellings, and some that do not.
    private static let values: [(name: String, values: [String])] = [
        ("tokenName", [#""access_token""#, #""access\u005ftoken""#, #""Access_Token""#, #""id_token""#, "null", "[]"]),
        ("token_use", [#""access""#, #""ACCESS""#, #""access_token""#, #""id""#, "null", "1"]),
        ("events", ["{}", "null"]),
        ("typ", [#""Bearer""#, #""b\u0065arer""#, #""ID""#, #""Refresh""#, #""offline""#, #""LOGOUT""#, #""DPoP""#]),
        ("token_type", [#""Bearer""#, #""DPoP""#, #""dpop ""#, "null"]),
        ("cnf", [#"{"jkt":"a"}"#, "null"]),
        ("sub", [#""demo""#, #""""#, #""spa""#, #""(age!x)""#, #""(usr!x)""#, "null"]),
        ("grant_type", [#""client_credentials""#, #""code""#, #"["a","client_credentials"]"#, "[1]", "null"]),
        ("gty", [#""client-credentials""#, #"["client-credentials"]"#, "{}"]),
        ("client_id", [#""spa""#, #""demo""#, "1"]),
        ("azp", [#""spa""#, #""demo""#, "null"]),
        ("aud", [#""demo""#, #"["demo"]"#, #"["demo","rs"]"#, "[]", "null"]),
        ("preferred_username", [#""service-account-x""#, #""demo""#, "[]"]),
        ("username", [#""service-account-x""#, #""demo""#, "{}"]),
        ("sid", [#""s""#, "null"]), ("session_state", [#""s""#]), ("auth_time", ["1", "null"]),
    ]

    @Test("is that of the tree of its claims, for thousands of combinations")
    func sameAsTree() throws {
        var state: UInt64 = 7
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        var kinds: Set<String> = []
        var machines = 0
        for _ in 0..<5000 {
            // Few marks each, or nearly all combinations would be of another kind.
            let chosen = Self.values.filter { _ in next(4) == 0 }
            let members = chosen.map { "\"\($0.name)\":\($0.values[next($0.values.count)])" }
            let text = "{" + members.joined(separator: ",") + "}"
            let claims = try JWTClaims.parse(Array(text.utf8))
            let tree = TreeKinds(json: claims.json)
            #expect(claims.otherKind == tree.otherKind, "\(text)")
            #expect(claims.isBound == tree.isBound, "\(text)")
            #expect(claims.isOfMachine == tree.isOfMachine, "\(text)")
            kinds.insert(claims.otherKind ?? "none")
            if !claims.isOfMachine { machines += 1 }
        }
        #expect(kinds == ["none", "tokenName", "token_use", "events", "typ"] && machines > 100)
    }
}
