import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
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

    static let target = "https://app.example.com/bff/code"

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
        AuthorizeCase(
            "the login page", .loginRequired, location: "https://openam.example.com/am/UI/Login?goto=https%3A"),
        AuthorizeCase("a relative login page", .loginRequired, location: "/am/UI/Login?realm=/alpha"),
        AuthorizeCase(
            "the login page on another host", .loginRequired,
            location:
                "https://login.example.com/?realm=/alpha&goto=https%3A%2F%2Fam.example.com%2Fam%2Foauth2%2Fauthorize%3Fx"
        ),
        AuthorizeCase("another site", .noUsableAnswer, location: "https://portal.example.net/login?return=/authorize"),
        AuthorizeCase(
            "another site that goes elsewhere", .noUsableAnswer, location: "https://portal.example.net/?goto=/x"),
        AuthorizeCase("another site without a scheme", .noUsableAnswer, location: "//portal.example.net/"),
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
        AuthorizeCase("a consent page", .consentRequired) { _ in .consentPage },
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
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    /// Tokens for a session that was there before, so that nothing waits for AM's replication.
    private func tokens(redirectURI: String = AuthorizeCase.target) async throws -> TokenSet {
        try await desk.signIn("s1", created: am.time.now() - .seconds(60))
        let journey = try am.journey(oidc: true, redirectURI: redirectURI)
        let user = try await journey.bound(to: desk.caller()).user()
        return try await #require(user).token()
    }

    /// What `JourneyUser` makes of an error of the client; the session lives.
    private func expectFault(_ expected: OpenIDError, _ body: () async throws -> TokenSet) async {
        let error = await #expect(throws: JourneyTokenError.self) { _ = try await body() }
        switch (error, expected) {
        case (.tooWeak, .loginRequired), (.consentRequired, .consentRequired): return
        case (.provider(.invalidResponse(let check, _)), .invalidResponse(let rule, _)): #expect(check == rule)
        default: #expect(error == .provider(expected))
        }
    }

    private func answer(_ reply: @escaping @Sendable (String) -> ClientResponse) {
        am.network.on(.get, ScriptedAM.oauth + "/authorize") { reply($0.parameters?.single("state") ?? "") }
    }

    @Test(
        "is refused or an error of its own kind, and no code is exchanged",
        arguments: AuthorizeCase.redirects + AuthorizeCase.others + AuthorizeCase.errors)
    func refused(sample: AuthorizeCase) async throws {
        answer(sample.answer)
        await expectFault(sample.expected) { try await tokens() }
        // Never followed, wherever it led: AM's own addresses are all that was asked, and no token endpoint.
        let documents = ["/.well-known/openid-configuration", "/connect/jwk_uri", "/authorize"]
        let expected = [ScriptedAM.serverInfo] + documents.map { ScriptedAM.oauth + $0 }
        let asksForSession = sample.expected == .loginRequired ? [ScriptedAM.sessions] : []
        #expect(am.network.requests.map { $0.url.origin + $0.url.path } == expected + asksForSession)
        #expect(try await desk.session.get() != nil)
    }

    @Test("is taken with every redirect status", arguments: [301, 302, 303, 307, 308])
    func statuses(status: Int) async throws {
        let am = am
        am.network.on(.get, ScriptedAM.oauth + "/authorize") {
            var answer = am.authorize($0)
            answer.status = status
            return answer
        }
        #expect(try await tokens().subject == "demo")
    }

    @Test(
        "is recognised for redirect URIs with a query of their own and with a scheme of their own",
        arguments: [
            ("https://app.example.com/cb?client=a", "&"), ("app:/callback", "?"), ("com.example.app://cb", "?"),
        ])
    func redirectURIs(redirectURI: String, mark: String) async throws {
        let am = am
        am.network.on(.get, ScriptedAM.oauth + "/authorize") {
            _ = am.authorize($0)
            return .redirect(to: "\(redirectURI)\(mark)code=c1&state=\($0.parameters?.single("state") ?? "")#")
        }
        _ = try await tokens(redirectURI: redirectURI)
        let form = try #require(am.sent(ScriptedAM.oauth + "/access_token").last?.form)
        #expect(form.single("redirect_uri") == redirectURI)
    }

    @Test("is not recognised behind a redirect URI that merely begins in the same way")
    func longerRedirectURI() async throws {
        answer { .redirect(to: "https://app.example.com/cb?client=ab&code=c1&state=\($0)") }
        await expectFault(.invalidResponse(check: "redirect_uri")) {
            try await tokens(redirectURI: "https://app.example.com/cb?client=a")
        }
    }

    @Test("that does not come tells what became of the request")
    func transport() async throws {
        for (fault, expected): (TransportError, OpenIDError) in [
            (.notReached(.connect), .notReached), (.noUsableAnswer(.timeout), .noUsableAnswer),
            (.cancelled, .cancelled),
        ] {
            am.network.on(.get, ScriptedAM.oauth + "/authorize", failing: fault)
            await expectFault(expected) { try await tokens() }
        }
    }

    @Test("right after a sign-in is asked for again when it leads to the login page, and for no other reason")
    func retries() async throws {
        let journey = try am.journey(oidc: true)
        func start() async throws -> Int {
            am.network.forgetRequests()
            am.steps(success("s1"))
            #expect(try await journey.bound(to: desk.caller()).start("Login").cause != nil)
            return am.sent(ScriptedAM.oauth + "/authorize").count
        }
        answer { _ in .redirect(to: "https://openam.example.com/login") }
        #expect(try await start() == 3)
        let states = am.sent(ScriptedAM.oauth + "/authorize").compactMap { $0.parameters?.single("state") }
        #expect(Set(states).count == 3)
        answer { _ in .consentPage }
        #expect(try await start() == 1)
    }
}
