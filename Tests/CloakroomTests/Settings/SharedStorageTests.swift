import Foundation
import Testing

@testable import Cloakroom

@Suite("Clients that share a storage")
struct SharedStorageTests {
    /// Two clients; the second with changed and further keys.
    private func problems(_ changes: [String: String] = [:], more: String = "") -> [String] {
        func client(_ name: String, _ changes: [String: String], _ more: String) -> String {
            var text = """
                  \(name):
                    type: journey
                    serverUrl: https://a.example.com/am
                    realm: alpha
                    journeys: [Login]
                    oidc: { clientId: one, clientSecret: x, scopes: [openid, profile], redirectUri: https://app.example.com }

                """
            for (old, new) in changes { text = text.replacingOccurrences(of: old, with: new) }
            return text + more
        }
        return SettingsText.problems(
            "server: { publicUrl: https://app.example.com, trustedPeers: [] }\nclients:\n" + client("first", [:], "")
                + client("second", changes, more))
    }

    private static let tokens = "9: clients.second.tokenStorage: is shared with 'first', which has another "
    private static let own = "; name a tokenStorage of its own"

    @Test func `may share everything when they are registered alike`() {
        #expect(problems() == [])
        #expect(problems(["[openid, profile]": "[profile, openid]"]) == [])
        #expect(problems(["realm: alpha": "realm: /alpha", "com/am": "com/am/"]) == [])
    }

    @Test func `need a token storage of their own when the tokens differ`() {
        #expect(problems(["one": "two"]) == [Self.tokens + "clientId" + Self.own])
        #expect(problems(["profile": "email"]) == [Self.tokens + "list of scopes" + Self.own])
        #expect(
            problems(["clientId: one": "clientId: two, issuer: https://x.example.com", "profile": "email"])
                == [Self.tokens + "issuer and clientId and list of scopes" + Self.own])
        #expect(problems(["one": "two"], more: "    tokenStorage: mine\n") == [])
    }

    @Test func `of different providers share nothing unless they are told to, and then it is refused`() {
        let elsewhere = ["realm: alpha": "realm: beta"]
        #expect(problems(elsewhere) == [])
        #expect(problems(["a.example.com": "b.example.com"], more: "    tokenStorage: mine\n") == [])
        let text = SettingsText.good.replacingOccurrences(
            of: "realm: alpha", with: "realm: alpha\n    sessionStorage: s")
        let other = text.split(separator: "\n").dropFirst(2).joined(separator: "\n")
            .replacingOccurrences(of: "standard", with: "other").replacingOccurrences(of: "alpha", with: "beta")
        #expect(
            SettingsText.problems(text + "\n" + other) == [
                "18: clients.other.sessionStorage: is shared with 'standard', which has another serverUrl or realm"
            ])
    }
}
