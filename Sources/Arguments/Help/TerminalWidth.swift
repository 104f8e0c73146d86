internal import Glibc

/// The width that help is wrapped to.
enum TerminalWidth {
    /// The width without a terminal.
    static let usual = 80
    /// The smallest useful column width; in a narrower terminal, lines break where the terminal breaks them.
    private static let narrowest = 40

    /// The width of the terminal at standard output; `COLUMNS`, which a user can set, takes precedence.
    static func current() -> Int {
        var size = winsize()
        let isTerminal = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return width(columns: ProcessEnvironment.value("COLUMNS"), terminal: isTerminal ? Int(size.ws_col) : nil)
    }

    static func width(columns: String?, terminal: Int?) -> Int {
        if let width = columns.flatMap({ Int($0) }), 1...10_000 ~= width { return max(width, narrowest) }
        // A terminal that does not know its size reports 0.
        guard let terminal, terminal > 0 else { return usual }
        return max(terminal, narrowest)
    }
}
