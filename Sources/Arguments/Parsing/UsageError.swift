internal import Basics

/// Why the arguments are invalid, with the word at fault.
struct UsageError: Error, Equatable {
    let sentence: String
    var isUnknownCommand = false

    init(_ sentence: String) { self.sentence = sentence }

    static func unknownCommand(_ word: String, in path: CommandPath) -> UsageError {
        let names = path.command.commands.map(\.name)
        let near = Misspelling.nearest(to: word, among: names)
        let rest =
            near.map { "; did you mean '\($0)'?" } ?? "; there are \(names.isEmpty ? "no others" : listed(names))."
        var failure = UsageError("Unknown command \(Word.quoted(word))\(rest)")
        failure.isUnknownCommand = true
        return failure
    }

    /// The error about an unknown option, with the near option or the command that has it, if any.
    static func unknownOption(_ word: String, of path: CommandPath, known: [String]) -> UsageError {
        let name = String(word.drop { $0 == "-" })
        let start = "Unknown option \(Word.quoted(word))"
        let beginning = known.first { name.utf8.count >= 3 && $0.hasPrefix(name) }
        if let near = Misspelling.nearest(to: name, among: known) ?? beginning {
            return UsageError("\(start); did you mean '--\(near)'?")
        }
        let owner = CommandPath(path.root).all.first { path in
            path.command.options.contains { $0.name.isSameText(as: name) }
        }
        return UsageError(owner.map { "\(start); it belongs to '\($0.text)'." } ?? "\(start).")
    }

    static func unknownLetter(_ letter: Character, in word: String) -> UsageError {
        let option = Word.quoted("-\(letter)")
        return UsageError(
            word.count == 2 ? "Unknown option \(option)." : "Unknown option \(option) in \(Word.quoted(word)).")
    }

    /// The error about an option without its value; `next` is the word after it.
    static func noValue(_ declaration: Declaration, written: String, next: String?) -> UsageError {
        let start = "\(written) needs a value, as in \(declaration.spelling)"
        guard let next, next != "--" else { return UsageError("\(start).") }
        return UsageError(
            "\(start); one that begins with a dash is written \(Word.quoted("--\(declaration.name)=\(next)")).")
    }

    static func value(_ word: String, of declaration: Declaration) -> UsageError {
        var rest = "."
        if let near = Misspelling.nearest(to: word, among: declaration.words) { rest = "; did you mean '\(near)'?" }
        return UsageError("\(declaration.label) takes \(declaration.expected), not \(Word.quoted(word))\(rest)")
    }

    static func twice(_ declaration: Declaration, _ words: [String]) -> UsageError {
        UsageError("\(declaration.label) is given twice: \(words.map(Word.quoted).joined(separator: " and ")).")
    }

    static func flagWithValue(_ label: String, _ value: String) -> UsageError {
        UsageError("\(label) takes no value, but has \(Word.quoted(value)).")
    }

    static func missing(_ declaration: Declaration) -> UsageError {
        UsageError(
            "\(declaration.spelling) is missing"
                + (declaration.kind == .operand ? "; it takes \(declaration.expected)." : "."))
    }

    /// The error about a surplus word; `meant` is the option whose value it probably is.
    static func tooMany(_ word: String, of path: CommandPath, meant: Declaration?) -> UsageError {
        let takes = path.command.operands.isEmpty ? "takes only options" : "takes no more words"
        let rest = meant.map { "; did you mean '\($0.spelling)'?" } ?? "."
        return UsageError("Unexpected \(Word.quoted(word)): '\(path.text)' \(takes)\(rest)")
    }

    private static func listed(_ names: [String]) -> String {
        names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}
