/// The usage of a command in one line: `cloakroom check (--config FILE | --ready URL) [--live]`.
struct UsageLine {
    private let path: CommandPath

    init(_ path: CommandPath) { self.path = path }

    /// The parts after the command name; words that belong together form one part.
    var pieces: [String] {
        let command = path.command
        if !command.commands.isEmpty { return ["COMMAND", "[OPTION]..."] }
        var pieces: [String] = []
        var shown: Set<String> = []
        for declaration in command.options where !shown.contains(declaration.name) {
            let group = command.rules.first { rule in
                rule.kind != .needs && rule.members.contains { $0.name == declaration.name }
            }
            guard let group else {
                pieces.append(piece(declaration))
                continue
            }
            shown.formUnion(group.members.map(\.name))
            let choices = group.members.map(\.spelling).joined(separator: " | ")
            pieces.append("(\(choices))")
        }
        return pieces + command.operands.map(piece)
    }

    private func piece(_ declaration: Declaration) -> String {
        let end = declaration.isRepeatable ? "..." : ""
        return declaration.isRequired ? declaration.spelling + end : "[\(declaration.spelling)]\(end)"
    }

    /// The usage line after a first word, wrapped to the width.
    func text(after start: String, width: Int) -> String {
        let indent = String(repeating: " ", count: start.count)
        return WrappedText.fill([path.text] + pieces, width: width - start.count - 2).enumerated()
            .map { ($0.offset == 0 ? start : indent + "  ") + $0.element }.joined(separator: "\n")
    }
}
