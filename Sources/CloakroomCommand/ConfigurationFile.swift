import Arguments
import Basics
import Cloakroom
import Glibc

/// The settings file of a command.
enum ConfigurationFile {
    /// Where it must be named.
    static let required = Parameter.required(
        "config", short: "c", .path, "FILE", completion: .files, help: "The settings file.")

    /// Where something else can be named instead.
    static let optional = Parameter.option(
        "config", short: "c", .path, "FILE", completion: .files, help: "The settings file.")

    static func source(of path: String) -> SettingsSource {
        SettingsSource(path: path, environment: ProcessEnvironment.variables())
    }
}

extension SettingsSource {
    /// Reads the file; prints warnings and every problem to standard error, one a line.
    ///
    /// - Throws: `.reported` when there are problems.
    func readReporting() throws(CommandError) -> Settings {
        do {
            let reading = try read()
            for warning in reading.warnings { printError("warning: \(warning)") }
            return reading.settings
        } catch {
            printError("\(error)")
            throw .reported
        }
    }
}

/// Prints a line to standard error.
func printError(_ line: String) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
