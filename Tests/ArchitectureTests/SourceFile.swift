import Foundation

/// A file of the repository.
struct SourceFile: Sendable {
    /// From the repository's root: `Sources/JSON/JSONValue.swift`.
    let path: String
    let text: String
    let code: CodeText

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = CodeText(text)
    }

    /// The folder below `Sources` or `Tests`: the target.
    var target: String {
        String(path.split(separator: "/").dropFirst().first ?? "")
    }

    /// The number of lines.
    var lineCount: Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }

    /// The modules that the file imports, each once per import line.
    var imports: [String] { importLines.map(\.text) }

    /// The lines that import, each with the name of its module as text.
    var importLines: [TextLine] {
        code.withoutStrings.lines(containing: ["import "]).compactMap { line in
            let words = line.text.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"),
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || Self.accessLevels.contains(String($0)) })
            else { return nil }
            let rest = words[(keyword + 1)...].filter { !Self.kinds.contains(String($0)) }
            return rest.first.map { TextLine(number: line.number, text: String($0.prefix { $0 != "." })) }
        }
    }

    private static let accessLevels: Set<String> = ["public", "package", "internal", "fileprivate", "private"]
    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor",
    ]
}

/// The repository that the tests were built from.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let sources = Result { try read("Sources") }
    private static let tests = Result { try read("Tests") }

    /// The Swift files below a folder, in order of their paths.
    static func swiftFiles(below folder: String) throws -> [SourceFile] {
        switch folder {
        case "Sources": try sources.get()
        case "Tests": try tests.get()
        default: try read(folder)
        }
    }

    private static func read(_ folder: String) throws -> [SourceFile] {
        let base = root.appending(path: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            SourceFile(
                path: "\(folder)/\(name)", text: try String(contentsOf: base.appending(path: name), encoding: .utf8))
        }
    }

    /// The names of the folders right below a folder.
    static func folders(below folder: String) throws -> Set<String> {
        let base = root.appending(path: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: base.path)
        return Set(
            names.filter { name in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: base.appending(path: name).path, isDirectory: &isFolder)
                    && isFolder.boolValue
            })
    }

    /// A file as text.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Markdown files at the root, in `docs` and in the documentation of the modules.
    static func documents() throws -> [String] {
        let top = try FileManager.default.contentsOfDirectory(atPath: root.path)
        let below = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "docs").path)
        let sources = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
        return (top + below.map { "docs/\($0)" } + sources.map { "Sources/\($0)" }).filter { $0.hasSuffix(".md") }
            .sorted()
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}
