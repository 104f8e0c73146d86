import Cloakroom
import IdentitySimulator
import LedgerAPI
import Logs

/// Provider, sample API and server, until the first signal.
struct Demo {
    private let options: DemoOptions
    private let logger: Logger

    init(_ options: DemoOptions) {
        self.options = options
        logger = Self.logger("cloakroom", options)
    }

    private static func logger(_ label: String, _ options: DemoOptions) -> Logger {
        Logger(label: label, level: options.logLevel, to: LogLines(format: .text))
    }

    func run() async throws {
        let simulator = try DemoParts.simulator(options, logger: logger)
        do {
            let ledger = try DemoParts.ledger(
                port: options.ledgerPort, simulator: simulator, options.dialect, logger: Self.logger("ledger", options))
            do {
                try await serve(simulator, ledger)
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

    private func serve(_ simulator: Simulator, _ ledger: LedgerServer) async throws {
        let settings = try DemoSettings(
            simulator: simulator, dialect: options.dialect, ledgerPort: ledger.port,
            elevatedLimit: options.elevatedLimit
        ).settings(options)
        let asJSON = options.json
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
            guard let taken = PortTakenError(error, port: options.port, adminPort: options.adminPort) else {
                throw error
            }
            throw taken
        }
    }
}
