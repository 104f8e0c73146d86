/// The completion script for zsh, loaded after `compinit` or found as a file in `$fpath`.
struct ZshCompletion {
    private let tree: CompletionTree

    init(_ program: Program) { tree = CompletionTree(program: program) }

    var script: String {
        let root = tree.program.root.name
        let function = CompletionTree.function(CommandPath(tree.program.root))
        return """
            #compdef \(root)
            # Completes \(root) in zsh. To load it after compinit: \(Shell.zsh.loading(root))
            \(tree.paths.map(self.function).joined(separator: "\n"))
            if [[ ${funcstack[1]} == \(function) ]]; then
                \(function) "$@"
            else
                compdef \(function) \(root)
            fi

            """
    }

    private func function(_ path: CommandPath) -> String {
        path.command.commands.isEmpty ? leaf(path) : group(path)
    }

    private func leaf(_ path: CommandPath) -> String {
        let operands = path.command.operands.map { operand in
            let place = operand.isRepeatable ? "*" : ""
            return CompletionTree.quoted("\(place):\(operand.valueName):\(values(operand, in: path))")
        }
        return """
            \(CompletionTree.function(path))() {
                _arguments -s -S \(joined(specifications(path) + operands))
            }
            """
    }

    private func group(_ path: CommandPath) -> String {
        let commands = path.command.commands.map { command in
            "        " + CompletionTree.quoted("\(command.name):\(CompletionTree.escaped(command.summary, ":"))")
        }
        let cases = path.command.commands.map { command in
            "        \(command.name)) \(CompletionTree.function(path.appending(command))) ;;"
        }
        return """
            \(CompletionTree.function(path))() {
                local curcontext=$curcontext state line
                typeset -A opt_args
                local -a commands=(
            \(commands.joined(separator: "\n"))
                )
                _arguments -C \(joined(specifications(path) + ["'1: :->command'", "'*:: :->rest'"])) && return
                case $state in
                command) _describe command commands ;;
                rest)
                    case ${line[1]} in
            \(cases.joined(separator: "\n"))
                    esac
                    ;;
                esac
            }
            """
    }

    private func joined(_ specifications: [String]) -> String {
        specifications.map { "\\\n        " + $0 }.joined(separator: " ")
    }

    private func specifications(_ path: CommandPath) -> [String] {
        let own = path.command.options.map { option in specification(option, in: path) }
        let help = "'(-h --help)'{-h,--help}'[Prints this help.]'"
        return own + [help] + (tree.program.version == nil ? [] : ["'--version[Prints the version.]'"])
    }

    private func specification(_ option: Declaration, in path: CommandPath) -> String {
        let text = CompletionTree.quoted("[\(CompletionTree.escaped(option.help, "[]:\\"))]" + value(option, in: path))
        let sign = option.kind == .option ? "=" : ""
        let star = option.isRepeatable ? "'*'" : ""
        guard let short = option.short else { return "\(star)--\(option.name)\(sign)\(text)" }
        let excluded = option.isRepeatable ? star : "'(-\(short) --\(option.name))'"
        return "\(excluded){-\(short)\(sign.isEmpty ? "" : "+"),--\(option.name)\(sign)}\(text)"
    }

    private func value(_ option: Declaration, in path: CommandPath) -> String {
        option.kind == .option ? ":\(option.valueName):\(values(option, in: path))" : ""
    }

    private func values(_ declaration: Declaration, in path: CommandPath) -> String {
        let words = tree.words(of: declaration, in: path)
        if !words.isEmpty { return "(\(words.joined(separator: " ")))" }
        return declaration.completion == .files ? "_files" : " "
    }
}
