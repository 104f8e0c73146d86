import BFF
import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import JourneyClient
import JourneyProduct
import Logs
import OpenIDConnect
import Orchestrate
import ResourceServer
import StorageKit
import TestSupport
import Testing

/// What the use cases hear of an AM that answers as OpenAM 16 was recorded to.
@Suite("A Journey client, in the words of the use cases,")
struct JourneySignInTests {
    private static let server = "https://am.example.com/openam"
    private static let issuer = server + "/oauth2"
    private static let realm = server + "/json/realms/root"
    private static let upgradeFails =
        #"{"code":400,"message":"Session Upgrade fails since user is different than original authenticated user"}"#

    private let network = ScriptedTransport()
    private let time = ManualTime()

    private func client(_ upgrade: SessionUpgrade = .header) throws -> JourneySignIn {
        let key = try SigningKey.generate(.ES256, keyID: "k1")
        let keys: JSONObject = ["keys": [.object(key.publicJWK)]]
        network.on(.get, Self.issuer + "/jwks", answering: .json(keys.text))
        network.on(
            .get, Self.issuer + "/.well-known/openid-configuration",
            answering: .json(
                """
                {"issuer":"\(Self.issuer)","authorization_endpoint":"\(Self.issuer)/authorize",\
                "token_endpoint":"\(Self.issuer)/access_token","jwks_uri":"\(Self.issuer)/jwks"}
                """))
        let discovery = try #require(WebURL(Self.issuer + "/.well-known/openid-configuration"))
        let openID = OpenIDClient(
            OpenIDClientSettings(
                discovery: discovery, clientID: "bff", authentication: .basic(Secret("s3cret")), scopes: ["openid"],
                redirectURI: "https://app.example.com/bff/code"),
            directory: ProviderDirectory(transport: network, time: time, logger: .silent), transport: network,
            time: time, logger: .silent)
        let journey = try Journey.createJourney { config in
            config.serverUrl = Self.server
            config.cookie = "iPlanetDirectoryPro"
            config.journey = "ldapService"
            config.sessionUpgrade = upgrade
            config.transport = network
            config.time = NotedWaits(time)
            config.oidc(openID)
        }
        return JourneySignIn(journey, openID, journeys: ["ldapService", "Step Up"])
    }

    private func caller() -> Caller { Caller(deadline: .now + .seconds(20), requestID: "r1") }

    private func stored(_ session: String) -> [UInt8] {
        SSOSession(value: Secret(session), created: time.now()).encoded
    }

    private func start(
        _ answer: ClientResponse, _ upgrade: SessionUpgrade = .header, session: String? = nil,
        _ change: (inout StartRequest) -> Void = { _ in }
    ) async throws -> (failure: FlowFailure, orphan: [UInt8]?) {
        network.on(.post, Self.realm + "/authenticate", answering: answer)
        var request = StartRequest()
        change(&request)
        let outcome = try await client(upgrade).start(request, session: session.map { stored($0) }, caller())
        guard case .failure(let failure, let orphan) = outcome else {
            Issue.record("\(outcome)")
            return (FlowFailure(reason: .badRequest), nil)
        }
        return (failure, orphan)
    }

    private func refused(_ start: StartRequest, by client: JourneySignIn) -> StartMember? {
        do throws(BFFError) {
            try client.check(start)
        } catch {
            if case .notAllowed(let member) = error { return member }
            Issue.record("\(error)")
        }
        return nil
    }

    @Test("takes nothing of a start that a journey cannot use")
    func refusals() throws {
        let client = try client()
        func refusal(_ change: (inout StartRequest) -> Void) -> StartMember? {
            var request = StartRequest()
            change(&request)
            return refused(request, by: client)
        }
        #expect(refusal { $0.loginHint = "alice" } == .loginHint && refusal { $0.loginHint = "" } == .loginHint)
        #expect(refusal { $0.prompt = "login" } == .prompt)
        let usable = refusal { start in
            start.product = StartMembers(["journey": "Step Up", "forceAuth": true, "noSession": true])
            start.acrValues = ["gold"]
            start.uiLocales = ["fr"]
            start.parameters = ["locale": "fr"]
            start.replace = true
        }
        #expect(usable == nil)
    }

    @Test("names a journey that AM does not know, for the log")
    func unknownJourney() async throws {
        let answer = ClientResponse.json(#"{"code":400,"message":"No Configuration found"}"#, status: 400)
        let named = try await start(answer) { $0.journey = "Step Up" }.failure
        #expect(named.reason.rawValue == "configuration-error" && named.check == "unknown journey Step Up")
        #expect(try await start(answer).failure.check == "unknown journey ldapService")
        let realm = try await start(
            .json(#"{"code":404,"message":"Realm &quot;/nosuch&quot; not found"}"#, status: 404)
        ).failure
        #expect(realm.reason.rawValue == "configuration-error" && realm.check == "unknown realm")
    }

    @Test("tells another user in an upgrade from an AM that took no session along")
    func upgrade() async throws {
        let answer = ClientResponse.json(Self.upgradeFails, status: 400)
        let header = try await start(answer, .header, session: "s1") { $0.forceAuth = true }.failure
        #expect(
            header.reason.rawValue == "configuration-error"
                && header.check?.contains("sessionUpgrade: parameter") == true)
        #expect(header.message == nil)
        network.on(
            .post, Self.realm + "/sessions", answering: .json(#"{"username":"alice"}"#))
        let parameter = try await start(answer, .parameter, session: "s1") { $0.forceAuth = true }.failure
        #expect(parameter.reason.rawValue == "account-mismatch" && parameter.check == nil)
    }

    @Test("has taken nothing while AM does not say whether the session to upgrade lives")
    func standingUnknown() async throws {
        network.on(.post, Self.realm + "/sessions", answering: .json("{}", status: 503))
        var request = StartRequest()
        request.forceAuth = true
        let outcome = try await client(.parameter).start(request, session: stored("s1"), caller())
        guard case .notTaken = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(network.requests(to: Self.realm + "/authenticate").isEmpty)
    }

    @Test("reads its own part of a start: the journeys of the configuration, and the first of them by default")
    func ownPart() throws {
        let client = try client()
        var start = StartRequest()
        #expect(refused(start, by: client) == nil && client.facts(of: start) == ["journey": "ldapService"])
        start.journey = "Step Up"
        #expect(refused(start, by: client) == nil && client.facts(of: start) == ["journey": "Step Up"])
        for name in ["Admin", ""] {
            start.journey = name
            #expect(refused(start, by: client) == .journey)
        }
        start.product = StartMembers(["sauce": "x", "salt": false])
        #expect(refused(start, by: client) == StartMember(rawValue: "sauce"))
        start = StartRequest()
        start.transaction = "tx-1"
        #expect(refused(start, by: client) == .transaction && client.facts(of: start).isEmpty)
    }

    @Test("runs a transaction in the place of a journey, with the session, and forced")
    func transaction() async throws {
        let answer = ClientResponse.json(#"{"code":401,"message":"no"}"#, status: 401)
        _ = try await start(answer, session: "s1") { request in
            request.transaction = "tx-1"
            request.isForced = true
        }
        let sent = try #require(network.requests(to: Self.realm + "/authenticate").last)
        #expect(sent.url.query == "authIndexType=transaction&authIndexValue=tx-1&ForceAuth=true")
    }

    @Test("begins what a policy advises in the place of a journey, and its default for an advice that is none")
    func advice() async throws {
        let answer = ClientResponse.json(#"{"code":401,"message":"no"}"#, status: 401)
        let text = #"{"TransactionConditionAdvice":["tx-1"]}"#
        _ = try await start(answer, session: "s1") { $0.advice = text }
        let advised = try #require(network.requests(to: Self.realm + "/authenticate").last)
        #expect(advised.url.text.contains("authIndexType=composite_advice"))
        _ = try await start(answer, session: "s1") { $0.advice = "[]" }
        let plain = try #require(network.requests(to: Self.realm + "/authenticate").last)
        #expect(plain.url.text.contains("authIndexValue=ldapService"))
    }

    @Test("follows the advice of policies as far as its default journey and the requirement do what is advised")
    func follow() throws {
        let client = try client()
        let requirement = Requirement(name: "high", authLevel: 3)
        func follow(_ text: String) throws -> FollowedAdvice? {
            client.follow(try #require(try JSONValue(parsing: Array(text.utf8)).object), for: requirement)
        }
        #expect(try follow(#"{"AuthLevelConditionAdvice":["3"]}"#) == FollowedAdvice())
        #expect(try follow(#"{"AuthLevelConditionAdvice":["4"]}"#) == nil)
        #expect(try follow(#"{"AuthenticateToServiceConditionAdvice":["/:ldapService"]}"#) == FollowedAdvice())
        #expect(try follow(#"{"AuthenticateToServiceConditionAdvice":["/:Step Up"]}"#) == nil)
        let transaction = try follow(#"{"TransactionConditionAdvice":["tx-1"]}"#)
        #expect(transaction == FollowedAdvice(transaction: "tx-1"))
    }

    private static let tokenID = #"{"tokenId":"new.*A*","successUrl":"/openam/console","realm":"/"}"#

    @Test(
        "says what an operator has to change when authorize answers with a page, and gives up the session",
        arguments: [
            (
                #"<script>error: { description: "x", message: "redirect_uri_mismatch" }</script>"#,
                "redirect_uri_mismatch"
            ),
            (#"<script>error: { message: "invalid_client" }</script>"#, "invalid_client"), ("<p>no", "status 400"),
        ])
    func authorizePage(page: String, check: String) async throws {
        network.on(.get, Self.issuer + "/authorize", answering: .html(page, status: 400))
        network.on(.post, Self.realm + "/sessions", answering: .json(#"{"result":"Successfully logged out"}"#))
        let (failure, orphan) = try await start(.json(Self.tokenID))
        #expect(failure.reason.rawValue == "configuration-error" && failure.check == check)
        #expect(orphan == nil)
        #expect(network.requests(to: Self.realm + "/sessions").count == 1)
    }

    @Test(
        "hands over a session of a failed sign-in that AM did not end",
        arguments: [
            ClientResponse(status: 503), .json("{}", status: 404), .html("<html>", status: 200),
            ClientResponse(status: 500),
        ])
    func orphan(answer: ClientResponse) async throws {
        network.on(.get, Self.issuer + "/authorize", answering: ClientResponse(status: 500))
        network.on(.post, Self.realm + "/sessions", answering: answer)
        let orphan = try #require(try await start(.json(Self.tokenID)).orphan)
        #expect(try SSOSession(decoding: orphan).value.reveal() == "new.*A*")
    }

    @Test("knows a session by its value, whatever else is kept with it")
    func sameSession() throws {
        let client = try client()
        let one = SSOSession(value: Secret("a"), successURL: "/x", created: time.now())
        time.advance(by: .seconds(5))
        let two = SSOSession(value: Secret("a"), created: time.now())
        let other = SSOSession(value: Secret("b"), successURL: "/x", created: one.created)
        #expect(one.encoded != two.encoded && client.isSame(session: one.encoded, two.encoded))
        #expect(!client.isSame(session: one.encoded, other.encoded))
        #expect(!client.isSame(session: [1], [2]) && client.isSame(session: [1], [1]))
    }

    @Test("does not take a logout that AM did not confirm for done", arguments: [404, 501, 503, 500, 403])
    func endSession(status: Int) async throws {
        network.on(.post, Self.realm + "/sessions", answering: .json("{}", status: status))
        let session = SSOSession(value: Secret("a"), created: time.now()).encoded
        await #expect(throws: TokenError.self) { try await client().endSession(session, caller()) }
        network.on(.post, Self.realm + "/sessions", answering: .json(#"{"code":401}"#, status: 401))
        network.on(.get, Self.realm + "/serverinfo/*", answering: ClientResponse(status: 403))
        try await client().endSession(session, caller())
    }
}
