import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("The start of a DaVinci flow")
struct FlowStartTests {
    @Test("takes a login hint of 256 bytes", arguments: [256, 257])
    func hint(_ bytes: Int) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        var options = DaVinciStartOptions()
        options.loginHint = String(repeating: "x", count: bytes)
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start(options)
        #expect((step.page != nil) == (bytes == 256))
        #expect(ping.sent(ScriptedPingOne.authorize).count == (bytes == 256 ? 1 : 0))
    }

    @Test func `begins with an authorization that asks for pages, and names the SDK on every call`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        var options = DaVinciStartOptions()
        options.policy = "policy-2"
        options.prompt = "login"
        options.maxAge = .seconds(300)
        options.loginHint = "a+b@c.d"
        options.parameters = ["customKey": "v"]
        let desk = PingDesk()
        let davinci = try ping.davinci(oidc: { $0.acrValues = ["policy-1"] })
        let step = try await davinci.bound(to: desk.caller("en-GB")).start(options)
        #expect(
            step.page?.collectors.map(\.type) == [
                "TextCollector", "PasswordCollector", "SubmitCollector", "FlowCollector",
            ])
        let start = try #require(ping.sent(ScriptedPingOne.authorize).first)
        let sent = try #require(start.parameters)
        let fixed = [
            "response_mode": "pi.flow", "response_type": "code", "client_id": "web", "scope": "openid",
            "prompt": "login",
            "redirect_uri": "https://app.example.com/callback", "acr_values": "policy-2", "max_age": "300",
            "login_hint": "a+b@c.d", "customKey": "v", "code_challenge_method": "S256",
        ]
        for (name, value) in fixed { #expect(sent.single(name) == value, "\(name)") }
        for name in ["state", "nonce", "code_challenge"] { #expect(sent.single(name).map { $0.count > 20 } == true) }
        #expect(start.field("Accept") == "application/json" && start.field("Accept-Language") == "en-GB, en;q=0.9")
        for call in ping.network.requests {
            #expect(call.field("x-requested-with") == "ping-sdk" && call.field("x-requested-platform") == "javascript")
        }
    }

    @Test func `keeps the language of its start, with those of the settings before or in place of it`() async throws {
        for (mode, expected) in [(LanguagePreference.Mode.append, "fr, de-CH;q=0.9, de;q=0.8"), (.override, "fr")] {
            let ping = try ScriptedPingOne()
            ping.starts(ScriptedPingOne.page(signOnFields))
            ping.answers(ScriptedPingOne.page(signOnFields))
            let davinci = try ping.davinci { $0.languages = LanguagePreference(mode: mode, ["fr"]) }
            let desk = PingDesk()
            let step = try await davinci.bound(to: desk.caller("de-CH")).start()
            _ = try await davinci.bound(to: desk.caller("it")).next(step.flow, Answers(["username": "u"]))
            for call in [ScriptedPingOne.authorize, ScriptedPingOne.next].flatMap(ping.sent) {
                #expect(call.field("Accept-Language") == expected)
            }
        }
    }

    @Test func `asks for as many languages as fit 256 bytes`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        let davinci = try ping.davinci { config in
            config.languages = LanguagePreference((0..<30).map { "abcdefgh-ab\($0)" })
        }
        _ = try await davinci.bound(to: PingDesk().caller()).start()
        let field = ping.sent(ScriptedPingOne.authorize).first?.field("Accept-Language") ?? ""
        #expect((200...256).contains(field.utf8.count) && field.hasSuffix(";q=0.1"))
    }

    @Test func `begins by POST where that is set`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        let step = try await ping.davinci { $0.startsBy = .post }.bound(to: PingDesk().caller()).start()
        let start = try #require(ping.sent(ScriptedPingOne.authorize).first)
        #expect(step.page != nil && start.method == .post && start.url.query == nil)
        #expect(start.form?.single("response_mode") == "pi.flow" && start.form?.single("state") != nil)
    }

    @Test func `pushes its parameters first where that is set, and then names them alone`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers(ScriptedPingOne.success)
        let bound = try ping.davinci(oidc: { $0.par = true }).bound(to: PingDesk().caller())
        let step = try await bound.start()
        let pushed = try #require(ping.sent(ScriptedPingOne.base + "/as/par").first?.form)
        #expect(pushed.single("response_mode") == "pi.flow" && pushed.all("client_id") == ["web"])
        #expect(pushed.single("code_challenge") != nil && pushed.single("nonce") != nil)
        let sent = ping.sent(ScriptedPingOne.authorize).first?.parameters?.pairs.map { "\($0.name)=\($0.value)" }
        #expect(sent?.sorted() == ["client_id=web", "request_uri=urn:x", "response_mode=pi.flow"])
        #expect(try await bound.next(step.flow, Answers(["username": "u"])).success != nil)
    }

    @Test(
        "fails when its parameters cannot be pushed, and sends nothing else",
        arguments: [
            ClientResponse.json(#"{"error":"invalid_request"}"#, status: 400),
            .json(#"{"error":"invalid_client"}"#, status: 401),
            .json("{}"), .json("{}", status: 201), .json(#"{"request_uri":"urn:x"}"#, status: 202),
            .json("{}", status: 500),
        ])
    func notPushed(_ answer: ClientResponse) async throws {
        let ping = try ScriptedPingOne()
        ping.network.on(.post, ScriptedPingOne.base + "/as/par", answering: answer)
        let step = try await ping.davinci(oidc: { $0.par = true }).bound(to: PingDesk().caller()).start()
        #expect(step.cause != nil && ping.sent(ScriptedPingOne.authorize).isEmpty)
        #expect((step.reason == .configuration) == (400..<500 ~= answer.status))
    }

    @Test("takes no sign-in that is older than was asked", arguments: [(10, true), (3600, false)])
    func age(_ seconds: Int64, _ isTaken: Bool) async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.success)
        ping.signsIn(ago: seconds)
        var options = DaVinciStartOptions()
        options.maxAge = .seconds(300)
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start(options)
        #expect((step.success != nil) == isTaken)
    }

    @Test(
        "takes no parameter that the client sets itself",
        arguments: ["state", "redirect_uri", "response_mode", "nonce"])
    func reserved(_ name: String) async throws {
        let ping = try ScriptedPingOne()
        var options = DaVinciStartOptions()
        options.parameters = [name: "x"]
        let step = try await ping.davinci().bound(to: PingDesk().caller()).start(options)
        if case .configuration = step.cause {} else { Issue.record("\(String(describing: step.cause))") }
        #expect(ping.sent(ScriptedPingOne.authorize).isEmpty)
    }

    @Test func `is built with one policy at most, and with a client`() throws {
        #expect(throws: DaVinciConfigurationError.acrValues) {
            _ = try ScriptedPingOne().davinci(oidc: { $0.acrValues = ["a", "b"] })
        }
        #expect(throws: DaVinciConfigurationError.oidc("it is missing")) { _ = try DaVinci.createDaVinci { _ in } }
        #expect(throws: DaVinciConfigurationError.oidc("clientID is missing")) {
            _ = try ScriptedPingOne().davinci(oidc: { $0.clientID = "" })
        }
        #expect(throws: DaVinciConfigurationError.platform) {
            _ = try ScriptedPingOne().davinci { $0.platform = "a\nb" }
        }
    }
}
