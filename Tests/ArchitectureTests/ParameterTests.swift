import Testing

/// A function or an initializer as the source declares it.
private struct Declaration: Equatable {
    let line: Int
    /// Values that it takes; closures count as one.
    let parameters: Int
    let isInitializer: Bool
    /// Whether other modules may use it.
    let isOpen: Bool

    private static let words = ["func ", "init(", "init?("].map { Array($0.utf8) }

    /// Every `func` and `init` with a body or a requirement of a protocol; calls of `init` have a point before them.
    static func all(in file: SourceFile) -> [Declaration] {
        let text = Array(file.code.withoutStrings.utf8)
        var found: [Declaration] = []
        var line = 1
        var lineStart = 0
        for index in text.indices {
            if text[index] == UInt8(ascii: "\n") {
                line += 1
                lineStart = index + 1
            }
            guard index == 0 || isBreak(text[index - 1]),
                let word = words.first(where: { text[index...].starts(with: $0) }),
                let open = text[index...].firstIndex(of: UInt8(ascii: "("))
            else { continue }
            let before = String(decoding: text[lineStart..<index], as: UTF8.self)
            let parameters = count(text[(open + 1)...])
            let isInitializer = word != words[0]
            found.append(
                Declaration(
                    line: line, parameters: parameters, isInitializer: isInitializer,
                    isOpen: before.contains("package")))
        }
        return found
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }

    /// The values between here and the parenthesis that closes.
    private static func count(_ text: ArraySlice<UInt8>) -> Int {
        var depth = 0
        var commas = 0
        var isEmpty = true
        for byte in text {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")") where depth == 0: return isEmpty ? 0 : commas + 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0: commas += 1
            default: break
            }
            if !isBreak(byte) { isEmpty = false }
        }
        return 0
    }
}

@Suite("The modules BFF and Sessions")
struct ParameterTests {
    private func files() throws -> [SourceFile] {
        try Repository.swiftFiles(below: "Sources").filter { ["BFF", "Sessions"].contains($0.target) }
    }

    /// What belongs together is one value.
    ///
    /// An initializer for other modules states a configuration or a value, each part with its label, and may have more.
    @Test("have no function with more than five parameters")
    func parameters() throws {
        let declared = try files().flatMap { file in Declaration.all(in: file).map { (file.path, $0) } }
        #expect(declared.count > 200)
        for (path, declaration) in declared where declaration.parameters > 5 {
            #expect(declaration.isOpen && declaration.isInitializer, "\(path):\(declaration.line)")
        }
    }

    @Test(
        "are read so that their parameters are counted",
        arguments: [
            ("func a() {}", 0), ("func a(_ b: Int) {}", 1), ("func a<T: A & B>(b: (Int, Int), c: [A: B]) -> (A, B)", 2),
            ("func a(\n    _ b: Int, // c: Int, d: Int\n    e: String = \"f, g\",\n    h: () -> (Int, Int)\n) {}", 3),
            ("init?(_ a: Int, b: Int = max(1, 2))", 2), ("    package init(a: A, b: B, c: C, d: D, e: E, f: F) {}", 6),
        ])
    func counting(source: String, count: Int) {
        let found = Declaration.all(in: SourceFile(path: "Sources/BFF/A.swift", text: source))
        #expect(found.map(\.parameters) == [count])
        #expect(found.map(\.isOpen) == [source.contains("package")])
    }

    @Test("is not called where it is not declared")
    func calls() {
        let text = "let a = B.init(1, 2)\nself.init(c)\nfunction(d)"
        #expect(Declaration.all(in: SourceFile(path: "Sources/BFF/A.swift", text: text)).isEmpty)
    }

    @Test("has a front of less than 180 lines that only passes calls on")
    func front() throws {
        let front = try #require(try files().first { $0.path == "Sources/BFF/Backend.swift" })
        #expect(front.lineCount < 180)
        let extensions = try files().filter { !$0.code.withoutStrings.lines(containing: ["extension Backend"]).isEmpty }
        #expect(extensions.map(\.path).isEmpty)
    }
}
