public import ArgumentParser
import Cloakroom
import IdentitySimulator
import LedgerAPI
public import Logging

/// The command line of the demo.
@main
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloakroom-demo",
        abstract: "Runs Cloakroom and a simulated identity provider in one process.",
        discussion: """
            Nothing is installed and nothing is kept: users, sessions and tokens live in memory unless --store names a \
            file. Sign in as demo, alice or bob with the password Ch4ng3it! and follow the printed commands.
            """)

    @Option(help: "The port of Cloakroom; 0 takes a free one.")
    var port: UInt16 = 8080

    @Option(help: "The port of the admin listener with /healthz and /readyz; 0 takes a free one.")
    var adminPort: UInt16 = 8081

    @Option(help: "The port of the identity simulator; 0 takes a free one.")
    var simulatorPort: UInt16 = 8090

    @Option(help: "The port of the sample ledger API; 0 takes a free one.")
    var ledgerPort: UInt16 = 8091

    @Option(help: "How long the token of a step-up lives: 30s, 5m.")
    var elevatedLimit = LimitOption(minutes: 5)

    @Option(help: "Where sessions lie: memory, or sqlite:PATH to keep them over a restart.")
    var store = "memory"

    @Option(help: "A key file of 'cloakroom keygen'; without one a new key is made at each start.")
    var key: String?

    @Flag(help: "Prints one line 'ready {…}' with the addresses as JSON instead of the instructions.")
    var json = false

    @Option(help: "The least level that is logged: trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.warning

    func run() async throws {
        let level = logLevel
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let logger = Logger(label: "cloakroom")
        let simulator = try DemoParts.simulator(port: simulatorPort, logger: logger)
        do {
            let ledger = try DemoParts.ledger(
                port: ledgerPort, simulator: simulator, logger: Logger(label: "ledger"))
            do {
                try await serve(simulator, ledger, logger)
            } catch {
                await ledger.stop()
                throw error
            }
            await ledger.stop()
        } catch {
            await simulator.stop()
            throw error
        }
        await simulator.stop()
    }

    private func serve(_ simulator: Simulator, _ ledger: LedgerServer, _ logger: Logger) async throws {
        let settings = try DemoSettings(
            simulator: simulator, ledgerPort: ledger.port, elevatedLimit: elevatedLimit.duration
        ).settings(port: port, adminPort: adminPort, store: store, keyFile: key)
        let asJSON = json
        do {
            try await Cloakroom.run(
                settings, logger: logger,
                ready: { server in
                    do {
                        // The port is known only now; nobody has been told of it yet.
                        var placed = settings
                        placed.api = try DemoParts.api(port: server.port)
                        try server.reload(placed)
                        Announcement(server, simulator, ledger, asJSON: asJSON).print()
                    } catch {
                        logger.critical("The demo cannot take its own address", metadata: ["cause": "\(error)"])
                    }
                })
        } catch {
            guard let taken = PortTaken(error, port: port, adminPort: adminPort) else { throw error }
            throw taken
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
