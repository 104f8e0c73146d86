import Basics
import Glibc
import TestSupport

@testable import StorageRedis

/// A sentinel that watches a server of the tests, and makes its replica the primary soon after it is gone.
final class RedisSentinel: Sendable {
    private let server: RedisServer
    private let port: ReservedPort

    /// Starts a sentinel that decides alone, and waits until it knows the replica.
    ///
    /// - Parameters:
    ///   - primary: The server to watch.
    ///   - lines: Further lines of its configuration.
    /// - Throws: What keeps the process from starting.
    init(of primary: RedisServer, _ lines: [String] = []) async throws {
        port = try ReservedPort()
        server = try RedisServer(sentinel: ["port \(port.number)"] + Self.lines(primary) + lines)
        guard !lines.contains(where: { $0.hasPrefix("requirepass") }) else { return }
        while try !server.ask("SENTINEL", "REPLICAS", "main").hasPrefix("*1\r\n") { await Task.yield() }
    }

    /// Starts one that speaks TLS, as does the server that it watches.
    init(of primary: RedisServer, _ certificates: RedisCertificates) throws {
        port = try ReservedPort()
        let files = [
            "port 0", "tls-port \(port.number)", "tls-replication yes", "tls-auth-clients no",
            "tls-cert-file \(certificates.folder.file("server.pem"))",
            "tls-key-file \(certificates.folder.file("server.key"))", "tls-ca-cert-file \(certificates.authority)",
        ]
        server = try RedisServer(sentinel: files + Self.lines(primary))
    }

    private static func lines(_ primary: RedisServer) -> [String] {
        [
            "bind 127.0.0.1", "sentinel monitor main 127.0.0.1 \(primary.port) 1",
            "sentinel down-after-milliseconds main 3000", "sentinel failover-timeout main 2000",
        ]
    }

    var host: RedisSettings.Sentinels.Host { .init(host: "127.0.0.1", port: port.number) }

    /// The port of the server that it takes for the primary.
    func primary() throws -> UInt16? {
        let lines = try server.ask(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"], until: "127.0.0.1\r\n$5\r\n")
        return lines.split(whereSeparator: \.isNewline).last.flatMap { UInt16($0) }
    }

    /// Sends it one command.
    func ask(_ words: String...) throws -> String { try server.ask(words) }
}

/// A sentinel that says what a test wants.
final class FalseSentinel: Sendable {
    private let peer: ScriptedPeer
    private let answer: Locked<String>
    private let told = Locked<[PeerConnection]>([])

    /// Listens on a free port.
    ///
    /// - Parameter answer: The bytes that it answers a question with.
    /// - Throws: The errno of the socket.
    init(_ answer: String) throws {
        let (shared, told) = (Locked(answer), told)
        self.answer = shared
        peer = try ScriptedPeer { connection in
            while let bytes = connection.readSome() {
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains("SUBSCRIBE") {
                    connection.write("*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n")
                    told.withLock { $0.append(connection) }
                } else if text.contains("PING") {
                    connection.write("*2\r\n$4\r\npong\r\n$0\r\n\r\n")
                } else if !connection.write(shared.withLock { $0 }) {
                    return
                }
            }
        }
    }

    /// Makes one that names a server.
    convenience init(naming server: RedisServer) throws { try self.init(Self.address(server.port)) }

    /// The answer that names a port of this machine.
    static func address(_ port: UInt16) -> String {
        "*2\r\n$9\r\n127.0.0.1\r\n$\("\(port)".utf8.count)\r\n\(port)\r\n"
    }

    var host: RedisSettings.Sentinels.Host { .init(host: "127.0.0.1", port: peer.port) }
    /// True once somebody listens for news.
    var isHeard: Bool { told.withLock { !$0.isEmpty } }

    /// Names another server from now on.
    func name(_ server: RedisServer) { answer.withLock { $0 = Self.address(server.port) } }

    /// Tells all who listen that the primary of this name moved to a server.
    func tell(_ name: String = "main", from old: RedisServer, to new: RedisServer) {
        let text = "\(name) 127.0.0.1 \(old.port) 127.0.0.1 \(new.port)"
        let message = "*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$\(text.utf8.count)\r\n\(text)\r\n"
        for connection in told.withLock({ $0 }) { connection.write(message) }
    }

    func stop() { peer.stop() }
}
