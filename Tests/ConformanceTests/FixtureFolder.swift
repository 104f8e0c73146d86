import Foundation

/// The folder with the fixtures; it is no part of the repository.
struct FixtureFolder: Sendable {
    let path: String

    /// The one that `CLOAKROOM_FIXTURES` names, else `../shared/fixtures` beside the package.
    static let current: FixtureFolder = {
        if let path = ProcessInfo.processInfo.environment["CLOAKROOM_FIXTURES"], !path.isEmpty {
            return FixtureFolder(path: path)
        }
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { package.deleteLastPathComponent() }
        return FixtureFolder(path: package.appendingPathComponent("../shared/fixtures").standardized.path)
    }()

    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// The fixtures of a sub-folder whose names begin with one of the prefixes, sorted.
    ///
    /// - Throws: For a file that cannot be read or is no fixture.
    func fixtures(_ folder: String, prefixes: [String] = [""]) throws -> [Fixture] {
        let place = path + "/" + folder
        guard FileManager.default.fileExists(atPath: place) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: place).sorted()
            .filter { name in name.hasSuffix(".json") && prefixes.contains { name.hasPrefix($0) } }
            .map { name in
                guard let data = FileManager.default.contents(atPath: place + "/" + name) else {
                    throw Fixture.Malformed(name: folder + "/" + name, member: "file")
                }
                return try Fixture(name: folder + "/" + name, parsing: Array(data))
            }
    }
}
