import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("The reason of a failure")
struct FailureReasonTests {
    /// AM's refusal of a step.
    private func refused(_ status: Int, _ more: String = "", message: String = "m") async throws -> String? {
        let bench = try ScriptedSignIn()
        bench.network.on(
            .post, ScriptedSignIn.authenticate,
            answering: .json(#"{"code":\#(status),"message":"\#(message)"\#(more)}"#, status: status))
        return reason(try await bench.start())
    }

    /// The end of a journey whose authorization or tokens are answered in another way.
    private func unauthorized(_ script: (ScriptedSignIn) -> Void) async throws -> String? {
        let bench = try ScriptedSignIn()
        script(bench)
        return reason(try await bench.signIn().told)
    }

    private func reason(_ told: ScriptedSignIn.Told) -> String? {
        if case .failure(let reason, _) = told { reason } else { nil }
    }

    /// The end of a step-up.
    private func stepUp(_ user: String, level: Int) async throws -> String? {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.authLevel = level
        let page = try await browser.start("gold") { $0.goal = "high" }
        return try await browser.next(try Browser.login(page, user), "gold")["reason"]?.string
    }

    /// The end of a flow whose step was sent by a process that died.
    private func unknown() async throws -> String? {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let body = try Browser.login(try await browser.start())
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let late = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        fixture.time.advance(by: .seconds(45))
        let reason = try await browser.at(try fixture.another()).next(body)["reason"]?.string
        gate.open()
        _ = await late.result
        return reason
    }

    /// The end of a flow in which the provider refused too many answers.
    private func guessed() async throws -> String? {
        let fixture = try Fixture { $0.refusals = 1 }
        let browser = fixture.browser()
        for _ in 0..<2 { fixture.provider.script(.next, .refused("Wrong")) }
        let node = try await browser.next(try Browser.login(try await browser.start(), password: "guess"))
        return try await browser.next(try Browser.login(node, password: "guess"))["reason"]?.string
    }

    /// The end of a flow that wants to send its user anywhere.
    private func leaving() async throws -> String? {
        let bench = try ScriptedSignIn()
        let page = #"{"type":"RedirectCallback","output":[{"name":"redirectUrl","value":"https://evil.example.com/"}]}"#
        bench.network.on(
            .post, ScriptedSignIn.authenticate, answering: .json(#"{"authId":"a","callbacks":[\#(page)]}"#))
        return reason(try await bench.start())
    }

    private func told(_ reason: FailureReason) async throws -> String? {
        let authorize = ScriptedSignIn.issuer + "/authorize"
        switch reason {  // no default: a new reason has to say where it comes from
        case .authenticationFailed: return try await refused(401)
        case .journeyExpired: return try await refused(408)
        case .suspendedExpired: return try await refused(401, message: "a.b.SuspendedAuthSessionException: gone")
        case .policyFailed: return try await refused(403, #","detail":{"failedPolicyRequirements":[]}"#)
        case .badRequest: return try await refused(400)
        case .providerUnavailable: return try await refused(500)
        case .outcomeUnknown: return try await unknown()
        case .consentRequired:
            return try await unauthorized { $0.network.on(.get, authorize, answering: .consentPage) }
        case .accountMismatch: return try await stepUp("bob", level: 3)
        case .stepUpNotReached: return try await stepUp("demo", level: 2)
        case .tooWeak:
            return try await unauthorized {
                $0.network.on(.get, authorize, answering: .redirect(to: ScriptedSignIn.server + "/XUI/"))
            }
        case .configuration: return try await refused(404)
        case .pageTooLarge:
            let bench = try ScriptedSignIn()
            let padding = String(repeating: "x", count: 300_000)
            bench.network.on(
                .post, ScriptedSignIn.authenticate,
                answering: .json(#"{"authId":"a","callbacks":[],"more":"\#(padding)"}"#))
            return self.reason(try await bench.start())
        case .tooManyRefusals: return try await guessed()
        case .linkNotAllowed: return try await leaving()
        case .interactionExpired: return try await ended(#"{"code":1999,"message":"m"}"#, status: 400)
        case .loginRequired: return try await ended(#"{"status":"FAILED","error":{"code":"login_required"}}"#)
        case .providerRefused: return try await ended(#"{"status":"FAILED","error":{"code":"server_error"}}"#)
        case .pollFailed: return try await ended(#"{"eventName":"rewindStateToLastRenderedUI"}"#)
        }
    }

    /// The end of a start that PingOne answers with this.
    private func ended(_ body: String, status: Int = 200) async throws -> String? {
        let bench = try DaVinciBench()
        bench.ping.starts(.json(body, status: status))
        return try await bench.browser.start("workforce")["reason"]?.string
    }

    @Test("is told where it comes from", arguments: FailureReason.allCases)
    func each(_ reason: FailureReason) async throws {
        #expect(try await told(reason) == reason.rawValue)
    }

    /// What an operator may get wrong, how the provider says so, and what the log names.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: String
        let script: @Sendable (ScriptedSignIn) -> Void

        init(_ name: String, _ check: String, _ script: @escaping @Sendable (ScriptedSignIn) -> Void) {
            (testDescription, self.check, self.script) = (name, check, script)
        }

        static func page(_ bench: ScriptedSignIn, _ word: String) {
            bench.network.on(
                .get, ScriptedSignIn.issuer + "/authorize",
                answering: .html("<script>error: { message: \"\(word)\" }</script>", status: 400))
        }

        static let all = [
            Wrong("redirect URI", "redirect_uri_mismatch") { page($0, "redirect_uri_mismatch") },
            Wrong("client id", "invalid_client") { page($0, "invalid_client") },
            Wrong("scope", "invalid_scope") { $0.authorizeRedirects("error=invalid_scope") },
            Wrong("client secret", "client authentication") {
                $0.network.on(
                    .post, ScriptedSignIn.tokens, answering: .json(#"{"error":"invalid_client"}"#, status: 401))
            },
        ]
    }

    @Test(
        "is an error of the configuration for what an operator got wrong, and the check is named",
        arguments: Wrong.all)
    func configuration(_ wrong: Wrong) async throws {
        let bench = try ScriptedSignIn()
        wrong.script(bench)
        guard case .failure(let reason, let found) = try await bench.signIn().told else {
            Issue.record("no failure")
            return
        }
        #expect(reason == "configuration-error" && found?.hasPrefix(wrong.check) == true, "\(found ?? "")")
    }
}

@Suite("A logout during a sign-in")
struct LogoutDuringSignInTests {
    @Test("ends it, whichever of both is first", arguments: StoreKind.allCases, [true, false])
    func meets(kind: StoreKind, everything: Bool) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let body = try Browser.login(try await browser.start { $0.forceAuth = true })
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let copy = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await copy.next(body) }
        await gate.waitUntilHeld()
        if everything { try await browser.logoutAll() } else { try await browser.logout() }
        gate.open()
        await #expect(throws: BFFError.flowExpired) { try await late.value }
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        fixture.provider.hold(.next, at: nil)
        // One that was overtaken by the sign-in ends that, where it ends everything.
        let other = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: other.cookie)
        try await other.signIn("demo", "transaction")
        if everything {
            try await old.logoutAll()
        } else {
            await #expect(throws: BFFError.sessionChanged) { try await old.logout(session: true) }
            try await other.logout(session: true)
        }
        await #expect(throws: BFFError.signedOut) { try await other.user() }
    }
}
