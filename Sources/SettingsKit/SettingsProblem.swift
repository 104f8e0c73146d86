/// One problem of a settings file.
public struct SettingsProblem: Sendable, Hashable {
    /// The path of the file, as the program gave it.
    public let file: String
    /// The line, from 1; nil for a problem of the file as a whole.
    public let line: Int?
    /// The key, `session.idle`; empty for a problem that concerns no key.
    public let key: String
    /// The problem or the expected value; never the value itself, which may be secret.
    public let message: String

    /// Makes a problem at a place of a file.
    public init(file: String, line: Int?, key: String, message: String) {
        self.file = file
        self.line = line
        self.key = key
        self.message = message
    }
}

extension SettingsProblem: CustomStringConvertible {
    /// `cloakroom.yaml:12: session.idle: expected a duration from 1m to 1d`.
    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.isEmpty ? "\(place): \(message)" : "\(place): \(key): \(message)"
    }
}

/// Every problem of a settings file, in the order of its lines.
public struct SettingsError: Error, Sendable, Equatable {
    /// One or more problems.
    public let problems: [SettingsProblem]

    /// An error with these problems.
    public init(_ problems: [SettingsProblem]) {
        self.problems = problems
    }
}

extension SettingsError: CustomStringConvertible {
    /// The problems, one a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
