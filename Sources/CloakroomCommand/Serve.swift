import ArgumentParser
import Cloakroom
import Logging

/// Runs the server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            SIGTERM and SIGINT drain: requests under way are finished, new ones get 503. SIGHUP reads the settings again; \
            when they have a problem the old ones stay. Addresses, the store and outbound settings change with a restart.
            """)

    @OptionGroup var file: ConfigurationFile

    func run() async throws {
        let source = file.source
        let settings = try source.readReporting()
        settings.log.bootstrap()
        let logger = Logger(label: "cloakroom")
        do {
            try await Cloakroom.run(
                settings, logger: logger,
                reload: {
                    do throws(SettingsError) {
                        let reading = try source.read()
                        for warning in reading.warnings {
                            logger.warning("Unwise setting", metadata: ["problem": "\(warning)"])
                        }
                        return reading.settings
                    } catch {
                        for problem in error.problems {
                            logger.error("Settings not reloaded", metadata: ["problem": "\(problem)"])
                        }
                        return nil
                    }
                })
        } catch {
            logger.critical("The server cannot start", metadata: ["cause": "\(error)"])
            throw ExitCode.failure
        }
    }
}
