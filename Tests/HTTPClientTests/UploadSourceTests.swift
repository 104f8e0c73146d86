import EventLoop
import HTTPClient
import HTTPCore
import TestSupport
import Testing

/// How the source of an upload learns that its exchange is over.
///
/// `stream` returns after the task that reads the source, so that no test waits for the source to be told.
@Suite("An upload", .timeLimit(.minutes(1)))
struct UploadSourceTests {
    @Test func `whose source is silent ends at its deadline, and its source is cancelled`() async throws {
        let peer = try ScriptedPeer { $0.waitForClose() }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1])
        try await Calls.run { calls async throws in
            let failure = try await calls.streamFailure(
                .put, peer.origin, RequestStream(pieces, length: nil), within: .seconds(1))
            #expect(failure == .noUsableAnswer(.timeout))
            #expect(left.value == 1)
            await peer.waitForEnds(1)
        }
    }

    @Test func `that is cancelled closes its connection, and its source is cancelled`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1])
        try await Calls.run { calls async throws in
            let task = Task { try await calls.stream(.put, peer.origin, RequestStream(pieces, length: nil)) }
            await peer.waitForRequests(1)
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
            #expect(left.value == 1)
            await peer.waitForEnds(1)
        }
    }

    @Test(arguments: [true, false])
    func `whose exchange ends before its source is read has the source cancelled all the same`(
        _ isCancelled: Bool
    ) async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            // Else it ends the exchange itself.
            if isCancelled { connection.waitForClose() } else { latch.pass() }
        }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1])
        let (held, failed) = (HeldExecutor(), Gate())
        try await Calls.run(logger: openingLogger(failed)) { calls async throws in
            let task = Task(executorPreference: held) {
                try await calls.stream(.put, peer.origin, RequestStream(pieces, length: nil))
            }
            // The request is on its way, and the task that reads the source has not begun.
            await peer.waitForRequests(1)
            if isCancelled {
                task.cancel()
                await peer.waitForEnds(1)
            } else {
                latch.open()
                await failed.pass()
            }
            held.release()
            let failure = isCancelled ? TransportError.cancelled : .noUsableAnswer(.closed)
            await #expect(throws: failure) { try await task.value }
            #expect(left.value == 1)
        }
    }

    @Test func `that is longer than it said has its source cancelled`() async throws {
        let peer = try ScriptedPeer { $0.waitForClose() }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1, 2, 3])
        try await Calls.run { calls async throws in
            let failure = try await calls.streamFailure(.put, peer.origin, RequestStream(pieces, length: 2))
            #expect(failure == .noUsableAnswer(.invalidRequest))
            #expect(left.value == 1)
        }
    }

    @Test func `whose source goes on after its length is cancelled by the answer, which stays whole`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            guard connection.readHead() != nil, connection.read(2) != nil else { return }
            connection.write(Framing.chunks.head(0) + Framing.chunks.piece("first"))
            latch.pass()
            connection.write(Framing.chunks.piece("last") + Framing.chunks.end)
        }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1, 2])
        try await Calls.run { calls async throws in
            let answer = try await calls.stream(.put, peer.origin, RequestStream(pieces, length: 2))
            #expect(left.value == 1)
            latch.open()
            let (bytes, failure) = await drained(answer.body)
            #expect(bytes == Array("firstlast".utf8) && failure == nil)
        }
    }

    @Test func `that is cancelled before it has a connection has left its source untouched`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1])
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            let first = Task { try await calls.stream(.get, peer.origin) }
            await peer.waitForRequests(1)
            let second = Task { try await calls.stream(.put, peer.origin, RequestStream(pieces, length: nil)) }
            second.cancel()
            await #expect(throws: TransportError.cancelled) { try await second.value }
            #expect(left.value == 0)
            first.cancel()
            await #expect(throws: TransportError.cancelled) { _ = try await first.value }
        }
        #expect(peer.requests.count == 1)
    }

    @Test func `whose peer closes in the middle may have been acted on, and is not repeated`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.number == 1, let head = connection.readHead() {
                guard head.hasPrefix("GET") else { return _ = connection.read(8) }
                connection.write(answer())
            }
        }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1, 2, 3])
        try await Calls.run { calls async throws in
            // OPTIONS is safe, and its connection is a kept one.
            #expect(try await calls.send(.get, peer.origin).status == 200)
            let failure = try await calls.streamFailure(.options, peer.origin, RequestStream(pieces, length: nil))
            #expect(failure == .noUsableAnswer(.closed))
            #expect(left.value == 1)
        }
        #expect(peer.connectionCount == 1)
    }

    @Test(arguments: ["HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func `that is answered before its end is refused, and its source is cancelled`(_ early: String) async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readHead()
            connection.write(early)
            connection.waitForClose()
        }
        defer { peer.stop() }
        let (pieces, more, left) = given()
        more.yield([1])
        try await Calls.run { calls async throws in
            let failure = try await calls.streamFailure(.put, peer.origin, RequestStream(pieces, length: nil))
            #expect(failure == .noUsableAnswer(.malformed))
            #expect(left.value == 1)
            await peer.waitForEnds(1)
        }
    }

    @Test func `that is not reached has left its source untouched`() async throws {
        let taken = Count()
        let pieces = AsyncStream<[UInt8]> {
            taken.add()
            return nil
        }
        let peer = try ScriptedPeer { _ in }
        peer.stop()
        try await Calls.run { calls async throws in
            for length in [nil, 1] {
                let upload = RequestStream(pieces, length: length)
                #expect(try await calls.streamFailure(.put, peer.origin, upload) == .notReached(.connect))
            }
        }
        #expect(taken.value == 0)
    }
}
