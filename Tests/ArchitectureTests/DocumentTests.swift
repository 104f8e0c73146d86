import Testing

@Suite("The documents")
struct DocumentTests {
    @Test(arguments: ["LICENSE", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
    func `are there`(_ path: String) throws {
        #expect(try Repository.text(path).count > 200)
    }

    @Test func `name only make targets that exist`() throws {
        let targets = Set(
            try Repository.text("Makefile").split(separator: "\n").compactMap { line in
                line.first?.isLetter == true && !line.contains(":=")
                    ? line.firstIndex(of: ":").map { String(line[..<$0]) } : nil
            })
        for document in try Repository.documents() {
            for piece in try Repository.text(document).split(separator: "`").enumerated() where piece.offset % 2 == 1 {
                guard piece.element.hasPrefix("make ") else { continue }
                let name = String(piece.element.dropFirst(5).prefix { $0.isLetter || $0 == "-" })
                #expect(targets.contains(name), "\(document) says make \(name)")
            }
        }
    }
}
