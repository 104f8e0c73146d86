import Testing

@Suite("Package.swift")
struct ManifestTests {
    /// What a manifest says only when a package is fetched or named.
    private static func packages(in manifest: String) -> [String] {
        let code = CodeText(manifest).withoutStrings
        let words = [".package(", ".product(", "Package.Dependency", "package.dependencies"]
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
}
