internal import Basics

/// The state shared by all sections while a file is read: its surroundings, and every problem found so far.
///
/// Used on one thread, for the length of one reading.
package final class ReadingContext {
    package let file: String
    package let environment: [String: String]
    package let files: SettingsFiles
    /// True if users other than the owner may read the settings file itself.
    package let isPublic: Bool
    /// True if secrets may be in files that others can read; `server.insecureSecretFiles`.
    package var takesExposedSecrets = false
    package private(set) var warnings: [SettingsProblem] = []
    /// Every key that was read, with `*` for names and `[]` for places in lists.
    package private(set) var patterns: Set<String> = []
    /// Every file that a key names: secrets, keys, certificates and the store.
    package private(set) var namedFiles: [(key: String, path: String)] = []
    private var problems: [SettingsProblem] = []
    private var lines: [String: Int] = [:]

    package init(file: String, environment: [String: String], files: SettingsFiles, isPublic: Bool) {
        self.file = file
        self.environment = environment
        self.files = files
        self.isPublic = isPublic
    }

    package func report(_ key: String, line: Int, _ message: String) {
        problems.append(SettingsProblem(file: file, line: line, key: key, message: message))
    }

    /// Reports a key by name, at the line where the key or the nearest section around it was read.
    package func report(_ key: String, _ message: String) {
        report(key, line: line(of: key), message)
    }

    /// Reports a value that weakens the server; where a setting allows the value, it is a warning instead.
    ///
    /// - Parameters:
    ///   - key: The key that weakens the server.
    ///   - line: The line of the key; nil for the line where the key or the nearest section around it was read.
    ///   - message: The problem of the value.
    ///   - isAllowed: The value of the setting.
    ///   - setting: The setting that allows it, `server.insecureRates`.
    package func refuse(_ key: String, line: Int? = nil, _ message: String, unless isAllowed: Bool, _ setting: String) {
        let line = line ?? self.line(of: key)
        guard isAllowed else { return report(key, line: line, "\(message); \(setting): true allows it") }
        warnings.append(SettingsProblem(file: file, line: line, key: key, message: message))
    }

    /// Reports a secret that others may read, as a warning where that is allowed.
    package func refuseExposedSecret(_ key: String, line: Int, _ message: String) {
        refuse(key, line: line, message, unless: takesExposedSecrets, "server.insecureSecretFiles")
    }

    package func note(_ pattern: String) {
        patterns.insert(pattern)
    }

    package func note(_ key: String, line: Int) {
        lines[key] = line
    }

    /// Notes that a key names a file.
    package func note(_ key: String, file path: String) {
        namedFiles.append((key, path))
    }

    /// True if this key has been reported already, so that one mistake does not become two problems.
    package func isReported(_ key: String) -> Bool {
        problems.contains { $0.key == key || $0.key.hasPrefix(key + "[") }
    }

    /// All problems in the order of their lines.
    package func sortedProblems() -> [SettingsProblem] {
        problems.enumerated().sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }
            .map(\.element)
    }

    private func line(of key: String) -> Int {
        var name = key[...]
        while true {
            if let line = lines[String(name)] { return line }
            guard let dot = name.lastIndex(of: ".") else { return 1 }
            name = name[..<dot]
        }
    }

    /// Replaces `${NAME}` by environment variables; `$${` stands for `${` itself.
    ///
    /// - Returns: nil when a variable is not set or a brace is missing, which is reported.
    package func expand(_ text: String, _ key: String, line: Int) -> String? {
        guard text.firstRange(ofText: "${") != nil else { return text }
        var expanded = ""
        var rest = text[...]
        while let start = rest.firstRange(ofText: "${") {
            let before = rest[..<start.lowerBound]
            expanded += before
            rest = rest[start.upperBound...]
            // rule: a dollar in a variable's value escapes nothing | expanded.hasSuffix("$")
            if before.hasSuffix("$") {
                expanded += "{"
                continue
            }
            guard let end = rest.firstIndex(of: "}") else {
                report(key, line: line, "expected a closing brace after ${")
                return nil
            }
            let name = String(rest[..<end])
            guard let value = environment[name] else {
                let isName = !name.isEmpty && name.utf8.allSatisfy(Self.isNameByte)
                report(
                    key, line: line,
                    isName ? "the environment variable \(name) is not set" : "expected a variable's name in ${}")
                return nil
            }
            expanded += value
            rest = rest[rest.index(after: end)...]
        }
        return expanded + rest
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "_")
    }
}
