import HTTPCodec
import HTTPCore
import Testing

@testable import HTTPClient

@Suite("A request")
struct RequestWriterTests {
    /// The text that the client writes.
    private func text(
        _ method: HTTPMethod, _ address: String, _ fields: HTTPFields = [:], _ body: String = ""
    ) throws -> String {
        let request = ClientRequest(method, try #require(WebURL(address)), fields: fields, body: Array(body.utf8))
        let written = try RequestPlan(request).write(agent: [:], isAbsolute: false, upload: nil)
        return String(decoding: written.bytes, as: UTF8.self)
    }

    @Test func `is written as one message`() throws {
        let fields: HTTPFields = [.accept: "x/y", "X-Empty": ""]
        #expect(
            try text(.post, "https://a.example:8443/a/b?c=d&e=%20", fields, "{\"a\":1}") == """
                POST /a/b?c=d&e=%20 HTTP/1.1\r
                Host: a.example:8443\r
                Accept: x/y\r
                X-Empty: \r
                Content-Length: 7\r
                \r
                {"a":1}
                """)
        #expect(
            try text(.post, "https://a.example:8443/a/b?") == """
                POST /a/b? HTTP/1.1\r
                Host: a.example:8443\r
                Content-Length: 0\r
                \r

                """)
    }

    @Test(arguments: [
        ("GET", false), ("HEAD", false), ("DELETE", false), ("OPTIONS", false), ("POST", true), ("PUT", true),
        ("PATCH", true), ("QUERY", false),
    ])
    func `has a length where its method expects a body`(_ name: String, _ expected: Bool) throws {
        let method = try #require(HTTPMethod(rawValue: name))
        let text = try text(method, "http://[::1]:81/")
        #expect(text.contains("Content-Length: 0\r\n") == expected)
        #expect(text.utf8.starts(with: "\(name) / HTTP/1.1\r\nHost: [::1]:81\r\n".utf8))
    }

    @Test(arguments: [1, 9, 10, 99, 100, 12_345, 1_000_000])
    func `has the length of its body`(_ count: Int) throws {
        let body = String(repeating: "x", count: count)
        #expect(
            try text(.get, "http://a/", [:], body)
                == "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n" + body)
    }

    @Test func `is written with its body in chunks`() throws {
        let pieces = [1, 15, 16, 255, 256, 65_536].map { [UInt8](repeating: 0x61, count: $0) }
        let size =
            RequestWriter.startSize(method: "PUT", path: "/", query: nil, host: "a")
            + RequestWriter.finishSize(length: nil, isChunked: true)
            + pieces.reduce(RequestWriter.lastChunkSize) { $0 + RequestWriter.chunkSize($1.count) }
        var memory = [UInt8](repeating: 0, count: size)
        try memory.withUnsafeMutableBytes { memory in
            var writer = RequestWriter(into: memory)
            try writer.start(method: "PUT", path: "/", query: nil, host: "a")
            writer.finish(length: nil, isChunked: true)
            for piece in pieces { piece.withUnsafeBytes { writer.put(chunk: $0) } }
            writer.putLastChunk()
            #expect(writer.count == size)
        }
        let chunks = pieces.map {
            String($0.count, radix: 16, uppercase: true) + "\r\n" + String(repeating: "a", count: $0.count) + "\r\n"
        }
        #expect(
            String(decoding: memory, as: UTF8.self) == "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunks.joined() + "0\r\n\r\n")
    }

    @Test func `is written in absolute form for a proxy`() throws {
        let size =
            RequestWriter.startSize(method: "GET", path: "/a", query: "b", host: "[::1]:80", isAbsolute: true)
            + RequestWriter.finishSize(length: nil)
        var memory = [UInt8](repeating: 0, count: size)
        try memory.withUnsafeMutableBytes { memory in
            var writer = RequestWriter(into: memory)
            try writer.start(method: "GET", path: "/a", query: "b", host: "[::1]:80", isAbsolute: true)
            writer.finish(length: nil)
            #expect(writer.count == size)
        }
        #expect(
            String(decoding: memory, as: UTF8.self)
                == "GET http://[::1]:80/a?b HTTP/1.1\r\nHost: [::1]:80\r\n\r\n")
    }

    @Test("is refused in absolute form for each part that would not stay in its place", arguments: Part.all.prefix(25))
    func refusedInAbsoluteForm(_ part: Part) {
        var memory = [UInt8](repeating: 0, count: 256)
        memory.withUnsafeMutableBytes { memory in
            var writer = RequestWriter(into: memory)
            #expect(throws: part.refusal) {
                try writer.start(
                    method: part.method, path: part.path, query: part.query, host: part.host, isAbsolute: true)
            }
            #expect(writer.count == 0)
        }
    }

    @Test(arguments: ["HEAD", "TRACE"])
    func `of a method without a body is refused with one`(_ name: String) throws {
        let method = try #require(HTTPMethod(rawValue: name))
        #expect(throws: ExchangeError.invalidRequest) { try text(method, "http://a/", [:], "x") }
        #expect(try text(method, "http://a/") == "\(name) / HTTP/1.1\r\nHost: a\r\n\r\n")
    }

    @Test func `is written from bytes that are not UTF-8`() throws {
        let value: [UInt8] = [0x61, 0xFF, 0x80]
        var fields = HTTPFields()
        fields.append(try value.withUnsafeBytes { try HTTPField("X", checking: $0) })
        let request = ClientRequest(.get, try #require(WebURL("http://a/")), fields: fields)
        let written = try RequestPlan(request).write(agent: [:], isAbsolute: false, upload: nil)
        #expect(written.bytes == Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + value + Array("\r\n\r\n".utf8))
    }

    /// A part of a request that must not be written.
    struct Part: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: RequestWriteError
        var (method, path, host) = ("GET", "/", "a")
        var query: String?
        var (name, value) = ("A", "b")

        init(_ name: String, _ refusal: RequestWriteError, _ change: (inout Part) -> Void) {
            (testDescription, self.refusal) = (name, refusal)
            change(&self)
        }

        static let all: [Part] =
            [
                Part("an empty method", .method) { $0.method = "" },
                Part("a blank in the method", .method) { $0.method = "GET /x" },
                Part("a line end in the method", .method) { $0.method = "GET\r\n" },
                Part("a tunnel", .method) { $0.method = "CONNECT" },
                Part("an empty path", .target) { $0.path = "" },
                Part("a path without a slash", .target) { $0.path = "a" },
                Part("an address as the path", .target) { $0.path = "http://a/" },
                Part("a blank in the path", .target) { $0.path = "/a b" },
                Part("a line end in the path", .target) { $0.path = "/ HTTP/1.1\r\nA: b" },
                Part("a NUL in the path", .target) { $0.path = "/\0" },
                Part("a DEL in the path", .target) { $0.path = "/\u{7F}" },
                Part("a letter outside ASCII in the path", .target) { $0.path = "/é" },
                Part("a question mark in the path", .target) { $0.path = "/?" },
                Part("a fragment in the path", .target) { $0.path = "/#" },
                Part("a backslash in the path", .target) { $0.path = "/\\" },
                Part("a blank in the query", .target) { $0.query = "a b" },
                Part("a line end in the query", .target) { $0.query = "\r\n" },
                Part("a fragment in the query", .target) { $0.query = "a#" },
                Part("a letter outside ASCII in the query", .target) { $0.query = "é" },
                Part("an empty host", .host) { $0.host = "" },
                Part("a line end in the host", .host) { $0.host = "a\r\nB: c" },
                Part("a blank in the host", .host) { $0.host = "a b" },
                Part("user information in the host", .host) { $0.host = "u@a" },
                Part("a path in the host", .host) { $0.host = "a/b" },
                Part("two hosts", .host) { $0.host = "a,b" },
                Part("an empty field name", .fieldName) { $0.name = "" },
                Part("a blank in a field name", .fieldName) { $0.name = "A " },
                Part("a colon in a field name", .fieldName) { $0.name = "A:" },
                Part("a line end in a field name", .fieldName) { $0.name = "A: b\r\nC" },
                Part("a letter outside ASCII in a field name", .fieldName) { $0.name = "É" },
                Part("a line end in a value", .fieldValue) { $0.value = "b\r\nC: d" },
                Part("an LF in a value", .fieldValue) { $0.value = "b\nc" },
                Part("a CR in a value", .fieldValue) { $0.value = "0123456789\rc" },
                Part("a NUL in a value", .fieldValue) { $0.value = "b\0" },
                Part("a DEL in a value", .fieldValue) { $0.value = "\t\u{7F}b" },
                Part("a blank before a value", .fieldValue) { $0.value = " b" },
                Part("a blank after a value", .fieldValue) { $0.value = "b " },
                Part("a tab as a value", .fieldValue) { $0.value = "\t" },
            ] + reserved

        static let reserved = [
            "Host", "Content-Length", "transfer-encoding", "CONNECTION", "Keep-Alive", "Proxy-Connection", "TE",
            "Trailer",
            "Upgrade", "Expect",
        ].map { name in Part("the field \(name)", .reservedField) { $0.name = name } }
    }

    @Test("is refused for each part that would not stay in its place", arguments: Part.all)
    func refused(_ part: Part) {
        var memory = [UInt8](repeating: 0, count: 256)
        memory.withUnsafeMutableBytes { memory in
            var writer = RequestWriter(into: memory)
            #expect(throws: part.refusal) {
                try writer.start(method: part.method, path: part.path, query: part.query, host: part.host)
                try Array(part.name.utf8).withUnsafeBytes { name in
                    try Array(part.value.utf8).withUnsafeBytes { try writer.field(name: name, value: $0) }
                }
            }
            // The part before it is written, and nothing of this one.
            let written = String(decoding: memory[..<writer.count], as: UTF8.self)
            #expect(["", "GET / HTTP/1.1\r\nHost: a\r\n"].contains(written))
        }
    }

    @Test func `has a refusal in the tables for each part`() {
        #expect(Set(Part.all.map(\.refusal)) == Set(RequestWriteError.allCases))
        #expect(Set(Part.all.map(\.testDescription)).count == Part.all.count)
    }
}
