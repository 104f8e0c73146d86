import BFFAPI
import Cloakroom
import HTTPCore
import IdentitySimulator
import LedgerAPI
import Logs

/// Runs the provider, the sample APIs and the server until the first signal.
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
            let logger = Self.logger("ledger", options)
            let ledger = try DemoParts.ledger(
                port: options.ledgerPort, issuer: DemoParts.issuer(simulator, options.dialect),
                highValue: options.dialect == .openam ? DemoSettings.transfer : LedgerAPI.highValue, logger)
            do {
                let workforce = DemoWorkforce(simulator: simulator, elevatedLimit: options.elevatedLimit)
                let other = try workforce.ledger(logger)
                do {
                    try await serve(simulator, ledger, other)
                } catch {
                    await other.stop()
                    throw error
                }
                await other.stop()
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

    private func serve(_ simulator: Simulator, _ ledger: LedgerServer, _ workforce: LedgerServer) async throws {
        let settings = try DemoSettings(
            simulator: simulator, dialect: options.dialect, ledgerPort: ledger.port,
            workforcePort: workforce.port, elevatedLimit: options.elevatedLimit
        ).settings(options)
        let options = options
        let files = try DemoParts.files(options.files)
        do {
            try await Cloakroom.run(
                settings, logger: logger,
                ready: { server in
                    do {
                        // The port is known only now; no address has been announced yet.
                        var placed = settings
                        placed.api = try DemoParts.api(port: server.port, options)
                        let address = try DemoParts.address(port: server.port, options).origin
                        let announcement = Announcement(
                            address, server, simulator, ledger, asJSON: options.json, hasApp: files != nil)
                        if files == nil { placed.api.frontPage = announcement.page }
                        placed.api.files = files
                        try server.reload(placed)
                        simulator.applicationURL = address
                        announcement.print()
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
