/// Wraps text to a width.
enum WrappedText {
    /// The wrapped lines of paragraphs; an empty line stays, and a line that begins with a space is not wrapped.
    static func lines(_ text: String, width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.isEmpty || line.hasPrefix(" ") ? [String(line)] : fill(line.split(separator: " "), width: width)
        }
    }

    /// Fills lines with words; a word longer than the width gets a line of its own.
    static func fill(_ words: [some StringProtocol], width: Int) -> [String] {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
