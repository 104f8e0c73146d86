import BFFAPI
import Basics
import Cryptography
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// What browsers get of a refusal of AM besides its reason.
@Suite("A failure")
struct FailureDetailTests {
    private let log = RecordedLog()

    private static let page =
        #"{"authId":"a1","callbacks":[{"type":"StringAttributeInputCallback","output":[{"name":"name","value":"mail"}],"#
        + #""input":[{"name":"IDToken1","value":""}]}]}"#

    /// A browser at a process whose AM shows a page and then refuses with a detail.
    private func browser(
        _ bench: ScriptedSignIn, status: Int = 401, detail: String, store: (any ByteStore)? = nil
    ) throws -> Browser {
        bench.network.on(
            .post, ScriptedSignIn.authenticate, answering: .json(Self.page),
            .json(#"{"code":\#(status),"message":"No","detail":\#(detail)}"#, status: status))
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        return Browser(try bench.backend(store ?? MemoryStore(time: bench.time), key, log))
    }

    /// The end of the flow, and the same when it is asked for again.
    private func end(_ browser: Browser) async throws -> JSONValue {
        let body = try Browser.answer(try await browser.start(), ["IDToken1": "x"])
        let end = try await browser.next(body)
        #expect(try await browser.next(body) == end)
        #expect(end["type"] == "failure" && end["message"] == "No")
        return end
    }

    @Test("of policies says which question asked for what does not meet them")
    func policies() async throws {
        let detail = #"""
            {"result":false,"failedPolicyRequirements":[
            {"property":"mail","policyRequirements":["{\"policyRequirement\":\"UNIQUE\"}"]},
            "{\"property\":\"sn\",\"policyRequirements\":[{\"policyRequirement\":\"MIN_LENGTH\",\"params\":{\"minLength\":2}}]}"]}
            """#
        let end = try await end(try browser(try ScriptedSignIn(), status: 403, detail: detail))
        #expect(end["reason"] == "policy-failed" && end["detail"] == nil)
        let expected = #"""
            [{"property":"mail","id":"IDToken1","requirements":[{"requirement":"UNIQUE","params":{},"message":"The value is taken already."}]},
            {"property":"sn","requirements":[{"requirement":"MIN_LENGTH","params":{"minLength":2},"message":"The value needs 2 characters or more."}]}]
            """#
        #expect(end["details"] == (try JSONValue(parsing: expected)))
    }

    @Test("of many policies says as many as fit")
    func manyPolicies() async throws {
        let one = #"{"property":"p","policyRequirements":["UNIQUE"]}"#
        let list = Array(repeating: one, count: 1000).joined(separator: ",")
        let browser = try browser(
            try ScriptedSignIn(), status: 403, detail: #"{"failedPolicyRequirements":[\#(list)]}"#)
        let details = try #require(try await end(browser)["details"])
        #expect(details.serialized().count <= 8192 && (details.array?.count ?? 0) > 50)
    }

    static let detail = #"""
        {"failureUrl":"https://am.example.com/login","errorCode":"CONTRACT-7","contract":{"since":2019,"more":[null,1.50]},
        "internal":"host-7","empty":null}
        """#

    @Test("has of AM's detail what the settings expose, as it came, and nothing else")
    func exposed() async throws {
        let names = ["contract", "empty", "unknown", "errorCode"]
        let end = try await end(try browser(try ScriptedSignIn(exposed: names), detail: Self.detail))
        let expected = #"{"contract":{"since":2019,"more":[null,1.50]},"empty":null,"errorCode":"CONTRACT-7"}"#
        #expect(end["detail"]?.text == expected)
        #expect(end["reason"] == "authentication-failed" && end["details"] == nil)
    }

    @Test("never has the address of AM's own page, and nothing at all unless the settings say so")
    func hidden() async throws {
        for names in [["failureUrl"], []] {
            let end = try await end(try browser(try ScriptedSignIn(exposed: names), detail: Self.detail))
            #expect(end["detail"] == nil && !end.text.contains("am.example.com"))
        }
    }

    @Test(
        "leaves out what is too long, and takes a detail that is no object for none",
        arguments: ["5", "[]", "\"x\"", "null"])
    func odd(detail: String) async throws {
        let bench = try ScriptedSignIn(exposed: ["a", "b"])
        #expect(try await end(try browser(bench, detail: detail))["detail"] == nil)
        let long = String(repeating: "x", count: 8192)
        let end = try await end(try browser(bench, detail: #"{"a":"\#(long)","b":1}"#))
        #expect(end["detail"]?.text == #"{"b":1}"#)
    }

    @Test("has all of that too where it comes of a start")
    func atStart() async throws {
        let bench = try ScriptedSignIn(exposed: ["a"])
        let browser = try browser(bench, detail: "{}")
        bench.network.on(
            .post, ScriptedSignIn.authenticate,
            answering: .json(#"{"code":403,"detail":{"a":1,"failedPolicyRequirements":[]}}"#, status: 403))
        let end = try await browser.start()
        #expect(end["reason"] == "policy-failed" && end["details"] == [] && end["detail"] == ["a": 1])
    }

    @Test(
        "of a callback that AM sends as no page says so in the log, and nothing of its header",
        arguments: [
            (401, #"{"failure":true,"reason":"http-auth-failed"}"#, "authentication-failed", "HttpCallback"),
            (
                400, #"{"code":400,"message":"Cannot be converted into a JSON representation"}"#, "bad-request",
                "X509CertificateCallback"
            ),
        ])
    func unshown(status: Int, body: String, reason: String, word: String) async throws {
        let bench = try ScriptedSignIn()
        let browser = try browser(bench, detail: "{}")
        var answer = ClientResponse.json(body, status: status)
        answer.fields.append(HTTPField(.wwwAuthenticate, known: "Negotiate"))
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: answer)
        let end = try await browser.start()
        #expect(end["reason"]?.string == reason && !end.text.contains("Negotiate"))
        #expect(log.lines.contains { $0.contains(word) })
    }

    @Test("by what is too large is no trouble with the store, and the log names the bound", arguments: [200, 401])
    func tooLarge(status: Int) async throws {
        let bench = try ScriptedSignIn()
        let browser = try browser(bench, detail: "{}")
        let page = try await browser.start()
        let padding = String(repeating: "x", count: status == 200 ? 300_000 : 1 << 20)
        bench.network.on(
            .post, ScriptedSignIn.authenticate,
            answering: .json(#"{"authId":"a","callbacks":[],"more":"\#(padding)"}"#, status: status))
        let end = try await browser.next(try Browser.answer(page, ["IDToken1": "x"]))
        #expect(end["reason"] == "page-too-large" && end["message"] == nil)
        let bound = status == 200 ? "page with its node: 256 KiB" : "answer: 1 MiB"
        #expect(log.lines.contains { $0.contains(bound) })
        bench.network.on(.post, ScriptedSignIn.authenticate, failing: .noUsableAnswer(.tooLarge))
        #expect(try await browser.start()["reason"] == "page-too-large")
        #expect(log.lines.contains { $0.contains("outbound.answers") })
    }

    @Test("is not what large pages of other flows make of a step: the oldest of them go")
    func room() async throws {
        let bench = try ScriptedSignIn()
        let browser = try browser(bench, detail: "{}")
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: .json(Self.page))
        var pages: [JSONValue] = []
        for _ in 0..<5 { pages.append(try await browser.start()) }
        let padding = String(repeating: "x", count: 220_000)
        bench.network.on(
            .post, ScriptedSignIn.authenticate,
            answering: .json(#"{"authId":"a","callbacks":[{"type":"X"}],"more":"\#(padding)"}"#))
        for page in pages {
            let next = try await browser.next(try Browser.answer(page, ["IDToken1": "x"]))
            #expect(next["type"] == "continue" && next["step"] == 2)
        }
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(pages[0]) }
        #expect(try await browser.flow(pages[4])["step"] == 2)
    }

    @Test("does not come of a consent that the settings let be given, and the audit has a line")
    func consent() async throws {
        let bench = try ScriptedSignIn(grantsConsent: true)
        let browser = try browser(bench, detail: "{}")
        let authorize = ScriptedSignIn.issuer + "/authorize"
        bench.consentIsAsked()
        bench.network.on(
            .post, ScriptedSignIn.authenticate, answering: .json(Self.page),
            .json(#"{"tokenId":"new.*A*","successUrl":"/openam/console","realm":"/"}"#))
        let page = try await browser.start()
        #expect(try await browser.next(try Browser.answer(page, ["IDToken1": "x"]))["signedIn"] == true)
        #expect(bench.network.requests(to: authorize).filter { $0.method == .post }.count == 1)
        let lines = log.lines.compactMap { AuditLine($0) }
        #expect(lines.map(\.description) == ["consent given", "sign-in done"])
        let audit = try AuditPage()
        #expect(lines.allSatisfy { audit.knows($0) } && lines[0]["client"] == "standard")
        #expect(lines[0]["scope"] == "openid" && lines[0]["request.id"] == "r-1")
    }
}
