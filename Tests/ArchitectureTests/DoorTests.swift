import Testing

@Suite("A door")
struct DoorTests {
    /// The modules of library products: every name in quotes before the programs.
    private static func productModules(in manifest: String) -> Set<String> {
        let products = manifest.split(separator: "    products: [").dropFirst().first ?? ""
        let calls = products.split(separator: ".executable").first ?? ""
        return Set(
            calls.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    @Test("is public only in modules that programs of others can import")
    func doors() throws {
        let open = Self.productModules(in: try Repository.text("Package.swift"))
        #expect(open.contains("JourneyClient") && open.contains("Basics") && !open.contains("BFF"))
        let files = try Repository.swiftFiles(below: "Sources").filter { !open.contains($0.target) }
        #expect(files.count > 200)
        for file in files {
            let lines = file.code.withoutStrings.lines(containing: ["public"])
                .filter { $0.text.split { !$0.isLetter && $0 != "_" && !$0.isNumber }.contains("public") }
            #expect(lines.map(\.number) == [], "\(file.path)")
        }
    }
}
