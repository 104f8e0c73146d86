import Basics
import HTTPServer
import TestSupport
import Testing

@Suite("A streamed body")
struct StreamingTests {
    /// More than the kernel keeps for a connection in both directions together.
    private static let much = 64 << 20
    private static let bound = 40 << 20
    private static let piece = [UInt8](repeating: 7, count: 1 << 16)

    @Test func `of a request holds the client back while nobody reads`() async throws {
        let gate = Gate()
        let total = Counter()
        try await withServer({
            $0.limits.body = Self.much * 2
        }) { request in
            await gate.pass()
            do throws(BodyError) {
                for try await chunk in request.body { total.add(chunk.count) }
            } catch { return text("\(error)") }
            return text("done")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.much)\r\n\r\n")
            var sent = 0
            // Full buffers are the only way out: the client never waits here.
            var idle = 0
            while sent < Self.much, idle < 1000 {
                let count = client.sendWithoutWaiting(Array(Self.piece.prefix(Self.much - sent)))
                sent += count
                idle = count == 0 ? idle + 1 : 0
                if count == 0 { await Task.yield() }
            }
            #expect(sent < Self.bound)
            gate.open()
            while sent < Self.much {
                let chunk = Array(Self.piece.prefix(Self.much - sent))
                try await client.send(chunk)
                sent += chunk.count
            }
            #expect(try await client.response().text == "done")
        }
        #expect(total.value == Self.much)
    }

    @Test func `of a response holds the writer back while the client does not read`() async throws {
        let written = Counter()
        try await withServer { _ in
            ServerResponse(
                status: 200,
                body: .stream(length: Self.much) { writer in
                    for _ in 0..<(Self.much / Self.piece.count) {
                        try await writer.write(Self.piece)
                        written.add(Self.piece.count)
                    }
                })
        } _: { server in
            let client = try RawClient(port: server.port, receiveBuffer: 65_536)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var read = 0
            var mostAhead = 0
            while read < Self.much {
                read += try await client.receive().count
                mostAhead = max(mostAhead, written.value - read)
            }
            #expect(mostAhead < Self.bound)
        }
        #expect(written.value == Self.much)
    }

    @Test func `of a request can be sent back as it comes`() async throws {
        try await withServer { request in
            ServerResponse(
                status: 200,
                body: .bytes((try? await request.body.collect(upTo: 1 << 20)) ?? []))
        } _: { server in
            let client = try RawClient(port: server.port)
            let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7 >> 2) }
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
            try await client.send(body)
            #expect(try await client.response().body == body)
        }
    }

    @Test func `that a reader finds too long is refused by it, and the rest is thrown away`() async throws {
        try await withServer { request in
            do throws(BodyError) { _ = try await request.body.collect(upTo: 10) } catch {
                return text("\(error)", status: 413)
            }
            return text("read")
        } _: { server in
            let client = try RawClient(port: server.port)
            for framing in ["Content-Length: 300000", "Transfer-Encoding: chunked"] {
                try await client.send("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
                let body = [UInt8](repeating: 1, count: 300_000)
                if framing.hasPrefix("T") { try await client.send("493E0\r\n") }
                try await client.send(body)
                if framing.hasPrefix("T") { try await client.send("\r\n0\r\n\r\n") }
                let answer = try await client.response()
                #expect(answer.status == 413)
                #expect(answer.text == "tooLarge")
            }
        }
    }

    @Test func `that nobody reads is thrown away`() async throws {
        try await withServer(handler: { _ in text("early") }) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n")
                try await client.send([UInt8](repeating: 1, count: 300_000))
                #expect(try await client.response().text == "early")
            }
        }
    }

    @Test func `without a length over the listener's limit is refused by the listener`() async throws {
        let faults = Mailbox<BodyError?>()
        try await withServer({ $0.limits.body = 1000 }) { request in
            do throws(BodyError) {
                _ = try await request.body.collect(upTo: .max)
                faults.put(nil)
            } catch { faults.put(error) }
            // Says nothing of it itself.
            return text("unaware")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3E9\r\n")
            try await client.send([UInt8](repeating: 1, count: 1001))
            try await client.send("\r\n0\r\n\r\n")
            #expect(try await client.response().closes)
            #expect(await faults.next() == .tooLarge)
        }
    }

    @Test func `without an end is cut off`() async throws {
        try await withServer({ $0.limits.body = 1000 }) { request in
            _ = try? await request.body.collect(upTo: .max)
            return text("unaware")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n")
            var rounds = 0
            do {
                while rounds < 10_000 {
                    try await client.send(Self.piece)
                    rounds += 1
                }
            } catch {}
            #expect(rounds < 10_000)
        }
    }

    @Test func `whose function throws ends the connection in the middle`() async throws {
        struct Fault: Error {}
        for length in [nil, 100] {
            try await withServer { _ in
                ServerResponse(
                    status: 200,
                    body: .stream(length: length) { writer in
                        try await writer.write(Array("hello".utf8))
                        throw Fault()
                    })
            } _: { server in
                let client = try RawClient(port: server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                await #expect(throws: (any Error).self) { try await client.response() }
            }
        }
    }

    @Test func `shorter than it said ends the connection in the middle`() async throws {
        try await withServer { _ in
            ServerResponse(
                status: 200, body: .stream(length: 100) { writer in try await writer.write(Array("hello".utf8)) })
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await #expect(throws: (any Error).self) { try await client.response() }
        }
    }

    @Test func `longer than it said is refused to the writer`() async throws {
        let faults = Mailbox<WriteError?>()
        try await withServer { _ in
            ServerResponse(
                status: 200,
                body: .stream(length: 5) { writer in
                    do throws(WriteError) { try await writer.write(Array("hello!".utf8)) } catch { faults.put(error) }
                    try await writer.write(Array("hello".utf8))
                })
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().text == "hello")
            #expect(await faults.next() == .tooLong)
        }
    }

    @Test func `arrives piece by piece as it is written`() async throws {
        let gate = Gate()
        try await withServer { _ in
            ServerResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    try await writer.write(Array("first".utf8))
                    await gate.pass()
                    try await writer.write(Array("second".utf8))
                })
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var seen = ""
            while !seen.contains("first") { seen += String(decoding: try await client.receive(), as: UTF8.self) }
            gate.open()
            while !seen.contains("second\r\n0\r\n\r\n") {
                seen += String(decoding: try await client.receive(), as: UTF8.self)
            }
        }
    }

    /// Writes until it is cancelled.
    private static func fill(_ writer: ResponseWriter) async throws(WriteError) {
        while true { try await writer.write(piece) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `has one writer at a time: a second is refused, and the first goes on`() async throws {
        let faults = Mailbox<WriteError?>()
        // Longer than all buffers, so that the first is at work while the second comes.
        let long = [UInt8](repeating: 1, count: Self.much)
        let gate = Gate()
        try await withServer { _ in
            ServerResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    async let first: Void = writer.write(long)
                    await gate.pass()
                    // Begins after the first has filled the buffers.
                    do throws(WriteError) {
                        try await writer.write(Array("second".utf8))
                        faults.put(nil)
                    } catch {
                        faults.put(error)
                    }
                    try await first
                    try await writer.write(Array("third".utf8))
                })
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            // The first piece is under way.
            var head: [UInt8] = []
            while head.count < 1000 { head += try await client.receive(upTo: 1000) }
            gate.open()
            #expect(await faults.next() == .busy)
            var tail = ""
            var count = 0
            while !tail.hasSuffix("third\r\n0\r\n\r\n") {
                let more = try await client.receive()
                count += more.count
                tail = String(decoding: (Array(tail.utf8) + more).suffix(20), as: UTF8.self)
            }
            #expect(count > Self.much - 1000)
        }
    }

    @Test func `that was cancelled while it waited leaves the next piece its turn`() async throws {
        let faults = Mailbox<WriteError?>()
        try await withServer { _ in
            ServerResponse(
                status: 200,
                body: .stream(length: nil) { writer in
                    let filling = Task { () async -> WriteError? in
                        do throws(WriteError) { try await Self.fill(writer) } catch { return error }
                        return nil
                    }
                    // It notices when it has to wait.
                    filling.cancel()
                    faults.put(await filling.value)
                    try await writer.write(Array("next".utf8))
                })
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await faults.next() == .cancelled)
            var tail = ""
            while !tail.hasSuffix("next\r\n0\r\n\r\n") {
                let more = try await client.receive()
                tail = String(decoding: (Array(tail.utf8) + more).suffix(20), as: UTF8.self)
            }
        }
    }
}
