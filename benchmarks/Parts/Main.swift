import Logs

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The processes that `benchmarks/run` measures and needs.
///
/// One a role:
///
/// - `hello`: `HTTPServer` alone.
/// - `log`: no server; what a log line costs that is not written.
/// - `simulator`: the identity provider.
/// - `issuer DIRECTORY`: an issuer of access tokens for bearer callers.
/// - `server NAME=VALUE …`: Cloakroom, with these neighbours.
///
/// The demo has provider and server in one process; here they are apart, so that the CPU time of one is its own. Each
/// prints `ready {…}` on one line and runs until SIGTERM, and answers SIGUSR1 with the number of its allocations; `log`
/// prints its result and ends.
@main
struct Main {
    static func main() async throws {
        Allocations.printOnSignal()
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("hello", 1): try await HelloRole.run()
        case ("simulator", 1): try await SimulatorRole.run()
        case ("issuer", 2): try await IssuerRole.run(directory: arguments[2])
        case ("log", 1): LogRole.run()
        case ("server", _): try await ServerRole.run(Array(arguments.dropFirst()))
        default:
            print("usage: BenchmarkParts hello | log | simulator | issuer DIRECTORY | server NAME=VALUE ...")
            exit(64)
        }
    }

    /// A logger for warnings and what is worse, to standard error.
    static func logger(_ label: String) -> Logger {
        Logger(label: label, level: .warning, to: LogLines(format: .text))
    }

    /// Tells the script where to go.
    static func ready(_ members: String) {
        print("ready {\(members),\"pid\":\(getpid())}")
        fflush(nil)
    }

    /// Waits for ever: SIGTERM ends a process that has nothing to put in order.
    static func runUntilKilled() async {
        while true { try? await Task.sleep(for: .seconds(3600)) }
    }
}
