import Glibc
import StorageRedis
import TestSupport

/// A Redis server on a socket of its own, for a test with several servers.
///
/// It ends with its owner, or with the process of the tests: a process beside it waits for the end of its input.
final class LocalRedis: Sendable {
    private static let script = """
        exec 3<&0; (cat <&3 >/dev/null; kill -9 $$ 2>/dev/null) & exec redis-server "$@" </dev/null 3<&-
        """
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts the server; nil on a machine without the program.
    init?() throws {
        let isInstalled = ["/usr/bin", "/usr/local/bin"].contains { access("\($0)/redis-server", X_OK) == 0 }
        guard isInstalled else { return nil }
        folder = try TemporaryFolder()
        let options = [
            "--port", "0", "--unixsocket", folder.file("redis.sock"), "--dir", folder.path, "--save", "",
            "--appendonly", "no", "--daemonize", "no",
        ]
        process = try ChildProcess(arguments: ["sh", "-c", Self.script, "redis-server"] + options)
    }

    /// Returns when the server takes connections.
    func ready() async throws { _ = await process.read(through: "eady to accept connections") }

    /// Settings of a store on it; a busy machine answers late.
    var settings: RedisSettings {
        var settings = RedisSettings(address: .socket(path: folder.file("redis.sock")))
        (settings.commandTimeout, settings.connectTimeout) = (.seconds(30), .seconds(30))
        return settings
    }

    /// How often the server did each command so far.
    func commands() async throws -> [String: Int] {
        let path = folder.file("redis.sock")
        let client = try ChildProcess(arguments: [
            "sh", "-c", "redis-cli -s \"$0\" info commandstats; echo the end", path,
        ])
        let text = await client.read(through: "the end") ?? ""
        _ = await client.end()
        return text.split(whereSeparator: \.isNewline).reduce(into: [:]) { counts, line in
            guard let match = line.firstMatch(of: /^cmdstat_([^:]+):calls=([0-9]+)/) else { return }
            counts[String(match.1)] = Int(match.2)
        }
    }

    /// Ends the server.
    func end() async {
        process.terminate()
        _ = await process.end()
    }
}
