import Basics
import HTTPServer
import TestSupport
import Testing

@Suite("A refusal of the listener, to a page of another origin,")
struct OriginRefusalTests {
    private static let short = Duration.milliseconds(200)
    private static let origin = "https://partner.example.com"
    private static let hello: RequestHandler = { _ in text("hello") }

    /// What `Access-Control-Allow-Origin` of the answer says to a request with these fields in its head.
    private func answer(
        _ bytes: (_ fields: String) -> String, fields: String = "Origin: \(origin)\r\n",
        _ adjust: (inout ListenerSettings) -> Void = { _ in }, handler: @escaping RequestHandler = hello,
        during: (Listener) async throws -> Void = { _ in }
    ) async throws -> RawAnswer {
        var settings = ListenerSettings()
        adjust(&settings)
        let listener = try Listener(
            settings, logger: quietLogger,
            originRefusal: { status, reason, origin in
                guard origin == Self.origin else { return nil }
                var answer = RequestError.problem(status: status, reason: reason)
                answer.headers.append(ResponseHeader("Access-Control-Allow-Origin", origin))
                return answer
            }, handler: handler)
        try listener.start()
        do {
            let client = try RawClient(port: listener.port)
            try await client.send(bytes(fields))
            try await during(listener)
            let answer = try await client.response()
            await listener.stop(grace: .zero)
            return answer
        } catch {
            await listener.stop(grace: .zero)
            throw error
        }
    }

    private func allowed(_ answer: RawAnswer) -> String? { answer.header("access-control-allow-origin") }

    /// Refused by the head.
    private static let heads: [(Int, String)] = [
        (400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n*\r\n"),
        (413, "POST / HTTP/1.1\r\nHost: a\r\n*Content-Length: 99999999\r\n\r\n"),
        (414, "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n*\r\n"),
        (417, "GET / HTTP/1.1\r\nHost: a\r\n*Expect: magic\r\n\r\n"),
        (431, "GET / HTTP/1.1\r\nHost: a\r\n*\(String(repeating: "X: a\r\n", count: 150))\r\n"),
        (431, "GET / HTTP/1.1\r\nHost: a\r\n*X: \(String(repeating: "a", count: 18_000))\r\n\r\n"),
        (501, "POST / HTTP/1.1\r\nHost: a\r\n*Transfer-Encoding: gzip\r\n\r\n"),
    ]

    @Test("because of the head is made for it", arguments: heads.indices)
    func head(_ index: Int) async throws {
        let (status, text) = Self.heads[index]
        let answer = try await answer({ text.replacing("*", with: $0) })
        #expect(answer.status == status && allowed(answer) == Self.origin)
    }

    @Test(
        "is the usual one without an origin, to an unlisted one and to two of them",
        arguments: [
            "", "Origin: https://evil.example.com\r\n", "Origin: \(origin)\r\nOrigin: \(origin)\r\n", "Origin: \r\n",
        ])
    func unlisted(fields: String) async throws {
        for (status, text) in Self.heads {
            let answer = try await answer({ text.replacing("*", with: $0) }, fields: fields)
            #expect(answer.status == status && allowed(answer) == nil)
        }
    }

    @Test(
        "is the usual one where the field goes on after a NUL, which would hide the rest of it",
        arguments: [
            "Origin: \(origin)\0.evil\r\n", "Origin: \(origin)\0\0.evil\r\n", "Origin: \(origin)\0\0\0\0.evil\r\n",
            "Origin: \(origin)\0\r\n", "Origin: \(origin)\n",
        ])
    func hidden(fields: String) async throws {
        for (status, head) in [
            (400, "GET / HTTP/1.1\r\nHost: a\r\n*\r\n"), (400, "GET / HTTP/1.1\r\nHost: a\r\n*X: y\r\n\r\n"),
            (431, "GET / HTTP/1.1\r\nHost: a\r\n*\(String(repeating: "X: a\r\n", count: 150))\r\n"),
        ] {
            let answer = try await answer({ head.replacing("*", with: $0) }, fields: fields)
            #expect(answer.status == status && allowed(answer) == nil)
        }
    }

    @Test("because of the body is made for it")
    func body() async throws {
        let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
        let chunked = try await answer(
            { "POST / HTTP/1.1\r\nHost: a\r\n\($0)Transfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)0\r\n\r\n" },
            { $0.limits.body = 4096 },
            handler: { _ in
                try? await Task.sleep(for: .seconds(1000))
                return text("late")
            })
        #expect(chunked.status == 413 && allowed(chunked) == Self.origin)
        let slow = try await answer(
            { "POST / HTTP/1.1\r\nHost: a\r\n\($0)Content-Length: 5\r\n\r\nhell" }, { $0.limits.bodyTime = Self.short })
        #expect(slow.status == 408 && allowed(slow) == Self.origin)
    }

    @Test("because the handler takes too long is made for it")
    func deadline() async throws {
        let answer = try await answer(
            { "GET / HTTP/1.1\r\nHost: a\r\n\($0)\r\n" }, { $0.limits.requestTime = Self.short },
            handler: { _ in
                try? await Task.sleep(for: .seconds(1000))
                return text("late")
            })
        #expect(answer.status == 504 && allowed(answer) == Self.origin)
    }

    @Test("because the server stops is made for it")
    func draining() async throws {
        let began = Mailbox<Bool>()
        let answer = try await answer(
            { "GET / HTTP/1.1\r\nHost: a\r\n\($0)\r\n" },
            handler: { _ in
                began.put(true)
                try? await Task.sleep(for: .seconds(1000))
                return text("late")
            },
            during: { listener in
                _ = await began.next()
                // The handler begins on the thread of the connection, which then sets the connection aside until the answer.
                try await Task.sleep(for: .milliseconds(200))
                await listener.stop(grace: .zero)
            })
        #expect(answer.status == 504 && allowed(answer) == Self.origin)
    }

    @Test("because an answer cannot be sent is made for it")
    func badResponse() async throws {
        let answer = try await answer(
            { "GET / HTTP/1.1\r\nHost: a\r\n\($0)\r\n" }, handler: { _ in ServerResponse(status: 99, body: []) })
        #expect(answer.status == 500 && allowed(answer) == Self.origin)
    }

    @Test("is the usual one where its head has not come")
    func unknown() async throws {
        let slow = try await answer(
            { "GET / HTTP/1.1\r\nHost: a\r\n\($0)X: y" }, { $0.limits.headerTime = Self.short })
        #expect(slow.status == 408 && allowed(slow) == nil)
    }
}
