import Basics
import EventLoop
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("On several event threads", .timeLimit(.minutes(1)))
struct TransportThreadTests {
    /// Runs the body with a transport on two threads.
    private func run(
        _ change: (inout HTTPClientSettings) -> Void = { _ in },
        _ body: (_ threads: [EventThread], CurlTransport) async throws -> Void
    ) async throws {
        var settings = HTTPClientSettings()
        change(&settings)
        let threads = try (0..<2).map { try EventThread(name: "test-\($0)") }
        let transport = try CurlTransport(settings, threads: threads, logger: quietLogger)
        do {
            try await body(threads, transport)
        } catch {
            Issue.record(error)
        }
        await transport.shutdown()
        for thread in threads { await thread.stop() }
    }

    private func send(_ address: String, on transport: CurlTransport) async throws -> ClientResponse {
        let url = try #require(WebURL(address))
        return try await transport.send(ClientRequest(.post, url), deadline: .now + .seconds(60))
    }

    /// A call by a task that runs on the thread.
    private func call(_ address: String, _ transport: CurlTransport, _ thread: EventThread) -> Task<Bool, any Error> {
        Task(executorPreference: thread.executor) {
            let reply = try await send(address, on: transport)
            return reply.status == 200 && thread.isCurrent
        }
    }

    private func answering() throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
    }

    @Test(arguments: [RequestPurpose.provider, .route])
    func `each keeps its share of idle connections alone`(_ purpose: RequestPurpose) async throws {
        let latch = Latch()
        let peer = try ScriptedPeer.answering(after: latch)
        defer { peer.stop() }
        try await run({
            // One idle connection for each of two threads; to an API by the limit of a host.
            $0.connections = purpose == .route ? 4 : 2
            $0.connectionsPerHost = 2
            $0.idleTime = .seconds(3600)
        }) { threads, transport async throws in
            var request = ClientRequest(.post, try #require(WebURL(peer.origin)))
            request.purpose = purpose
            let asked = request
            let both = (0..<2).map { _ in
                Task(executorPreference: threads[0].executor) {
                    try await transport.send(asked, deadline: .now + .seconds(60)).status
                }
            }
            await peer.waitForRequests(2)
            latch.open()
            for task in both { #expect(try await task.value == 200) }
            await peer.waitForEnds(1)
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `a call stays on its thread and uses the connections kept there`() async throws {
        let peer = try answering()
        defer { peer.stop() }
        try await run { threads, transport async throws in
            for _ in 0..<3 { #expect(try await call(peer.origin, transport, threads[0]).value) }
            #expect(peer.connectionCount == 1)
            for _ in 0..<3 { #expect(try await call(peer.origin, transport, threads[1]).value) }
            #expect(peer.connectionCount == 2)
            // Others take turns.
            for _ in 0..<4 { #expect(try await send(peer.origin, on: transport).status == 200) }
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `the limits hold for all of them together`() async throws {
        let active = Locked((now: 0, most: 0))
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil {
                active.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                active.withLock { $0.now -= 1 }
                connection.write(answer())
            }
        }
        defer { peer.stop() }
        try await run({ $0.connectionsPerHost = 2 }) { threads, transport async throws in
            let calls = (0..<100).map { call(peer.origin, transport, threads[$0 % 2]) }
            for task in calls { #expect(try await task.value) }
        }
        #expect(peer.requests.count == 100)
        #expect(active.withLock { $0.most } <= 2)
    }

    @Test func `a limit of one for a host keeps none of them waiting for a connection that another has`() async throws {
        let peer = try answering()
        defer { peer.stop() }
        try await run({
            $0.connectionsPerHost = 1
            $0.connections = 1
        }) { threads, transport async throws in
            for number in 0..<10 { #expect(try await call(peer.origin, transport, threads[number % 2]).value) }
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `a place that is freed on one of them starts a call that waits on the other`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer.answering(after: latch)
        defer { peer.stop() }
        try await run({ $0.connections = 1 }) { threads, transport async throws in
            let first = call(peer.origin, transport, threads[0])
            await peer.waitForRequests(1)
            let second = call(peer.origin, transport, threads[1])
            latch.open()
            #expect(try await first.value)
            #expect(try await second.value)
        }
    }

    @Test func `one that stops ends its calls, and their places are the others'`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            if connection.number > 1 { connection.write(answer()) }
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await run({ $0.connections = 1 }) { threads, transport async throws in
            let hangs = Task(executorPreference: threads[0].executor) { try await send(peer.origin, on: transport) }
            await peer.waitForRequests(1)
            let waits = call(peer.origin, transport, threads[1])
            await threads[0].stop()
            await #expect(throws: TransportError.noUsableAnswer(.refusedLocally)) { try await hangs.value }
            #expect(try await waits.value)
        }
    }

    @Test func `calls that are cancelled while a place is handed over lose none`() async throws {
        let peer = try answering()
        defer { peer.stop() }
        try await run({ $0.connections = 1 }) { threads, transport async throws in
            for round in 0..<100 {
                let tasks = (0..<4).map { call(peer.origin, transport, threads[($0 + round) % 2]) }
                for task in tasks.dropFirst() { task.cancel() }
                for task in tasks { _ = await task.result }
            }
            // With a place lost, this one would wait until its deadline.
            #expect(try await send(peer.origin, on: transport).status == 200)
        }
    }

    @Test func `a call is refused after the shutdown, on every one`() async throws {
        let peer = try answering()
        defer { peer.stop() }
        try await run { threads, transport async throws in
            #expect(try await call(peer.origin, transport, threads[0]).value)
            await transport.shutdown()
            await peer.waitForEnds(1)
            for thread in threads {
                let task = call(peer.origin, transport, thread)
                await #expect(throws: TransportError.notReached(.refusedLocally)) { try await task.value }
            }
        }
        #expect(peer.requests.count == 1)
    }
}
