import HTTPCore
import JSON
import OpenIDConnect
import TestSupport
import Testing

/// An answer of the authorization endpoint and what a client makes of it.
struct AuthorizeCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: OpenIDError
    let answer: @Sendable (_ state: String) -> ClientResponse

    init(_ name: String, _ expected: OpenIDError, _ answer: @escaping @Sendable (String) -> ClientResponse) {
        testDescription = name
        self.expected = expected
        self.answer = answer
    }

    /// A redirect; `*` stands for the state.
    init(_ name: String, _ expected: OpenIDError, location: String) {
        self.init(name, expected) { state in
            .redirect(to: location.split(separator: "*", omittingEmptySubsequences: false).joined(separator: state))
        }
    }

    static let target = ScriptedProvider.redirectURI

    static let redirects: [AuthorizeCase] = [
        AuthorizeCase("no state", .invalidResponse(check: "state"), location: target + "?code=c1"),
        AuthorizeCase("an empty state", .invalidResponse(check: "state"), location: target + "?code=c1&state="),
        AuthorizeCase("a foreign state", .invalidResponse(check: "state"), location: target + "?code=c1&state=x"),
        AuthorizeCase("a longer state", .invalidResponse(check: "state"), location: target + "?code=c1&state=*x"),
        AuthorizeCase(
            "a foreign state with an error", .invalidResponse(check: "state"),
            location: target + "?error=access_denied&state=x"),
        AuthorizeCase(
            "a repeated code", .invalidResponse(check: "duplicate parameter"),
            location: target + "?code=c1&code=c1&state=*"),
        AuthorizeCase(
            "a repeated state", .invalidResponse(check: "duplicate parameter"),
            location: target + "?code=c1&state=*&state=*"),
        AuthorizeCase(
            "a repeated iss", .invalidResponse(check: "duplicate parameter"),
            location: target + "?code=c1&state=*&iss=a&iss=b"),
        AuthorizeCase(
            "a repeated unknown parameter", .invalidResponse(check: "duplicate parameter"),
            location: target + "?code=c1&state=*&x=1&x=2"),
        AuthorizeCase(
            "another issuer", .invalidResponse(check: "iss"),
            location: target + "?code=c1&state=*&iss=https://evil.example.net"),
        AuthorizeCase("an empty issuer", .invalidResponse(check: "iss"), location: target + "?code=c1&state=*&iss="),
        AuthorizeCase(
            "another issuer with an error", .invalidResponse(check: "iss"),
            location: target + "?error=access_denied&state=*&iss=https://evil.example.net"),
        AuthorizeCase("no code", .invalidResponse(check: "code"), location: target + "?state=*"),
        AuthorizeCase("an empty code", .invalidResponse(check: "code"), location: target + "?code=&state=*"),
        AuthorizeCase(
            "an endless code", .invalidResponse(check: "code"),
            location: target + "?state=*&code=" + String(repeating: "c", count: 2049)),
        AuthorizeCase("a bad escape", .invalidResponse(check: "location"), location: target + "?code=c1&x=%zz&state=*"),
        AuthorizeCase(
            "a code in the fragment", .invalidResponse(check: "response_mode"), location: target + "#code=c1&state=*"),
        AuthorizeCase("nothing at all", .invalidResponse(check: "state"), location: target),
        AuthorizeCase("the login page", .loginRequired, location: "https://am.example.com/am/UI/Login?goto=https%3A"),
        AuthorizeCase("a relative login page", .loginRequired, location: "/am/UI/Login?realm=/alpha"),
        AuthorizeCase("the login page on another host", .loginRequired, location: "https://login.example.com/"),
        AuthorizeCase(
            "a target with a longer path", .invalidResponse(check: "redirect_uri"),
            location: target + "/more?code=c1&state=*"),
        AuthorizeCase(
            "a target with a longer last segment", .invalidResponse(check: "redirect_uri"),
            location: target + "x?code=c1&state=*"),
        AuthorizeCase(
            "another host", .invalidResponse(check: "redirect_uri"),
            location: "https://evil.example.net/bff/code?code=c1&state=*"),
        AuthorizeCase(
            "another scheme", .invalidResponse(check: "redirect_uri"),
            location: "http://app.example.com/bff/code?code=c1&state=*"),
        AuthorizeCase(
            "another port", .invalidResponse(check: "redirect_uri"),
            location: "https://app.example.com:8443/bff/code?code=c1&state=*"),
        AuthorizeCase(
            "another host in user information", .invalidResponse(check: "redirect_uri"),
            location: "https://app.example.com@evil.example.net/bff/code?code=c1&state=*"),
        AuthorizeCase(
            "another case in the path", .invalidResponse(check: "redirect_uri"),
            location: "https://app.example.com/BFF/code?code=c1&state=*"),
        AuthorizeCase(
            "an error on another host", .invalidResponse(check: "redirect_uri"),
            location: "https://evil.example.net/?error=access_denied&state=*"),
    ]

    static let errors: [AuthorizeCase] =
        [
            "access_denied", "invalid_scope", "unauthorized_client", "unsupported_response_type", "invalid_request",
            "unmet_authentication_requirements", "something_else",
        ].map { code in
            AuthorizeCase(code, .rejected(code: code, status: 302), location: target + "?error=\(code)&state=*")
        } + [
            AuthorizeCase(
                "an error in the fragment", .rejected(code: "unsupported_response_type", status: 302),
                location: target + "#error=unsupported_response_type&state=*"),
            AuthorizeCase(
                "an error with a code", .rejected(code: "access_denied", status: 302),
                location: target + "?code=c1&error=access_denied&state=*"),
            AuthorizeCase(
                "an error that is no text for a log", .rejected(code: "a?b", status: 302),
                location: target + "?error=a%0Ab&state=*"),
            AuthorizeCase("login_required", .loginRequired, location: target + "?error=login_required&state=*"),
            AuthorizeCase(
                "interaction_required", .loginRequired, location: target + "?error=interaction_required&state=*"),
            AuthorizeCase(
                "account_selection_required", .loginRequired,
                location: target + "?error=account_selection_required&state=*"),
            AuthorizeCase("consent_required", .consentRequired, location: target + "?error=consent_required&state=*"),
            AuthorizeCase(
                "temporarily_unavailable", .busy(retryAfter: nil),
                location: target + "?error=temporarily_unavailable&state=*"),
            AuthorizeCase("server_error", .noUsableAnswer, location: target + "?error=server_error&state=*"),
        ]

    static let others: [AuthorizeCase] = [
        AuthorizeCase("a consent page", .consentRequired) { _ in .html("<form>") },
        AuthorizeCase("JSON with 200", .noUsableAnswer) { _ in .json("{}") },
        AuthorizeCase("an empty 200", .noUsableAnswer) { _ in ClientResponse(status: 200) },
        AuthorizeCase("204", .noUsableAnswer) { _ in ClientResponse(status: 204) },
        AuthorizeCase("304", .noUsableAnswer) { _ in ClientResponse(status: 304) },
        AuthorizeCase("400 with an error", .rejected(code: "invalid_client", status: 400)) { _ in
            .json(#"{"error":"invalid_client"}"#, status: 400)
        },
        AuthorizeCase("400 without", .rejected(code: "", status: 400)) { _ in .html("bad", status: 400) },
        AuthorizeCase("401 in place of the login page", .loginRequired) { _ in ClientResponse(status: 401) },
        AuthorizeCase("401 about the client", .rejected(code: "invalid_client", status: 401)) { _ in
            .json(#"{"error":"invalid_client"}"#, status: 401)
        },
        AuthorizeCase("400 with AM's page", .rejected(code: "redirect_uri_mismatch", status: 400)) { _ in
            .html(
                """
                <html><script>pageData = { error: {
                    description: "The redirection URI provided does not match a pre-registered value.",
                    message: "redirect_uri_mismatch"
                } }</script></html>
                """, status: 400)
        },
        AuthorizeCase("400 with a page that hides no word", .rejected(code: "", status: 400)) { _ in
            .html(#"<p>the message: it, "message": "<b>", message "x" message: "A b", message"#, status: 400)
        },
        AuthorizeCase("403", .rejected(code: "", status: 403)) { _ in ClientResponse(status: 403) },
        AuthorizeCase("429", .busy(retryAfter: .seconds(9))) { _ in
            ClientResponse(status: 429, fields: [.retryAfter: "9"])
        },
        AuthorizeCase("503", .busy(retryAfter: nil)) { _ in .html("down", status: 503) },
        AuthorizeCase("500", .noUsableAnswer) { _ in .html("oops", status: 500) },
        AuthorizeCase("502", .noUsableAnswer) { _ in .html("oops", status: 502) },
        AuthorizeCase("a redirect without a location", .invalidResponse(check: "location")) { _ in
            ClientResponse(status: 302)
        },
        AuthorizeCase("a redirect with two locations", .invalidResponse(check: "location")) { state in
            var answer = ClientResponse.redirect(to: target + "?code=c1&state=\(state)")
            answer.fields.append(HTTPField(.location, "https://evil.example.net/"))
            return answer
        },
    ]
}

@Suite("The answer of the authorization endpoint")
struct AuthorizeAnswerTests {
    typealias Provider = ScriptedProvider

    @Test("is refused, and no code is exchanged", arguments: AuthorizeCase.redirects + AuthorizeCase.others)
    func refused(sample: AuthorizeCase) async throws {
        let provider = Provider()
        provider.set { $0.authorize = sample.answer }
        await expectFault(sample.expected) { try await provider.tokens() }
        #expect(provider.sent("/access_token").isEmpty)
        // Never followed, wherever it led: discovery, keys and authorize are all that was sent.
        #expect(provider.network.requests.count == 3)
    }

    @Test("may be an error of its own kind", arguments: AuthorizeCase.errors)
    func error(sample: AuthorizeCase) async throws {
        let provider = Provider()
        provider.set { $0.authorize = sample.answer }
        await expectFault(sample.expected) { try await provider.tokens() }
        #expect(provider.network.requests.count == 3)
    }

    @Test("is taken with every redirect status", arguments: [301, 302, 303, 307, 308])
    func statuses(status: Int) async throws {
        let provider = Provider()
        provider.set { $0.authorize = { .redirect(to: Provider.redirectURI + "?code=c1&state=\($0)", status: status) } }
        #expect(try await provider.tokens().subject == "demo")
    }

    @Test("needs the issuer in it when the metadata announce it")
    func announcedIssuer() async throws {
        let provider = Provider()
        provider.set {
            $0.document = [("authorization_response_iss_parameter_supported", true)]
            $0.authorize = { .redirect(to: Provider.redirectURI + "?code=c1&state=\($0)") }
        }
        await expectFault(.invalidResponse(check: "iss")) { try await provider.tokens() }
        provider.set { $0.authorize = nil }
        #expect(try await provider.tokens().subject == "demo")
    }

    @Test("is recognised for redirect URIs with a query of their own and with a scheme of their own")
    func redirectURIs() async throws {
        for (redirectURI, mark) in [
            ("https://app.example.com/cb?client=a", "&"), ("app:/callback", "?"), ("com.example.app://cb", "?"),
        ] {
            let provider = Provider()
            let client = try provider.client { $0.redirectURI = redirectURI }
            provider.set { $0.authorize = { .redirect(to: "\(redirectURI)\(mark)code=c1&state=\($0)#") } }
            _ = try await client.authorize(session: Provider.session, deadline: Provider.soon)
            #expect(provider.sent("/access_token").last?.form?.single("redirect_uri") == redirectURI)
        }
        let provider = Provider()
        let client = try provider.client { $0.redirectURI = "https://app.example.com/cb?client=a" }
        provider.set { $0.authorize = { .redirect(to: "https://app.example.com/cb?client=ab&code=c1&state=\($0)") } }
        await expectFault(.invalidResponse(check: "redirect_uri")) {
            try await client.authorize(session: Provider.session, deadline: Provider.soon)
        }
    }

    @Test("that does not come tells what became of the request")
    func transport() async throws {
        for (fault, expected): (TransportError, OpenIDError) in [
            (.notReached(.connect), .notReached), (.noUsableAnswer(.timeout), .noUsableAnswer),
            (.cancelled, .cancelled),
        ] {
            let provider = Provider()
            provider.network.on(.get, Provider.base + "/authorize", failing: fault)
            await #expect(throws: expected) { try await provider.tokens() }
        }
    }

    @Test("right after a sign-in is asked for again when it leads to the login page, and for no other reason")
    func retries() async throws {
        let provider = Provider()
        let client = try provider.client()
        provider.set { $0.authorize = { _ in .redirect(to: "https://am.example.com/login") } }
        func obtain() async throws -> TokenSet {
            try await client.authorize(
                session: Provider.session, retries: [.milliseconds(1), .milliseconds(2)], sleep: { _ in },
                deadline: Provider.soon)
        }
        await #expect(throws: OpenIDError.loginRequired) { try await obtain() }
        #expect(provider.sent("/authorize").count == 3)
        provider.set { $0.authorize = { _ in .html("consent") } }
        await #expect(throws: OpenIDError.consentRequired) { try await obtain() }
        #expect(provider.sent("/authorize").count == 4)
    }
}
