internal import Basics

/// Why arguments cannot be used, with the word that is at fault.
struct WrongUse: Error, Equatable {
    let sentence: String
    var isUnknownCommand = false

    init(_ sentence: String) { self.sentence = sentence }

    static func unknownCommand(_ word: String, in path: CommandPath) -> WrongUse {
        let names = path.command.commands.map(\.name)
        let near = Misspelling.nearest(to: word, among: names)
        let rest =
            near.map { "; did you mean '\($0)'?" } ?? "; there are \(names.isEmpty ? "no others" : listed(names))."
        var fault = WrongUse("Unknown command \(Word.quoted(word))\(rest)")
        fault.isUnknownCommand = true
        return fault
    }

    /// A word that begins with dashes and is no option, or begins with none.
    static func unknownOption(_ word: String, of path: CommandPath, known: [String]) -> WrongUse {
        let name = String(word.drop { $0 == "-" })
        let start = "Unknown option \(Word.quoted(word))"
        let beginning = known.first { name.utf8.count >= 3 && $0.hasPrefix(name) }
        if let near = Misspelling.nearest(to: name, among: known) ?? beginning {
            return WrongUse("\(start); did you mean '--\(near)'?")
        }
        let owner = CommandPath(path.root).all.first { path in
            path.command.options.contains { $0.name.isSameText(as: name) }
        }
        return WrongUse(owner.map { "\(start); it belongs to '\($0.text)'." } ?? "\(start).")
    }

    static func unknownLetter(_ letter: Character, in word: String) -> WrongUse {
        let option = Word.quoted("-\(letter)")
        return WrongUse(
            word.count == 2 ? "Unknown option \(option)." : "Unknown option \(option) in \(Word.quoted(word)).")
    }

    /// The last word needs another one behind it.
    static func noValue(_ declaration: Declaration, written: String, next: String?) -> WrongUse {
        let start = "\(written) needs a value, as in \(declaration.spelling)"
        guard let next, next != "--" else { return WrongUse("\(start).") }
        return WrongUse(
            "\(start); one that begins with a dash is written \(Word.quoted("--\(declaration.name)=\(next)")).")
    }

    static func value(_ word: String, of declaration: Declaration) -> WrongUse {
        var rest = "."
        if let near = Misspelling.nearest(to: word, among: declaration.words) { rest = "; did you mean '\(near)'?" }
        return WrongUse("\(declaration.label) takes \(declaration.expected), not \(Word.quoted(word))\(rest)")
    }

    static func twice(_ declaration: Declaration, _ words: [String]) -> WrongUse {
        WrongUse("\(declaration.label) is given twice: \(words.map(Word.quoted).joined(separator: " and ")).")
    }

    static func flagWithValue(_ label: String, _ value: String) -> WrongUse {
        WrongUse("\(label) takes no value, but has \(Word.quoted(value)).")
    }

    static func missing(_ declaration: Declaration) -> WrongUse {
        WrongUse(
            "\(declaration.spelling) is missing"
                + (declaration.kind == .operand ? "; it takes \(declaration.expected)." : "."))
    }

    /// A word too much; `meant` is the option whose value it probably is.
    static func tooMany(_ word: String, of path: CommandPath, meant: Declaration?) -> WrongUse {
        let takes = path.command.operands.isEmpty ? "takes only options" : "takes no more words"
        let rest = meant.map { "; did you mean '\($0.spelling)'?" } ?? "."
        return WrongUse("Unexpected \(Word.quoted(word)): '\(path.text)' \(takes)\(rest)")
    }

    private static func listed(_ names: [String]) -> String {
        names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}
