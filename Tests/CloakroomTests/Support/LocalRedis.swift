import Glibc
import StorageRedis
import TestSupport

/// A Redis server on a socket of its own, for a test with several servers.
final class LocalRedis: Sendable {
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts the server; nil on a machine without the program.
    init?() throws {
        let isInstalled = ["/usr/bin", "/usr/local/bin"].contains { access("\($0)/redis-server", X_OK) == 0 }
        guard isInstalled else { return nil }
        folder = try TemporaryFolder()
        process = try ChildProcess(arguments: [
            "redis-server", "--port", "0", "--unixsocket", folder.file("redis.sock"), "--dir", folder.path, "--save",
            "",
            "--appendonly", "no", "--daemonize", "no",
        ])
    }

    /// Returns when the server takes connections.
    func ready() async throws { _ = await process.read(through: "Ready to accept connections") }

    /// Settings of a store on it; a busy machine answers late.
    var settings: RedisSettings {
        var settings = RedisSettings(address: .socket(path: folder.file("redis.sock")))
        (settings.commandTimeout, settings.connectTimeout) = (.seconds(30), .seconds(30))
        return settings
    }

    /// Ends the server.
    func end() async {
        process.terminate()
        _ = await process.end()
    }
}
