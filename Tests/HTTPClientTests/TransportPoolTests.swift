import Basics
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("Requests of one purpose", .timeLimit(.minutes(1)))
struct TransportPoolTests {
    /// Answers at `/held` when the latch opens, and elsewhere at once.
    private func peer(_ latch: Latch, _ arrived: Gate) throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            while let request = connection.readRequest() {
                if request.lines.first?.contains("/held") == true {
                    arrived.open()
                    latch.pass()
                }
                connection.write(answer("200 OK", [], "\(connection.number)"))
            }
        }
    }

    @Test(
        "that take all places and fill the queue keep none of another waiting",
        arguments: [RequestPurpose.introspection, .route])
    func floods(_ purpose: RequestPurpose) async throws {
        let latch = Latch()
        let arrived = Gate()
        let peer = try peer(latch, arrived)
        defer { peer.stop() }
        try await Calls.run({
            $0.connections = 1
            $0.waitingRequests = 0
        }) { calls async throws in
            async let held = calls.send(.get, peer.origin + "/held", purpose: purpose)
            await arrived.pass()
            await #expect(throws: TransportError.notReached(.refusedLocally)) {
                try await calls.send(.get, peer.origin, purpose: purpose)
            }
            #expect(try await calls.send(.get, peer.origin).status == 200)
            latch.open()
            _ = try await held
        }
    }

    @Test("to an API keep no call to another API waiting, and none to the same without credentials")
    func routes() async throws {
        let latch = Latch()
        let arrived = Gate()
        let slow = try peer(latch, arrived)
        let other = try peer(latch, arrived)
        defer {
            slow.stop()
            other.stop()
        }
        try await Calls.run({
            $0.connections = 1
            $0.waitingRequests = 0
        }) { calls async throws in
            async let held = calls.send(.get, slow.origin + "/held", purpose: .route)
            await arrived.pass()
            await #expect(throws: TransportError.notReached(.refusedLocally)) {
                try await calls.send(.get, slow.origin, purpose: .route)
            }
            #expect(try await calls.send(.get, other.origin, purpose: .route).status == 200)
            #expect(try await calls.send(.get, slow.origin, isAnonymous: true, purpose: .route).status == 200)
            latch.open()
            _ = try await held
        }
    }

    @Test("have so many connections at most, and the one that was idle longest makes room for another")
    func openConnections() async throws {
        let (events, isClosed) = (Locked<[String]>([]), Latch())
        func peer(_ name: String, _ wait: @escaping @Sendable () -> Void = {}) throws -> ScriptedPeer {
            try ScriptedPeer { connection in
                guard connection.readRequest() != nil else { return }
                wait()
                events.withLock { $0.append("\(name) answers") }
                connection.write(answer())
                connection.waitForClose()
                events.withLock { $0.append("\(name) is closed") }
                isClosed.open()
            }
        }
        // The third answers once another was closed.
        let peers = [try peer("first"), try peer("second"), try peer("third") { isClosed.pass() }]
        defer { for peer in peers { peer.stop() } }
        try await Calls.run({
            $0.connections = 2
            // Not closed for their age.
            $0.idleTime = .seconds(3600)
        }) { calls async throws in
            for peer in peers { #expect(try await calls.send(.get, peer.origin).status == 200) }
            let seen = events.withLock { $0 }
            #expect(seen == ["first answers", "second answers", "first is closed", "third answers"])
        }
    }

    @Test("are refused after the end")
    func end() async throws {
        let peer = try peer(Latch(), Gate())
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            await calls.transport.shutdown()
            await #expect(throws: TransportError.notReached(.refusedLocally)) {
                try await calls.send(.get, peer.origin, purpose: .introspection)
            }
        }
    }
}
