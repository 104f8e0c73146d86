import EventLoop
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("A cancelled exchange")
struct CancellationTests {
    /// How far the peer goes before the task is cancelled.
    enum Phase: CaseIterable {
        case handshake
        case sent
        case head
        case body
    }

    @Test(arguments: Phase.allCases)
    func `ends at once and closes its connection`(_ phase: Phase) async throws {
        let reached = Gate()
        let peer = try ScriptedPeer { connection in
            if phase == .handshake { _ = connection.read(1) } else { _ = connection.readRequest() }
            if phase == .head { connection.write("HTTP/1.1 200 OK\r\nX: 1\r\n") }
            if phase == .body { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }
            reached.open()
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let scheme = phase == .handshake ? "https" : "http"
            let task = Task { try await calls.send(.post, "\(scheme)://127.0.0.1:\(peer.port)", [:], "x") }
            await reached.pass()
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
            await peer.waitForEnds(1)
        }
    }

    @Test func `that was cancelled before it began sends nothing`() async throws {
        let peer = try ScriptedPeer { connection in _ = connection.readRequest() }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let gate = Gate()
            let task = Task {
                await gate.pass()
                return try await calls.send(.get, peer.origin)
            }
            task.cancel()
            gate.open()
            await #expect(throws: TransportError.cancelled) { try await task.value }
        }
        #expect(peer.connectionCount == 0)
    }

    @Test func `whose name is being looked up ends at once, and leaves its place to the next`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run({ $0.connections = 1 }) { calls async throws in
            let executor = calls.thread.executor
            // All on the event thread: no event, such as the end of the look-up, comes between sending and cancelling.
            let outer = Task(executorPreference: executor) {
                let first = Task(executorPreference: executor) {
                    try await calls.send(.get, "http://no-such-host.invalid")
                }
                await Task.yield()
                first.cancel()
                await #expect(throws: TransportError.cancelled) { try await first.value }
                return try await calls.send(.get, peer.origin).status
            }
            #expect(try await outer.value == 200)
        }
    }

    @Test func `that waits for a connection leaves the queue to the others`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer.answering(after: latch)
        defer { peer.stop() }
        try await Calls.run({
            $0.connectionsPerHost = 1
            $0.waitingRequests = 1
        }) { calls async throws in
            async let first = calls.send(.get, peer.origin + "/first")
            await peer.waitForRequests(1)
            for _ in 0..<20 {
                let task = Task { try await calls.send(.get, peer.origin + "/cancelled") }
                task.cancel()
                await #expect(throws: TransportError.cancelled) { try await task.value }
            }
            async let last = calls.send(.get, peer.origin + "/last")
            latch.open()
            #expect(try await first.status == 200)
            #expect(try await last.status == 200)
        }
        #expect(peer.requests.map { $0.lines.first } == ["GET /first HTTP/1.1", "GET /last HTTP/1.1"])
    }

    @Test func `among many leaves the others alone`() async throws {
        let peer = try ScriptedPeer { connection in
            while let request = connection.readRequest() {
                if request.lines.first?.contains("hang") == true { return connection.waitForClose() }
                connection.write(answer())
            }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let hanging = (0..<20).map { _ in Task { try await calls.send(.get, peer.origin + "/hang") } }
            let others = (0..<20).map { _ in Task { try await calls.send(.get, peer.origin + "/go") } }
            for task in others { #expect(try await task.value.status == 200) }
            for task in hanging { task.cancel() }
            for task in hanging { await #expect(throws: TransportError.cancelled) { try await task.value } }
        }
    }

    @Test func `and one that is answered race without harm`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<200 {
                let task = Task { try await calls.send(.get, peer.origin) }
                await Task.yield()
                task.cancel()
                let result = await task.result
                switch result {
                case .success(let reply): #expect(reply.status == 200)
                case .failure(let error): #expect(error as? TransportError == .cancelled)
                }
            }
            #expect(try await calls.send(.get, peer.origin).status == 200)
        }
    }
}

@Suite("Shutting down")
struct ShutdownTests {
    private func hangingPeer() throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
    }

    @Test func `ends what is under way and what waits, and refuses what comes`() async throws {
        let peer = try hangingPeer()
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            let sent = Task { try await calls.send(.get, peer.origin) }
            await peer.waitForRequests(1)
            let waiting = Task { try await calls.send(.get, peer.origin) }
            await calls.transport.shutdown()
            await #expect(throws: TransportError.noUsableAnswer(.refusedLocally)) { try await sent.value }
            await #expect(throws: TransportError.notReached(.refusedLocally)) { try await waiting.value }
            #expect(try await calls.failure(.get, peer.origin) == .notReached(.refusedLocally))
            await peer.waitForEnds(1)
            await calls.transport.shutdown()
        }
        #expect(peer.requests.count == 1)
    }

    @Test func `the thread first ends every exchange too`() async throws {
        let peer = try hangingPeer()
        defer { peer.stop() }
        let thread = try EventThread()
        let transport = try CurlTransport(thread: thread, logger: quietLogger)
        let calls = Calls(thread: thread, transport: transport)
        let sent = Task { try await calls.send(.get, peer.origin) }
        await peer.waitForRequests(1)
        await thread.stop()
        await #expect(throws: TransportError.noUsableAnswer(.refusedLocally)) { try await sent.value }
        #expect(try await calls.failure(.get, peer.origin) == .notReached(.refusedLocally))
        await transport.shutdown()
    }

    @Test func `by letting go closes kept connections`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        let thread = try EventThread()
        do {
            let transport = try CurlTransport(thread: thread, logger: quietLogger)
            _ = try await Calls(thread: thread, transport: transport).send(.get, peer.origin)
        }
        await peer.waitForEnds(1)
        await thread.stop()
    }
}
