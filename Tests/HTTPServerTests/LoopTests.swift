import Basics
import EventLoop
import HTTPServer
import TestSupport
import Testing

@Suite("On event threads, a listener")
struct LoopTests {
    private func start(
        on loops: [EventThread]?, _ adjust: (inout ListenerSettings) -> Void = { _ in },
        handler: @escaping RequestHandler
    ) throws -> Listener {
        var settings = ListenerSettings()
        adjust(&settings)
        let listener = try Listener(settings, loops: loops, logger: quietLogger, handler: handler)
        try listener.start()
        return listener
    }

    private func get(_ path: String, from listener: Listener) async throws -> String {
        let client = try RawClient(port: listener.port)
        try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        return try await client.response().text
    }

    @Test func `runs each handler on one of them from beginning to end`() async throws {
        let loops = [try EventThread(name: "one"), try EventThread(name: "two")]
        let listener = try start(on: loops) { request in
            guard let mine = loops.firstIndex(where: \.isCurrent) else { return text("elsewhere") }
            let body = try? await request.body.collect(upTo: 100)
            await Task.yield()
            await withTaskGroup(of: Void.self) { group in group.addTask { await Task.yield() } }
            try? await Task.sleep(for: .milliseconds(1))
            return text(loops[mine].isCurrent ? "\(mine) \(body?.count ?? -1)" : "left")
        }
        var seen: Set<String> = []
        for _ in 0..<6 {
            let client = try RawClient(port: listener.port)
            for _ in 0..<3 {
                try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
                try await client.send("lo")
                seen.insert(try await client.response().text)
            }
        }
        // The acceptor deals connections out in turn.
        #expect(seen == ["0 5", "1 5"])
        await listener.stop(grace: .zero)
        for loop in loops { await loop.stop() }
    }

    @Test func `runs the writer of a stream there as well`() async throws {
        let loop = try EventThread()
        let places = Locked([Bool]())
        let listener = try start(on: [loop]) { _ in
            ServerResponse(
                status: 200,
                body: .stream(length: 300_000) { writer in
                    for _ in 0..<30 {
                        try await writer.write([UInt8](repeating: 1, count: 10_000))
                        places.withLock { $0.append(loop.isCurrent) }
                    }
                })
        }
        #expect(try await get("/", from: listener).utf8.count == 300_000)
        await listener.stop(grace: .seconds(10))
        #expect(places.withLock { $0 } == Array(repeating: true, count: 30))
        await loop.stop()
    }

    @Test func `shares them with another, which goes on serving when one stops`() async throws {
        let loops = [try EventThread(name: "one"), try EventThread(name: "two")]
        let first = try start(on: loops) { _ in text("first") }
        let second = try start(on: loops) { _ in text("second") }
        for _ in 0..<3 {
            #expect(try await get("/", from: first) == "first")
            #expect(try await get("/", from: second) == "second")
        }
        await first.stop(grace: .zero)
        #expect(throws: (any Error).self) { try RawClient(port: first.port) }
        for _ in 0..<3 { #expect(try await get("/", from: second) == "second") }
        await second.stop(grace: .zero)
        for loop in loops { await loop.stop() }
    }

    @Test func `asks itself from one of its own handlers`() async throws {
        let loop = try EventThread()
        let port = Locked<UInt16>(0)
        let listener = try start(on: [loop]) { request in
            guard request.path == "/outer" else { return text("inner") }
            // One loop serves both, and must not wait for itself.
            guard let client = try? RawClient(port: port.withLock { $0 }) else { return text("none") }
            try? await client.send("GET /inner HTTP/1.1\r\nHost: a\r\n\r\n")
            return text((try? await client.response().text) ?? "none")
        }
        port.withLock { $0 = listener.port }
        #expect(try await get("/outer", from: listener) == "inner")
        await listener.stop(grace: .zero)
        await loop.stop()
    }

    @Test(arguments: 0..<10)
    func `ends with them, whatever its connections do`(round: Int) async throws {
        let loops = [try EventThread(name: "one"), try EventThread(name: "two")]
        let gate = Gate()
        let began = Mailbox<Void>()
        let listener = try start(on: loops) { request in
            began.put(())
            switch request.path {
            case "/wait": await gate.pass()
            case "/sleep": try? await Task.sleep(for: .seconds(1000))
            case "/read": _ = try? await request.body.collect(upTo: .max)
            case "/stream":
                return ServerResponse(
                    status: 200,
                    body: .stream(length: nil) { writer in
                        while true { try await writer.write([UInt8](repeating: 1, count: 10_000)) }
                    })
            default: break
            }
            return text("done")
        }
        var clients = [try RawClient(port: listener.port)]
        for path in ["/wait", "/sleep", "/read", "/stream", "/", "/wait", "/sleep"] {
            let client = try RawClient(port: listener.port)
            try await client.send(
                "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(path == "/read" ? 10 : 0)\r\n\r\n")
            // A handler begins with the first bytes of the body.
            if path == "/read" { try await client.send("some") }
            await began.next()
            clients.append(client)
        }
        if round % 2 == 0 { gate.open() }
        for loop in loops { await loop.stop() }
        gate.open()
        for client in clients { _ = try await client.receiveAll() }
        // Connections that are accepted now are closed at once.
        if let late = try? RawClient(port: listener.port) { _ = try await late.receiveAll() }
        await listener.stop(grace: .zero)
    }

    @Test func `does not start on one that has stopped`() async throws {
        let loops = [try EventThread(name: "one"), try EventThread(name: "two")]
        await loops[1].stop()
        let listener = try Listener(ListenerSettings(), loops: loops, logger: quietLogger) { _ in text("hello") }
        #expect(throws: ListenerError.start) { try listener.start() }
        await loops[0].stop()
    }

    @Test func `refuses to have none`() {
        #expect(throws: ListenerError.setting("threads")) {
            try Listener(ListenerSettings(), loops: [], logger: quietLogger) { _ in text("hello") }
        }
    }

    @Test func `stops from a task of one of them`() async throws {
        let loop = try EventThread()
        let listener = try start(on: [loop]) { _ in text("hello") }
        #expect(try await get("/", from: listener) == "hello")
        await Task.detached(executorPreference: loop.executor) { await listener.stop(grace: .zero) }.value
        await loop.stop()
    }

    @Test func `starts on one of them`() async throws {
        let loop = try EventThread()
        let listener = try await Task.detached(executorPreference: loop.executor) {
            let listener = try Listener(ListenerSettings(), loops: [loop], logger: quietLogger) { _ in text("hello") }
            try listener.start()
            return listener
        }.value
        #expect(try await get("/", from: listener) == "hello")
        await listener.stop(grace: .zero)
        await loop.stop()
    }
}
