/// The help page of a command.
struct HelpText {
    private static let widestLabel = 28
    private static let narrowestText = 24

    private let program: Program
    private let path: CommandPath

    init(_ program: Program, _ path: CommandPath) {
        self.program = program
        self.path = path
    }

    /// The whole page, with a line end after the last line.
    func text(width: Int) -> String {
        let command = path.command
        var blocks = [WrappedText.lines(command.summary, width: width).joined(separator: "\n")]
        blocks.append("USAGE\n" + UsageLine(path).text(after: "  ", width: width))
        if !command.discussion.isEmpty {
            blocks.append(WrappedText.lines(command.discussion, width: width).joined(separator: "\n"))
        }
        blocks += section("COMMANDS", command.commands.map { ($0.name, $0.summary) }, width)
        blocks += section("ARGUMENTS", command.operands.map { ($0.valueName, Self.explanation($0)) }, width)
        blocks += section("OPTIONS", command.options.map { (Self.label($0), Self.explanation($0)) } + common, width)
        if !command.commands.isEmpty {
            blocks.append(
                WrappedText.lines("'\(path.root.name) help COMMAND' tells more about a command.", width: width)
                    .joined(separator: "\n"))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The options that every command has.
    private var common: [(String, String)] {
        Self.common(hasVersion: program.version != nil)
    }

    static func common(hasVersion: Bool) -> [(String, String)] {
        let help = [("-h, --help", "Prints this help.")]
        return hasVersion ? help + [("    --version", "Prints the version.")] : help
    }

    private static func label(_ declaration: Declaration) -> String {
        (declaration.short.map { "-\($0), " } ?? "    ") + declaration.spelling
    }

    /// The help for a parameter: its sentences, then in brackets the facts from its declaration.
    static func explanation(_ declaration: Declaration) -> String {
        var notes: [String] = []
        if !declaration.words.isEmpty { notes.append(declaration.expected) }
        if let text = declaration.defaultText { notes.append("default: \(text)") }
        if declaration.isRepeatable, declaration.kind == .option { notes.append("may be repeated") }
        guard !notes.isEmpty else { return declaration.help }
        let sentence = declaration.help.hasSuffix(".") ? String(declaration.help.dropLast()) : declaration.help
        return "\(sentence) (\(notes.joined(separator: "; ")))."
    }

    /// A heading and two columns; a text is below its label if the label is too wide or the terminal too narrow.
    private func section(_ heading: String, _ rows: [(label: String, text: String)], _ width: Int) -> [String] {
        guard !rows.isEmpty else { return [] }
        var column = rows.map(\.label.count).filter { $0 <= Self.widestLabel }.max() ?? 0
        if width - column - 4 < Self.narrowestText { column = 0 }
        let indent = String(repeating: " ", count: max(column + 4, 8))
        var lines = [heading]
        for row in rows {
            var text = WrappedText.lines(row.text, width: width - indent.count)[...]
            if row.label.count <= column {
                let gap = String(repeating: " ", count: column - row.label.count + 2)
                lines.append("  \(row.label)\(gap)\(text.popFirst() ?? "")")
            } else {
                lines.append("  \(row.label)")
            }
            lines += text.map { indent + $0 }
        }
        return [lines.joined(separator: "\n")]
    }
}
