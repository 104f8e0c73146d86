import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

/// Over real HTTP, with a software authenticator in the browser and real signatures at the provider.
@Suite("A credential of the browser")
struct PasskeyTests {
    typealias Deviation = SoftwareAuthenticator.Deviation

    private static let options = Bench.Options(adjust: { settings, _ in
        settings.clients[0].journey.journeys = ["RegisterDevice", "Passkey", "PasskeyAutofill", "LegacyWebAuthn"]
    })

    /// A browser at the question of a journey.
    private struct User {
        let bench: Bench
        let browser: Browser
        let authenticator: SoftwareAuthenticator

        init(
            _ bench: Bench, _ algorithm: SoftwareAuthenticator.Algorithm = .es256, isPacked: Bool = false,
            origin: String? = nil
        ) {
            self.bench = bench
            browser = bench.browser()
            authenticator = SoftwareAuthenticator(
                origin: origin ?? bench.base.origin, algorithm: algorithm, isPacked: isPacked)
        }

        func next(_ page: Browser.Answer, _ values: JSONValue) async throws -> Browser.Answer {
            try await browser.call(
                .post, "/bff/standard/next",
                ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": values])
        }

        func begin(_ journey: String) async throws -> Browser.Answer {
            try await browser.start("standard", ["journey": .string(journey), "forceAuth": true])
        }

        static func question(_ page: Browser.Answer) throws -> (id: String, publicKey: JSONValue) {
            let question = try #require(page["callbacks"]?.array?.first { $0["publicKey"] != nil })
            return (try #require(question["id"]?.string), try #require(question["publicKey"]))
        }

        /// Registers the authenticator for `demo`; the first sign-in of the browser.
        func register(_ journey: String = "RegisterDevice", _ deviation: Deviation = Deviation()) async throws
            -> Browser.Answer
        {
            let page = try await browser.answer(try await begin(journey), "demo")
            let (id, publicKey) = try Self.question(page)
            let credential = try authenticator.create(publicKey, deviation)
            return try await next(page, [id: ["credential": credential, "deviceName": "Ann's phone"]].json)
        }

        /// The page of `Passkey` that asks for a credential of `demo`.
        func asked() async throws -> Browser.Answer {
            try await next(try await begin("Passkey"), ["IDToken1": "demo"])
        }

        func signIn(_ page: Browser.Answer, _ deviation: Deviation = Deviation()) async throws -> Browser.Answer {
            let (id, publicKey) = try Self.question(page)
            return try await next(page, [id: ["credential": try authenticator.get(publicKey, deviation)]].json)
        }
    }

    private func expectSignedIn(_ answer: Browser.Answer) {
        #expect(answer["type"] == "success" && answer["signedIn"] == true, "\(answer.json.text)")
        #expect(answer["user.claims.preferred_username"] == "demo")
    }

    @Test(arguments: SoftwareAuthenticator.Algorithm.allCases, [false, true])
    func `is registered and signs in`(algorithm: SoftwareAuthenticator.Algorithm, isPacked: Bool) async throws {
        try await withBench(Self.options) { bench in
            let user = User(bench, algorithm, isPacked: isPacked)
            expectSignedIn(try await user.register())
            for _ in 0..<2 {
                #expect(try await user.browser.signOut().status == 204)
                expectSignedIn(try await user.signIn(try await user.asked()))
            }
        }
    }

    @Test func `is offered beside the password, and either signs in`() async throws {
        try await withBench(Self.options) { bench in
            let user = User(bench)
            expectSignedIn(try await user.register())
            #expect(try await user.browser.signOut().status == 204)
            let page = try await user.begin("PasskeyAutofill")
            #expect(page["callbacks.2.mediation"] == "conditional" && page["callbacks.3"] == nil)
            expectSignedIn(try await user.browser.answer(page, "demo"))
            #expect(try await user.browser.signOut().status == 204)
            expectSignedIn(try await user.signIn(try await user.begin("PasskeyAutofill")))
        }
    }

    @Test func `is asked for by the scripts of older servers`() async throws {
        try await withBench(Self.options) { bench in
            let user = User(bench)
            expectSignedIn(try await user.register("LegacyWebAuthn"))
            #expect(try await user.browser.signOut().status == 204)
            let page = try await user.browser.answer(try await user.begin("LegacyWebAuthn"), "demo")
            #expect(page["callbacks.0.specialised"] == "webauthn_authentication")
            expectSignedIn(try await user.signIn(page))
        }
    }

    @Test func `gives way to a recovery code, by the user's choice or where there can be none`() async throws {
        try await withBench(Self.options) { bench in
            let user = User(bench)
            expectSignedIn(try await user.register())
            for answer: JSONValue in [["IDToken3": 0], ["MetadataCallback-0": ["unsupported": true]]] {
                #expect(try await user.browser.signOut().status == 204)
                let code = try await user.next(try await user.asked(), answer)
                #expect(code["stage"] == "RecoveryCode")
                let settings = SimulatorSettings()
                expectSignedIn(try await user.next(code, ["IDToken1": .string(settings.oneTimeCode)]))
            }
        }
    }

    @Test func `that was not made for the page is refused before the provider is asked, and the page is still open`()
        async throws
    {
        try await withBench(Self.options) { bench in
            let user = User(bench)
            expectSignedIn(try await user.register())
            #expect(try await user.browser.signOut().status == 204)
            let page = try await user.asked()
            let asked = bench.simulator.received("/authenticate")
            func expect(_ code: String, _ answer: Browser.Answer) {
                #expect(answer.status == 422 && answer["fields.0.code"] == .string(code), "\(answer.json.text)")
            }
            var deviation = Deviation()
            deviation.challenge = "AQID"
            expect("wrong-challenge", try await user.signIn(page, deviation))
            deviation = Deviation()
            deviation.clientType = "webauthn.create"
            expect("wrong-type", try await user.signIn(page, deviation))
            deviation = Deviation()
            deviation.crossOrigin = true
            expect("wrong-origin", try await user.signIn(page, deviation))
            deviation = Deviation()
            deviation.relyingParty = "evil.example"
            expect("wrong-relying-party", try await user.signIn(page, deviation))
            expect("required", try await user.next(page, [:]))
            // A credential that the user has and that this page does not list.
            let (id, publicKey) = try User.question(page)
            var listed = publicKey.object ?? [:]
            listed["user"] = ["id": "dTE"]
            listed["rp"] = ["id": "localhost"]
            listed["pubKeyCredParams"] = [["alg": -7]]
            listed["allowCredentials"] = []
            _ = try user.authenticator.create(.object(listed))
            let other = try user.authenticator.get(.object(listed))
            expect("not-offered", try await user.next(page, [id: ["credential": other]].json))
            #expect(bench.simulator.received("/authenticate") == asked)
            expectSignedIn(try await user.signIn(page))
        }
    }

    @Test func `made elsewhere is refused, and is taken where the settings say so`() async throws {
        for isListed in [false, true] {
            var options = Self.options
            options.clients = { clients in
                var clients = clients
                if isListed { clients[0].webAuthn.origins = ["http://localhost:1"] }
                return clients
            }
            try await withBench(options) { bench in
                let answer = try await User(bench, origin: "http://localhost:1").register()
                if isListed {
                    expectSignedIn(answer)
                } else {
                    #expect(answer.status == 422 && answer["fields.0.code"] == "wrong-origin")
                }
            }
        }
    }

    @Test func `is the provider's to verify: signature, counter, what the browser says`() async throws {
        try await withBench(Self.options) { bench in
            let user = User(bench)
            expectSignedIn(try await user.register())
            expectSignedIn(try await user.signIn(try await user.asked()))
            var deviation = Deviation()
            deviation.spoilsSignature = true
            #expect(try await user.signIn(try await user.asked(), deviation)["reason"] == "authentication-failed")
            expectSignedIn(try await user.signIn(try await user.asked()))
            deviation = Deviation()
            deviation.step = 0
            #expect(try await user.signIn(try await user.asked(), deviation)["reason"] == "authentication-failed")
            let refused = try await user.next(
                try await user.asked(), ["MetadataCallback-0": ["error": ["name": "NotAllowedError"]]])
            #expect(refused["message"] == "The browser says NotAllowedError")
            let none = try await user.next(
                try await user.browser.answer(try await user.begin("RegisterDevice"), "demo"),
                ["MetadataCallback-0": ["unsupported": true]])
            #expect(none["message"] == "The browser has no credentials")
        }
    }

    @Test func `is not asked for where the journey names a relying party that is none of ours`() async throws {
        for isListed in [false, true] {
            var options = Self.options
            options.provider = { $0.relyingParty = "shop.example" }
            options.clients = { clients in
                var clients = clients
                if isListed { clients[0].webAuthn.relyingPartyIDs = ["shop.example"] }
                return clients
            }
            try await withBench(options) { bench in
                let browser = bench.browser()
                let page = try await browser.answer(try await browser.start("standard"), "demo")
                #expect((page["callbacks.0.publicKey"] != nil) == isListed)
                #expect(page["callbacks.0.specialised"] == "webauthn_registration")
                let warned = bench.recorder.lines.contains { $0.contains("No page of this server") }
                #expect(warned != isListed)
            }
        }
    }
}

extension [String: JSONValue] {
    fileprivate var json: JSONValue { .object(JSONObject(map { ($0.key, $0.value) })) }
}
