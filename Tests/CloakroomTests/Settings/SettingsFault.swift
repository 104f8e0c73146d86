import Testing

/// A change of the good file, and everything that is said about it.
struct SettingsFault: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let problems: [String]

    init(_ old: String, _ new: String, _ problems: String...) { self.init(old, new, problems) }

    init(_ old: String, _ new: String, _ problems: [String]) {
        self.old = old
        self.new = new
        self.problems = problems
    }

    var testDescription: String { "'\(new)' for '\(old)'" }
}
