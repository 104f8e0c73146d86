internal import Basics

/// One pass over the words: finds the command and the words for each parameter.
struct Scan {
    /// A request that ends the pass early.
    enum Stop { case help, version }

    private(set) var path: CommandPath
    private let hasVersion: Bool
    private var rest: ArraySlice<String>
    private var words: [String: [String]] = [:]
    private var operands: [String] = []
    private var onlyOperands = false

    init(_ path: CommandPath, hasVersion: Bool, words: [String]) {
        self.path = path
        self.hasVersion = hasVersion
        rest = words[...]
    }

    /// True if a later word is `--help` or `-h`.
    var asksForHelpLater: Bool {
        !onlyOperands && rest.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    /// Reads all words in order, until one ends the pass.
    mutating func run() throws(UsageError) -> Stop? {
        while let word = rest.popFirst() {
            let bytes = word.utf8
            if onlyOperands || !bytes.starts(with: "-".utf8) || bytes.count == 1 {
                try readPlain(word)
            } else if bytes.count == 2, bytes.last == UInt8(ascii: "-") {
                onlyOperands = true
            } else if bytes.starts(with: "--".utf8) {
                if let stop = try readLong(word) { return stop }
            } else {
                if let stop = try readShort(word) { return stop }
            }
        }
        return nil
    }

    // MARK: Words

    private mutating func readPlain(_ word: String) throws(UsageError) {
        guard !path.command.commands.isEmpty else {
            guard operands.count < path.command.operands.count || path.command.operands.last?.isRepeatable == true
            else {
                let files = path.command.options.first { $0.completion == .files && words[$0.name] == nil }
                throw .tooMany(word, of: path, meant: onlyOperands ? nil : files)
            }
            operands.append(word)
            return
        }
        guard let next = path.command.commands.first(where: { $0.name.isSameText(as: word) }) else {
            throw .unknownCommand(word, in: path)
        }
        path = path.appending(next)
    }

    /// Reads `--name`, `--name VALUE` or `--name=VALUE`.
    private mutating func readLong(_ word: String) throws(UsageError) -> Stop? {
        let sign = word.utf8.firstIndex(of: UInt8(ascii: "="))
        let written = String(word[..<(sign ?? word.endIndex)])
        let name = String(written.utf8.dropFirst(2)) ?? ""
        let value = sign.map { String(word[word.utf8.index(after: $0)...]) }
        guard let declaration = path.command.options.first(where: { $0.name.isSameText(as: name) }) else {
            let stops: [String: Stop] = hasVersion ? ["help": .help, "version": .version] : ["help": .help]
            guard let stop = stops.first(where: { $0.key.isSameText(as: name) })?.value else {
                throw .unknownOption(written, of: path, known: knownNames)
            }
            if let value { throw .flagWithValue(written, value) }
            return stop
        }
        try add(declaration, written: written, value: value)
        return nil
    }

    /// Reads `-c`, `-c VALUE`, `-cVALUE`, `-c=VALUE`, or several flags in one word.
    private mutating func readShort(_ word: String) throws(UsageError) -> Stop? {
        if knownNames.contains(where: { $0.utf8.count > 1 && "-\($0)".isSameText(as: word) }) {
            throw .unknownOption(word, of: path, known: knownNames)
        }
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let declaration = path.command.options.first(where: { $0.short == letter }) else {
                if letter == "h" { return .help }
                throw .unknownLetter(letter, in: word)
            }
            if declaration.kind == .flag, letters.first != "=" {
                try add(declaration, written: "-\(letter)", value: nil)
                continue
            }
            let attached = letters.first == "=" ? letters.dropFirst() : letters
            try add(declaration, written: "-\(letter)", value: letters.isEmpty ? nil : String(attached))
            break
        }
        return nil
    }

    private mutating func add(_ declaration: Declaration, written: String, value: String?) throws(UsageError) {
        guard declaration.kind == .option else {
            if let value { throw .flagWithValue(declaration.label, value) }
            words[declaration.name] = [""]
            return
        }
        var value = value
        if value == nil {
            // A word with a dash is taken for the next option, after a forgotten value; "-" alone is a value.
            if let next = rest.first, next.utf8.count > 1, next.utf8.starts(with: "-".utf8) {
                throw .noValue(declaration, written: written, next: next)
            }
            value = rest.popFirst()
        }
        guard let value else { throw .noValue(declaration, written: written, next: nil) }
        guard declaration.accepts(value) else { throw .value(value, of: declaration) }
        words[declaration.name, default: []].append(value)
    }

    private var knownNames: [String] {
        path.command.options.map(\.name) + ["help"] + (hasVersion ? ["version"] : [])
    }

    // MARK: The whole

    /// The words of each parameter, after checking that none is missing, repeated or malformed.
    func checkedWords() throws(UsageError) -> [String: [String]] {
        var words = words
        var open = operands[...]
        for declaration in path.command.operands {
            let own = declaration.isRepeatable ? open : open.prefix(1)
            if let wrong = own.first(where: { !declaration.accepts($0) }) { throw .value(wrong, of: declaration) }
            if !own.isEmpty { words[declaration.name] = Array(own) }
            open = open.dropFirst(own.count)
        }
        for declaration in path.command.parameters {
            let given = words[declaration.name] ?? []
            if declaration.isRequired, given.isEmpty { throw .missing(declaration) }
            if given.count > 1, !declaration.isRepeatable { throw .twice(declaration, given) }
        }
        return words
    }
}
