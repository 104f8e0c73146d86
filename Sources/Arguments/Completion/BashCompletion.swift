/// The completion script for bash; it needs bash alone, not the package bash-completion.
struct BashCompletion {
    private let tree: CompletionTree

    init(_ program: Program) { tree = CompletionTree(program: program) }

    var script: String {
        let root = tree.program.root.name
        let function = CompletionTree.function(CommandPath(tree.program.root))
        return """
            # Completes \(root) in bash. To load it: \(Shell.bash.loading(root))
            \(function)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path= kind=words words= options= i
                COMPREPLY=()
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "$path/${COMP_WORDS[i]}" in
            \(lines(commandCases, indent: 12))
                        */--) return 0 ;;
                    esac
                done
                # bash takes "=" for a word of its own.
                if [[ $word == = ]]; then
                    word=
                elif [[ $before == = ]] && ((COMP_CWORD > 1)); then
                    before=${COMP_WORDS[COMP_CWORD-2]}
                fi
                case "$path" in
            \(lines(wordCases, indent: 8))
                esac
                case "$path/$before" in
            \(lines(valueCases, indent: 8))
                    *) [[ $word == -* || -z $words ]] && [[ $kind == words ]] && words=$options ;;
                esac
                case "$kind" in
                    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
                    files)
                        compopt -o filenames 2>/dev/null || :
                        mapfile -t COMPREPLY < <(compgen -f -- "$word")
                        ;;
                esac
                return 0
            }
            complete -F \(function) \(root)

            """
    }

    private func lines(_ lines: [String], indent: Int) -> String {
        lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }

    /// The script's cases that map words to a command.
    private var commandCases: [String] {
        tree.paths.dropFirst().map { path in "\(place(path))) path=\(place(path)) ;;" }
    }

    /// The script's cases with the words that a command accepts, besides values of options.
    private var wordCases: [String] {
        tree.paths.map { path in
            let operand = path.command.operands.first
            let words = path.command.commands.map(\.name) + (operand.map { tree.words(of: $0, in: path) } ?? [])
            let kind = operand?.completion == .files ? " kind=files" : ""
            return "'\(place(path))') words='\(words.joined(separator: " "))' options='\(options(path))'\(kind) ;;"
        }
    }

    private func options(_ path: CommandPath) -> String {
        let own = path.command.options.flatMap { option in
            (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
        }
        return (own + ["-h", "--help"] + (tree.program.version == nil ? [] : ["--version"])).joined(separator: " ")
    }

    /// The script's cases with the possible values of an option.
    private var valueCases: [String] {
        tree.paths.flatMap { path in
            path.command.options.filter { $0.kind == .option }.map { option in
                let short = option.short.map { " | \(place(path))/-\($0)" } ?? ""
                let words = tree.words(of: option, in: path)
                let action =
                    switch option.completion {
                    case _ where !words.isEmpty: "kind=words words='\(words.joined(separator: " "))'"
                    case .files: "kind=files"
                    case .nothing: "kind=none"
                    }
                return "\(place(path))/--\(option.name)\(short)) \(action) ;;"
            }
        }
    }

    private func place(_ path: CommandPath) -> String { path.below.map { "/" + $0.name }.joined() }
}
