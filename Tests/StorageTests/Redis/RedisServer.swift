import Basics
import EventLoop
import Glibc
import Logs
import StorageRedis
import Synchronization
import TestSupport
import Testing

/// A Redis server of the tests, on a socket in a directory of its own.
///
/// It ends with its owner. The one that is shared ends with the process of the tests, however that ends: a process beside it
/// waits for the end of its input, and ends the server by its id.
final class RedisServer: Sendable {
    /// The program, which the environment may name: `CLOAKROOM_REDIS_SERVER=valkey-server`.
    static let program = getenv("CLOAKROOM_REDIS_SERVER").map { String(cString: $0) } ?? "redis-server"
    /// True if the machine has the program; `scripts/deps` installs `redis-server`.
    static let isInstalled = ["/usr/bin", "/usr/local/bin"].contains { folder in
        access("\(folder)/\(program)", X_OK) == 0
    }
    /// One server for all tests that name keys of their own; nil without the program.
    static let shared = isInstalled ? try? RedisServer() : nil

    /// One server with TLS for all tests that name keys of their own; nil without the program.
    static let secure = isInstalled ? RedisCertificates.shared.flatMap { try? RedisServer($0) } : nil

    /// A call of the system failed on the way to the server.
    struct NoAnswer: Error {
        let code: Int32
    }

    private static let script = """
        exec 3<&0; (cat <&3 >/dev/null; kill -9 $$ 2>/dev/null) & exec "$0" "$@" </dev/null 3<&-
        """
    private static let stores = Atomic(0)

    let process: ChildProcess
    let folder: TemporaryFolder
    private let reserved: ReservedPort?
    private let reservedBus: ReservedPort?
    private let certificates: RedisCertificates?

    /// Starts a server, which takes a moment to listen.
    convenience init(_ options: [String] = []) throws {
        try self.init(options, nil, nil)
    }

    /// Starts a server that speaks TLS on a port of this machine, and waits until it listens.
    ///
    /// - Parameters:
    ///   - certificates: The authority, for the certificates of clients too.
    ///   - name: The name of the server's certificate.
    ///   - options: Further options.
    /// - Throws: What keeps the process from starting.
    convenience init(_ certificates: RedisCertificates, _ name: String = "server", _ options: [String] = []) throws {
        let port = try ReservedPort()
        let (certificate, key) = (certificates.folder.file("\(name).pem"), certificates.folder.file("\(name).key"))
        let files = [
            "--tls-port", "\(port.number)", "--bind", "127.0.0.1", "--tls-cert-file", certificate, "--tls-key-file",
            key,
            "--tls-ca-cert-file", certificates.authority,
        ]
        let choice = options.contains("--tls-auth-clients") ? [] : ["--tls-auth-clients", "no"]
        try self.init(files + choice + options, port, certificates)
        close(try Self.connect(path))
    }

    /// Starts a server that listens on a port of this machine, and waits until it does.
    convenience init(listening options: [String]) throws {
        let port = try ReservedPort()
        try self.init(["--port", "\(port.number)", "--bind", "127.0.0.1"] + options, port, nil)
        close(try Self.connect(path))
    }

    /// Starts a node of a cluster that has no slots yet, and waits until it listens; with TLS if there are certificates.
    convenience init(node options: [String], _ certificates: RedisCertificates? = nil) throws {
        let (port, bus) = (try ReservedPort(), try ReservedPort())
        var cluster = [
            "--port", certificates == nil ? "\(port.number)" : "0", "--bind", "127.0.0.1", "--cluster-enabled", "yes",
            "--cluster-port", "\(bus.number)", "--cluster-replica-validity-factor", "0",
        ]
        if let certificates {
            cluster += [
                "--tls-port", "\(port.number)", "--tls-cluster", "yes", "--tls-auth-clients", "no",
                "--tls-cert-file", certificates.folder.file("server.pem"),
                "--tls-key-file", certificates.folder.file("server.key"), "--tls-ca-cert-file", certificates.authority,
            ]
        }
        try self.init(cluster + options, port, certificates, bus)
        close(try Self.connect(path))
    }

    /// Starts a server anew that has ended, on its port.
    convenience init(again server: RedisServer) throws {
        let options = ["--port", "\(server.port)", "--bind", "127.0.0.1"]
        try self.init(options, server.reserved, nil)
        close(try Self.connect(path))
    }

    /// Starts a sentinel with these lines of its configuration.
    convenience init(sentinel lines: [String]) throws {
        let folder = try TemporaryFolder()
        let place = ["dir \(folder.path)", "unixsocket \(folder.file("redis.sock"))"]
        let file = try folder.write((place + lines).joined(separator: "\n") + "\n", to: "sentinel.conf")
        try self.init(program: [file, "--sentinel"], folder, nil, nil)
        close(try Self.connect(path))
    }

    private convenience init(
        _ options: [String], _ port: ReservedPort?, _ certificates: RedisCertificates?, _ bus: ReservedPort? = nil
    ) throws {
        let folder = try TemporaryFolder()
        let plain = [
            "--unixsocket", folder.file("redis.sock"), "--dir", folder.path, "--save", "", "--appendonly", "no",
            "--daemonize", "no", "--databases", "4",
        ]
        let closed = options.contains("--port") ? [] : ["--port", "0"]
        try self.init(program: plain + closed + options, folder, port, certificates, bus)
    }

    private init(
        program words: [String], _ folder: TemporaryFolder, _ port: ReservedPort?, _ certificates: RedisCertificates?,
        _ bus: ReservedPort? = nil
    ) throws {
        self.folder = folder
        reserved = port
        reservedBus = bus
        self.certificates = certificates
        process = try ChildProcess(arguments: ["sh", "-c", Self.script, Self.program] + words)
    }

    /// Its port, with TLS if it has certificates; 0 for none.
    var port: UInt16 { reserved?.number ?? 0 }
    /// The port for the other nodes of a cluster; 0 for none.
    var busPort: UInt16 { reservedBus?.number ?? 0 }
    /// The path of its socket.
    var path: String { folder.file("redis.sock") }

    /// Settings with a prefix that no other store has.
    func settings() -> RedisSettings {
        var settings = RedisSettings(address: .socket(path: path))
        if let certificates {
            settings.address = .tcp(host: "localhost", port: port)
            settings.tls = certificates.trust()
        }
        settings.prefix = "t\(Self.stores.add(1, ordering: .relaxed).newValue)"
        // A busy machine starts the server late.
        settings.commandTimeout = .seconds(60)
        settings.connectTimeout = .seconds(30)
        return settings
    }

    /// A store on it, with a thread of its own, once the server listens.
    func store(
        _ settings: RedisSettings? = nil, time: any TimeSource = ManualTime(), limits: RedisStoreLimits = .init(),
        logger: Logger = .silent
    ) throws -> RedisStore {
        close(try Self.connect(path))
        return RedisStore(
            settings ?? self.settings(), on: try EventThread(name: "redis"), time: time, limits: limits, logger: logger)
    }

    /// Sends one command on a connection of its own; returns the whole answer once it holds the text.
    func ask(_ words: String..., until text: String = "\r\n") throws -> String {
        try ask(words, until: text)
    }

    /// Like `ask` with words, for a list of them.
    func ask(_ words: [String], until text: String = "\r\n") throws -> String {
        let socket = try Self.connect(path)
        defer { close(socket) }
        // An answer without the text is a failure, not a test that never ends.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let command = "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        let bytes = Array(command.utf8)
        guard send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { throw NoAnswer(code: errno) }
        var (answer, chunk) = ("", [UInt8](repeating: 0, count: 65_536))
        while !answer.contains(text) {
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { throw NoAnswer(code: errno) }
            answer += String(decoding: chunk.prefix(count), as: UTF8.self)
        }
        return answer
    }

    /// How often the server was asked to do one of these commands.
    func commands(_ names: String...) throws -> Int {
        let answer = try ask(["INFO", "commandstats"], until: "# Commandstats")
        let lines = answer.split(whereSeparator: \.isNewline)
        return names.reduce(0) { sum, name in
            let line = lines.first { $0.hasPrefix("cmdstat_\(name):calls=") }
            return sum + (line.flatMap { Int($0.split(separator: "=")[1].prefix { $0.isNumber }) } ?? 0)
        }
    }

    /// Connects to its port with TLS.
    static func connect(port: UInt16) throws -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 ? 0 : errno
            }
        }
        guard code == 0 else {
            close(socket)
            throw NoAnswer(code: code)
        }
        return socket
    }

    /// Connects to a socket of this machine, once it listens.
    static func connect(_ path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            for (index, byte) in path.utf8.enumerated() { place[index] = byte }
        }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let code = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
                }
            }
            if code == 0 { return socket }
            guard code == ENOENT || code == ECONNREFUSED, ContinuousClock.now < end else {
                close(socket)
                throw NoAnswer(code: code)
            }
            sched_yield()
        }
    }
}
