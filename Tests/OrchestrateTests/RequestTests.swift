import Basics
import HTTPCore
import JSON
import Orchestrate
import TestSupport
import Testing

@Suite("A request")
struct RequestTests {
    @Test func `adds to a header unless it is set, or can be there once, whatever the case of its name`() throws {
        var request = Request(try #require(WebURL(provider)))
        request.header(name: "X-A", value: "1")
        request.header(name: "x-a", value: "2")
        #expect(try request.sent().headers("x-a") == ["1", "2"])
        request.setHeader(name: "X-a", value: "3")
        #expect(try request.sent().headers("x-a") == ["3"])
        request.body([:])
        request.header(name: "content-type", value: "application/json")
        #expect(try request.sent().fields[values: .contentType] == ["application/json"])
        request.removeHeader("X-a")
        #expect(request.header("x-a") == nil)
    }

    @Test func `sets a content type only with a body`() throws {
        var request = Request()
        request.url(provider)
        #expect(try request.sent().fields.isEmpty)
        #expect(request.method == .get)
        request.form(try #require(QueryParameters(parsing: "a=1")))
        #expect(try request.sent().fields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.method == .post)
    }

    @Test func `encodes parameters and forms so that every byte arrives`() throws {
        var request = Request()
        request.url(provider + "?kept=1")
        let value = "a+b &=%/ü"
        request.parameter(name: "q", value: value)
        request.parameter(name: "q", value: "2")
        var form = QueryParameters()
        form.append("password", value)
        request.form(form)
        let sent = try request.sent()
        #expect(sent.parameters?.all("q") == [value, "2"])
        #expect(sent.parameters?.all("kept") == ["1"])
        #expect(sent.form?.single("password") == value)
        #expect(!sent.url.text.contains("+"))
    }

    @Test(arguments: [
        ("bad name", "v"), ("", "v"), ("x", "a\r\nb: c"), ("x", "a\u{0}"), ("x", " padded "),
    ])
    func `with a header that cannot be sent fails instead of being changed`(name: String, value: String) {
        var request = Request()
        request.url(provider)
        request.header(name: name, value: value)
        #expect(throws: EngineError.self) { try request.sent() }
    }

    @Test(arguments: ["", "ftp://a.example/", "/relative", "https://user@a.example/", "https://a.example/#f"])
    func `with an address that may not be called fails`(text: String) {
        var request = Request()
        request.url(text)
        #expect(throws: EngineError.self) { try request.sent() }
    }

    @Test func `without an address fails`() {
        #expect(throws: EngineError.self) { try Request().sent() }
    }

    @Test func `prints neither query nor headers`() {
        var request = Request()
        request.url(provider + "?code=canary")
        request.header(name: "x-session", value: "canary")
        request.parameter(name: "p", value: "canary")
        request.body(["p": "canary"])
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request) \(dumped)".contains("canary"))
    }
}

@Suite("A response")
struct ResponseTests {
    private func response(_ status: Int = 200, _ fields: HTTPFields = [:], _ body: String = "") -> Response {
        Response(status: status, fields: fields, body: Array(body.utf8), request: Request())
    }

    @Test func `finds headers in any case and keeps several apart`() {
        var fields = HTTPFields()
        fields.append(HTTPField(.setCookie, "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"))
        fields.append(HTTPField(.setCookie, "b=2"))
        fields.set(.location, "/x")
        let found = response(302, fields)
        #expect(found.header("LOCATION") == "/x")
        #expect(found.headers("set-cookie").count == 2)
        #expect(found.setCookies == found.headers("Set-Cookie"))
        #expect(found.header("absent") == nil)
        #expect(found.header("not a name") == nil)
    }

    @Test(arguments: [
        (199, "----"), (200, "s---"), (299, "s---"), (302, "-r--"), (404, "--c-"), (500, "---e"), (599, "---e"),
    ])
    func `sorts its status`(status: Int, kind: String) {
        let found = response(status)
        let flags = [
            (found.isSuccess, "s"), (found.isRedirect, "r"), (found.isClientError, "c"), (found.isServerError, "e"),
        ]
        #expect(flags.map { $0.0 ? $0.1 : "-" }.joined() == kind)
    }

    @Test func `keeps at most 200 bytes of its body as an excerpt and does not print them`() {
        let found = response(500, [:], String(repeating: "x", count: 1000))
        #expect(found.excerpt.reveal().utf8.count == 200)
        #expect("\(found.excerpt)" == "<secret>")
        #expect(!"\(found) \(String(reflecting: found))".contains("xxx"))
    }
}
