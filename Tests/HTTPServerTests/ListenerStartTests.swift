import HTTPServer
import TestSupport
import Testing

@Suite("Starting a listener")
struct ListenerStartTests {
    private static let hello: RequestHandler = { _ in text("hello") }

    @Test func `fails when another one has the port`() async throws {
        try await withServer(handler: Self.hello) { server in
            let other = try Listener(
                ListenerSettings(address: "127.0.0.1", port: server.port), logger: quietLogger, handler: Self.hello)
            #expect { try other.start() } throws: { error in
                if case .bind(errno: 98) = error as? ListenerError { true } else { false }
            }
            #expect(other.port == 0)
            #expect("\(ListenerError.bind(errno: 98))" == "Address already in use")
        }
    }

    @Test("fails on an address that is none of ours:", arguments: ["192.0.2.1", "2001:db8::1"])
    func foreign(address: String) throws {
        let listener = try Listener(
            ListenerSettings(address: address, port: 0), logger: quietLogger, handler: Self.hello)
        #expect(throws: ListenerError.self) { try listener.start() }
    }

    @Test("fails on what is no address:", arguments: ["", "localhost", "127.0.0", "[::1]", "127.0.0.1:80", "*"])
    func noAddress(address: String) throws {
        let listener = try Listener(
            ListenerSettings(address: address, port: 0), logger: quietLogger, handler: Self.hello)
        #expect(throws: ListenerError.setting("address")) { try listener.start() }
    }

    @Test func `twice fails the second time`() async throws {
        try await withServer(handler: Self.hello) { server in
            #expect(throws: ListenerError.start) { try server.start() }
        }
    }

    @Test func `refuses settings out of their range and names them`() {
        let wrong: [(String, (inout ListenerSettings) -> Void)] = [
            ("threads", { $0.threads = 0 }), ("threads", { $0.threads = 65 }), ("target", { $0.limits.target = 0 }),
            ("headerCount", { $0.limits.headerCount = 0 }), ("headerBytes", { $0.limits.headerBytes = 1023 }),
            ("headerBytes", { $0.limits.headerBytes = 262_145 }), ("body", { $0.limits.body = -1 }),
            ("headerTime", { $0.limits.headerTime = .zero }), ("bodyTime", { $0.limits.bodyTime = .seconds(-1) }),
            ("requestTime", { $0.limits.requestTime = .zero }), ("responseTime", { $0.limits.responseTime = .zero }),
            ("idle", { $0.limits.idle = .zero }), ("connections", { $0.limits.connections = 0 }),
            ("connectionsPerPeer", { $0.limits.connectionsPerPeer = -1 }),
        ]
        for (name, change) in wrong {
            var settings = ListenerSettings()
            change(&settings)
            #expect(throws: ListenerError.setting(name)) {
                try Listener(settings, logger: quietLogger, handler: Self.hello)
            }
        }
    }

    @Test("serves with any number of threads:", arguments: [1, 2, 5])
    func threads(count: Int) async throws {
        try await withServer({ $0.threads = count }, handler: Self.hello) { server in
            for _ in 0..<(count * 3) {
                let client = try RawClient(port: server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.response().text == "hello")
            }
        }
    }

    @Test func `serves many clients at a time`() async throws {
        try await withServer { request in
            for _ in 0..<3 { await Task.yield() }
            return text(String(request.path))
        } _: { server in
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        let client = try RawClient(port: server.port)
                        for round in 0..<20 {
                            try await client.send("GET /\(number)/\(round) HTTP/1.1\r\nHost: a\r\n\r\n")
                            #expect(try await client.response().text == "/\(number)/\(round)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `lives through a change of its settings' answers`() async throws {
        let streamed: RefusalResponder = { status, _ in
            ServerResponse(status: status, body: .stream(length: nil) { _ in })
        }
        try await withServer(refusal: streamed, handler: Self.hello) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\n\r\n")
            let answer = try await client.response()
            #expect(answer.status == 400)
            #expect(answer.body.isEmpty)
        }
    }
}
