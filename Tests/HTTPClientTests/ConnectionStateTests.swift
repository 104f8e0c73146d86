import Glibc
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("An exchange", .timeLimit(.minutes(1)))
struct ConnectionStateTests {
    /// A listener of loopback that answers no further connection, because those that wait fill its queue.
    private final class FullListener {
        private var sockets: [Int32] = []
        let origin: String

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &address) { bytes in
                guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return }
                _ = bind(listener, address, length)
                _ = listen(listener, 0)
                _ = getsockname(listener, address, &length)
            }
            origin = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
            sockets = [listener]
            for _ in 0..<4 {
                let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                withUnsafeBytes(of: &address) { bytes in
                    guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return }
                    _ = connect(filler, address, length)
                }
                sockets.append(filler)
            }
        }

        deinit {
            for socket in sockets { close(socket) }
        }
    }

    /// More than the buffers of a connection take.
    private let large = String(repeating: "x", count: 32_000_000)

    @Test func `that connects ends at its deadline: not reached`() async throws {
        let listener = try FullListener()
        try await Calls.run { calls async throws in
            let failure = try await calls.failure(.post, listener.origin, [:], "x", within: .milliseconds(200))
            #expect(failure == .notReached(.timeout))
        }
    }

    @Test func `that connects ends when it is cancelled, and leaves its place to the next`() async throws {
        let listener = try FullListener()
        let full = listener.origin
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run({
            $0.connections = 1
            $0.waitingRequests = 1
        }) { calls async throws in
            let connecting = Task { try await calls.send(.post, full, [:], "x") }
            // They come to the event thread one after the other; this one waits, or connects before the other.
            _ = try await calls.failure(.get, full, within: .milliseconds(100))
            connecting.cancel()
            await #expect(throws: TransportError.cancelled) { try await connecting.value }
            #expect(try await calls.send(.get, peer.origin).status == 200)
        }
        withExtendedLifetime(listener) {}
    }

    @Test func `whose request the peer does not read ends at its deadline: it may have been acted on`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            if connection.number == 1 {
                _ = connection.readHead()
                latch.pass()
                return connection.waitForClose()
            }
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            let failure = try await calls.failure(.put, peer.origin, [:], large, within: .milliseconds(300))
            #expect(failure == .noUsableAnswer(.timeout))
            latch.open()
            await peer.waitForEnds(1)
            #expect(try await calls.send(.get, peer.origin).status == 200)
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `whose request the peer does not read ends when it is cancelled`() async throws {
        let reached = Gate()
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            _ = connection.readHead()
            reached.open()
            latch.pass()
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let task = Task { try await calls.send(.put, peer.origin, [:], large) }
            await reached.pass()
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
            latch.open()
            await peer.waitForEnds(1)
        }
    }

    @Test(
        "that is answered before its request was written is refused",
        arguments: [
            "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "H",
        ])
    func early(_ answerText: String) async throws {
        let latch = Latch()
        let peer = try ScriptedPeer { connection in
            if connection.number == 1 {
                _ = connection.readHead()
                connection.write(answerText)
                latch.pass()
                return connection.waitForClose()
            }
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.failure(.put, peer.origin, [:], large) == .noUsableAnswer(.malformed))
            latch.open()
            await peer.waitForEnds(1)
            #expect(try await calls.send(.put, peer.origin, [:], "x").status == 200)
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `leaves a connection that is closed when it was idle too long`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run({ $0.idleTime = .seconds(1) }) { calls async throws in
            _ = try await calls.send(.get, peer.origin)
            await peer.waitForEnds(1)
            _ = try await calls.send(.get, peer.origin)
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `leaves a connection that is closed when it is too old`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run({
            $0.connectionLifetime = .seconds(1)
            $0.idleTime = .seconds(3600)
        }) { calls async throws in
            _ = try await calls.send(.get, peer.origin)
            await peer.waitForEnds(1)
        }
    }

    @Test func `that needs a connection beyond the limit closes the one that was idle longest`() async throws {
        let peers = try (0..<3).map { _ in
            try ScriptedPeer { connection in
                while connection.readRequest() != nil { connection.write(answer()) }
            }
        }
        defer { for peer in peers { peer.stop() } }
        try await Calls.run({ $0.connections = 2 }) { calls async throws in
            for index in [0, 1, 0, 2] { _ = try await calls.send(.get, peers[index].origin) }
            await peers[1].waitForEnds(1)
            _ = try await calls.send(.get, peers[0].origin)
        }
        #expect(peers.map(\.connectionCount) == [1, 1, 1])
    }
}
