import Basics
import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("The consent that AM asks for")
struct ConsentTests {
    private static let authorize = ScriptedAM.oauth + "/authorize"
    private let am: ScriptedAM
    private let desk = Desk()
    private let consents = MemoryStorage<ConsentGrant>()

    init() throws {
        am = try ScriptedAM()
        am.network.on(.get, Self.authorize, answering: .consentPage)
        am.network.on(.post, Self.authorize) { [am] request in am.authorize(request.asForm) }
    }

    private func token(grants: Bool = true) async throws -> TokenSet {
        try await desk.signIn("s1.*A*", created: am.time.now())
        let journey = try am.journey {
            $0.oidc {
                $0.clientID = "bff"
                $0.scopes = ["openid", "profile"]
                $0.redirectURI = "https://app.example.com/bff/code"
                $0.grantsConsent = grants
                $0.callersBringStorage = true
            }
        }
        var caller = desk.caller()
        caller.storages[.consents] = consents
        return try await #require(try await journey.bound(to: caller).user()).token()
    }

    private var posted: [ClientRequest] { am.sent(Self.authorize).filter { $0.method == .post } }

    @Test func `is given as the form of its page where the settings say so, and noted`() async throws {
        #expect(try await token().accessToken.reveal() == "at-1")
        let asked = try #require(am.sent(Self.authorize).first?.parameters)
        let form = try #require(posted.first?.form)
        for pair in asked.pairs { #expect(form.single(pair.name) == pair.value) }
        #expect(form.pairs.dropFirst(asked.pairs.count).map(\.name) == ["decision", "csrf"])
        #expect(form.single("decision") == "allow" && form.single("csrf") == "s1.*A*")
        #expect(posted.count == 1 && posted[0].url.query == nil)
        #expect(posted[0].header(ScriptedAM.cookieName) == "s1.*A*")
        #expect(try await consents.get() == ConsentGrant(clientID: "bff", scopes: ["openid", "profile"]))
    }

    @Test func `is not given unless the settings say so`() async throws {
        await #expect(throws: JourneyTokenError.consentRequired) { try await token(grants: false) }
        #expect(posted.isEmpty)
        #expect(try await consents.get() == nil)
    }

    @Test func `is given once, and not noted, where AM asks again or refuses`() async throws {
        let form = ClientResponse.consentPage
        am.network.on(.post, Self.authorize, answering: form)
        await #expect(throws: JourneyTokenError.consentRequired) { try await token() }
        am.network.on(.post, Self.authorize) { request in
            let state = request.form?.single("state") ?? ""
            return .redirect(to: "https://app.example.com/bff/code?error=access_denied&state=\(state)")
        }
        await #expect(throws: JourneyTokenError.self) { try await token() }
        #expect(posted.count == 2)
        #expect(try await consents.get() == nil)
    }
}

extension ClientRequest {
    /// A form as the query of the same address, which is where `ScriptedAM` looks for it.
    fileprivate var asForm: ClientRequest {
        var request = self
        for pair in form?.pairs ?? [] { request.url.append(parameter: pair.name, pair.value) }
        return request
    }
}
