import Glibc
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("Through a configured proxy")
struct TransportProxyTests {
    @Test func `plain requests carry the whole address`() async throws {
        let proxy = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", [], "by proxy"))
        }
        defer { proxy.stop() }
        try await Calls.run({ $0.proxy = WebURL(proxy.origin) }) { calls async throws in
            #expect(try await calls.send(.get, "http://no-such-host.invalid/a?b").text == "by proxy")
        }
        #expect(proxy.requests.first?.lines.first == "GET http://no-such-host.invalid/a?b HTTP/1.1")
    }

    @Test(arguments: ["a.example", "a.example:8080", "[::1]", "[::1]:8080"])
    func `plain requests of any kind carry it in one message each, and share a connection for each origin`(
        _ host: String
    ) async throws {
        let proxy = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { proxy.stop() }
        try await Calls.run({ $0.proxy = WebURL(proxy.origin) }) { calls async throws in
            _ = try await calls.send(.post, "http://\(host)/a?b=%20", [.cookie: "c=d"], "body")
            _ = try await calls.send(.get, "http://\(host)")
            _ = try await calls.send(.options, "http://\(host)/a%2Fb/../c?")
            _ = try await calls.send(.get, "http://b.example/")
        }
        #expect(
            proxy.requests.map { $0.lines.first } == [
                "POST http://\(host)/a?b=%20 HTTP/1.1", "GET http://\(host)/ HTTP/1.1",
                "OPTIONS http://\(host)/a%2Fb/../c? HTTP/1.1", "GET http://b.example/ HTTP/1.1",
            ])
        #expect(proxy.requests.map { $0.values("host") } == [[host], [host], [host], ["b.example"]])
        #expect(proxy.requests.map(\.connection) == [1, 1, 1, 2])
        #expect(proxy.requests.first?.body == Array("body".utf8))
        #expect(proxy.requests.allSatisfy { $0.values("proxy-connection").isEmpty && $0.values("connection").isEmpty })
    }

    @Test func `an upload and an answer are streamed`() async throws {
        let proxy = try ScriptedPeer { connection in
            while let head = connection.readHead(), let body = connection.readChunks() {
                let line = head.prefix { $0 != "\r\n" }
                connection.write(answer("200 OK", [], line + "|" + String(decoding: body, as: UTF8.self)))
            }
        }
        defer { proxy.stop() }
        let pieces = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("hello".utf8))
            continuation.finish()
        }
        try await Calls.run({ $0.proxy = WebURL(proxy.origin) }) { calls async throws in
            let upload = RequestStream(pieces, length: nil)
            let body = try await calls.stream(.put, "http://a.example/b", upload).body
            #expect(try await body.collect(upTo: 99) == Array("PUT http://a.example/b HTTP/1.1|hello".utf8))
        }
    }

    @Test(arguments: ["403 Forbidden", "407 Proxy Authentication Required", "502 Bad Gateway"])
    func `a refused tunnel is not reached, and the proxy saw no field of the request`(_ status: String) async throws {
        let proxy = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer(status, ["Set-Cookie: a=1"]))
        }
        defer { proxy.stop() }
        try await Calls.run({ $0.proxy = WebURL(proxy.origin) }) { calls async throws in
            let failure = try await calls.failure(
                .post, "https://no-such-host.invalid/a", [.authorization: "Bearer x", .cookie: "a=b"], "secret")
            #expect(failure == .notReached(.connect))
        }
        let request = try #require(proxy.requests.first)
        #expect(request.lines.first == "CONNECT no-such-host.invalid:443 HTTP/1.1")
        #expect(request.values("authorization").isEmpty)
        #expect(request.values("cookie").isEmpty)
        #expect(request.body.isEmpty)
    }

    @Test func `a tunnel that leads to no TLS is not reached`() async throws {
        let proxy = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 Connection established\r\n\r\n")
            connection.write(answer("200 OK", [], "not the provider"))
            connection.waitForClose()
        }
        defer { proxy.stop() }
        try await Calls.run({ $0.proxy = WebURL(proxy.origin) }) { calls async throws in
            #expect(try await calls.failure(.get, "https://no-such-host.invalid/") == .notReached(.tls))
        }
    }

    @Test func `a proxy that is down is not reached`() async throws {
        let proxy = try ScriptedPeer { _ in }
        proxy.stop()
        try await Calls.run({ $0.proxy = WebURL(proxy.origin) }) { calls async throws in
            #expect(try await calls.failure(.get, "http://127.0.0.1:1/") == .notReached(.connect))
        }
    }

    @Test func `a proxy of the environment is not used`() async {
        // In a process of its own: the environment must not change under the other tests.
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
            let peer = try ScriptedPeer { connection in
                _ = connection.readRequest()
                connection.write(answer())
            }
            try await Calls.run { calls async throws in
                let reply = try await calls.send(.get, peer.origin)
                #expect(reply.status == 200)
            }
        }
    }
}
