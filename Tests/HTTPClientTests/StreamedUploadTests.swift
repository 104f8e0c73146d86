import Basics
import EventLoop
import Glibc
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("A streamed upload", .timeLimit(.minutes(1)))
struct StreamedUploadTests {
    private struct Fault: Error {}

    /// A body of these texts.
    private func upload(_ pieces: String..., length: Int?) -> RequestStream {
        RequestStream(
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(Array(piece.utf8)) }
                continuation.finish()
            }, length: length)
    }

    private func answering(_ read: @escaping @Sendable (PeerConnection) -> [UInt8]?) throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            while let head = connection.readHead(), let body = read(connection) {
                let fields = head.split(separator: "\r\n").dropFirst().map { $0.lowercased() }.sorted()
                let text = fields.filter { $0.hasPrefix("content-length") || $0.hasPrefix("transfer") }.joined()
                connection.write(answer("200 OK", [], text + "|" + String(decoding: body, as: UTF8.self)))
            }
        }
    }

    @Test func `of unknown length goes out in chunks`() async throws {
        let peer = try answering { $0.readChunks() }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for pieces in [upload("hello", "", " world", length: nil), upload(length: nil)] {
                let body = try await calls.stream(.post, peer.origin, pieces).body
                let text = String(decoding: try await body.collect(upTo: 100), as: UTF8.self)
                #expect(["transfer-encoding: chunked|hello world", "transfer-encoding: chunked|"].contains(text))
            }
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `of known length goes out as it is`() async throws {
        let peer = try answering { $0.read(11) }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<2 {
                let body = try await calls.stream(.put, peer.origin, upload("hello", " world", length: 11)).body
                #expect(try await body.collect(upTo: 100) == Array("content-length: 11|hello world".utf8))
            }
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `of no bytes has a length of 0`() async throws {
        let peer = try answering { $0.read(0) }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let body = try await calls.stream(.delete, peer.origin, upload("", length: 0)).body
            #expect(try await body.collect(upTo: 100) == Array("content-length: 0|".utf8))
        }
    }

    @Test(arguments: [true, false], [1, 65_536, 200_001])
    func `of megabytes arrives whole, in any pieces`(_ isChunked: Bool, _ size: Int) async throws {
        let total = size == 1 ? 20_000 : 3_000_000
        let all = (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let peer = try ScriptedPeer { connection in
            guard connection.readHead() != nil else { return }
            let body = isChunked ? connection.readChunks() : connection.read(total)
            connection.write(answer(body == all ? "200 OK" : "500 No"))
        }
        defer { peer.stop() }
        let pieces = AsyncStream<[UInt8]> { continuation in
            for start in stride(from: 0, to: total, by: size) {
                continuation.yield(Array(all[start..<min(start + size, total)]))
            }
            continuation.finish()
        }
        let upload = RequestStream(pieces, length: isChunked ? nil : total)
        try await Calls.run { calls async throws in
            #expect(try await calls.stream(.put, peer.origin, upload).status == 200)
        }
    }

    @Test(arguments: [nil, 1 << 40])
    func `is held back by a peer that does not read, until that is idle too long`(_ length: Int?) async throws {
        let taken = Count()
        let piece = [UInt8](repeating: 7, count: 65_536)
        let pieces = AsyncStream<[UInt8]> {
            taken.add(piece.count)
            // Ends, should nothing hold it back.
            return taken.value < 1 << 30 ? piece : nil
        }
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            _ = connection.readHead()
            latch.pass()
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let failure = try await calls.streamFailure(
                .put, peer.origin, RequestStream(pieces, length: length), idle: .milliseconds(500))
            #expect(failure == .noUsableAnswer(.timeout))
            latch.open()
            await peer.waitForEnds(1)
        }
        #expect(taken.value < 40 << 20)
    }

    @Test func `is not idle while its source is awaited`() async throws {
        let peer = try answering { $0.readChunks() }
        let silent = try ScriptedPeer { $0.waitForClose() }
        defer {
            peer.stop()
            silent.stop()
        }
        let (pieces, more, _) = given()
        try await Calls.run { calls async throws in
            let task = Task {
                try await calls.stream(.put, peer.origin, RequestStream(pieces, length: nil), idle: .milliseconds(1500))
            }
            // Begins at about the same time and ends at its idle time.
            let failure = try await calls.streamFailure(.get, silent.origin, idle: .seconds(3))
            #expect(failure == .noUsableAnswer(.timeout))
            more.yield(Array("late".utf8))
            more.finish()
            let body = try await task.value.body
            #expect(try await body.collect(upTo: 99) == Array("transfer-encoding: chunked|late".utf8))
        }
    }

    /// A source that is not what it said.
    enum Mismatch: CaseIterable {
        case longer
        case longerAtOnce
        case shorter
        case none
        case fault
        case chunkedFault
    }

    @Test(arguments: Mismatch.allCases)
    func `that fails or has another length ends the exchange, and no byte too many leaves`(
        _ mismatch: Mismatch
    ) async throws {
        let received = Locked<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            _ = connection.readHead()
            let all = connection.readAll()
            received.withLock { $0 = all }
        }
        defer { peer.stop() }
        let failing = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield(Array("abc".utf8))
            continuation.finish(throwing: Fault())
        }
        let upload =
            switch mismatch {
            case .longer: upload("abc", "def", length: 5)
            case .longerAtOnce: upload("abcdef", length: 5)
            case .shorter: upload("abc", length: 5)
            case .none: upload(length: 5)
            case .fault: RequestStream(failing, length: 5)
            case .chunkedFault: RequestStream(failing, length: nil)
            }
        try await Calls.run { calls async throws in
            #expect(try await calls.streamFailure(.put, peer.origin, upload) == .noUsableAnswer(.invalidRequest))
            await peer.waitForEnds(1)
        }
        let text = String(decoding: received.withLock { $0 }, as: UTF8.self)
        #expect("abc".hasPrefix(text) || mismatch == .chunkedFault && "3\r\nabc\r\n".hasPrefix(text))
    }

    @Test(arguments: [HTTPMethod.options, .post])
    func `of which nothing has left is repeated for a safe method alone`(_ method: HTTPMethod) async throws {
        let isRepeated = Gate()
        let peer = try ScriptedPeer { connection in
            while let head = connection.readHead() {
                if head.hasPrefix("GET") {
                    connection.write(answer())
                } else if connection.number == 1 {
                    return
                } else {
                    isRepeated.open()
                    guard let body = connection.readChunks() else { return }
                    connection.write(answer("200 OK", [], String(decoding: body, as: UTF8.self)))
                }
            }
        }
        defer { peer.stop() }
        let (pieces, more, _) = given()
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).status == 200)
            let task = Task { try await calls.stream(method, peer.origin, RequestStream(pieces, length: nil)) }
            if method.isSafe {
                // Bytes that come before the engine has seen the end would be sent to the closed connection.
                await isRepeated.pass()
                more.yield(Array("late".utf8))
                more.finish()
                #expect(try await task.value.body.collect(upTo: 9) == Array("late".utf8))
            } else {
                await #expect(throws: TransportError.noUsableAnswer(.closed)) { try await task.value }
            }
        }
        #expect(peer.connectionCount == (method.isSafe ? 2 : 1))
    }

    @Test func `whose deadline has passed is not sent, not even on a kept connection`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).status == 200)
            for upload in [nil, upload("a", length: 1)] {
                let failure = try await calls.streamFailure(.put, peer.origin, upload, within: .seconds(-1))
                #expect(failure == .notReached(.timeout))
            }
        }
        #expect(peer.requests.count == 1)
    }

    @Test func `is refused with a method without a body, and beside a body in memory`() async throws {
        let upload = upload("a", length: 1)
        try await Calls.run { calls async throws in
            for name in ["HEAD", "TRACE"] {
                let method = try #require(HTTPMethod(rawValue: name))
                #expect(
                    try await calls.streamFailure(method, "http://127.0.0.1:1", upload) == .notReached(.invalidRequest))
            }
            let both = StreamedRequest(
                ClientRequest(.put, try #require(WebURL("http://127.0.0.1:1")), body: [1]), upload: upload)
            await #expect(throws: TransportError.notReached(.invalidRequest)) {
                try await calls.transport.stream(both, deadline: .now + .seconds(60))
            }
        }
    }

    @Test func `and its answer cross many others on two threads`() async throws {
        let peer = try answering { $0.readChunks() }
        defer { peer.stop() }
        let threads = try (0..<2).map { try EventThread(name: "test-\($0)") }
        var settings = HTTPClientSettings()
        settings.connectionsPerHost = 3
        let transport = try CurlTransport(settings, threads: threads, logger: quietLogger)
        let calls = Calls(thread: threads[0], transport: transport)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                group.addTask(executorPreference: number % 3 == 0 ? nil : threads[number % 2].executor) {
                    let text = String(repeating: "\(number),", count: number * 100 + 1)
                    let upload = upload(text, text, length: nil)
                    let answer = try? await calls.stream(.post, peer.origin, upload)
                    let body = try? await answer?.body.collect(upTo: 1_000_000)
                    return body == Array("transfer-encoding: chunked|\(text)\(text)".utf8)
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        // Each thread keeps its own.
        #expect((1...6).contains(peer.connectionCount))
        await transport.shutdown()
        for thread in threads { await thread.stop() }
    }
}

@Suite("A streamed request of a transport without streams")
struct BufferedStreamTests {
    private let network = ScriptedTransport()

    private func send(_ upload: RequestStream?, body: String = "", upTo limit: Int = 8) async throws -> StreamedResponse
    {
        network.on(.put, "https://a.example/") { request throws(TransportError) in
            ClientResponse(status: 201, fields: ["X": "1"], body: request.body)
        }
        let request = ClientRequest(.put, try #require(WebURL("https://a.example/")), body: Array(body.utf8))
        return try await network.sendBuffered(
            StreamedRequest(request, upload: upload), upTo: limit, deadline: .now + .seconds(60))
    }

    private func pieces(_ texts: String...) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Array(text.utf8)) }
            continuation.finish()
        }
    }

    @Test func `is sent whole, and its answer is one piece`() async throws {
        for upload in [RequestStream(pieces("ab", "", "cd"), length: nil), RequestStream(pieces("abcd"), length: 4)] {
            let answer = try await send(upload)
            #expect(answer.status == 201)
            #expect(answer.fields["X"] == "1")
            #expect(await drained(answer.body) == (Array("abcd".utf8), nil))
        }
        #expect(await drained(try await send(nil, body: "x").body) == (Array("x".utf8), nil))
        #expect(await drained(try await send(nil).body) == ([], nil))
    }

    @Test func `is refused when it is too long, has another length than it said, or two bodies`() async throws {
        await #expect(throws: TransportError.notReached(.refusedLocally)) {
            try await send(RequestStream(pieces("abcd", "efghi"), length: nil))
        }
        for length in [3, 5] {
            await #expect(throws: TransportError.notReached(.invalidRequest)) {
                try await send(RequestStream(pieces("abcd"), length: length))
            }
        }
        await #expect(throws: TransportError.notReached(.invalidRequest)) {
            try await send(RequestStream(pieces("a"), length: nil), body: "b")
        }
        #expect(network.requests.isEmpty)
    }
}
