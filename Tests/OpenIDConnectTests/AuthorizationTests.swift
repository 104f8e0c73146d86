import Basics
import Cryptography
import HTTPCore
import JSON
import Logs
import OpenIDConnect
import TestSupport
import Testing

/// An answer to an authorization and what is made of it.
struct FinishCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: OpenIDError
    /// `*` stands for the state.
    let answer: String

    init(_ name: String, _ expected: OpenIDError, _ answer: String) {
        testDescription = name
        self.expected = expected
        self.answer = answer
    }

    static let refused: [FinishCase] = [
        FinishCase("no state", .invalidResponse(check: "state"), "code=c1"),
        FinishCase("an empty state", .invalidResponse(check: "state"), "code=c1&state="),
        FinishCase("a foreign state", .invalidResponse(check: "state"), "code=c1&state=x"),
        FinishCase("a longer state", .invalidResponse(check: "state"), "code=c1&state=*x"),
        FinishCase("a foreign state with an error", .invalidResponse(check: "state"), "error=access_denied&state=x"),
        FinishCase("a state twice", .invalidResponse(check: "duplicate parameter"), "code=c1&state=*&state=*"),
        FinishCase("a code twice", .invalidResponse(check: "duplicate parameter"), "code=c1&code=c2&state=*"),
        FinishCase("another issuer", .invalidResponse(check: "iss"), "code=c1&state=*&iss=https://evil.example.net"),
        FinishCase("an empty issuer", .invalidResponse(check: "iss"), "code=c1&state=*&iss="),
        FinishCase(
            "another issuer's error", .invalidResponse(check: "iss"), "error=access_denied&state=*&iss=https://e.net"),
        FinishCase("no code", .invalidResponse(check: "code"), "state=*"),
        FinishCase("an empty code", .invalidResponse(check: "code"), "code=&state=*"),
        FinishCase("an error", .rejected(code: "access_denied", status: 302), "error=access_denied&state=*"),
        FinishCase(
            "an error with a description", .rejected(code: "access_denied", status: 302),
            "error=access_denied&error_description=The+user+demo+refused&state=*"),
        FinishCase("a code with an error", .rejected(code: "x", status: 302), "code=c1&error=x&state=*"),
        FinishCase("login_required", .loginRequired, "error=login_required&state=*"),
        FinishCase("consent_required", .consentRequired, "error=consent_required&state=*"),
        FinishCase(
            "temporarily_unavailable", .busy(retryAfter: nil), "error=temporarily_unavailable&state=*"),
        FinishCase("server_error", .noUsableAnswer, "error=server_error&state=*"),
    ]
}

@Suite("An authorization")
struct AuthorizationTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    private func begin(_ options: AuthorizeOptions = AuthorizeOptions()) async throws -> Authorization {
        try await provider.client().authorization(options, deadline: Provider.soon)
    }

    /// Finishes as another process would: with a client of its own.
    private func finish(
        _ authorization: inout Authorization, _ answer: AuthorizationAnswer
    ) async throws -> TokenSet {
        try await authorization.finish(answer, by: try provider.client(), deadline: Provider.soon)
    }

    private func query(_ text: String, for authorization: Authorization) throws -> QueryParameters {
        let filled = text.split(separator: "*", omittingEmptySubsequences: false)
            .joined(separator: authorization.state.reveal())
        return try #require(QueryParameters(parsing: filled))
    }

    @Test("that was stored finishes as if it had not been, by an answer in the query or in a form")
    func stored() async throws {
        let options = AuthorizeOptions(
            acrValues: ["silver"], parameters: ["login_hint": "a b&c"], notBefore: Timestamp(seconds: provider.now - 5),
            maxAge: .seconds(3600), requiredACR: ["silver"], lifetime: .seconds(60))
        for isForm in [false, true] {
            let begun = try await begin(options)
            let sent = try await provider.answer(to: begun)
            var read = try Authorization(decoding: begun.encoded)
            #expect(read == begun && read.request == begun.request)
            guard case .query(let parameters) = sent else { throw Unexpected() }
            #expect(try await finish(&read, isForm ? .form(parameters) : sent).subject == "demo")
            let form = try #require(provider.sent("/access_token").last?.form)
            #expect(form.single("redirect_uri") == Provider.redirectURI && form.single("code") == "c1")
            #expect(try Authorization(decoding: read.encoded).isSpent)
        }
    }

    @Test("keeps what the ID token has to show while it is stored")
    func storedDemands() async throws {
        for (options, check) in [
            (AuthorizeOptions(requiredACR: ["gold"]), "acr"),
            (AuthorizeOptions(notBefore: Timestamp(seconds: provider.now + 100)), "auth_time"),
        ] {
            var read = try Authorization(decoding: try await begin(options).encoded)
            let answer = try await provider.answer(to: read)
            await expectFault(.invalidIDToken(check: check)) { try await finish(&read, answer) }
        }
        provider.set { $0.claims = { $0["auth_time"] = 1 } }
        var read = try Authorization(decoding: try await begin(AuthorizeOptions(maxAge: .seconds(9))).encoded)
        let answer = try await provider.answer(to: read)
        await expectFault(.invalidIDToken(check: "auth_time")) { try await finish(&read, answer) }
    }

    @Test("with an endpoint or a way to send it that it cannot have is not read")
    func foreign() async throws {
        let begun = try await begin()
        for text in [begun.endpoint.text, "\u{3}get"] {
            var bytes = begun.encoded
            let place = try #require(bytes.firstRange(of: Array(text.utf8)))
            bytes[place.upperBound - text.utf8.count + 1] = UInt8(ascii: " ")
            #expect(throws: RecordError.malformed) { try Authorization(decoding: bytes) }
        }
    }

    @Test("is not finished by an answer that fails a check, and no code is exchanged", arguments: FinishCase.refused)
    func refused(sample: FinishCase) async throws {
        var authorization = try await begin()
        let answer = AuthorizationAnswer.query(try query(sample.answer, for: authorization))
        await expectFault(sample.expected) { try await finish(&authorization, answer) }
        #expect(provider.sent("/access_token").isEmpty)
        // A made-up answer ends nothing; one that knows the state does.
        let isMadeUp = ["state", "duplicate parameter"].contains { sample.expected == .invalidResponse(check: $0) }
        #expect(authorization.isSpent == !isMadeUp)
        let good = try await provider.answer(to: authorization)
        if isMadeUp {
            #expect(try await finish(&authorization, good).subject == "demo")
        } else {
            await expectFault(.invalidGrant) { try await finish(&authorization, good) }
            #expect(provider.sent("/access_token").isEmpty)
        }
    }

    @Test("needs the issuer in its answer when the metadata announce it, at the time of the answer")
    func announcedIssuer() async throws {
        provider.set { $0.document = [("authorization_response_iss_parameter_supported", true)] }
        var authorization = try await begin()
        let answer = AuthorizationAnswer.query(try query("code=c1&state=*", for: authorization))
        await expectFault(.invalidResponse(check: "iss")) { try await finish(&authorization, answer) }
        #expect(provider.sent("/access_token").isEmpty)
    }

    @Test("takes an error out of the fragment, and never a code")
    func fragment() async throws {
        for (text, expected): (String, OpenIDError) in [
            ("code=c1&state=*", .invalidResponse(check: "response_mode")),
            ("error=unsupported_response_type&state=*", .rejected(code: "unsupported_response_type", status: 302)),
            ("code=c1&state=x", .invalidResponse(check: "state")),
        ] {
            var authorization = try await begin()
            let answer = AuthorizationAnswer.fragment(try query(text, for: authorization))
            await expectFault(expected) { try await finish(&authorization, answer) }
        }
        #expect(provider.sent("/access_token").isEmpty)
    }

    @Test("is finished once: the second time nothing is sent")
    func twice() async throws {
        var authorization = try await begin()
        let answer = try await provider.answer(to: authorization)
        _ = try await finish(&authorization, answer)
        await expectFault(.invalidGrant) { try await finish(&authorization, answer) }
        var stored = try Authorization(decoding: authorization.encoded)
        await expectFault(.invalidGrant) { try await finish(&stored, answer) }
        #expect(provider.sent("/access_token").count == 1 && provider.sent("/revoke").isEmpty)
    }

    @Test("is spent by an exchange that fails: a code is single use")
    func failedExchange() async throws {
        var authorization = try await begin()
        let answer = try await provider.answer(to: authorization)
        provider.set { $0.token = .html("oops", status: 500) }
        await expectFault(.noUsableAnswer) { try await finish(&authorization, answer) }
        provider.set { $0.token = nil }
        await expectFault(.invalidGrant) { try await finish(&authorization, answer) }
        #expect(provider.sent("/access_token").count == 1)
    }

    @Test("is good again when metadata or keys could not be had for its answer")
    func outage() async throws {
        var authorization = try await begin()
        let answer = try await provider.answer(to: authorization)
        let restarted = Provider()
        restarted.network.on(.get, Provider.base + "/keys", failing: .notReached(.connect))
        let client = try restarted.client()
        await expectFault(.notReached) {
            try await authorization.finish(answer, by: client, deadline: Provider.soon)
        }
        #expect(!authorization.isSpent)
        #expect(try await finish(&authorization, answer).subject == "demo")
    }

    @Test("ends with its life time, and not before")
    func expired() async throws {
        for (wait, isOver): (Duration, Bool) in [(.seconds(59), false), (.seconds(60), true), (.seconds(3600), true)] {
            var authorization = try await begin(AuthorizeOptions(lifetime: .seconds(60)))
            let answer = try await provider.answer(to: authorization)
            let count = provider.sent("/access_token").count
            provider.time.advance(by: wait)
            if isOver {
                await expectFault(.invalidGrant) { try await finish(&authorization, answer) }
                #expect(provider.sent("/access_token").count == count)
            } else {
                #expect(try await finish(&authorization, answer).subject == "demo")
            }
        }
    }

    @Test("takes no code of another authorization: its verifier is not that one's, and neither is the nonce")
    func anothersCode() async throws {
        var mine = try await begin()
        let other = try await begin()
        // The code was made for the other one, whose nonce is in the ID token.
        _ = try await provider.answer(to: other)
        let answer = AuthorizationAnswer.query(try query("code=c1&state=*", for: mine))
        await expectFault(.invalidIDToken(check: "nonce")) { try await finish(&mine, answer) }
        #expect(provider.sent("/revoke").count == 2)
        let sent = try #require(provider.sent("/access_token").last?.form?.single("code_verifier"))
        let challenge = try #require(provider.sent("/authorize").last?.parameters?.single("code_challenge"))
        #expect(Base64URL.encode(Digest.hash(utf8: sent)) != challenge)
        // An answer to the other one is none to this one.
        var second = try await begin()
        let foreign = AuthorizationAnswer.query(try query("code=c1&state=*", for: other))
        await expectFault(.invalidResponse(check: "state")) { try await finish(&second, foreign) }
    }

    @Test("is finished by its own client alone")
    func otherClient() async throws {
        var authorization = try await begin()
        let answer = try await provider.answer(to: authorization)
        let other = try provider.client { $0.clientID = "other" }
        let fault = OpenIDError.configuration("the authorization is of another issuer or client")
        await expectFault(fault) { try await authorization.finish(answer, by: other, deadline: Provider.soon) }
        #expect(!authorization.isSpent && provider.sent("/access_token").isEmpty)
    }

    @Test("shows none of its secrets, and nothing of its parameters")
    func silent() async throws {
        let log = RecordedLog()
        let client = try provider.client(logger: log.logger())
        var authorization = try await client.authorization(
            AuthorizeOptions(parameters: ["login_hint": "demo@example.com"]), deadline: Provider.soon)
        let answer = try await provider.answer(to: authorization)
        guard case .get(let address) = authorization.request, let nonce = QueryParameters(parsing: address.query ?? "")
        else { throw Unexpected() }
        _ = try await authorization.finish(answer, by: client, deadline: Provider.soon)
        let verifier = try #require(provider.sent("/access_token").last?.form?.single("code_verifier"))
        let secrets = [authorization.state.reveal(), try #require(nonce.single("nonce")), verifier, "demo@", "c1"]
        var texts = log.lines
        for value in [authorization, authorization.request, answer] as [Any] {
            texts += ["\(value)", String(reflecting: value)]
            var dumped = ""
            dump(value, to: &dumped)
            texts.append(dumped)
        }
        for text in texts {
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
        #expect(authorization.encoded.firstRange(of: Array(verifier.utf8)) != nil)
    }

    private struct Unexpected: Error {}
}
