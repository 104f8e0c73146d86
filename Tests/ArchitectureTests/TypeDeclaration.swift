/// A type that a file declares outside of any other.
struct TypeDeclaration {
    let name: String
    let path: String
    /// What it conforms to or inherits from, as written.
    let parents: [String]

    var isError: Bool { parents.contains("Error") }

    private static let keywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "final", "indirect", "nonisolated",
    ]

    /// The types of a file; extensions and aliases are none.
    static func all(in file: SourceFile) -> [TypeDeclaration] {
        let lines = file.code.withoutStrings.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { index in
            guard let first = lines[index].utf8.first, first != UInt8(ascii: " ") else { return nil }
            let words = lines[index].split(separator: " ")
            let rest = words.drop { modifiers.contains($0) || $0.hasPrefix("@") }
            guard let keyword = rest.first, keywords.contains(keyword), let word = rest.dropFirst().first else {
                return nil
            }
            // A declaration ends with its brace, which may stand on a line further down.
            let head = lines[index...].joined(separator: " ").prefix { $0 != "{" }
            return TypeDeclaration(
                name: String(word.prefix { $0.isLetter || $0.isNumber || $0 == "_" }), path: file.path,
                parents: parents(head))
        }
    }

    private static func parents(_ head: Substring) -> [String] {
        // Parameters of a generic type have a colon of their own.
        var depth = 0
        let colon = head.indices.first { index in
            if head[index] == "<" { depth += 1 }
            if head[index] == ">" { depth -= 1 }
            return depth == 0 && head[index] == ":"
        }
        guard let colon else { return [] }
        let list = head[head.index(after: colon)...]
        let end = list.firstRange(of: " where ")?.lowerBound ?? list.endIndex
        return list[..<end].split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
    }
}
