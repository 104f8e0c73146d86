internal import Basics

/// The request that the arguments make.
enum ParsedArguments: Sendable {
    case run(Command.Action, ArgumentValues, CommandPath)
    case help(CommandPath)
    case version(String)
    case completion(Shell)
    case wrongUse(String, CommandPath)
}

/// Parses arguments by the declarations of the commands.
struct Parser {
    private let program: Program

    init(_ program: Program) { self.program = program }

    /// Parses the words after the program's name.
    ///
    /// A request for help is answered even if other options are wrong: they may be the reason for it.
    func request(_ words: [Word]) -> ParsedArguments {
        var texts: [String] = []
        for (index, word) in words.enumerated() {
            switch word {
            case .text(let text): texts.append(text)
            case .broken(let text):
                let sentence = "Argument \(index + 1), \(Word.quoted(text)), is not UTF-8."
                return .wrongUse(sentence, CommandPath(program.root))
            }
        }
        var scan = Scan(CommandPath(program.root), hasVersion: program.version != nil, words: texts)
        do throws(UsageError) {
            switch try scan.run() {
            case .help: return .help(scan.path)
            case .version: return .version(program.version ?? "")
            case nil: return try request(scan)
            }
        } catch {
            if !error.isUnknownCommand, scan.asksForHelpLater { return .help(scan.path) }
            return .wrongUse(error.sentence, scan.path)
        }
    }

    private func request(_ scan: Scan) throws(UsageError) -> ParsedArguments {
        let command = scan.path.command
        let given = ArgumentValues(try scan.checkedWords(), of: command)
        for rule in command.rules {
            if let complaint = rule.complaint(about: given) { throw UsageError(complaint) }
        }
        return switch command.work {
        case .run(let action): .run(action, given, scan.path)
        case .group: .help(scan.path)
        case .completion: .completion(given[Command.shell])
        case .help: .help(try topic(given[Command.helpTopic]))
        }
    }

    /// The command whose help is requested.
    private func topic(_ names: [String]) throws(UsageError) -> CommandPath {
        var path = CommandPath(program.root)
        for name in names {
            guard let next = path.command.commands.first(where: { $0.name.isSameText(as: name) }) else {
                throw .unknownCommand(name, in: path)
            }
            path = path.appending(next)
        }
        return path
    }
}
