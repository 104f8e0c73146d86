import HTTPCore
import HTTPServer
import TestSupport
import Testing

@Suite("An answer that needs no waiting")
struct ImmediateTests {
    /// Serves `/now` at once, `/stream` with a body that is not in memory, and everything else by the handler.
    private func serve(
        handled: Counter = Counter(), _ body: (Listener) async throws -> Void
    ) async throws {
        let listener = try Listener(
            ListenerSettings(), logger: quietLogger,
            immediate: { request in
                switch request.path {
                case "/now": text("now \(request.headers.first("x-one") ?? "-")")
                case "/empty": ServerResponse(status: 204)
                case "/broken": ServerResponse(status: 200, headers: [ResponseHeader("a", "b\r\nc: d")])
                case "/closes": ServerResponse(status: 200, headers: [ResponseHeader("Connection", "close")])
                case "/stream": ServerResponse(status: 200, body: .stream(length: nil) { _ in })
                default: nil
                }
            },
            handler: { request in
                handled.add()
                let body = try? await request.body.collect(upTo: 100)
                return text("later \(body?.count ?? -1)")
            })
        try listener.start()
        do {
            try await body(listener)
        } catch {
            await listener.stop(grace: .zero)
            throw error
        }
        await listener.stop(grace: .zero)
    }

    @Test func `reaches the client without the handler, in order, on a kept connection`() async throws {
        let handled = Counter()
        try await serve(handled: handled) { listener in
            let client = try RawClient(port: listener.port)
            let request = "GET /now HTTP/1.1\r\nHost: a\r\nX-One: 1\r\n\r\n"
            try await client.send(request + "GET /x HTTP/1.1\r\nHost: a\r\n\r\n" + request)
            let answers = [
                try await client.response().text, try await client.response().text, try await client.response().text,
            ]
            #expect(answers == ["now 1", "later 0", "now 1"])
            #expect(handled.value == 1)
        }
    }

    @Test func `has no body for HEAD and for 204`() async throws {
        try await serve { listener in
            let client = try RawClient(port: listener.port)
            try await client.send("HEAD /now HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await client.response(toHead: true)
            #expect(head.status == 200 && head.header("content-length") == "5" && head.body.isEmpty)
            try await client.send("GET /empty HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 204)
        }
    }

    @Test(
        "is not asked for with a body:",
        arguments: ["Content-Length: 2\r\n\r\nab", "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"])
    func body(_ rest: String) async throws {
        try await serve { listener in
            let client = try RawClient(port: listener.port)
            try await client.send("POST /now HTTP/1.1\r\nHost: a\r\n\(rest)")
            #expect(try await client.response().text == "later 2")
        }
    }

    @Test func `is the handler's when it would be streamed`() async throws {
        let handled = Counter()
        try await serve(handled: handled) { listener in
            let client = try RawClient(port: listener.port)
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().text == "later 0")
            #expect(handled.value == 1)
        }
    }

    @Test func `is refused where it would split the response, and closes where it says so`() async throws {
        try await serve { listener in
            let client = try RawClient(port: listener.port)
            try await client.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 500)
            let other = try RawClient(port: listener.port)
            try await other.send("GET /closes HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await other.response().closes)
            #expect(try await other.isClosed())
        }
    }

    @Test("is not asked for when the head is refused:", arguments: ["", "Host: a\r\nHost: b\r\n"])
    func refusedHead(_ fields: String) async throws {
        try await serve { listener in
            let client = try RawClient(port: listener.port)
            try await client.send("GET /now HTTP/1.1\r\n\(fields)\r\n")
            #expect(try await client.response().status == 400)
        }
    }
}
