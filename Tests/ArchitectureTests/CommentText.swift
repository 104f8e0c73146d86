/// The comments of a file, paragraph by paragraph.
enum CommentText {
    /// Those of Swift and C source, whose strings are no comments.
    static func paragraphs(ofSource text: String) -> [TextLine] { paragraphs(CodeText(text).comments) }

    /// Those of a script or a file of settings: the lines that begin with `#`.
    static func paragraphs(ofScript text: String) -> [TextLine] {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "#") ? Substring(line) : ""
        }
        return paragraphs(lines.joined(separator: "\n"))
    }

    /// Joins lines that follow each other by a blank; a line without words ends a paragraph.
    ///
    /// - Returns: Each with the number of its first line.
    private static func paragraphs(_ text: String) -> [TextLine] {
        var found: [TextLine] = []
        var open: (number: Int, words: String)?
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = trimmed(Substring(line))
            if words.isEmpty {
                if let paragraph = open { found.append(TextLine(number: paragraph.number, text: paragraph.words)) }
                open = nil
            } else if let paragraph = open {
                open = (paragraph.number, paragraph.words + " " + words)
            } else {
                open = (index + 1, String(words))
            }
        }
        if let paragraph = open { found.append(TextLine(number: paragraph.number, text: paragraph.words)) }
        return found
    }

    /// A line without the marks of a comment around it.
    private static func trimmed(_ line: Substring) -> Substring {
        let marks: Set<UInt8> = [
            UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "!"),
        ]
        let bytes = line.utf8
        guard let first = bytes.firstIndex(where: { !marks.contains($0) }),
            let last = bytes.lastIndex(where: { !marks.contains($0) })
        else { return "" }
        return line[first...last]
    }
}
