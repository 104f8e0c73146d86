import Basics
import EventLoop
import TestSupport
import Testing

@testable import StorageRedis

@Suite("A connection to a Redis server", .timeLimit(.minutes(1)))
struct WireTests {
    /// A user of a wire that notes each connection, and ends them as it is told.
    private final class Probe: WireUser {
        let wire: Wire
        private let opened: @Sendable (Int) -> Void
        private var ends: [WireError]
        private var count = 0

        init(
            _ settings: RedisSettings, _ events: EventThread, _ find: @escaping Link.Find, ends: [WireError],
            _ opened: @escaping @Sendable (Int) -> Void
        ) {
            wire = Wire(settings, scripts: [], events: events, find: find)
            self.ends = ends
            self.opened = opened
            wire.user = self
        }

        func opened(_ loop: Loop) {
            count += 1
            opened(count)
            guard !ends.isEmpty else { return }
            wire.noteWorking()
            wire.end(ends.removeFirst(), loop)
        }

        func output(atLeast count: Int, _ digests: [Script: [UInt8]]) -> [UInt8] { [] }
        func received(_ reply: RedisReply, _ loop: Loop) throws(WireError) {}
        func ended(unwritten: Int, _ failure: WireError?, _ loop: Loop) {}
    }

    private static func accepting() throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            guard connection.readSome() != nil else { return }
            connection.write("+OK\r\n")
            _ = connection.readSome()
        }
    }

    /// Connects to a host with the addresses of peers until so many connections were open.
    private func connect(
        to peers: [ScriptedPeer], timeout: Duration, until number: Int, ends: [WireError] = []
    ) async throws {
        let addresses = peers.flatMap { SocketAddress.find("127.0.0.1", $0.port, numeric: true) }
        #expect(addresses.count == peers.count)
        var settings = RedisSettings(address: .tcp(host: "several.invalid", port: 1))
        settings.insecureTransport = true
        settings.connectTimeout = timeout
        let events = try EventThread(name: "wire")
        let (counts, continuation) = AsyncStream<Int>.makeStream()
        let probe = LoopBound(
            Probe(settings, events, { _, _, numeric in numeric ? [] : addresses }, ends: ends) {
                continuation.yield($0)
            })
        events.post { loop in probe.value(on: loop).wire.start(loop) }
        for await count in counts where count == number { break }
        events.post { loop in probe.value(on: loop).wire.close(loop) }
        await events.stop()
    }

    @Test func `gets past an address that is silent`() async throws {
        let (silent, good) = (try ScriptedPeer { while $0.readSome() != nil {} }, try Self.accepting())
        try await connect(to: [silent, good], timeout: .milliseconds(300), until: 1)
        #expect(good.connectionCount >= 1)
        silent.stop()
        good.stop()
    }

    @Test func `goes from a replica to the next address, and after a loss to the one before`() async throws {
        let (replica, primary) = (try Self.accepting(), try Self.accepting())
        try await connect(
            to: [replica, primary], timeout: .seconds(30), until: 3, ends: [.refused("READONLY"), .closedByServer])
        #expect(replica.connectionCount == 1)
        #expect(primary.connectionCount == 2)
        replica.stop()
        primary.stop()
    }
}
