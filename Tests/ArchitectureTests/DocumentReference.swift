/// A document that a text names, `docs/protocol.md`, with the section where it names one: `docs/protocol.md, 'Sessions'`.
struct DocumentReference: Equatable {
    let path: String
    let section: String?

    /// Those in a text, in order.
    static func all(in text: String) -> [DocumentReference] {
        guard text.contains(".md") else { return [] }
        return text.matches(of: /([A-Za-z0-9_.\/-]+\.md)\b(?:`?, '([^']+)')?/).map { match in
            DocumentReference(path: String(match.1), section: match.2.map { String($0) })
        }
    }

    /// What is wrong with the reference; nil when document and section are there.
    func fault() throws -> String? {
        guard Repository.exists(path) else { return "there is no \(path)" }
        guard let section else { return nil }
        let headings = Self.headings(try Repository.text(path))
        return headings.contains(section) ? nil : "\(path) has no section '\(section)'"
    }

    /// The headings of a document, without their marks; lines of code that begin like one do not count.
    static func headings(_ text: String) -> [String] {
        var isCode = false
        return text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { return nil }
            return String(line.drop { $0 == "#" }.drop { $0 == " " })
        }
    }

    /// The anchor of a heading, as the usual renderers of Markdown make it.
    static func anchor(_ heading: String) -> String {
        String(
            heading.lowercased().compactMap { character in
                if character == " " { return "-" }
                return character.isLetter || character.isNumber || character == "-" || character == "_"
                    ? character : nil
            })
    }
}

/// A paragraph that speaks of something which the reader of the repository cannot look up.
enum OutsideReference {
    private static let words = [
        "DESIGN", "STYLE", "FINDINGS", "design/", "protocol/", "clause", "decision", "trap", "finding", "§", "section",
    ]

    /// What is wrong with a paragraph.
    ///
    /// - Parameters:
    ///   - text: The paragraph.
    ///   - file: All comments of its file: one of them has to name the standard whose section is meant.
    /// - Returns: Nil when nothing is wrong.
    static func fault(in text: String, of file: String) -> String? {
        // Most paragraphs have none of these, and searching for a text is many times as fast as for a pattern.
        guard !text.lines(containing: words).isEmpty else { return nil }
        // Names of papers, of their folders and of their parts.
        let papers = /\b(?:DESIGN|STYLE|FINDINGS)\b|\b(?:design|protocol)\/[a-z]/
        let parts = /(?:clause|decision|trap|finding) [0-9]|§ ?[0-9]/
        if text.contains(papers) || text.contains(parts) { return "names what is not in the repository" }
        let standards = /\bRFC ?[0-9]|OpenID Connect|\bCore [0-9]|YAML 1\.2|Trace Context/
        if text.contains(/\bsections? [0-9]/), !file.contains(standards) { return "names a section of nothing" }
        return nil
    }
}
