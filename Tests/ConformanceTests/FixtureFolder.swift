import Foundation
import Testing

/// A folder of fixtures: `journey`, `oidc` and so on, any of which may be absent.
struct FixtureFolder: Sendable {
    let path: String
    /// Whether it is the one of the repository.
    let isOwn: Bool

    static let own = FixtureFolder(path: place("Tests/ConformanceTests/Fixtures"), isOwn: true)

    /// A folder of somebody else's: the one that `CLOAKROOM_FIXTURES` names, else `../shared/fixtures` beside the checkout
    /// where that is.
    static let other: FixtureFolder? = {
        if let path = ProcessInfo.processInfo.environment["CLOAKROOM_FIXTURES"], !path.isEmpty {
            return FixtureFolder(path: path, isOwn: false)
        }
        let usual = FixtureFolder(path: place("../shared/fixtures"), isOwn: false)
        return usual.isThere ? usual : nil
    }()

    static let all = [own] + (other.map { [$0] } ?? [])

    /// A path from the root of the checkout.
    static func place(_ path: String) -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root.appendingPathComponent(path).standardized.path
    }

    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// The parts that there are clients for.
    static let replayed = ["davinci", "journey", "oidc"]

    /// Why nothing at all can be replayed; nil where something can.
    var complaint: String? {
        guard isThere else { return "there is no \(path)" }
        return parts.contains(where: Self.replayed.contains) ? nil : "\(path) has no fixtures that are replayed"
    }

    /// The names of its parts, sorted.
    var parts: [String] {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return folders.filter { !names(in: $0).isEmpty }.sorted()
    }

    private func names(in part: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + part)) ?? [])
            .filter { $0.hasSuffix(".json") }.sorted()
    }

    /// The files of a part whose names begin with one of the prefixes, sorted; none when the part is absent.
    func files(_ part: String, prefixes: [String] = [""]) -> [FixtureFile] {
        names(in: part).filter { name in prefixes.contains { name.hasPrefix($0) } }
            .map { FixtureFile(folder: self, name: part + "/" + $0) }
    }
}

/// A file of a folder, not read yet.
struct FixtureFile: Sendable, CustomTestStringConvertible {
    let folder: FixtureFolder
    /// `journey/choice.json`.
    let name: String

    var testDescription: String { folder.isOwn ? name : "\(name) of \(folder.path)" }

    /// The files of a part of every folder.
    static func all(_ part: String, prefixes: [String] = [""]) -> [FixtureFile] {
        FixtureFolder.all.flatMap { $0.files(part, prefixes: prefixes) }
    }

    /// - Throws: For a file that cannot be read or is no fixture.
    func read() throws -> Fixture {
        guard let data = FileManager.default.contents(atPath: folder.path + "/" + name) else {
            throw Fixture.Malformed(name: name, member: "file")
        }
        return try Fixture(name: name, parsing: Array(data))
    }
}
