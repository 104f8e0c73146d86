import ArgumentParser
import Cloakroom
import Logging

/// Checks a settings file, or a running server.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks a settings file, the providers it names, or a running server.",
        discussion: """
            Prints every problem of the file with its line. Exits with 0 when there is none, with 1 otherwise.

            --live also tries what the file names: discovery, keys and cookie name of each client, and the store. \
            It signs nobody in and changes nothing.

            --ready asks a running server instead and exits with 0 when its /readyz answers 200; \
            made for the health check of a container.
            """)

    @Option(name: [.short, .long], help: ArgumentHelp("The settings file.", valueName: "file"))
    var config: String?

    @Flag(help: "Also try the providers and the store.")
    var live = false

    @Option(
        help: ArgumentHelp("The address of a server's /readyz, as in http://127.0.0.1:8081/readyz.", valueName: "url"))
    var ready: String?

    func validate() throws {
        guard (config == nil) != (ready == nil) else {
            throw ValidationError("Give either --config FILE or --ready URL.")
        }
        if live, config == nil { throw ValidationError("--live needs --config FILE.") }
    }

    func run() async throws {
        if let ready { return try await check(ready) }
        guard let config else { return }
        let settings = try ConfigurationFile.source(of: config).readReporting()
        guard live else { return print("\(config): no problems") }
        var quiet = Logger(label: "check")
        quiet.logLevel = .critical
        var failed = false
        for finding in try await checkLive(settings, logger: quiet) {
            print("\(finding.subject): \(finding.failure ?? "ok")")
            failed = failed || finding.failure != nil
        }
        if failed { throw ExitCode.failure }
    }

    private func check(_ address: String) async throws {
        var quiet = Logger(label: "check")
        quiet.logLevel = .critical
        do throws(ServerError) {
            switch try await checkReadiness(address, logger: quiet) {
            case .ready: return print("ready")
            case .refused(let status): printError("not ready: status \(status)")
            case .noAnswer: printError("not ready: no answer")
            }
        } catch {
            printError("Error: \(error)")
            throw ExitCode.validationFailure
        }
        throw ExitCode.failure
    }
}
