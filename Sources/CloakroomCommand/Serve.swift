import Arguments
import CMemory
import Cloakroom
import Logs
internal import SettingsKit

/// Runs the server.
enum Serve {
    static let command = Command(
        "serve", summary: "Runs the server until SIGTERM or SIGINT.",
        discussion: """
            SIGTERM or SIGINT drains the server: it finishes the requests in flight, answers new requests on open \
            connections with 503, and refuses new connections. A second signal ends it at once. SIGHUP reads the \
            settings again: if they have a problem, the server keeps the old ones; a warning names each setting that \
            needs a restart.
            """,
        takes: ConfigurationFile.required
    ) { given throws(CommandError) in
        try await run(ConfigurationFile.source(of: given[ConfigurationFile.required]))
    }

    private static func run(_ source: SettingsSource) async throws(CommandError) {
        let settings = try source.readReporting()
        let logger = settings.log.logger("cloakroom")
        if cloakroom_overwrites_freed_memory() == 0 {
            logger.warning(
                "Freed memory is not overwritten: another allocator has taken the place of the program's own")
        }
        do {
            try await Cloakroom.run(settings, logger: logger, reload: { reload(source, logger) })
        } catch {
            logger.critical("The server cannot start", metadata: ["cause": "\(error)"])
            throw .reported
        }
    }

    /// Reads the settings again; nil if they have a problem, which is logged.
    private static func reload(_ source: SettingsSource, _ logger: Logger) -> Settings? {
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
    }
}
