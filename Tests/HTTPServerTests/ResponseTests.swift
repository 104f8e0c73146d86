import HTTPCore
import HTTPServer
import TestSupport
import Testing

@Suite("A response")
struct ResponseTests {
    private func answer(
        _ response: ServerResponse, _ line: String = "GET / HTTP/1.1", toHead head: Bool = false
    ) async throws -> RawAnswer {
        try await withServer(handler: { _ in response }) { server in
            let client = try RawClient(port: server.port)
            try await client.send("\(line)\r\nHost: a\r\n\r\n")
            let answer = try await client.response(toHead: head)
            guard !answer.closes else {
                #expect(try await client.isClosed())
                return answer
            }
            // Whatever was left over would be taken for the start of the next one.
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try await client.response().status == response.status)
            #expect(try await client.isClosed())
            return answer
        }
    }

    private static let stream = ResponseBody.stream(length: nil) { writer in
        try await writer.write(Array("hel".utf8))
        try await writer.write([])
        try await writer.write(Array("lo".utf8))
    }

    @Test func `keeps its fields in order, repeated ones apart`() async throws {
        let answer = try await answer(
            ServerResponse(
                status: 201,
                headers: [
                    ResponseHeader("Set-Cookie", "a=b"), ResponseHeader("X", "y"), ResponseHeader("Set-Cookie", "c=d"),
                ],
                body: Array("hello".utf8)))
        #expect(answer.status == 201)
        #expect(answer.headers.map(\.value).filter { ["a=b", "y", "c=d"].contains($0) } == ["a=b", "y", "c=d"])
        #expect(answer.header("content-length") == "5")
        #expect(answer.text == "hello")
    }

    @Test func `keeps bytes of a field that are no text`() async throws {
        let name: [UInt8] = Array("r".utf8) + [0xE9, 0x73, 0xFF]
        let field = try name.withUnsafeBytes { try HTTPField("X-Name", checking: $0) }
        let header = ResponseHeader(field)
        let bytes = try await withServer(handler: { _ in ServerResponse(status: 204, headers: [header]) }) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return try await client.receiveAll()
        }
        let line = "X-Name: ".utf8 + name + [0x0D]
        #expect(bytes.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual(line) })
    }

    @Test func `has a field whose value is empty`() async throws {
        let answer = try await answer(ServerResponse(status: 204, headers: [ResponseHeader("X-Name", "")]))
        #expect(answer.status == 204 && answer.header("x-name") == "")
    }

    @Test func `to HEAD has the length and no body`() async throws {
        let answer = try await answer(text("hello"), "HEAD / HTTP/1.1", toHead: true)
        #expect(answer.header("content-length") == "5")
    }

    @Test func `to HEAD does not run the function that would write the body`() async throws {
        let calls = Counter()
        let known = ResponseBody.stream(length: 5) { _ in calls.add() }
        let answer = try await withServer(handler: { _ in ServerResponse(status: 200, body: known) }) { server in
            let client = try RawClient(port: server.port)
            try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try await client.response(toHead: true)
        }
        #expect(answer.header("content-length") == "5")
        #expect(calls.value == 0)
    }

    @Test func `to HEAD of unknown length leaves nothing behind`() async throws {
        let answer = try await answer(ServerResponse(status: 200, body: Self.stream), "HEAD / HTTP/1.1", toHead: true)
        #expect(answer.header("content-length") == nil)
    }

    @Test("without a body by its status has none:", arguments: [204, 304])
    func bodiless(status: Int) async throws {
        let bodies: [ResponseBody] = [.none, .bytes([]), .bytes([1, 2, 3]), Self.stream, .stream(length: 5) { _ in }]
        for body in bodies {
            let answer = try await answer(ServerResponse(status: status, body: body))
            #expect(answer.status == status)
            if status == 204 {
                #expect(answer.header("content-length") == nil)
                #expect(answer.header("transfer-encoding") == nil)
            }
        }
    }

    @Test func `304 without a body names no length`() async throws {
        let answer = try await answer(ServerResponse(status: 304, headers: [ResponseHeader("ETag", "\"a\"")]))
        #expect(answer.header("content-length") == nil)
        #expect(answer.header("etag") == "\"a\"")
    }

    @Test("without a body where there could be one says so:", arguments: [200, 205, 301, 404, 500])
    func empty(status: Int) async throws {
        #expect(try await answer(ServerResponse(status: status)).header("content-length") == "0")
    }

    @Test func `of unknown length is chunked`() async throws {
        let answer = try await answer(ServerResponse(status: 200, body: Self.stream))
        #expect(answer.header("transfer-encoding") == "chunked")
        #expect(answer.text == "hello")
    }

    @Test func `of unknown length to HTTP/1.0 ends with the connection`() async throws {
        let answer = try await answer(ServerResponse(status: 200, body: Self.stream), "GET / HTTP/1.0")
        #expect(answer.header("transfer-encoding") == nil)
        #expect(answer.closes)
        #expect(answer.text == "hello")
    }

    @Test func `of known length is sent with it`() async throws {
        let body = ResponseBody.stream(length: 5) { writer in
            for byte in "hello".utf8 { try await writer.write([byte]) }
        }
        let answer = try await answer(ServerResponse(status: 200, body: body))
        #expect(answer.header("content-length") == "5")
        #expect(answer.text == "hello")
    }

    @Test func `that writes nothing is empty`() async throws {
        #expect(try await answer(ServerResponse(status: 200, body: .stream(length: nil) { _ in })).body.isEmpty)
        #expect(try await answer(ServerResponse(status: 200, body: .stream(length: 0) { _ in })).body.isEmpty)
    }

    @Test func `may say that it closes`() async throws {
        let response = ServerResponse(status: 200, headers: [ResponseHeader("connection", "Close")], body: [1])
        #expect(try await answer(response).closes)
    }

    @Test(
        "cannot set what the listener sets:",
        arguments: [
            ResponseHeader("Content-Length", "1"), ResponseHeader("transfer-encoding", "chunked"),
            ResponseHeader("Date", "yesterday"), ResponseHeader("Connection", "upgrade"),
        ])
    func ownFields(header: ResponseHeader) async throws {
        let answer = try await answer(ServerResponse(status: 200, headers: [header], body: Array("hello".utf8)))
        #expect(answer.status == 200)
        #expect(answer.header("content-length") == "5")
        #expect(!answer.headers.map(\.value).contains(header.value))
    }

    @Test(
        "that cannot be sent becomes a 500:",
        arguments: [
            ServerResponse(status: 200, headers: [ResponseHeader("X", "a\r\nY: b")]),
            ServerResponse(status: 200, headers: [ResponseHeader("X", "a\nb")]),
            ServerResponse(status: 200, headers: [ResponseHeader("X", "a\u{0}b")]),
            ServerResponse(status: 200, headers: [ResponseHeader("X", "a\u{7F}")]),
            ServerResponse(status: 200, headers: [ResponseHeader("X Y", "a")]),
            ServerResponse(status: 200, headers: [ResponseHeader("X:", "a")]),
            ServerResponse(status: 200, headers: [ResponseHeader("", "a")]),
            ServerResponse(status: 200, headers: [ResponseHeader("X\r\nY", "a")]),
            ServerResponse(status: 100), ServerResponse(status: 101), ServerResponse(status: 0),
            ServerResponse(status: 600), ServerResponse(status: -1),
            ServerResponse(status: 200, body: .stream(length: -1) { _ in }),
        ])
    func unsendable(response: ServerResponse) async throws {
        try await withServer(handler: { _ in response }) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await client.response()
            #expect(answer.status == 500)
            #expect(answer.text.contains("bad-response"))
            #expect(!answer.headers.contains { $0.name == "y" })
        }
    }

    @Test func `of many megabytes arrives whole`() async throws {
        let body = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        #expect(try await answer(ServerResponse(status: 200, body: body)).body == body)
    }
}
