import EventLoop
import Glibc
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("A streamed answer", .timeLimit(.minutes(1)))
struct StreamedAnswerTests {
    /// More than the kernel keeps for a connection in both directions together.
    private static let much = 64 << 20
    private static let bound = 40 << 20

    /// A peer that answers each request with these bytes and waits for the client to close, or for the next request.
    private func peer(_ bytes: String) throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(bytes) }
        }
    }

    @Test(arguments: Framing.allCases)
    func `comes piece by piece as it is sent`(_ framing: Framing) async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(framing.head(11))
            connection.write(framing.piece("first"))
            latch.pass()
            connection.write(framing.piece("second") + framing.end)
            if framing != .close { connection.waitForClose() }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin)
            #expect(answer.status == 200)
            #expect(answer.fields["X"] == "1")
            var iterator = answer.body.makeAsyncIterator()
            var seen: [UInt8] = []
            while seen.count < 5 { seen += try #require(try await iterator.next()) }
            #expect(seen == Array("first".utf8))
            latch.open()
            while let piece = try await iterator.next() { seen += piece }
            #expect(seen == Array("firstsecond".utf8))
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func `holds its peer back while it is not read`() async throws {
        let sent = Count()
        let isFull = Gate()
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Framing.length.head(Self.much))
            connection.fill(upTo: Self.much, sent)
            isFull.open()
            connection.write([UInt8](repeating: 7, count: Self.much - sent.value))
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin)
            await isFull.pass()
            #expect(sent.value < Self.bound)
            var count = 0
            var largest = 0
            for try await piece in answer.body { (count, largest) = (count + piece.count, max(largest, piece.count)) }
            #expect(count == Self.much)
            #expect(largest <= 81_920)
        }
    }

    @Test func `may be longer than the limit of answers in memory`() async throws {
        let peer = try peer(answer("200 OK", [], String(repeating: "x", count: 100_000)))
        defer { peer.stop() }
        try await Calls.run({ $0.bodyLimit = 1024 }) { calls async throws in
            #expect(try await calls.failure(.get, peer.origin) == .noUsableAnswer(.tooLarge))
            #expect(try await calls.stream(.get, peer.origin).body.collect(upTo: 100_000).count == 100_000)
        }
    }

    @Test func `that came whole frees its place and its connection before it is read`() async throws {
        let peer = try peer(answer("200 OK", [], "hello"))
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            var answers: [StreamedResponse] = []
            for _ in 0..<3 { answers.append(try await calls.stream(.get, peer.origin)) }
            #expect(try await calls.send(.get, peer.origin).text == "hello")
            for answer in answers { #expect(try await answer.body.collect(upTo: 5) == Array("hello".utf8)) }
        }
        #expect(peer.connectionCount == 1)
    }

    @Test(arguments: [
        (HTTPMethod.head, "200 OK\r\nContent-Length: 5"), (.get, "204 No Content"),
        (.get, "304 Not Modified\r\nContent-Length: 5"), (.get, "200 OK\r\nContent-Length: 0"),
    ])
    func `without a body ends at once, and its connection is kept`(_ method: HTTPMethod, _ head: String) async throws {
        let peer = try peer("HTTP/1.1 \(head)\r\n\r\n")
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<2 {
                let answer = try await calls.stream(method, peer.origin)
                #expect(await drained(answer.body) == ([], nil))
            }
        }
        #expect(peer.connectionCount == 1)
    }

    /// A peer whose first answer stops in its middle, and whose further ones are whole.
    private func halfAnswering() throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            if connection.number > 1 { return _ = connection.write(answer()) }
            connection.write(Framing.length.head(100) + "part")
            connection.waitForClose()
        }
    }

    /// How an exchange loses its reader.
    enum Departure: CaseIterable {
        case bodyDropped
        case iteratorDropped
        case loopLeft
        case taskCancelled
        case collectedTooMuch
    }

    @Test(arguments: Departure.allCases)
    func `that is left unread closes its connection and frees its place`(_ departure: Departure) async throws {
        let peer = try halfAnswering()
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            try await leave(calls, peer, departure)
            await peer.waitForEnds(1)
            #expect(try await calls.send(.post, peer.origin).status == 200)
        }
        #expect(peer.connectionCount == 2)
    }

    private func leave(_ calls: Calls, _ peer: ScriptedPeer, _ departure: Departure) async throws {
        let answer = try await calls.stream(.get, peer.origin)
        switch departure {
        case .bodyDropped: break
        case .iteratorDropped:
            var iterator = answer.body.makeAsyncIterator()
            _ = try await iterator.next()
        case .loopLeft: for try await _ in answer.body { break }
        case .taskCancelled:
            let begun = Gate()
            let task = Task {
                var iterator = answer.body.makeAsyncIterator()
                _ = try await iterator.next()
                begun.open()
                _ = try await iterator.next()
            }
            await begun.pass()
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
        case .collectedTooMuch:
            await #expect(throws: TransportError.noUsableAnswer(.tooLarge)) { try await answer.body.collect(upTo: 3) }
        }
        // The body alone keeps nothing open once it has given its iterator away.
        withExtendedLifetime(departure == .bodyDropped ? nil : answer) {}
    }

    @Test func `whose reader is cancelled while bytes are there ends, though its iterator lives on`() async throws {
        let peer = try halfAnswering()
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            let answer = try await calls.stream(.get, peer.origin)
            let reading = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                var iterator = answer.body.makeAsyncIterator()
                let piece = try await iterator.next()
                // A task that is not cancelled needs the only place, while the iterator lives.
                let next = Task { try await calls.send(.post, peer.origin, within: .seconds(10)).status }
                let status = try await next.value
                withExtendedLifetime(iterator) {}
                return (piece, status)
            }
            let (piece, status) = try await reading.value
            #expect(piece == Array("part".utf8))
            #expect(status == 200)
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `with an idle time of zero is not sent, and its connection is closed once`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).status == 200)
            #expect(try await calls.streamFailure(.get, peer.origin, idle: .zero) == .notReached(.timeout))
            await peer.waitForEnds(1)
            #expect(try await calls.send(.get, peer.origin).status == 200)
        }
        #expect(peer.requests.count == 2)
    }

    @Test func `ends at its deadline while the peer is awaited`() async throws {
        let peer = try peer(Framing.length.head(9) + "half")
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin, within: .seconds(1))
            #expect(await drained(answer.body) == (Array("half".utf8), .noUsableAnswer(.timeout)))
            await peer.waitForEnds(1)
        }
    }

    @Test func `ends at its deadline while it is not read, and what came stays readable`() async throws {
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Framing.length.head(Self.much))
            connection.write([UInt8](repeating: 7, count: Self.much))
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin, within: .seconds(1))
            // Its connection is closed: the peer's writing fails.
            await peer.waitForEnds(1)
            let (bytes, failure) = await drained(answer.body)
            #expect(bytes.count <= 81_920)
            #expect(failure == .noUsableAnswer(.timeout))
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    func `ends when its peer sends nothing for too long`(_ bytes: String) async throws {
        let peer = try peer(bytes)
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            if bytes.hasSuffix("half") {
                let answer = try await calls.stream(.get, peer.origin, idle: .seconds(1))
                #expect(await drained(answer.body) == (Array("half".utf8), .noUsableAnswer(.timeout)))
            } else {
                let failure = try await calls.streamFailure(.get, peer.origin, idle: .seconds(1))
                #expect(failure == .noUsableAnswer(.timeout))
            }
            await peer.waitForEnds(1)
        }
    }

    @Test func `is not idle while its reader holds it back`() async throws {
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Framing.length.head(Self.much))
            connection.write([UInt8](repeating: 7, count: Self.much))
            connection.waitForClose()
        }
        let silent = try self.peer("")
        defer {
            peer.stop()
            silent.stop()
        }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin, idle: .milliseconds(1500))
            // Begins later and ends at its idle time.
            let failure = try await calls.streamFailure(.get, silent.origin, idle: .seconds(3))
            #expect(failure == .noUsableAnswer(.timeout))
            #expect(try await answer.body.collect(upTo: Self.much).count == Self.much)
        }
    }

    /// How a peer cuts an answer off.
    enum Cut: CaseIterable {
        case length
        case chunkHead
        case chunk
        case lastChunk
        case trailers
        case lengthReset
        case closeReset

        var bytes: String {
            switch self {
            case .length, .lengthReset: Framing.length.head(5) + "half"
            case .chunkHead: Framing.chunks.head(0) + "4\r\nhalf\r\n5"
            case .chunk: Framing.chunks.head(0) + "9\r\nhalf"
            case .lastChunk: Framing.chunks.head(0) + "4\r\nhalf\r\n"
            case .trailers: Framing.chunks.head(0) + "4\r\nhalf\r\n0\r\nX: 1\r\n"
            case .closeReset: Framing.close.head(0) + "half"
            }
        }
    }

    @Test(arguments: Cut.allCases)
    func `that its peer cuts off is an error, never an end`(_ cut: Cut) async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(cut.bytes)
            latch.pass()
            if cut == .lengthReset || cut == .closeReset { connection.reset() }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin)
            var iterator = answer.body.makeAsyncIterator()
            var seen: [UInt8] = []
            while seen.count < 4 { seen += try #require(try await iterator.next()) }
            latch.open()
            await #expect(throws: TransportError.noUsableAnswer(.closed)) { try await iterator.next() }
            await #expect(throws: TransportError.noUsableAnswer(.closed)) { try await iterator.next() }
            #expect(seen == Array("half".utf8))
        }
    }

    @Test func `with a bad chunk gives what came before it, then the error`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Framing.chunks.head(0) + "4\r\nhalf\r\n")
            latch.pass()
            connection.write("2\r\nno!\r\n0\r\n\r\n")
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin)
            latch.open()
            let (bytes, failure) = await drained(answer.body)
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("half"))
            #expect(failure == .noUsableAnswer(.malformed))
            await peer.waitForEnds(1)
        }
    }

    @Test func `has one iterator`() async throws {
        let peer = try peer(answer("200 OK", [], "hello"))
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for body in [try await calls.stream(.get, peer.origin).body, ResponseStream(Array("hello".utf8))] {
                var first = body.makeAsyncIterator()
                #expect(await drained(body) == ([], .noUsableAnswer(.refusedLocally)))
                #expect(try await first.next() == Array("hello".utf8))
                #expect(try await first.next() == nil)
            }
        }
    }

    @Test func `ends with the transport`() async throws {
        let peer = try peer(Framing.length.head(9) + "half")
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.get, peer.origin)
            await calls.transport.shutdown()
            #expect(await drained(answer.body) == (Array("half".utf8), .noUsableAnswer(.refusedLocally)))
            #expect(try await calls.streamFailure(.get, peer.origin) == .notReached(.refusedLocally))
        }
    }

    @Test func `is repeated on a new connection when a kept one was closed, as an answer in memory is`() async throws {
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(answer("200 OK", [], "hello"))
            // The second request comes to a connection that closes without an answer.
            if connection.number == 1 { _ = connection.readHead() }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<2 {
                let body = try await calls.stream(.get, peer.origin).body
                #expect(try await body.collect(upTo: 5) == Array("hello".utf8))
            }
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `comes to a task on the event thread itself`() async throws {
        let peer = try peer(answer("200 OK", [], String(repeating: "x", count: 1_000_000)))
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let task = Task(executorPreference: calls.thread.executor) {
                let body = try await calls.stream(.get, peer.origin).body
                return (try await body.collect(upTo: 1_000_000).count, calls.thread.isCurrent)
            }
            #expect(try await task.value == (1_000_000, true))
        }
    }
}
