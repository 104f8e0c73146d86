internal import Glibc

/// The environment variables of the process.
public enum ProcessEnvironment {
    /// The value of a variable.
    ///
    /// - Parameter name: The name of the variable.
    /// - Returns: The value; nil when it is not set, or is not UTF-8.
    public static func value(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    /// All variables of this process.
    ///
    /// - Returns: The values by name; a variable that is not UTF-8 is left out, because a repaired value is another
    ///   value.
    public static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            if let text = String(validatingCString: entry), let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(text[..<sign])
                // Of two entries with one name, getenv returns the first.
                if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: sign)...]) }
            }
            next += 1
        }
        return variables
    }
}
