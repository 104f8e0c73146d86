import Basics
import Cryptography
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("What a flow goes on by at its provider")
struct FlowSecretTests {
    private static let secret = "a-token-of-this-flow-alone"

    @Test("is withheld from texts, names and values, and nothing else is touched")
    func withheld() {
        let secrets = FlowSecrets([Self.secret, "short", ""])
        #expect(secrets.shown("see \(Self.secret)!") == FlowSecrets.withheld)
        #expect(secrets.shown("short words stay") == "short words stay")
        let value: JSONValue = ["a": [1, ["b": .string("x" + Self.secret)]], .init(Self.secret): true, "c": "fine"]
        #expect(secrets.shown(value) == ["a": [1, ["b": "<withheld>"]], "<withheld>": true, "c": "fine"])
        let members: JSONObject = ["a": ["b": .string(Self.secret)], "c": "fine"]
        #expect(secrets.shown(members) == ["a": ["b": "<withheld>"], "c": "fine"])
        #expect(FlowSecrets([]).shown(members) == members)
    }

    /// Values are searched in the bytes they came in: by escapes and white space a secret must not get past that.
    @Test(
        "is withheld from a document however that is written",
        arguments: [
            #"{"a":"see %s!","b":[1,{"c":"fine"}]}"#, #"{"b":[1,{"c":"fine"}],"a":"%s"}"#,
            #"{ "a" : "x%s" , "b" : 1 }"#,
            #"{"a":"\n%s","b":1}"#, #"{"b":"\u00e4","a":"\/%s"}"#, #"{"a":{"deep":[["%s"]]}}"#,
            #"{"a":{"deep":[["\t%s"]],"b":[]}}"#, #"{"%s":1}"#, #"{"b":{ "x%s":"fine" }}"#, #"{"b":{"\"%s":{}}}"#,
        ])
    func documents(_ form: String) throws {
        for secret in [Self.secret, "with \"quotes\" and\nlines", "a/b/c/d/é/f"] {
            let plain = String(JSONValue.string(secret).text.dropFirst().dropLast())
            let escaped = secret.unicodeScalars.map { scalar in
                let digits = String(scalar.value, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
            for written in [plain, escaped] {
                let parts = form.split(separator: "%s", maxSplits: 1, omittingEmptySubsequences: false)
                let document = try JSONValue(parsing: parts.joined(separator: written))
                let shown = FlowSecrets(["another-secret", secret]).shown(document)
                #expect(shown.text.contains(FlowSecrets.withheld) && !shown.text.contains(plain), "\(shown.text)")
                let members = try #require(document.object)
                #expect(JSONValue.object(FlowSecrets(["another-secret", secret]).shown(members)) == shown)
                #expect(FlowSecrets(["another-secret", secret + "x"]).shown(document) == document)
            }
        }
    }

    /// Found across the end of a text, it is in none of the texts.
    @Test func `leaves texts alone that together have its bytes`() throws {
        let document = try JSONValue(parsing: #"{"a":"first","b":"second"}"#)
        #expect(FlowSecrets([#"first","b":"sec"#]).shown(document) == document)
    }

    @Test("is not in a page of DaVinci that repeats it in fields that are passed on as they came")
    func davinci() async throws {
        let bench = try DaVinciBench()
        let fields = """
            {"type":"STRANGE","key":"odd","label":"Odd","note":"token \(Self.secret)","deep":[{"x":"\(Self.secret)"}]},\
            {"type":"STRANGE","key":"fine","label":"Fine","note":"as it came"},\
            {"type":"LABEL","content":"cookie-of-this-flow"}
            """
        var answer = ClientResponse.json(ScriptedPingOne.page(fields, token: Self.secret))
        answer.fields.append(HTTPField(.setCookie, known: "flow=cookie-of-this-flow; Path=/; Secure; HttpOnly"))
        bench.ping.starts(answer)
        let browser = bench.browser
        let page = try await browser.start("workforce")
        let text = page.text
        #expect(!text.contains(Self.secret) && !text.contains("cookie-of-this-flow"), "\(text)")
        #expect(page["collectors"]?[0]?["raw"]?["note"] == "<withheld>")
        #expect(page["collectors"]?[0]?["label"] == "Odd")
        #expect(page["collectors"]?[1]?["raw"]?["note"] == "as it came")
    }

    @Test("is not in the words of DaVinci on refused answers")
    func refusal() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        bench.ping.starts(ScriptedPingOne.page(signOnFields, token: Self.secret))
        let page = try await browser.start("workforce")
        let detail = #"{"code":"INVALID_VALUE","target":"password","message":"not \#(Self.secret)"}"#
        var refused = ClientResponse.json(
            #"{"code":"invalidInput","httpResponseCode":400,"message":"no \#(Self.secret)","interactionToken":"\#(Self.secret)","#
                + #""details":[{"rawResponse":{"code":"INVALID_DATA","details":[\#(detail)]}}]}"#)
        refused.status = 400
        bench.ping.answers(refused)
        let shown = try await bench.next(browser, page, ["username": "u", "password": "p"])
        #expect(!shown.text.contains(Self.secret) && shown.text.contains("<withheld>"), "\(shown.text)")
    }

    private func browser(_ bench: ScriptedSignIn, _ log: RecordedLog = RecordedLog()) throws -> Browser {
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        return Browser(try bench.backend(MemoryStore(time: bench.time), key, log))
    }

    @Test("is not in a page of a journey that repeats it in a callback that is passed on as it came")
    func journey() async throws {
        let bench = try ScriptedSignIn()
        let odd = #"""
            {"type":"StrangeCallback","output":[{"name":"note","value":"see \#(Self.secret)"},
            {"name":"deep","value":[{"\#(Self.secret)":"cookie-of-this-flow"}]}],
            "input":[{"name":"IDToken1","value":"\#(Self.secret)"}]}
            """#
        let fine = #"{"type":"OtherCallback","output":[{"name":"note","value":"as it came"}]}"#
        var answer = ClientResponse.json(#"{"authId":"\#(Self.secret)","callbacks":[\#(odd),\#(fine)]}"#)
        answer.fields.append(HTTPField(.setCookie, known: "flow=cookie-of-this-flow; Path=/"))
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: answer)
        let browser = try browser(bench)
        let page = try await browser.start()
        let text = page.text
        #expect(!text.contains(Self.secret) && !text.contains("cookie-of-this-flow"), "\(text)")
        let raw = try #require(page["callbacks"]?[0]?["raw"])
        #expect(raw["type"] == "StrangeCallback" && raw["output"]?[0]?["value"] == "<withheld>")
        #expect(raw["output"]?[1]?["value"] == [["<withheld>": "<withheld>"]])
        #expect(raw["input"]?[0]?["value"] == "<withheld>")
        #expect(page["callbacks"]?[0]?["outputs"]?["note"] == "<withheld>")
        #expect(page["callbacks"]?[1]?["raw"]?["output"]?[0]?["value"] == "as it came")
        // Nor where the page is shown from the store.
        #expect(try await browser.flow(page)["callbacks"] == page["callbacks"])
        // AM gets all of it back.
        _ = try await browser.next(try Browser.answer(page, [:]))
        let sent = String(decoding: try #require(bench.network.requests.last).body, as: UTF8.self)
        #expect(sent.contains(Self.secret) && sent.contains("as it came") && !sent.contains("withheld"))
    }

    @Test("is not in the words of AM at a journey's end, nor is what another site brought back")
    func journeyEnd() async throws {
        let bench = try ScriptedSignIn(exposed: ["note", "fine"])
        let away = "https://am.example.com/authorize?state=s"
        let redirect = #"{"type":"RedirectCallback","output":[{"name":"redirectUrl","value":"\#(away)"}]}"#
        for (told, isBrought) in [(Self.secret, false), ("code-of-another-site", true)] {
            let detail = #"{"note":["\#(told)"],"fine":"as it came"}"#
            bench.network.on(
                .post, ScriptedSignIn.authenticate,
                answering: .json(#"{"authId":"\#(Self.secret)","callbacks":[\#(redirect)]}"#),
                .json(#"{"code":401,"message":"no \#(told)","detail":\#(detail)}"#, status: 401))
            let browser = try browser(bench)
            let page = try await browser.start()
            guard case .to = try await browser.leave(page) else {
                Issue.record("not left")
                return
            }
            let brought = ["code": isBrought ? told : "another-code", "state": "s"]
            let handle = try #require(try await browser.arrive(brought).handle)
            for _ in 0..<2 {
                let end = try await browser.resume(handle)
                #expect(end["type"] == "failure" && end["message"] == "<withheld>", "\(end.text)")
                #expect(end["detail"] == ["note": ["<withheld>"], "fine": "as it came"])
                #expect(!end.text.contains(told))
            }
        }
    }

    @Test("is not in the words of DaVinci on a return: the token that another site gave is for DaVinci alone")
    func continueToken() async throws {
        let bench = try DaVinciBench(links: ["accounts.example.com"])
        let browser = bench.browser
        let links = #""links":{"authenticate":{"href":"https://accounts.example.com/go"}}"#
        let button = #"{"type":"SOCIAL_LOGIN_BUTTON","key":"google","label":"Go","idpType":"GOOGLE",\#(links)}"#
        let page = try await bench.begin(browser, "workforce", button + "," + signOnFields)
        let go = try #require(page["collectors"]?[0]?["go"]?.string?.split(separator: "/").last)
        guard case .to = try await browser.leave(handle: String(go), "workforce") else {
            Issue.record("not left")
            return
        }
        let token = "continue-token-of-another-site"
        let detail = #"{"code":"INVALID_VALUE","target":"\#(token)","message":"not \#(token)"}"#
        var refused = ClientResponse.json(
            #"{"code":"invalidInput","httpResponseCode":400,"message":"no \#(token)","#
                + #""details":[{"rawResponse":{"code":"INVALID_DATA","details":[\#(detail)]}}]}"#)
        refused.status = 400
        bench.ping.network.on(.post, ScriptedPingOne.resume, answering: refused)
        let handle = try #require(try await browser.arrive(["continueToken": token], "workforce").handle)
        for _ in 0..<2 {
            let shown = try await browser.resume(handle, "workforce", of: page["flow"]?.string)
            #expect(shown["type"] == "error" && shown["message"] == "<withheld>", "\(shown.text)")
            #expect(shown["details"]?.text.contains("<withheld>") == true && !shown.text.contains(token))
        }
        #expect(bench.ping.sent(ScriptedPingOne.resume).map { $0.field("Authorization") } == ["Bearer " + token])
        #expect(!bench.log.lines.contains { $0.contains(token) })
    }
}
