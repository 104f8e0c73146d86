import Basics
import HTTPServer
import TestSupport
import Testing

@Suite("Stopping a listener")
struct ListenerStopTests {
    private func start(
        _ adjust: (inout ListenerSettings) -> Void = { _ in }, handler: @escaping RequestHandler
    ) throws -> Listener {
        var settings = ListenerSettings()
        adjust(&settings)
        let listener = try Listener(settings, logger: quietLogger, handler: handler)
        try listener.start()
        return listener
    }

    @Test func `waits for requests under way and refuses new ones`() async throws {
        let gate = Gate()
        let began = Mailbox<Void>()
        let listener = try start { request in
            guard request.path == "/slow" else { return text("quick") }
            began.put(())
            await gate.pass()
            return text("done")
        }
        let kept = try RawClient(port: listener.port)
        try await kept.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await kept.response().text == "quick")
        let slow = try RawClient(port: listener.port)
        try await slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        await began.next()

        async let stopped: Void = listener.stop(grace: .seconds(1000))
        // The stop has begun once nobody can connect any more.
        while (try? RawClient(port: listener.port)) != nil { try await Task.sleep(for: .milliseconds(1)) }
        try await kept.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let refusal = try await kept.response()
        #expect(refusal.status == 503)
        #expect(refusal.text.contains("draining"))
        #expect(refusal.closes)
        #expect(try await kept.isClosed())
        gate.open()
        let answer = try await slow.response()
        #expect(answer.text == "done")
        #expect(answer.closes)
        await stopped
        #expect(try await slow.isClosed())
    }

    @Test func `comes to its end and has told the log while connections come without a pause`() async throws {
        let log = RecordedLog()
        var settings = ListenerSettings()
        settings.limits.connectionsPerPeer = 1
        let listener = try Listener(settings, logger: log.logger()) { _ in text("hello") }
        try listener.start()
        let port = listener.port
        let isOver = Locked(false)
        // Refused connections are cheap for the listener, so many threads keep its queue from being empty.
        let threads = try (0..<24).map { number in
            try NativeThread("flood-\(number)") {
                while !isOver.withLock({ $0 }) { _ = try? RawClient(port: port) }
            }
        }
        defer {
            isOver.withLock { $0 = true }
            for thread in threads { thread.join() }
        }
        while !log.lines.contains(where: { $0.contains("too many connections") }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        await listener.stop(grace: .zero)
    }

    @Test func `closes the connection of an answer that began before it`() async throws {
        let (first, last) = (Gate(), Gate())
        let began = Mailbox<Void>()
        let listener = try start { request in
            guard request.path == "/stream" else {
                began.put(())
                await last.pass()
                return text("done")
            }
            return ServerResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    try await writer.write([1])
                    began.put(())
                    await first.pass()
                })
        }
        let (stream, slow) = (try RawClient(port: listener.port), try RawClient(port: listener.port))
        for (client, path) in [(stream, "/stream"), (slow, "/slow")] {
            try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            await began.next()
        }
        async let stopped: Void = listener.stop(grace: .seconds(1000))
        while (try? RawClient(port: listener.port)) != nil { try await Task.sleep(for: .milliseconds(1)) }
        first.open()
        // To its end, not to that of the stop: the other request still runs.
        let bytes = try await stream.receiveAll()
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("0\r\n\r\n"))
        last.open()
        #expect(try await slow.response().text == "done")
        await stopped
    }

    @Test func `cancels what is left after the grace`() async throws {
        let began = Mailbox<Void>()
        let ended = Mailbox<Bool>()
        let listener = try start { _ in
            began.put(())
            try? await Task.sleep(for: .seconds(1000))
            ended.put(Task.isCancelled)
            return text("cancelled")
        }
        let client = try RawClient(port: listener.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await began.next()
        await listener.stop(grace: .milliseconds(50))
        #expect(await ended.next() == true)
        // Not what a new request gets: this one may have acted.
        let answer = try await client.response()
        #expect(answer.status == 504 && answer.text.contains("deadline"))
    }

    @Test func `leaves behind a handler that does not heed its cancellation`() async throws {
        let gate = Gate()
        let began = Mailbox<Void>()
        let listener = try start { _ in
            began.put(())
            await gate.pass()
            return text("much too late")
        }
        let client = try RawClient(port: listener.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await began.next()
        await listener.stop(grace: .zero)
        #expect(try await client.response().status == 504)
        #expect(try await client.isClosed())
        gate.open()
    }

    @Test func `ends streams, uploads and idle connections`() async throws {
        let began = Mailbox<Void>()
        let listener = try start { request in
            switch request.path {
            case "/stream":
                return ServerResponse(
                    status: 200,
                    body: .stream(length: nil) { writer in
                        try await writer.write([1])
                        began.put(())
                        try await Task.sleep(for: .seconds(1000))
                    })
            case "/flood":
                return ServerResponse(
                    status: 200,
                    body: .stream(length: nil) { writer in
                        began.put(())
                        while true { try await writer.write([UInt8](repeating: 1, count: 60_000)) }
                    })
            case "/upload":
                began.put(())
                _ = try? await request.body.collect(upTo: 1 << 20)
            default:
                began.put(())
            }
            return text("done")
        }
        var clients: [RawClient] = []
        for path in ["/stream", "/flood", "/upload", "/"] {
            let client = try RawClient(port: listener.port)
            let length = path == "/upload" ? 500_000 : 0
            try await client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
            if length > 0 { try await client.send("some") }
            await began.next()
            clients.append(client)
        }
        clients.append(try RawClient(port: listener.port))
        await listener.stop(grace: .zero)
        for client in clients { _ = try await client.receiveAll() }
    }

    @Test(arguments: 0..<10)
    func `under load aborts nothing`(round: Int) async throws {
        let gate = Gate()
        let began = Gate()
        let listener = try start({ $0.limits.body = 1 << 30 }) { request in
            began.open()
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
            case "/yield": for _ in 0..<10 { await Task.yield() }
            default: break
            }
            return text("done")
        }
        let paths = ["/wait", "/sleep", "/read", "/stream", "/yield", "/"]
        var clients: [RawClient] = []
        for number in 0..<120 {
            let client = try RawClient(port: listener.port)
            let path = paths[number % paths.count]
            let length = path == "/read" ? 10_000_000 : 0
            try await client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
            if length > 0 { try await client.send([UInt8](repeating: 1, count: 100_000)) }
            clients.append(client)
        }
        await began.pass()
        // Meanwhile others keep coming and going.
        let traffic = Task { [port = listener.port] in
            while !Task.isCancelled {
                guard let client = try? RawClient(port: port) else { return }
                try? await client.send("GET /yield HTTP/1.1\r\nHost: a\r\n\r\n")
                if round % 2 == 0 { _ = try? await client.response() }
            }
        }
        if round % 3 == 0 { gate.open() }
        await listener.stop(grace: .milliseconds(round * 10))
        traffic.cancel()
        gate.open()
        for client in clients { _ = try await client.receiveAll() }
        await traffic.value
    }

    @Test func `twice at once ends both`() async throws {
        let listener = try start { _ in text("hello") }
        async let first: Void = listener.stop(grace: .zero)
        async let second: Void = listener.stop(grace: .zero)
        _ = await (first, second)
        await listener.stop(grace: .zero)
    }

    @Test func `before its start forbids the start`() async throws {
        let listener = try Listener(ListenerSettings(), logger: quietLogger) { _ in text("hello") }
        await listener.stop(grace: .zero)
        #expect(throws: ListenerError.start) { try listener.start() }
    }

    @Test func `frees the port`() async throws {
        var second: Listener?
        var port: UInt16 = 0
        // Somebody else on this machine may be given the port in between.
        for _ in 0..<20 where second == nil {
            let first = try start { _ in text("first") }
            port = first.port
            await first.stop(grace: .zero)
            second = try? start({ [port] in $0.port = port }) { _ in text("second") }
        }
        let listener = try #require(second)
        let client = try RawClient(port: port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.response().text == "second")
        await listener.stop(grace: .zero)
    }

    @Test func `happens by itself when nobody holds it any more`() async throws {
        var listener: Listener? = try start { _ in text("hello") }
        let port = try #require(listener?.port)
        let client = try RawClient(port: port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.response().status == 200)
        listener = nil
        #expect(try await client.isClosed())
    }
}
