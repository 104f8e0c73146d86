import Testing

@Suite("The module table")
struct ModuleTableTests {
    @Test func `names only rows above each row`() {
        var above: Set<String> = []
        for row in ModuleTable.rows {
            let unknown = row.modules.subtracting(above)
            #expect(unknown.isEmpty, "\(row.name) names \(unknown.sorted())")
            #expect(above.insert(row.name).inserted, "\(row.name) stands twice")
        }
    }

    @Test func `has a row for every folder of Sources, and a folder for every row`() throws {
        #expect(try Repository.folders(below: "Sources") == Set(ModuleTable.rows.map(\.name)))
    }

    @Test("covers every import", arguments: ModuleTable.rows.map(\.name))
    func covers(_ name: String) throws {
        let row = try #require(ModuleTable.rows.first { $0.name == name })
        let allowed = row.modules.union(row.others).union(ModuleTable.pure.contains(name) ? [] : ModuleTable.free)
        for file in try Repository.swiftFiles(below: "Sources") where file.target == name {
            let forbidden = Set(file.imports).subtracting(allowed)
            #expect(forbidden.isEmpty, "\(file.path) imports \(forbidden.sorted())")
        }
    }

    @Test("names nothing that no file imports", arguments: ModuleTable.rows.filter { $0.name != "CShims" }.map(\.name))
    func needs(_ name: String) throws {
        let row = try #require(ModuleTable.rows.first { $0.name == name })
        let imports = try Repository.swiftFiles(below: "Sources").filter { $0.target == name }.flatMap(\.imports)
        #expect(row.modules.union(row.others).subtracting(imports).sorted() == [])
    }

    @Test func `lets one target import each C library`() {
        for library in ["CMicroHTTPD", "COpenSSL", "CCurl", "CSQLite", "CHiredis", "CYAML"] {
            let users = ModuleTable.rows.filter { $0.modules.contains(library) }.map(\.name)
            #expect(users.count == 1, "\(library) is imported by \(users)")
        }
    }

    @Test func `keeps the simulator apart from the clients it is to test`() throws {
        let row = try #require(ModuleTable.rows.first { $0.name == "IdentitySimulator" })
        #expect(
            row.modules.isDisjoint(with: ["Orchestrate", "OpenIDConnect", "JourneyClient", "ResourceServer", "BFF"]))
    }

    /// All that a target imports, and what that imports.
    private func reached(from name: String) throws -> Set<String> {
        var reached: Set<String> = []
        var open = [name]
        while let next = open.popLast() {
            let row = try #require(ModuleTable.rows.first { $0.name == next })
            open += row.modules.filter { reached.insert($0).inserted }
        }
        return reached
    }

    @Test func `keeps the simulator out of the production program`() throws {
        #expect(try !reached(from: "CloakroomCommand").contains("IdentitySimulator"))
    }

    @Test func `keeps the use cases and their API apart from every product, and products from each other`() throws {
        let products = ["Journey", "DaVinci"].map { ["\($0)Client", "\($0)Product"] }
        for name in ["BFF", "BFFAPI"] {
            #expect(try reached(from: name).isDisjoint(with: products.flatMap { $0 }), "\(name)")
        }
        for (one, other) in [(products[0], products[1]), (products[1], products[0])] {
            for name in one { #expect(try reached(from: name).isDisjoint(with: other), "\(name)") }
        }
    }

    /// A session is fields and sealed bytes; flows, tokens and requirements are of the use cases above it.
    @Test func `keeps browser sessions apart from flows, tokens and requirements`() throws {
        #expect(
            try reached(from: "Sessions").isDisjoint(
                with: ["Orchestrate", "OpenIDConnect", "ResourceServer", "Discovery", "HTTPCore"]))
        #expect(try reached(from: "BFF").contains("Sessions"))
    }

    @Test func `is the order of the targets in Package.swift`() throws {
        let declared = CodeText(try Repository.text("Package.swift")).withoutComments.split(separator: "\"").map(
            String.init)
        var position = declared.firstIndex(of: "CMicroHTTPD") ?? 0
        for row in ModuleTable.rows {
            // Names come again as dependencies further down; what must not happen is that a row's first one is above.
            let next = declared[position...].firstIndex(of: row.name)
            #expect(next != nil, "\(row.name) is declared before a row above it")
            position = next ?? position
        }
    }

    @Test func `is the table of the architecture document`() throws {
        let section = try Repository.text("docs/architecture.md").split(separator: "\n## ").first {
            $0.hasPrefix("Modules\n")
        }
        let documented = try #require(section).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
                cell.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
            }
            return cells.count == 5 && line.hasPrefix("| `") ? (names: cells[1], imports: Set(cells[3])) : nil
        }
        #expect(documented.flatMap(\.names) == ModuleTable.rows.map(\.name))
        for entry in documented {
            for name in entry.names {
                let row = try #require(ModuleTable.rows.first { $0.name == name })
                #expect(entry.imports == row.modules, "\(name)")
            }
        }
    }

    @Test func `lists imports of every form`() {
        let file = SourceFile(
            path: "Sources/X/Y.swift",
            text: """
                import A
                public import B
                @testable @preconcurrency internal import C
                import struct D.E
                  private import F // not G
                // import H
                let i = "import J"
                let import_ = 1
                """)
        #expect(file.imports == ["A", "B", "C", "D", "F"])
    }
}
