import ArgumentParser
import Cloakroom
import Foundation

/// The settings file of a command.
struct ConfigurationFile: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The settings file.", valueName: "file"))
    var config: String

    var source: SettingsSource { Self.source(of: config) }

    static func source(of path: String) -> SettingsSource {
        SettingsSource(path: path, environment: ProcessInfo.processInfo.environment)
    }
}

extension SettingsSource {
    /// Reads the file; prints warnings and every problem to standard error, one a line.
    ///
    /// - Throws: `ExitCode.failure` when there are problems.
    func readReporting() throws -> Settings {
        do {
            let reading = try read()
            for warning in reading.warnings { printError("warning: \(warning)") }
            return reading.settings
        } catch {
            printError("\(error)")
            throw ExitCode.failure
        }
    }
}

/// Prints a line to standard error.
func printError(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
