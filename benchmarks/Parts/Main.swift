import Logging

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
/// - `simulator`: the identity provider.
/// - `server SERVER-URL DISCOVERY-URL ISSUER`: Cloakroom, with that provider.
///
/// The demo has provider and server in one process; here they are apart, so that the CPU time of one is its own. Each
/// prints `ready {…}` on one line and runs until SIGTERM.
@main
struct Main {
    static func main() async throws {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .warning
            return handler
        }
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("hello", 1): try await HelloRole.run()
        case ("simulator", 1): try await SimulatorRole.run()
        case ("server", 4):
            let values = Array(arguments.dropFirst())
            try await ServerRole.run(serverURL: values[0], discovery: values[1], issuer: values[2])
        default:
            print("usage: BenchmarkParts hello | simulator | server SERVER-URL DISCOVERY-URL ISSUER")
            exit(64)
        }
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
