import Basics
import Glibc
import StorageRedis
import TestSupport

/// A way to a Redis server that harms what passes it: TCP on loopback in front, the server's socket behind.
final class RedisProxy: Sendable {
    /// What happens to the bytes of one direction of one connection.
    enum Harm: Sendable {
        case none
        /// The connection ends after so many bytes.
        case cut(after: Int)
        /// Each byte passes by itself.
        case drip
        /// From so many bytes on, the next chunk passes twice.
        case double(after: Int)
        /// After so many bytes the other direction ends; this one goes on once the system holds this many more.
        case stall(after: Int, until: Int)
    }

    /// The harm of one connection, by direction, counted after the greeting of the store.
    struct Plan: Sendable {
        var toServer = Harm.none
        var toClient = Harm.none
    }

    private struct State {
        var plans: [Plan] = []
        var sockets: [Int32] = []
        var toServer = 0
        var toClient = 0
        /// The first connections that bring no answer any more.
        var silent = 0
    }

    private let state: Locked<State>
    private let peer: ScriptedPeer

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - path: The socket of the server.
    ///   - plans: The harm of the first connections, in their order; later ones are unharmed.
    /// - Throws: The errno of the socket.
    convenience init(_ path: String, _ plans: [Plan] = []) throws {
        try self.init(plans) { try RedisServer.connect(path) }
    }

    /// Like the other one, in front of a port.
    convenience init(port: UInt16, _ plans: [Plan] = []) throws {
        try self.init(plans) { try RedisServer.connect(port: port) }
    }

    private init(_ plans: [Plan], _ connect: @escaping @Sendable () throws -> Int32) throws {
        let state = Locked(State(plans: plans))
        self.state = state
        peer = try ScriptedPeer { connection in
            guard let server = try? connect() else { return }
            let (plan, number) = state.withLock { state -> (Plan, Int) in
                state.sockets.append(server)
                return (state.plans.isEmpty ? Plan() : state.plans.removeFirst(), state.sockets.count)
            }
            let back = try? NativeThread("proxy") {
                let pass: ([UInt8]) -> Bool = { bytes in
                    state.withLock { $0.silent >= number } || connection.write(bytes)
                }
                Self.pump(plan.toClient, from: { Self.receive(server) }, to: pass) { count in
                    state.withLock { $0.toClient += count }
                }
                shutdown(server, Int32(SHUT_RDWR))
                connection.hangUp()
            }
            Self.pump(
                plan.toServer, from: { connection.readSome() }, to: { Self.transmit(server, $0) },
                stall: { Self.stall(connection.socket, until: $0) }
            ) { count in
                state.withLock { $0.toServer += count }
            }
            shutdown(server, Int32(SHUT_RDWR))
            connection.hangUp()
            back?.join()
            close(server)
        }
    }

    /// Settings of a store that goes this way.
    func settings(like server: RedisServer) -> RedisSettings {
        var settings = server.settings()
        settings.address = .tcp(host: "127.0.0.1", port: peer.port)
        return settings
    }

    /// Ends the other direction once the system holds so many bytes of this one.
    private static func stall(_ socket: Int32, until count: Int) {
        var held: Int32 = 0
        while ioctl(socket, UInt(FIONREAD), &held) == 0, held < count { sched_yield() }
        shutdown(socket, Int32(SHUT_WR))
    }

    /// The number of connections so far.
    var connections: Int { peer.connectionCount }
    /// Bytes that passed so far, of all connections.
    var passed: (toServer: Int, toClient: Int) { state.withLock { ($0.toServer, $0.toClient) } }

    /// From now on no answer passes on the connections that there are, and none of them ends.
    func silence() { state.withLock { $0.silent = $0.sockets.count } }

    func stop() { peer.stop() }

    private static func pump(
        _ harm: Harm, from read: () -> [UInt8]?, to write: ([UInt8]) -> Bool, stall: (Int) -> Void = { _ in },
        _ count: (Int) -> Void
    ) {
        var passed = 0
        var isDone = false
        while let bytes = read() {
            count(bytes.count)
            switch harm {
            case .none:
                guard write(bytes) else { return }
            case .cut(let limit):
                guard write(Array(bytes.prefix(limit - passed))), passed + bytes.count < limit else { return }
            case .stall(let limit, let more):
                guard write(bytes) else { return }
                if !isDone, passed + bytes.count > limit {
                    isDone = true
                    stall(more)
                }
            case .drip:
                for byte in bytes { guard write([byte]) else { return } }
            case .double(let limit):
                guard write(bytes) else { return }
                if !isDone, passed + bytes.count > limit {
                    isDone = true
                    guard write(bytes) else { return }
                }
            }
            passed += bytes.count
        }
    }

    private static func receive(_ socket: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = recv(socket, &chunk, chunk.count, 0)
        return count > 0 ? Array(chunk.prefix(count)) : nil
    }

    private static func transmit(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(socket, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
