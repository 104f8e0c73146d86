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
