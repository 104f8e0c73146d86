import BFF
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A request body")
struct BodyTests {
    static let start = "/bff/standard/start"
    static let next = "/bff/standard/next"
    static let logout = "/bff/standard/logout"
    static let flow = #""flow":"f_AAAAAAAAAAAAAAAAAAAAAA""#

    /// Path, body, and the member that is named with its code.
    static let malformed: [(String, String, String?, String?)] = [
        // Not JSON.
        (start, "{", nil, nil), (start, "{}}", nil, nil), (start, "{'a':1}", nil, nil),
        (start, "[{}]", nil, nil), (start, "false", nil, nil), (start, "\"{}\"", nil, nil), (start, "1", nil, nil),
        (next, "null", nil, nil), (next, "[]", nil, nil),
        (start, "{\"journey\":\"Login\",}", nil, nil), (start, "{\"journey\":NaN}", nil, nil),
        (start, "\u{FEFF}{}", nil, nil), (start, "{\"journey\":\"\\ud800\"}", nil, nil),
        (start, "{\"journey\":\"a\nb\"}", nil, nil), (start, "{}\u{0}", nil, nil),
        (start, "{\"journey\":\"Login\",\"journey\":\"Other\"}", nil, nil),
        (start, "{\"parameters\":{\"locale\":\"a\",\"locale\":\"b\"}}", nil, nil),
        (
            start, #"{"parameters":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
            nil, nil
        ),
        (next, String(repeating: "[", count: 100_000), nil, nil),
        (next, #"{"values":"# + String(repeating: #"{"a":"#, count: 5000), nil, nil),
        (next, "{" + (0..<5000).map { "\"m\($0)\":0" }.joined(separator: ",") + "}", nil, nil),
        // Unknown members.
        (start, #"{"journy":"Login"}"#, "journy", "unknown-member"),
        (start, #"{"Journey":"Login"}"#, "Journey", "unknown-member"),
        (start, #"{"For":"high-value"}"#, "For", "unknown-member"),
        (start, #"{"goto":"https://evil.example"}"#, "goto", "unknown-member"),
        (start, #"{"":1}"#, "", "unknown-member"), (start, #"{"__proto__":{}}"#, "__proto__", "unknown-member"),
        (start, #"{"journey\u0000":"Login"}"#, "journey\u{0}", "unknown-member"),
        (next, #"{\#(flow),"step":1,"value":{}}"#, "value", "unknown-member"),
        (logout, #"{"everything":true}"#, "everything", "unknown-member"),
        ("/bff/logout", #"{"account":"alice"}"#, "account", "unknown-member"),
        ("/bff/standard/token/refresh", #"{"force":true}"#, "force", "unknown-member"),
        ("/bff/standard/token/revoke", #"{"token":"x"}"#, "token", "unknown-member"),
        // Wrong types.
        (start, #"{"journey":1}"#, "journey", "wrong-type"), (start, #"{"journey":{}}"#, "journey", "wrong-type"),
        (start, #"{"journey":["Login"]}"#, "journey", "wrong-type"),
        (start, #"{"forceAuth":"true"}"#, "forceAuth", "wrong-type"),
        (start, #"{"forceAuth":1}"#, "forceAuth", "wrong-type"),
        (start, #"{"noSession":[]}"#, "noSession", "wrong-type"),
        (start, #"{"parameters":{"locale":null}}"#, "parameters", "wrong-type"),
        (logout, #"{"everything":null}"#, "everything", "unknown-member"),
        (start, #"{"acrValues":"gold"}"#, "acrValues", "wrong-type"),
        (start, #"{"acrValues":[1]}"#, "acrValues", "wrong-type"),
        (start, #"{"prompt":true}"#, "prompt", "wrong-type"), (start, #"{"loginHint":{}}"#, "loginHint", "wrong-type"),
        (start, #"{"uiLocales":"en"}"#, "uiLocales", "wrong-type"),
        (start, #"{"parameters":[]}"#, "parameters", "wrong-type"),
        (start, #"{"parameters":{"locale":1}}"#, "parameters", "wrong-type"),
        (start, #"{"replace":"yes"}"#, "replace", "wrong-type"), (start, #"{"for":1}"#, "for", "wrong-type"),
        (next, #"{"flow":1,"step":1}"#, "flow", "wrong-type"), (next, #"{\#(flow),"step":"1"}"#, "step", "wrong-type"),
        (next, #"{\#(flow),"step":true}"#, "step", "wrong-type"),
        (next, #"{\#(flow),"step":null}"#, "step", "wrong-type"),
        (next, #"{\#(flow),"step":1,"values":[]}"#, "values", "wrong-type"),
        (next, #"{\#(flow),"step":1,"values":"x"}"#, "values", "wrong-type"),
        (next, #"{\#(flow),"step":1,"action":1}"#, "action", "wrong-type"),
        (next, #"{\#(flow),"step":1,"wait":"1"}"#, "wait", "wrong-type"),
        (next, #"{\#(flow),"step":1,"wait":null}"#, "wait", "wrong-type"),
        (logout, #"{"session":"true"}"#, "session", "wrong-type"),
        // Out of range.
        (start, "{\"journey\":\"\(String(repeating: "a", count: 257))\"}", "journey", "out-of-range"),
        (start, #"{"journey":"Log\u0000in"}"#, "journey", "out-of-range"),
        (start, #"{"loginHint":"a\r\nb"}"#, "loginHint", "out-of-range"),
        (start, #"{"loginHint":"a\u0085b"}"#, "loginHint", "out-of-range"),
        (start, #"{"uiLocales":["en us"]}"#, "uiLocales", "out-of-range"),
        (start, #"{"uiLocales":[""]}"#, "uiLocales", "out-of-range"),
        (
            start, #"{"acrValues":["\#(Array(repeating: "a", count: 17).joined(separator: "\",\""))"]}"#, "acrValues",
            "out-of-range"
        ),
        (start, #"{"parameters":{"a\nb":"x"}}"#, "parameters", "out-of-range"),
        (
            start, "{\"parameters\":{\"locale\":\"\(String(repeating: "a", count: 2049))\"}}", "parameters",
            "out-of-range"
        ),
        (next, #"{\#(flow),"step":0}"#, "step", "out-of-range"),
        (next, #"{\#(flow),"step":-1}"#, "step", "out-of-range"),
        (next, #"{\#(flow),"step":1.5}"#, "step", "out-of-range"),
        (next, #"{\#(flow),"step":1,"confirm":"true"}"#, "confirm", "wrong-type"),
        (next, #"{\#(flow),"step":1,"confirm":true,"action":"a"}"#, "confirm", "out-of-range"),
        (next, #"{\#(flow),"step":1,"confirm":true,"values":{"a":1}}"#, "confirm", "out-of-range"),
        (next, #"{\#(flow),"step":1,"wait":26}"#, "wait", "out-of-range"),
        (next, #"{\#(flow),"step":1,"wait":-1}"#, "wait", "out-of-range"),
        (next, #"{\#(flow),"step":1,"wait":0.5}"#, "wait", "out-of-range"),
        (next, #"{\#(flow),"step":99999999999999999999}"#, "step", "out-of-range"),
        (next, #"{\#(flow),"step":1,"action":"a\u0000"}"#, "action", "out-of-range"),
        (next, "{\"flow\":\"\(String(repeating: "f", count: 129))\",\"step\":1}", "flow", "out-of-range"),
        // Missing and ambiguous ones.
        (next, "{}", "flow", "required"), (next, #"{"step":1}"#, "flow", "required"),
        (next, #"{\#(flow)}"#, "step", "required"),
        (next, "{\(flow),\"step\":1,\"values\":{\"\u{E9}\":\"a\",\"e\u{301}\":\"b\"}}", "values", "repeated"),
    ]

    @Test("that cannot be used is refused, naming the member", arguments: malformed.indices)
    func unusable(_ index: Int) async throws {
        let (path, body, member, code) = Self.malformed[index]
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        let calls = fixture.provider.count(.start) + fixture.provider.count(.next)
        let answer = await browser.call(.post, path, body)
        #expect(answer.status == 400 && answer.problem == "malformed", "\(answer.text)")
        #expect(answer["fields"]?[0]?["id"]?.string == member)
        #expect(answer["fields"]?[0]?["code"]?.string == code)
        #expect(answer.headers["set-cookie"] == nil)
        #expect(fixture.provider.count(.start) + fixture.provider.count(.next) == calls)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("is not repeated in the refusal beyond a short name")
    func longName() async throws {
        let name = String(repeating: "é", count: 500)
        let answer = await (try APIFixture()).browser.call(.post, Self.start, "{\"\(name)\":1}")
        #expect(answer["fields"]?[0]?["id"]?.string == String(repeating: "é", count: 16) + "…")
    }

    static let mediaTypes: [[(String, String)]] = [
        [], [("Content-Type", "")], [("Content-Type", "text/plain")],
        [("Content-Type", "application/x-www-form-urlencoded")],
        [("Content-Type", "multipart/form-data; boundary=x")], [("Content-Type", "application/json; charset=utf-16")],
        [("Content-Type", "application/json; charset=iso-8859-1")], [("Content-Type", "application/problem+json")],
        [("Content-Type", "text/json")], [("Content-Type", "application/jsonp")],
        [("Content-Type", "application/json, text/plain")],
        [("Content-Type", "application/json; charset")],
        [("Content-Type", "application/json"), ("Content-Type", "application/json")],
        [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
        [("Content-Type", "application/json"), ("Content-Encoding", "identity, br")],
    ]

    @Test("that is not declared as JSON is refused", arguments: mediaTypes, [start, next, logout, "/bff/logout"])
    func mediaType(_ fields: [(String, String)], _ path: String) async throws {
        let browser = try await APIFixture().signedIn()
        let answer = await browser.call(.post, path, "{}", changing: ["Content-Type": nil], adding: fields)
        #expect(answer.status == 415 && answer.problem == "unsupported-media-type")
        #expect(answer.headers["set-cookie"] == nil)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test(
        "may name the one charset that JSON has",
        arguments: [
            "application/json;charset=utf-8", "Application/JSON; charset=\"UTF-8\"", "application/json; charset=UTF8",
            "application/json",
        ])
    func charset(_ type: String) async throws {
        let answer = await (try APIFixture()).browser.call(.post, Self.start, "{}", changing: ["Content-Type": type])
        #expect(answer.status == 200)
    }

    @Test(
        "that is too large is refused", arguments: [start, next, logout, "/bff/logout", "/bff/standard/token/refresh"])
    func tooLarge(_ path: String) async throws {
        let fixture = try APIFixture {
            $0.answerLimit = 2048
            $0.bodyLimit = 1024
        }
        let browser = try await fixture.signedIn()
        let limit = path == Self.next ? 2048 : 1024
        let full = "{" + String(repeating: " ", count: limit - 2) + "}"
        let answer = await browser.call(.post, path, full + " ")
        #expect(answer.status == 413 && answer.problem == "body-too-large")
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        #expect(await browser.call(.post, path, full).status != 413)
    }

    /// What an operation answers when it has done what it was asked for.
    private static func done(_ path: String) -> Int {
        path.hasSuffix("/start") || path.hasSuffix("/refresh") ? 200 : 204
    }

    @Test(
        "may be missing where everything in it may be",
        arguments: [
            "/bff/standard/start", "/bff/standard/token/refresh", "/bff/standard/token/revoke", "/bff/standard/logout",
            "/bff/logout",
        ])
    func missing(_ path: String) async throws {
        let browser = try await APIFixture().signedIn()
        #expect(await browser.call(.post, path).status == Self.done(path))
    }

    /// What generated clients send in place of a body that was left out.
    @Test(
        "is taken for missing when it is null or has nothing in it, where it may be missing",
        arguments: [
            "/bff/standard/start", "/bff/standard/token/refresh", "/bff/standard/token/revoke", "/bff/standard/logout",
            "/bff/logout",
        ], ["null", " null\n", "[]", "[ ]", "{}"])
    func nothing(_ path: String, _ body: String) async throws {
        var answers: [Answered] = []
        for body in [nil, body] {
            let fixture = try APIFixture()
            let browser = try await fixture.signedIn()
            answers.append(await browser.call(.post, path, body))
            if path == Self.start { #expect(fixture.provider.lastStart == StartRequest()) }
        }
        #expect(answers[0].status == Self.done(path))
        #expect(answers[1].status == answers[0].status && answers[1]["type"] == answers[0]["type"])
    }

    /// What generated clients send in place of members that were not set.
    @Test(
        "of start has no member that is null or has nothing in it",
        arguments: [
            #"{"journey":null,"forceAuth":null,"noSession":null,"acrValues":null,"prompt":null,"loginHint":null,"#
                + #""uiLocales":null,"parameters":null,"replace":null,"for":null}"#,
            #"{"acrValues":[],"uiLocales":[],"parameters":{}}"#,
        ])
    func unset(_ body: String) async throws {
        let fixture = try APIFixture()
        #expect(await fixture.browser.call(.post, Self.start, body).status == 200)
        #expect(fixture.provider.lastStart == StartRequest())
    }

    @Test("of a logout has no member that is null")
    func unsetLogout() async throws {
        let browser = try await APIFixture().signedIn()
        #expect(await browser.call(.post, Self.logout, #"{"session":null}"#).status == 204)
    }

    @Test("must be there for an answer")
    func missingAnswer() async throws {
        let answer = await (try APIFixture()).browser.call(.post, Self.next)
        let typed = await (try APIFixture()).browser.call(.post, Self.next, "")
        for answer in [answer, typed] {
            #expect(answer.problem == "malformed" && answer["fields"]?[0]?["code"] == "required")
        }
    }

    @Test("of start reaches the client as it was meant")
    func reaches() async throws {
        let fixture = try APIFixture()
        let body = #"""
            {"journey":"Other","forceAuth":true,"noSession":true,"acrValues":["gold"],"prompt":"login",
             "loginHint":"démo","uiLocales":["en-GB","fr"],"parameters":{"locale":"en"},"replace":true}
            """#
        #expect(await fixture.browser.call(.post, Self.start, body).status == 200)
        var expected = StartRequest()
        expected.journey = "Other"
        expected.forceAuth = true
        expected.noSession = true
        expected.acrValues = ["gold"]
        expected.prompt = "login"
        expected.loginHint = "démo"
        expected.uiLocales = ["en-GB", "fr"]
        expected.parameters = ["locale": "en"]
        expected.replace = true
        #expect(fixture.provider.lastStart == expected)
    }

    @Test(
        "of start asks for nothing that the client is not configured for",
        arguments: [
            (#"{"journey":"Backdoor"}"#, "journey"), (#"{"journey":""}"#, "journey"),
            (#"{"acrValues":["platinum"]}"#, "acrValues"),
            (#"{"prompt":"none"}"#, "prompt"), (#"{"for":"high-value"}"#, "for"),
            (#"{"parameters":{"goto":"https://evil.example"}}"#, "parameters"),
        ])
    func notAllowed(_ body: String, _ member: String) async throws {
        let fixture = try APIFixture()
        let answer = await fixture.browser.call(.post, Self.start, body)
        #expect(answer.status == 422 && answer.problem == "not-allowed")
        #expect(answer["fields"]?[0]?["id"]?.string == member)
        #expect(answer["fields"]?[0]?["code"] == "not-allowed")
        #expect(answer.headers["set-cookie"] == nil)
        #expect(fixture.provider.count(.start) == 0)
    }
}
