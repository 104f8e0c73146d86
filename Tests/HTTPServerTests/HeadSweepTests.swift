import HTTPServer
import TestSupport
import Testing

/// A head that grows in one of the ways that use up what libmicrohttpd keeps of a connection.
struct GrowingHead: Sendable, CustomTestStringConvertible {
    let name: String
    /// The head with `count` of what grows.
    let bytes: @Sendable (_ count: Int) -> String
    /// How many are tried: every step up to more than all of the memory.
    let counts: StrideThrough<Int>

    var testDescription: String { name }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    private static func head(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    static let all = [
        GrowingHead(
            name: "empty parameters", bytes: { head("/?" + repeated("&", $0)) },
            counts: stride(from: 200, through: 8000, by: 61)),
        GrowingHead(
            name: "parameters with values", bytes: { head("/?" + repeated("a=b&", $0)) },
            counts: stride(from: 200, through: 8000, by: 61)),
        GrowingHead(
            name: "a long target", bytes: { head("/" + repeated("a", $0)) },
            counts: stride(from: 8000, through: 52_000, by: 499)),
        GrowingHead(
            name: "short fields", bytes: { head("/", repeated("a:\r\n", $0)) },
            counts: stride(from: 90, through: 1200, by: 7)),
        GrowingHead(
            name: "one long field", bytes: { head("/", "X: \(repeated("b", $0))\r\n") },
            counts: stride(from: 16_000, through: 52_000, by: 257)),
        GrowingHead(
            name: "empty cookies", bytes: { head("/", "Cookie: \(repeated("a;", $0))\r\n") },
            counts: stride(from: 100, through: 8000, by: 61)),
        GrowingHead(
            name: "cookies with values", bytes: { head("/", "Cookie: \(repeated("a=b;", $0))\r\n") },
            counts: stride(from: 100, through: 8000, by: 61)),
        GrowingHead(
            name: "parameters, fields and cookies",
            bytes: { head("/?" + repeated("&", $0), repeated("a:\r\n", $0 / 4) + "Cookie: \(repeated("a;", $0))\r\n") },
            counts: stride(from: 20, through: 1200, by: 7)),
    ]
}

@Suite("A listener whose memory for a connection ends")
struct HeadSweepTests {
    @Test("answers or closes, and lives on, with", arguments: GrowingHead.all)
    func sweep(_ head: GrowingHead) async throws {
        try await withServer({ $0.limits.headerTime = .seconds(1) }) { _ in
            text("reached")
        } _: { server in
            let port = server.port
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, count) in head.counts.enumerated() {
                    if number >= 32 { try await group.next() }
                    // Whole, and with the end of the head coming alone.
                    group.addTask { try await Self.send(head.bytes(count), pieces: 1 + number % 2, port) }
                }
                try await group.waitForAll()
            }
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().text == "reached")
        }
    }

    /// Throws when the server says nothing and does not close either.
    private static func send(_ head: String, pieces: Int, _ port: UInt16) async throws {
        let client = try RawClient(port: port)
        do {
            if pieces > 1 {
                try await client.send(String(head.dropLast(2)))
                try await client.send(String(head.suffix(2)))
            } else {
                try await client.send(head)
            }
            client.endSending()
        } catch {}
        _ = try await client.receiveAll()
    }

    @Test("survives its stop while libmicrohttpd refuses requests", arguments: 0..<12)
    func stop(round: Int) async throws {
        let refused = [
            "GET /?\(String(repeating: "&", count: 8000)) HTTP/1.1", "GET / HTTP/0.9", "GET / HTTQ/1.1",
            "GET /\(String(repeating: "a", count: 60_000)) HTTP/1.1",
        ]
        var settings = ListenerSettings()
        settings.limits.connectionsPerPeer = 0
        let listener = try Listener(settings, logger: quietLogger) { _ in text("reached") }
        try listener.start()
        let clients = try (0..<200).map { _ in try RawClient(port: listener.port) }
        // The last bytes of all come at the moment of the stop.
        for client in clients { try await client.send("GE") }
        let ends = Task {
            for (number, client) in clients.enumerated() {
                let line = refused[number % refused.count].dropFirst(2)
                _ = client.sendWithoutWaiting(Array("\(line)\r\nHost: a\r\n\r\n".utf8))
            }
        }
        if round % 2 == 0 { await Task.yield() }
        await listener.stop(grace: .zero)
        await ends.value
        for client in clients { _ = try await client.receiveAll() }
    }
}
