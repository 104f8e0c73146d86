import HTTPCore
import HTTPServer
import TestSupport
import Testing

@Suite("A listener serves")
struct RequestTests {
    /// Says back what the handler saw.
    static let mirror: RequestHandler = { request in
        var lines = ["\(request.method.rawValue) \(request.path) \(request.query ?? "-")"]
        request.headers.forEach { lines.append("\($0)=\($1)") }
        do throws(BodyError) {
            lines.append(String(decoding: try await request.body.collect(upTo: 100_000), as: UTF8.self))
        } catch {
            lines.append("\(error)")
        }
        return text(lines.joined(separator: "\n"))
    }

    private func answer(to bytes: String, toHead head: Bool = false) async throws -> RawAnswer {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            try await client.send(bytes)
            return try await client.response(toHead: head)
        }
    }

    @Test func `method, target, fields and an empty body as they were sent`() async throws {
        let answer = try await answer(
            to: "GET /a/b?c=d&e HTTP/1.1\r\nHost: example.com:80\r\nX-One:  two \t \r\nX-Empty:\r\n\r\n")
        #expect(answer.status == 200)
        #expect(answer.text == "GET /a/b c=d&e\nhost=example.com:80\nx-one=two\nx-empty=\n")
        #expect(answer.header("content-type") == "text/plain")
        #expect(answer.header("date") != nil)
        #expect(!answer.closes)
    }

    @Test(
        "the target undecoded:",
        arguments: [
            "/%00", "/%2e%2e/%2F", "/a%", "/+", "//a", "/a//b/../c", "/?", "/??", "/?a=%00&b==&&c", "/a?b?c",
            "/\"<>[]\\^`{|}",
            "/;a=b", "/~!$'()*,:@",
        ])
    func rawTarget(_ target: String) async throws {
        let answer = try await answer(to: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let mark = target.firstIndex(of: "?")
        let path = target[..<(mark ?? target.endIndex)]
        let query = mark.map { String(target[target.index(after: $0)...]) } ?? "-"
        #expect(answer.text.hasPrefix("GET \(path) \(query)\n"))
    }

    @Test(
        "hosts of every form:",
        arguments: ["a", "a.example", "A-b_c.example:8080", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]:443", "a."])
    func host(_ host: String) async throws {
        #expect(try await answer(to: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").text.contains("host=\(host)\n"))
    }

    @Test func `repeated fields apart and in order`() async throws {
        let answer = try await answer(to: "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\ny: 2\r\nx: 3\r\n\r\n")
        #expect(answer.text.contains("x=1\ny=2\nx=3\n"))
    }

    @Test func `a value with bytes above ASCII and inner blanks`() async throws {
        let answer = try await answer(to: "GET / HTTP/1.1\r\nHost: a\r\nX: \u{C3}\u{A4} \t b\r\n\r\n")
        #expect(answer.text.contains("x=ä \t b\n"))
    }

    @Test(
        "methods of every kind:",
        arguments: [
            "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "M-SEARCH", "A!#$%&'*+-.^_`|~1",
        ])
    func method(_ method: String) async throws {
        #expect(try await answer(to: "\(method) / HTTP/1.1\r\nHost: a\r\n\r\n").text.hasPrefix("\(method) / -\n"))
    }

    @Test func `OPTIONS for the server as a whole`() async throws {
        #expect(try await answer(to: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").text.hasPrefix("OPTIONS * -\n"))
    }

    @Test func `a body with a length`() async throws {
        let answer = try await answer(to: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        #expect(answer.text.hasSuffix("\nhello"))
    }

    @Test func `a body of no bytes`() async throws {
        let answer = try await answer(to: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.text.hasSuffix("content-length=0\n"))
    }

    @Test func `a body in chunks with an extension and a trailer`() async throws {
        let answer = try await answer(
            to: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "3;x=y\r\nhel\r\n02\r\nlo\r\n0\r\nX-Trailer: no\r\n\r\n")
        #expect(answer.text.hasSuffix("\nhello"))
        #expect(!answer.text.contains("trailer"))
    }

    @Test func `a body that comes byte by byte`() async throws {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            for byte in "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8 {
                try await client.send([byte])
            }
            #expect(try await client.response().text.hasSuffix("\nhello"))
        }
    }

    @Test func `a client that expects 100 Continue`() async throws {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n")
            #expect(try await client.response().status == 100)
            try await client.send("hello")
            #expect(try await client.response().text.hasSuffix("\nhello"))
        }
    }

    @Test func `a client that expects 100 Continue for too much, with the refusal instead`() async throws {
        try await withServer({ $0.limits.body = 4 }, handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            let answer = try await client.response()
            #expect(answer.status == 413)
            #expect(answer.header("content-type") == "application/problem+json")
        }
    }

    @Test func `HTTP/1.0 without a host, and closes`() async throws {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try await client.response().closes)
            #expect(try await client.isClosed())
        }
    }

    @Test func `HTTP/1.0 that asks to be kept`() async throws {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                try await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try await client.response().header("connection")?.lowercased() == "keep-alive")
            }
        }
    }

    @Test func `many requests on one connection`() async throws {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            for number in 0..<50 {
                try await client.send("POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
                #expect(try await client.response().text.hasPrefix("POST /\(number) -"))
            }
        }
    }

    @Test func `a request that asks to close, and closes`() async throws {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try await client.response().closes)
            #expect(try await client.isClosed())
        }
    }

    @Test func `empty lines before a request line`() async throws {
        #expect(try await answer(to: "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
    }

    @Test("requests sent ahead in order, whether they wait or not:", arguments: [false, true])
    func pipeline(waits: Bool) async throws {
        try await withServer { request in
            if waits { for _ in 0..<3 { await Task.yield() } }
            return text(String(request.path))
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in 0..<20 { #expect(try await client.response().text == "/\(number)") }
        }
    }

    @Test func `a refusal behind a good request, and closes`() async throws {
        try await withServer(handler: Self.mirror) { server in
            let client = try RawClient(port: server.port)
            try await client.send(
                "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 200)
            #expect(try await client.response().status == 400)
            #expect(try await client.isClosed())
        }
    }

    @Test func `the peer's address, IPv4 and IPv6`() async throws {
        let peer: RequestHandler = { text("\($0.peer.text) \($0.peer.isLoopback)") }
        try await withServer(handler: peer) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().text == "127.0.0.1 true")
        }
        do {
            try await withServer({ $0.address = "::1" }, handler: peer) { server in
                let client = try RawClient(port: server.port, address: "::1")
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.response().text == "::1 true")
            }
        } catch ListenerError.bind {
            // This machine has no IPv6.
        }
    }

    @Test func `its deadline to the handler`() async throws {
        try await withServer({ $0.limits.requestTime = .seconds(1000) }) { request in
            let left = request.deadline - .now
            return text("\(left > .seconds(900) && left <= .seconds(1000))")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().text == "true")
        }
    }
}
