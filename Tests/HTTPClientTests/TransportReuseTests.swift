import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("A kept connection")
struct TransportReuseTests {
    @Test func `carries one request after the other`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<20 { _ = try await calls.send(.post, peer.origin, [:], "x") }
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `carries nothing of one request into the next`() async throws {
        let peer = try ScriptedPeer { connection in
            while let request = connection.readRequest() {
                let isHead = request.lines.first?.hasPrefix("HEAD") ?? false
                connection.write(
                    isHead ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" : answer("200 OK", [], "hello"))
            }
        }
        defer { peer.stop() }
        let kinds: [(method: HTTPMethod, fields: HTTPFields, body: String)] = [
            (.get, [:], ""), (.post, [.contentType: "text/plain"], "a body"), (.head, [:], ""),
            (.put, [.userAgent: "mine"], "x"), (.delete, [.authorization: "Bearer t"], ""), (.post, [:], ""),
        ]
        // Each after each, itself included.
        let order = kinds.indices.flatMap { first in kinds.indices.flatMap { [first, $0] } }
        try await Calls.run { calls async throws in
            for index in order {
                let (method, fields, body) = kinds[index]
                let response = try await calls.send(method, peer.origin + "/\(index)", fields, body)
                #expect(response.text == (method == .head ? "" : "hello"))
            }
        }
        #expect(peer.connectionCount == 1)
        #expect(peer.requests.count == order.count)
        for (index, request) in zip(order, peer.requests) {
            let (method, fields, body) = kinds[index]
            #expect(request.lines.first == "\(method.rawValue) /\(index) HTTP/1.1")
            #expect(request.body == Array(body.utf8))
            #expect(request.values("user-agent") == [fields[.userAgent] ?? "Cloakroom"])
            #expect(request.values("content-type") == (fields[.contentType].map { [$0] } ?? []))
            #expect(request.values("authorization") == (fields[.authorization].map { [$0] } ?? []))
            #expect(request.values("content-length").isEmpty == (body.isEmpty && method != .post))
        }
    }

    @Test func `survives an answer whose first field line begins with a blank, after any other`() async throws {
        let peer = try ScriptedPeer { connection in
            while let request = connection.readRequest() {
                let isFolded = request.lines.first?.contains("/folded") ?? false
                let folded = "HTTP/1.1 200 OK\r\n A: b\r\nContent-Length: 0\r\n\r\n"
                connection.write(isFolded ? folded : answer("200 OK", ["X-Long: " + String(repeating: "x", count: 99)]))
            }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<20 {
                _ = try await calls.send(.get, peer.origin)
                await #expect(throws: TransportError.noUsableAnswer(.malformed)) {
                    try await calls.send(.get, peer.origin + "/folded")
                }
            }
        }
        #expect(peer.requests.count == 40)
    }

    @Test func `is not used again after Connection: close`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", ["Connection: close"]))
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<2 { _ = try await calls.send(.get, peer.origin) }
        }
        #expect(peer.connectionCount == 2)
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `that closed meanwhile is replaced without harm`(_ method: HTTPMethod) async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer())
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for number in 1...3 {
                _ = try await calls.send(method, peer.origin)
                await peer.waitForEnds(number)
            }
        }
        #expect(peer.requests.count == 3)
    }

    /// The peer takes the second request and closes without a word: it may have acted on it.
    private func closingPeer() throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", [], "\(connection.number)"))
            if connection.number == 1 { _ = connection.readRequest() } else { connection.waitForClose() }
        }
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete], ["", "body"])
    func `that closes after the request never carries an unsafe one twice`(
        _ method: HTTPMethod, _ body: String
    ) async throws {
        let peer = try closingPeer()
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            _ = try await calls.send(.get, peer.origin)
            #expect(try await calls.failure(method, peer.origin, [:], body) == .noUsableAnswer(.closed))
        }
        #expect(peer.requests.count == 2)
    }

    @Test func `that closes after the request lets a safe one be sent again`() async throws {
        let peer = try closingPeer()
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            _ = try await calls.send(.get, peer.origin)
            #expect(try await calls.send(.get, peer.origin).text == "2")
        }
        #expect(peer.requests.count == 3)
    }

    @Test(arguments: [(HTTPMethod.post, "H"), (.get, "HTTP/1.1 200 OK\r\n")])
    func `that closes inside the answer makes no request go twice`(
        _ method: HTTPMethod, _ part: String
    ) async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer())
            _ = connection.readRequest()
            connection.write(part)
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            _ = try await calls.send(.get, peer.origin)
            #expect(try await calls.failure(method, peer.origin) == .noUsableAnswer(.closed))
        }
        #expect(peer.requests.count == 2)
    }

    @Test func `on which an answer came unasked is not used again`() async throws {
        let latch = Latch()
        let poisoned = Gate()
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", [], "first"))
            if connection.number == 1 {
                latch.pass()
                connection.write(answer("200 OK", [], "poison"))
                poisoned.open()
                // Read on, so that a client that used this connection would be answered with the poison.
                _ = connection.readRequest()
            }
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).text == "first")
            latch.open()
            await poisoned.pass()
            #expect(try await calls.send(.post, peer.origin, [:], "x").text == "first")
        }
        #expect(peer.connectionCount == 2)
        #expect(peer.requests.count == 2)
    }

    @Test func `is closed at once when bytes come while it is idle`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer())
            latch.pass()
            connection.write("H")
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run({ $0.idleTime = .seconds(3600) }) { calls async throws in
            _ = try await calls.send(.get, peer.origin)
            latch.open()
            await peer.waitForEnds(1)
        }
    }

    @Test func `is not kept when more came than the answer`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", [], "first") + answer("200 OK", [], "poison"))
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).text == "first")
            #expect(try await calls.send(.get, peer.origin).text == "first")
        }
        #expect(peer.connectionCount == 2)
    }

    /// Whoever calls without credentials may leave something behind that is taken for the answer to the next request.
    @Test func `carries calls with credentials or anonymous ones, never both`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer("200 OK", [], "\(connection.number)")) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<3 {
                #expect(try await calls.send(.get, peer.origin, isAnonymous: true).text == "1")
                #expect(try await calls.send(.get, peer.origin, [.authorization: "Bearer t"]).text == "2")
                #expect(try await calls.send(.get, peer.origin).text == "2")
            }
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `is not shared between hosts`() async throws {
        let one = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer("200 OK", [], "one")) }
        }
        let two = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer("200 OK", [], "two")) }
        }
        defer {
            one.stop()
            two.stop()
        }
        try await Calls.run { calls async throws in
            for _ in 0..<3 {
                #expect(try await calls.send(.get, one.origin).text == "one")
                #expect(try await calls.send(.get, two.origin).text == "two")
            }
        }
        #expect(one.connectionCount == 1)
        #expect(two.connectionCount == 1)
    }
}
