import JSON
import Testing

@Suite("A replay of DaVinci")
struct DaVinciReplayTests {
    private static let base = "https://auth.pingone.example/env"
    private static let next = base + "/davinci/connections/c1/capabilities/customForm"

    private func differences(_ text: String, pages: [JSONObject] = []) async throws -> [String] {
        let fixture = try Fixture(name: "davinci/own.json", parsing: Array(text.utf8))
        return try await DaVinciReplay.differences(fixture, pages: pages)
    }

    private static func page(_ fields: String) -> String {
        """
        {"id":"n1","interactionId":"i1","_links":{"next":{"href":"\(next)"}},"form":{"components":{"fields":[\(fields)]}}}
        """
    }

    private static let field =
        #"{"type":"TEXT","key":"a"},{"type":"POLLING","key":"p","pollInterval":700,"pollRetries":7}"#

    @Test(arguments: [
        #""node":"error""#, #""node":"previous""#, #""collectors":["Text"]"#, #""collectors":["Text","Unknown"]"#,
        #""mode":"challenge""#, #""pollInterval":2000"#, #""pollRetries":60"#, #""fieldErrors":[]"#,
        #""recoverable":true"#, #""hasContinueNode":true"#, #""location":true"#, #""httpStatus":200"#,
        #""base64url":{"challenge":"AQID"}"#, #""reason":"link-not-allowed""#,
        #""withheld":["TextCollector"]"#, #""refused":[{"values":{"a":1},"codes":["required"]}]"#,
        #""submittedKeys":["a"]"#, #""eventNameDefault":"other""#,
        #""persistedCookies":["ST"]"#, #""flowCookies":["ST"]"#, #""unheardOf":1"#,
    ])
    func `finds what differs from a page`(wrong: String) async throws {
        let text = #"{"status":200,"headers":{"Set-Cookie":"i=1; Path=/"},"body":\#(Self.page(Self.field)),"expect":{"#
        let right =
            #""node":"continue","collectors":["Text","Polling"],"mode":"continue","pollInterval":700,"#
            + #""pollRetries":7,"flowCookies":["i"],"persistedCookies":[],"submittedKeys":["p"]}}"#
        #expect(try await differences(text + right) == [])
        #expect(try await !differences(text + wrong + "}}").isEmpty)
    }

    @Test(arguments: [
        (#""a":"1""#, #""a":2"#), (#""c":["x"]"#, #""c":["x",1]"#),
        (#""eventType":"submit""#, #""eventType":"x""#),
        (#""interactionToken":"t1""#, #""interactionToken":"t1","X":"1""#),
        (#""method":"POST""#, #""method":"PUT""#), (#""eventName":"continue""#, #""eventName":"continue","more":1"#),
    ])
    func `finds what differs from a request`(right: String, wrong: String) async throws {
        let text = """
            {"request":{"method":"POST","url":"\(Self.next)","headers":{"Accept":"application/json","interactionToken":"t1"},\
            "body":{"id":"n1","eventName":"continue","interactionId":"i1","parameters":{"eventType":"submit","data":\
            {"actionKey":"go","formData":{"a":"1","b":true,"c":["x"]}}}}},"status":200,"headers":{},\
            "body":{"status":"COMPLETED","authorizeResponse":{"code":"c"}},"expect":{"node":"success"}}
            """
        #expect(try await differences(text) == [])
        let changed = text.replacing(right, with: wrong)
        #expect(changed != text)
        #expect(try await !differences(changed).isEmpty)
    }

    @Test(arguments: [
        (#""pi.flow""#, #""query""#),
        (#""x-requested-with":"ping-sdk""#, #""x-requested-with":"other""#),
    ])
    func `finds what differs from a start`(right: String, wrong: String) async throws {
        let text = """
            {"request":{"method":"GET","url":"\(Self.base)/as/authorize","query":{"response_mode":"pi.flow","response_type":"code",\
            "client_id":"web","scope":"openid profile","redirect_uri":"https://app.example.com/c","state":"x","login_hint":"u",\
            "code_challenge":"x","code_challenge_method":"S256"},"cookies":{"ST":"a"},"headers":{"x-requested-with":"ping-sdk"}},\
            "status":200,"headers":{},"body":\(Self.page(Self.field))}
            """
        #expect(try await differences(text) == [])
        let changed = text.replacing(right, with: wrong)
        #expect(changed != text)
        #expect(try await !differences(changed).isEmpty)
    }

    @Test func `shows a field that nobody has heard of`() async throws {
        let fields = #"{"type":"TIDE_GAUGE","depth":4.20},{"type":"SUBMIT_BUTTON","key":"go"}"#
        let text = #"{"source":"own","status":200,"headers":{},"body":\#(Self.page(fields)),"expect":"#
        #expect(try await differences(text + #"{"node":"continue","collectors":["Unknown","Submit"]}}"#) == [])
    }

    @Test(arguments: ["pending", "approved", "other"])
    func `finds what differs from a poll`(word: String) async throws {
        let text = """
            {"request":{"method":"POST","url":"\(Self.base)/davinci/user/credentials/challenge/x/status","headers":{},"body":{}},\
            "status":200,"headers":{},"body":{"isChallengeComplete":true,"status":"approved"},"expect":{"poll":"\(word)"}}
            """
        #expect(try await differences(text).isEmpty == (word == "approved"))
    }
}
