import Basics
import HTTPCore
import JSON
import JourneyProduct
import TestSupport
import Testing

@testable import BFF

@Suite("A DaVinci client, behind the use cases,")
struct DaVinciSignInTests {
    @Test("signs a user in, says who that is, and signs them out with cookies and ID token")
    func path() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let page = try await bench.begin(browser)
        #expect(page["type"] == "continue" && page["kind"] == "davinci" && page["name"] == "Page")
        #expect(page["collectors"]?[0]?["id"] == "username" && page["collectors"]?[1]?["type"] == "PasswordCollector")
        bench.ping.answers(DaVinciBench.success())
        let request = try DaVinciBench.answer(page, ["username": "u", "password": "p"])
        let node = try await browser.next(request, "workforce")
        #expect(node["signedIn"] == true && node["user"]?["subject"] == "user-1")
        #expect(node["user"]?["session"] == [:])
        // The same request again has the same answer, and PingOne is not asked.
        #expect(bench.ping.body?["parameters"]?["data"]?["actionKey"] == "SIGNON")
        #expect(bench.ping.sent(ScriptedPingOne.next).count == 1)
        #expect(try await browser.user("workforce")["subject"] == "user-1")
        #expect(try await browser.state("workforce") == "authenticated")
        try await browser.logout("workforce")
        let call = try #require(bench.ping.sent(ScriptedPingOne.signOff).first)
        #expect(call.field("Cookie") == "ST=cookie-s1" && call.parameters?.single("id_token_hint") != nil)
        #expect(call.parameters?.single("client_id") == "web")
        #expect(bench.ping.sent(ScriptedPingOne.base + "/as/revoke").first?.form?.single("token") == "rt-1")
        #expect(try await browser.state("workforce") == "none")
    }

    @Test("sends nothing of one browser for another, and each its own cookies")
    func apart() async throws {
        let bench = try DaVinciBench()
        let one = try await bench.signedIn()
        let other = bench.browser
        _ = try await bench.begin(other)
        #expect(bench.ping.sent(ScriptedPingOne.authorize).last?.field("Cookie") == nil)
        _ = try await one.start("workforce")
        #expect(bench.ping.sent(ScriptedPingOne.authorize).last?.field("Cookie") == "ST=cookie-s1")
        // Another user may come: nobody's session is shown.
        _ = try await one.start("workforce") { $0.replace = true }
        _ = try await one.start("workforce:other")
        for call in bench.ping.sent(ScriptedPingOne.authorize).suffix(2) { #expect(call.field("Cookie") == nil) }
    }

    @Test("is signed in at once by a living session, and keeps the cookie")
    func silent() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        let cookie = browser.cookie
        bench.ping.starts(DaVinciBench.success())
        #expect(try await browser.start("workforce")["signedIn"] == true)
        #expect(browser.cookie == cookie && bench.ping.sent(ScriptedPingOne.signOff).isEmpty)
    }

    @Test("takes what OpenID providers take, and nothing of a journey")
    func start() async throws {
        let allowed = StartAllowance(parameters: ["k", "max_age"], acrValues: ["gold", "iron"], prompts: ["none"])
        let bench = try DaVinciBench(allowed: allowed)
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        let browser = bench.browser
        _ = try await browser.start("workforce") { start in
            start.acrValues = ["gold"]
            start.prompt = "none"
            start.loginHint = "a@b.c"
            start.uiLocales = ["de", "en"]
            start.parameters = ["k": "v", "max_age": "300"]
        }
        let sent = try #require(bench.ping.sent(ScriptedPingOne.authorize).last?.parameters)
        #expect(sent.single("max_age") == "300")
        let expected = [
            "acr_values": "gold", "prompt": "none", "login_hint": "a@b.c", "ui_locales": "de en", "k": "v",
        ]
        for (name, value) in expected { #expect(sent.single(name) == value, "\(name)") }
        func member(_ name: String) -> StartMember { StartMember(rawValue: name) }
        let refused: [(StartMember, (inout StartRequest) -> Void)] = [
            (member("suspendedId"), { $0.suspendedID = "s" }), (member("uri"), { $0.product.values["uri"] = "s" }),
            (.transaction, { $0.transaction = "tx-1" }),
            (.journey, { $0.journey = "Login" }), (member("forceAuth"), { $0.forceAuth = true }),
            (member("noSession"), { $0.noSession = true }), (.acrValues, { $0.acrValues = ["gold", "iron"] }),
            (.acrValues, { $0.acrValues = ["tin"] }), (.prompt, { $0.prompt = "login" }),
            (.parameters, { $0.parameters = ["x": "y"] }),
            (.loginHint, { $0.loginHint = String(repeating: "x", count: 257) }),
        ]
        for (member, change) in refused {
            await #expect(throws: BFFError.notAllowed(member)) {
                try await browser.start("workforce") { change(&$0) }
            }
        }
        #expect(bench.ping.sent(ScriptedPingOne.authorize).count == 1)
    }

    @Test("shows a refusal on the page of before, as often as it comes, and goes on")
    func refusal() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let fields = #"{"type":"TEXT","key":"user.email"},"# + signOnFields
        var node = try await bench.begin(browser, "workforce", fields)
        let body = """
            {"interactionId":"x9","id":"x9","code":"invalidValue","message":" No ","details":[{"rawResponse":\
            {"code":"INVALID_DATA","details":[{"code":"INVALID_VALUE","target":"email","message":"Not one"}]}}]}
            """
        for step in 2...3 {
            bench.ping.answers(.json(body, status: 400))
            node = try await bench.next(browser, node, ["username": "u", "password": "p", "user.email": "e"])
            #expect(node["type"] == "error" && node["message"] == "No" && node["step"]?.int == Int64(step))
            #expect(node["details"] == [["id": "user.email", "target": "email", "message": "Not one"]])
            #expect(node["collectors"]?[0]?["value"] == "e" && node["collectors"]?[2]?["value"] == nil)
        }
        bench.ping.answers(DaVinciBench.success())
        #expect(try await bench.next(browser, node, ["username": "u", "password": "p"])["signedIn"] == true)
        #expect(bench.ping.body?["id"] == "n1")
    }

    @Test("judges answers before anything is sent")
    func judged() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let page = try await bench.begin(browser)
        await #expect(throws: BFFError.self) { try await bench.next(browser, page, ["forged": "x"]) }
        #expect(bench.ping.sent(ScriptedPingOne.next).isEmpty)
    }
}
