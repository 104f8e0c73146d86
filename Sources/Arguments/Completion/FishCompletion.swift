/// The completion script for fish.
struct FishCompletion {
    private let tree: CompletionTree

    init(_ program: Program) { tree = CompletionTree(program: program) }

    var script: String {
        let root = tree.program.root.name
        let start = [
            "# Completes \(root) in fish. To load it: \(Shell.fish.loading(root))",
            "complete -c \(root) -e",
            "complete -c \(root) -f",
        ]
        return (start + tree.paths.flatMap(lines)).joined(separator: "\n") + "\n"
    }

    private func lines(_ path: CommandPath) -> [String] {
        let place = "complete -c \(path.root.name) -n \(quoted(condition(path)))"
        let commands = path.command.commands.map { "\(place) -a \($0.name) -d \(quoted($0.summary))" }
        let operands = path.command.operands.compactMap { operand -> String? in
            let words = tree.words(of: operand, in: path)
            if !words.isEmpty { return "\(place) -a \(quoted(words.joined(separator: " ")))" }
            return operand.completion == .files ? "\(place) -F" : nil
        }
        let options = path.command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            return "\(place)\(short) -l \(option.name)\(value(option, in: path)) -d \(quoted(option.help))"
        }
        let version = tree.program.version == nil ? [] : ["\(place) -l version -d 'Prints the version.'"]
        return commands + operands + options + ["\(place) -s h -l help -d 'Prints this help.'"] + version
    }

    private func value(_ option: Declaration, in path: CommandPath) -> String {
        let words = tree.words(of: option, in: path)
        return switch option.completion {
        case _ where option.kind == .flag: ""
        case _ where !words.isEmpty: " -x -a \(quoted(words.joined(separator: " ")))"
        case .files: " -r -F"
        case .nothing: " -x"
        }
    }

    /// A condition that is true while the words so far name this command and no subcommand of it.
    private func condition(_ path: CommandPath) -> String {
        let seen = path.below.map { "__fish_seen_subcommand_from \($0.name)" }
        let below = path.command.commands.map(\.name).joined(separator: " ")
        return (seen + (below.isEmpty ? [] : ["not __fish_seen_subcommand_from \(below)"])).joined(separator: "; and ")
    }

    private func quoted(_ text: String) -> String { "'\(CompletionTree.escaped(text, "\\'"))'" }
}
