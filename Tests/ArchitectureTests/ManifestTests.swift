import Testing

@Suite("Package.swift")
struct ManifestTests {
    /// What a manifest says only when a package is fetched or named.
    private static func packages(in manifest: String) -> [String] {
        let code = CodeText(manifest).withoutStrings
        let words = [".package(", ".product(", "Package.Dependency", "package.dependencies", ".binaryTarget("]
        // A label of `Package` itself stands one level in; those of targets stand deeper or within a line.
        let labels = code.split(separator: "\n").filter { $0.hasPrefix("    dependencies:") }
        return code.lines(containing: words).map(\.text) + labels.map(String.init)
    }

    @Test func `depends on no package`() throws {
        let manifest = try Repository.text("Package.swift")
        #expect(manifest.contains("\n    targets: ["))
        #expect(Self.packages(in: manifest) == [])
    }

    @Test(arguments: [
        "let package = Package(\n    name: \"x\",\n    dependencies: [\n    ],\n)",
        "        .package(url: \"https://x.example/y\", from: \"1.0.0\"),",
        "        .package(path: \"../y\")",
        "let y = Target.Dependency.product(name: \"Y\", package: \"y\")",
        "package.dependencies = []",
        "let y: [Package.Dependency] = []",
        "        .binaryTarget(name: \"Y\", url: \"https://x.example/y.zip\", checksum: \"0\"),",
    ])
    func `would be found to depend on one`(_ manifest: String) {
        #expect(!Self.packages(in: manifest).isEmpty)
    }

    @Test func `may speak of targets that depend on others`() {
        let manifest = "// .package(\n        .target(\n            name: \"x\", dependencies: [\"y\"]),"
        #expect(Self.packages(in: manifest) == [])
    }

    @Test func `names the Debian packages that the script and the image install`() throws {
        let manifest = try Repository.text("Package.swift")
        let packages = manifest.split(separator: "apt: \"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        #expect(packages.contains("libyaml-dev"))
        for file in ["scripts/deps", "Dockerfile"] {
            let words = Set(try Repository.text(file).split { " \n()".contains($0) }.map(String.init))
            let missing = packages.filter { !words.contains($0) }
            #expect(missing == [], "\(file)")
        }
    }

    @Test func `links the allocator into what is released, where its packages are installed`() throws {
        #expect(try Repository.text("scripts/release-build").contains("-Xlinker -ljemalloc"))
        #expect(try Repository.text("scripts/deps").contains(" libjemalloc-dev "))
        let image = try Repository.text("Dockerfile")
        #expect(image.contains(" libjemalloc-dev ") && image.contains(" libjemalloc2 "))
    }

    /// The Debian package of each library, by the library's name.
    private static let libraries = [
        "libmicrohttpd": "libmicrohttpd-dev", "OpenSSL": "libssl-dev", "libcurl": "libcurl4-openssl-dev",
        "SQLite": "libsqlite3-dev", "hiredis": "libhiredis-dev", "libyaml": "libyaml-dev",
    ]

    @Test func `brings in no library that README and NOTICE leave out`() throws {
        let manifest = try Repository.text("Package.swift")
        let packages = manifest.split(separator: "apt: \"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        #expect(Set(packages) == Set(Self.libraries.values))
        let rows = try Repository.text("README.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        let notice = try Repository.text("NOTICE")
        for library in Self.libraries.keys + ["jemalloc", "glibc", "libstdc++", "libgcc"] {
            #expect(rows.contains { $0.split(separator: "|")[0].contains(library) }, "\(library) in README.md")
            #expect(notice.contains(library), "\(library) in NOTICE")
        }
    }

    /// A target as the manifest declares it.
    private struct Target {
        let name: String
        let dependencies: [String]
        let folder: String
    }

    /// Every target with Swift files; each declaration begins at the same column.
    private static func targets(in manifest: String) -> [Target] {
        let code = CodeText(manifest).withoutComments.split(separator: "\n    targets: [").last ?? ""
        let declarations = code.split(separator: "\n        ").reduce(into: [String]()) { all, line in
            if !all.isEmpty, line.first == " " || line.first == ")" {
                all[all.count - 1] += line
            } else {
                all.append(String(line))
            }
        }
        return declarations.compactMap { declaration in
            func quoted(_ text: some StringProtocol) -> [String] {
                text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
                    .map { String($0.element) }
            }
            guard
                let kind = ["module(", "tests(", ".target(", ".executableTarget("].first(where: declaration.hasPrefix)
            else { return nil }
            let names = quoted(
                declaration.prefix(upTo: declaration.firstRange(of: "exclude: ")?.lowerBound ?? declaration.endIndex))
            let path = declaration.split(separator: "path: ").dropFirst().first.map { quoted($0)[0] }
            let name = names[0]
            return Target(
                name: name, dependencies: names.dropFirst().filter { $0 != path },
                folder: path ?? (kind == "tests(" ? "Tests/" : "Sources/") + name)
        }
    }

    @Test func `lets each target depend on what its files import, and names it once`() throws {
        let targets = Self.targets(in: try Repository.text("Package.swift"))
        let libraries: Set = ["CMicroHTTPD", "COpenSSL", "CCurl", "CSQLite", "CHiredis", "CYAML"]
        let known = Set(targets.map(\.name)).union(libraries)
        #expect(known.isSuperset(of: ModuleTable.rows.map(\.name)))
        for target in targets where target.name != "CShims" {
            let imports = try Repository.swiftFiles(below: target.folder).flatMap(\.imports)
            let needed = Set(imports).intersection(known)
            #expect(target.dependencies.sorted() == needed.sorted(), "\(target.name)")
        }
    }
}
