import Basics
import EventLoop
import HTTPServer
import Logs
import TestSupport
import Testing

/// Two things that happen to a connection in one turn of its event thread, in each order.
///
/// A job that holds the thread makes both due before the thread looks at either.
@Suite("While its event thread is held, a listener", .timeLimit(.minutes(5)))
struct LoopRaceTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Serves on event threads, which it stops.
    private func withLoops(
        _ count: Int = 1, _ adjust: (inout ListenerSettings) -> Void = { _ in }, handler: @escaping RequestHandler,
        _ body: (Listener, [EventThread]) async throws -> Void
    ) async throws {
        var settings = ListenerSettings()
        settings.limits.connectionsPerPeer = 0
        adjust(&settings)
        let loops = try (0..<count).map { try EventThread(name: "loop-\($0)") }
        let listener = try Listener(settings, loops: loops, logger: quietLogger, handler: handler)
        try listener.start()
        do {
            try await body(listener, loops)
        } catch {
            await listener.stop(grace: .zero)
            throw error
        }
        await listener.stop(grace: .zero)
        for loop in loops { await loop.stop() }
    }

    /// Holds the thread until the result is released; returns once the thread is held.
    private func hold(_ loop: EventThread, then last: @escaping @Sendable () -> Void = {}) async -> Hold {
        let hold = Hold()
        let began = Gate()
        loop.post { _ in
            began.open()
            hold.wait()
            last()
        }
        await began.pass()
        return hold
    }

    @Test("answers once when the answer and the end of the request's time come together,", arguments: [true, false])
    func deadline(isAnswerFirst: Bool) async throws {
        try await withLoops(1) {
            $0.limits.requestTime = .milliseconds(1)
        } handler: { request in
            guard request.path == "/slow" else { return text("quick") }
            if isAnswerFirst {
                // A sweep has seen the request; the next one is due when this part ends, and finds the answer.
                try? await Task.sleep(for: .milliseconds(101))
                let until = ContinuousClock.now + .milliseconds(110)
                while ContinuousClock.now < until {}
            } else {
                // The sweep that answers in the handler's place wakes the handler in its turn.
                let gate = Gate()
                await withTaskCancellationHandler {
                    await gate.pass()
                } onCancel: {
                    gate.open()
                }
            }
            return text("late")
        } _: { server, _ in
            for _ in 0..<3 {
                let client = try RawClient(port: server.port)
                try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try await client.response()
                #expect(isAnswerFirst ? answer.status == 200 || answer.status == 504 : answer.status == 504)
                // There is no second answer in front of this one.
                try await client.send(Self.request)
                #expect(try await client.response().text == "quick")
            }
        }
    }

    @Test("survives a client that goes when the answer is ready,", arguments: DisconnectTests.Departure.allCases)
    func departure(way: DisconnectTests.Departure) async throws {
        let gate = Locked(Gate())
        try await withLoops { request in
            if request.path == "/slow" { await gate.withLock { $0 }.pass() }
            return text("hello")
        } _: { server, loops in
            for _ in 0..<20 {
                let mine = Gate()
                gate.withLock { $0 = mine }
                let client = try RawClient(port: server.port)
                try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                await mine.waitUntilHeld()
                // The job is first in its turn, then the handler's task, then the client's end.
                let hold = await hold(loops[0]) { mine.open() }
                way.leave(client)
                hold.release()
                _ = try await client.receiveAll()
                let other = try RawClient(port: server.port)
                try await other.send(Self.request)
                #expect(try await other.response().text == "hello")
            }
        }
    }

    @Test func `answers or hangs up a connection that is to make room when its request comes`() async throws {
        try await withLoops(1) {
            $0.limits.connections = 1
        } handler: { _ in
            text("hello")
        } _: { server, loops in
            for _ in 0..<20 {
                let idle = try RawClient(port: server.port)
                try await idle.send(Self.request)
                // The connection of the round before makes room, at the latest when it is seen to be closed.
                guard (try? await idle.response().status) == 200 else { continue }
                let hold = await hold(loops[0])
                try await idle.send(Self.request)
                let other = try RawClient(port: server.port)
                hold.release()
                try? await other.send(Self.request)
                let first = try? await idle.response()
                let second = try? await other.response()
                // One of them is served: either the first is busy, or it has made room.
                #expect(first?.status == 200 || second?.status == 200)
                if let second { #expect(second.status == 200 || second.status == 503) }
                idle.close()
                other.close()
            }
        }
    }

    @Test func `makes room on the other threads`() async throws {
        try await withLoops(2) {
            $0.limits.connections = 2
        } handler: { _ in
            text("hello")
        } _: { server, loops in
            var clients: [RawClient] = []
            for _ in 0..<2 {
                let client = try RawClient(port: server.port)
                try await client.send(Self.request)
                #expect(try await client.response().status == 200)
                clients.append(client)
            }
            // The second connection is the first thread's.
            let hold = await hold(loops[1])
            let third = try RawClient(port: server.port)
            #expect(try await clients[1].isClosed())
            hold.release()
            try await third.send(Self.request)
            #expect(try await third.response().status == 200)
            try await clients[0].send(Self.request)
            #expect(try await clients[0].response().status == 200)
        }
    }

    @Test func `serves the connections of its other threads`() async throws {
        try await withLoops(2) { _ in
            text("hello")
        } _: { server, loops in
            let hold = await hold(loops[1])
            let clients = try (0..<6).map { _ in try RawClient(port: server.port) }
            for client in clients { try await client.send(Self.request) }
            // The acceptor deals them out in turn, to the held thread first.
            for client in [clients[1], clients[3], clients[5]] { #expect(try await client.response().status == 200) }
            hold.release()
            for client in [clients[0], clients[2], clients[4]] { #expect(try await client.response().status == 200) }
        }
    }

    @Test func `stops, and answers what it held`() async throws {
        let gate = Gate()
        try await withLoops { _ in
            await gate.pass()
            return text("hello")
        } _: { server, loops in
            let client = try RawClient(port: server.port)
            try await client.send(Self.request)
            await gate.waitUntilHeld()
            let hold = await hold(loops[0])
            async let stopped: Void = server.stop(grace: .seconds(1000))
            gate.open()
            hold.release()
            await stopped
            #expect(try await client.response().text == "hello")
        }
    }

    @Test func `reads bodies and writes streams for tasks of any thread`() async throws {
        let places = Locked([Bool]())
        try await withServer { request in
            let body = await Task.detached {
                let body = try? await request.body.collect(upTo: 1 << 20)
                places.withLock { $0.append(Loop.current == nil) }
                return body ?? []
            }.value
            return ServerResponse(
                status: 200,
                body: .stream(length: body.count) { writer in
                    try await Task.detached {
                        for start in stride(from: 0, to: body.count, by: 50_000) {
                            try await writer.write(Array(body[start..<min(start + 50_000, body.count)]))
                        }
                        places.withLock { $0.append(Loop.current == nil) }
                    }.value
                })
        } _: { server in
            let client = try RawClient(port: server.port)
            let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
            try await client.send(body)
            #expect(try await client.response().body == body)
            // A task of another thread is back there after each call.
            #expect(places.withLock { $0 } == [true, true])
        }
    }

    @Test func `wakes a reader of another thread that is cancelled`() async throws {
        let faults = Mailbox<BodyError?>()
        try await withServer { request in
            let reading = Task.detached {
                do throws(BodyError) {
                    _ = try await request.body.collect(upTo: 100)
                    faults.put(nil)
                } catch { faults.put(error) }
            }
            await Task.yield()
            reading.cancel()
            await reading.value
            return text("hello")
        } _: { server in
            for _ in 0..<20 {
                let client = try RawClient(port: server.port)
                try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1")
                #expect(await faults.next() == .cancelled)
                try await client.send("2")
                #expect(try await client.response().text == "hello")
            }
        }
    }
}

/// Holds a thread until it is released.
private final class Hold: Sendable {
    private let isReleased = Monitor(false)

    func wait() { _ = isReleased.wait(atMost: .seconds(60)) { $0 ? true : nil } }
    func release() { isReleased.change { $0 = true } }
}
