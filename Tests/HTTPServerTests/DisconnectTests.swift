import HTTPServer
import TestSupport
import Testing

@Suite("When the client goes away")
struct DisconnectTests {
    enum Departure: Sendable, CaseIterable {
        case close, reset, endSending

        func leave(_ client: RawClient) {
            switch self {
            case .close: client.close()
            case .reset: client.reset()
            case .endSending: client.endSending()
            }
        }
    }

    @Test("the waiting handler is cancelled:", arguments: Departure.allCases)
    func waiting(way: Departure) async throws {
        let began = Mailbox<Void>()
        let ended = Mailbox<Bool>()
        try await withServer { _ in
            began.put(())
            try? await Task.sleep(for: .seconds(1000))
            ended.put(Task.isCancelled)
            return text("for nobody")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await began.next()
            way.leave(client)
            #expect(await ended.next() == true)
            #expect(try await client.receiveAll().isEmpty)
        }
    }

    @Test func `the waiting handler is cancelled, though further requests lie unread`() async throws {
        let began = Mailbox<Void>()
        let ended = Mailbox<Bool>()
        try await withServer { _ in
            began.put(())
            try? await Task.sleep(for: .seconds(1000))
            ended.put(Task.isCancelled)
            return text("for nobody")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
            await began.next()
            try await client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
            client.close()
            #expect(await ended.next() == true)
        }
    }

    @Test("the reader of the body is told, and cancelled:", arguments: Departure.allCases)
    func reading(way: Departure) async throws {
        let began = Mailbox<Void>()
        let faults = Mailbox<BodyError?>()
        try await withServer { request in
            do throws(BodyError) {
                for try await _ in request.body { began.put(()) }
                faults.put(nil)
            } catch { faults.put(error) }
            return text("for nobody")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            await began.next()
            way.leave(client)
            #expect(await faults.next() == .disconnected)
        }
    }

    @Test("a body that nobody reads yet is told to its later reader:", arguments: Departure.allCases)
    func readingLater(way: Departure) async throws {
        let gate = Gate()
        let began = Mailbox<Void>()
        let faults = Mailbox<BodyError?>()
        try await withServer { request in
            began.put(())
            await gate.pass()
            do throws(BodyError) {
                for try await _ in request.body {}
                faults.put(nil)
            } catch { faults.put(error) }
            return text("for nobody")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
            // More than the listener keeps for the reader, and so little more that the kernel takes the rest: the end of the
            // connection stands in line behind it.
            try await client.send([UInt8](repeating: 1, count: 95_000))
            await began.next()
            way.leave(client)
            _ = try await client.receiveAll()
            gate.open()
            #expect(await faults.next() == .disconnected)
        }
    }

    @Test(
        "the writer of a stream is told, and cancelled:",
        arguments: [(Departure.close, true), (.close, false), (.reset, true), (.reset, false), (.endSending, true)])
    func writing(way: Departure, idles: Bool) async throws {
        let ended = Mailbox<Bool>()
        try await withServer { _ in
            ServerResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    try await writer.write(Array("hello".utf8))
                    do {
                        while true {
                            if idles {
                                try await Task.sleep(for: .seconds(1000))
                            } else {
                                try await writer.write([UInt8](repeating: 1, count: 10_000))
                            }
                        }
                    } catch {
                        ended.put(Task.isCancelled || error is WriteError)
                        throw error
                    }
                })
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var seen = ""
            while !seen.contains("hello") {
                seen += String(decoding: try await client.receive(upTo: 1000), as: UTF8.self)
            }
            way.leave(client)
            #expect(await ended.next() == true)
        }
    }

    /// Limits that never come, so that nothing but the disconnect can end the connection.
    private static func patient(_ settings: inout ListenerSettings) {
        settings.limits.headerTime = .seconds(100_000)
        settings.limits.bodyTime = .seconds(100_000)
        settings.limits.requestTime = .seconds(100_000)
        settings.limits.idle = .seconds(100_000)
    }

    @Test(
        "in the middle of a request, the connection ends:",
        arguments: [
            "", "GE", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell",
        ])
    func incomplete(request: String) async throws {
        try await withServer(Self.patient) { request in
            _ = try? await request.body.collect(upTo: 100)
            return text("for nobody")
        } _: { server in
            for _ in 0..<5 {
                let client = try RawClient(port: server.port)
                try await client.send(request)
                client.endSending()
                #expect(try await client.isClosed())
            }
        }
    }

    @Test func `after a complete request, it still gets the answer of a handler that does not wait`() async throws {
        try await withServer(Self.patient, handler: { _ in text("hello") }) { server in
            for _ in 0..<20 {
                let client = try RawClient(port: server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                client.endSending()
                #expect(try await client.response().text == "hello")
                #expect(try await client.isClosed())
            }
        }
    }

    @Test func `others are served as before`() async throws {
        let began = Mailbox<Void>()
        try await withServer { request in
            guard request.path == "/slow" else { return text("quick") }
            began.put(())
            try? await Task.sleep(for: .seconds(1000))
            return text("for nobody")
        } _: { server in
            for round in 0..<50 {
                let client = try RawClient(port: server.port)
                try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                await began.next()
                if round % 2 == 0 { client.close() } else { client.reset() }
                let other = try RawClient(port: server.port)
                try await other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await other.response().text == "quick")
            }
        }
    }
}
