import HTTPCore
import JSON
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
}
