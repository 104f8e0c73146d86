import BFF
import Basics
import HTTPCore
import JSON
import JourneyProduct
import Logs
import TestSupport
import Testing

@Suite("A page of a journey that asks for a credential of the browser")
struct JourneyCredentialTests {
    private static let origin = "https://app.example.com"

    private static func page(_ more: String = "", _ before: String = "") -> String {
        #"{"authId":"a","callbacks":[\#(before){"type":"MetadataCallback","output":[{"name":"data","value":{"_action":"webauthn_authentication","challenge":"AQID","_relyingPartyId":"example.com"\#(more)}}]},{"type":"HiddenValueCallback","output":[{"name":"id","value":"webAuthnOutcome"}],"input":[{"name":"IDToken3","value":"webAuthnOutcome"}]}]}"#
    }

    private static let name =
        #"{"type":"NameCallback","output":[],"input":[{"name":"IDToken1","value":""}]},"#
    private static let recovery =
        #"{"type":"ConfirmationCallback","output":[{"name":"options","value":["Use a code"]}],"input":[{"name":"IDToken1","value":100}]},"#

    private func open(
        _ page: String, _ log: RecordedLog = RecordedLog(), showsSessions: Bool = false
    ) async throws -> any OpenedFlow {
        let rules = CredentialRules(
            origins: [(Self.origin, "app.example.com")], relyingParties: [], showsSessions: showsSessions)
        let bench = try ScriptedSignIn(credentials: rules, log: log)
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: .json(page))
        guard case .page(let flow) = try await bench.client.start(StartRequest(), session: nil, bench.caller()) else {
            throw ScriptedSignIn.BadAddress()
        }
        return flow
    }

    private func codes(_ flow: any OpenedFlow, _ values: [String: JSONValue]) -> [String] {
        guard case .wrong(let problems) = flow.judge(PageAnswers(values: values)) else { return [] }
        return problems.map { "\($0.id) \($0.code)" }
    }

    private func credential(
        _ flow: any OpenedFlow, origin: String = origin,
        _ change: (inout SoftwareAuthenticator.Deviation) -> Void = { _ in }
    ) throws -> JSONValue {
        let authenticator = SoftwareAuthenticator(origin: origin)
        _ = try authenticator.create([
            "rp": ["id": "example.com"], "user": ["id": "dTE"], "challenge": "AQID",
            "pubKeyCredParams": [["type": "public-key", "alg": -7]],
        ])
        let question = flow.document["callbacks"]?.array?.first { $0["publicKey"] != nil }
        var deviation = SoftwareAuthenticator.Deviation()
        change(&deviation)
        return ["credential": try authenticator.get(question?["publicKey"], deviation)]
    }

    @Test func `goes to Ping's programs without its step token and a challenge of another party`() async throws {
        let own = try #require(try await open(Self.page("", Self.name)).providerPage)
        #expect(own["authId"] == nil && own["tokenId"] == nil)
        #expect(own["callbacks"]?.array?.count == 3 && JSONValue.object(own).text.contains("AQID"))
        let foreign = Self.page("", Self.name).replacing("example.com", with: "evil.example")
        let other = try #require(try await open(foreign).providerPage)
        #expect(other["callbacks"]?.array?.count == 3 && !JSONValue.object(other).text.contains("AQID"))
    }

    @Test(arguments: [
        (1, "0", ""), (2, "0", ""), (0, "0", ""), (1, "4", ""), (1, "0", " "), (1, "0", #"{"challenge":"x"}"#),
        (1, "4", "start("),
    ])
    func `goes to Ping's programs without a challenge that may be the provider session, in whatever form`(
        passwords: Int, type: String, before: String
    ) async throws {
        let options = before + #"{"challenge":"AQIDAQID","allowCredentials":[],"timeout":"60000"}"#
        let message = JSONValue.string(options).text
        let output =
            #"{"type":"TextOutputCallback","output":[{"name":"message","value":\#(message)},"#
            + #"{"name":"messageType","value":"\#(type)"}]}"#
        let fields = (0..<passwords).map {
            #"{"type":"PasswordCallback","output":[{"name":"prompt","value":""}],"#
                + #""input":[{"name":"IDToken\#($0 + 2)","value":""}]}"#
        }
        let page = #"{"authId":"a","callbacks":["# + ([output] + fields).joined(separator: ",") + "]}"
        let shown = try #require(try await open(page).providerPage)
        #expect(shown["callbacks"]?.array?.count == passwords + 1)
        #expect(!JSONValue.object(shown).text.contains("AQID"))
    }

    @Test func `takes one that was made for it, and refuses others before the provider is asked`() async throws {
        let flow = try await open(Self.page())
        let id = "MetadataCallback-0"
        #expect(codes(flow, [id: try credential(flow)]) == [])
        #expect(codes(flow, [id: try credential(flow) { $0.challenge = "AAAA" }]) == ["\(id) wrong-challenge"])
        #expect(
            codes(flow, [id: try credential(flow, origin: "https://evil.example")]) == ["\(id) wrong-origin"])
        #expect(codes(flow, [id: try credential(flow) { $0.relyingParty = "x" }]) == ["\(id) wrong-relying-party"])
        #expect(codes(flow, [id: try credential(flow) { $0.clientType = "webauthn.create" }]) == ["\(id) wrong-type"])
        let listing = try await open(Self.page(#","_allowCredentials":[{"type":"public-key","id":[1]}]"#))
        #expect(codes(listing, [id: try credential(flow)]) == ["\(id) not-offered"])
        #expect(codes(flow, [id: ["unsupported": true]]) == [])
        #expect(codes(flow, [id: ["error": ["name": "NotAllowedError"]]]) == [])
    }

    @Test func `has all its faults told at once, in the order of the page`() async throws {
        let flow = try await open(Self.page("", Self.name))
        #expect(
            codes(flow, ["IDToken1": 5, "IDToken9": "x"])
                == ["IDToken1 wrong-type", "MetadataCallback-1 required", "IDToken9 unknown-question"])
        let stale = try credential(flow) { $0.challenge = "AAAA" }
        #expect(
            codes(flow, ["IDToken1": 5, "MetadataCallback-1": stale])
                == ["IDToken1 wrong-type", "MetadataCallback-1 wrong-challenge"])
        #expect(codes(flow, ["IDToken1": "x", "MetadataCallback-1": 5]) == ["MetadataCallback-1 wrong-type"])
    }

    @Test func `has to be answered, but where something else was done in its place`() async throws {
        let alone = try await open(Self.page())
        #expect(codes(alone, [:]) == ["MetadataCallback-0 required"])
        let conditional = try await open(Self.page(#","mediation":"conditional""#, Self.name))
        #expect(codes(conditional, ["IDToken1": "demo"]) == [])
        let recovery = try await open(Self.page("", Self.recovery))
        #expect(codes(recovery, ["IDToken1": 0]) == [])
        #expect(codes(recovery, [:]) == ["MetadataCallback-1 required"])
        let wait = #"{"type":"PollingWaitCallback","output":[{"name":"waitTime","value":"500"}]},"#
        let polled = try await open(Self.page("", wait))
        guard case .right = polled.judge(PageAnswers(values: [:], action: "PollingWaitCallback-0")) else {
            Issue.record("cannot be polled")
            return
        }
        #expect(codes(polled, [:]) == ["MetadataCallback-1 required"])
    }

    @Test func `is left nothing but that there is none, where it names somebody else's relying party`() async throws {
        let log = RecordedLog()
        let good = try await open(Self.page(), log)
        #expect(log.lines.isEmpty && good.document["callbacks"]?[0]?["publicKey"] != nil)
        let alien = Self.page().replacing("example.com", with: "evil.example")
        let flow = try await open(alien, log)
        let question = flow.document["callbacks"]?[0]
        #expect(question?["publicKey"] == nil && question?["specialised"] == "webauthn_authentication")
        #expect(question?["answer"]?["default"] == ["unsupported": true])
        #expect(question?["answer"]?["properties"]?["credential"] == nil)
        #expect(log.worst == .warning && log.lines.count == 1 && log.lines[0].contains("evil.example"))
        #expect(codes(flow, ["MetadataCallback-0": ["unsupported": true]]) == [])
        #expect(
            codes(flow, ["MetadataCallback-0": try credential(good)]) == ["MetadataCallback-0 wrong-relying-party"])
    }

    @Test func `is left nothing but that there is none, where its challenge is the provider session`() async throws {
        let options = #"{\"challenge\":{\"value\":\"AQID\"},\"rpId\":\"example.com\"}"#
        let page =
            #"{"authId":"a","callbacks":[{"type":"PasswordCallback","output":[],"input":[{"name":"IDToken1","value":""}]},{"type":"TextOutputCallback","output":[{"name":"message","value":"\#(options)"},{"name":"messageType","value":"0"}]}]}"#
        let log = RecordedLog()
        let shown = try await open(page, log, showsSessions: true)
        #expect(log.lines.isEmpty && shown.document["callbacks"]?[0]?["publicKey"]?["challenge"] == "AQID")
        #expect(codes(shown, ["TextOutputCallback-1": try credential(shown)]) == [])
        let hidden = try await open(page, log)
        let document = hidden.document
        #expect(document["callbacks"]?[0]?["specialised"] == "webauthn_authentication")
        #expect(!document.text.contains("AQID"))
        #expect(document["callbacks"]?[0]?["answer"]?["properties"]?["credential"] == nil)
        #expect(log.worst == .warning && log.lines.count == 1 && log.lines[0].contains("insecureChallenge"))
        #expect(codes(hidden, ["TextOutputCallback-1": ["unsupported": true]]) == [])
    }

    @Test func `is warned of once a minute, whoever begins how many journeys`() async throws {
        let options = #"{\"challenge\":{\"value\":\"AQID\"},\"rpId\":\"evil.example\"}"#
        let page =
            #"{"authId":"a","callbacks":[{"type":"PasswordCallback","output":[],"input":[{"name":"IDToken1","value":""}]},{"type":"TextOutputCallback","output":[{"name":"message","value":"\#(options)"},{"name":"messageType","value":"0"}]}]}"#
        let log = RecordedLog()
        let rules = CredentialRules(origins: [(Self.origin, "app.example.com")], relyingParties: [])
        let bench = try ScriptedSignIn(credentials: rules, log: log)
        func begin() async throws {
            bench.network.on(.post, ScriptedSignIn.authenticate, answering: .json(page))
            _ = try await bench.client.start(StartRequest(), session: nil, bench.caller())
        }
        try await begin()
        bench.time.advance(by: .seconds(59))
        try await begin()
        #expect(log.lines.count == 2)
        bench.time.advance(by: .seconds(1))
        try await begin()
        #expect(log.lines.count == 4)
        bench.time.advance(by: .seconds(-3600))
        try await begin()
        #expect(log.lines.count == 6)
    }
}
