internal import Glibc

/// How wide help is written.
enum TerminalWidth {
    /// What is used where there is no terminal.
    static let usual = 80
    /// Narrower than this a column of text is not readable; lines break where the terminal breaks them.
    private static let narrowest = 40

    /// The width of the terminal behind standard output; `COLUMNS` is asked first, as a user can set it.
    static func current() -> Int {
        var size = winsize()
        let isTerminal = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return width(columns: ProcessEnvironment.value("COLUMNS"), terminal: isTerminal ? Int(size.ws_col) : nil)
    }

    static func width(columns: String?, terminal: Int?) -> Int {
        if let width = columns.flatMap({ Int($0) }), 1...10_000 ~= width { return max(width, narrowest) }
        // A terminal that does not know its size says 0.
        guard let terminal, terminal > 0 else { return usual }
        return max(terminal, narrowest)
    }
}
