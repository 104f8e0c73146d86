import Basics
import HTTPServer
import ResourceServer
import Testing

@testable import BFFAPI

@Suite("What a gateway is told of a token")
struct AuthzHeaderTests {
    private func headers(_ facts: TokenFacts) -> [String: String] {
        Dictionary(AuthzAPI.headers(facts, "id").map { ($0.name, $0.value) }) { first, _ in first }
    }

    private func facts(subject: String? = "demo", scopes: Set<String> = [], acr: String? = nil) -> TokenFacts {
        TokenFacts(
            issuer: "i", subject: subject, scopes: scopes, acr: acr, authLevel: 3, expires: Timestamp(seconds: 1))
    }

    static let subjects = [
        ("demo", "demo"), ("(usr!demo)", "(usr!demo)"), ("a b", "a b"), ("a%20b", "a%2520b"), ("é", "%C3%A9"),
        ("a\r\nX-Auth-Level: 9", "a%0D%0AX-Auth-Level%3A%209"), ("a\u{0}", "a%00"),
        // A reader that trims would take these for `demo`.
        (" demo", "%20demo"), ("demo ", "demo%20"), ("\tdemo", "%09demo"), ("\u{A0}demo", "%C2%A0demo"),
    ]

    @Test("cannot be taken for what another token says", arguments: subjects.indices)
    func escaped(_ index: Int) {
        let (text, value) = Self.subjects[index]
        #expect(headers(facts(subject: text, acr: text))["X-Auth-Subject"] == value)
        #expect(headers(facts(subject: text, acr: text))["X-Auth-Acr"] == value)
    }

    @Test("names the client and no subject when the token is a client's own")
    func machine() {
        var own = facts(subject: "svc")
        own.isClientCredentials = true
        own.clientID = "the svc\n"
        #expect(headers(own)["X-Auth-Subject"] == "" && headers(own)["X-Auth-Client"] == "the%20svc%0A")
        own.clientID = nil
        #expect(headers(own)["X-Auth-Subject"] == "" && headers(own)["X-Auth-Client"] == "svc")
    }

    @Test("names the client of a user's token, too")
    func client() {
        var facts = facts()
        #expect(headers(facts)["X-Auth-Client"] == "")
        facts.clientID = "spa"
        #expect(headers(facts)["X-Auth-Client"] == "spa" && headers(facts)["X-Auth-Subject"] == "demo")
    }

    @Test("has every field, once and empty where the token says nothing")
    func complete() {
        let bare = TokenFacts(issuer: "i", subject: nil, expires: nil)
        let fields = AuthzAPI.headers(bare, "id").filter { $0.name.hasPrefix("X-Auth-") }
        #expect(
            fields.map(\.name) == [
                "X-Auth-Issuer", "X-Auth-Subject", "X-Auth-Client", "X-Auth-Scope", "X-Auth-Acr", "X-Auth-Level",
            ])
        #expect(fields.map(\.value) == ["i", "", "", "", "", ""])
    }

    @Test("names the issuer, whose subject it is, as it is configured")
    func issuer() {
        #expect(headers(facts())["X-Auth-Issuer"] == "i")
        var other = facts(subject: nil)
        (other.issuer, other.isClientCredentials) = ("https://as.example.com/a b%20\u{E9}", true)
        #expect(headers(other)["X-Auth-Issuer"] == "https%3A%2F%2Fas.example.com%2Fa%20b%2520%C3%A9")
        other.issuer = "https://as.example.com/am/oauth2/alpha"
        #expect(headers(other)["X-Auth-Issuer"] == "https://as.example.com/am/oauth2/alpha")
    }

    @Test("names each scope by itself, so that one strange name does not hide the others")
    func scopes() {
        let value = headers(facts(scopes: ["write", "a\rb", "read", "50%"]))["X-Auth-Scope"]
        #expect(value == "50%25 a%0Db read write")
        #expect(headers(facts())["X-Auth-Scope"] == "" && headers(facts(subject: nil))["X-Auth-Subject"] == "")
    }
}
