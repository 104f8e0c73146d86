/// A Mermaid picture of a document: the lines of one fenced block.
struct Picture {
    let kind: String
    let lines: [Substring]

    /// The pictures of a text, in order.
    static func all(in text: String) -> [Picture] {
        text.split(separator: "```mermaid\n").dropFirst().map { rest in
            let lines = rest.split(separator: "```", maxSplits: 1)[0].split(separator: "\n")
            return Picture(kind: lines.first.map(String.init) ?? "", lines: Array(lines.dropFirst()))
        }
    }

    /// The arrows of a flowchart, `A --> B`.
    var arrows: [(from: String, to: String)] {
        lines.compactMap { line in
            let ends = line.split(separator: " --> ").map { $0.filter { $0 != " " } }
            return ends.count == 2 ? (ends[0], ends[1]) : nil
        }
    }

    /// A step of a sequence: `BFFAPI->>BFF: token in Backend.swift`.
    struct Step {
        /// Who calls.
        let caller: String
        /// Whose file is named.
        let module: String
        let function: String
        let file: String
    }

    /// The steps of a sequence, nil where an arrow that leads into one of the modules names no function and file.
    ///
    /// Answers, `-->>`, are no steps.
    func steps(into modules: Set<String>) -> [Step?] {
        lines.compactMap { line -> Step?? in
            let halves = line.split(separator: ": ", maxSplits: 1)
            let ends = halves.first?.split(separator: "->>").map { String($0.filter { $0 != " " }) } ?? []
            guard ends.count == 2, !ends[0].hasSuffix("-"), modules.contains(ends[1]) else { return nil }
            let words = halves.count == 2 ? halves[1].split(separator: " ").map(String.init) : []
            guard words.count >= 3, words[1] == "in" else { return .some(nil) }
            // Words for the reader may follow, after a comma.
            let file = words[2].hasSuffix(",") ? String(words[2].dropLast()) : words[2]
            return file.hasSuffix(".swift")
                ? Step(caller: ends[0], module: ends[1], function: words[0], file: file) : .some(nil)
        }
    }
}
